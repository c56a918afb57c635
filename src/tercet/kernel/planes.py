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
