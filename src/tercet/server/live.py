"""Tables in play: sessions in memory over the log on disk, the clients that follow them, engines in their seats.

Everything that happens at a table happens under its lock, in this order: check, write to disk, tell. What is in
memory is a cache; a table that nobody follows is dropped from it and read back from the log when asked for.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from tercet.play import Act, Command, LogEvent, Session, SessionError, Setup
from tercet.server.state import event_message, snapshot, view_of
from tercet.server.store import Conflict, Place, Saved, Store, hash_token
from tercet.server.thinking import Thinking

__all__ = ["Client", "Hub", "LiveTable", "encode"]

LOG = logging.getLogger("tercet.server")
QUEUE = 64  # commits that a client may lag behind
REPLAY = 50  # events that a client is sent one by one; beyond that a snapshot
KEPT = 500  # tables in memory
BEAT = 5.0  # seconds between two notes that the server is alive
T = TypeVar("T")


def encode(message: Any) -> str:
    """``message`` as JSON; pure ASCII, so that no odd character can make it fail."""
    return json.dumps(message, separators=(",", ":"))


class Client:
    """Somebody who follows a table: player (``held`` seats) or watcher. Messages queue up; who lags too far is cut."""

    def __init__(self, held: frozenset[int]) -> None:
        self.held = held
        self.queue: asyncio.Queue[tuple[str, ...]] = asyncio.Queue(QUEUE)
        self.cut = asyncio.Event()

    def tell(self, *messages: Any) -> None:
        """Queue ``messages``, which belong together, or cut the client off where its queue is full."""
        try:
            self.queue.put_nowait(tuple(one if isinstance(one, str) else encode(one) for one in messages))
        except asyncio.QueueFull:
            self.cut.set()


@dataclass(frozen=True)
class _Step:
    """An event, the session after it and its view."""

    event: LogEvent
    session: Session
    view: dict[str, Any]


def _steps(session: Session, events: Sequence[LogEvent], most: int) -> list[_Step]:
    """What ``events`` lead to, one after another, or, where there are more than ``most``, in the end. Only at the last
    can anybody go on, so only its view has paths."""
    found = []
    for number, event in enumerate(events, 1):
        session = session.after(event)
        if number == len(events) or len(events) <= most:
            found.append(_Step(event, session, view_of(session, paths=number == len(events))))
    return found


class LiveTable:
    """One table in memory."""

    def __init__(self, hub: Hub, saved: Saved, session: Session) -> None:
        self.hub = hub
        self.id = saved.id
        self.opened = saved.opened
        self.tokens = dict(saved.tokens)
        self.lock = asyncio.Lock()
        self.clients: set[Client] = set()
        self.visitors = 0
        self._adopt(saved, session)
        self._thinking: asyncio.Task[None] | None = None
        self._thought_about: Any = None
        self._stop = threading.Event()
        self._alarm: asyncio.TimerHandle | None = None

    def _adopt(self, saved: Saved, session: Session) -> None:
        self.log = list(saved.log)
        self.acks = dict(saved.acks)
        self.session = session
        self._view: tuple[Session, dict[str, Any]] | None = None

    def seats_of(self, tokens: Iterable[str]) -> tuple[frozenset[int], bool]:
        """The seats that ``tokens`` open, and whether each of them opens one."""
        held, all_known = set(), True
        for token in tokens:
            made = hash_token(token)
            seats = [seat for seat, kept in self.tokens.items() if secrets.compare_digest(kept, made)]
            held.update(seats)
            all_known = all_known and bool(seats)
        return frozenset(held), all_known

    async def snapshot(self, held: frozenset[int]) -> dict[str, Any]:
        """The table as it stands, for somebody who holds these seats."""
        async with self.lock:
            return await self._snapshot(held)

    async def _snapshot(self, held: frozenset[int]) -> dict[str, Any]:
        session = self.session
        if self._view is None or self._view[0] is not session:
            self._view = (session, await self.hub.compute(lambda: view_of(session, paths=True)))
        view = self._view[1]
        return await self.hub.compute(lambda: snapshot(self.id, session, view, held, self.hub.now()))

    async def join(self, client: Client, since: int | None) -> None:
        """Let ``client`` follow: it gets the events after number ``since`` if they are few, else a snapshot."""
        async with self.lock:
            missed = self.session.number - since if since else 0
            if 0 < missed <= REPLAY and since:
                client.tell(*await self.hub.compute(lambda: self._replay(since, client.held)))
            else:
                client.tell(await self._snapshot(client.held))
            self.clients.add(client)
            self.wake_engine()

    def _replay(self, since: int, held: frozenset[int]) -> list[str]:
        earlier = Session.replay(self.session.setup, self.log[:since])
        return [
            encode(event_message(self.id, step.event, step.session, step.view, held, self.hub.now()))
            for step in _steps(earlier, self.log[since:], REPLAY)
        ]

    def leave(self, client: Client) -> None:
        """Forget ``client``."""
        self.clients.discard(client)

    async def command(self, command: Command, client_id: str | None) -> int:
        """Do what ``command`` asks; returns the number of its (last) event, which is on disk by then.

        A ``client_id`` that has been acknowledged before gets the same number again and nothing is done. SessionError
        where the table refuses. Runs to its end even if the caller is cancelled.
        """
        return await asyncio.shield(self.hub.spawn(self._command(command, client_id, self.hub.now())))

    async def _command(self, command: Command, client_id: str | None, now: int) -> int:
        async with self.lock:
            if client_id is not None and client_id in self.acks:
                return self.acks[client_id]
            await self._commit(lambda session: session.flag(now), None)
            return await self._commit(lambda session: session.apply(command, now), client_id)

    async def _commit(self, consider: Callable[[Session], list[LogEvent]], client_id: str | None) -> int:
        """Write the events that ``consider`` makes of the session, then tell them; returns the last number."""
        session = self.session

        def work() -> tuple[list[LogEvent], list[_Step]]:
            events = consider(session)
            return events, _steps(session, events, REPLAY)

        events, steps = await self.hub.compute(work)
        if not events:
            return session.number
        try:
            await self.hub.store.append(self.id, events, client_id)
        except Conflict:
            saved = await self.hub.store.load(self.id)
            assert saved is not None
            self._adopt(saved, await self.hub.compute(lambda: Session.replay(saved.setup, saved.log)))
            for client in self.clients:
                client.tell(await self._snapshot(client.held))
            if client_id is not None and client_id in self.acks:
                return self.acks[client_id]
            raise SessionError("stale-ply", "ply", "the game has gone on elsewhere") from None
        self.log += events
        self.session = steps[-1].session
        self._view = (self.session, steps[-1].view)
        number = self.session.number
        if client_id is not None:
            self.acks[client_id] = number
        if len(steps) < len(events):
            for client in self.clients:
                client.tell(await self._snapshot(client.held))
        else:
            self._tell_steps(steps)
        self.wake_engine()
        self._set_alarm()
        return number

    async def resume(self) -> None:
        """After the table was read back: give back the time that no server ran, and let a flag fall that has."""
        clock = self.session.clock
        if clock is None or clock.running is None:
            return
        async with self.lock:
            now = self.hub.now()
            lost = round(1000 * await self.hub.store.time_down(clock.at / 1000, now / 1000))
            if self.session.setup.seats[clock.running].kind == "engine":  # it thinks only while the table is in memory
                lost = now - clock.at
            await self._commit(lambda session: session.resume(now, lost), None)
            await self._commit(lambda session: session.flag(now), None)
            self._set_alarm()

    def _set_alarm(self) -> None:
        """Wake up when the flag of whoever decides would fall."""
        self.put_away()
        deadline = None if self.session.clock is None else self.session.clock.deadline
        if deadline is not None:
            wait = max(0.0, (deadline - self.hub.now()) / 1000) + 0.002
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(wait, lambda: self.hub.spawn(self._look_at_clock()))

    def put_away(self) -> None:
        """Set no alarm: whoever reads the table back will look at its clock."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    async def _look_at_clock(self) -> None:
        async with self.lock:
            now = self.hub.now()
            with contextlib.suppress(SessionError):  # it went on elsewhere, and has been read back
                await self._commit(lambda session: session.flag(now), None)
            self._set_alarm()

    def _tell_steps(self, steps: list[_Step]) -> None:
        made: dict[frozenset[int], list[str]] = {}
        now = self.hub.now()
        for client in self.clients:
            messages = made.get(client.held)
            if messages is None:
                messages = made[client.held] = [
                    encode(event_message(self.id, step.event, step.session, step.view, client.held, now))
                    for step in steps
                ]
            client.tell(*messages)

    def tell(self, message: dict[str, Any]) -> None:
        """Tell all who follow."""
        text = encode(message)
        for client in self.clients:
            client.tell(text)

    @property
    def is_idle(self) -> bool:
        """Whether it can be dropped from memory."""
        return not self.clients and not self.visitors and not self.lock.locked() and not self._is_thinking

    @property
    def _is_thinking(self) -> bool:
        return self._thinking is not None and not self._thinking.done()

    def wake_engine(self) -> None:
        """Let the engine whose decision it is think, if there is one; stop one that thinks about another position."""
        session = self.session
        if self._is_thinking:
            if self._thought_about is session.position and not session.is_over:
                return
            self._stop.set()
        mover = session.mover
        if mover is None or session.setup.seats[mover].kind != "engine":
            return
        if not self.clients and all(seat.kind == "engine" for seat in session.setup.seats):
            return
        self._stop = threading.Event()
        self._thought_about = session.position
        self._thinking = self.hub.spawn(self._think(session, mover, self._stop))

    async def _think(self, session: Session, seat: int, stop: threading.Event) -> None:
        loop = asyncio.get_running_loop()

        def report(info: dict[str, Any]) -> None:
            loop.call_soon_threadsafe(self.tell, {"type": "thinking", "seat": seat, "info": info})

        level = session.setup.seats[seat].level
        try:
            chosen = await self.hub.thinking.move(f"{self.id} {seat}", session.position, level, stop, report)
        except Exception:
            LOG.exception("the engine in seat %d of table %s failed", seat, self.id)
            self.tell({"type": "error", "code": "unavailable", "where": "engine", "why": "the engine failed"})
            return
        if stop.is_set() or self.session.position is not session.position:
            return
        self._thinking = None
        with contextlib.suppress(SessionError):  # the game went on while the move waited for the lock
            await self._command(Act(frozenset({seat}), session.ply, chosen), None, self.hub.now())


