"""How numba-cuda compiles one twin for a GPU, and its forms of the functions of :mod:`tercet.kernel.bits`."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np
from numba import cuda

from tercet.kernel.bits import lowest_bit, popcount, spread_word, u

__all__ = ["BACKEND"]

_device = cuda.jit(device=True)


@_device
def _popcount(word: Any) -> Any:
    return cuda.popc(word)


@_device
def _lowest_bit(word: Any) -> Any:
    return cuda.ffs(word) - 1


@_device
def _unsigned(index: Any) -> Any:
    return np.uint64(index)


@_device
def _spread_word(word: Any, out: Any, start: Any) -> None:
    for bit in range(32):
        out[start + bit] = (word >> bit) & 1


def _compile(twin: FunctionType, _fingerprint: str, _inline: bool | None) -> Any:
    return _device(twin)


BACKEND = (_compile, {u: _unsigned, popcount: _popcount, lowest_bit: _lowest_bit, spread_word: _spread_word})
"""What :func:`tercet.kernel.build` compiles with, as in :mod:`tercet.kernel.compiled`."""
