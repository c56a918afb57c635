"""What kernels do with the bits of a word. Here in plain Python; each compiler has its own forms of these functions."""

from __future__ import annotations

from typing import Any


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


_NATIVE: tuple[Any, ...] = (u, popcount, lowest_bit, spread_word)
for _function in _NATIVE:
    _function.__kernel__ = "native"