class Hub:
    """All tables of one process. ``clock`` tells the time in milliseconds (None: this machine's, read once and then
    counted on, so that no game suffers when somebody sets it)."""

    def __init__(self, store: Store, thinking: Thinking, clock: Callable[[], int] | None = None) -> None:
        ahead = time.time() - time.monotonic()
        self.now = clock or (lambda: round(1000 * (ahead + time.monotonic())))
        self.store = store
        self.thinking = thinking
        self._tables: OrderedDict[str, LiveTable] = OrderedDict()
        self._loading: dict[str, asyncio.Lock] = {}
        self._threads = ThreadPoolExecutor(4, "tercet-table")
        self._tasks: set[asyncio.Task[Any]] = set()

    async def compute(self, work: Callable[[], T]) -> T:
        """Run ``work`` in a thread: a kernel's first call may compile it, and the loop must not wait for that."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def spawn(self, work: Any) -> asyncio.Task[Any]:
        """A task of the hub's own: it is kept until it is done, whoever asked for it."""
        task: asyncio.Task[Any] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits for the task sees it; a caller who has gone need not

    async def begin(self) -> None:
        """Note from now on that the server is alive: while it is not, no clock runs."""
        self._run = await self.store.begin_run(self.now() / 1000)
        self._beating = self.spawn(self._beat())

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            try:
                await self.store.seen(self._run, self.now() / 1000)
            except Exception:  # the next beat may succeed
                LOG.exception("could not note that the server is alive")

    async def close(self) -> None:
        """Stop engines, let what is being written be written."""
        for table in self._tables.values():
            table._stop.set()
            table.put_away()
        self._beating.cancel()
        self.thinking.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=3)
        await self.store.seen(self._run, self.now() / 1000)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def open(self, setup: Setup, tokens: dict[int, str]) -> str:
        """Open a table whose seats these tokens open; returns its id. SessionError where the setup makes no sense."""
        await self.compute(lambda: Session.open(setup))
        table_id = secrets.token_hex(8)
        await self.store.open_table(table_id, setup, {seat: Place(hash_token(token)) for seat, token in tokens.items()})
        return table_id

    @contextlib.asynccontextmanager
    async def table(self, table_id: str) -> AsyncIterator[LiveTable]:
        """The table of that id, kept in memory as long as it is used; SessionError where there is none."""
        table = await self._get(table_id)
        table.visitors += 1
        try:
            yield table
        finally:
            table.visitors -= 1

    async def _get(self, table_id: str) -> LiveTable:
        table = self._tables.get(table_id)
        if table is None:
            lock = self._loading.setdefault(table_id, asyncio.Lock())
            try:
                async with lock:
                    table = self._tables.get(table_id)
                    if table is None:
                        table = await self._load(table_id)
            finally:
                if not lock.locked():
                    self._loading.pop(table_id, None)
        self._tables.move_to_end(table_id)
        return table

    async def _load(self, table_id: str) -> LiveTable:
        saved = await self.store.load(table_id)
        if saved is None:
            raise SessionError("unknown-table", "table", "there is no such table")
        session = await self.compute(lambda: Session.replay(saved.setup, saved.log))
        too_many = max(0, len(self._tables) + 1 - KEPT)
        for other in [known for known, table in self._tables.items() if table.is_idle][:too_many]:
            self._tables.pop(other).put_away()
        table = self._tables[table_id] = LiveTable(self, saved, session)
        await table.resume()
        return table
