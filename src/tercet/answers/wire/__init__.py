"""What clients say and are sent, as types: :mod:`tercet.answers` builds messages and answers as these, and the page's
types are generated from them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypedDict
else:
    try:
        from typing_extensions import TypedDict  # the one that Pydantic can read before Python 3.12
    except ImportError:  # in a browser
        from typing import TypedDict

__all__ = ["TypedDict"]
