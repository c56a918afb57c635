"""Requests about puzzles, checked."""

from __future__ import annotations

from pydantic import Field

from tercet.server.wire.lessons import Actions
from tercet.server.wire.requests import RequestBody

__all__ = ["PuzzleSolutionRequest", "PuzzleTryRequest"]


class PuzzleTryRequest(RequestBody):
    """The solver's ``actions`` after ``moves``, those of all players since the puzzle began. A try in a ``run`` changes
    no rating."""

    moves: Actions = Field(default_factory=list)
    actions: Actions = Field(min_length=1)
    run: bool = False


class PuzzleSolutionRequest(RequestBody):
    """In a ``run`` asking for the solution changes no rating."""

    run: bool = False
