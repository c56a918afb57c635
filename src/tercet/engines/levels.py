"""Eight strengths for any game, and engines by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tercet.engines.base import Engine, EngineError
from tercet.engines.chance import RandomEngine
from tercet.engines.mcts import MctsEngine
from tercet.engines.tree import Settings
from tercet.game import Game

__all__ = ["LEVELS", "engine", "engine_names", "level"]

LEVELS = (
    (1, "Sprout", "Looks at a handful of moves: a child wins."),
    (2, "Novice", "Sees what is right in front of it, most of the time."),
    (3, "Learner", "Finishes what it has begun, and often stops you."),
    (4, "Player", "Sees its own wins and your threats one turn ahead."),
    (5, "Regular", "Plans a little, and punishes mistakes."),
    (6, "Strong", "Looks further ahead than most people do."),
    (7, "Expert", "Searches deep; leave no threat unanswered."),
    (8, "Full strength", "Everything it has, for as long as it is given."),
)

# simulations a move, whether the game's own tactics are used
_STRENGTH = {
    1: (12, False),
    2: (60, False),
    3: (300, False),
    4: (60, True),
    5: (250, True),
    6: (1000, True),
    7: (4000, True),
}


def level(game: Game, level: int, seed: int | None = None) -> Engine:
    """The engine of strength ``level`` (1 to 8). Below 8 it is limited by simulations, not by time, so that it is as
    strong on every machine; 8 takes the time of the limits, one second by default."""
    if level == 8:
        return MctsEngine(game, name="level:8", seed=seed, movetime=1.0)
    if level not in _STRENGTH:
        raise EngineError(f"there are levels 1 to {len(LEVELS)}, not {level}")
    nodes, informed = _STRENGTH[level]
    settings = Settings(informed=informed, capacity=1 << 16)
    return MctsEngine(game, name=f"level:{level}", seed=seed, nodes=nodes, capped=True, reuse=False, settings=settings)


def _random(_game: Game, **options: Any) -> Engine:
    return RandomEngine(**options)


def _mcts(game: Game, **options: Any) -> Engine:
    return MctsEngine(game, **options)


def _remote(game: Game, command: str = "", **options: Any) -> Engine:
    from tercet.engines.remote import RemoteEngine

    return RemoteEngine(game, command, **options)


_MAKERS: dict[str, Callable[..., Engine]] = {"random": _random, "mcts": _mcts}


def engine_names() -> tuple[str, ...]:
    """What :func:`engine` takes, ``level:N`` for 1 to 8."""
    return (*_MAKERS, "level:N", "ugi:COMMAND")


def engine(name: str, game: Game, **options: Any) -> Engine:
    """An engine by name: ``"random"``, ``"mcts"``, ``"level:4"`` (also ``"engine:4"``), or ``"ugi:COMMAND"`` for an
    outside program that speaks the engine protocol. EngineError for anything else."""
    kind, _, rest = name.partition(":")
    try:
        if kind in ("level", "engine"):
            if not (rest.isascii() and rest.isdigit() and len(rest) < 4):
                raise EngineError(f"a level is a number from 1 to {len(LEVELS)}, not {rest!r}")
            return level(game, int(rest), **options)
        if kind == "ugi" and rest:
            return _remote(game, rest, **options)
        if name in _MAKERS:
            return _MAKERS[name](game, **options)
    except TypeError as error:
        raise EngineError(f"{name} has no such option: {error}") from None
    raise EngineError(f"there is no engine {name[:40]!r}; there are {', '.join(engine_names())}")
