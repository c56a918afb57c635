"""Games from seeds alone, the same wherever they are played: compiled, interpreted or as WebAssembly."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tercet import kernel
from tercet.core.game import Game, Position
from tercet.engines import level

MAX_TRIAL_ACTIONS = 4000  # a longer game is cut off


@dataclass(frozen=True)
class Trial:
    """A game that was played: the players' ``shares`` of the point (equal if it was cut off), and its number of
    ``actions``."""

    shares: tuple[float, ...]
    actions: int


def seed_of(study: int, number: int, purpose: str) -> int:
    """Return the seed for one ``purpose`` of game ``number`` in a study with the seed ``study``: 0 to 2**60 - 1. Seeds
    of any two games, purposes and studies have nothing to do with each other."""
    digest = hashlib.sha256(f"tercet laboratory {study} {number} {purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 4


def play_trials(game: Game, strength: int, study: int, numbers: Sequence[int]) -> list[Trial]:
    """Play the games with these ``numbers`` of a study with the seed ``study``. Everyone plays at the level
    ``strength`` (1 to 9), or at random (0)."""
    starts = [game.start(seed_of(study, number, "start")) for number in numbers]
    if strength == 0:
        return [
            _random_game(start, seed_of(study, number, "actions"))
            for number, start in zip(numbers, starts, strict=True)
        ]
    engines = [level(game, strength, 0) for _ in game.players]
    trials = []
    for number, position in zip(numbers, starts, strict=True):
        for seat, engine in enumerate(engines):
            engine.new_game(seed_of(study, number, f"seat {seat}"))
        actions = 0
        while position.mover is not None and actions < MAX_TRIAL_ACTIONS:
            position = position.play(engines[position.mover].choose(position))
            actions += 1
        trials.append(_trial(position, actions))
    return trials


def _random_game(start: Position, seed: int) -> Trial:
    """Play at random within the game's kernels."""
    game, players = start.game, len(start.game.players)
    row, list_, events = game.new_row(), game.new_list(), game.new_events()
    points, total = (kernel.zeros(game.execution, players, "float64") for _ in range(2))
    actions = game.playout.playouts(
        game.data, start.row, row, game.rules.row_size, players, 1, seed, list_, events, points, total,
        MAX_TRIAL_ACTIONS,
    )  # fmt: skip
    return _trial(Position(game, row), int(actions))


def _trial(position: Position, actions: int) -> Trial:
    seats, shares = len(position.game.players), position.scores
    return Trial((1 / seats,) * seats if shares is None else shares, actions)
