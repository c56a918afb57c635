"""Eight strengths for any game, and engines by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tercet.engines.base import Engine, EngineError
from tercet.engines.mcts import MctsEngine
from tercet.engines.nets import read_net, shipped_net
from tercet.engines.planned import PlannedEngine
from tercet.engines.random_engine import RandomEngine
from tercet.engines.tree import Settings
from tercet.game import Game

__all__ = ["LEVELS", "engine", "engine_names", "level", "most_threads"]

MOST_THREADS = 64

LEVELS = (
    (1, "Sprout", "Looks at a handful of moves and guesses: a child wins."),
    (2, "Novice", "Has a feeling for what is near, and misses most threats."),
    (3, "Learner", "Finishes what it has begun, and stops you now and then."),
    (4, "Player", "Never misses a win in one, and stops yours."),
    (5, "Regular", "Plans a little beyond the threats."),
    (6, "Strong", "Plans further, and sees short strings of threats."),
    (7, "Expert", "Searches deep, and finds long strings of threats."),
    (8, "Full strength", "Everything it has, for as long as it is given."),
)

# Simulations and search settings of each level. Where a game has no engine kernels, `informed` and the efforts make no
# difference.
_SETTINGS: dict[int, tuple[int, Settings]] = {
    1: (8, Settings(informed=False)),
    2: (60, Settings(informed=False)),
    3: (500, Settings(informed=False)),
    4: (30, Settings(effort=0, root_effort=0)),
    5: (120, Settings(effort=0, root_effort=0)),
    6: (300, Settings(effort=4, root_effort=200)),
    7: (12_000, Settings()),
}


def most_threads(game: Game) -> int:
    """How many threads the engines of ``game`` can use: one where a planner of its own thinks, else as many as
    MOST_THREADS."""
    planning = game.definition.engine.planning
    return 1 if planning is not None and planning.plans(game) else MOST_THREADS


def level(game: Game, level: int, seed: int | None = None, threads: int = 1) -> Engine:
    """The engine of strength ``level`` (1 to 8). Below 8 it is limited by simulations, not by time, so that it is as
    strong on every machine; 8 takes the time of the limits, one second by default. EngineError where there is no such
    level, or where it cannot use so many ``threads`` (see `most_threads`)."""
    if level not in range(1, len(LEVELS) + 1):
        raise EngineError(f"there are levels 1 to {len(LEVELS)}, not {level}")
    if not 1 <= threads <= most_threads(game):
        raise EngineError(f"{threads} threads: the engine of {game.name} can use 1 to {most_threads(game)}")
    planning = game.definition.engine.planning
    if planning is not None and planning.plans(game):
        return PlannedEngine(game, level, seed)
    if level == 8:
        nets = game.definition.engine.nets
        net = shipped_net(game.definition) if nets is not None and nets.shipped is not None else None
        return MctsEngine(game, name="level:8", seed=seed, threads=threads, movetime=1.0, net=net)
    nodes, settings = _SETTINGS[level]
    settings = replace(settings, capacity=max(1 << 12, 1 << (32 * nodes).bit_length()))
    return MctsEngine(
        game, name=f"level:{level}", seed=seed, threads=threads, nodes=nodes, capped=True, reuse=False,
        proving=False, settings=settings,
    )  # fmt: skip


def _random(_game: Game, **options: Any) -> Engine:
    return RandomEngine(**options)


def _mcts(game: Game, **options: Any) -> Engine:
    return MctsEngine(game, **options)


def _net(game: Game, path: str = "", **options: Any) -> Engine:
    definition = game.definition
    net = read_net(path, definition) if path else shipped_net(definition)
    return MctsEngine(game, name=f"net:{path}" if path else "net", net=net, **options)


def _remote(game: Game, command: str = "", **options: Any) -> Engine:
    from tercet.engines.remote import RemoteEngine

    return RemoteEngine(game, command, **options)


_MAKERS: dict[str, Callable[..., Engine]] = {"random": _random, "mcts": _mcts, "net": _net}


def engine_names() -> tuple[str, ...]:
    """The names that :func:`engine` takes, with ``level:N`` for the levels 1 to 8."""
    return (*_MAKERS, "level:N", "net:FILE", "ugi:COMMAND")


def engine(name: str, game: Game, **options: Any) -> Engine:
    """An engine by name: ``"random"``, ``"mcts"``, ``"level:4"`` (also ``"engine:4"``), ``"net"`` for tree search with
    the network that comes with the game, ``"net:FILE"`` with another, or ``"ugi:COMMAND"`` for an outside program that
    speaks the engine protocol. EngineError for anything else."""
    kind, _, rest = name.partition(":")
    try:
        if kind in ("level", "engine"):
            if not (rest.isascii() and rest.isdigit() and len(rest) < 4):
                raise EngineError(f"a level is a number from 1 to {len(LEVELS)}, not {rest!r}")
            return level(game, int(rest), **options)
        if kind == "net" and rest:
            return _net(game, rest, **options)
        if kind == "ugi" and rest:
            return _remote(game, rest, **options)
        if name in _MAKERS:
            return _MAKERS[name](game, **options)
    except TypeError as error:
        raise EngineError(f"{name} has no such option: {error}") from None
    raise EngineError(f"there is no engine {name[:40]!r}; there are {', '.join(engine_names())}")
