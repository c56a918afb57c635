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
        spread_word: _device(spread_word),
        gather_word: _device(gather_word),
    },
)
"""What :func:`tercet.kernel.build` compiles with, as in :mod:`tercet.kernel.compiled`."""
