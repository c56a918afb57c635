"""A table in play: its session in memory over its log on disk, the clients that follow it, the engines in its seats.

Every change of a table goes through :meth:`Table.submit`, under the table's lock and in this order: gate, decide,
write, publish, adopt, tell, wake. Memory is a cache: other processes may write to the log too, and this one reads
their events as they come. One process owns the table: it alone runs engines, lets flags fall and gives lost time back.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from tercet.core.view import to_json
from tercet.play.session import LogEvent, Session, SessionError
from tercet.server.errors import Unreachable
from tercet.server.metrics import ACTIONS
from tercet.server.store.logs import Conflict, SeatAccess, TableSummary
from tercet.server.store.tables import ConditionalLines, StoredTable
from tercet.server.tables import state
from tercet.server.tables.clients import Client, Rendered, readers, render
from tercet.server.tables.conditional import ConditionalMoves
from tercet.server.tables.engine_seats import EngineSeats

LOG = logging.getLogger("tercet.server")
TIMED_EVERY = 8  # The first so many events of a table are timed, then one in so many.
PATIENCE_SECONDS = 10.0  # to try to write, or to wait for the process that judges a flag
MAX_PAUSE_SECONDS = 0.8  # between two attempts of a command
GRACE_SECONDS = 0.3  # that actions which other processes took in time have to be written before a flag falls


def summary_of(session: Session) -> TableSummary:
    """Return what is stored beside the log of ``session``."""
    ended, result = None, session.result
    if result is not None:
        ended = {"scores": to_json(result.outcome.scores), "reason": result.outcome.reason, "says": result.says}
    return TableSummary(session.deadline, len(session.waiting), session.is_over, ended)


# The events of a change before they are written, what clients get of them, and what is stored beside the log.
Decided = tuple[list[LogEvent], list[Rendered], TableSummary | None]


class Table(state.FollowedTable):
    """A table in memory. After clients got what this process wrote, ``observe`` is called with the events, unless they
    are actions and the game goes on; ``turned`` is called when it is another seat's turn and a person on this server
    gets notices."""

    def __init__(
        self,
        host: state.TableHost,
        stored: StoredTable,
        session: Session,
        observe: Callable[[Table, list[LogEvent]], Coroutine[Any, Any, None]],
        turned: Callable[[Table], object],
    ) -> None:
        super().__init__(host, stored, session)
        self.visitors = 0
        self.used = time.monotonic()
        self._observe = observe
        self._turned = turned
        self.engines = EngineSeats(self, self.submit)
        self.conditional = ConditionalMoves(self, self.submit)
        self._took = 0.0  # recent processor seconds to prepare an action or a few
        self._alarm: asyncio.TimerHandle | None = None

    # Commands -------------------------------------------------------------------------------------------------------

    async def submit(self, change: state.Change, since: int | None = None) -> int:
        """Make a ``change`` that is asked for now, to its end even if the caller is cancelled. Return the number of its
        last event, which is on disk by then. A change that was acknowledged under one of its ids is not made again and
        gets the same number; one that was refused is refused again. ``since`` is when the sender connected to this
        process (milliseconds), if it did. Raise SessionError if the table refuses."""
        return await self.host.run_to_end(self._submit(change, self.host.now(), since))

    async def _submit(self, change: state.Change, came: int, since: int | None) -> int:
        deadline, pause = time.monotonic() + PATIENCE_SECONDS, 0.05
        while True:
            with contextlib.suppress(Unreachable):  # it may be back in a moment
                async with self.lock:
                    if self.are_seats_old:
                        await self.catch_up()
                    number = self.acknowledged(change.client_ids())
                    if number is not None:
                        return number
                    self.refuse_if_damaged()
                    if await self._may_act(came, since):
                        try:
                            return await self._commit(change, came, deadline)
                        except SessionError as refused:
                            if not await self.catch_up():
                                self.note_refused(change.client_ids(), refused)
                                raise
                            continue
            if time.monotonic() > deadline or self.host.draining:
                why = "The game cannot go on just now. Send it again in a moment."
                raise SessionError("unavailable", "server", why)
            await asyncio.sleep(pause)
            pause = min(2 * pause, MAX_PAUSE_SECONDS)
            # Where all tables wait for a process, none may keep it from going on.
            if not self.host.is_taking_over:
                await self.consider_owning()

    async def _commit(self, change: state.Change, came: int, deadline: float | None = None) -> int:
        """Decide, write, publish, adopt, tell, wake. Return the number of the last event. The caller has the lock and
        has passed the gate. Raise SessionError if the change is refused, or cannot be written until ``deadline`` (of
        ``time.monotonic``; None: in :data:`PATIENCE_SECONDS`), Unreachable if the database does not answer
        meanwhile."""
        deadline = time.monotonic() + PATIENCE_SECONDS if deadline is None else deadline
        owner = (self.owner, self.owned)
        while True:
            self.refuse_if_damaged()
            clock, game = self.session.clock, self.settings.game
            # Where no clock runs, the next one begins when this is written: no process may have served the table since.
            at = came if clock is not None and clock.running is not None else self.host.now()
            work = functools.partial(self._decide, change, self.session, at)
            computing = self.host.compute_short(game, work, self._took) if change.short else self.host.compute(work)
            events, rendered, summary = await computing
            if not events:
                return self.session.number
            client_ids = change.client_ids()
            client_id = next(iter(client_ids), None)
            how: dict[str, Any] = {"seats": change.seats, "also": change.also, "previous": self.digest}
            how["owner"] = self.owner if change.as_owner else None
            try:
                digest = await self.host.store.append(self.id, events, client_id, summary, **how)
                break
            except (Conflict, Unreachable) as error:
                await self._see_what_was_written(error, deadline)
            number = self.acknowledged((*client_ids, *change.client_ids()))
            if number is not None or (change.as_owner and (self.owner, self.owned) != owner):
                return self.session.number if number is None else number
        data = [[one.kind, one.data] for one in events]
        await self.publish({"number": events[0].number, "events": data, "client": client_id, "digest": digest.hex()})
        mover = self.session.mover
        self._adopt(events, rendered, {} if client_id is None else {client_id: events[-1].number}, digest)
        await self._tell_events(events, rendered)
        self._wake()
        self._tell_process(events, mover)
        return self.session.number

    def _decide(self, change: state.Change, session: Session, came: int) -> Decided:
        """Return the events of ``change``, and what follows from them. Any thread may call this. The processor's clock
        is slow to read: an action is timed now and then."""
        is_timed = change.short and (session.number < TIMED_EVERY or session.number % TIMED_EVERY == 0)
        began = time.thread_time() if is_timed else 0.0
        steps = change.decide(session, came)
        rendered = render(steps, state.MAX_REPLAYED_EVENTS, readers(self.clients))
        summary = summary_of(steps[-1].after) if steps else None
        if is_timed:
            self._took += 0.3 * (time.thread_time() - began - self._took)
        return [step.event for step in steps], rendered, summary

    async def _see_what_was_written(self, error: Exception, deadline: float) -> None:
        """After a write that failed, read what others wrote, or what this process wrote without getting the answer."""
        if isinstance(error, Conflict):
            if await self.catch_up():
                return
            self.owner = (await self.host.store.heads([self.id]))[self.id][1]  # the log is the same: who owns it is not
        else:
            LOG.warning("cannot write: %s", error)
        if time.monotonic() > deadline:
            raise SessionError("unavailable", "server", "The game could not be saved. Send your move again.")
        await asyncio.sleep(0.02)
        while isinstance(error, Unreachable):  # wait for the database
            await asyncio.sleep(0.2)
            try:
                await self.catch_up()
                return
            except Unreachable:
                if time.monotonic() > deadline:
                    return

    def _adopt(self, events: list[LogEvent], rendered: list[Rendered], acks: Mapping[str, int], digest: bytes) -> None:
        """Take events that are on disk into memory."""
        self.digest = digest
        self.log += events
        self.acks.update(acks)
        self.session = rendered[-1].session

    def _tell_process(self, events: list[LogEvent], mover: int | None) -> None:
        """Count actions, and tell the process what happened. ``mover`` is the seat that was to move before."""
        actions = sum(event.kind == "action" for event in events)
        if actions:
            ACTIONS.labels(self.settings.game).inc(actions)
        if self.session.is_over or actions < len(events):
            self.host.spawn(self._observe(self, events))
        if self.session.mover not in (None, mover) and self.host.reachable:
            self._turned(self)

    def _wake(self) -> None:
        """Let engines, conditional moves and clock take notice of the new session."""
        if any(seat.kind == "engine" for seat in self.session.seats):
            self.engines.wake()
        if self.conditional.kept != {} or not self.owned:
            self.conditional.wake()
        self.set_alarm()

    # What others wrote ----------------------------------------------------------------------------------------------

    async def catch_up(self) -> bool:
        """Read what other processes have written. Return whether there was anything. The caller has the lock."""
        segment = await self.host.store.since(self.id, self.session.number, self.digest)
        if segment.events:
            await self._take_over(list(segment.events), segment.acks, segment.digest)
        if segment.fault is not None:
            await self.note_damage(segment.fault)
        if self.are_seats_old:
            await self._tell_seats()
        return bool(segment.events)

    async def _take_over(self, events: list[LogEvent], acks: Mapping[str, int], digest: bytes) -> None:
        session, who = self.session, readers(self.clients)
        most = state.MAX_REPLAYED_EVENTS
        rendered = await self.host.compute(lambda: render(state.steps_of(session, events), most, who))
        self._adopt(events, rendered, acks, digest)
        await self._tell_events(events, rendered)
        self._wake()

    async def refresh(self) -> None:
        """Read what other processes have written."""
        async with self.lock:
            await self.catch_up()

    async def listen(self) -> None:
        """Subscribe to the other processes' messages about the table, and ask who is there."""
        if self.host.pubsub.reaches_others:
            await self.host.pubsub.subscribe(self.channel, self._hear)
            await self.publish({"who": True})

    def _hear(self, data: dict[str, Any]) -> None:
        if data["run"] == self.host.lease.process_id:
            return
        if "events" in data:
            self.host.spawn(self._hear_events(data))
        elif "tell" in data:
            self.tell(data["tell"])
        elif "here" in data:
            arrival = self.presence.note(data["run"], *data["here"])
            if arrival is not None:
                self._announce(arrival)
                self.engines.wake()
        elif "who" in data:
            if self.clients:
                self._publish_presence()
        elif "seats" in data:
            self.host.spawn(self.reread_seats())
        elif "conditional" in data:
            self.conditional.renew()

    async def _hear_events(self, data: Mapping[str, Any]) -> None:
        """Adopt events that another process published. If some before them are missing, read all from the database."""
        async with self.lock:
            first, number = data["number"], self.session.number
            if first > number + 1:
                await self.catch_up()
            elif first == number + 1:
                events = [LogEvent(first + n, kind, fields) for n, (kind, fields) in enumerate(data["events"])]
                acks = {data["client"]: events[-1].number} if data["client"] else {}
                await self._take_over(events, acks, bytes.fromhex(data["digest"]))

    # Clients and seats ----------------------------------------------------------------------------------------------

    async def snapshot(self, held: frozenset[int], opened: bool = False, language: str = "en") -> str:
        """Return the table's state for a client with these seats, as text."""
        async with self.lock:
            return await self._snapshot(held, opened, language)

    async def join(self, client: Client, since: int | None) -> None:
        """Add a client. It gets the events after number ``since`` if they are few, else a snapshot."""
        async with self.lock:
            if since is not None and since > self.session.number:
                await self.catch_up()
            client.came = self.host.now()
            client.held, _ = self.seats_of(client.tokens, client.person_id)  # they may have changed meanwhile
            self.note_presence(client)
            await self._greet(client, since)
            if self.damage is not None:
                client.tell({"type": "error", "code": "damaged", "where": "table", "why": state.DAMAGED})
            self.clients.add(client)
            self.engines.wake()

    def leave(self, client: Client) -> None:
        """Remove a client."""
        self.clients.discard(client)
        self.engines.devices.offer(client, False)
        self.used = time.monotonic()
        self.note_presence()

    async def reread_seats(self) -> None:
        """Read again who sits here, and under which names."""
        async with self.lock:
            await self._tell_seats()

    async def reseat(self, seat: int, access: SeatAccess) -> None:
        """Give ``seat`` a new token or person. The player who held it before loses it."""
        async with self.lock:
            await self.host.store.open_seat(self.id, seat, access)
            await self._tell_seats()
        await self.publish({"seats": True})

    async def plan(self, seat: int, kept: ConditionalLines | None) -> None:
        """Write the conditional moves of ``seat`` (None: it has none), and let the owner know."""
        await self.host.store.keep_conditional(self.id, seat, kept)
        self.conditional.renew(later=kept is None or kept.number == self.session.number)
        await self.publish({"conditional": True})

    @property
    def is_idle(self) -> bool:
        """Return whether the table can leave memory."""
        acts = self.lock.locked() or self.engines.is_thinking or self.conditional.is_playing
        return not (self.clients or self.visitors or acts)

    def drop(self) -> None:
        """Remove the table from memory."""
        self.put_away()
        self._stop_announcing()
        if self.host.pubsub.reaches_others:
            self.host.spawn(self.host.pubsub.unsubscribe(self.channel, self._hear))

    # The owner ------------------------------------------------------------------------------------------------------

    async def consider_owning(self) -> None:
        """Own the table if no living process does."""
        if self.damage is None and not self.owned and (self.owner is None or await self.host.lease.is_dead(self.owner)):
            with contextlib.suppress(SessionError, Unreachable):
                async with self.lock:
                    await self._own()

    async def _own(self) -> None:
        """Own the table if no living process does. The caller has the lock."""
        lease, store = self.host.lease, self.host.store
        if self.owned or not lease.is_sure:  # a process that stood still does not know yet for how long
            return
        number, before = (await store.heads([self.id]))[self.id]
        self.owner = before
        if not self.owned and before is not None and not await lease.is_dead(before):
            return
        await self.give_back(number, await state.time_lost(lease, before, [self.session]))
        owner = lease.process_id
        if not self.owned:
            taken = await store.own([self.id], owner, before)
            if self.id not in taken:
                return
            number = taken[self.id]
        await self.take(number, owner)

    async def give_back(self, number: int, lost: state.TimeLost) -> None:
        """Give the time that was ``lost`` back to the player whose clock runs. ``number`` is that of the log's last
        event. A process does this before it owns the table: if it dies in between, the next one sees who owned the
        table last, and gives back the rest. The caller has the lock."""
        if number != self.session.number:
            await self.catch_up()
        resume = state.Change(lambda session, now: session.resume(now, lost(session, now)), as_owner=True)
        await self._commit(resume, self.host.now())

    async def take(self, number: int, owner: int) -> None:
        """Run clocks and engines from now on: this process owns the table, whose last event has this ``number``, under
        the id ``owner``. If that is over by now, lost time is to be given back first. The caller has the lock."""
        self.owner = owner
        if number != self.session.number:
            await self.catch_up()
        if self.damage is None and self.owned:
            if self.host.lease.is_sure or self.session.break_ends is not None:
                await self._check_time(self.host.now())
            self._wake()

    async def _check_time(self, now: int) -> None:
        await self._commit(state.Change(Session.check_time, as_owner=True), now)

    async def _may_act(self, came: int, since: int | None = None) -> bool:
        """Return whether a command that ``came`` then can be decided now. If a flag may have fallen, the owner judges
        it first; if the owner may be dead, lost time is given back first. ``since`` is when the sender connected,
        perhaps because the owner died. All times are in milliseconds. The caller has the lock."""
        clock, lease = self.session.clock, self.host.lease
        if clock is None or clock.running is None:
            return True
        if self.owned:
            if not lease.is_sure:
                return False
            if clock.timed_out(came) is not None:
                await self._check_time(came)
            return self.owned
        if clock.timed_out(came) is not None or self.owner is None:
            return False
        return not await lease.is_late(self.owner, since)

    # The owner's alarm ----------------------------------------------------------------------------------------------

    def set_alarm(self) -> None:
        """Set the alarm for the flag of the player to move. An earlier alarm stays, and is set again when it rings:
        most flags never fall, and a new alarm for each action would cost more."""
        wait = self._wait()
        if wait is None:
            self.put_away()
            return
        loop = asyncio.get_running_loop()
        when = loop.time() + min(wait, 86_400)
        if self._alarm is None or self._alarm.when() > when:
            self.put_away()
            self._alarm = loop.call_at(when, self._ring)

    def _wait(self) -> float | None:
        """Return the seconds until the flag of the player to move has fallen; None if no flag can fall, or another
        process owns the table."""
        lease, deadline = self.host.lease, self.session.deadline if self.owned and self.damage is None else None
        if deadline is None:
            return None
        wait = max(0.0, (deadline - self.host.now()) / 1000) + (0.002 if lease.is_alone else GRACE_SECONDS)
        return wait if lease.is_sure else max(wait, 0.2)

    def _ring(self) -> None:
        self._alarm = None
        wait = self._wait()
        if wait is not None and wait > GRACE_SECONDS:  # the alarm was set for an earlier one
            self.set_alarm()
        elif wait is not None:
            self.host.spawn(self._judge_flag())

    async def _judge_flag(self) -> None:
        async with self.lock:
            if self.owned and self.host.lease.is_sure:
                with contextlib.suppress(SessionError):  # it went on elsewhere, or cannot be written now
                    try:
                        await self._check_time(self.host.now())
                    except Unreachable:
                        await asyncio.sleep(0.5)
            self.set_alarm()

    def put_away(self) -> None:
        """Cancel the alarm."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
