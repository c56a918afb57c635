"""The marks that :func:`tercet.kernel.build` looks for. A marked function stays plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Mark ``function`` as a kernel. It stays the plain Python function that it is."""
    function.__kernel__ = "kernel"  # type: ignore[attr-defined]
    return function


def inlined(function: F) -> F:
    """Mark ``function`` as a kernel that is compiled into all that call it: for those on the way of every action whose
    call costs more than their work (each array of a call is seven arguments)."""
    function.__inlined__ = True  # type: ignore[attr-defined]
    return kernel(function)


def noinline(function: F) -> F:
    """Mark ``function`` as a kernel that compilers never copy into its callers: for large ones, whose work costs far
    more than a call. It keeps compile times down where a search calls it in several places."""
    function.__inlined__ = False  # type: ignore[attr-defined]
    return kernel(function)


def abstract(function: F) -> F:
    """Mark ``function`` as a place that :func:`build` fills with a game's kernel of the same name."""
    function.__kernel__ = "abstract"  # type: ignore[attr-defined]
    return function
