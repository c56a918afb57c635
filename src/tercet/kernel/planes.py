"""How kernels write planes for a network: many entries at a time, which compilers make vector instructions of."""

from __future__ import annotations

from typing import Any

from tercet.kernel.marks import inlined, spread_word, u


@inlined
def fill(out: Any, first: int, last: int, value: Any) -> None:
    """Write ``value`` to the entries of ``out`` from ``first`` to ``last`` - 1."""
    for index in range(first, last):
        out[u(index)] = value


@inlined
def spread_within(word: int, out: Any, first: int) -> None:
    """Write the lowest 32 bits of ``word`` to ``out`` from entry ``first`` on, as zeros and ones, as many as fit."""
    if first + 32 <= len(out):
        spread_word(word, out, first)
    else:
        for bit in range(len(out) - first):
            out[u(first + bit)] = (word >> bit) & 1


@inlined
def every_third(bits: int) -> int:
    """Return the lowest 21 ``bits``, no others being set, moved apart: bit i to place 3 * i."""
    bits = (bits | (bits << 32)) & 0x1F00000000FFFF
    bits = (bits | (bits << 16)) & 0x1F0000FF0000FF
    bits = (bits | (bits << 8)) & 0x100F00F00F00F00F
    bits = (bits | (bits << 4)) & 0x10C30C30C30C30C3
    return (bits | (bits << 2)) & 0x1249249249249249


@inlined
def list_threes(words: tuple[int, int, int], count: int, first: int, out: Any, start: int) -> int:
    """Write ``first`` + 3 * i + k to ``out`` where bit i of ``words[k]`` is set, for i below ``count`` (at most 21),
    rising, from entry ``start`` on; returns the entry after the last. ``out`` has room for one more."""
    zero, one, two = words
    for bit in range(count):
        number = first + 3 * bit
        out[u(start)] = number
        start += (zero >> bit) & 1
        out[u(start)] = number + 1
        start += (one >> bit) & 1
        out[u(start)] = number + 2
        start += (two >> bit) & 1
    return start
