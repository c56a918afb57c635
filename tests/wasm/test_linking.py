"""Objects that need a real linker are refused, others are made modules that run."""

from llvmlite import binding as llvm

from tercet.browser.building import FEATURES, TRIPLE
from tercet.browser.linking import LinkError, finish_module
from tercet.browser.wasmtime_host import WasmtimeHost
from tests.support.refusals import refuses

CONSTANTS = """
@squares = internal constant [4 x i32] [i32 0, i32 1, i32 4, i32 9]
define internal i32 @look(i32 %at) noinline {
  %place = getelementptr [4 x i32], ptr @squares, i32 0, i32 %at
  %found = load volatile i32, ptr %place
  ret i32 %found
}
define i32 @square(i32 %at) {
  %room = alloca i32
  %found = call i32 @look(i32 %at)
  store volatile i32 %found, ptr %room
  %again = load volatile i32, ptr %room
  ret i32 %again
}
"""


def emitted(text: str) -> bytes:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(features=FEATURES, reloc="pic", codemodel="default")
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    found: bytes = machine.emit_object(module)
    return found


def test_constants_and_the_stack_are_found() -> None:
    module = finish_module(emitted(CONSTANTS), ["square"])
    assert module.data_size == 16
    square = WasmtimeHost().load(module.content)("square")
    assert [square(at) for at in range(4)] == [0, 1, 4, 9]


def test_what_cannot_be_linked_is_refused() -> None:
    text = "declare double @log(double)\ndefine double @f(double %x) { %y = call double @log(double %x) ret double %y }"
    refuses(LinkError, "log", finish_module, emitted(text), ["f"])
    text = """
        @one = internal constant i32 1
        @way = internal global ptr @one
        define ptr @f() { %p = load volatile ptr, ptr @way ret ptr %p }
    """
    refuses(LinkError, r"reloc\.DATA", finish_module, emitted(text), ["f"])
    refuses(LinkError, "lacks nothing_like_it", finish_module, emitted(CONSTANTS), ["nothing_like_it"])
