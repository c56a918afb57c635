"""A game's kernels as one WebAssembly module, with a table of its entry points.

The module holds each kernel that this machine runs compiled, for the types that it runs it with: so what a game needs
is found by using it, in the steps of ``tercet warm``, and games of other packages build the same way. Numba lowers each
kernel to LLVM IR without looking at this machine's processor; LLVM optimizes them together for WebAssembly.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tercet
from tercet import kernel
from tercet.browser.linking import finish_module
from tercet.core.game import Game
from tercet.engines.base import Limits
from tercet.engines.levels import engine
from tercet.engines.preparing import STAGES, exercise_playouts, steps
from tercet.errors import TercetError
from tercet.games import game_definition

TRIPLE = "wasm32-unknown-emscripten"
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext,+simd128"
# What LLVM knows as an instruction of WebAssembly, but Numba calls as a function of the C library.
INSTRUCTIONS = {"sqrt": "llvm.sqrt.f64", "floor": "llvm.floor.f64", "ceil": "llvm.ceil.f64", "fabs": "llvm.fabs.f64"}
# What Numba keeps to raise an exception, which only Python can read: the status says that there was one.
EXCEPTION = re.compile(r"^(@\"?\.const\.picklebuf\S* = .*constant \{[^}]*\}) \{.*$", re.MULTILINE)


class BuildError(TercetError):
    """A game's kernels cannot be made a WebAssembly module; the message says which, and why."""


@dataclass(frozen=True)
class Built:
    """A module: its bytes, and its table as :mod:`tercet.kernel.webassembly` reads it."""

    content: bytes
    table: dict[str, Any]


def built_module(name: str, rules_only: bool = False) -> Built:
    """Return the module of a game, from beside the compiled kernels if it was built of these very kernels before.
    ``rules_only`` leaves out the kernels of engines."""
    _exercise(name, rules_only)
    entries = _entries(name, rules_only)
    digest = hashlib.sha256(" ".join(f"{name} {version}" for name, version in _versions().items()).encode())
    for source in ("building.py", "linking.py"):
        digest.update((Path(__file__).parent / source).read_bytes())
    for each in entries:
        digest.update(f"{each.fingerprint} {each.signature}".encode())
    folder = kernel.cache_directory() / "wasm"
    path = folder / f"{name}-{digest.hexdigest()[:16]}"
    module, table = path.with_suffix(".wasm"), path.with_suffix(".json")
    try:
        return Built(module.read_bytes(), json.loads(table.read_text("utf-8")))
    except (OSError, ValueError):
        built = _build(name, entries)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for target, content in ((module, built.content), (table, json.dumps(built.table).encode())):
            part = target.with_suffix(f"{target.suffix}.part")
            part.write_bytes(content)
            part.replace(target)
    except OSError:
        pass  # it is built again the next time
    return built


def _exercise(name: str, rules_only: bool) -> None:
    """Run every kernel that the module is to hold, with the types that it is to take."""
    for stage in ("rules",) if rules_only else STAGES:
        for _, work in steps(name, stage):
            work()
    definition = game_definition(name)
    options = definition.quick_start.options if definition.quick_start else {}
    game = Game(definition, options, "compiled")
    row = game.start(1).row
    game.kernels.legal(game.data, row, game.new_list())
    game.playout.checked_step(game.data, row, game.new_row(), len(row), 0, game.rules.actions, game.new_events())
    game.perft(game.start(1), 2)
    exercise_playouts(game)
    if rules_only:
        return
    engine("mcts", game, seed=0).think(game.start(1), Limits(nodes=2))
    nets = definition.engine.nets
    if nets is not None and nets.shipped is not None:
        game = Game(definition, nets.variants[0], "compiled")
        engine("gumbel", game, seed=0).think(game.start(1), Limits(nodes=2))


@dataclass(frozen=True)
class _Entry:
    """A kernel for certain types: Numba's ``dispatcher`` and ``signature``."""

    dispatcher: Any
    signature: Any
    result: Any

    @property
    def fingerprint(self) -> str:
        return str(self.dispatcher.fingerprint)


