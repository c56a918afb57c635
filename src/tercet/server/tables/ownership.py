"""Which process acts at a table unasked, and its clock: flags fall and lost time is given back by the owner alone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable

from tercet.server.errors import Unreachable
from tercet.server.processes.lease import Lease
from tercet.server.store import time_down
from tercet.server.tables.log import Change, TableLog
from tercet.server.tables.state import TableState
from tercet.session import Session, SessionError

__all__ = ["Ownership", "TimeLost", "time_lost"]

GRACE = 0.3  # seconds that actions which other processes took in time have to be written before a flag falls
TimeLost = Callable[[Session, int], int]  # of a session, until then: both in milliseconds


async def time_lost(lease: Lease, before: int | None, sessions: Iterable[Session]) -> TimeLost:
    """Return the function that tells for how long no process served a table with one of these ``sessions``, or a later
    one. The run ``before`` owned it last (None: it was let go of)."""
    clocks = [session.clock.at for session in sessions if session.clock is not None]
    runs = await lease.leases.since(min(clocks) / 1000) if clocks else []
    of_another = before is not None and before != lease.process_id and before not in lease.over
    seen = await lease.last_seen(before) if before is not None and of_another else None

    def lost(session: Session, now: int) -> int:
        clock = session.clock
        if clock is None or clock.running is None or session.is_over:
            return 0
        if session.seats[clock.running].kind == "engine":  # it thinks only while the table is in memory
            return now - clock.at
        found = round(1000 * time_down(runs, clock.at / 1000, now / 1000))
        if before is not None:
            found = max(found, round(1000 * lease.time_away(before, clock.at / 1000, now / 1000)))
        if seen is not None:  # until we came, the game could not be played
            found = max(found, now - max(clock.at, round(1000 * seen)))
        return found

    return lost


class Ownership:
    """Of one table. ``taken`` is called when this process has come to own it."""

    def __init__(self, state: TableState, log: TableLog, taken: Callable[[], None]) -> None:
        self._state = state
        self._log = log
        self._taken = taken
        self._alarm: asyncio.TimerHandle | None = None

    async def consider(self) -> None:
        """Take the table over if no living process owns it. Locks."""
        state = self._state
        if (
            state.damage is None
            and not state.owned
            and (state.owner is None or await state.host.lease.is_dead(state.owner))
        ):
            with contextlib.suppress(SessionError, Unreachable):
                await self._take_over()

    async def _take_over(self) -> None:
        """Own the table unless a living process does: give back the time in which no process ran it, judge a fallen
        flag, and from now on run its clocks and engines."""
        state, lease = self._state, self._state.host.lease
        async with state.lock:
            if state.owned or not lease.is_sure:  # a process that stood still does not know yet for how long
                return
            number, before = (await state.host.store.heads([state.id]))[state.id]
            state.owner = before
            if not state.owned and before is not None and not await lease.is_dead(before):
                return
            await self.give_back(number, await time_lost(lease, before, [state.session]))
            if not state.owned:
                taken = await state.host.store.own([state.id], lease.process_id, before)
                if state.id not in taken:
                    return
                number = taken[state.id]
            await self.take(number)

    async def give_back(self, number: int, lost: TimeLost) -> None:
        """Give back the time that was ``lost`` to the player whose clock runs; ``number`` is that of the log's last
        event. This comes before the process owns the table: if it dies in between, the next one sees who owned it last,
        and gives back the rest. Under the table's lock."""
        state = self._state
        if number != state.session.number:
            await self._log.catch_up()
        now = state.host.now()
        await self._log.commit(Change(lambda session: session.resume(now, lost(session, now))), as_owner=True)

    async def take(self, number: int) -> None:
        """Run the table's clocks and engines from now on: this process has come to own it, and its last event has that
        ``number``. Under the table's lock."""
        state = self._state
        state.owner = state.host.lease.process_id
        if number != state.session.number:
            await self._log.catch_up()
        if state.damage is not None:
            return
        if state.host.lease.is_sure or state.session.break_ends is not None:
            await self._check_time(state.host.now())
        self.set_alarm()
        self._taken()

    async def _check_time(self, now: int) -> None:
        await self._log.commit(Change(lambda session: session.check_time(now)), as_owner=True)

    async def may_act(self, came: int, since: int | None = None) -> bool:
        """Return whether a command that came at ``since`` (milliseconds) can be decided now: the owner judges a flag
        that may have fallen, and if the owner may be dead, time is given back first. The sender may have come to
        this process because the owner died. Under the table's lock."""
        state = self._state
        clock = state.session.clock
        if clock is None or clock.running is None:
            return True
        if state.owned:
            if not state.host.lease.is_sure:
                return False
            if clock.timed_out(came) is not None:
                await self._check_time(came)
            return state.owned
        if clock.timed_out(came) is not None or state.owner is None:
            return False
        return not await state.host.lease.is_late(state.owner, since)

    # The alarm ------------------------------------------------------------------------------------------------------

    def set_alarm(self) -> None:
        """Set the alarm for the flag of the player to move. An earlier alarm stays and is set again when it rings:
        most flags never fall, and setting one with each action costs more."""
        wait = self._wait()
        if wait is None:
            self.put_away()
            return
        loop = asyncio.get_running_loop()
        when = loop.time() + min(wait, 86_400)
        if self._alarm is None or self._alarm.when() > when:
            self.put_away()
            self._alarm = loop.call_at(when, self._wake)

    def _wait(self) -> float | None:
        """Return the seconds until the flag of the player to move has fallen; None if none can, or another process
        owns it."""
        state, lease = self._state, self._state.host.lease
        deadline = state.session.deadline if state.owned and state.damage is None else None
        if deadline is None:
            return None
        wait = max(0.0, (deadline - state.host.now()) / 1000) + (0.002 if lease.is_alone else GRACE)
        return wait if lease.is_sure else max(wait, 0.2)

    def _wake(self) -> None:
        self._alarm = None
        wait = self._wait()
        if wait is not None and wait > GRACE:  # the alarm was set for an earlier one
            self.set_alarm()
        elif wait is not None:
            self._state.host.spawn(self._look_at_clock())

    def put_away(self) -> None:
        """Set no alarm: the next reader of the table looks at its clock."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    async def _look_at_clock(self) -> None:
        state = self._state
        async with state.lock:
            if state.owned and state.host.lease.is_sure:
                with contextlib.suppress(SessionError):  # it went on elsewhere, or cannot be written now
                    try:
                        await self._check_time(state.host.now())
                    except Unreachable:
                        await asyncio.sleep(0.5)
            self.set_alarm()
