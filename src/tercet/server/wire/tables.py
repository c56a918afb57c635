"""Requests at a table, checked, and what its addresses answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from tercet.answers.wire.client_messages import PingMessage
from tercet.answers.wire.table_messages import Badge, ErrorMessage, Pong, RatingView
from tercet.core.presentation import HintStrength
from tercet.core.texts import GameName, PersonName, Text
from tercet.server.wire.people import PersonResponse
from tercet.server.wire.requests import Actions, ClientSecret, Options, RequestBody


class OpenedSeat(TypedDict):
    """What opens a seat: a token for you, or a link for a friend. It appears only here."""

    seat: int
    token: str | None
    link: str | None


class OpenedTable(TypedDict):
    """A new table."""

    id: str
    seats: list[OpenedSeat]
    watch: str


class SatDown(TypedDict):
    """You sit there; ``token`` is null where you did already."""

    id: str
    seat: int
    token: str | None


class Stood(TypedDict):
    """You left the seat, as event ``number``."""

    id: str
    number: int


class LinkRequest(RequestBody):
    """The client's own id of the request: 22 or more random characters, which it tells no one else. If the answer is
    lost, the same request with the same id gets it again."""

    id: ClientSecret | None = None


class SitRequest(LinkRequest):
    """Taking a seat: the request's own id, and the name that the person wants at this table."""

    name: str | None = Field(default=None, max_length=40)


class SeatLink(TypedDict):
    """A new link to a seat."""

    id: str
    seat: int
    link: str


class HintRequest(RequestBody):
    """How much the hint tells: where to look (``place``), with which piece (``piece``), or the ``move``. ``moves`` are
    the actions of the turn that are chosen and not played."""

    strength: HintStrength
    moves: Actions = Field(default_factory=list)


class SeatRatingChange(BaseModel):
    """The rating of a seat's player, before the game and after it."""

    seat: int
    before: int
    after: int
    provisional: bool


class RatingChanges(BaseModel):
    """``counted``: whether the game has been counted; until then, and where it does not count, nothing has changed."""

    counted: bool
    seats: list[SeatRatingChange]


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


class LobbySeat(TypedDict):
    """A seat and who sits there."""

    player: Text
    kind: Literal["person", "engine", "open", "bot"]
    level: int | None
    name: PersonName | None
    handle: str | None
    badge: Badge
    rating: RatingView | None


class ListedGame(TypedDict):
    """A table in the list."""

    id: str
    game: GameName
    title: Text
    optionText: str
    speed: str
    rated: bool
    seats: list[LobbySeat]


class OpenGame(ListedGame):
    """A table that waits for players, opened ``at`` (milliseconds)."""

    clock: dict[str, Any] | None
    takebacks: Literal["off", "consent", "own"]
    chat: bool
    explore: bool
    fromPosition: bool
    at: int


class LiveGame(ListedGame):
    """A game that may be watched."""

    watchers: int
    ply: int


class SeekingPeople(TypedDict):
    """How many people wait to be paired for such a game."""

    game: str
    time: PairingTime
    rated: bool
    people: int


class LobbyData(TypedDict):
    """A ``page`` (from 0) of the ``total`` of tables that wait, what is being played, who waits to be paired, and how
    many people are ``online`` (rounded down to two digits)."""

    open: list[OpenGame]
    live: list[LiveGame]
    total: int
    page: int
    online: int
    seeking: list[SeekingPeople]


class LobbyMessage(LobbyData):
    """The lobby, as its socket sends it."""

    type: Literal["lobby"]


class LobbyChangesMessage(TypedDict):
    """The changes since the last message (``changes=true``): ``open`` and ``live`` are the listed ids, in their
    order; new and changed tables are in full."""

    type: Literal["lobby-changes"]
    total: int
    page: int
    online: int
    seeking: list[SeekingPeople]
    open: list[str]
    live: list[str]
    openChanged: list[OpenGame]
    liveChanged: list[LiveGame]


LobbyServerMessage = LobbyMessage | LobbyChangesMessage | Pong | ErrorMessage
LobbyClientMessage = PingMessage


class NewsMessage(TypedDict):
    """A challenge or a game of yours has come or gone, or may have: ask again."""

    type: Literal["news"]


NewsServerMessage = NewsMessage | Pong | ErrorMessage


class TournamentMessage(TournamentResponse):
    """A tournament as it is now."""

    type: Literal["tournament"]


TournamentServerMessage = TournamentMessage | ErrorMessage


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
