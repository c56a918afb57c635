"""Requests of the lobby, checked, and what its addresses answer."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from tercet.core.texts import GameName, PersonName, Text
from tercet.server.wire.requests import RequestBody

PairingTime = Literal["5+3", "15+10"]


class Challenger(TypedDict):
    """Who challenges, or is challenged."""

    handle: str
    name: PersonName
    kind: Literal["account", "bot", "staff"]


class Challenge(TypedDict):
    """An offered ``table``: you would have ``seat``, as ``player``; ``at`` is when (milliseconds)."""

    table: str
    seat: int
    by: Challenger
    game: GameName
    title: Text
    optionText: str
    clock: dict[str, Any] | None
    rated: bool
    player: Text
    at: int


class SentChallenge(TypedDict):
    """A ``table`` that you have offered to a player."""

    table: str
    to: Challenger


class ChallengesResponse(TypedDict):
    """The challenges that wait for your answer, and those of yours that wait for an answer."""

    challenges: list[Challenge]
    sent: list[SentChallenge]


class ChallengeRequest(RequestBody):
    """Whom one challenges, and the table that one has opened for it."""

    handle: str = Field(max_length=60)
    table: str = Field(max_length=32, pattern="^[A-Za-z0-9]+$")


class PairingRequest(RequestBody):
    """A quick game that one wants to be paired for: its ``time`` is in minutes and seconds for each turn."""

    game: str = Field(max_length=40)
    time: PairingTime
    rated: bool = False
