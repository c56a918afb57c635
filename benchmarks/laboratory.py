"""How busy the laboratory keeps its workers, in games of Sparklies on 5x5 between engines of level 2.

    python -m benchmarks.laboratory                 # 10,000 games, one process a core
    python -m benchmarks.laboratory --games 600 --workers 2

It prints the seconds of processor that the workers used, as a share of workers x wall time. Where other programs keep
the machine busy, this share is low whatever the laboratory does. So a second share leaves out the time in which workers
had something to do and waited for a core (``/proc/PID/schedstat`` of Linux). It is rather too low, because the process
that gives them games waits for a core as well. The time in which the workers start is left out: both shares begin with
the first report of progress.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from pathlib import Path

from tercet.laboratory import Arm, Stop, Study, players, run_study


class Watch:
    """What the workers did until each report of progress."""

    def __init__(self) -> None:
        self.looks: list[tuple[float, float, float]] = []  # the time, seconds that workers ran, that they waited

    def look(self, _progress: object) -> None:
        """Note what the workers have done so far. They live as long as the study."""
        ran = waited = 0
        for worker in multiprocessing.active_children():
            counts = Path(f"/proc/{worker.pid}/schedstat").read_text(encoding="ascii").split()
            ran += int(counts[0])
            waited += int(counts[1])
        self.looks.append((time.monotonic(), ran / 1e9, waited / 1e9))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    if asked.workers < 2:
        parser.error("One worker would be this process itself: ask for two at least.")
    arm = Arm("sparklies", {"board": "5x5"}, players("level:2"), name="5x5")
    study = Study("busy", "How busy are the workers?", (arm,), ("share",), Stop(games=asked.games))
    watch = Watch()
    with tempfile.TemporaryDirectory() as folder:
        results = run_study(study, folder, workers=asked.workers, report=watch.look)
    working = [look for look in watch.looks if look[1] > 0]
    wall, ran, waited = (last - first for first, last in zip(working[0], working[-1], strict=True))
    whole = wall * asked.workers
    print(f"{sum(len(one.rows) for one in results.arms)} games by {asked.workers} workers, {wall:.1f} s measured")
    print(f"{ran / whole:.1%} busy: workers used {ran:.1f} of {whole:.1f} s of processor")
    print(f"{ran / (whole - waited):.1%} busy without the {waited:.1f} s in which they waited for a core")


if __name__ == "__main__":
    main()
