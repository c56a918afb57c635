"""Two server processes that are killed, frozen, told to stop, and cut off, and whether the players notice.

    python -m benchmarks.fault --games 200            two processes on PostgreSQL and Redis (started for it)
    python -m benchmarks.fault --games 200 --sqlite   one process on SQLite
    python -m benchmarks.fault --games 200 --partitions   two processes cut off from PostgreSQL and Redis (as root)
    python -m benchmarks.fault --games 200 --power    power cuts that lose unsynced writes, and syncs that fail

:mod:`tests.support.failure_trial` says what is done and what must hold; the tests run a short form of it.
"""

from __future__ import annotations

import argparse
import sys

from tests.support import disk, network, services
from tests.support.failure_trial import play_through_failures
from tests.support.processes import summary


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=16)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--sqlite", action="store_true", help="one process on SQLite")
    parser.add_argument("--partitions", action="store_true", help="lose packets to the database and Redis instead")
    parser.add_argument("--power", action="store_true", help="one process on SQLite that loses its power instead")
    asked = parser.parse_args()
    if asked.partitions and network.missing():
        sys.exit(network.missing())
    if asked.power and disk.missing():
        sys.exit(disk.missing())
    if not asked.sqlite and not asked.power and services.missing():
        sys.exit(services.missing())
    found = play_through_failures(
        asked.games, asked.seed, asked.at_once, asked.sqlite, asked.processes, asked.partitions, asked.power
    )
    told = ", ".join(f"{count} {kind}" for kind, count in found.acknowledged.most_common())
    print(
        f"{found.finished} of {found.games} games played to their end in {found.seconds:.0f} s through {found.kills} "
        f"SIGKILLs, {found.stops} SIGTERMs, {found.suspensions} SIGSTOPs "
        f"({found.interrupted / found.games:.1f} a game) and {found.redis} deaths of Redis, "
        f"{found.partitions} partitions; {found.failed_syncs} syncs failed, {found.sectors} unsynced sectors lost\n"
        f"acknowledged: {told}; {found.refused} refused; {found.engine_moves} actions of engines\n"
        f"{found.resent} messages sent again after a connection was lost, {found.doubled} sent twice, {found.cuts} "
        f"connections cut\n"
        f"{found.flags} flags fell, {found.slow} of them of players who knew and were slow, the others of players "
        f"asleep unless said below; clocks were given time back "
        f"{found.given_back} times\n"
        f"start of a process to its first answer: {summary(found.restarts_s)}\n"
        f"lost connection to the state of the game: {summary(found.back_s)}\n"
        f"message to acknowledgement, through all of it: {summary(found.acks_s)}\n"
        f"violations: {len(found.violations)}"
    )
    for violation in found.violations[:50]:
        print(violation)
    sys.exit(1 if found.violations or found.finished < found.games else 0)


if __name__ == "__main__":
    main()
