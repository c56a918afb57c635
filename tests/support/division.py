"""Which cases of a test are in `make test`, and which in `make test-online` or `make test-thorough`."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def thorough_but(kept: Callable[[Any], bool], cases: Iterable[Any], mark: Any = pytest.mark.thorough) -> list[Any]:
    """Mark all ``cases`` as thorough but those that ``kept`` says are kept in `make test`: cases of a game whose
    kernels no other test there compiles, and options that differ little from others."""
    return [it if kept(it) else pytest.param(*(it if isinstance(it, tuple) else [it]), marks=mark) for it in cases]


def online_but(kept: Callable[[Any], bool], cases: Iterable[Any]) -> list[Any]:
    """As `thorough_but`, for cases that CI has in `make test-online`."""
    return thorough_but(kept, cases, pytest.mark.online)
