"""What a table needs of its process, what a process knows of a table (its settings, events, players and clients), and
the messages to these clients."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import math
import secrets
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tercet.answers.tables import Shaper, TableInfo, seen_by
from tercet.answers.translation import Translator
from tercet.answers.wire.table_messages import AwayView, PresenceMessage, ServerMessage, TableGame
from tercet.core.execution import choose_execution, usual_execution
from tercet.engines.preparing import exercise_rules
from tercet.play.session import LogEvent, Session, SessionError, Step, TableSettings
from tercet.server.engines.pool import EnginePool
from tercet.server.errors import Unreachable
from tercet.server.limits.budgets import Budgets
from tercet.server.limits.queue import FairThreads
from tercet.server.limits.spenders import SERVER, Bounded, Metered, Spender
from tercet.server.metrics import DAMAGED_TABLES
from tercet.server.store.database import Now
from tercet.server.store.lease import Lease, Leases, time_down
from tercet.server.store.logs import AlsoWrite, SeatAccess
from tercet.server.store.pubsub import PubSub
from tercet.server.store.tables import Store, StoredTable, hash_token
from tercet.server.tables.clients import (
    HERE,
    SEATING,
    Client,
    Presence,
    Rendered,
    Written,
    WrittenView,
    encode,
    in_language,
    render,
    view_of,
    written_fields,
)

LONG_SECONDS = 0.008  # that nothing else may wait for
T = TypeVar("T")


@dataclass(eq=False, repr=False)
class TableHost:
    """The process as its tables see it. ``now`` tells the time in milliseconds. A server that stops is first
    ``leaving`` (it accepts no new clients), then ``draining`` (it takes no more commands). ``reachable`` are the ids of
    people who get notices (``tercet.server.people.notices``)."""

    store: Store
    engine_pool: EnginePool
    clock: Callable[[], int] | None = None
    pubsub: PubSub = field(default_factory=PubSub)
    budgets: Budgets | None = None
    leaving: bool = field(init=False, default=False)
    draining: bool = field(init=False, default=False)
    reachable: Collection[str] = field(init=False, default=())
    _ready: set[str] = field(init=False, default_factory=set)  # games whose compiled rules are loaded
    _tasks: set[asyncio.Task[Any]] = field(init=False, default_factory=set)
    _running_to_end: set[asyncio.Task[Any]] = field(init=False, default_factory=set)
    _endless: list[asyncio.Task[Any]] = field(init=False, default_factory=list)
    _taking: asyncio.Task[None] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.now = Now(self.clock)
        self.lease = Lease(Leases(self.store.database), self.now)
        self._threads = FairThreads("table", 4, self.budgets, None, None)

    @property
    def is_taking_over(self) -> bool:
        """Return whether tables are being taken over, many at once."""
        return self._taking is not None and not self._taking.done()

    async def compute(self, work: Callable[[], T], who: Spender | None = None) -> T:
        """Return the result of ``work``, done in a thread and charged to ``who`` (None: the client of the current
        task). The event loop must not wait for it: a kernel's first call may compile it."""
        return await self._threads.run(work, who)

    async def compute_short(self, game: str, work: Callable[[], T], took: float) -> T:
        """Return the result of ``work``, which recently ``took`` so many seconds. A few milliseconds are spent at once,
        since a thread beside the loop costs more, unless kernels of the game may have to be compiled."""
        if (game not in self._ready and usual_execution(game) == "compiled") or took > LONG_SECONDS:
            return await self.compute(work)
        return work()

    async def load_compiled(self, game: str) -> None:
        """Load the compiled kernels of a game that tables need, in a thread, and use them from now on. Compile those
        that are missing. Tables in memory go on with the execution that they were read with."""
        if game not in self._ready:
            await self.compute(lambda: exercise_rules(game), SERVER)
            self._ready.add(game)
        choose_execution(game, "compiled")

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task. It runs until it is done, even if its client leaves."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def spawn_until_closed(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task that runs until the process ends."""
        self._endless.append(self.spawn(work))

    async def run_to_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of ``work``, which runs to its end even if the caller is cancelled. Raise SessionError if
        the server is stopping."""
        if self.draining:
            work.close()
            raise SessionError("unavailable", "server", "The server is shutting down. Send it again in a moment.")
        task = self.spawn(Metered(work))
        self._running_to_end.add(task)
        return await asyncio.shield(task)

    async def drain(self) -> None:
        """Refuse new commands and stop all clocks, then wait for the commands in progress."""
        self.draining = True
        self.lease.stop_serving()
        if self._running_to_end:
            await asyncio.wait(self._running_to_end, timeout=3)
        await asyncio.sleep(0.05)  # for the acknowledgements to be on their way

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self._running_to_end.discard(task)
        if not task.cancelled():
            task.exception()  # the task's waiter sees it; a caller that has left need not


TimeLost = Callable[[Session, int], int]  # of a session, until then: both in milliseconds


async def time_lost(lease: Lease, before: int | None, sessions: Iterable[Session]) -> TimeLost:
    """Return the function that tells for how long no process served a table, whose session is one of ``sessions`` or a
    later one. The process ``before`` owned it last (None: no process owned it)."""
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
        longest = round(1000 * time_down(served, clock.at / 1000, now / 1000))
        if before is not None:
            longest = max(longest, round(1000 * lease.time_away(before, clock.at / 1000, now / 1000)))
        if seen is not None:  # until we came, the game could not be played
            longest = max(longest, now - max(clock.at, round(1000 * seen)))
        return longest

    return lost


@dataclass(frozen=True)
class Change:
    """A change that a table is asked for. ``decide`` gets the session, and when the change was asked for
    (milliseconds); it returns the events, or raises SessionError. ``client_ids`` returns the sender's ids for the
    change, which happens once under any of them; the first is stored. They change when the sender gets other seats.
    ``seats`` get new keys with it, and ``also`` writes more in the same transaction. ``short``: it plays an action or a
    few. ``as_owner``: it is written only if this process owns the table."""

    decide: Callable[[Session, int], list[Step]]
    client_ids: Callable[[], tuple[str, ...]] = tuple
    seats: Mapping[int, SeatAccess] | None = None
    also: AlsoWrite | None = None
    short: bool = False
    as_owner: bool = False

    @classmethod
    def once(cls, decide: Callable[[Session, int], list[Step]], request_id: str | None = None, **more: Any) -> Change:
        """Return a change that happens once, even if it is written and its answer is lost. The same ``request_id``
        always names the same change (None: this one alone); ``more`` are other fields."""
        ids = (request_id or secrets.token_hex(8),)
        return cls(decide, lambda: ids, **more)


LOG = logging.getLogger("tercet.server")
DAMAGED = (
    "The server's record of this game is damaged. You can read what is left of it, but not play on; please tell the "
    "operator of the server."
)
LOST = "The server's record of this game is lost. Please tell the operator of the server."
MAX_REFUSALS = 64  # that are remembered


class TableState:
    """A table in memory. ``info`` are its settings, ``log`` its events, ``session`` what they lead to; ``acks`` has the
    event number that each client id was acknowledged with. ``tokens`` are the hashes of the seats' tokens,
    ``occupants`` the known people in the seats; ``are_seats_old``: the database did not answer when they changed.
    ``owner`` is the process that runs clocks and engines. ``digest`` is the last event's; ``damage`` says why the log
    on disk cannot be trusted (None: it can). All of these change only under ``lock``."""

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
        """Return the settings that the session was opened with."""
        return self.info.settings

    @property
    def owned(self) -> bool:
        """Return whether this process owns the table."""
        return self.owner == self.host.lease.process_id

    async def publish(self, data: dict[str, Any]) -> None:
        """Send ``data`` to the other processes that have the table in memory."""
        if self.host.pubsub.reaches_others:
            await self.host.pubsub.publish(self.channel, {"run": self.host.lease.process_id, **data})

    def refuse_if_damaged(self) -> None:
        """Raise SessionError if the log on disk cannot be trusted: such a game can be read, and not played on."""
        if self.damage is not None:
            raise SessionError("damaged", "table", DAMAGED)

    async def note_damage(self, damage: str) -> None:
        """Note why the log on disk cannot be trusted, and tell clients and database."""
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

    def acknowledged(self, client_ids: tuple[str, ...]) -> int | None:
        """Return the event number that a command with one of these ids was acknowledged with; None if there was none.
        Raise SessionError if it was refused: a copy that comes later is refused too, even if it has become possible."""
        for one in client_ids:
            if one in self.acks:
                return self.acks[one]
        for one in client_ids:
            if one in self._refused:
                raise self._refused[one]
        return None

    def note_refused(self, client_ids: tuple[str, ...], refused: SessionError) -> None:
        """Note that a command with these ids is refused from now on, unless the client was asked to send it again."""
        if refused.code == "unavailable":
            return
        for one in client_ids:
            self._refused[one] = SessionError(refused.code, refused.where, refused.why)

    def seats_of(self, tokens: Iterable[str], person_id: str | None = None) -> tuple[frozenset[int], bool]:
        """Return the seats that ``tokens`` open or this person sits in, and whether each token opens one. No one holds
        a seat that an engine has taken over, or that an invited player has not taken yet."""
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
        """Return the seats of invited players who have not come yet. They do not count as absent while the game can be
        aborted."""
        if not self.session.abortable:
            return frozenset()
        unknown = (seat for seat in self._people() if seat not in self.occupants)
        return frozenset(seat for seat in unknown if not self.presence.has_come(seat))

    def away(self) -> list[AwayView]:
        """Return the players who are not here, since when (milliseconds), and whether they ever came."""
        people = self._people()
        if self.presence.present.issuperset(people):  # most often; who is expected takes longer to say
            return []
        return self.presence.away(people, self.expected)

    def here(self) -> PresenceMessage:
        """Return who is here, as clients get it."""
        return self.presence.shown(self._people(), self.expected)


LINGER_SECONDS = 2.0  # before the others learn that a client left: most come right back
PRESENCE_SECONDS = 1.0  # between two words on who is here
MAX_SNAPSHOTS = 64  # whose public part is kept as text
MAX_REPLAYED_EVENTS = 50  # events that a client is sent one by one; beyond that a snapshot


@dataclass(frozen=True)
class _Snapshot:
    """The part of a snapshot of ``session`` that all clients of a language get, as text."""

    session: Session
    view: WrittenView
    game: dict[str, Written]


_SNAPSHOTS: Bounded[tuple[str, str], _Snapshot] = Bounded(MAX_SNAPSHOTS)  # by table and language


def steps_of(session: Session, events: Sequence[LogEvent]) -> list[Step]:
    """Return ``events`` of a log, each with the session after it."""
    steps = []
    for event in events:
        session = session.after(event)
        steps.append(Step(event, session))
    return steps


class FollowedTable(TableState):
    """A table and the clients that follow it here: which messages they get. A method is called under the table's lock
    unless it says otherwise."""

    def __init__(self, host: TableHost, stored: StoredTable, session: Session) -> None:
        super().__init__(host, stored, session)
        self._shaper = Shaper(self.info)
        self._announcing: asyncio.TimerHandle | None = None
        self._announced = -math.inf  # when presence was last sent; a machine's own clock begins at 0
        self._published: frozenset[int] = frozenset()  # the seats here that other processes know of

    async def _snapshot(self, held: frozenset[int], opened: bool, language: str) -> str:
        """Return the table's state as text, for a client with these seats. The common part is written in each language
        once for all clients."""
        session = self.session
        kept = _SNAPSHOTS.recent((self.id, language))
        if kept is None or kept.session is not session:
            write = functools.partial(self._write_snapshot, session, language)
            kept = _SNAPSHOTS[self.id, language] = await self.host.compute(write)
        shared = self._shaper.snapshot(session, kept.view.full, kept.game, self.host.now(), self.occupants, self.away())
        return encode(seen_by(self._in(language, shared), held, opened, kept.view.bare))

    def _write_snapshot(self, session: Session, language: str) -> _Snapshot:
        """Write the part of a snapshot that all clients get."""
        game = self._in(language, self._shaper.game(session), TableGame)
        view = WrittenView(view_of(session, paths=True), self._translator(language))
        return _Snapshot(session, view, written_fields(game))

    def _translator(self, language: str) -> Translator | None:
        """Return the translator into a language (None: it is English already)."""
        return None if language == "en" else Translator(language, self.settings.game)

    def _in(self, language: str, message: Mapping[str, Any], kind: Any = ServerMessage) -> Any:
        """Return a message in a language, or a part of one, which is of the type ``kind``."""
        return in_language(message, self._translator(language), kind)

    async def _greet(self, client: Client, since: int | None) -> None:
        """Send ``client`` the events after number ``since`` if they are few, else a snapshot."""
        missed = self.session.number - since if since else 0
        if client.reads and since and 0 < missed <= MAX_REPLAYED_EVENTS:
            client.tell(*await self.host.compute(lambda: self._replay(since, client)))
        else:
            await self._tell_anew([client])

    def _replay(self, since: int, client: Client) -> list[str]:
        earlier = Session.replay(self.settings, self.log[:since])
        steps = render(steps_of(earlier, self.log[since:]), MAX_REPLAYED_EVENTS, client.held)
        return self._seen_by(client, self._shared(steps, self.away(), client.language))

    def _seen_by(self, client: Client, shared: Iterable[tuple[Mapping[str, Any], Written]]) -> list[str]:
        return [encode(seen_by(message, client.held, client.opened, bare)) for message, bare in shared]

    def _shared(
        self, steps: Iterable[Rendered], away: Sequence[AwayView], language: str
    ) -> list[tuple[Mapping[str, Any], Written]]:
        """Return the messages about ``steps`` that all clients of a language share, each with the view of those who
        cannot move."""
        shared, now = [], self.host.now()
        for step in steps:
            assert step.view is not None
            assert step.written is not None
            view = step.written if language == "en" else WrittenView(step.view, self._translator(language))
            message = self._shaper.event(step.event, step.session, view.full, now, self.occupants, away)
            shared.append((self._in(language, message), view.bare))
        return shared

    async def _tell_events(self, events: Sequence[LogEvent], steps: list[Rendered]) -> None:
        """Send ``events`` to all clients; where ``steps`` are fewer, a snapshot."""
        seated: list[Client] = []
        if any(event.kind in SEATING for event in events):
            with contextlib.suppress(Unreachable):  # they are read when the database answers again
                seated = await self._read_seats()
        texts: dict[tuple[frozenset[int], bool, str], list[str]] = {}
        shared: dict[str, list[tuple[Mapping[str, Any], Written]]] = {}
        away = self.away()
        for language in {client.language for client in self.clients if client.reads}:
            work = functools.partial(self._shared, steps, away, language)
            shared[language] = work() if language == "en" else await self.host.compute(work, SERVER)
        for client in list(self.clients):
            if not client.reads or len(steps) < len(events):
                await self._tell_anew([client])
                continue
            who = client.held, client.opened, client.language
            if who not in texts:
                texts[who] = self._seen_by(client, shared[client.language])
            client.tell(*texts[who])
        await self._tell_anew(seated)  # a snapshot before the events would tell them twice

    async def _tell_seats(self) -> None:
        """Read again who sits here, and under which names, and send it to those whom it concerns."""
        await self._tell_anew(await self._read_seats(names=True))

    async def _read_seats(self, names: bool = False) -> list[Client]:
        """Read again who sits in the seats. Return the clients that this concerns: those whose seats have changed;
        with ``names`` all, if players or their names have changed."""
        before, self.are_seats_old = self.occupants, True
        self.tokens, self.occupants = await self.host.store.read_seats(self.id)
        self.are_seats_old = False
        concerned = []
        for client in list(self.clients):
            held, _ = self.seats_of(client.tokens, client.person_id)
            if held != client.held or (names and self.occupants != before):
                client.held = held
                concerned.append(client)
        self.note_presence()
        return concerned

    async def _tell_anew(self, clients: Iterable[Client]) -> None:
        """Send ``clients`` a snapshot."""
        for client in clients:
            client.tell(*([await self._snapshot(client.held, client.opened, client.language)] if client.reads else ()))

    def tell(self, message: ServerMessage, but: Client | None = None) -> None:
        """Send a message to all clients in this process, ``but`` one. Needs no lock."""
        texts: dict[str, str] = {}
        for client in self.clients - {but}:
            if client.language not in texts:
                texts[client.language] = encode(self._in(client.language, message))
            client.tell(texts[client.language])

    async def tell_everywhere(self, message: ServerMessage) -> None:
        """Send a message to all clients, in whatever process. Needs no lock."""
        self.tell(message)
        await self.publish({"tell": message})

    # Presence -------------------------------------------------------------------------------------------------------

    def note_presence(self, coming: Client | None = None) -> None:
        """Note who follows here, or is ``coming``. Like all that follows, this needs no lock."""
        clients = self.clients if coming is None else {*self.clients, coming}
        held = frozenset(seat for client in clients for seat in client.held)
        arrival = self.presence.note(HERE, held, sum(not client.held for client in clients))
        if held != self._published:  # of watchers they hear when everybody does
            self._publish_presence()
        if arrival is not None:
            self._announce(arrival, coming)

    def _publish_presence(self) -> None:
        """Publish to the other processes who follows in this one."""
        self._published, watching = self.presence.here
        if self.host.pubsub.reaches_others:
            self.host.spawn(self.publish({"here": [sorted(self._published), watching]}))

    def only_alive(self, process_ids: Iterable[int]) -> None:
        """Forget who followed in other processes than these, which are alive."""
        if self.presence.only(process_ids) is not None:
            self._announce(arrival=False)

    def _announce(self, arrival: bool, but: Client | None = None) -> None:
        """Send who is here to all ``but`` one: at once after an ``arrival``, else a little later, but never more often
        than every :data:`PRESENCE_SECONDS` seconds."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        when = max(now, self._announced + PRESENCE_SECONDS) if arrival else now + LINGER_SECONDS
        if when <= now:
            self._stop_announcing()
            self._announce_now(but)
        elif self._announcing is None or self._announcing.when() > when:
            self._stop_announcing()
            self._announcing = loop.call_at(when, self._announce_now)

    def _announce_now(self, but: Client | None = None) -> None:
        self._announcing = None
        if self.clients - {but}:
            self._announced = asyncio.get_running_loop().time()
        self._publish_presence()
        self.tell(self.here(), but)

    def _stop_announcing(self) -> None:
        if self._announcing is not None:
            self._announcing.cancel()
            self._announcing = None
