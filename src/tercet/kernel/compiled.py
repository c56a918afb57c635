"""How Numba compiles one twin, and its forms of the functions of :mod:`tercet.kernel.marks`.

Importing this imports Numba, which takes half a second: only what compiles does so.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import hashlib
import itertools
import multiprocessing
import time
from collections.abc import Sequence
from types import FunctionType
from typing import IO, Any

import llvmlite.binding
import numba
from llvmlite import ir
from numba.core import cgutils, typed_passes, untyped_passes
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher, cpu_target
from numba.np.arrayobj import populate_array
from numpy._core._multiarray_umath import _ARRAY_API  # type: ignore[import-not-found]

from tercet.kernel.cache import (
    COMPILE_OPTIONS,
    begin_compile,
    begin_function,
    cache_directory,
    finish_compile,
    lock_byte,
)
from tercet.kernel.functions import FASTCALL, Method, new_function
from tercet.kernel.marks import choose_bits, gather_word, lowest_bit, popcount, spread_word, u
from tercet.kernel.planes import every_third, list_threes

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
    """The compiled forms of one function on disk. Of all processes that miss one, a single one compiles it while the
    others wait and load it."""

    _impl_class = Impl
    _began = 0.0
    _lock: IO[bytes] | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._load(sig, target_context)
        if found is None:
            name, _, fingerprint = self._name.rpartition("-")
            worker = multiprocessing.parent_process() is not None  # of many that wait for one, that one alone reports
            if not worker:
                begin_compile(name)
            self._lock = lock_byte(_DIRECTORY / "lock", int(fingerprint[:15], 16))
            found = self._load(sig, target_context)
            if found is not None:
                self.release()
            elif worker:
                begin_compile(name)
            self._began = time.process_time()
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged entry is no reason to fail: compile again
            self.flush()
            return None

    def release(self) -> None:
        """Let other processes go on that wait for this function."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def save_overload(self, sig: Any, data: Any) -> None:
        finish_compile(self._name.rsplit("-", 1)[0], time.process_time() - self._began)
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


