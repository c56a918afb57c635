"""Solitaires of Speed: the proven minimum is the one that brute force finds."""

from typing import Any

import pytest

import tercet
from tercet.core.abilities.knowledge import Solution
from tercet.core.game import Position
from tercet.errors import OptionError
from tercet.games.sparklies.engine.solver import solve
from tests.support.play import play, random_game
from tests.support.refusals import refuses

pytestmark = pytest.mark.thorough  # brute force


def fewest(start: Position) -> int:
    """Turns by breadth first search over whole turns."""
    generation = {start.row.tobytes(): start}
    turns = 0
    while True:
        turns += 1
        following: dict[bytes, Position] = {}
        for position in generation.values():
            for first in position.legal_actions:
                middle = position.play(first)
                for second in middle.legal_actions:
                    end = middle.play(second)
                    if end.is_over:
                        return turns
                    following[end.row.tobytes()] = end
        generation = following


def check_line(start: Position, solution: Solution) -> None:
    position = start
    for turn in solution.line:
        assert not position.is_over
        position = play(position, *turn)
    assert position.is_over
    assert len(solution.line) == solution.high


@pytest.mark.parametrize("options", [
    {"board": "3x2"}, {"board": "3x3"}, {"board": "3x3", "wrap": True}, {"board": "3x3", "dead": "b2"},
    {"board": "hex2"}, {"board": "3x2", "setup": "blank"}, {"board": "3x3", "attack": "1T"},
], ids=str)  # fmt: skip
def test_the_minimum_is_brute_forces(options: dict[str, Any]) -> None:
    game = tercet.game("sparklies", players=1, ruleset="speed", **options)
    for seed in range(4 if "setup" not in options else 1):
        start = game.start(seed)
        solution = solve(start)
        check_line(start, solution)
        assert solution.is_proven
        assert solution.high == fewest(start), str(start)


def test_4x4_is_solved_5x5_in_time_and_9x9_gets_bounds() -> None:
    for board, seconds in (("4x4", None), ("5x5", 30)):
        game = tercet.game("sparklies", board=board, players=1, ruleset="speed")
        heard: list[Solution] = []
        solution = solve(game.start(1), seconds, heard.append)
        check_line(game.start(1), solution)
        assert solution.is_proven
        assert heard
        for earlier, later in zip(heard, [*heard[1:], solution], strict=True):
            assert earlier.low <= later.low <= later.high <= earlier.high
    game = tercet.game("sparklies", board="9x9", players=1, ruleset="speed")
    solution = solve(game.start(1), 0.5)
    check_line(game.start(1), solution)
    assert 1 <= solution.low < solution.high
    assert not solution.is_proven


def test_what_cannot_be_solved_is_refused() -> None:
    start = tercet.game("sparklies", board="3x3", players=1, ruleset="speed").start(2)
    refuses(OptionError, None, solve, start.play(start.legal_actions[0]))
    *_, over = random_game(start, 1)
    assert solve(over).high == 0
    unsolved: list[dict[str, Any]] = [{"players": 2, "ruleset": "speed"}, {"players": 1}]
    for options in (*unsolved, {"players": 1, "ruleset": "playtest2"}):
        refuses(OptionError, None, solve, tercet.game("sparklies", board="4x4", **options).start(1))
