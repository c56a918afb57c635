"""Modules of games, built once and kept beside the compiled kernels, loaded once into each process."""

import functools
from collections.abc import Mapping
from typing import Any

from tercet.browser import wasmtime_host
from tercet.browser.building import Built, built_module
from tercet.core.game import Game
from tercet.games import game_definition
from tercet.kernel import webassembly

GAMES = ("sanqi", "triplicity", "sparklies")
_start = functools.cache(wasmtime_host.start)


_built = functools.cache(built_module)
_provided: dict[str, Built] = {}


def loaded(name: str, rules_only: bool = False) -> Built:
    """Build the module of a game and load it, in place of another that this process may have loaded."""
    _start()
    built = _built(name, rules_only)
    if _provided.get(name) is not built:
        webassembly.provide(name, built.content, built.table)
        _provided[name] = built
    return built


def both(name: str, options: Mapping[str, Any] | None = None, rules_only: bool = False) -> tuple[Game, Game]:
    """Return the game compiled and as WebAssembly, whose module is loaded."""
    loaded(name, rules_only)
    return tuple(Game(game_definition(name), options or {}, mode) for mode in ("compiled", "wasm"))  # type: ignore[return-value]
