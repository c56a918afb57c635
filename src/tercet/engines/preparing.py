"""Getting the engines of a game ready: compiling their kernels, once for each machine and version, with a count.

Compiling takes half a minute where the cache of kernels is cold, and loading from it a moment. `is_warm` says which it
will be; `prepare` does it and reports how far it is, so that the page can say so meanwhile.
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import cast

from tercet import kernel, playout
from tercet.definition import GameDefinition
from tercet.engines import kernels as engine_kernels
from tercet.engines.base import Limits
from tercet.engines.levels import LEVELS, level
from tercet.game import Game

__all__ = ["OnProgress", "Preparation", "is_warm", "prepare"]

_prepared: set[str] = set()  # in this process


@dataclass(frozen=True)
class Preparation:
    """Progress of :func:`prepare`: ``step`` of ``steps`` (one for each level), functions ``compiled`` so far, and the
    ``name`` of the one being compiled ("" between them)."""

    step: int
    steps: int
    compiled: int
    name: str = ""


OnProgress = Callable[[Preparation], None]


def _sources(module: ModuleType) -> list[Path]:
    folders = getattr(module, "__path__", None)
    if folders is not None:
        return sorted(path for folder in folders for path in Path(folder).glob("*.py"))
    return [Path(module.__file__)] if module.__file__ else []


def _marker(definition: GameDefinition) -> Path:
    """The file that says that the kernels of these very sources were compiled here. It lies among them."""
    modules = [kernel, playout, engine_kernels, cast(ModuleType, definition.kernels)]
    if definition.engine.search is not None:
        modules.append(definition.engine.search.kernels)
    nets = definition.engine.nets
    if nets is not None:
        modules.append(nets.kernels)
    digest = hashlib.sha256(f"{version('numba')} {platform.machine()} {platform.python_version()}".encode())
    for module in modules:
        for path in _sources(module):
            digest.update(path.read_bytes())
    return kernel.cache_directory() / f"{definition.name}-{digest.hexdigest()[:16]}.ready"


def is_warm(game: Game) -> bool:
    """Whether the engines of ``game`` can think at once, for what `prepare` does has been done: in this process, or
    on this machine with these sources. Costs no compiling, and no loading of what was compiled."""
    if game.execution != "compiled":
        return True
    marker = _marker(game.definition)
    return str(marker) in _prepared or marker.exists()


def prepare(game: Game, on_progress: OnProgress | None = None) -> int:
    """Compile what the engines of all levels need for ``game``, or load it if that was done before; returns how many
    functions were compiled. ``on_progress`` is called before each level and each function."""
    compiled = step = 0

    def tell(name: str = "") -> None:
        if on_progress is not None:
            on_progress(Preparation(step, len(LEVELS), compiled, name))

    def compiling(name: str) -> None:
        nonlocal compiled
        compiled += 1
        tell(name)

    with kernel.hearing_compile(compiling):
        start = game.start()
        for number, _, _ in LEVELS:
            tell()
            level(game, number, seed=0).think(start, Limits(nodes=1))
            step += 1
    tell()
    if game.execution == "compiled":
        marker = _marker(game.definition)
        _prepared.add(str(marker))
        with contextlib.suppress(OSError):  # no writable cache directory: it is done for this process
            marker.touch()
    return compiled
