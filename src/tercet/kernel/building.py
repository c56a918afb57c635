"""How a module of kernels is built: copies of its functions (twins), compiled or not, whose calls are bound to the
copies of what they call and to a game's implementations of abstract kernels."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from tercet.kernel.cache import COMPILE_OPTIONS
from tercet.kernel.marks import u
from tercet.kernel.webassembly import backend as webassembly_backend

Mode = str  # "compiled", "interpreted", "wasm" or "cuda"
Compile = Callable[[FunctionType, str, bool | None], Any]  # of a twin, its fingerprint, and whether to inline it
Backend = tuple[Compile, dict[Any, Any]]
Twin = tuple[Any, str, str]  # a function, and what a caller's fingerprint and its key say of it


def build(source: object, mode: Mode, tag: str, implementations: Mapping[str, Any] | None = None) -> SimpleNamespace:
    """Return all kernels of ``source``, built in the given mode, as a namespace.

    ``tag`` names the owner (a game) in messages and in the cache. ``implementations`` gives the functions, built in the
    same mode, for the module's abstract kernels; one without an implementation is left out, and so are its callers.
    ``source.__replaced__``, if there is one, says which kernel takes the place of which (:mod:`tercet.core.variants`).
    "wasm" takes them from the game's WebAssembly module (:mod:`tercet.kernel.webassembly`), and "cuda" makes them
    device functions of a GPU. Raise ValueError for an unknown mode.
    """
    replaced = getattr(source, "__replaced__", {})
    twins = _Twins(tag, implementations or {}, _backend(mode, tag), mode != "wasm", replaced)
    result = SimpleNamespace()
    for name, value in list(vars(source).items()):
        if getattr(value, "__kernel__", None) == "kernel":
            twin = twins.of(value)
            if twin is not None:
                setattr(result, name, twin[0])
        elif getattr(value, "__kernel__", None) == "abstract" and name in twins.implementations:
            setattr(result, name, twins.implementations[name])
    return result


def _backend(mode: Mode, tag: str) -> Backend | None:
    """The compiler of a mode, imported when it is first used; None where Python runs the kernels itself."""
    if mode == "compiled":
        from tercet.kernel import compiled

        return compiled.BACKEND
    if mode == "cuda":
        from tercet.kernel import cuda

        return cuda.BACKEND
    if mode == "wasm":
        return webassembly_backend(tag)
    if mode != "interpreted":
        raise ValueError(f"mode must be 'compiled', 'interpreted', 'wasm' or 'cuda', not {mode!r}.")
    return None


class _Twins:
    """The twins of kernels and of all that they call, each made once.

    Its *key* is the name of the kernel and of all that it calls: the same for the same sources in every version of
    Python. Its *fingerprint* changes with anything that its machine code depends on. For modules of WebAssembly it is
    the key: a visitor's browser would compute fingerprints for a tenth of its start.
    """

    def __init__(
        self,
        tag: str,
        implementations: Mapping[str, Any],
        backend: Backend | None,
        fingerprinted: bool,
        replaced: Mapping[Any, Any],
    ) -> None:
        self.implementations = implementations
        self._tag = tag
        self._fingerprinted = fingerprinted
        self._replaced = replaced
        self._compile: Compile | None = None
        self._natives: dict[Any, Any] = {u: operator.index}  # what Python calls fastest that returns a number as it is
        if backend is not None:
            self._compile, self._natives = backend
        self._made: dict[Any, Twin | None] = {}

    def of(self, function: Any, caller: str = "") -> Twin | None:
        """The twin of a marked function, or of what replaces it unless the module ``caller`` has it; its fingerprint
        and its key; None where it needs an abstract kernel that nothing implements."""
        replacing = self._replaced.get(function)
        if replacing is not None and (caller != replacing.__module__ or function.__kernel__ == "abstract"):
            function = replacing
        kind, name = function.__kernel__, function.__name__
        if kind == "native" or function in self._natives:
            return self._natives.get(function, function), name, name
        if kind == "abstract":
            found = self.implementations.get(name)
            return None if found is None else (found, getattr(found, "fingerprint", name), getattr(found, "key", name))
        if function not in self._made:
            self._made[function] = self._make(function)
        return self._made[function]

    def _make(self, function: Any) -> Twin | None:
        code = function.__code__
        scope = dict(function.__globals__)
        inline = getattr(function, "__inlined__", None)
        called: dict[str, Twin] = {}
        for name in sorted(code.co_names):
            value = scope.get(name)
            if getattr(value, "__kernel__", None) is not None:
                found = self.of(value, function.__module__)
                if found is None:
                    return None
                called[name] = found
                scope[name] = getattr(found[0], "callee", found[0])
        twin = FunctionType(code, scope, function.__name__, function.__defaults__, None)
        twin.__module__ = function.__module__
        twin.__qualname__ = f"{self._tag}.{function.__name__}"
        twin.__doc__ = function.__doc__
        keys = [f"{function.__module__}.{function.__qualname__}", *(found[2] for found in called.values())]
        twin.key = key = hashlib.sha256("|".join(keys).encode()).hexdigest()[:16]  # type: ignore[attr-defined]
        fingerprint = _fingerprint(function, inline, called) if self._fingerprinted else key
        made: Any = self._compile(twin, fingerprint, inline) if self._compile else twin
        made.fingerprint, made.key = fingerprint, key
        return made, fingerprint, key


def _fingerprint(function: FunctionType, inline: bool | None, called: Mapping[str, Twin]) -> str:
    code, scope = function.__code__, function.__globals__
    parts = [
        f"{COMPILE_OPTIONS} {inline} {function.__module__}",  # a cached file names the module
        repr(code.co_code.hex()),
        repr(code.co_consts),
        repr(code.co_varnames),
    ]
    # Where a record's fields lie is compiled in, too.
    parts += [f"{name}{value._fields}" for name, value in sorted(scope.items()) if _is_record(value)]
    for name in sorted(code.co_names):
        value = scope.get(name)
        if name in called:
            parts.append(f"{name}:{called[name][1]}")
        elif name in scope:
            parts.append(f"{name}={value!r}" if isinstance(value, int | float | tuple) else name)
        else:
            parts.append(name)  # a built-in, or an attribute: `math.log` is not `math.sqrt`
    for module in (value for name in code.co_names if isinstance(value := scope.get(name), ModuleType)):
        constants = ((name, vars(module)[name]) for name in sorted(code.co_names) if name in vars(module))
        parts += [f"{name}={value!r}" for name, value in constants if isinstance(value, int | float | tuple)]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]


def _is_record(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def chooses_bits_at_once(mode: Mode) -> bool:
    """Return whether `choose_bits` takes a few instructions in the given mode, not some for each bit."""
    if mode != "compiled":
        return False
    from tercet.kernel import compiled

    return compiled.CHOOSES_BITS


def entry(function: Any, *like: Any, listed: bool = False, new: Sequence[int] = ()) -> Any:
    """Return ``function``, which returns a whole number, for arguments of exactly the types of ``like``, unchecked:
    numbers, and arrays, which it sees flat.

    For the arguments numbered ``new`` it takes new arrays of the same form and returns these in a tuple, the number, if
    there is one, last. If ``listed``, it writes so many numbers to its last argument and returns them in a list. It
    takes one more argument before its first, an array of the addresses of all numbers' objects.

    Checking the arguments is most of the cost of a call of a compiled function.
    """
    if hasattr(function, "compile"):
        from tercet.kernel.compiled import quick_entry

        return quick_entry(function, like, listed, new=new)
    if listed:
        return lambda _, *given: given[-1][: function(*given)]

    def interpreted(*given: Any) -> Any:
        arguments = [value.copy() if index in new else value for index, value in enumerate(given)]
        number = function(*arguments)
        return *(arguments[index] for index in new), number

    return interpreted if new else function
