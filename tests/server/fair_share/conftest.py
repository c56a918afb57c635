"""Work that takes a known time of a processor, and budgets that nothing else uses."""

import dataclasses
import time
from collections.abc import Callable

from tercet.server.limits.budgets import Budgets, Exchange
from tercet.server.limits.spenders import Spender
from tests.support.limits import OPEN

CLOCK = {"kind": "fischer", "minutes": 5, "increment": 3}
CUP = {"name": "Cup", "form": "swiss", "game": "sanqi", "options": {"side": 4}, "clock": CLOCK}
ANN, BOB = Spender("203.0.113.0/24", "ann"), Spender("198.51.100.0/24", "bob", is_guest=False)


def busy(seconds: float) -> None:
    """Use so much of a processor."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def counting(clock: Callable[[], float] = lambda: 0.0, exchange: Exchange | None = None) -> Budgets:
    """Budgets of 6 seconds of computing and 60 rows a minute."""
    limits = dataclasses.replace(OPEN, cpu_seconds_per_minute=6, rows_per_minute=60)
    return Budgets(limits, exchange or Exchange(), clock)
