"""Batches on a GPU: random actions and steps a second by game, layout, threads of a block and number of games.

    python benchmarks/gpu.py                         # on a machine with a GPU and tercet[cuda]
    python benchmarks/gpu.py --compile               # without one: registers and spills of each kernel for sm_90
    NUMBA_ENABLE_CUDASIM=1 python benchmarks/gpu.py --tiny     # that it runs, in Numba's simulator

Playouts are whole random games from the start, in one launch. A step is ``batch.step(batch.random_actions())`` with
mask and uint8 observation: actions drawn, checked (which waits for the GPU once) and played, everything written.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tercet.batch import Batch
from tercet.errors import BatchError

KINDS: dict[str, dict[str, Any]] = {
    "sanqi side=6": {"game": "sanqi", "side": 6},
    "sparklies 9x9": {"game": "sparklies"},
    "triplicity": {"game": "triplicity"},
}
TINY: dict[str, dict[str, Any]] = {"sanqi side=4": {"game": "sanqi", "side": 4}}
LAYOUTS = ("row", "column")


def _timed(work: Callable[[], object], rounds: int) -> float:
    """Median seconds of ``work`` once it is compiled, with all that it launched done."""
    from numba import cuda

    found = []
    for _ in range(rounds + 1):
        cuda.synchronize()
        begun = time.perf_counter()
        work()
        cuda.synchronize()
        found.append(time.perf_counter() - begun)
    return statistics.median(found[1:])


def measure(kind: dict[str, Any], layout: str, block: int, games: int, rounds: int, limit: int | None) -> str:
    """One line of the table."""
    try:
        batch = Batch(**kind, games=games, device="cuda", layout=layout, block=block)
    except BatchError as error:
        return f"{error} |"
    plies = 0

    def play_out() -> None:
        nonlocal plies
        plies = int(batch.playouts(limit=limit)[1].copy_to_host().sum())

    def step() -> None:
        for _ in range(20 if limit is None else 1):
            batch.step(batch.random_actions())

    played = _timed(play_out, rounds)
    step()
    stepped = _timed(step, rounds) / (20 if limit is None else 1)
    return f"{plies / played:,.0f} | {games / stepped:,.0f} |"


def table(
    kinds: dict[str, dict[str, Any]], blocks: list[int], sizes: list[int], rounds: int, limit: int | None
) -> None:
    """Every combination."""
    print("| game | layout | threads a block | games | random actions/s | steps/s |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, kind in kinds.items():
        for layout in LAYOUTS:
            for block in blocks:
                for games in sizes:
                    line = measure(kind, layout, block, games, rounds, limit)
                    print(f"| {name} | {layout} | {block} | {games:,} | {line}", flush=True)


def _ptxas() -> Path:
    import nvidia  # type: ignore[import-not-found, unused-ignore]

    found = [place for root in nvidia.__path__ for place in Path(root).glob("*/bin/ptxas")]
    if not found:
        raise SystemExit("there is no ptxas: pip install nvidia-cuda-nvcc-cu12")
    return found[0]


def compile_all(kinds: dict[str, dict[str, Any]]) -> None:
    """Compile every kernel for sm_90 and say what it takes of a multiprocessor."""
    import numba.cuda.dispatcher as dispatcher
    from numba import cuda, from_dtype, types

    from tercet import game
    from tercet.batch.cuda import kernels_of
    from tercet.batch.host import BatchForm, scratch_sizes, sizes
    from tercet.batch.kernels import Facts, Games, Scratch
    from tercet.batch.launch import launches

    # numba-cuda asks a GPU for what device functions are compiled; there need be none here.
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=(9, 0), WARP_SIZE=32)

    def array(dtype: Any, dimensions: int = 1, order: str = "C") -> Any:
        return types.Array(from_dtype(np.dtype(dtype)), dimensions, order if dimensions > 1 else "C")

    def record(kind: Any, wanted: dict[str, Any], order: str) -> Any:
        return types.NamedTuple([array(wanted[name][1], len(wanted[name][0]), order) for name in kind._fields], kind)

    print("| game | layout | kernel | compiled in | registers | spilled bytes |")
    print("| --- | --- | --- | --- | --- | --- |")
    whole, facts = types.int64, types.NamedTuple([types.int64] * len(Facts._fields), Facts)
    rules, scales, longs, flags = array(np.int32), array(np.float32), array(np.int64), array(np.bool_)
    for name, kind in kinds.items():
        options = dict(kind)
        chosen = game(options.pop("game"), **options)
        entry = launches(kernels_of(chosen.definition))  # type: ignore[no-untyped-call]
        for layout, order in zip(LAYOUTS, "CF", strict=True):
            form = BatchForm(True, True, len(chosen.rules.planes) * len(chosen.board), np.uint8)
            games = record(Games, sizes(chosen, 4, form), order)
            room = record(Scratch, scratch_sizes(chosen, 4), order)
            common = (rules, facts, scales, games, room)
            signatures = {
                "refused": (rules, facts, games, longs, flags, longs, whole),
                "step": (*common, longs, flags, whole, whole),
                "reset": (*common, flags, whole, whole, whole),
                "random": (facts, games, longs, whole),
                "observe": (
                    rules, facts, scales, room, array(np.int64, 2, order), longs, array(np.uint8, 2, order), whole,
                ),
                "playouts": (
                    rules, facts, games, room, array(np.float64, 2, order), longs, whole, whole, whole,
                ),
            }  # fmt: skip
            for called, signature in signatures.items():
                begun = time.perf_counter()
                text, _ = cuda.compile_ptx(getattr(entry, called).py_func, signature, cc=(9, 0))
                with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
                    file.write(text)
                    file.flush()
                    said = subprocess.run(
                        [str(_ptxas()), "-arch=sm_90", "-v", file.name, "-o", "/dev/null"],
                        capture_output=True, text=True, check=True,
                    ).stderr.split()  # fmt: skip
                spent = time.perf_counter() - begun
                registers = said[said.index("registers,") - 1]
                spilled = sum(int(said[at - 2]) for at, word in enumerate(said) if word == "spill")
                print(f"| {name} | {layout} | {called} | {spent:.0f} s | {registers} | {spilled} |", flush=True)


def main() -> None:
    """Measure, or compile only."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--compile", action="store_true", help="compile for sm_90, without a GPU")
    parser.add_argument("--tiny", action="store_true", help="a few games, to see that it runs")
    parser.add_argument("--games", type=int, nargs="+", default=[4096, 65536, 262144, 1048576])
    parser.add_argument("--blocks", type=int, nargs="+", default=[64, 128, 256])
    parser.add_argument("--only", choices=list(KINDS), nargs="+", default=list(KINDS))
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    kinds = {name: KINDS[name] for name in chosen.only}
    if chosen.compile:
        compile_all(kinds)
    elif chosen.tiny:
        table(TINY, [32], [2], 1, 5)
    else:
        table(kinds, chosen.blocks, chosen.games, chosen.rounds, None)


if __name__ == "__main__":
    main()
