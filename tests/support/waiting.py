"""Waiting for a condition, not for a length of time: a deadline that fails loudly, a short pause between two looks."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PAUSE = 0.02  # seconds between two looks


def until(condition: Callable[[], T], seconds: float = 60.0, what: str = "it did not happen") -> T:
    """The first true value of ``condition``; an AssertionError that says ``what`` when none came in ``seconds``."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what} within {seconds:g} s"
        time.sleep(PAUSE)
    return found


async def until_async(condition: Callable[[], T], seconds: float = 60.0, what: str = "it did not happen") -> T:
    """The same in an event loop, which goes on meanwhile."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what} within {seconds:g} s"
        await asyncio.sleep(PAUSE)
    return found
