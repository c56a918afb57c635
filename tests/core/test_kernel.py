"""The three ways to run a kernel, the cache on disk and the random sequence."""

import array
import math
import os
import random
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet import kernel
from tercet.kernel import cache, compiled, numbers
from tests.support.refusals import refuses

pytestmark = pytest.mark.thorough

PLUS_ONE = "from tercet.kernel import kernel\n@kernel\ndef outer(x):\n    return x + 1\n"
CHAIN = """
from tercet.kernel import kernel
LIMIT = 3
@kernel
def inner(x):
    return x + LIMIT
@kernel
def outer(x):
    return 10 * inner(x)
"""
BIG = st.integers(0, (1 << 62) - 1)


def module(source: str) -> ModuleType:
    made = ModuleType("made_for_test")
    exec(textwrap.dedent(source), made.__dict__)
    sys.modules["made_for_test"] = made  # compiled functions find their module by name
    return made


@settings(deadline=None)
@given(BIG, st.integers(1, (1 << 31) - 1))
def test_both_modes_draw_the_same_numbers(seed: int, n: int) -> None:
    fast = kernel.build(kernel, "compiled", "test")
    state = kernel.start_seed(seed)
    assert fast.start_seed(seed) == state
    for step in (kernel.advance_seed, kernel.branch_seed):
        assert getattr(fast, step.__name__)(state) == step(state)
    number = kernel.pick(state, n)
    assert fast.pick(state, n) == number
    assert 0 <= number < n


def test_draws_are_spread_evenly_and_independent_of_the_one_before() -> None:
    state, before = kernel.start_seed(1), 0
    pairs, draws = [0] * 64, 64_000
    for _ in range(draws):
        state = kernel.advance_seed(state)
        number = kernel.pick(state, 8)
        pairs[8 * before + number] += 1
        before = number
    expected = draws / 64
    chi2 = sum((found - expected) ** 2 / expected for found in pairs)
    assert chi2 < 120  # 63 degrees of freedom: above 120 once in 60,000 fair runs


def test_bit_operations() -> None:
    source = module(
        """
        from tercet.kernel import kernel, popcount, lowest_bit
        @kernel
        def count(word):
            return popcount(word)
        @kernel
        def lowest(word):
            return lowest_bit(word)
        """
    )
    fast = kernel.build(source, "compiled", "test-bits")
    rng = random.Random(1)
    for word in [0, 1, 1 << 62, *(rng.getrandbits(rng.randrange(1, 63)) for _ in range(500))]:
        assert fast.count(word) == bin(word).count("1") == kernel.popcount(word)
        if word:
            assert fast.lowest(word) == kernel.lowest_bit(word) == len(bin(word)) - 1 - bin(word).rindex("1")


def test_a_slot_is_filled_and_what_needs_an_empty_one_is_left_out() -> None:
    source = module(
        """
        from tercet.kernel import abstract, kernel
        @abstract
        def value(x): ...
        @abstract
        def missing(x): ...
        @kernel
        def twice(x):
            return 2 * value(x)
        @kernel
        def needs_missing(x):
            return missing(x)
        """
    )
    built = kernel.build(source, "interpreted", "test", {"value": lambda x: x + 1})
    assert built.twice(3) == 8
    assert not hasattr(built, "needs_missing")


def test_what_is_refused() -> None:
    refuses(ValueError, "mode", kernel.build, kernel, "quantum", "test")
    refuses(ValueError, "The WebAssembly module of nothing is not loaded", kernel.build, kernel, "wasm", "nothing")
    outer = kernel.build(module(CHAIN), "compiled", "test").outer
    refuses(TypeError, "outer takes NumPy arrays, not pyarray", outer, array.array("i", [1]))


PROGRAM = """
import os, sys
sys.path.insert(0, sys.argv[1])
import m as module
from tercet import kernel
compiled = []
"""
TOLD = """
built = kernel.build(module, "compiled", "test")
print(built.outer(5), built.outer(5))
print("done", file=sys.stderr)
"""
COUNTED = """
kernel.on_compile(compiled.append)
built = kernel.build(module, "compiled", "test")
print(built.outer(5), len(compiled))
"""


