"""What clients say and are sent, as types: :mod:`tercet.answers` builds messages and answers as these, and the page's
types are generated from them."""

from tercet.core.view import TypedDict

__all__ = ["TypedDict"]
