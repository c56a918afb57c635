"""``tercet wasm``: build the games' kernels as WebAssembly modules."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

from tercet.browser.building import built_module
from tercet.games import game_definition, names

__all__ = ["run"]


def run(games: Sequence[str], out: Path) -> None:
    """Write the module and the table of each of ``games`` (all if none is named) to the folder ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    for name in [game_definition(name).name for name in games or names()]:
        began = time.process_time()
        built = built_module(name)
        (out / f"{name}.wasm").write_bytes(built.content)
        (out / f"{name}.json").write_text(json.dumps(built.table, indent=1) + "\n", "utf-8")
        print(
            f"{out / name}.wasm: {len(built.table['kernels'])} kernels, {len(built.content)} bytes "
            f"({len(zlib.compress(built.content, 9))} compressed), {time.process_time() - began:.1f} processor seconds"
        )
