"""Requests about tournaments, checked, and the answers to them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from tercet.core.texts import GameName, PersonName, Text
from tercet.server.wire.people import PersonResponse
from tercet.server.wire.requests import Options, RequestBody

FormName = Literal["round-robin", "swiss", "arena", "best-margin"]
Clock = Annotated[dict[Annotated[str, Field(max_length=20)], str | int | float], Field(max_length=8)]


class TournamentRequest(RequestBody):
    """A tournament to create. ``rounds`` are those of a Swiss (or of the form by margins before the play-off, which
    is a round robin without them); ``cycles`` of a round robin; ``minutes`` of an arena; for ``days`` the form by
    margins pairs free players, then the best play off. ``prize`` is public. ``begins`` is a time in milliseconds;
    without it the creator starts it. A round waits for its games, or begins ``hours`` after the one before. A player
    without a first turn after ``wait`` seconds is absent."""

    name: str = Field(min_length=1, max_length=80)
    form: FormName
    game: str = Field(max_length=40)
    options: Options = Field(default_factory=dict)
    clock: Clock
    rounds: int | None = Field(default=None, ge=1, le=40)
    cycles: int = Field(default=1, ge=1, le=4)
    minutes: float | None = Field(default=None, ge=0.2, le=1440)
    days: int | None = Field(default=None, ge=1, le=60)
    prize: str = Field(default="", max_length=200)
    hours: int | None = Field(default=None, ge=1, le=2400)
    begins: int | None = Field(default=None, ge=0, lt=1 << 53)
    wait: int | None = Field(default=None, ge=5, le=60 * 86_400)
    rated: bool = False


class HeadResponse(BaseModel):
    """A line of the list. Times are in milliseconds; ``most`` may take part. If its organiser does not let it begin, it
    is called off when it ``expires``; ``calledOff`` says who did it, or why."""

    id: str
    name: str
    form: FormName
    game: GameName
    title: Text
    options: dict[str, Any]
    formTitle: Text
    optionText: str
    clock: dict[str, Any]
    rated: bool
    prize: str
    state: Literal["waiting", "running", "over"]
    round: int
    rounds: int | None
    minutes: float | None
    entrants: int
    most: int
    creator: PersonName | None
    created: int
    begins: int | None
    expires: int | None
    ends: int | None
    calledOff: Literal["organiser", "moderator", "expired", "too-few"] | None


class TournamentsResponse(BaseModel):
    """Those that run, then those that wait, then those that are over and had begun, the newest first."""

    tournaments: list[HeadResponse]


class TiebreakResponse(BaseModel):
    """What a column of the standings is."""

    id: str
    title: Text
    words: Text


class StandingResponse(PersonResponse):
    """A line of the standings; ``playing`` is the player's current table."""

    rank: int
    points: float
    tiebreaks: list[float]
    games: int
    active: bool
    playing: str | None


class ResultResponse(BaseModel):
    """How a game ended; ``forfeits`` are the seats that lost without playing."""

    scores: list[float]
    margins: list[float] | None
    forfeits: list[int]


class PairingResponse(BaseModel):
    """Who plays whom, in the order of their seats; alone: who sits out."""

    number: int
    round: int
    playOff: bool
    bye: bool
    table: str | None
    people: list[PersonResponse]
    result: ResultResponse | None


class EntrantResponse(PersonResponse):
    """The asking person's own data, if they take part."""

    active: bool


class TournamentResponse(HeadResponse):
    """A tournament; ``yours``: you organise it; ``may``: what you may do about it now; ``yourTable``: where you play
    now."""

    about: Text
    players: list[Text]
    cycles: int
    hours: int | None
    wait: int
    since: int | None
    tiebreaks: list[TiebreakResponse]
    standings: list[StandingResponse]
    pairings: list[PairingResponse]
    you: EntrantResponse | None
    yours: bool
    may: list[Literal["begin", "call-off", "take-over"]]
    yourTable: str | None
    yourTables: list[str]
