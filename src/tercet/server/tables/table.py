"""Tables in play: sessions in memory over the log on disk, the clients that follow them, engines in their seats.

Everything at a table happens under its lock, in this order: check, write to disk, publish. Memory is a cache: other
processes may write to the log too, and this one reads their events as they come. The process that owns the table runs
its engines and clocks.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tercet.server.errors import Unreachable
from tercet.server.store import AlsoWrite, SeatAccess, StoredTable
from tercet.server.tables.broadcast import SEATING, Client, Rendered, encode
from tercet.server.tables.channel import TableChannel
from tercet.server.tables.engine_seats import EngineSeats
from tercet.server.tables.followers import Followers
from tercet.server.tables.host import TableHost
from tercet.server.tables.log import PATIENCE, Change, TableLog
from tercet.server.tables.ownership import Ownership, TimeLost
from tercet.server.tables.state import DAMAGED, TableState
from tercet.session import Command, LogEvent, Session, SessionError, Step

__all__ = ["Table"]

LONGEST_PAUSE = 0.8  # seconds between two attempts of a command


class Table(TableState):
    """One table in memory, and its operations. ``note`` is called with the events that this process wrote, after
    clients got them."""

    def __init__(
        self,
        host: TableHost,
        stored: StoredTable,
        session: Session,
        note: Callable[[Table, list[LogEvent]], None] = lambda _table, _events: None,
    ) -> None:
        super().__init__(host, stored, session)
        self.visitors = 0
        self.used = time.monotonic()
        self._channel = TableChannel(self, self._hear)
        self._followers = Followers(self, self._channel)
        self._log = TableLog(self, self._channel, self._followed, lambda events: note(self, events))
        self._ownership = Ownership(self, self._log, self.wake_engine)
        self._engines = EngineSeats(self, self._log, self._ownership, self._followers)

    async def _followed(self, events: Sequence[LogEvent], steps: list[Rendered]) -> None:
        """Whatever is due when the session has gone on. Under the lock."""
        seated = await self._followers.read_seats() if any(event.kind in SEATING for event in events) else []
        await self._followers.tell_steps(events, steps)
        await self._followers.tell_anew(seated)  # a snapshot before the events would tell them twice
        self.wake_engine()
        self._ownership.set_alarm()

    # Following ------------------------------------------------------------------------------------------------------

    async def snapshot(self, held: frozenset[int], opened: bool = False, language: str = "en") -> str:
        """Return the table's state for a client with these seats, as text."""
        async with self.lock:
            return await self._followers.snapshot(held, opened, language)

    async def join(self, client: Client, since: int | None) -> None:
        """Let ``client`` follow: it gets the events after number ``since`` if they are few, else a snapshot."""
        async with self.lock:
            if since is not None and since > self.session.number:
                await self._log.catch_up()
            client.came = self.host.now()
            self._followers.note_presence(client)
            await self._followers.greet(client, since)
            if self.damage is not None:
                client.tell(encode({"type": "error", "code": "damaged", "where": "table", "why": DAMAGED}))
            self.clients.add(client)
            self.wake_engine()

    def leave(self, client: Client) -> None:
        """Forget ``client``."""
        self.clients.discard(client)
        self.used = time.monotonic()
        self._followers.note_presence()

    # Word from other processes --------------------------------------------------------------------------------------

    async def listen(self) -> None:
        """Hear of the table from now on."""
        await self._channel.subscribe()

    def _hear(self, data: dict[str, Any]) -> None:
        if "events" in data:
            self.host.spawn(self._hear_events(data))
        elif "tell" in data:
            self._followers.tell(data["tell"])
        elif "here" in data:
            if self._followers.note_elsewhere(data["run"], *data["here"]):
                self.wake_engine()
        elif "who" in data:
            if self.clients:
                self._followers.publish_presence()
        elif "seats" in data:
            self.host.spawn(self.look_at_seats())

    async def _hear_events(self, data: dict[str, Any]) -> None:
        async with self.lock:
            await self._log.take_published(data)

    def only_alive(self, process_ids: Iterable[int]) -> None:
        """Of the other processes only these are alive."""
        self._followers.only_alive(process_ids)

    async def look_again(self) -> None:
        """Take over what others have written, if they have."""
        async with self.lock:
            await self._log.catch_up()

    async def look_at_seats(self) -> None:
        """Read again who sits here, and under which names."""
        async with self.lock:
            await self._followers.tell_anew(await self._followers.read_seats(names=True))

    async def reseat(self, seat: int, access: SeatAccess) -> None:
        """Give ``seat`` a new token or person: the player who held it before loses it."""
        async with self.lock:
            await self.host.store.open_seat(self.id, seat, access)
            await self._followers.tell_anew(await self._followers.read_seats(names=True))
        await self._channel.publish({"seats": True})

    # Commands -------------------------------------------------------------------------------------------------------

    async def perform(
        self,
        command: Command | Callable[[], Command],
        client_ids: tuple[str, ...] = (),
        *,
        seats: Mapping[int, SeatAccess] | None = None,
        also: AlsoWrite | None = None,
        short: bool = False,
        since: int | None = None,
    ) -> int:
        """Execute ``command``. Return the number of its (last) event, which is on disk by then.

        A command that was already acknowledged under one of ``client_ids`` gets the same number and does nothing; one
        that was refused is refused again. The first id is stored. A command that depends on who sits where is
        given as a function that makes it in its turn. ``since`` is when the sender connected to this process
        (milliseconds), if it did. The rest is as in :class:`Change`. Raise SessionError if the table refuses. Runs to
        its end even if the caller is cancelled.
        """
        came = self.host.now()

        def decide(session: Session) -> list[Step]:
            return session.apply(command() if callable(command) else command, came)

        return await self.host.perform(self._change(Change(decide, client_ids, seats, also, short), came, since))

    async def decide(self, decide: Callable[[Session], list[Step]]) -> int:
        """Write the events that ``decide`` makes of the session as it then is; returns the last event's number.
        SessionError where it raises that. Runs to its end even if the caller is cancelled."""
        return await self.host.perform(self._change(Change(decide), self.host.now()))

    async def _change(self, change: Change, came: int, since: int | None = None) -> int:
        deadline, pause = time.monotonic() + PATIENCE, 0.05
        while True:
            with contextlib.suppress(Unreachable):  # it may be back in a moment
                async with self.lock:
                    number = self.answered(change.client_ids)
                    if number is not None:
                        return number
                    self.refuse_if_damaged()
                    if await self._ownership.may_act(came, since):
                        try:
                            return await self._log.commit(change, deadline=deadline)
                        except SessionError as refused:
                            if not await self._log.catch_up():
                                self.note_refused(change.client_ids, refused)
                                raise
                            continue
            if time.monotonic() > deadline or self.host.draining:
                raise SessionError(
                    "unavailable", "server", "The game cannot go on just now. Send it again in a moment."
                )
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)  # where all tables wait for a process, none may keep it from going on
            if not self.host.is_taking_over:
                await self.consider_owning()

    # Clocks and engines --------------------------------------------------------------------------------------------

    async def consider_owning(self) -> None:
        """Take the table over if no living process owns it."""
        await self._ownership.consider()

    async def give_back(self, number: int, lost: TimeLost) -> None:
        """Give back the time in which no process served the table: :meth:`Ownership.give_back`. Under the lock."""
        await self._ownership.give_back(number, lost)

    async def taken(self, number: int) -> None:
        """This process has come to own the table: :meth:`Ownership.take`. Under the lock."""
        await self._ownership.take(number)

    def wake_engine(self) -> None:
        """Let the engine whose decision it is think, if there is one."""
        self._engines.wake()

    def stop_thinking(self) -> None:
        """Let no engine go on."""
        self._engines.stop()

    def put_away(self) -> None:
        """Set no alarm: the next reader of the table looks at its clock."""
        self._ownership.put_away()

    @property
    def is_idle(self) -> bool:
        """Whether it can be dropped from memory."""
        return not self.clients and not self.visitors and not self.lock.locked() and not self._engines.is_thinking

    def drop(self) -> None:
        """It leaves memory."""
        self.put_away()
        self._followers.stop()
        self._channel.unsubscribe()
