"""What a client says on the socket of a table (``/api/tables/{id}/live``) and on that of analyses. Each message is
declared once: its decoder checks it by the rules of its type, and the page's types are generated from it."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Generic, Literal, NotRequired, TypeVar

from tercet.answers.errors import AnswerError
from tercet.answers.wire import TypedDict
from tercet.answers.wire.table_messages import ChatRoom, ClaimKind, ErrorMessage, OfferKind, Pong, Preparing
from tercet.core.texts import Text


class AnalysedLine(TypedDict):
    """A line of play: each player's expected share of the point, its actions in notation and, as lists of moves have
    them, short, whose they are, and a note on what is certain. ``proved``: the scores are no estimate."""

    scores: list[float]
    pv: list[str]
    short: list[str]
    seats: list[int]
    note: Text
    proved: bool


class AnalysisInfo(TypedDict):
    """How far the analysis ``id`` has come. ``preparing``: its kernels are being compiled; else null."""

    type: Literal["info"]
    id: str
    depth: int
    nodes: int
    nps: int
    seconds: float
    lines: list[AnalysedLine]
    preparing: Preparing | None


class AnalysisDone(TypedDict):
    """The analysis is over; ``best`` is null where the game is over or it was stopped before it began."""

    type: Literal["done"]
    id: str
    best: str | None


AnalysisServerMessage = AnalysisInfo | AnalysisDone | Pong | ErrorMessage


CLIENT_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
MAX_ID = 64  # characters of an id that is sent back
MAX_NUMBER = 1_000_000
MAX_ACTION = 400  # characters
MAX_BATCH = 1600  # actions of one message: a whole turn on the largest board
MAX_LINE = 500  # characters of something said
MAX_SEAT = 8
MAX_POSITION = 20_000  # characters
MAX_ANALYSED_LINES = 8
MAX_MOVE_MS = 86_400_000


@dataclass(frozen=True)
class Rule:
    """What must hold of the field ``name``, and the sentence to say where it does not."""

    holds: Callable[[Any], bool]
    why: str


def _whole(most: int) -> Rule:
    why = f"The field {{name}} must be a whole number from 0 to {most}."
    return Rule(lambda value: type(value) is int and 0 <= value <= most, why)


def _text(most: int, why: str) -> Rule:
    return Rule(lambda value: isinstance(value, str) and 0 < len(value) <= most, why)


ClientId = Annotated[
    str,
    Rule(
        lambda value: isinstance(value, str) and CLIENT_ID.fullmatch(value) is not None,
        "The field id must have 1 to 64 characters: letters, digits, and _ . : or -.",
    ),
]
Number = Annotated[int, _whole(MAX_NUMBER)]
SeatNumber = Annotated[int, _whole(MAX_SEAT)]
ActionText = Annotated[str, _text(MAX_ACTION, "An action must be text in the game's notation.")]
ActionTexts = Annotated[
    list[ActionText],
    Rule(
        lambda value: isinstance(value, list) and 0 < len(value) <= MAX_BATCH,
        f"The field actions must be a list of 1 to {MAX_BATCH} actions.",
    ),
]


class _Command(TypedDict):
    """A command. It is refused as stale if the game has gone on since ``number``, the last event you know of."""

    id: ClientId
    number: NotRequired[Number | None]


class PlayMessage(_Command):
    """Play ``action``, or several ``actions`` of yours, after ``ply`` actions."""

    type: Literal["act"]
    ply: Number
    action: NotRequired[ActionText]
    actions: NotRequired[ActionTexts]


class TakebackMessage(_Command):
    """Go back to ``ply`` actions, or to before your own last turn; ``at``: how many actions you know of."""

    type: Literal["takeback"]
    ply: NotRequired[Number | None]
    at: NotRequired[Number | None]


class AnswerMessage(_Command):
    """Yes or no to an offer; the proposer's no withdraws it. Stale is what came before the offer was made."""

    type: Literal["answer"]
    what: OfferKind
    yes: bool


class SeatMessage(_Command):
    """Resign, or propose something, in ``seat`` (the first of yours, if left out)."""

    type: Literal["resign", "draw", "adjourn", "continue", "rematch"]
    seat: NotRequired[SeatNumber | None]


class AbortMessage(_Command):
    """Call the game off before its second turn."""

    type: Literal["abort"]


class ClaimMessage(_Command):
    """Claim against the player of ``seat``, who has gone."""

    type: Literal["claim"]
    seat: SeatNumber
    what: ClaimKind


class SayMessage(TypedDict):
    """Say something."""

    type: Literal["say"]
    id: ClientId
    room: ChatRoom
    text: Annotated[str, _text(MAX_LINE, f"A chat message must have 1 to {MAX_LINE} characters.")]
    seat: NotRequired[SeatNumber | None]


class SnapshotMessage(TypedDict):
    """Ask for a snapshot."""

    type: Literal["snapshot"]


