"""Positions without tokens unless it is said, tangled ones, and what a searcher that is made once plans."""

import random
from dataclasses import replace
from functools import cache, partial
from typing import Any

from tercet import Position
from tercet.core.abilities.engine import Plan
from tercet.games.triplicity.engine.planner import LEVELS, SearchPlanner
from tests.triplicity import men
from tests.triplicity.men import START

place = partial(men.place, tokens="0,0,0")


def wild(seed: int, plies: int) -> Position:
    """A position of a random game that likes captures, promotions and purchases."""
    chance, position = random.Random(seed), START
    for _ in range(plies):
        actions = list(position.legal_actions)
        loud = [a for a in actions if "x" in str(a) or "=" in str(a) or ("@" in str(a) and chance.random() < 0.1)]
        following = position.play(chance.choice(loud if loud and chance.random() < 0.6 else actions))
        if following.is_over:
            break
        position = following
    return position


def planned(
    thinker: SearchPlanner, position: Position, nodes: int | None = None, depth: int | None = None
) -> list[Plan]:
    return thinker.plan(position, None, nodes, depth, lambda: False, lambda *_: None)


@cache
def thinker(changes: tuple[tuple[str, Any], ...]) -> SearchPlanner:
    return SearchPlanner(START.game, replace(LEVELS[9], table=14, **dict(changes)), seed=1)


def choose(position: Position, nodes: int = 5000, lines: int = 1, **changes: Any) -> list[Plan]:
    """The engine's plans, from an empty memory."""
    found = thinker(tuple(sorted(changes.items())))
    found.reset()
    found.lines = lines
    return planned(found, position, nodes)
