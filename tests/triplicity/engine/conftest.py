"""Positions from a list of men, and searchers that are made once."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import tercet
from tercet import Position
from tercet.games.triplicity.engine.levels import LEVELS
from tercet.games.triplicity.engine.planner import Plan, SearchPlanner

Place = Callable[..., Position]
Choose = Callable[..., list[Plan]]


@cache
def games(options: tuple[tuple[str, Any], ...]) -> tercet.Game:
    return tercet.game("triplicity", **dict(options))


@cache
def thinker(changes: tuple[tuple[str, Any], ...]) -> SearchPlanner:
    return SearchPlanner(games(()), replace(LEVELS[8], table=14, **dict(changes)), seed=1)


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
    """``place("wKb1 bKl12 rKb12", turn="W", tokens="0,0,0", states="a,a,a", quiet=0, pending="-", **options)``."""

    def make(
        men: str,
        turn: str = "W",
        tokens: str = "0,0,0",
        states: str = "a,a,a",
        quiet: int = 0,
        pending: str = "-",
        **options: Any,
    ) -> Position:
        game = games(tuple(sorted(options.items())))
        at = {game.board.index[man[2:]]: man[:2] for man in men.split()}
        rows = []
        for cells in game.board.rows:
            text, empty = "", 0
            for cell in cells:
                if cell in at:
                    text += (str(empty) if empty else "") + at[cell]
                    empty = 0
                else:
                    empty += 1
            rows.append(text + (str(empty) if empty else ""))
        changed = game.option_text(changed_only=True).replace(" ", ",")
        head = "triplicity" + (f"/{changed}" if changed else "")
        return game.parse(" ".join([head, "/".join(rows), turn, tokens, states, str(quiet), pending]))

    return make


@pytest.fixture
def choose() -> Choose:
    """``choose(position, nodes=5000, lines=1, **changes)``: the engine's plans, from an empty memory."""

    def plans(position: Position, nodes: int = 5000, lines: int = 1, **changes: Any) -> list[Plan]:
        found = thinker(tuple(sorted(changes.items())))
        found.reset()
        found.lines = lines
        return found.plan(position, None, nodes, None, lambda: False, lambda *_: None)

    return plans
