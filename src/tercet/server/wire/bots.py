"""What bots may ask: the bodies of their requests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tercet.server.wire.requests import RequestBody

Action = Annotated[str, Field(min_length=1, max_length=400)]
ClientId = Annotated[str, Field(pattern="^[A-Za-z0-9_.:-]{1,64}$")]


class ActRequest(RequestBody):
    """An ``action``, or several ``actions`` of one's own, after ``ply`` actions."""

    ply: int = Field(ge=0, le=1_000_000)
    action: Action | None = None
    actions: list[Action] | None = Field(default=None, min_length=1, max_length=1600)
    id: ClientId | None = None


class SeatChoice(RequestBody):
    """Which of one's seats, where there are several."""

    seat: int | None = Field(default=None, ge=0, le=8)


class AnswerRequest(RequestBody):
    """Yes or no to an offer."""

    what: Literal["takeback", "draw", "adjourn", "continue", "rematch"]
    yes: bool


class ClaimRequest(RequestBody):
    """What is claimed against ``seat``, whose player has gone."""

    seat: int = Field(ge=0, le=8)
    what: Literal["win", "engine"]


class ChatRequest(RequestBody):
    """Something to say."""

    text: str = Field(min_length=1, max_length=500)
    room: Literal["players", "watchers"] = "players"
