"""How numba-cuda compiles one twin for a GPU, and its forms of the functions of :mod:`tercet.kernel.marks`."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np
from numba import cuda

from tercet.kernel.marks import gather_word, lowest_bit, popcount, spread_word, u


def _popcount(word: Any) -> Any:
    return cuda.popc(word)


def _lowest_bit(word: Any) -> Any:
    return cuda.ffs(word) - 1


def _unsigned(index: Any) -> Any:
    return np.uint64(index)


def _spread_word(word: Any, out: Any, start: Any) -> None:
    for bit in range(32):
        out[start + bit] = (word >> bit) & 1


def _gather_word(entries: Any, start: Any) -> Any:
    word = 0
    for bit in range(32):
        if entries[start + bit] != 0:
            word |= 1 << bit
    return word


def _device(function: Any) -> Any:
    return cuda.jit(device=True)(function)


def _compile(twin: FunctionType, _fingerprint: str, _inline: bool | None) -> Any:
    return _device(twin)


BACKEND = (
    _compile,
    {
        u: _device(_unsigned),
        popcount: _device(_popcount),
        lowest_bit: _device(_lowest_bit),
        spread_word: _device(_spread_word),
        gather_word: _device(_gather_word),
    },
)
"""What :func:`tercet.kernel.build` compiles with, as in :mod:`tercet.kernel.compiled`."""
