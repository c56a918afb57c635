"""Positions after actions that a test names, or draws."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import tercet
from tercet import Action, Position
from tercet.engines import Engine, Limits, level


def play(position: Position | str, *actions: Any) -> Position:
    """Return the position after ``actions``; it may be given as a string."""
    found = tercet.parse(position) if isinstance(position, str) else position
    for action in actions:
        found = found.play(action)
    return found


def texts(position: Position) -> set[str]:
    return {str(action) for action in position.legal_actions}


def random_game(position: Position, seed: int | random.Random, actions: int = 10**9) -> Iterator[Position]:
    """Yield the position, and those after random actions until the game is over, at most so many."""
    chance = seed if isinstance(seed, random.Random) else random.Random(seed)
    yield position
    while actions > 0 and not position.is_over:
        position = position.play(chance.choice(position.legal_actions))
        actions -= 1
        yield position


def random_actions(position: Position, seed: int | random.Random, actions: int = 10**9) -> list[str]:
    """Return random actions until the game is over, at most so many."""
    chance = seed if isinstance(seed, random.Random) else random.Random(seed)
    found: list[str] = []
    while len(found) < actions and not position.is_over:
        found.append(str(chance.choice(position.legal_actions)))
        position = position.play(found[-1])
    return found


def engine_game(position: Position, engines: Sequence[Engine], limits: Limits | None = None) -> Iterator[Position]:
    """Yield the position, and those after what each player's engine plays until the game is over."""
    yield position
    while position.mover is not None:
        position = position.play(engines[position.mover].think(position, limits or Limits()).action)
        yield position


def chosen(position: Position, number: int, seeds: int = 60) -> Iterator[Action]:
    """Yield what level ``number`` plays there, seed by seed."""
    player = level(position.game, number, seed=0)
    for seed in range(seeds):
        player.new_game(seed)
        yield player.think(position, Limits()).action


def wins(position: Position) -> list[int]:
    """Return the actions with which the mover has the whole point at once."""
    after = {action.id: position.play(action).scores for action in position.legal_actions}
    return [number for number, scores in after.items() if scores and scores[position.mover or 0] == 1]


def playouts(position: Position, games: int, seed: int = 1) -> tuple[int, Any]:
    """Play random games from the position in the library's own loop; return the actions and each player's points."""
    game, total = position.game, np.zeros(len(position.game.players))
    rows, points = (position.row, game.new_row(), game.rules.row_size), np.zeros(len(game.players))
    buffers = (game.new_list(), game.new_events(), points, total)
    return game.playout.playouts(game.data, *rows, len(game.players), games, seed, *buffers, 100_000), total
