"""The whole contract for one game, in one call."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from tercet.core.game import Game, Position
from tercet.games import game_definition
from tercet.testing.kernels import both, play_in_step
from tercet.testing.positions import check_foreign_text, check_observation, check_position, check_symmetries

MUTATIONS = 100
SYMMETRIC = 300  # cells of the largest board whose symmetric positions are compared


def check_game(name: str, option_sets: Sequence[Mapping[str, Any]], games: int = 3, limit: int = 400) -> None:
    """Hold the registered game ``name`` to the contract with each of ``option_sets``.

    For each set of options, play ``games`` random games of at most ``limit`` actions with the compiled and the
    interpreted kernels side by side. On the way, check positions, observations, symmetries and texts. Raise
    AssertionError, which names the options, the seed and the fault.
    """
    assert option_sets, "check_game needs at least one set of options"
    assert game_definition(name).name == name, f"the entry point {name} leads to {game_definition(name).name}"
    for options in option_sets:
        compiled, interpreted = both(name, options)
        for seed in range(games):
            try:
                _check_one(compiled, interpreted, seed, limit)
            except AssertionError as error:
                raise AssertionError(f"{name} {dict(options)}, seed {seed}: {error}") from error


def _check_one(compiled: Game, interpreted: Game, seed: int, limit: int) -> None:
    position, actions = play_in_step(compiled, interpreted, seed, limit)
    rng = random.Random(seed)
    stops = {0, 1, 2, len(actions) // 2, len(actions) - 1, len(actions)}
    walk = compiled.start(seed)
    for ply, action in enumerate([*actions, None]):
        if ply in stops:
            check_position(walk, rng)
            check_observation(compiled, walk)
            if len(compiled.board) <= SYMMETRIC:
                check_symmetries(walk)
        if action is not None:
            walk = walk.play(action)
    assert walk == position, "the same actions lead to another position"
    _check_texts(walk, rng)


def _check_texts(position: Position, rng: random.Random) -> None:
    """Position strings and actions with a few characters changed are read or refused."""
    texts = [str(position), *map(str, position.game.start(0).legal_actions)]
    signs = "".join(sorted(set("".join(texts)))) + "-+/ "
    for _ in range(MUTATIONS):
        text = rng.choice(texts)
        at = rng.randrange(len(text) + 1)
        check_foreign_text(position, text[:at] + rng.choice(signs) + text[at + rng.randrange(3) :])
