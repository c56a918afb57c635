"""Kernels that run as WebAssembly: the third way to execute them, beside compiled and interpreted ones.

A game's module (:mod:`tercet.browser.building` makes it) has a table of its kernels. :func:`provide` loads both into
this process; then ``kernel.build(module, "wasm", game)`` gives functions that run there. A kernel that the module lacks
stays interpreted.

Rows and lists of actions are lists, which a call copies in and out. What a search works with is large and stays in the
module: :func:`tercet.kernel.zeros` and :func:`tercet.kernel.array` give views of it, passed by their address.

Every entry point takes the address of a *frame* of 8-byte slots and returns a status: 0 or -2 where the kernel ended
as it should. Slot 0 receives the result. The arguments follow in order: a number takes one slot, an array its address
and its length in each dimension, a record its fields.
"""

from __future__ import annotations

import array
import ctypes
import functools
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any, Protocol

from tercet.errors import OptionError

CODES = {
    "int64": "q", "int32": "i", "int16": "h", "int8": "b", "uint8": "B", "bool": "?", "float64": "d", "float32": "f"
}  # fmt: skip
FINISHED = (0, -2)  # the statuses of a kernel that returned: with a value, with None

Function = Callable[[int], int]  # an entry point, of the address of a frame


class WebAssemblyHost(Protocol):
    """What runs modules and holds their memory."""

    def load(self, content: bytes) -> Callable[[str], Function]:
        """Instantiate a module; return what gives its entry points by name."""

    def allocate(self, size: int) -> memoryview:
        """Return so many zero bytes of the memory, aligned for any number, as long as they are referred to."""

    def address(self, view: memoryview) -> int:
        """Return where ``view``, of such bytes, lies in the memory."""


class EmscriptenHost:
    """The host inside a Python that is WebAssembly itself: its own dynamic linker, its own memory."""

    def load(self, content: bytes) -> Callable[[str], Function]:
        """Load a module as a shared library."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernels.so"
            path.write_bytes(content)
            library = ctypes.CDLL(str(path))
        return lambda name: getattr(library, name)

    def allocate(self, size: int) -> memoryview:
        """Allocate by Python."""
        return memoryview((ctypes.c_int64 * (size + 7 >> 3))()).cast("B")[:size]

    def address(self, view: memoryview) -> int:
        """Return the address of a writable view."""
        return ctypes.addressof(ctypes.c_char.from_buffer(view)) if view.nbytes else 0


class Matrix(list[memoryview]):
    """Rows of one length, one after the other in ``whole``."""

    def __init__(self, whole: memoryview, length: int) -> None:
        super().__init__(whole[start : start + length] for start in range(0, len(whole), length))
        self.whole = whole


class _Provided:
    """A game's module: its entry points, and its kernels by their keys."""

    def __init__(self, content: bytes, table: Mapping[str, Any]) -> None:
        self._content = content
        self.kernels: dict[str, list[Any]] = {}
        for each in table["kernels"]:
            self.kernels.setdefault(each["key"], []).append(each)

    @functools.cached_property
    def function(self) -> Callable[[str], Function]:
        """Instantiate the module, which takes a while, when the first kernel is wanted."""
        return _the_host().load(self._content)


_host: WebAssemblyHost | None = EmscriptenHost() if sys.platform == "emscripten" else None
_provided: dict[str, _Provided] = {}


def use_host(host: WebAssemblyHost) -> None:
    """Run modules by ``host`` from now on."""
    global _host
    _host = host


def _the_host() -> WebAssemblyHost:
    if _host is None:
        raise OptionError(
            "execution",
            "Nothing runs WebAssembly in this process yet. Call tercet.browser.wasmtime_host.start() first.",
        )
    return _host


def provide(game: str, content: bytes, table: Mapping[str, Any]) -> None:
    """Take the module of ``game``, with its table."""
    _provided[game] = _Provided(content, table)


def backend(game: str) -> tuple[Callable[[FunctionType, str, bool | None], Any], dict[Any, Any]]:
    """Return what :func:`tercet.kernel.build` needs for kernels of ``game``. Raise OptionError where none is loaded."""
    found = _provided.get(game)
    if found is None:
        raise OptionError(
            "execution",
            f"The WebAssembly module of {game} is not loaded. Call tercet.kernel.webassembly.provide(...) first.",
        )

    def take(twin: FunctionType, _fingerprint: str, _inline: bool | None) -> Any:
        forms = found.kernels.get(twin.key)  # type: ignore[attr-defined]
        return twin if forms is None else Call(twin, [_Form(found.function, form) for form in forms])

    return take, {}


def new_zeros(shape: tuple[int, ...], kind: str) -> Any:
    """Return zeroed memory of modules: a view of it, or a :class:`Matrix` of two dimensions."""
    code, entries = CODES[kind], 1
    for length in shape:
        entries *= length
    room: Any = _the_host().allocate(entries * array.array(code if code != "?" else "b").itemsize)
    whole = room.cast(code)
    return whole if len(shape) == 1 else Matrix(whole, shape[1])


