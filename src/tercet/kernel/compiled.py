"""How Numba compiles one twin, and its forms of the functions of :mod:`tercet.kernel.bits`.

Importing this imports Numba, which takes half a second: only what compiles does so.
"""

from __future__ import annotations

import contextlib
from types import FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from tercet.kernel.bits import lowest_bit, popcount, spread_word, u
from tercet.kernel.cache import COMPILE_OPTIONS, cache_directory
from tercet.kernel.progress import begin_compile, finish_compile

__all__ = ["BACKEND"]

_DIRECTORY = cache_directory()


class Locator(_CacheLocator):  # type: ignore[misc]
    """Keeps everything in one directory; the name carries the fingerprint, so nothing in it is ever stale."""

    def __init__(self, py_func: Any, _py_file: str) -> None:
        self._py_func = py_func

    def get_cache_path(self) -> str:
        return str(_DIRECTORY)

    def get_source_stamp(self) -> str:
        return str(numba.__version__)

    def get_disambiguator(self) -> None:
        return None

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        self = cls(py_func, py_file)
        try:
            self.ensure_cache_path()
        except OSError:
            return None
        return self


class Impl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [Locator]  # noqa: RUF012  (the name and the list are Numba's)


class Cache(FunctionCache):  # type: ignore[misc]
    _impl_class = Impl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # a damaged entry is no reason to fail: compile again
            found = None
            self.flush()
        if found is None:
            begin_compile(self._name.rsplit("-", 1)[0])
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        finish_compile()
        with contextlib.suppress(OSError):  # a full disk costs the next start some seconds, no more
            super().save_overload(sig, data)


@numba.extending.intrinsic  # type: ignore[untyped-decorator]
def _popcount(_typing: Any, _word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return numba.int64(numba.int64), generate


@numba.extending.intrinsic  # type: ignore[untyped-decorator]
def _lowest_bit(_typing: Any, _word: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(numba.boolean, True))

    return numba.int64(numba.int64), generate


@numba.extending.intrinsic  # type: ignore[untyped-decorator]
def _spread_word(_typing: Any, _word: Any, out: Any, _start: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word, array, start = arguments
        entry = context.get_data_type(out.dtype)
        place = builder.gep(context.make_array(out)(context, builder, value=array).data, [start])
        bits = builder.bitcast(builder.trunc(word, ir.IntType(32)), ir.VectorType(ir.IntType(1), 32))
        vector = ir.VectorType(entry, 32)
        value = builder.zext(bits, vector) if isinstance(entry, ir.IntType) else builder.uitofp(bits, vector)
        builder.store(value, builder.bitcast(place, vector.as_pointer()), align=1)
        return context.get_dummy_value()

    return numba.void(numba.int64, out, numba.int64), generate


def _unsigned(index: Any) -> Any:
    return np.uint64(index)


def _compile(twin: FunctionType, fingerprint: str, inline: bool) -> Any:
    """``twin`` as a compiled function, taken from the disk where it has been compiled before."""
    twin.__qualname__ = f"{twin.__qualname__}-{fingerprint}"
    dispatcher = numba.njit(forceinline=inline, **COMPILE_OPTIONS)(twin)
    try:
        cache = Cache(twin)
    except RuntimeError:  # no writable cache directory: compile in memory
        return dispatcher
    cache._name = twin.__qualname__
    dispatcher._cache = cache
    return dispatcher


BACKEND = (
    _compile,
    {
        u: numba.njit(inline="always")(_unsigned),
        popcount: _popcount,
        lowest_bit: _lowest_bit,
        spread_word: _spread_word,
    },
)
"""What :func:`tercet.kernel.build` compiles with: the compiler of one twin, and its forms of the native functions."""
