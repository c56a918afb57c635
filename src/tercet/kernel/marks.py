"""The marks that :func:`tercet.kernel.build` looks for, and the functions of bits of which each compiler has its own
form. A marked function stays plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar


def u(index: int) -> int:
    """An index known not to be negative: spares the compiled code Python's wrap-around test."""
    return index


def popcount(word: int) -> int:
    """How many bits of ``word`` (not negative) are set."""
    return word.bit_count()


def lowest_bit(word: int) -> int:
    """Index of the lowest set bit of ``word`` (not 0)."""
    return (word & -word).bit_length() - 1


def spread_word(word: int, out: Any, start: int) -> None:
    """Write the lowest 32 bits of ``word`` to ``out`` from entry ``start`` on, as zeros and ones, lowest first."""
    for bit in range(32):
        out[start + bit] = (word >> bit) & 1


def gather_word(entries: Any, start: int) -> int:
    """A word of bits that say which of 32 ``entries`` from ``start`` on are not 0, lowest first."""
    word = 0
    for bit in range(32):
        if entries[start + bit] != 0:
            word |= 1 << bit
    return word


def choose_bits(low: int, high: int, split: int, numbers: Any, start: int, count: int) -> int:
    """A word of ``count`` bits, at most 63: those with the numbers ``numbers[start]``, ``numbers[start + 1]`` and so on
    of two words, of which ``low`` has the bits below number ``split``. ``numbers`` has at least 64 entries from
    ``start`` on."""
    word = 0
    for index in range(count):
        number = numbers[start + index]
        word |= (low >> number & 1 if number < split else high >> (number - split) & 1) << index
    return word


_NATIVE: tuple[Any, ...] = (u, popcount, lowest_bit, spread_word, gather_word, choose_bits)
for _function in _NATIVE:
    _function.__kernel__ = "native"


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
