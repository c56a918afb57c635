"""Requests about lessons and puzzles, checked."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tercet.answers.wire.client_messages import MAX_ACTION
from tercet.server.wire.requests import PositionText, RequestBody

MOST_ACTIONS = 400  # of one step
Actions = Annotated[list[Annotated[str, Field(max_length=MAX_ACTION)]], Field(max_length=MOST_ACTIONS)]


class TryRequest(RequestBody):
    """The learner's ``actions`` after ``moves``, those of all players since the step began."""

    moves: Actions = Field(default_factory=list)
    actions: Actions = Field(min_length=1)


class AdviceRequest(RequestBody):
    """A position, and which player is to be advised."""

    position: PositionText
    player: int = Field(ge=0, lt=8)


class FirstGameRequest(RequestBody):
    """A newcomer's decision in their first game: the ``moves`` led to it from ``position``; ``seen`` are the ids of the
    ideas that they have seen."""

    position: PositionText
    moves: Actions = Field(default_factory=list)
    seen: list[Annotated[str, Field(max_length=60)]] = Field(default_factory=list, max_length=100)


class LessonProgressRequest(RequestBody):
    """How far a browser's learner has come in a lesson; ``at`` is when, in milliseconds."""

    game: str = Field(max_length=20)
    lesson: str = Field(max_length=60)
    steps: int = Field(ge=0, le=1000)
    done: bool
    at: int = Field(ge=0, lt=1 << 53)


class KeepProgressRequest(RequestBody):
    """What a browser knows of its learner's progress."""

    lessons: list[LessonProgressRequest] = Field(max_length=500)


class PuzzleTryRequest(RequestBody):
    """The solver's ``actions`` after ``moves``, those of all players since the puzzle began. A try in a ``run`` changes
    no rating."""

    moves: Actions = Field(default_factory=list)
    actions: Actions = Field(min_length=1)
    run: bool = False


class PuzzleSolutionRequest(RequestBody):
    """In a ``run`` asking for the solution changes no rating."""

    run: bool = False
