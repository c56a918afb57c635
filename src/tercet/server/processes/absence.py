"""Detect when this process was away: suspended, or waiting while its event loop stood still. A busy process is not
away.

Clocks stand still only while the process was away; otherwise an attacker who keeps the event loop busy could think for
longer than the clock allows. Processor time tells the two apart. A process under SIGSTOP, in a paused virtual machine
or behind a dead disk uses none; one that answers a flood, compiles or collects garbage uses it all the time. A thread
notes every half second how much was used, so that a long freeze is judged piece by piece. While a machine sleeps,
``time.monotonic`` stands still, and with it the clocks of a server on SQLite: nothing is to be given back.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable

SAMPLE_SECONDS = 0.5  # between two notes of the processor time
LEAST_SECONDS = 1.0  # for which the event loop stands still, and the process is idle, before it counts
IDLE_SHARE = 0.1  # of a piece of time: a process that computed for longer was busy
KEPT_SAMPLES = 7200  # an hour
KEPT_ABSENCES = 100

Interval = tuple[float, float]


def _slept() -> float:
    """Return for how many seconds this machine has slept since it was started, as far as it can be known."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return 0.0 if boot is None else time.clock_gettime(boot) - time.clock_gettime(time.CLOCK_MONOTONIC)


class Absences:
    """The absences of this process, in seconds of ``now``. ``look`` is called by the event loop every now and then."""

    def __init__(
        self, now: Callable[[], float] = time.monotonic, processor: Callable[[], float] = time.process_time
    ) -> None:
        self._now = now
        self._processor = processor
        self._samples: deque[Interval] = deque(maxlen=KEPT_SAMPLES)  # when, and the processor time used by then
        self._found: deque[Interval] = deque(maxlen=KEPT_ABSENCES)
        self._looked = now()
        self._slept = _slept()
        self._stop = threading.Event()
        self._timer: asyncio.TimerHandle | None = None
        self.sample()

    def start(self) -> None:
        """Watch from now on, on the running event loop and in a thread."""
        threading.Thread(target=self._watch, name="tercet-absence", daemon=True).start()
        self._tick(asyncio.get_running_loop())

    def stop(self) -> None:
        """Stop watching."""
        self._stop.set()
        if self._timer is not None:
            self._timer.cancel()

    def _watch(self) -> None:
        while not self._stop.wait(SAMPLE_SECONDS):
            self.sample()

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        self.look()
        self._timer = loop.call_later(SAMPLE_SECONDS, self._tick, loop)

    def sample(self) -> None:
        """Note how much processor time was used by now."""
        self._samples.append((self._now(), self._processor()))

    def look(self) -> None:
        """Note that the event loop runs, and when it did not."""
        self.sample()
        since, self._looked = self._looked, self._now()
        if self._looked - since <= LEAST_SECONDS:
            return
        idle: list[Interval] = []
        for (start, used), (end, used_then) in itertools.pairwise(list(self._samples)):
            if end > since and used_then - used < IDLE_SHARE * (end - start):
                begun = idle.pop()[0] if idle and idle[-1][1] == start else max(start, since)
                idle.append((begun, end))
        # On a crowded machine a busy process, too, is left without a processor for a moment.
        self._found.extend((start, end) for start, end in idle if end - start > LEAST_SECONDS)

    def between(self, since: float, until: float) -> list[Interval]:
        """Return the absences from ``since`` to ``until``, in order."""
        self.look()
        clipped = [(max(start, since), min(end, until)) for start, end in self._found]
        return [(start, end) for start, end in clipped if end > start]

    def has_slept(self) -> bool:
        """Return whether the machine has slept since the last call."""
        before, self._slept = self._slept, _slept()
        return self._slept - before > LEAST_SECONDS
