"""What the server alone says, as types: people, lobby, tournaments, and the messages on the other sockets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from tercet.answers.records import TreeMove
from tercet.answers.wire import TypedDict
from tercet.answers.wire.client_messages import PingMessage
from tercet.answers.wire.game_data import Titled, TitledGame
from tercet.answers.wire.my_games import PersonResponse
from tercet.answers.wire.table_messages import ErrorMessage, MySeat, Pong, RatingView
from tercet.core.texts import GameName, PersonName, Text


class AccountResponse(TypedDict):
    """The public data of an account or a bot."""

    handle: str
    name: PersonName
    kind: Literal["account", "bot", "staff"]


class SessionResponse(TypedDict):
    """A browser that is signed in, or a program's token (kind ``bot``); times in milliseconds."""

    id: str
    kind: Literal["browser", "bot"]
    name: str
    created: int
    seen: int
    current: bool


class SessionsResponse(TypedDict):
    """Everything by which one is signed in."""

    sessions: list[SessionResponse]


class TokenResponse(TypedDict):
    """A token; it appears only here."""

    id: str
    name: str
    token: str


class BlocksResponse(TypedDict):
    """Whom one has blocked."""

    blocks: list[PersonResponse]


class NotedResponse(TypedDict):
    """That it has been noted, and no more."""

    noted: Literal[True]


class TallyResponse(TypedDict):
    """How games ended; a shared point is drawn."""

    played: int
    won: int
    drawn: int
    lost: int


class StrengthResponse(RatingView):
    """A rating with its interval of 95 %, after so many ``games``."""

    games: int


class GamesOfKind(TypedDict):
    """A kind of games that are rated together."""

    game: GameName
    players: int
    speed: str


class RatingResponse(StrengthResponse, GamesOfKind):
    """A rating in games of one kind."""


class ResultsResponse(TallyResponse, GamesOfKind):
    """Results in games of one kind from one seat."""

    seat: int


class OpponentResponse(TallyResponse, AccountResponse):
    """A player's results against another, or in games with them."""


class ProfileResponse(AccountResponse):
    """A person and their results. ``following``: you follow them; ``friend``: you follow each other."""

    following: bool
    friend: bool
    since: int
    ratings: list[RatingResponse]
    games: list[ResultsResponse]
    opponents: list[OpponentResponse]


class LeaderResponse(AccountResponse, StrengthResponse):
    """A line of a leaderboard; ``rank`` is null while a rating is provisional."""

    rank: int | None


class SeatResponse(TypedDict):
    """What a seat is worth against the others, in points of rating, with its interval of 95 %."""

    player: Text
    worth: int
    low: int
    high: int


class LeadersResponse(GamesOfKind):
    """A leaderboard; ``seats`` where three play, with the number of games that they were learnt from."""

    leaders: list[LeaderResponse]
    seats: list[SeatResponse] | None
    counted: int


class LevelResponse(TypedDict):
    """What a level of the engines is worth, as a person's rating, from how many games (null: from none yet)."""

    level: int
    rating: RatingView | None
    games: int


class OEmbed(TypedDict):
    """How another site shows an address of this one, as https://oembed.com says."""

    version: str
    type: str
    title: Text
    provider_name: str
    provider_url: str
    html: str
    width: int
    height: int
    thumbnail_url: str
    thumbnail_width: int
    thumbnail_height: int


class PeopleResponse(TypedDict):
    """People that were found, those whose handle begins so first."""

    people: list[PersonResponse]


class BoardResponse(GamesOfKind):
    """How many people have ratings in games of one kind."""

    people: int


class BoardsResponse(TypedDict):
    """Return the leaderboards that have players, the fullest first."""

    boards: list[BoardResponse]


class FollowedResponse(PersonResponse):
    """A player whom you follow; ``friend``: they follow you too. ``unread`` counts their new messages."""

    friend: bool
    unread: int


class FollowsResponse(TypedDict):
    """Whom one follows."""

    follows: list[FollowedResponse]


class MessageResponse(TypedDict):
    """Something written at a time (milliseconds); ``mine``: by oneself."""

    id: int
    mine: bool
    text: str
    at: int


class MessagesResponse(TypedDict):
    """What two have written each other, the latest first; ``more``: what ``before`` is to be for what came earlier."""

    messages: list[MessageResponse]
    more: int | None
    friend: bool


class RecoveryResponse(TypedDict):
    """How one's account can be recovered: whether there is a ``code``; the confirmed ``email``; whether letters can be
    sent here (``mail``)."""

    code: bool
    email: str | None
    mail: bool


class CodeResponse(TypedDict):
    """A recovery code; it appears only here."""

    code: str


class SatDown(TypedDict):
    """You sit there; ``token`` is null where you did already."""

    id: str
    seat: int
    token: str | None


class Stood(TypedDict):
    """You left the seat, as event ``number``."""

    id: str
    number: int


class SeatLink(TypedDict):
    """A new link to a seat."""

    id: str
    seat: int
    link: str


class PlannedMoves(TypedDict):
    """The moves that a seat has planned: ``branches``, lines of actions from ``ply`` on, which is the present one."""

    ply: int
    branches: Sequence[Sequence[str]]


class SeatRatingChange(TypedDict):
    """The rating of a seat's player, before the game and after it."""

    seat: int
    before: int
    after: int
    provisional: bool


