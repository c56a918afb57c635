"""What a server says on a table's socket (``/api/tables/{id}/live``)."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from tercet.answers.wire import TypedDict
from tercet.answers.wire.game_data import ErrorData, Move, PositionView, TableView
from tercet.core.game import Event
from tercet.core.texts import PersonName, Text
from tercet.core.view import Mark
from tercet.engines import Info

OfferKind = Literal["takeback", "draw", "adjourn", "continue", "rematch"]
ChatRoom = Literal["players", "watchers"]


class RatingView(TypedDict):
    """A rating with its interval of 95 %."""

    rating: int
    low: int
    high: int
    provisional: bool


Badge = Literal["guest", "engine", "bot", "moderator"] | None
SeatKind = Literal["person", "engine", "open", "bot"]
ClaimKind = Literal["win", "engine"]
TakebackRule = Literal["off", "consent", "own"]
Watch = Literal["public", "link", "private"]


class MySeat(TypedDict):
    """Who sits there. ``badge``: the mark to show beside the name, null for an account."""

    kind: SeatKind
    level: int | None
    name: PersonName | None
    handle: str | None
    badge: Badge


class SeatView(MySeat):
    """Who sits there; ``here``: the seat is yours."""

    rating: RatingView | None
    here: bool


class OfferView(TypedDict):
    """What ``seat`` proposes, and the seats whose answer is awaited; ``ply``: of a takeback, what it goes back to."""

    seat: int
    what: OfferKind
    ply: int | None
    awaited: list[int]


class ClockView(TypedDict):
    """Clocks as they were at ``at``, the server's milliseconds. ``left`` in milliseconds; ``periods`` of byo-yomi.
    ``away`` says of each seat until when its clock stands still for a vacation; empty: for none."""

    kind: str
    control: dict[str, Any]
    running: int | None
    left: list[int]
    periods: list[int] | None
    at: int
    lag: list[int]
    away: list[int]


class AbsenceRule(TypedDict):
    """What may be claimed against a player who has been away for ``after`` seconds."""

    after: int
    then: list[ClaimKind]
    level: NotRequired[int]


class AwayView(TypedDict):
    """A seat whose player left at ``since`` (the server's milliseconds), or who never ``came``."""

    seat: int
    since: int
    came: bool


class Links(TypedDict):
    """Addresses to give to others."""

    watch: str


class TableStateData(TypedDict):
    """The state of a table, as its client may know it. ``takebacks`` says whether there are any, ``takebackRule``
    how; ``out`` are the seats that play no more while the game goes on, ``claims`` by seat what may be claimed
    against a player who has been away long enough."""

    number: int
    ply: int
    view: PositionView
    mover: int | None
    yourSeats: list[int]
    over: bool
    result: Text
    aborted: bool
    abortable: bool
    begun: bool
    waiting: list[int]
    adjourned: bool
    rematch: str | None
    after: str | None
    tournament: str | None
    offers: list[OfferView]
    playsOn: bool
    resigned: list[int]
    out: list[int]
    seats: list[SeatView]
    replaced: list[int]
    left: list[int]
    flagged: list[int]
    takebacks: bool
    takebackRule: TakebackRule
    retractions: list[int] | None
    confirm: bool
    chat: bool
    explore: bool
    clock: ClockView | None
    gone: AbsenceRule | None
    public: bool
    watch: Watch
    rated: bool
    short: bool
    speed: str
    creator: bool
    away: list[AwayView]
    claims: list[list[ClaimKind]]
    links: Links


class SnapshotState(TableStateData):
    """The state, and every move of the game."""

    moves: list[Move]


class ActionState(TableStateData):
    """The state that an action led to, and that action."""

    move: Move


class PastPosition(TypedDict):
    """The game as it stood after ``ply`` actions: the position without ways to go on, and the action that led there."""

    id: str
    ply: int
    view: PositionView
    move: Move | None


class HintStep(TypedDict):
    """A hint at one action in ``position``: a sentence, and marks for the board."""

    position: str
    says: Text
    marks: list[Mark]


class HintData(HintStep):
    """A hint at a move of the position after ``ply`` actions, and ``why`` it is good, as a sentence. With the
    strongest, the ``action`` (else null), and what ``then`` follows in the turn."""

    ply: int
    why: Text
    action: str | None
    then: list[HintStep]


class TableGame(TypedDict):
    """What a snapshot tells of the game to everybody alike: for a while it stays the same."""

    moves: list[Move]
    table: TableView
    start: str
    tallies: list[list[float]] | None


class Snapshot(TypedDict):
    """Everything that is needed to show the table. ``start`` is the position before the first move; ``tallies`` are the
    numbers of ``view.standing`` before the first move and after each, null where the game has none."""

    type: Literal["snapshot"]
    id: str
    table: TableView
    start: str
    tallies: list[list[float]] | None
    state: SnapshotState


class EventBase(TypedDict):
    """Something happened, the ``number``-th thing at this table. ``at``: when, at a table with a clock."""

    type: Literal["event"]
    number: int
    at: NotRequired[int]


class _OtherEvent(EventBase):
    """An event that is no action, and the state after it."""

    state: TableStateData


class ActionEvent(EventBase):
    """An action was played. ``events`` are what it caused, in order; ``lag``: milliseconds given back for the line."""

    kind: Literal["action"]
    ply: int
    seat: int
    action: str
    lag: NotRequired[int]
    events: list[Event]
    says: list[Text]
    state: ActionState


class TakebackEvent(_OtherEvent):
    """The game went back to ``ply`` actions. ``own``: a retraction without consent."""

    kind: Literal["takeback"]
    ply: int
    seat: int
    own: NotRequired[bool]
    spent: NotRequired[bool]


class SeatEvent(_OtherEvent):
    """A player took the seat or left it, resigned, ran out of time, or the seat's link was replaced."""

    kind: Literal["sit", "stand", "resign", "flag", "link"]
    seat: int
    name: NotRequired[PersonName]


class LotsEvent(_OtherEvent):
    """The seats of a rated game were drawn: for each seat, the one to which its player moved."""

    kind: Literal["lots"]
    seats: list[int]


class OfferEvent(_OtherEvent):
    """Something was proposed, or refused (``seat`` is whose answer it was, or who withdrew it)."""

    kind: Literal["offer", "declined"]
    seat: int
    what: OfferKind
    ply: NotRequired[int]


class AgreedEvent(_OtherEvent):
    """Some of those who were asked said yes."""

    kind: Literal["agreed"]
    seats: list[int]
    what: OfferKind


class ClaimEvent(_OtherEvent):
    """The player of ``seat`` was found absent; ``by`` is null where a tournament ruled so."""

    kind: Literal["claim"]
    seat: int
    by: int | None
    what: Literal["win", "engine"]
    level: NotRequired[int]


class EndEvent(_OtherEvent):
    """The game was ended by agreement (``over``), or aborted (``abort``: by a seat, or for a reason)."""

    kind: Literal["over", "abort"]
    seat: NotRequired[int]
    reason: NotRequired[str]


class BreakEvent(_OtherEvent):
    """A break began or ended."""

    kind: Literal["adjourn", "continue"]


class RematchEvent(_OtherEvent):
    """The rematch is played at table ``id``."""

    kind: Literal["rematch"]
    id: str


class ResumedEvent(_OtherEvent):
    """The clocks had stood still for ``lost`` milliseconds."""

    kind: Literal["resumed"]
    lost: int


class VacationEvent(_OtherEvent):
    """The clock of ``seat`` stands still ``until`` then: its player is on vacation."""

    kind: Literal["vacation"]
    seat: int
    until: int


class Ack(TypedDict):
    """Your message ``id`` was done and is on disk, as event ``number``; ``talk``: the number of what was said."""

    type: Literal["ack"]
    id: str
    number: int
    talk: NotRequired[int]


class ErrorMessage(ErrorData):
    """A message was refused, or something went wrong; ``id`` of the message where it had one."""

    type: Literal["error"]
    id: NotRequired[str]


class Preparing(TypedDict):
    """How many kernels of an engine are ready, ``of`` how many that it needs (0: unknown)."""

    done: int
    of: int


class Thinking(TypedDict):
    """How far the engine in ``seat`` has come. ``preparing``: it does not think yet, its kernels are being compiled,
    which happens once on a machine; null once it thinks."""

    type: Literal["thinking"]
    seat: int
    info: Info
    preparing: Preparing | None


class ThinkQuestion(TypedDict):
    """Think for the engine in ``seat``, since you have said that your device can: answer ``thought`` with the same
    ``n``. A fresh engine of ``level`` with that ``seed`` chooses an action in ``position`` (a position string). The
    server thinks itself if the answer is late or illegal."""

    type: Literal["think"]
    n: int
    seat: int
    position: str
    level: int
    seed: int


class Pong(TypedDict):
    """An answer to ``ping``."""

    type: Literal["pong"]
    id: NotRequired[str]


class LagQuestion(TypedDict):
    """To be answered at once by ``pong`` with the same ``n``: so the time on the line is measured."""

    type: Literal["ping?"]
    n: int


class SeatPresence(TypedDict):
    """When the player of ``seat`` left (the server's milliseconds); null: they are here. ``came``: false if they
    were invited and are still to come."""

    seat: int
    since: int | None
    came: bool


class PresenceMessage(TypedDict):
    """Who is here."""

    type: Literal["here"]
    seats: list[SeatPresence]
    watchers: int


class ChatLine(TypedDict):
    """Something said, ``at`` milliseconds."""

    number: int
    room: ChatRoom
    seat: int | None
    name: PersonName
    handle: str | None
    badge: Badge
    text: str
    at: int


class ChatMessage(ChatLine):
    """Something is said now."""

    type: Literal["talk"]


class ChatHistory(TypedDict):
    """The last lines of what you may read; they take the place of what is known."""

    type: Literal["talked"]
    lines: list[ChatLine]


PlayersEvent = ActionEvent | TakebackEvent | SeatEvent | LotsEvent | OfferEvent | AgreedEvent | ClaimEvent
TableEvent = PlayersEvent | EndEvent | BreakEvent | RematchEvent | ResumedEvent | VacationEvent
GameMessage = Snapshot | TableEvent | Ack | ErrorMessage | Thinking | ThinkQuestion
ServerMessage = GameMessage | Pong | LagQuestion | PresenceMessage | ChatMessage | ChatHistory