@numba.extending.intrinsic  # type: ignore[untyped-decorator]
def _gather_word(_typing: Any, entries: Any, _start: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        array, start = arguments
        vector = ir.VectorType(context.get_data_type(entries.dtype), 32)
        first = builder.gep(context.make_array(entries)(context, builder, value=array).data, [start])
        values = builder.load(builder.bitcast(first, vector.as_pointer()), align=1)
        bits = builder.icmp_unsigned("!=", values, ir.Constant(vector, None))
        return builder.zext(builder.bitcast(bits, ir.IntType(32)), ir.IntType(64))

    return numba.int64(entries, numba.int64), generate


@numba.extending.intrinsic  # type: ignore[untyped-decorator]
def _choose_bits(_typing: Any, _low: Any, _high: Any, _split: Any, numbers: Any, _start: Any, _count: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        low, high, split, array, start, count = arguments
        byte, word = ir.IntType(8), ir.IntType(64)
        flags, lanes = ir.VectorType(ir.IntType(1), 64), ir.VectorType(byte, 64)
        entries = ir.VectorType(context.get_data_type(numbers.dtype), 64)
        first = builder.gep(context.make_array(numbers)(context, builder, value=array).data, [start])
        indices = builder.trunc(builder.load(builder.bitcast(first, entries.as_pointer()), align=1), lanes)
        less = ir.Constant(lanes, None)
        for lane in range(64):
            less = builder.insert_element(less, builder.trunc(split, byte), ir.IntType(32)(lane))

        def bits(source: Any, lane_numbers: Any) -> Any:
            table = builder.sext(builder.bitcast(source, flags), lanes)
            lane_numbers = builder.and_(lane_numbers, ir.Constant(lanes, [63] * 64))
            gathered = ir.Constant(lanes, ir.Undefined)
            for lane in map(ir.IntType(32), range(64)):  # one instruction where the processor has it
                one = builder.extract_element(table, builder.extract_element(lane_numbers, lane))
                gathered = builder.insert_element(gathered, one, lane)
            return gathered

        chosen = builder.select(
            builder.icmp_unsigned("<", indices, less), bits(low, indices), bits(high, builder.sub(indices, less))
        )
        nonzero = builder.bitcast(builder.icmp_unsigned("!=", chosen, ir.Constant(lanes, None)), word)
        return builder.and_(nonzero, builder.sub(builder.shl(word(1), count), word(1)))

    return numba.int64(numba.int64, numba.int64, numba.int64, numbers, numba.int64, numba.int64), generate


@numba.extending.intrinsic  # type: ignore[untyped-decorator]
def _list_bits(_typing: Any, _word: Any, _count: Any, _first: Any, out: Any, _start: Any) -> Any:
    """List the bits of a word, sixteen at a time."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word, count, first, array, start = arguments
        number, flags, lanes = ir.IntType(32), ir.VectorType(ir.IntType(1), 16), ir.VectorType(ir.IntType(32), 16)
        data = context.make_array(out)(context, builder, value=array).data
        kind = ir.FunctionType(ir.VoidType(), [lanes, data.type, flags])
        write = cgutils.get_or_insert_function(builder.module, kind, "llvm.masked.compressstore.v16i32")
        last = cgutils.alloca_once_value(builder, start)
        word = builder.and_(word, builder.sub(builder.shl(word.type(1), count), word.type(1)))
        with cgutils.for_range_slice(builder, word.type(0), count, word.type(16), intp=word.type) as (bit, _):
            least = builder.trunc(builder.add(first, bit), number)
            numbers = builder.insert_element(ir.Constant(lanes, ir.Undefined), least, number(0))
            numbers = builder.shuffle_vector(numbers, numbers, ir.Constant(lanes, [0] * 16))
            numbers = builder.add(numbers, ir.Constant(lanes, list(range(16))))
            bits = builder.trunc(builder.lshr(word, bit), ir.IntType(16))
            here = builder.load(last)
            builder.call(write, [numbers, builder.gep(data, [here]), builder.bitcast(bits, flags)])
            builder.store(builder.add(here, builder.zext(builder.ctpop(bits), word.type)), last)
        return builder.load(last)

    return numba.int64(numba.int64, numba.int64, numba.int64, out, numba.int64), generate


def _list_threes(words: Any, count: Any, first: Any, out: Any, start: Any) -> Any:
    mask = (1 << count) - 1
    word = _every_third(words[0] & mask) | _every_third(words[1] & mask) << 1 | _every_third(words[2] & mask) << 2
    return _list_bits(word, 3 * count, first, out, start)


@numba.extending.intrinsic  # type: ignore[untyped-decorator]
def _unsigned(_typing: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], index, numba.uint64)

    return numba.uint64(index), generate


_every_third = numba.njit(every_third)
_resolve = numba.types.Function.get_call_type
_signatures: dict[Any, Any] = {}


def _remembered_call_type(operation: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the signature of a call of an operation of Numba's own. Numba would try all forms of `+` for each `+`."""
    if kws:
        return _resolve(operation, context, args, kws)
    if (operation, args) not in _signatures:
        _signatures[operation, args] = _resolve(operation, context, args, kws)
    return _signatures[operation, args]


class UnoptimizedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The LLVM module of a callee as Numba lowered it. Whatever links it optimizes it and emits its machine code."""

    attribute = ""  # for LLVM, of the function itself

    def finalize(self) -> None:
        for function in self._final_module.functions:
            if self.attribute and not function.is_declaration:
                function.add_function_attribute(self.attribute)
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


class CalleeFlags(Flags):  # type: ignore[misc]
    """The options of all callees, compared by identity: Numba compares them a thousand times for each function."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def copy(self) -> CalleeFlags:
        return self


class CalleeCompiler(Compiler):  # type: ignore[misc]
    """Numba's pipeline up to LLVM IR, without the passes for closures, generators and `with`: kernels have none."""

    flags: CalleeFlags | None = None

    def define_pipelines(self) -> list[Any]:
        passes = PassManager("kernel")
        for one in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.DeadBranchPrune,
            untyped_passes.GenericRewrites,
            untyped_passes.ReconstructSSA,
            untyped_passes.DeadBranchPrune,
            typed_passes.NopythonTypeInference,
            typed_passes.PreLowerStripPhis,
            typed_passes.NopythonRewrites,
            typed_passes.IRLegalization,
            typed_passes.AnnotateTypes,
            typed_passes.NativeLowering,
            typed_passes.NoPythonBackend,
        ):
            passes.add_pass(one, one.__name__)
        passes.finalize()
        return [passes]

    def compile_extra(self, func: FunctionType) -> Any:
        begin_function()
        state, kind = self.state, type(self)
        state.library = UnoptimizedLibrary(state.targetctx.codegen(), func.__qualname__)
        state.library.attribute = getattr(func, "__attribute__", "")
        if kind.flags is None:
            kind.flags = CalleeFlags(state.flags)
            kind.flags.no_compile = True
        state.flags = kind.flags
        before = numba.types.Function.get_call_type
        numba.types.Function.get_call_type = _remembered_call_type  # for kernels only
        try:
            return super().compile_extra(func)
        finally:
            numba.types.Function.get_call_type = before


class Callee(CPUDispatcher):  # type: ignore[misc]
    """A kernel for other kernels to call, never for Python."""

    def add_overload(self, compiled: Any) -> None:
        compiled = compiled._replace(entry_point=object())  # by which Numba finds it when it lowers a call
        self.targetctx.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
        self.overloads[tuple(compiled.signature.args)] = compiled


class KernelEntry(CPUDispatcher):  # type: ignore[misc]
    """A kernel for Python to call; ``callee`` is the same function for other kernels."""

    callee: Callee

    def compile(self, sig: Any) -> Any:
        kinds = sig if isinstance(sig, tuple) else sig.args
        for kind in kinds:
            if isinstance(kind, numba.types.Buffer) and not isinstance(kind, numba.types.Array):
                raise TypeError(f"{self.py_func.__name__} takes NumPy arrays, not {kind}; a game's data is Game.data.")
        collecting = gc.isenabled()
        gc.disable()  # the compiler's many small objects all stay until it is done: a fifth of its time went to looking
        try:
            plain = tuple(kind.copy(readonly=False) if isinstance(kind, numba.types.Array) else kind for kind in kinds)
            entry = super().compile(plain)
            if plain != kinds:  # a position's row, which is read-only for Python: one compiled form takes both
                self._insert([kind._code for kind in kinds], entry)
            return entry
        finally:
            if isinstance(self._cache, Cache):
                self._cache.release()
            if collecting:
                gc.enable()


_dispatchers: dict[str, Any] = {}


def count_ready(tag: str) -> int:
    """Return how many kernels of the owner ``tag`` this process has compiled or loaded."""
    return len(entries_of(tag)) + sum(name.startswith(f"{tag}.") for name in _quick)


def entries_of(tag: str) -> list[Any]:
    """Return the kernels of the owner ``tag`` that this process has compiled or loaded, for Python to call."""
    return [one for name, one in list(_dispatchers.items()) if name.startswith(f"{tag}.") and one.overloads]


def _compile(twin: FunctionType, fingerprint: str, inline: bool | None) -> Any:
    """Return ``twin`` as a compiled function, loaded from the disk if it was compiled before.

    Numba would optimize each function together with all that it calls, and again within every caller. So only what
    Python calls is optimized and kept on disk; callees are lowered once for each process that compiles a caller.
    """
    twin.__qualname__ = f"{twin.__qualname__}-{fingerprint}"
    known = _dispatchers.get(twin.__qualname__)
    if known is not None:
        return known
    twin.__attribute__ = {None: "", True: "alwaysinline", False: "noinline"}[inline]  # type: ignore[attr-defined]
    options = {"nopython": True, "no_cfunc_wrapper": True, **COMPILE_OPTIONS}
    dispatcher = _dispatchers[twin.__qualname__] = KernelEntry(twin, targetoptions=options)
    options = options | {"no_cpython_wrapper": True}
    dispatcher.callee = Callee(twin, targetoptions=options, pipeline_class=CalleeCompiler)
    try:
        cache = Cache(twin)
    except RuntimeError:  # no writable cache directory: compile in memory
        return dispatcher
    cache._name = twin.__qualname__
    dispatcher._cache = cache
    return dispatcher


_HEAD = object.__basicsize__ // 8  # words of an object before its own: of an array, its data, dimensions and lengths
_NEW_LIKE = "tercet_new_like"  # for LLVM, NumPy's PyArray_NewLikeArray, number 277 of its interface
_address = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
llvmlite.binding.add_symbol(_NEW_LIKE, ctypes.cast(_address(_ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))[277])
_quick: dict[str, Any] = {}  # the functions made, each with what it refers to


@numba.extending.intrinsic  # type: ignore[untyped-decorator]
def _as_object(_typing: Any, _number: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        number = context.get_python_api(builder).long_from_longlong(arguments[0])
        return builder.ptrtoint(number, arguments[0].type)

    return numba.int64(numba.int64), generate


def _word_at(builder: Any, address: Any, index: int) -> Any:
    """The address of a word of an object."""
    return builder.gep(builder.inttoptr(address, address.type.as_pointer()), [address.type(index)])


@numba.extending.intrinsic  # type: ignore[untyped-decorator]
def _as_list(_typing: Any, _count: Any, entries: Any, objects: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        count, array, table = arguments
        api, data = context.get_python_api(builder), context.make_array(entries)(context, builder, value=array).data
        known = context.make_array(objects)(context, builder, value=table).data
        numbers = builder.ptrtoint(api.list_new(count), count.type)
        items = builder.inttoptr(builder.load(_word_at(builder, numbers, _HEAD + 1)), count.type.as_pointer())
        with cgutils.for_range(builder, count) as loop:
            number = builder.load(builder.gep(known, [builder.load(builder.gep(data, [loop.index]))]))
            api.incref(builder.inttoptr(number, api.pyobj))
            builder.store(number, builder.gep(items, [loop.index]))
        return numbers

    return numba.int64(numba.int64, entries, objects), generate


def _unpacking(kinds: Sequence[Any], dimensions: Sequence[int]) -> Any:
    """Return an intrinsic that gives the arguments at an address: whole numbers, arrays, and tuples of them one after
    the other. An array of other ``dimensions`` than its kind's is flat."""
    result = numba.types.Tuple(kinds)

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word = arguments[0].type

        kind = ir.FunctionType(word, [word, word.as_pointer()])
        as_long = cgutils.get_or_insert_function(builder.module, kind, "PyLong_AsLongLongAndOverflow")
        beyond = cgutils.alloca_once(builder, word)  # whether a number takes more than 64 bits; it is -1 then
        indices = itertools.count()

        def load(address: Any, index: int) -> Any:
            return builder.load(builder.gep(builder.inttoptr(address, word.as_pointer()), [word(index)]))

        def product(numbers: Sequence[Any]) -> Any:
            return functools.reduce(builder.mul, numbers)

        def value(kind: Any, axes: int | None = None) -> Any:
            if isinstance(kind, numba.types.BaseTuple):
                return context.make_tuple(builder, kind, [value(each) for each in kind])
            item = load(arguments[0], next(indices))
            if not isinstance(kind, numba.types.Array):
                return builder.call(as_long, [item, beyond])
            array = context.make_array(kind)(context, builder)
            shape = [load(load(item, _HEAD + 2), axis) for axis in range(kind.ndim if axes is None else axes)]
            shape = shape if len(shape) == kind.ndim else [product([word(1), *shape])]
            size = word(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
            strides = [product([size, *shape[axis + 1 :]]) for axis in range(kind.ndim)]
            data = builder.inttoptr(load(item, _HEAD), array.data.type)
            populate_array(array, data, shape, strides, size, None)
            return array._getvalue()

        return context.make_tuple(builder, result, [value(*each) for each in zip(kinds, dimensions, strict=True)])

    return numba.extending.intrinsic(lambda _typing, _address: (result(numba.int64), generate))


def _renewing(count: int, indices: Sequence[int]) -> Any:
    """Return an intrinsic that gives the address of ``count`` arguments with new arrays for those with ``indices``; 0
    where there is no memory."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word, flag = arguments[0].type, ir.IntType(32)
        kind = ir.FunctionType(word, [word, flag, word, flag])
        new_like = cgutils.get_or_insert_function(builder.module, kind, _NEW_LIKE)
        renewed = cgutils.alloca_once(builder, word, size=count)
        address = builder.ptrtoint(renewed, word)
        for index in range(count):
            item = builder.load(_word_at(builder, arguments[0], index))
            if index in indices:
                item = builder.call(new_like, [item, flag(0), word(0), flag(0)])
                address = builder.select(builder.icmp_unsigned("==", item, word(0)), word(0), address)
            builder.store(item, builder.gep(renewed, [word(index)]))
        return address

    return numba.extending.intrinsic(lambda _typing, _address: (numba.int64(numba.int64), generate))


def _returning(indices: Sequence[int]) -> Any:
    """Return an intrinsic that makes a tuple of the new arrays that `_renewing` gave and, behind them, a result if that
    is a number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, given = arguments
        api = context.get_python_api(builder)
        objects = [builder.inttoptr(builder.load(_word_at(builder, given, index)), api.pyobj) for index in indices]
        if signature.args[0] == numba.int64:
            objects.append(api.long_from_longlong(number))
        result = api.tuple_new(len(objects))
        for index, each in enumerate(objects):
            api.tuple_setitem(result, index, each)
        return builder.ptrtoint(result, given.type)

    return numba.extending.intrinsic(lambda _typing, number, _given: (numba.int64(number, numba.int64), generate))


def _call(_self: Any, arguments: Any, _count: Any) -> Any:
    """As Python calls a function of C; the names are bound by `quick_entry`."""
    return as_object(function(*unpack(arguments)))  # type: ignore[name-defined]  # noqa: F821


def _call_for_list(_self: Any, arguments: Any, _count: Any) -> Any:
    """As `_call`, of a function that writes a list to its last argument and returns its length. The first argument here
    is not the function's: it has the addresses of numbers."""
    values = unpack(arguments)  # type: ignore[name-defined]  # noqa: F821
    return as_list(function(*values[1:]), values[last], values[0])  # type: ignore[name-defined]  # noqa: F821


def _call_for_arrays(_self: Any, arguments: Any, _count: Any) -> Any:
    """As `_call`, with new arrays, which are returned."""
    given = renew(arguments)  # type: ignore[name-defined]  # noqa: F821
    return as_arrays(function(*unpack(given)), given) if given else 0  # type: ignore[name-defined]  # noqa: F821


def _call_on_range(arguments: Any, first: Any, last: Any, worker: Any) -> Any:
    """As `quick_entry` says of ``ranges``."""
    function(*(unpack(arguments) + (first, last, worker)))  # type: ignore[name-defined]  # noqa: F821, RUF005
    return 0


def quick_entry(
    function: Any, like: Sequence[Any], listed: bool = False, ranges: bool = False, new: Sequence[int] = ()
) -> Any:
    """Return ``function``, which returns a whole number, as a function of C. It trusts that arguments have the types of
    ``like`` and that arrays are contiguous. It holds Python's lock, so that its work must be short. `kernel.entry` says
    what ``listed`` and ``new`` are.

    If ``ranges``, return the address of ``function(*like, first, last, worker)`` as a function of C that Python cannot
    call, and that needs no lock: its first argument is the address of the addresses of ``like``, its result 0.
    """
    kinds = [
        numba.types.Array(numba.from_dtype(value.dtype), value.ndim if ranges else 1, "C")
        if hasattr(value, "dtype")
        else numba.typeof(value)
        if isinstance(value, tuple)
        else numba.int64
        for value in like
    ]
    dimensions = [getattr(value, "ndim", 0) for value in like]
    name = function.py_func.__qualname__.rpartition("-")[0]
    form = f"{function.fingerprint} {kinds} {dimensions} {'ranges' if ranges else listed} {new}"
    name = f"{name}-{hashlib.sha256(form.encode()).hexdigest()[:16]}"
    if name in _quick:
        return _quick[name][0]
    scope = {"function": function.callee, "as_object": _as_object, "as_list": _as_list, "last": len(like) - 1}
    scope["unpack"] = _unpacking(kinds, dimensions)
    scope |= {"renew": _renewing(len(like), new), "as_arrays": _returning(new)}
    call = _call_on_range if ranges else _call_for_arrays if new else _call_for_list if listed else _call
    twin = FunctionType(call.__code__, scope, call.__name__)
    twin.__module__, twin.__qualname__ = __name__, name
    dispatcher = KernelEntry(twin, targetoptions={"nopython": True, **COMPILE_OPTIONS})
    with contextlib.suppress(RuntimeError):  # no writable cache directory: compile in memory
        cache = Cache(twin)
        cache._name = name
        dispatcher._cache = cache
    dispatcher.compile((numba.int64,) * call.__code__.co_argcount)
    (made,) = dispatcher.overloads.values()
    address = made.library.get_pointer_to_function(made.fndesc.llvm_cfunc_wrapper_name)
    method = Method(name.encode(), address, FASTCALL, None)
    entry = address if ranges else new_function(ctypes.byref(method), None, None)
    # another thread may have made it meanwhile: what it refers to must stay
    return _quick.setdefault(name, (entry, method, made))[0]


CHOOSES_BITS = "+avx512vbmi" in cpu_target.target_context.codegen().magic_tuple()[2].split(",")
"""Whether the processor has an instruction that picks 64 of 64 bytes."""

BACKEND = (
    _compile,
    {
        u: _unsigned,
        popcount: _popcount,
        lowest_bit: _lowest_bit,
        spread_word: _spread_word,
        gather_word: _gather_word,
        choose_bits: _choose_bits if CHOOSES_BITS else numba.njit(choose_bits),
        **({list_threes: numba.njit(_list_threes)} if CHOOSES_BITS else dict[Any, Any]()),
    },
)
"""What :func:`tercet.kernel.build` compiles with: the compiler of one twin, and its forms of the native functions."""
