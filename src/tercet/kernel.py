"""One source, three ways to run it: plain Python, compiled by Numba, compiled for a GPU.

A *kernel* is a module-level function marked ``@kernel`` which works on rows of integers, neither allocates nor
touches Python objects, and calls only other kernels. As written it is plain Python: call it with lists of
integers to read, debug or cover it. :func:`build` makes the compiled twin of a whole module of them.

An *abstract* kernel is one that a generic module (playouts, perft, tree search) leaves open: ``build`` binds it to the
function of that name from a game, so that the generic module is compiled once for each game with every call
inlined, and cached on disk.

What kernels may rely on in all modes: integers behave as 64-bit signed ones that never overflow, and ``rules``
(int32), ``row`` (int64), ``out`` (int32), ``events`` (int32) and scores (float64) are one-dimensional: arrays when
compiled, lists when interpreted. No slices of them, no negative index, no division of negative numbers.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, TypeVar

__all__ = [
    "Mode",
    "abstract",
    "advance_seed",
    "branch_seed",
    "build",
    "cache_directory",
    "entry",
    "hearing_compile",
    "inlined",
    "kernel",
    "lowest_bit",
    "on_compile",
    "pick",
    "popcount",
    "spread_word",
    "start_seed",
    "u",
]

F = TypeVar("F", bound=Callable[..., Any])
Mode = str  # "compiled" or "interpreted", or another with a backend of its own
Backend = tuple[Callable[[FunctionType, str, bool], Any], dict[Any, Any]]

_SEED_MASK = (1 << 62) - 1

# Kernels never allocate, so arrays need no reference counts (`_nrt`): counting was half the time of a playout.
_HOW = {"nogil": True, "error_model": "numpy", "_nrt": False}


def kernel(function: F) -> F:
    """Mark ``function`` as a kernel. It stays the plain Python function that it is."""
    function.__kernel__ = "kernel"  # type: ignore[attr-defined]
    return function


def inlined(function: F) -> F:
    """Mark ``function`` as a kernel that is compiled into all that call it: for those on the way of every action whose
    call costs more than their work (each array of a call is seven arguments)."""
    function.__inlined__ = True  # type: ignore[attr-defined]
    return kernel(function)


def abstract(function: F) -> F:
    """Mark ``function`` as a place that :func:`build` fills with a game's kernel of the same name."""
    function.__kernel__ = "abstract"  # type: ignore[attr-defined]
    return function


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


_NATIVES: tuple[Any, ...] = (u, popcount, lowest_bit, spread_word)
for _native in _NATIVES:
    _native.__kernel__ = "native"


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


def cache_directory() -> Path:
    """Where compiled kernels are kept: ``TERCET_CACHE`` if set, else the user's cache directory."""
    chosen = os.environ.get("TERCET_CACHE")
    if chosen:
        return Path(chosen) / "kernels"
    import platformdirs

    return Path(platformdirs.user_cache_dir("tercet", appauthor=False)) / "kernels"


class _Progress:
    """Tells on stderr that kernels are being compiled: on a terminal by one line with a count, which disappears when
    all is compiled that was asked for; elsewhere by one line at the end of the program."""

    def __init__(self) -> None:
        self._count = 0
        self._open = 0  # a kernel is compiled within the compilation of what calls it
        self._seconds = 0.0
        self._began = 0.0

    def __call__(self, name: str) -> None:
        if not self._count:
            atexit.register(self._sum_up)
        if not self._open:
            self._began = time.perf_counter()
        self._count += 1
        self._open += 1
        if sys.stderr.isatty():
            text = f"tercet: compiling, once ({self._count}: {name}); `tercet warm` does it ahead"
            sys.stderr.write(f"\r\x1b[K{text[: shutil.get_terminal_size().columns - 1]}")
            sys.stderr.flush()

    def finished(self) -> None:
        """One of the kernels is compiled."""
        self._open = max(0, self._open - 1)
        if not self._open:
            self._seconds += time.perf_counter() - self._began
            if sys.stderr.isatty():
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()

    def _sum_up(self) -> None:
        if not sys.stderr.isatty():
            words = f"{self._count} kernels in {self._seconds:.0f} s"
            sys.stderr.write(f"tercet: compiled {words} (once; `tercet warm` does it ahead)\n")


_progress = _Progress()
_listener: Callable[[str], None] = _progress


def on_compile(listener: Callable[[str], None] | None) -> None:
    """Call ``listener(name)`` whenever a kernel has to be compiled; ``None`` restores the line on stderr."""
    global _listener
    _listener = listener or _progress


@contextlib.contextmanager
def hearing_compile(listener: Callable[[str], None]) -> Iterator[None]:
    """Within this, ``listener(name)`` is called whenever a kernel has to be compiled, besides whom :func:`on_compile`
    named; the line on stderr is not written."""
    global _listener
    before = _listener

    def both(name: str) -> None:
        if before is not _progress:
            before(name)
        listener(name)

    _listener = both
    try:
        yield
    finally:
        _listener = before


