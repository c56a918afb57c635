"""The clients that follow a table, and the messages for them: rendered once for all clients that get the same."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from tercet.answers import table_messages
from tercet.answers.translation.messages import Translator
from tercet.answers.wire.game_data import PositionView
from tercet.answers.wire.table_messages import ServerMessage
from tercet.core.view import fields_of, to_json
from tercet.play.session import LogEvent, Session, Step

__all__ = [
    "SEATING",
    "Client",
    "Readers",
    "Rendered",
    "Written",
    "WrittenView",
    "encode",
    "readers",
    "render",
    "view_of",
    "written_fields",
]

MAX_QUEUED_COMMITS = 64  # commits that a client may lag behind
SEATING = ("sit", "stand", "lots", "claim", "link")  # events that change who sits where, or what opens a seat

Readers = frozenset[int] | None  # the seats of clients that read messages; None: no client does


class Written:
    """A part of a message that is JSON already: it is written once for many, and embedded as it is."""

    __slots__ = ("fragment", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.fragment = orjson.Fragment(text)


def _data(value: Any) -> Any:
    """What stands for ``value`` in JSON; TypeError where nothing does."""
    if isinstance(value, Written):
        return value.fragment
    data = to_json(value)
    if data is value:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON.")
    return data


_ENCODER = json.JSONEncoder(
    separators=(",", ":"),
    check_circular=False,
    default=lambda value: json.loads(value.text) if isinstance(value, Written) else _data(value),
)


def encode(message: Any) -> str:
    """``message``, in which dataclasses may stand, as JSON. Where something in it cannot be written in UTF-8 (half of a
    surrogate pair, which a client may send as an escape), all of it is pure ASCII."""
    try:
        return orjson.dumps(message, default=_data).decode()
    except TypeError:
        return _ENCODER.encode(message)


def written_fields(data: Mapping[str, Any]) -> dict[str, Written]:
    """Return the fields of an object, each written already."""
    return {name: Written(encode(value)) for name, value in data.items()}


# A view whose parts are dataclasses.
view_of = functools.partial(table_messages.view_of, as_data=fields_of)


class Client:
    """A client that follows a table: a player (with ``held`` seats, as ``tokens`` and ``person_id`` say) or a
    spectator. ``opened`` says that this person opened the table. Messages queue up where ``send_now`` cannot send
    them at once; the server cuts a client that lags too far. A client that does not ``read`` only learns that there
    is something new, and nothing is rendered for it. A client in another language than English has a ``translator``."""

    reads = True
    translator: Translator | None = None

    def __init__(
        self,
        held: frozenset[int],
        tokens: Iterable[str] = (),
        person_id: str | None = None,
        opened: bool = False,
    ) -> None:
        self.held = held
        self.tokens = tuple(tokens)
        self.person_id = person_id
        self.opened = opened
        self.send_now: Callable[[Sequence[str]], bool] = lambda _: False
        self.queue: asyncio.Queue[tuple[str, ...]] = asyncio.Queue(MAX_QUEUED_COMMITS)
        self.unsent = 0  # tuples of messages in the queue, or taken from it and not sent yet
        self.cut = asyncio.Event()
        self.sent_characters = 0
        self.came: int | None = None  # when the client began to follow, in milliseconds

    @property
    def language(self) -> str:
        """Return the language that the client reads."""
        return "en" if self.translator is None else self.translator.language

    def tell(self, *messages: ServerMessage | str) -> None:
        """Send or queue ``messages``, which belong together, or cut the client off where its queue is full. Those that
        are text are in the client's language already."""
        texts = tuple(one if isinstance(one, str) else encode(self._in_language(one)) for one in messages)
        self.sent_characters += sum(len(text) for text in texts)
        if not self.unsent and self.send_now(texts):
            return
        try:
            self.queue.put_nowait(texts)
            self.unsent += 1
        except asyncio.QueueFull:
            self.cut.set()

    def _in_language(self, message: ServerMessage) -> Any:
        return message if self.translator is None else self.translator.value(message, ServerMessage)


class WrittenView:
    """A view of :func:`view_of` as text: ``full`` for the player to move, and ``bare``, without paths and gestures, for
    all others; its texts in the ``translator``'s language. Both are :class:`Written` that stand for a
    ``PositionView``."""

    __slots__ = ("bare", "full")
    bare: Any
    full: Any

    def __init__(self, view: Mapping[str, Any], translator: Translator | None = None) -> None:
        if translator is not None:
            view = translator.value(view, PositionView)
        scene = Written(encode(view["scene"]))  # most of it: once for both
        self.bare = self.full = Written(encode({**view, "scene": scene, "paths": [], "gestures": []}))
        if view["paths"] or view["gestures"]:
            self.full = Written(encode({**view, "scene": scene}))


@dataclass(frozen=True)
class Rendered:
    """An event, the session after it, and its view, as data and as text (None: no client reads it)."""

    event: LogEvent
    session: Session
    view: PositionView | None = None
    written: WrittenView | None = None


def readers(clients: Iterable[Client]) -> Readers:
    """Return the seats of those of ``clients`` that read; None where none does."""
    reading = [client.held for client in clients if client.reads]
    return frozenset().union(*reading) if reading else None


def render(steps: Sequence[Step], most: int, who: Readers) -> list[Rendered]:
    """Return what ``steps`` lead to, one by one, or only the last if there are more than ``most``, for the readers
    ``who``. Only the last view has paths, and only if a reader may move then (or may turn out to, since these steps
    seat a player)."""
    if who is None:
        return [Rendered(event, session) for event, session in steps]
    seated = any(event.kind in SEATING for event, _ in steps)
    found = []
    for number, (event, session) in enumerate(steps, 1):
        if number == len(steps) or len(steps) <= most:
            view = view_of(session, paths=number == len(steps) and (seated or session.mover in who))
            found.append(Rendered(event, session, view, WrittenView(view)))
    return found
