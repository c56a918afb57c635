"""What the kernels of a game compute, as short texts that can be compared; in Pyodide too, which has no NumPy."""

import hashlib
import json
import random
from typing import Any

from tercet.core.game import Game
from tercet.engines.kernels import tree as layout
from tercet.engines.nets import shipped_net
from tercet.engines.tree import Settings, Tree
from tercet.games import game_definition

PERFT_DEPTH = {"sanqi": 2}  # there are 813 actions at its start
GAMES, ACTIONS, NODES = 3, 150, 400


def _digest(found: Any) -> str:
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16]


def _random_game(game: Game, seed: int) -> list[Any]:
    """The legal actions, the row and the scores at each position of a game."""
    chance, position, found = random.Random(seed), game.start(seed), []
    for _ in range(ACTIONS):
        numbers = [int(number) for number in position.legal_actions.ids]
        found.append([numbers, [int(word) for word in position.row], position.scores])
        if not numbers:
            break
        position = position.play(chance.choice(numbers))
    return found


def grown_tree(game: Game, networked: bool) -> list[Any]:
    net = shipped_net(game.definition) if networked else None
    tree = Tree(game, Settings(capacity=1 << 14, proof_effort=0 if networked else 8), 5, net)
    tree.begin(game.start(1))
    tree.search(NODES)
    used, memory = tree.used, tree._memory
    sizes = {"nodes": layout.NODE * used, "bounds": layout.BOUND * used, "points": tree.players * used}
    header = [int(entry) for entry in memory.header]
    return [header, *(getattr(memory, name)[:size].tolist() for name, size in sizes.items())]


def digests(execution: Any) -> dict[str, str]:
    """Random games, perft and search trees of each game."""
    found = {}
    for name in ("sanqi", "triplicity", "sparklies"):
        game = Game(game_definition(name), {}, execution)
        for seed in range(GAMES):
            found[f"{name}, random game {seed}"] = _digest(_random_game(game, seed))
        found[f"{name}, perft"] = _digest(game.perft(game.start(1), PERFT_DEPTH.get(name, 3)))
        found[f"{name}, tree of rollouts"] = _digest(grown_tree(game, networked=False))
        parts = game.definition.engine.nets
        if parts is not None and parts.shipped is not None:
            found[f"{name}, tree of a network"] = _digest(grown_tree(game, networked=True))
    return found