def _compiler() -> Backend:
    """The function that compiles one twin, and the compiled forms of the native kernels."""
    import numba
    import numpy as np
    from llvmlite import ir
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

    directory = cache_directory()

    class Locator(_CacheLocator):  # type: ignore[misc]
        """Keeps everything in one directory; the name carries the fingerprint, so nothing in it is ever stale."""

        def __init__(self, py_func: Any, _py_file: str) -> None:
            self._py_func = py_func

        def get_cache_path(self) -> str:
            return str(directory)

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
                _listener(self._name.rsplit("-", 1)[0])
            return found

        def save_overload(self, sig: Any, data: Any) -> None:
            if _listener is _progress:
                _progress.finished()
            with contextlib.suppress(OSError):  # a full disk costs the next start some seconds, no more
                super().save_overload(sig, data)

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def compiled_popcount(_typing: Any, _word: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return numba.int64(numba.int64), generate

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def compiled_lowest_bit(_typing: Any, _word: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], context.get_constant(numba.boolean, True))

        return numba.int64(numba.int64), generate

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def compiled_spread_word(_typing: Any, _word: Any, out: Any, _start: Any) -> Any:
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

    def unsigned(index: Any) -> Any:
        return np.uint64(index)

    def compile_one(twin: FunctionType, fingerprint: str, inline: bool) -> Any:
        twin.__qualname__ = f"{twin.__qualname__}-{fingerprint}"
        dispatcher = numba.njit(forceinline=inline, **_HOW)(twin)
        try:
            cache = Cache(twin)
        except RuntimeError:  # no writable cache directory: compile in memory
            return dispatcher
        cache._name = twin.__qualname__
        dispatcher._cache = cache
        return dispatcher

    natives = {
        u: numba.njit(inline="always")(unsigned),
        popcount: compiled_popcount,
        lowest_bit: compiled_lowest_bit,
        spread_word: compiled_spread_word,
    }
    return compile_one, natives


def _is_record(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


_shared: Backend | None = None


def entry(function: Any, *like: Any) -> Any:
    """``function`` for arguments of exactly the types of ``like``, checked by nobody: spares a compiled function the
    look at its arguments, which is most of the cost of calling it. An interpreted function is given back as it is."""
    if not hasattr(function, "compile"):
        return function
    import numba

    return function.compile(tuple(numba.typeof(value) for value in like))


def build(
    source: object,
    mode: Mode,
    tag: str,
    implementations: Mapping[str, Any] | None = None,
    backend: Backend | None = None,
) -> SimpleNamespace:
    """All kernels of ``source`` in the given mode, as a namespace.

    ``tag`` names the owner (a game) in messages and in the cache. ``implementations`` gives the functions,
    built in the same mode, for the module's abstract kernels; one that nothing implements is left out with its callers.
    Any other mode than compiled and interpreted needs a ``backend``: what compiles one function (given its fingerprint
    and whether to inline it), and its forms of the native kernels.
    """
    global _shared
    implementations = implementations or {}
    compile_one: Callable[[FunctionType, str, bool], Any] | None = None
    natives: dict[Any, Any] = {}
    if mode == "compiled":
        if _shared is None:
            _shared = _compiler()
        compile_one, natives = _shared
    elif backend is not None:
        compile_one, natives = backend
    elif mode != "interpreted":
        raise ValueError(f"mode is 'compiled' or 'interpreted', not {mode!r}")

    done: dict[Any, tuple[Any, str] | None] = {}

    def twin_of(function: Any) -> tuple[Any, str] | None:
        kind = function.__kernel__
        if kind == "native":
            return natives.get(function, function), function.__name__
        if kind == "abstract":
            implementation = implementations.get(function.__name__)
            return (
                None
                if implementation is None
                else (implementation, getattr(implementation, "fingerprint", implementation.__name__))
            )
        if function in done:
            return done[function]
        code = function.__code__
        scope = dict(function.__globals__)
        inline = getattr(function, "__inlined__", False)
        parts = [
            repr(_HOW) + " inlined" * inline,
            repr(code.co_code.hex()),
            repr(code.co_consts),
            repr(code.co_varnames),
        ]
        # Where a record's fields lie is compiled in, too.
        parts += [f"{name}{value._fields}" for name, value in sorted(scope.items()) if _is_record(value)]
        for name in sorted(code.co_names):
            value = scope.get(name)
            if getattr(value, "__kernel__", None) is not None:
                called = twin_of(value)
                if called is None:
                    done[function] = None
                    return None
                scope[name] = called[0]
                parts.append(f"{name}:{called[1]}")
            elif name in scope:
                parts.append(f"{name}={value!r}" if isinstance(value, int | float | tuple) else name)
            else:
                parts.append(name)  # a built-in, or an attribute: `math.log` is not `math.sqrt`
        fingerprint = hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]
        twin = FunctionType(code, scope, function.__name__, function.__defaults__, None)
        twin.__module__ = function.__module__
        twin.__qualname__ = f"{tag}.{function.__name__}"
        twin.__doc__ = function.__doc__
        made: Any = compile_one(twin, fingerprint, inline) if compile_one else twin
        made.fingerprint = fingerprint
        done[function] = (made, fingerprint)
        return done[function]

    result = SimpleNamespace()
    for name, value in list(vars(source).items()):
        if getattr(value, "__kernel__", None) == "kernel":
            twin = twin_of(value)
            if twin is not None:
                setattr(result, name, twin[0])
        elif getattr(value, "__kernel__", None) == "abstract" and name in implementations:
            setattr(result, name, implementations[name])
    return result
