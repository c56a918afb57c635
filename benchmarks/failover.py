"""What a failover of PostgreSQL to a replica loses of what was acknowledged.

    python -m benchmarks.failover [--events 200]

:mod:`tests.support.failover_trial` says what is done: once with an asynchronous replica, as PostgreSQL makes one, and
once with ``synchronous_standby_names`` and ``synchronous_commit=on``.
"""

from __future__ import annotations

import argparse
import sys

from tests.support import services
from tests.support.failover_trial import SYNCHRONOUS, fail_over


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--events", type=int, default=200)
    asked = parser.parse_args()
    if services.missing():
        sys.exit(services.missing())
    worst = 0
    for synchronous in (False, True):
        found = fail_over(asked.events, synchronous)
        how = " ".join(SYNCHRONOUS) if synchronous else "an asynchronous replica"
        print(
            f"{how}: {found.acknowledged} events acknowledged, {found.later} more after the replica fell behind, "
            f"{found.waiting} waiting for their acknowledgement when the primary died; lost: {found.lost}"
        )
        worst = found.lost if synchronous else worst
    sys.exit(1 if worst else 0)


if __name__ == "__main__":
    main()
