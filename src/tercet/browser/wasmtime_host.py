"""Run WebAssembly modules in this Python by Wasmtime: to test them, and to compare them with compiled kernels.

Not for two threads at once.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from typing import Any

from tercet.errors import TercetError, needs_extra
from tercet.kernel import webassembly

PAGE_BYTES = 1 << 16
STACK_BYTES = 1 << 20
MEMORY_BYTES = 1 << 30  # of addresses; the system gives memory for those that are written to


class WasmtimeHost:
    """One memory with one stack, which all modules share, as in a browser."""

    def __init__(self) -> None:
        try:
            import wasmtime
        except ModuleNotFoundError:
            raise TercetError(needs_extra("Running WebAssembly", "wasmtime")) from None

        self._wasmtime: Any = wasmtime
        self._store: Any = wasmtime.Store(wasmtime.Engine())
        pages = MEMORY_BYTES // PAGE_BYTES
        self._memory: Any = wasmtime.Memory(self._store, wasmtime.MemoryType(wasmtime.Limits(pages, pages)))
        self._base = ctypes.addressof(self._memory.data_ptr(self._store).contents)
        self._next = STACK_BYTES
        self._stack = self._global(STACK_BYTES, mutable=True)
        self._free: dict[int, list[int]] = {}

    def _global(self, value: int, mutable: bool = False) -> Any:
        kind = self._wasmtime.GlobalType(self._wasmtime.ValType.i32(), mutable)
        return self._wasmtime.Global(self._store, kind, self._wasmtime.Val.i32(value))

    def load(self, content: bytes) -> Callable[[str], webassembly.Function]:
        """Instantiate a module."""
        wasmtime, store = self._wasmtime, self._store
        module = wasmtime.Module(store.engine, content)
        data = self._take(PAGE_BYTES)  # modules of kernels keep a few constants at most
        known = {"memory": self._memory, "__stack_pointer": self._stack, "__memory_base": self._global(data)}
        instance = wasmtime.Instance(store, module, [known[each.name] for each in module.imports])
        exports = instance.exports(store)

        def function(name: str) -> webassembly.Function:
            entry = exports[name]
            return lambda frame: int(entry(store, frame))

        return function

    def _take(self, size: int) -> int:
        start = self._next
        if start + size > MEMORY_BYTES:
            raise MemoryError(f"Kernels have {MEMORY_BYTES >> 20} MB of WebAssembly memory here, and all is in use.")
        self._next += size
        return start

    def allocate(self, size: int) -> memoryview:
        """Return zeroed memory, which is used again when nothing refers to it any more."""
        room = max(16, size + 15 & ~15)
        free = self._free.setdefault(room, [])
        at = free.pop() if free else self._take(room)
        ctypes.memset(self._base + at, 0, room)
        held = (ctypes.c_ubyte * size).from_address(self._base + at)
        weakref.finalize(held, free.append, at)
        return memoryview(held).cast("B")

    def address(self, view: memoryview) -> int:
        """Return where a view lies in the memory."""
        return ctypes.addressof(ctypes.c_char.from_buffer(view)) - self._base if view.nbytes else 0


def start() -> None:
    """Let this process run modules by Wasmtime."""
    webassembly.use_host(WasmtimeHost())