def run(folder: Path, source: str, program: str = COUNTED, cache: str = "cache", **more: Any) -> CompletedProcess[str]:
    """Run ``program`` in a process of its own with the module ``m`` and a cache in the folder."""
    (folder / "m.py").write_text(source)
    environment = {**os.environ, "TERCET_CACHE": str(folder / cache), "COLUMNS": "100"}
    command = [sys.executable, "-c", PROGRAM + program, str(folder)]
    more = more or {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = subprocess.run(command, env=environment, text=True, **more)
    assert done.returncode == 0, done.stderr
    return done


def test_compiling_is_told_before_it_begins_and_summed_up(tmp_path: Path) -> None:
    lines = []
    for _ in range(2):
        done = run(tmp_path, CHAIN, TOLD)
        assert done.stdout.split() == ["80", "80"]
        lines.append(done.stderr.splitlines())
    begins, done_, ends = lines[0]
    assert begins.startswith("tercet: compiling test.outer, once on this machine")
    assert done_ == "done"
    assert re.fullmatch(r"tercet: compiled 1 kernel in \d+ s \(once; `tercet warm` does it ahead\)", ends)
    assert lines[1] == ["done"], "nothing was compiled the second time"


def test_on_a_terminal_the_line_counts_and_disappears(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="no terminals here")
    reader, writer = pty.openpty()
    run(tmp_path, CHAIN, TOLD, stdout=subprocess.DEVNULL, stderr=writer)
    os.close(writer)
    told = os.read(reader, 10_000).decode()
    os.close(reader)
    counted = re.findall(r"compiling, once \(kernel (\d+): test\.(\w+), function (\d+)\)", told)
    assert counted[0] == ("1", "outer", "0"), "before anything is compiled"
    assert len(counted) > 1, "what it calls is compiled with it, one after the other"
    assert [int(functions) for _, _, functions in counted] == list(range(len(counted)))
    assert told.endswith("\r\x1b[Kdone\r\n"), "the line is gone when what follows is written"


def test_long_compiling_is_told_again_and_a_closed_stream_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("atexit.register", lambda _: None)
    tell = cache.CompileProgress()
    tell("game.one")
    for name in ("game.two", "game.three"):
        tell(name)
        tell.tell(1)
        now[0] += 6
    tell.tell(1)
    said = capsys.readouterr().err.splitlines()
    begun = ["tercet: compiling game.one", "tercet: still compiling (kernel 3: game.three"]
    assert [line.split(",")[0] for line in said] == begun
    monkeypatch.setattr("sys.stderr", None)
    tell("game.four")
    tell.finished()


def test_compiled_kernels_come_from_the_cache_until_what_they_call_changes(tmp_path: Path) -> None:
    texts = (CHAIN, CHAIN, CHAIN.replace("LIMIT = 3", "LIMIT = 4"))
    first, again, changed = (run(tmp_path, text).stdout.split() for text in texts)
    assert (first[0], again, changed[0]) == ("80", ["80", "0"], "90")
    assert min(int(first[1]), int(changed[1])) > 0


def test_a_damaged_cache_is_compiled_again_and_without_a_writable_one_kernels_still_run(tmp_path: Path) -> None:
    run(tmp_path, PLUS_ONE)
    for damaged in (tmp_path / "cache").rglob("*.nb*"):
        damaged.write_bytes(damaged.read_bytes()[:20])
    (tmp_path / "file").write_text("")
    for place in ("cache", "file"):
        assert run(tmp_path, PLUS_ONE, cache=place).stdout.split()[0] == "6"


@settings(deadline=None)
@given(st.integers(1, 1 << 62))
def test_the_logarithm_is_that_of_the_library_but_for_its_last_bits(count: int) -> None:
    assert abs(kernel.natural_log(count) - math.log(count)) <= 2 * math.ulp(math.log(count))


def test_the_logarithm_has_the_same_bits_compiled() -> None:
    chance = random.Random(1)
    compiled = kernel.build(numbers, "compiled", "test").natural_log
    for count in (*range(1, 2000), *(chance.getrandbits(62) + 1 for _ in range(2000))):
        assert compiled(count) == kernel.natural_log(count)


def test_a_key_names_what_a_kernel_calls_and_a_fingerprint_how() -> None:
    one, other = (kernel.build(module(text), "interpreted", "test").outer for text in (CHAIN, CHAIN.replace("3", "4")))
    assert one.key == other.key
    assert one.fingerprint != other.fingerprint
    assert kernel.build(module(CHAIN.replace("inner", "within")), "interpreted", "test").outer.key != one.key
    # A constant that is taken from a module counts too.
    prints = set()
    for number in (3, 4):
        made = module(PLUS_ONE.replace("x + 1", "x + layout.SIZE"))
        vars(made)["layout"] = module(f"SIZE = {number}")
        built = kernel.build(made, "interpreted", "test")
        assert built.outer(1) == 1 + number
        prints.add(built.outer.fingerprint)
    assert len(prints) == 2


ENTRIES = """
from tercet.kernel import kernel
@kernel
def total(numbers, cells, plus):
    for index in range(len(cells)):
        plus += cells[index] * numbers[index]
    return plus
@kernel
def below(limit, out):
    for number in range(limit):
        out[number] = 1000 * number
    return limit
"""


def test_an_entry_sees_arrays_flat_and_takes_any_number() -> None:
    numbers, cells = np.arange(6, dtype=np.int64), np.ones((2, 3), np.int8)
    for execution in ("compiled", "interpreted"):
        made = kernel.build(module(ENTRIES), execution, "entries")
        total = kernel.entry(made.total, numbers, np.ones((1, 1), np.int8) if execution == "compiled" else cells, 0)
        given = cells if execution == "compiled" else cells.reshape(-1)
        assert (total(numbers, given, 10), total(numbers, given, True)) == (25, 16)
    fast = kernel.entry(kernel.build(module(ENTRIES), "compiled", "entries").below, 0, np.empty(1, np.int32))
    assert fast(1 << 70, np.empty(1, np.int32)) == -1, "more than 64 bits"


def test_an_entry_that_two_threads_make_at_once_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither sees the other's. What the one refers to that is given out must not go with the other."""

    class Unseen(dict[str, object]):
        def __contains__(self, _: object) -> bool:
            return False

    monkeypatch.setattr(compiled, "_quick", Unseen())
    below = kernel.build(module(ENTRIES), "compiled", "entries").below
    assert kernel.entry(below, 0, np.empty(1, np.int32)) is kernel.entry(below, 0, np.empty(1, np.int32))


@pytest.mark.parametrize("execution", ["compiled", "interpreted"])
def test_an_entry_returns_a_list_or_new_arrays(execution: str) -> None:
    made = kernel.build(module(ENTRIES), execution, "entries")
    out = np.zeros(400, np.int32) if execution == "compiled" else [0] * 400
    objects = list(range(300_000))
    addresses = np.array([id(number) for number in objects])
    as_list = kernel.entry(made.below, addresses, 0, out, listed=True)
    numbers = [1000 * number for number in range(300)]
    assert (as_list(addresses, 0, out), as_list(addresses, 300, out)) == ([], numbers)
    if execution == "compiled":
        counts = [sys.getrefcount(objects[7000])]
        kept = [as_list(addresses, 300, out) for _ in range(100)]
        counts.append(sys.getrefcount(objects[7000]))
        kept.clear()
        counts.append(sys.getrefcount(objects[7000]))
        assert counts == [counts[0], counts[0] + 100, counts[0]], "lists share the objects, and release them"
    out[0] = 7
    written, count = kernel.entry(made.below, 0, out, new=(1,))(300, out)
    assert (out[0], list(written[:300]), len(written), count) == (7, numbers, 400, 300)
