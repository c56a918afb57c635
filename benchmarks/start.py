"""How long it takes to start: import, command line, first game with compiled code cached, compiling from nothing.

``python benchmarks/start.py [--compile] [--json]``. Seconds of wall time, the best of five (compiling: once, and only
with ``--compile``, as it takes a minute).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

STEPS = {
    "python": "pass",
    "import numpy and numba": "import numpy, numba",
    "import tercet": "import tercet",
    "tercet --help": "import sys, tercet.cli as c; sys.stdout = open('/dev/null', 'w'); c.main(['--help'])",
    "first game, cached": "import tercet; g = tercet.game('sanqi'); p = g.start(); p = p.play(p.legal_actions[0])",
    "perft 2, cached": "import tercet; g = tercet.game('sanqi'); g.perft(g.start(), 2)",
}


def seconds(code: str, cache: str | None = None) -> float:
    """How long a fresh interpreter takes for ``code``."""
    environment = dict(os.environ) if cache is None else {**os.environ, "TERCET_CACHE": cache}
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", action="store_true", help="also compile everything of SanQi from nothing")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    seconds(STEPS["first game, cached"])
    seconds(STEPS["perft 2, cached"])
    found = {name: min(seconds(code) for _ in range(5)) for name, code in STEPS.items()}
    if chosen.compile:
        with tempfile.TemporaryDirectory() as folder:
            found["first game, compiling"] = seconds(STEPS["first game, cached"], folder)
            found["tercet warm sanqi, the rest"] = seconds("import tercet.cli as c; c.main(['warm', 'sanqi'])", folder)
    if chosen.json:
        print(json.dumps({name: round(value, 3) for name, value in found.items()}))
        return
    for name, value in found.items():
        print(f"{name:<28} {value:8.3f} s")


if __name__ == "__main__":
    main()
