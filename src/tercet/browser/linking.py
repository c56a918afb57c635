"""One WebAssembly object file, as LLVM writes it, made into a module that any host can load.

The object holds a whole program already, so nothing is left to link but its surroundings: its memory, stack and data
base are imported under the names of the WebAssembly dynamic linking convention, its constants become one segment at
that base, and its entry points are exported. So Emscripten's ``dlopen`` (and with it Pyodide's ``ctypes``) loads the
module, and so does a host that makes the three imports itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

HEADER = b"\0asm\1\0\0\0"
CUSTOM, TYPE, IMPORT, FUNCTION, EXPORT, CODE, DATA = 0, 1, 2, 3, 7, 10, 11
DATA_COUNT = 12
FUNCTIONS, TABLES, MEMORIES, GLOBALS = 0, 1, 2, 3  # kinds of imports and exports
SYMBOL_TABLE, SEGMENTS = 8, 5  # parts of the section "linking"
UNDEFINED, EXPLICIT_NAME, ABSOLUTE = 0x10, 0x40, 0x200  # flags of a symbol
FUNCTION_SYMBOL, DATA_SYMBOL = 0, 1
# Relocations whose values LLVM has filled in, counted from the beginning of the data or by the object's own numbers.
FUNCTION_NUMBER, TYPE_NUMBER, GLOBAL_NUMBER, DATA_FROM_BASE = 0, 6, 7, 11
I32, CONST, GLOBAL_GET, END = 0x7F, 0x41, 0x23, 0x0B
KNOWN_IMPORTS = {"__linear_memory", "__stack_pointer", "__memory_base", "__table_base", "__indirect_function_table"}


class LinkError(Exception):
    """The object needs what a module of kernels may not need; the message names it."""


class Module(NamedTuple):
    """A finished module: its bytes, how many bytes of data it keeps at its base, their alignment, and its imports."""

    content: bytes
    data_size: int
    alignment: int
    imports: tuple[str, ...]


class _ByteReader:
    def __init__(self, content: bytes, at: int = 0) -> None:
        self.content = content
        self.at = at

    def number(self, signed: bool = False) -> int:
        """Return a LEB128 number."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value

    def byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def take(self, length: int) -> bytes:
        self.at += length
        return self.content[self.at - length : self.at]

    def name(self) -> str:
        return self.take(self.number()).decode()

    @property
    def more(self) -> bool:
        return self.at < len(self.content)


def finish_module(content: bytes, entries: Iterable[str]) -> Module:
    """Return the module of an object file whose functions ``entries`` are to be exported. Raise LinkError where it
    imports a function, or refers to data in a way that needs a real linker."""
    sections = list(_sections(content))
    parts = {kind: body for kind, body in sections if kind != CUSTOM}
    custom = {}
    for kind, body in sections:
        if kind == CUSTOM:
            reader = _ByteReader(body)
            name = reader.name()
            custom[name] = body[reader.at :]
    imports, globals_, functions = _imports(parts.get(IMPORT, b"\0"))
    if functions:
        raise LinkError(f"The kernels call {', '.join(functions)}, which no WebAssembly module has.")
    _check_relocations(custom)
    base = globals_.index("__memory_base") if "__memory_base" in globals_ else None
    segments = list(_segments(parts.get(DATA, b"\0")))
    if segments and base is None:
        globals_.append("__memory_base")
        imports.append(("__memory_base", bytes((GLOBALS, I32, 0))))
        base = len(globals_) - 1
    data = bytearray()
    for offset, piece in segments:
        data += bytes(offset - len(data)) + piece
    wanted = set(entries)
    exported = [(name, number) for name, number in _function_symbols(custom["linking"]) if name in wanted]
    missing = wanted - {name for name, _ in exported}
    if missing:
        raise LinkError(f"The object lacks {', '.join(sorted(missing))}.")
    alignment = max(_alignments(custom["linking"]), default=0)
    made = bytearray(HEADER)
    made += _section(CUSTOM, _text("dylink.0") + b"\1" + _prefixed(_leb(len(data)) + _leb(alignment) + b"\0\0"))
    made += _section(TYPE, parts[TYPE])
    names = tuple("memory" if name == "__linear_memory" else name for name, _ in imports)
    lines = [_text("env") + _text(name) + described for name, (_, described) in zip(names, imports, strict=True)]
    made += _section(IMPORT, _leb(len(lines)) + b"".join(lines))
    made += _section(FUNCTION, parts[FUNCTION])
    exports = [_text(name) + bytes((FUNCTIONS,)) + _leb(number) for name, number in exported]
    made += _section(EXPORT, _leb(len(exports)) + b"".join(exports))
    if DATA_COUNT in parts:
        made += _section(DATA_COUNT, _leb(1 if data else 0))
    made += _section(CODE, parts[CODE])
    if data:
        place = bytes((GLOBAL_GET,)) + _leb(base or 0) + bytes((END,))
        made += _section(DATA, b"\1\0" + place + _prefixed(bytes(data)))
    return Module(bytes(made), len(data), 1 << alignment, names)


