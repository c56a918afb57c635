"""What the laboratory's page shows."""

from __future__ import annotations

from typing_extensions import TypedDict

from tercet.core.texts import GameName, Text


class StudyResult(TypedDict):
    """A study that comes with a game: its question is the ``title``, the answer of its ``games`` games the ``result``.
    The ``note`` says what an engine cannot tell."""

    id: str
    title: Text
    result: Text
    note: Text
    games: int


class GameStudies(TypedDict):
    """The studies of a game."""

    game: GameName
    title: Text
    studies: list[StudyResult]