class RatingChanges(TypedDict):
    """``counted``: whether the game has been counted; until then, and where it does not count, nothing has changed."""

    counted: bool
    seats: list[SeatRatingChange]


PairingTime = Literal["5+3", "15+10"]


class Challenge(TitledGame):
    """An offered ``table``: you would have ``seat``, as ``player``; ``at`` is when (milliseconds)."""

    table: str
    seat: int
    by: AccountResponse
    optionText: str
    clock: dict[str, Any] | None
    rated: bool
    player: Text
    at: int


class SentChallenge(TypedDict):
    """A ``table`` that you have offered to a player."""

    table: str
    to: AccountResponse


class ChallengesResponse(TypedDict):
    """The challenges that wait for your answer, and those of yours that wait for an answer."""

    challenges: list[Challenge]
    sent: list[SentChallenge]


FormName = Literal["round-robin", "swiss", "arena", "best-margin"]


class HeadResponse(TitledGame):
    """A line of the list. Times are in milliseconds; ``most`` may take part. If its organiser does not let it begin, it
    is called off when it ``expires``; ``calledOff`` says who did it, or why."""

    id: str
    name: str
    form: FormName
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


class TournamentsResponse(TypedDict):
    """Those that run, then those that wait, then those that are over and had begun, the newest first."""

    tournaments: list[HeadResponse]


class TiebreakResponse(Titled):
    """What a column of the standings is."""

    words: Text


class StandingResponse(PersonResponse):
    """A line of the standings; ``playing`` is the player's current table."""

    rank: int
    points: float
    tiebreaks: list[float]
    games: int
    active: bool
    playing: str | None


class ResultResponse(TypedDict):
    """How a game ended; ``forfeits`` are the seats that lost without playing."""

    scores: list[float]
    margins: list[float] | None
    forfeits: list[int]


class PairingResponse(TypedDict):
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


class LobbySeat(MySeat):
    """A seat and who sits there."""

    player: Text
    rating: RatingView | None


class ListedGame(TitledGame):
    """A table in the list."""

    id: str
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


class LobbyCounts(TypedDict):
    """The number of the ``page`` (from 0), the ``total`` of tables that wait, who waits to be paired, and how many
    people are ``online`` (rounded down to two digits)."""

    total: int
    page: int
    online: int
    seeking: list[SeekingPeople]


class LobbyData(LobbyCounts):
    """A page of the tables that wait, and what is being played."""

    open: list[OpenGame]
    live: list[LiveGame]


class LobbyMessage(LobbyData):
    """The lobby, as its socket sends it."""

    type: Literal["lobby"]


class LobbyChangesMessage(LobbyCounts):
    """The changes since the last message (``changes=true``): ``open`` and ``live`` are the listed ids, in their
    order; new and changed tables are in full."""

    type: Literal["lobby-changes"]
    open: list[str]
    live: list[str]
    openChanged: list[OpenGame]
    liveChanged: list[LiveGame]


LobbyServerMessage = LobbyMessage | LobbyChangesMessage | Pong | ErrorMessage
LobbyClientMessage = PingMessage


class NoticeOccasion(Titled):
    """An occasion on which you may get a notice while the page is closed."""

    on: bool


class NoticesResponse(TypedDict):
    """Your notices while the page is closed. ``key`` is this server's, for push subscriptions (null: it cannot send to
    devices), ``device`` says whether this browser shows notices. ``mail``: this server sends e-mails; ``byMail``: you
    get notices so, at ``email``, your confirmed address."""

    key: str | None
    device: bool
    occasions: list[NoticeOccasion]
    mail: bool
    email: str | None
    byMail: bool


class VacationResponse(TypedDict):
    """Until when you are on vacation (the server's milliseconds; null: you are not), and how many of the year's
    ``allowance`` of days you have left."""

    until: int | None
    left: int
    allowance: int


AnalysisAccess = Literal["private", "link", "public"]


class AnalysisHead(TypedDict):
    """What a saved analysis is called, and who may see it."""

    id: str
    name: str
    game: str
    access: AnalysisAccess
    owner: AccountResponse


class AnalysisListed(AnalysisHead):
    """A saved analysis in a list, with how many ``chapters`` it has, changed ``at`` (milliseconds)."""

    chapters: int
    at: int


class AnalysesResponse(TypedDict):
    """Saved analyses."""

    analyses: list[AnalysisListed]


class ListedChapter(TypedDict):
    """A chapter of an analysis; its ``version`` counts its changes."""

    number: int
    name: str
    game: str
    version: int


class AnalysisResponse(AnalysisHead):
    """A saved analysis: its chapters, and who may see and edit it."""

    isOwner: bool
    mayEdit: bool
    editors: list[AccountResponse]
    chapters: list[ListedChapter]


class ChapterMade(TypedDict):
    """The number of a chapter, and its version with what was asked."""

    number: int
    version: int


class ChapterResponse(ChapterMade):
    """A chapter of an analysis: where it starts, the comment there, the headers of its record, and its moves."""

    name: str
    start: str
    comment: str
    headers: dict[str, str]
    moves: list[TreeMove]


class NewsMessage(TypedDict):
    """Something that you follow has changed, or may have: ask again."""

    type: Literal["news"]


NewsServerMessage = NewsMessage | Pong | ErrorMessage


class TournamentMessage(TournamentResponse):
    """A tournament as it is now."""

    type: Literal["tournament"]


TournamentServerMessage = TournamentMessage | ErrorMessage
