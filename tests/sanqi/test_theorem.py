"""The theorem that makes every game of SanQi end, and the counts in the row, held against the pattern tables."""

import os
from typing import Any

import numpy as np
import pytest

from tercet import testing
from tercet.core.game import Game
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.rules import patterns

pytestmark = pytest.mark.thorough  # brute force

GOALS: list[dict[str, Any]] = [{"side": 4, "line": 7}, {"side": 5, "line": 4}]
GOALS += [{"side": 5, "triangle": "first"}, {"side": 7, "line": 7, "triangle": "first"}]


class Checker:
    """Looks at each action of a game with tables only: (pieces, equal pairs) grows, patterns are counted right."""

    def __init__(self, game: Game) -> None:
        board = game.board
        self.game = game
        self.edges = np.array([(a, b) for a, near in enumerate(board.neighbours) for b in near if a < b < len(board)])
        self.patterns = {name: np.array(places) for name, places in patterns(board, game.options["line"]).items()}
        self.triangles = (0, 1) if game.options["triangle"] == "both" else (0,)
        self.measure = (0, 0)
        self.replacements = 0

    def types(self, row: Any) -> Any:
        game, side = self.game, self.game.options["side"]
        span = 2 * side + 3
        found = np.zeros(len(game.board), np.int64)
        for cell, (q, r) in enumerate(game.board.coordinates):
            for kind in (1, 2, 3):
                word = int(row[layout.WORDS + 3 * (kind - 1) * span + r + side + 1])
                found[cell] += kind * (word >> (q + side + 1) & 1)
        return found

    def __call__(self, game: Game, row: Any, action: int, events: list[tuple[int, ...]]) -> None:
        after = row.copy()
        game.kernels.apply(game.data, after, action, game.new_events())
        types = self.types(after)
        pairs = types[self.edges]
        equal = int(np.sum((pairs[:, 0] == pairs[:, 1]) & (pairs[:, 0] > 0)))
        pieces = int(np.sum(types > 0))
        was_pieces, was_equal = self.measure
        if events[0][0] == layout.REPLACED:
            self.replacements += 1
            assert pieces == was_pieces
            assert equal >= was_equal + 2, "a replacement adds at least two equal pairs"
        else:
            assert pieces == was_pieces + 1
            assert equal >= was_equal, "a placement takes none away"
        self.measure = (pieces, equal)
        for name, slot in (("circle", layout.CIRCLES), ("line", layout.LINES), ("triangle", layout.TRIANGLES)):
            held = types[self.patterns[name]]
            assert int(np.sum((held[:, 0] > 0) & np.all(held == held[:, :1], axis=1))) == after[slot]
        standing = {name: after[slot] > 0 for name, slot in (("circle", 5), ("line", 6), ("triangle", 7))}
        moved = 1 - int(after[layout.MOVER])
        wins = (standing["triangle"] and moved in self.triangles) or standing["circle" if moved == 0 else "line"]
        assert wins == (after[layout.WINNER] == moved)


def walk(options: dict[str, Any], games: int) -> int:
    compiled, interpreted = testing.both("sanqi", options)
    replacements = 0
    for seed in range(games):
        checker = Checker(compiled)
        testing.play_in_step(compiled, interpreted, seed, on_action=checker)
        replacements += checker.replacements
    return replacements


MANY = int(os.environ.get("TERCET_GAMES", "200"))


@pytest.mark.timeout(0)
@pytest.mark.parametrize("side", [4, 5, 6, 10])
@pytest.mark.parametrize("games", [15, pytest.param(MANY, marks=pytest.mark.long)])
def test_pieces_and_equal_pairs_only_grow(side: int, games: int) -> None:
    assert walk({"side": side}, min(games, 4) if side == 10 and games == 15 else games) > 0


@pytest.mark.parametrize("options", GOALS, ids=str)
def test_goals_are_judged_by_the_option(options: dict[str, Any]) -> None:
    assert walk(options, 10) > 0
