"""What clients may ask, checked: the bodies of requests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tercet.answers.dial import MAX_LEVEL, MAX_LOTS
from tercet.answers.wire.client_messages import MAX_ACTION, MAX_ANALYSED_LINES, MAX_NUMBER

OptionValue = bool | int | Annotated[str, Field(max_length=2000)]
Options = Annotated[dict[Annotated[str, Field(max_length=40)], OptionValue], Field(max_length=40)]
PositionText = Annotated[str, Field(max_length=20_000)]
RecordText = Annotated[str, Field(max_length=200_000)]
ClientSecret = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{22,64}$")]


class RequestBody(BaseModel):
    """A request's body; fields it does not know are refused."""

    model_config = ConfigDict(extra="forbid")


class PreviewRequest(RequestBody):
    """A board to look at before a table is opened; with a ``position`` of a game, that position; with ``moves``, what
    they lead to as well."""

    game: str = Field(max_length=40)
    options: Options = Field(default_factory=dict)
    seed: int | None = Field(default=None, ge=0, lt=1 << 53)
    position: PositionText | None = None
    moves: list[Annotated[str, Field(max_length=80)]] = Field(default_factory=list, max_length=40)


class SeatRequest(RequestBody):
    """The player of a seat: ``me``, another person ``here`` at my screen, a ``friend`` with a link, an ``engine``, a
    ``bot`` with a ``handle``, or the first to come (``open``)."""

    kind: Literal["me", "here", "friend", "engine", "open", "bot"]
    level: int | None = Field(default=None, ge=1, le=10)
    name: str | None = Field(default=None, max_length=40)
    handle: str | None = Field(default=None, max_length=24)


class AbsenceRequest(RequestBody):
    """What may be claimed against a player who has been away for ``after`` seconds: the ``win``, or an ``engine`` of
    a ``level`` in their seat."""

    after: int = Field(ge=30, le=60 * 86_400)
    then: list[Literal["win", "engine"]] = Field(min_length=1, max_length=2)
    level: int = Field(default=5, ge=1, le=10)


class StartRequest(RequestBody):
    """Where to begin: a position string, else a record, else the start of a game with options
    (``seed`` settles chance in it)."""

    game: str | None = Field(default=None, max_length=40)
    options: Options = Field(default_factory=dict)
    seed: int | None = Field(default=None, ge=0, lt=1 << 53)
    position: PositionText | None = None
    record: RecordText | None = None


class TableRequest(StartRequest):
    """A table to open; of a ``record``, or of the game at another ``table``, the first ``ply`` actions (all, where it
    is left out) are played already. ``takebacks`` true is ``consent``, false ``off``; left out, as the game has them.
    ``public`` is the same as ``watch`` ``public``; ``explore`` false closes all explorations to the players. ``id`` is
    that of a :class:`LinkRequest`."""

    id: ClientSecret | None = None
    seats: list[SeatRequest] = Field(min_length=1, max_length=8)
    ply: int | None = Field(default=None, ge=0, le=MAX_NUMBER)
    takebacks: bool | Literal["off", "consent", "own"] | None = None
    clock: Annotated[dict[Annotated[str, Field(max_length=20)], str | int | float], Field(max_length=8)] | None = None
    confirm: bool = False
    chat: bool = False
    explore: bool = True
    table: str | None = Field(default=None, max_length=32)
    public: bool = False
    watch: Literal["public", "link", "private"] | None = None
    rated: bool = False
    gone: AbsenceRequest | None = None


class AnalyseRequest(StartRequest):
    """Moves to play from there."""

    moves: list[Annotated[str, Field(max_length=MAX_ACTION)]] = Field(default_factory=list, max_length=5000)


class PositionRequest(RequestBody):
    """Moves to play from a position."""

    position: PositionText
    moves: list[Annotated[str, Field(max_length=MAX_ACTION)]] = Field(default_factory=list, max_length=5000)


Share = Annotated[float, Field(ge=0, le=1)]


class DecisionRequest(RequestBody):
    """A decision in a game of three: its ``mover``, what all three can expect after some actions, by notation, and
    which was ``played``."""

    mover: int = Field(ge=0, le=2)
    scores: dict[Annotated[str, Field(max_length=MAX_ACTION)], tuple[Share, Share, Share]] = Field(
        min_length=1, max_length=MAX_ANALYSED_LINES + 1
    )
    played: Annotated[str, Field(max_length=MAX_ACTION)]


class PoliticsRequest(RequestBody):
    """The decisions of a game whose politics are to be measured."""

    decisions: list[DecisionRequest] = Field(max_length=5000)


class DialRequest(RequestBody):
    """Lots of games of one set of options, from number ``first`` on; ``level`` 0 plays at random."""

    game: str = Field(max_length=40)
    options: Options = Field(default_factory=dict)
    level: int = Field(default=0, ge=0, le=MAX_LEVEL)
    seed: int = Field(default=1, ge=0, le=MAX_NUMBER)
    first: int = Field(default=0, ge=0, le=1_000_000)
    lots: int = Field(default=1, ge=1, le=MAX_LOTS)


Lot = Annotated[list[float], Field(min_length=3, max_length=12)]
Lots = Annotated[list[Lot], Field(max_length=4000)]


class CompareRequest(RequestBody):
    """Lots of games of two sets of options, each lot of so many ``games``, to be compared."""

    usual: Lots
    changed: Lots
    games: int = Field(ge=1, le=1000)
    margin: float = Field(default=0.02, gt=0, lt=1)


class RecordRequest(RequestBody):
    """A record to read."""

    text: RecordText


class TreeMove(RequestBody):
    """A move of a tree: the number (from 0) of the move ``after`` which it stands, -1 for a first move; its notation;
    a comment; signs of judgement such as ``! $10``. Of several after the same one, the first is the main line."""

    after: int = Field(ge=-1)
    text: Annotated[str, Field(max_length=MAX_ACTION)]
    comment: str = Field(default="", max_length=4000)
    signs: str = Field(default="", max_length=400, pattern=r"^[!?$0-9 ]*$")


class WriteRecordRequest(StartRequest):
    """A tree of moves from some start, each after the move that it follows, to be written as a record with these
    headers; ``comment`` stands before the first."""

    moves: list[TreeMove] = Field(default_factory=list, max_length=20_000)
    comment: str = Field(default="", max_length=4000)
    headers: dict[
        Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_]{0,63}$")], Annotated[str, Field(max_length=2000)]
    ] = Field(default_factory=dict, max_length=40)


class DrawRequest(RequestBody):
    """A position to draw."""

    position: PositionText
    size: int = Field(default=480, ge=40, le=4000)
    style: Literal["character", "letter", "symbol"] | None = None
    dark: bool = False
    coordinates: bool = True
    marks: bool = True


class ExploreRequest(RequestBody):
    """Something to find out about a position; ``cell`` where the exploration needs one."""

    position: PositionText
    id: str = Field(max_length=40)
    cell: str | None = Field(default=None, max_length=10)


class WhyRequest(RequestBody):
    """An action to ask about: whether it is legal, and if not, why. Instead of its notation the steps that would enter
    it may be given: cells, and picks as ``#id``."""

    position: PositionText
    action: str | None = Field(default=None, min_length=1, max_length=MAX_ACTION)
    steps: list[Annotated[str, Field(max_length=20)]] | None = Field(default=None, min_length=1, max_length=8)


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