def _sections(content: bytes) -> Iterator[tuple[int, bytes]]:
    reader = _ByteReader(content, len(HEADER))
    while reader.more:
        kind = reader.byte()
        yield kind, reader.take(reader.number())


def _imports(body: bytes) -> tuple[list[tuple[str, bytes]], list[str], list[str]]:
    """Return all imports as their names and descriptions, the globals among them in their order, and functions."""
    reader = _ByteReader(body)
    found: list[tuple[str, bytes]] = []
    globals_: list[str] = []
    functions: list[str] = []
    for _ in range(reader.number()):
        module, name = reader.name(), reader.name()
        start = reader.at
        kind = reader.byte()
        if kind == FUNCTIONS:
            reader.number()
            functions.append(name)
        elif kind == GLOBALS:
            reader.take(2)
            globals_.append(name)
        else:
            if kind == TABLES:
                reader.byte()
            limits = reader.byte()
            reader.number()
            if limits & 1:
                reader.number()
        if kind != FUNCTIONS and (module != "env" or name not in KNOWN_IMPORTS):
            raise LinkError(f"The object imports {module}.{name}, for which a linker would be needed.")
        found.append((name, body[start : reader.at]))
    return found, globals_, functions


def _check_relocations(custom: dict[str, bytes]) -> None:
    usable = {FUNCTION_NUMBER, TYPE_NUMBER, GLOBAL_NUMBER, DATA_FROM_BASE}
    for name, body in custom.items():
        if not name.startswith("reloc.") or name.startswith("reloc..debug"):
            continue
        reader = _ByteReader(body)
        reader.number()
        for _ in range(reader.number()):
            kind = reader.byte()
            reader.number()
            reader.number()
            if kind not in usable or name == "reloc.DATA":
                raise LinkError(f"The object has relocations of kind {kind} in {name}, for which it needs a linker.")
            if kind == DATA_FROM_BASE:
                reader.number(signed=True)


def _segments(body: bytes) -> Iterator[tuple[int, bytes]]:
    reader = _ByteReader(body)
    for _ in range(reader.number()):
        if reader.number() != 0 or reader.byte() not in (CONST, GLOBAL_GET):
            raise LinkError("The object has a data segment of an unknown kind.")
        offset = reader.number(signed=True)
        reader.byte()
        yield offset, reader.take(reader.number())


def _linking(body: bytes, wanted: int) -> _ByteReader:
    """Return a part of the section "linking", which begins with the number of its entries: 0 if there is none."""
    reader = _ByteReader(body)
    reader.number()  # the version
    while reader.more:
        kind = reader.byte()
        part = reader.take(reader.number())
        if kind == wanted:
            return _ByteReader(part)
    return _ByteReader(b"\0")


def _function_symbols(body: bytes) -> Iterator[tuple[str, int]]:
    """Yield the names and numbers of the functions that the object defines."""
    reader = _linking(body, SYMBOL_TABLE)
    for _ in range(reader.number()):
        kind, flags = reader.byte(), reader.number()
        if kind == DATA_SYMBOL:
            reader.name()
            if not flags & UNDEFINED:
                reader.number()
                reader.number()
                reader.number()
        elif kind == 3:  # a section
            reader.number()
        else:
            number = reader.number()
            name = reader.name() if not flags & UNDEFINED or flags & EXPLICIT_NAME else ""
            if kind == FUNCTION_SYMBOL and not flags & UNDEFINED:
                yield name, number


def _alignments(body: bytes) -> Iterator[int]:
    """Yield the alignments of data segments as powers of two."""
    reader = _linking(body, SEGMENTS)
    for _ in range(reader.number()):
        reader.name()
        yield reader.number()
        reader.number()


def _leb(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def _prefixed(content: bytes) -> bytes:
    return _leb(len(content)) + content


def _text(text: str) -> bytes:
    return _prefixed(text.encode())


def _section(kind: int, body: bytes) -> bytes:
    return bytes((kind,)) + _prefixed(body)