class PingMessage(TypedDict):
    """Ask for a sign of life."""

    type: Literal["ping"]
    id: NotRequired[Annotated[str, _text(MAX_ID, f"The field id must have 1 to {MAX_ID} characters.")]]


class PongMessage(TypedDict):
    """The answer to ``ping?``."""

    type: Literal["pong"]
    n: int


class ThinkerMessage(TypedDict):
    """Say whether your device can think for the engines of your table, as ``think`` asks."""

    type: Literal["thinker"]
    can: bool


class ThoughtMessage(TypedDict):
    """The answer to ``think`` with the same ``n``: the engine's ``action``, or null if the device found none."""

    type: Literal["thought"]
    n: Number
    action: NotRequired[ActionText | None]


class GoMessage(TypedDict):
    """Analyse ``position`` for at most ``movetime`` milliseconds, telling of the best ``multipv`` lines."""

    type: Literal["go"]
    id: ClientId
    position: Annotated[str, _text(MAX_POSITION, "The field position must be a position string.")]
    multipv: NotRequired[Annotated[int, _whole(MAX_ANALYSED_LINES)] | None]
    movetime: NotRequired[Annotated[int, _whole(MAX_MOVE_MS)] | None]


class StopMessage(TypedDict):
    """Stop."""

    type: Literal["stop"]


CommandMessage = PlayMessage | TakebackMessage | AnswerMessage | SeatMessage | AbortMessage | ClaimMessage
DeviceMessage = ThinkerMessage | ThoughtMessage
ClientMessage = CommandMessage | SayMessage | SnapshotMessage | PingMessage | PongMessage | DeviceMessage
AnalysisClientMessage = GoMessage | StopMessage | PingMessage
Message = TypeVar("Message")


class _Decoder(Generic[Message]):
    """Decodes the messages of a union of types that differ by their ``type``."""

    def __init__(self, union: Any) -> None:
        self._checks: dict[str, list[tuple[str, bool, Rule]]] = {}
        for kind in typing.get_args(union):
            fields = typing.get_type_hints(kind, include_extras=True)
            tags = typing.get_args(fields.pop("type"))
            checks = [check for name, annotation in fields.items() for check in _checks(name, annotation)]
            self._checks |= dict.fromkeys(tags, checks)

    def __call__(self, text: str) -> Message:
        """Return the message that ``text`` is, with unknown fields in it. An optional field may be null. Raise
        AnswerError if it is no message."""
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            raise AnswerError("bad-message", "message", "A message must be JSON.") from None
        if not isinstance(message, dict) or not isinstance(kind := message.get("type"), str):
            raise AnswerError("bad-message", "message", "A message must be an object with a type.")
        if kind not in self._checks:
            known = ", ".join(self._checks)
            raise AnswerError("bad-message", "type", f"There is no message of type {kind[:20]!r}. Choose from {known}.")
        for name, optional, rule in self._checks[kind]:
            value = message.get(name)
            if not ((value is None and optional) or rule.holds(value)):
                raise AnswerError("bad-message", name, rule.why.format(name=name))
        return typing.cast("Message", message)


def _checks(name: str, annotation: Any) -> Iterator[tuple[str, bool, Rule]]:
    """Yield the rules of a field, with its name and whether it may be left out."""
    optional = typing.get_origin(annotation) is NotRequired
    if optional:
        (annotation,) = typing.get_args(annotation)
    kinds = [one for one in typing.get_args(annotation) if one is not type(None)]
    kind = kinds[0] if type(None) in typing.get_args(annotation) else annotation
    yield from ((name, optional, rule) for rule in _rules(kind))


def _rules(kind: Any) -> Iterator[Rule]:
    if typing.get_origin(kind) is Annotated:
        inner, *rules = typing.get_args(kind)
        yield from rules
        for item in typing.get_args(inner):  # of a list
            for rule in _rules(item):
                yield Rule(partial(_all_hold, rule.holds), rule.why)
    elif typing.get_origin(kind) is Literal:
        names = typing.get_args(kind)
        said = " or ".join(names) if len(names) == 2 else f"one of {', '.join(names)}"
        yield Rule(lambda value: value in names, f"The field {{name}} must be {said}.")
    elif kind is bool:
        yield Rule(lambda value: isinstance(value, bool), "The field {name} must be true or false.")
    else:
        assert kind is int, kind
        yield Rule(lambda value: type(value) is int, "The field {name} must be a whole number.")


def _all_hold(holds: Callable[[Any], bool], values: list[Any]) -> bool:
    return all(map(holds, values))


decode_table_message: _Decoder[ClientMessage] = _Decoder(ClientMessage)
decode_analysis_message: _Decoder[AnalysisClientMessage] = _Decoder(AnalysisClientMessage)


def legible_id(text: str) -> str | None:
    """Return the id in a message that makes no sense otherwise, so that its refusal can bear it."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    client_id = message.get("id") if isinstance(message, dict) else None
    return client_id if isinstance(client_id, str) and len(client_id) <= MAX_ID else None
