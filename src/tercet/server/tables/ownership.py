"""How long no process served a table: the next owner gives that time back to the player whose clock ran."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tercet.play.session import Session
from tercet.server.processes.lease import Lease
from tercet.server.store.leases import time_down

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
