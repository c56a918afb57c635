"""Random numbers for kernels, the same in every mode: a state of 62 bits, which the caller keeps and hands on."""

from __future__ import annotations

from typing import Any

from tercet.kernel.bits import u
from tercet.kernel.marks import kernel

_SEED_MASK = (1 << 62) - 1


@kernel
def start_seed(seed: int) -> int:
    """State of the random sequence number ``seed`` (any integer below 2**62)."""
    state = (seed * 2862933555777941757 + 3037000493) & _SEED_MASK
    state = state ^ (state >> 29)
    state = (state * 3202034522624059733 + 1) & _SEED_MASK
    return state ^ (state >> 32)


@kernel
def advance_seed(state: int) -> int:
    """Next state: a linear congruential step modulo 2**62 (Knuth's MMIX multiplier)."""
    return (state * 6364136223846793005 + 1442695040888963407) & _SEED_MASK


@kernel
def branch_seed(state: int) -> int:
    """State of another sequence: for draws that must not run along the one that ``state`` belongs to."""
    return advance_seed(state ^ 0x1545F4914F6CDD1D)


@kernel
def pick(state: int, n: int) -> int:
    """A number in 0..n-1 (n below 2**31) from ``state``, whose bits are mixed first."""
    mixed = ((state ^ (state >> 31)) * 0x3F58476D1CE4E5B9) & _SEED_MASK
    return ((mixed >> 30) * n) >> 32


@kernel
def shuffle(entries: Any, count: int, need: int, seed: int) -> None:
    """Put the first ``need`` of ``count`` entries in the random order number ``seed``."""
    state = start_seed(seed)
    for place in range(min(need, count - 1)):
        state = advance_seed(state)
        other = place + pick(state, count - place)
        entry = entries[u(other)]
        entries[u(other)] = entries[u(place)]
        entries[u(place)] = entry
