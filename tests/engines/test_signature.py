"""The engines' signature: for fixed seeds, positions and node counts, the same moves, nodes, scores and visits as ever.

A change that is meant to make an engine faster or its code plainer must leave ``signature.txt`` as it is. One that is
meant to change how it plays writes the file anew (``python tests/engines/test_signature.py``) and says so.
"""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet import Game, Position
from tercet.engines import LEVELS, Limits, level
from tercet.engines.tree import Settings, Tree
from tests.support.division import thorough_but

FILE = Path(__file__).with_name("signature.txt")
PLIES = (0, 9, 24)  # random actions before the position that is searched
NODES = 3_000
BETWEEN = " | "  # in a line of the file
VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("sanqi", {"side": 5}),
    ("sanqi", {"side": 8}),
    ("sparklies", {}),
    ("sparklies", {"ruleset": "speed", "board": "4x4"}),
    ("sparklies", {"mode": "duel", "board": "4x4"}),
    ("sparklies", {"players": 3, "board": "4x5"}),
    ("triplicity", {}),
)
NAMES = [" ".join([name, *(f"{key}={value}" for key, value in options.items())]) for name, options in VARIANTS]


def positions(game: Game) -> Iterator[tuple[int, Position]]:
    chance = random.Random(5)
    position = game.start(5)
    for plies in range(PLIES[-1] + 1):
        if plies in PLIES:
            yield plies, position
        position = position.play(chance.choice(position.legal_actions))
        if position.is_over:
            return


def signature(name: str, options: dict[str, Any]) -> Iterator[str]:
    """A text for each level and position, and for each tree searched with and without the game's own kernels."""
    game = tercet.game(name, **options)
    for plies, position in positions(game):
        for number, *_ in LEVELS:
            thought = level(game, number, seed=7).think(position, Limits(nodes=NODES, multipv=2))
            info = thought.info
            scored = ((" ".join(f"{score:.4f}" for score in line.scores), line) for line in info.lines)
            lines = "; ".join(f"{scores} {line.note} {' '.join(line.pv[:4])}" for scores, line in scored)
            yield f"after {plies}, level {number}: {thought.action}, {info.nodes} nodes, depth {info.depth}: {lines}"
        for informed in (False, True):
            tree = Tree(game, Settings(informed=informed), 11)
            tree.begin(position)
            tree.search(500)
            visits = sorted(((child.visits, child.action, child.proof) for child in tree.children()), reverse=True)[:8]
            yield (
                f"after {plies}, tree {'informed' if informed else 'plain'}: {tree.visits} visits, {tree.used} used, "
                f"depth {tree.deepest}, proof {tree.proof}: {' '.join('/'.join(map(str, visit)) for visit in visits)}"
            )


def recorded() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            found[line[2:]] = parts = []
        else:
            parts += line.split(BETWEEN)
    return found


# Each game has two searches to compile, each a quarter of a minute.
@pytest.mark.parametrize(("name", "options"), thorough_but(lambda variant: variant[0] == "sanqi", VARIANTS), ids=NAMES)
def test_engines_play_as_recorded(name: str, options: dict[str, Any]) -> None:
    assert list(signature(name, options)) == recorded()[NAMES[VARIANTS.index((name, options))]]


def main() -> None:
    """Write the file: a line for each position of a variant."""
    lines = []
    for label, (name, options) in zip(NAMES, VARIANTS, strict=True):
        grouped = itertools.groupby(signature(name, options), key=lambda text: text.split(",")[0])
        lines += [f"# {label}", *(BETWEEN.join(texts) for _, texts in grouped)]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
