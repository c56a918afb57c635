"""Kill the server at random moments of games played over WebSocket, and see whether anything is lost or doubled.

    python -m benchmarks.kill --games 200
    python -m benchmarks.kill --games 200 --power   power cuts that lose unsynced writes, and syncs that fail

:mod:`tests.support.kill_trial` says what is done and what must hold; the tests run a short form of it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.support import disk
from tests.support.kill_trial import play_through_kills


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=12)
    parser.add_argument("--side", type=int, default=4)
    parser.add_argument("--power", action="store_true", help="cut the power, with writes open; have syncs fail")
    asked = parser.parse_args()
    if asked.power and disk.missing():
        sys.exit(disk.missing())
    with tempfile.TemporaryDirectory() as folder:
        found = play_through_kills(Path(folder), asked.games, asked.seed, asked.at_once, asked.side, asked.power)
    restarts = sorted(found.restarts_s)
    print(
        f"{found.finished} of {found.games} games played to their end through {found.kills} "
        f"{'power cuts' if asked.power else 'SIGKILLs'} "
        f"({found.interrupted / found.games:.1f} a game)\n"
        f"{found.actions} actions and {found.takebacks} takebacks; {found.resent} messages sent again, of which "
        f"{found.already_written} had been written though their ack was lost\n"
        f"restart to first answer: median {restarts[len(restarts) // 2]:.2f} s, worst {restarts[-1]:.2f} s\n"
        f"{found.failed_syncs} syncs failed, {found.sectors} unsynced sectors lost\n"
        f"violations: {len(found.violations)}"
    )
    for violation in found.violations:
        print(violation)
    sys.exit(1 if found.violations or found.finished < found.games else 0)


if __name__ == "__main__":
    main()