def _entries(name: str, rules_only: bool) -> list[_Entry]:
    from tercet.kernel.compiled import entries_of

    found = [
        _Entry(dispatcher, signature, compiled.signature.return_type)
        for dispatcher in entries_of(name)
        for signature, compiled in dispatcher.overloads.items()
    ]
    if rules_only:
        found = [each for each in found if ".engine" not in each.dispatcher.py_func.__module__]
    return sorted(found, key=lambda each: (each.dispatcher.py_func.__name__, each.fingerprint, str(each.signature)))


def _build(name: str, entries: Sequence[_Entry]) -> Built:
    from llvmlite import binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    how = {"features": FEATURES, "reloc": "pic", "codemodel": "default"}
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu="generic", opt=3, **how)
    whole = llvm.parse_assembly("")
    whole.triple, whole.data_layout = TRIPLE, str(machine.target_data)
    described, wrappers = [], []
    for number, entry in enumerate(entries):
        module, function = _lowered(entry)
        symbol = f"{entry.dispatcher.py_func.__name__}_{number}"
        kernel_ = _Signature(entry, symbol)
        wrappers.append(kernel_.wrapper(function))
        described.append(kernel_.described())
        whole.link_in(module)
    symbols = [each["symbol"] for each in described]
    declared = dict.fromkeys(declaration for declaration, _ in wrappers)
    wrapping = llvm.parse_assembly("\n".join(declared) + "\n".join(text for _, text in wrappers))
    wrapping.triple, wrapping.data_layout = TRIPLE, str(machine.target_data)
    whole.link_in(wrapping)
    for function in whole.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in symbols else "internal"
            function.add_function_attribute("nounwind")
    for variable in whole.global_variables:
        variable.linkage = "internal"
    whole.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(whole, builder)
    finished = finish_module(machine.emit_object(whole), symbols)
    table = {
        "game": name,
        "tercet": tercet.__version__,
        "built_with": _versions(),
        "digest": hashlib.sha256(finished.content).hexdigest(),
        "data_bytes": finished.data_size,
        "data_alignment": finished.alignment,
        "imports": finished.imports,
        "kernels": described,
    }
    return Built(finished.content, table)


def _versions() -> dict[str, str]:
    return {package: importlib.metadata.version(package) for package in ("numba", "llvmlite")}


def _lowered(entry: _Entry) -> tuple[Any, Any]:
    """Return the LLVM module of a kernel with all that it calls, for WebAssembly, and the kernel's function in it."""
    from llvmlite import binding as llvm

    callee = entry.dispatcher.callee
    callee.compile(entry.signature)
    compiled = callee.overloads[entry.signature]
    text = str(compiled.library._get_module_for_linking())
    text = re.sub(r"^target (datalayout|triple) = .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r" section \"[^\"]*\"", "", text)
    text = EXCEPTION.sub(r"\1 zeroinitializer", text)
    for name, instruction in INSTRUCTIONS.items():
        text = text.replace(f"@{name}(", f"@{instruction}(")
    module = llvm.parse_assembly(text)
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(features=FEATURES, reloc="pic", codemodel="default")
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    function = module.get_function(compiled.fndesc.llvm_func_name)
    function.linkage = "weak_odr"  # linkers drop what is "linkonce" and called by nothing yet
    return module, function


