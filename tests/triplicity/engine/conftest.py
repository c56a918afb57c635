"""Positions from a list of men, and searchers that are made once."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import pytest

import tercet
from tercet import Position
from tercet.core.abilities.engine import Plan
from tercet.games.triplicity.engine.planner import LEVELS, SearchPlanner
from tests.triplicity.men import Place, game_of, position_of

Choose = Callable[..., list[Plan]]


@cache
def thinker(changes: tuple[tuple[str, Any], ...]) -> SearchPlanner:
    return SearchPlanner(game_of(()), replace(LEVELS[9], table=14, **dict(changes)), seed=1)


def tangled(seed: int, plies: int) -> Position:
    """A position of a random game that likes captures, promotions and purchases."""
    game = tercet.game("triplicity")
    chance = random.Random(seed)
    position = game.start()
    while plies > 0 and not position.is_over:
        actions = list(position.legal_actions)
        loud = [a for a in actions if "x" in str(a) or "=" in str(a) or ("@" in str(a) and chance.random() < 0.1)]
        following = position.play(chance.choice(loud if loud and chance.random() < 0.6 else actions))
        if following.is_over:
            break
        position = following
        plies -= 1
    return position


@pytest.fixture
def wild() -> Callable[[int, int], Position]:
    """``wild(seed, plies)``: see `tangled`."""
    return tangled


@pytest.fixture
def place() -> Place:
    """As the other tests' ``place``, but nobody has tokens unless it is said."""
    return partial(position_of, tokens="0,0,0")


@pytest.fixture
def choose() -> Choose:
    """``choose(position, nodes=5000, lines=1, **changes)``: the engine's plans, from an empty memory."""

    def plans(position: Position, nodes: int = 5000, lines: int = 1, **changes: Any) -> list[Plan]:
        found = thinker(tuple(sorted(changes.items())))
        found.reset()
        found.lines = lines
        return found.plan(position, None, nodes, None, lambda: False, lambda *_: None)

    return plans