def from_values(values: Any, kind: str) -> Any:
    """Return ``values`` (a sequence of numbers, or an array of one dimension) in memory of modules."""
    listed = values if isinstance(values, list) else list(values) if isinstance(values, tuple) else values.tolist()
    found = new_zeros((len(listed),), kind)
    found[:] = memoryview(array.array(CODES[kind], listed))
    return found


class Call:
    """A kernel of a module. ``callee`` is its interpreted form, which interpreted kernels call."""

    def __init__(self, twin: FunctionType, forms: Sequence[_Form]) -> None:
        self.callee = twin
        self.__name__ = twin.__name__
        self._forms = forms
        self._only = forms[0] if len(forms) == 1 else None

    def __call__(self, *arguments: Any) -> Any:
        flat = list(_flat(arguments))
        form = self._only or next((form for form in self._forms if form.takes(flat)), None)
        if form is None:
            raise TypeError(f"{self.__name__} has no form for these arguments.")
        return form.run(flat)


def _flat(arguments: tuple[Any, ...]) -> Iterator[Any]:
    for value in arguments:
        if isinstance(value, tuple):
            yield from _flat(value)
        else:
            yield value


class _Form:
    """A kernel for arguments of certain types."""

    def __init__(self, function: Callable[[str], Function], described: Mapping[str, Any]) -> None:
        host = _the_host()
        self._host = host
        self._name = described["symbol"]
        self._function = function(self._name)
        self._kinds = [_Kind(text, name) for name, text in _leaves(described["arguments"])]
        self._result = described["result"]
        frame = host.allocate(8 * described["slots"])
        self._frame = host.address(frame)
        self._whole, self._real = frame.cast("q"), frame.cast("d")
        self._room: list[memoryview | None] = [None] * len(self._kinds)

    def takes(self, arguments: Sequence[Any]) -> bool:
        """Return whether the arguments may be of these types."""
        return len(arguments) == len(self._kinds) and all(
            kind.takes(value) for kind, value in zip(self._kinds, arguments, strict=True)
        )

    def run(self, arguments: Sequence[Any]) -> Any:
        """Call the kernel."""
        whole, real, host, slot = self._whole, self._real, self._host, 1
        copied: dict[int, tuple[list[Any], memoryview]] = {}
        back = []
        for index, (kind, value) in enumerate(zip(self._kinds, arguments, strict=True)):
            if not kind.dimensions:
                (real if kind.real else whole)[slot] = value
                slot += 1
                continue
            if isinstance(value, list) and not isinstance(value, Matrix):
                if id(value) not in copied:
                    copied[id(value)] = value, self._copy_in(index, kind, value)
                    if not kind.constant and type(value) is list:  # a position's row is read-only
                        back.append(copied[id(value)])
                value = copied[id(value)][1]
            if kind.dimensions == 2:
                whole[slot], whole[slot + 1], whole[slot + 2] = host.address(value.whole), len(value), len(value[0])
            else:
                whole[slot], whole[slot + 1] = host.address(value), len(value)
            slot += 1 + kind.dimensions
        status = self._function(self._frame)
        if status not in FINISHED:
            raise RuntimeError(f"The kernel {self._name} ended with the status {status}.")
        for target, view in back:
            target[:] = view.tolist()
        if self._result == "none":
            return None
        if self._result == "float64":
            return real[0]
        return bool(whole[0]) if self._result == "bool" else whole[0]

    def _copy_in(self, place: int, kind: _Kind, values: list[Any]) -> memoryview:
        room = self._room[place]
        if room is None or len(room) < len(values):
            room = self._room[place] = new_zeros((max(1, len(values)),), kind.name)
        view = room[: len(values)]
        if values:
            view[:] = memoryview(array.array(kind.code, values))
        return view


class _Kind:
    """The type of one argument, or of one field of a record."""

    def __init__(self, text: str, name: str) -> None:
        self.dimensions = text.count("[]")
        self.name = text.removesuffix("[]" * self.dimensions)
        self.code = CODES[self.name]
        self.real = self.name.startswith("float")
        self.constant = name == "rules"

    def takes(self, value: Any) -> bool:
        """Return whether ``value`` may be of this type."""
        if isinstance(value, memoryview):
            return self.dimensions == 1 and value.format == self.code
        if isinstance(value, list):
            return self.dimensions == (2 if isinstance(value, Matrix) else 1)
        return not self.dimensions and (self.real or not isinstance(value, float))


def _leaves(arguments: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The names and types of arguments, those of records' fields in their place."""
    for each, described in arguments:
        if isinstance(described, str):
            yield each or name, described
        else:
            yield from _leaves(described, each)
