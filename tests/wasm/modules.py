"""Modules of games, built once and kept beside the compiled kernels, loaded once into each process."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from tercet.browser import wasmtime_host
from tercet.browser.building import Built, built_module
from tercet.game import Game
from tercet.games import game_definition
from tercet.kernel import webassembly

__all__ = ["GAMES", "both", "loaded"]

GAMES = ("sanqi", "triplicity", "sparklies")
_start = functools.cache(wasmtime_host.start)


@functools.cache
def loaded(name: str, rules_only: bool = False) -> Built:
    """Build the module of a game and load it."""
    _start()
    built = built_module(name, rules_only)
    webassembly.provide(name, built.content, built.table)
    return built


def both(name: str, options: Mapping[str, Any] | None = None) -> tuple[Game, Game]:
    """Return the game compiled and as WebAssembly."""
    return tuple(Game(game_definition(name), options or {}, mode) for mode in ("compiled", "wasm"))  # type: ignore[return-value]
