"""Compile a game's kernels ahead, in the order in which people need them.

The stages are "rules" (what a table asks of a game), "engine" (the engines of the levels that beginners choose) and
"rest". A file beside the compiled kernels marks a stage of a game as done. Within a stage, the cache of kernels is the
progress: a process that was killed goes on where it stopped.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from tercet import kernel
from tercet.core import playout
from tercet.core.definition import GameDefinition
from tercet.core.game import Action, Game, Position
from tercet.core.presentation import position_view
from tercet.engines import kernels as engine_kernels
from tercet.engines.base import Limits
from tercet.engines.levels import LEVELS, level
from tercet.errors import IllegalAction, OptionError
from tercet.games import game_definition

STAGES = ("rules", "engine", "rest")
QUICK_LEVEL = 5  # the strongest engine that, interpreted, moves within a second or two
TABLE_ACTIONS = 8  # actions that are played as at a table; the others only lead to an end
MAX_ACTIONS = 4000  # of a game that is played to compile


def steps(name: str, stage: str) -> list[tuple[str, Callable[[], object]]]:
    """Return the steps that leave nothing of a ``stage`` to compile, each with its title."""
    definition = game_definition(name)
    if stage == "rules":
        return [("rules", lambda: exercise_rules(name))]
    game = Game(definition, definition.quick_start.options if definition.quick_start else {}, "compiled")
    levels = range(1, QUICK_LEVEL + 1) if stage == "engine" else range(QUICK_LEVEL + 1, len(LEVELS) + 1)

    def engines() -> None:
        for number in levels:
            level(game, number, seed=0).think(game.start(1), Limits(nodes=1))

    if stage == "engine":
        return [("first engines", engines)]
    found: list[tuple[str, Callable[[], object]]] = [
        ("engines", engines),
        ("questions", lambda: _explore(game.start(1))),
        ("perft", lambda: game.perft(game.start(1), 2)),
        ("random games", lambda: exercise_playouts(game)),
    ]
    more = definition.engine.warm
    return found if more is None else [*found, ("solver", more)]


def compile_stage(name: str, stage: str) -> None:
    """Compile that ``stage`` of the game ``name`` and mark it as done."""
    for _, work in steps(name, stage):
        work()
    mark_ready(name, stage)


def mark_ready(name: str, stage: str) -> None:
    """Note that nothing of a ``stage`` is left to compile on this machine."""
    with contextlib.suppress(OSError):  # no writable cache directory: each process compiles for itself
        _marker(game_definition(name), stage).touch()


def is_ready(name: str, stage: str) -> bool:
    """Return whether a ``stage`` of these very sources was compiled on this machine."""
    return _marker(game_definition(name), stage).exists()


def _marker(definition: GameDefinition, stage: str) -> Path:
    return kernel.cache_directory() / f"{definition.name}-{stage}-{_fingerprint(definition)}.ready"


@functools.cache
def _fingerprint(definition: GameDefinition) -> str:
    import platform  # slow to import, and not needed where nothing is compiled
    from importlib.metadata import version

    modules = [kernel, playout, engine_kernels, *definition.kernel_modules]
    if definition.engine.search is not None:
        modules.append(definition.engine.search.kernels)
    if definition.engine.nets is not None:
        modules.append(definition.engine.nets.kernels)
    digest = hashlib.sha256(f"{version('numba')} {platform.machine()} {platform.python_version()}".encode())
    for module in modules:
        for path in _sources(module):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources(module: Any) -> list[Path]:
    assert isinstance(module, ModuleType)
    folders = getattr(module, "__path__", None)
    if folders is not None:
        return sorted(path for folder in folders for path in Path(folder).glob("*.py"))
    return [Path(module.__file__)] if module.__file__ else []


def exercise_rules(name: str) -> None:
    """Ask of the compiled game all that tables and lessons ask: compile what is not compiled, load the rest."""
    chance = random.Random(1)
    game = Game(game_definition(name), {}, "compiled")
    position = game.start(1)
    for _ in range(TABLE_ACTIONS):
        if position.is_over:
            break
        action = position.action(str(_any(position, chance)))
        _ask(position, action)
        position = position.play(action)
    _ask_rarely(position)
    for _ in range(MAX_ACTIONS):
        if position.is_over:
            break
        position = position.play(_any(position, chance))
    position_view(position)


def _any(position: Position, chance: random.Random) -> Action:
    legal = position.legal_actions
    chosen: Action = legal[chance.randrange(len(legal))]
    return chosen


def _ask(position: Position, action: Action) -> None:
    game = position.game
    position_view(position)
    game.definition.view.paths(position)
    position.transition(action)
    game.parse(str(position))
    _ = position.turn_is_open, position.is_answer, position.tally, position.note, position.short_text(action)


def _ask_rarely(position: Position) -> None:
    definition = position.game.definition
    position.without_history()
    position.canonical_key()
    position.observe()
    for seat in range(len(position.game.players)):
        position.may_resign(seat)
    legal = set(position.legal_actions.ids)
    illegal = next((number for number in range(position.game.rules.actions) if number not in legal), None)
    for allowed, ask in (
        (definition.agreement is not None, position.agree_draw),
        (definition.resignation is not None, lambda: position.resign(position.mover or 0)),
        (illegal is not None, lambda: position.play(illegal or 0)),
    ):
        with contextlib.suppress(IllegalAction):
            if allowed:
                ask()


def _explore(position: Position) -> None:
    explorations, board = position.game.definition.explorations, position.game.board
    if explorations is None:
        return
    for _ in range(4):
        for asked in explorations.offered(position.game):
            with contextlib.suppress(OptionError):  # it makes no sense here
                explorations.explore(position, asked.id, board.names[0] if asked.needs == "cell" else None, 3)
        position = position.play(str(position.legal_actions[0]))


def exercise_playouts(game: Game) -> None:
    """Play a random game within the kernels of the compiled ``game``."""
    import numpy as np

    rules, players, row = game.rules, len(game.players), game.start(1).row
    game.playout.playouts(
        game.data, row, row.copy(), rules.row_size, players, 1, 1, game.new_list(), game.new_events(),
        np.zeros(players), np.zeros(players), 100,
    )  # fmt: skip
