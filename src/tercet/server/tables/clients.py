"""The clients that follow a table in this process: how messages to them are written, and who is here."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import orjson

from tercet.answers import tables
from tercet.answers.translation import Translator
from tercet.answers.wire.game_data import PositionView
from tercet.answers.wire.table_messages import AwayView, PresenceMessage, SeatPresence, ServerMessage
from tercet.core.view import to_json
from tercet.play.session import LogEvent, Session, Step

MAX_QUEUED_COMMITS = 64  # commits that a client may lag behind
SEATING = ("sit", "stand", "lots", "claim", "link")  # events that change who sits where, or what opens a seat

Readers = frozenset[int] | None  # the seats of clients that read messages; None: no client does


class Written:
    """A part of a message that is JSON already: it is written once for many messages, which embed it."""

    __slots__ = ("fragment", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.fragment = orjson.Fragment(text)


def _data(value: Any) -> Any:
    """Return what stands for ``value`` in JSON. Raise TypeError if nothing does."""
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
    """Return ``message``, which may have dataclasses in it, as JSON. It is pure ASCII if something in it cannot be
    written in UTF-8: half a surrogate pair, which a client may send as an escape."""
    try:
        return orjson.dumps(message, default=_data).decode()
    except TypeError:
        return _ENCODER.encode(message)


def written_fields(data: Mapping[str, Any]) -> dict[str, Written]:
    """Return the fields of an object, each as JSON."""
    return {name: Written(encode(value)) for name, value in data.items()}


# A view whose parts are dataclasses.
view_of = functools.partial(tables.view_of, as_data=vars)


def in_language(message: Any, translator: Translator | None, kind: Any = ServerMessage) -> Any:
    """Return a message, or a part of one, which is of the type ``kind``, in the ``translator``'s language."""
    return message if translator is None else translator.value(message, kind)


class Client:
    """A client that follows a table: a player, who holds the seats ``held`` by ``tokens`` or as ``person_id``, or a
    spectator. ``opened``: this person opened the table. Messages queue up if ``send_now`` cannot send them; a client
    that lags too far is ``cut``. A client that does not read (``reads``) only learns that there is something new:
    nothing is rendered for it. A client in another language than English has a ``translator``."""

    reads = True
    translator: Translator | None = None

    def __init__(
        self, held: frozenset[int], tokens: Iterable[str] = (), person_id: str | None = None, opened: bool = False
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
        """Send or queue ``messages``, which belong together. Cut the client off if its queue is full. Messages that are
        text are in the client's language already."""
        texts = tuple(one if isinstance(one, str) else encode(in_language(one, self.translator)) for one in messages)
        self.sent_characters += sum(len(text) for text in texts)
        if not self.unsent and self.send_now(texts):
            return
        try:
            self.queue.put_nowait(texts)
            self.unsent += 1
        except asyncio.QueueFull:
            self.cut.set()


class WrittenView:
    """A view of :func:`view_of` as text, in the ``translator``'s language: ``full`` for the player to move, and
    ``bare``, without paths and gestures, for all others. Both are :class:`Written` in place of a ``PositionView``."""

    __slots__ = ("bare", "full")
    bare: Any
    full: Any

    def __init__(self, view: Mapping[str, Any], translator: Translator | None = None) -> None:
        view = in_language(view, translator, PositionView)
        scene = Written(encode(view["scene"]))  # most of it: once for both
        self.bare = self.full = Written(encode({**view, "scene": scene, "paths": [], "gestures": []}))
        if view["paths"] or view["gestures"]:
            self.full = Written(encode({**view, "scene": scene}))


@dataclass(frozen=True)
class Rendered:
    """An event, the session after it, and the view then, as data and as text (None: no client reads it)."""

    event: LogEvent
    session: Session
    view: PositionView | None = None
    written: WrittenView | None = None


def readers(clients: Iterable[Client]) -> Readers:
    """Return the seats of those ``clients`` that read; None if none does."""
    reading = [client.held for client in clients if client.reads]
    return frozenset().union(*reading) if reading else None


def render(steps: Sequence[Step], most: int, who: Readers) -> list[Rendered]:
    """Render ``steps`` one by one for the readers ``who``; only the last if there are more than ``most``. Only the last
    view has paths, and only if a reader may move then, or may turn out to, since the steps seat a player."""
    if who is None:
        return [Rendered(event, session) for event, session in steps]
    seated = any(event.kind in SEATING for event, _ in steps)
    rendered = []
    for number, (event, session) in enumerate(steps, 1):
        if number == len(steps) or len(steps) <= most:
            view = view_of(session, paths=number == len(steps) and (seated or session.mover in who))
            rendered.append(Rendered(event, session, view, WrittenView(view)))
    return rendered


HERE = None  # in the place of the id of another process


class Presence:
    """Who follows one table, as one process knows it: seats whose players are connected, and how many spectators."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._connected: dict[int | None, tuple[frozenset[int], int]] = {HERE: (frozenset(), 0)}  # by process
        self._absent: dict[int, int] = {}
        self._began = now()

    @property
    def here(self) -> tuple[frozenset[int], int]:
        """Return the seats and the number of spectators that are connected to this process."""
        return self._connected[HERE]

    @property
    def present(self) -> frozenset[int]:
        """Return the seats whose player is connected to any process."""
        return frozenset().union(*(seats for seats, _ in self._connected.values()))

    @property
    def watchers(self) -> int:
        """Return how many spectators are connected to any process."""
        return sum(watching for _, watching in self._connected.values())

    def absent_since(self, seat: int) -> int | None:
        """Return when the player of ``seat`` left (milliseconds); None if present. A player who has not come since this
        process knows the table counts as gone from then on."""
        return None if seat in self.present else self._absent.get(seat, self._began)

    def has_come(self, seat: int) -> bool:
        """Return whether the player of ``seat`` is here, or was since this process knows the table."""
        return seat in self._absent or seat in self.present

    def away(self, seats: Iterable[int], expected: frozenset[int]) -> list[AwayView]:
        """Return who of ``seats`` is away, since when, and whether they ever came (the ``expected`` did not)."""
        return [cast("AwayView", one) for one in self.shown(seats, expected)["seats"] if one["since"] is not None]

    def note(self, process_id: int | None, seats: Iterable[int], watching: int) -> bool | None:
        """Note which seats and how many spectators are connected to a process (:data:`HERE`: to this one). Return
        whether someone has come; None if that changes nothing."""
        return self._change({**self._connected, process_id: (frozenset(seats), watching)})

    def only(self, process_ids: Iterable[int]) -> bool | None:
        """Forget other processes than these, which are alive. Return as :meth:`note` does."""
        alive = {HERE, *process_ids}
        return self._change({known: one for known, one in self._connected.items() if known in alive})

    def _change(self, connected: dict[int | None, tuple[frozenset[int], int]]) -> bool | None:
        seats, watchers = self.present, self.watchers
        self._connected = connected
        for seat in seats - self.present:
            self._absent[seat] = self._now()
        if (self.present, self.watchers) == (seats, watchers):
            return None
        return not self.present <= seats or self.watchers > watchers

    def shown(self, seats: Iterable[int], expected: frozenset[int]) -> PresenceMessage:
        """Return the presence of ``seats`` as clients get it; the ``expected`` never came."""
        shown = [{"seat": seat, "since": self.absent_since(seat), "came": seat not in expected} for seat in seats]
        return {"type": "here", "seats": cast("list[SeatPresence]", shown), "watchers": self.watchers}