class _Signature:
    """How an entry point reads its frame and calls a kernel as Numba has lowered it."""

    def __init__(self, entry: _Entry, symbol: str) -> None:
        self._entry = entry
        self._symbol = symbol
        code = entry.dispatcher.py_func.__code__
        names = code.co_varnames[: code.co_argcount]
        self._arguments = [(name, self._describe(kind)) for name, kind in zip(names, entry.signature, strict=True)]
        self._slots = 1

    def described(self) -> dict[str, Any]:
        """Return the kernel's line of the table."""
        function = self._entry.dispatcher.py_func
        return {
            "symbol": self._symbol,
            "kernel": f"{function.__module__}.{function.__name__}",
            "key": self._entry.dispatcher.key,
            "arguments": self._arguments,
            "slots": self._slots,
            "result": _result_name(self._entry.result),
        }

    def _describe(self, kind: Any) -> Any:
        from numba.core import types

        if isinstance(kind, types.Array):
            if kind.ndim not in (1, 2) or kind.layout != "C":
                raise self._error(kind)
            return f"{kind.dtype}{'[]' * kind.ndim}"
        if hasattr(kind, "fields"):  # a record
            return [(name, self._describe(field)) for name, field in zip(kind.fields, kind.types, strict=True)]
        if isinstance(kind, types.Boolean):
            return "bool"
        if isinstance(kind, types.Integer | types.Float):
            return str(kind)
        raise self._error(kind)

    def _error(self, kind: Any) -> BuildError:
        function = self._entry.dispatcher.py_func
        return BuildError(
            f"{function.__module__}.{function.__name__} takes {kind}, which a WebAssembly module cannot: arguments are "
            "numbers, arrays of one or two dimensions, and records of them."
        )

    def wrapper(self, function: Any) -> tuple[str, str]:
        """Return the declaration of the kernel's function, and the entry point that calls it, as LLVM IR."""
        kinds = [str(argument.type) for argument in function.arguments]
        lines: list[str] = []
        values = iter(kinds[2:])
        given: list[str] = []
        for _, described in self._arguments:
            self._load(described, values, lines, given)
        if next(values, None) is not None:
            raise self._error("more arguments than its types say")
        result = {"float64": "double", "bool": "i8", "none": "ptr"}.get(_result_name(self._entry.result), "i64")
        call = ", ".join(["ptr %ret", "ptr %error", *given])
        lines.append(f'%status = call i32 @"{function.name}"({call})')
        if result != "ptr":
            lines.append(f"%got = load {result}, ptr %ret")
            if result == "i8":
                lines.append("%wide = zext i8 %got to i64")
            lines.append(f"store {'i64 %wide' if result == 'i8' else f'{result} %got'}, ptr %frame")
        begin = [f"%ret = alloca {result}", "%error = alloca ptr"]
        begin += [f"store {_ZERO[result]}, ptr %ret", "store ptr null, ptr %error"]
        body = "\n  ".join([*begin, *lines, "ret i32 %status"])
        declaration = f'declare i32 @"{function.name}"({", ".join(kinds)})\n'
        return declaration, f"\ndefine i32 @{self._symbol}(ptr %frame) {{\n  {body}\n}}\n"

    def _slot(self, kind: str, lines: list[str]) -> str:
        """Read the next slot as of a type of LLVM."""
        slot, self._slots = self._slots, self._slots + 1
        lines.append(f"%place{slot} = getelementptr i64, ptr %frame, i32 {slot}")
        if kind in ("i64", "double"):
            lines.append(f"%slot{slot} = load {kind}, ptr %place{slot}")
        else:
            wide = "double" if kind == "float" else "i64"
            convert = {"ptr": "inttoptr", "float": "fptrunc"}.get(kind, "trunc")
            lines.append(f"%word{slot} = load {wide}, ptr %place{slot}")
            lines.append(f"%slot{slot} = {convert} {wide} %word{slot} to {kind}")
        return f"%slot{slot}"

    def _load(self, described: Any, kinds: Iterator[str], lines: list[str], given: list[str]) -> None:
        if not isinstance(described, str):
            for _, field in described:
                self._load(field, kinds, lines, given)
            return
        dimensions = described.count("[]")
        if not dimensions:
            kind = next(kinds)
            given.append(f"{kind} {self._slot(kind, lines)}")
            return
        size = _ITEM_SIZE[described.removesuffix("[]" * dimensions)]
        data = self._slot("ptr", lines)
        lengths = [self._slot("i64", lines) for _ in range(dimensions)]
        entries, rows = lengths[0], str(size)
        if dimensions == 2:
            entries, rows = f"%entries{self._slots}", f"%stride{self._slots}"
            lines.append(f"{entries} = mul i64 {lengths[0]}, {lengths[1]}")
            lines.append(f"{rows} = mul i64 {lengths[1]}, {size}")
        strides = [rows] if dimensions == 1 else [rows, str(size)]
        # Numba's array: two references that nothing counts, its entries, their size, where it lies, lengths, strides
        parts = ["null", "null", entries, str(size), data, *lengths, *strides]
        given += [f"{next(kinds)} {part}" for part in parts]


_ZERO = {"double": "double 0.0", "i8": "i8 0", "i64": "i64 0", "ptr": "ptr null"}
_ITEM_SIZE = {
    "int64": 8, "float64": 8, "int32": 4, "uint32": 4, "float32": 4, "int16": 2, "int8": 1, "uint8": 1, "bool": 1
}  # fmt: skip


def _result_name(kind: Any) -> str:
    return str(kind) if str(kind) in ("none", "bool", "float64") else "int64"
