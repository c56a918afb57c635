"""How long it takes to start: import, command line, first game with compiled code cached, compiling from nothing.

``python benchmarks/start.py [--compile] [--json]``. Seconds of wall time, the best of five. With ``--compile`` also the
processor seconds, once, from empty caches: to compile each stage of each game, and to the first move of the quick
start's engine without anything compiled.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import tercet
from tercet.engines.preparing import STAGES

STEPS = {
    "python": "pass",
    "import numpy and numba": "import numpy, numba",
    "import tercet": "import tercet",
    "tercet --help": "import sys, tercet.cli as c; sys.stdout = open('/dev/null', 'w'); c.main(['--help'])",
    "first game, cached": "import tercet; g = tercet.game('sanqi'); p = g.start(); p = p.play(p.legal_actions[0])",
    "perft 2, cached": "import tercet; g = tercet.game('sanqi'); g.perft(g.start(), 2)",
}

FIRST_MOVE = """
import tercet
from tercet.engines import Limits, level
from tercet.games import game_definition
start = game_definition("{0}").quick_start
position = tercet.game("{0}", execution="interpreted", **start.options).start(1)
level(position.game, start.level).think(position, Limits())
"""
COMPILE = """
from tercet.engines.preparing import compile_stage
compile_stage(dict(game="{}", stage="{}"))
"""


def seconds(code: str, cache: str | None = None) -> float:
    """How long a fresh interpreter takes for ``code``."""
    environment = dict(os.environ) if cache is None else {**os.environ, "TERCET_CACHE": cache}
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def processor_seconds(code: str, cache: str) -> float:
    """How many seconds of a processor a fresh interpreter spends on ``code``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds(code, cache)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", action="store_true", help="also compile everything from nothing")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    seconds(STEPS["first game, cached"])
    seconds(STEPS["perft 2, cached"])
    found = {name: min(seconds(code) for _ in range(5)) for name, code in STEPS.items()}
    if chosen.compile:
        with tempfile.TemporaryDirectory() as folder:
            for name in tercet.games():
                found[f"{name}: engine's first move"] = processor_seconds(FIRST_MOVE.format(name), folder)
            for stage in STAGES:
                for name in tercet.games():
                    found[f"{name}: {stage} compiled"] = processor_seconds(COMPILE.format(name, stage), folder)
    if chosen.json:
        print(json.dumps({name: round(value, 3) for name, value in found.items()}))
        return
    for name, value in found.items():
        print(f"{name:<28} {value:8.3f} s")


if __name__ == "__main__":
    main()
