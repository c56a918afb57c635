"""Random numbers and logarithms for kernels, alike in every mode and on every machine.

The state of a random sequence has 62 bits; the caller keeps it and hands it on. The logarithm of a whole number is made
of sums, products and quotients alone, which every machine rounds alike; those of systems differ in the last bit, and so
would the trees that are searched with them.
"""

from __future__ import annotations

from typing import Any

from tercet.kernel.marks import inlined, kernel, u

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
    for index in range(min(need, count - 1)):
        state = advance_seed(state)
        other = index + pick(state, count - index)
        entry = entries[other]
        entries[u(other)] = entries[index]
        entries[index] = entry


ROOT_OF_TWO = 1.4142135623730951
LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10  # products of the first with 0..63 are exact


@inlined
def natural_log(count: int) -> float:
    """The natural logarithm of ``count``, a whole number from 1 to 2**62, to within two units in the last place."""
    fraction = float(count)
    exponent = 0
    if fraction >= 4294967296.0:
        fraction = fraction * 2.3283064365386963e-10
        exponent += 32
    if fraction >= 65536.0:
        fraction = fraction * 1.52587890625e-05
        exponent += 16
    if fraction >= 256.0:
        fraction = fraction * 0.00390625
        exponent += 8
    if fraction >= 16.0:
        fraction = fraction * 0.0625
        exponent += 4
    if fraction >= 4.0:
        fraction = fraction * 0.25
        exponent += 2
    if fraction >= 2.0:
        fraction = fraction * 0.5
        exponent += 1
    if fraction >= ROOT_OF_TWO:
        fraction = fraction * 0.5
        exponent += 1
    # log(f) = 2 artanh(s) with s = (f - 1) / (f + 1), by its series in s * s; odd and even terms run side by side.
    s = (fraction - 1.0) / (fraction + 1.0)
    z = s * s
    w = z * z
    even = 2 / 3 + w * (2 / 7 + w * (2 / 11 + w * (2 / 15 + w * (2 / 19))))
    odd = w * (2 / 5 + w * (2 / 9 + w * (2 / 13 + w * (2 / 17 + w * (2 / 21)))))
    series = s * (2.0 + (z * even + odd))
    return exponent * LN2_HIGH + (series + exponent * LN2_LOW)
