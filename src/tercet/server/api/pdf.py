"""A game to print and play, made in a process of its own: this module imports nothing of the web."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import tercet
from tercet.answers.translation.catalogue import teller
from tercet.pictures.printing import pdf


def printed(game: str, options: Mapping[str, Any], paper: str, size: float | None, lang: str) -> str:
    """Return the PDF of a game, in base64."""
    found = tercet.game(game, **options)
    made = pdf(found, paper=paper, size=size, translate=teller(game, lang), read=tercet.parse)
    return base64.b64encode(made).decode("ascii")
