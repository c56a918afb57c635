"""Tasks that kill the process which runs them. Imported by name in other processes."""

import os
import signal
import time
from pathlib import Path


def square(number: int) -> int:
    return number * number


def slow_square(number: int) -> int:
    time.sleep(0.2)
    return number * number


def die_once(task: tuple[str, int]) -> int:
    """The first process that is given number 3 dies of it."""
    marker, number = Path(task[0]), task[1]
    if number == 3 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die_always(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail(number: int) -> int:
    if number == 1:
        raise ValueError("there is no one")
    return number
