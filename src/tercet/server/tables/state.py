"""What one process knows of a table: what was settled, what happened, who sits there and who follows it here."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from tercet.answers import tables
from tercet.answers.tables import TableInfo
from tercet.answers.translation.messages import Translator
from tercet.answers.wire.game_data import PositionView
from tercet.answers.wire.table_messages import AwayView, PresenceMessage, ServerMessage
from tercet.core.view import fields_of, to_json
from tercet.play.session import LogEvent, Session, SessionError, Step, TableSettings
from tercet.server.errors import Unreachable
from tercet.server.limits.spender import Bounded
from tercet.server.metrics import DAMAGED_TABLES
from tercet.server.store.lease import Lease, time_down
from tercet.server.store.tables import AlsoWrite, SeatAccess, StoredTable, hash_token
from tercet.server.tables.host import TableHost
from tercet.server.tables.presence import Presence

TimeLost = Callable[[Session, int], int]  # of a session, until then: both in milliseconds


async def time_lost(lease: Lease, before: int | None, sessions: Iterable[Session]) -> TimeLost:
    """Return the function that tells for how long no process served a table with one of these ``sessions``, or a later
    one. The process ``before`` owned it last (None: it was let go of)."""
    clocks = [session.clock.at for session in sessions if session.clock is not None]
    served = await lease.leases.since(min(clocks) / 1000) if clocks else []
    of_another = before is not None and before != lease.process_id and before not in lease.over
    seen = await lease.last_seen(before) if before is not None and of_another else None

    def lost(session: Session, now: int) -> int:
        clock = session.clock
        if clock is None or clock.running is None or session.is_over:
            return 0
        if session.seats[clock.running].kind == "engine":  # it thinks only while the table is in memory
            return now - clock.at
        found = round(1000 * time_down(served, clock.at / 1000, now / 1000))
        if before is not None:
            found = max(found, round(1000 * lease.time_away(before, clock.at / 1000, now / 1000)))
        if seen is not None:  # until we came, the game could not be played
            found = max(found, now - max(clock.at, round(1000 * seen)))
        return found

    return lost


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
view_of = functools.partial(tables.view_of, as_data=fields_of)


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


LOG = logging.getLogger("tercet.server")
DAMAGED = (
    "The server's record of this game is damaged. You can read what is left of it, but not play on; please tell the "
    "operator of the server."
)
MAX_REFUSALS = 64  # that are remembered


@dataclass(frozen=True)
class Change:
    """A requested change of a table: ``decide`` makes its events of the session as it then is and of the time at which
    the change was asked for (milliseconds), or raises SessionError. ``client_ids`` are the sender's ids for it, under
    which it happens once; the first is stored. ``seats`` get new tokens with it; ``also`` writes more in the same
    transaction; ``short`` says that it plays an action or a few; ``as_owner`` that it is written only as long as this
    process owns the table."""

    decide: Callable[[Session, int], list[Step]]
    client_ids: tuple[str, ...] = ()
    seats: Mapping[int, SeatAccess] | None = None
    also: AlsoWrite | None = None
    short: bool = False
    as_owner: bool = False


class TableState:
    """One table in memory. ``info`` are its settings, ``log`` its events, ``session`` where they led, ``acks`` the
    event number of each client id; ``tokens`` are the hashes of the seats' tokens and ``occupants`` the people known
    to sit there, which ``are_seats_old`` if the database did not answer when they changed; ``owner`` is the process
    that runs its clocks and engines; ``digest`` is the last event's, ``damage`` says why the log on disk cannot be
    trusted (None if it can). All of these change only under ``lock``."""

    def __init__(self, host: TableHost, stored: StoredTable, session: Session) -> None:
        self.host = host
        self.info: TableInfo = stored.info
        self.channel = f"table:{stored.info.id}"  # of the processes that have the table in memory
        self.opened = stored.opened
        self.tokens = dict(stored.tokens)
        self.occupants = dict(stored.occupants)
        self.are_seats_old = False
        self.log: list[LogEvent] = list(stored.log)
        self.acks = dict(stored.acks)
        self.session = session
        self._refused: Bounded[str, SessionError] = Bounded(MAX_REFUSALS)  # by client ids: what was refused
        self.owner = stored.owner
        self.digest = stored.digest
        self.damage = stored.damage
        self.lock = asyncio.Lock()
        self.clients: set[Client] = set()
        self.presence = Presence(host.now)

    @property
    def id(self) -> str:
        """Return the table's id."""
        return self.info.id

    @property
    def settings(self) -> TableSettings:
        """What the session was opened with."""
        return self.info.settings

    @property
    def owned(self) -> bool:
        """Return whether this process owns the table (runs its clocks and engines)."""
        return self.owner == self.host.lease.process_id

    async def publish(self, data: dict[str, Any]) -> None:
        """Tell the other processes that have the table in memory."""
        if self.host.pubsub.reaches_others:
            await self.host.pubsub.publish(self.channel, {"run": self.host.lease.process_id, **data})

    def refuse_if_damaged(self) -> None:
        """Raise SessionError where the log on disk cannot be trusted: the game is read, and not played on."""
        if self.damage is not None:
            raise SessionError("damaged", "table", DAMAGED)

    async def note_damage(self, damage: str) -> None:
        """Note that the log on disk is damaged: no one can play on at this table."""
        if self.damage is not None:
            return
        self.damage = damage
        for client in self.clients:
            client.tell({"type": "error", "code": "damaged", "where": "table", "why": DAMAGED})
        with contextlib.suppress(Unreachable):
            if not await self.host.store.note_damage(self.id, damage):
                return  # it is known
        DAMAGED_TABLES.inc()
        LOG.error("table %s is damaged and cannot be played on: %s", self.id, damage)

    def answered(self, client_ids: tuple[str, ...]) -> int | None:
        """Return the number of the event that a command with one of these ids caused, or None if no such command was
        acknowledged. Raise SessionError if it was refused: a later copy is refused too, even if it could be done."""
        for one in client_ids:
            if one in self.acks:
                return self.acks[one]
        for one in client_ids:
            if one in self._refused:
                raise self._refused[one]
        return None

    def note_refused(self, client_ids: tuple[str, ...], refused: SessionError) -> None:
        """Note that a command with these ids was refused. It stays refused, unless the client is to send it again."""
        if refused.code == "unavailable":
            return
        for one in client_ids:
            self._refused[one] = SessionError(refused.code, refused.where, refused.why)

    def seats_of(self, tokens: Iterable[str], person_id: str | None = None) -> tuple[frozenset[int], bool]:
        """Return the seats that ``tokens`` open or this person sits in, and whether each token opens one. A seat
        that an engine has taken over, or that an invited player has not taken yet, is held by no one."""
        held, all_known = set(), True
        for token in tokens:
            made = hash_token(token)
            seats = [seat for seat, known in self.tokens.items() if secrets.compare_digest(known, made)]
            held.update(seats)
            all_known = all_known and bool(seats)
        if person_id is not None:
            held.update(seat for seat, occupant in self.occupants.items() if occupant.person_id == person_id)
        return frozenset(seat for seat in held if self.session.seats[seat].kind == "person"), all_known

    def _people(self) -> list[int]:
        return [number for number, seat in enumerate(self.session.seats) if seat.kind == "person"]

    @property
    def expected(self) -> frozenset[int]:
        """Return the seats whose invited player has not come yet: the game may be aborted, but the player is not
        absent."""
        if not self.session.abortable:
            return frozenset()
        return frozenset(
            seat for seat in self._people() if seat not in self.occupants and not self.presence.has_come(seat)
        )

    def away(self) -> list[AwayView]:
        """Return the players who are not here, with the time they went (milliseconds), and whether they ever came."""
        people = self._people()
        if self.presence.present.issuperset(people):  # most often; who is expected takes longer to say
            return []
        return self.presence.away(people, self.expected)

    def here(self) -> PresenceMessage:
        """Return who is here, as clients get it."""
        return self.presence.shown(self._people(), self.expected)
