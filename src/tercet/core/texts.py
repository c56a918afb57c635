"""Marks for the types of strings: which are texts that people read, and which say what game such texts are about.

A type that is marked is still a string. Messages are translated by the marks of their types
(:mod:`tercet.answers.translation`); a string without a mark stays as it is in every language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated


class TextMark(Enum):
    """What a string is, as far as translating it matters."""

    TEXT = "text"
    NAME = "name"
    GAME = "game"
    POSITION = "position"
    SKIN = "skin"


Text = Annotated[str, TextMark.TEXT]  # a text that people read
PersonName = Annotated[str, TextMark.NAME]  # a person's name: a text where the server made it
GameName = Annotated[str, TextMark.GAME]  # the name of the game that the texts beside it are about
PositionString = Annotated[str, TextMark.POSITION]  # a position of that game
SkinWords = Annotated[Mapping[str, str], TextMark.SKIN]  # words, and those that a skin puts in their place


def listed(names: Sequence[str], word: str = "and") -> str:
    """Return ``a, b and c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
