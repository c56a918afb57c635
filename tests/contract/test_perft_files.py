"""Every ``tests/<game>/perft/*.perft``: positions and the leaves of their trees, as interpreted kernels counted."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet import Position, testing
from tercet.kernel import advance_seed, start_seed

FILES = sorted(Path(__file__).parents[1].glob("*/perft/*.perft"))
MOST_COMPILED = 3_000_000
MOST_INTERPRETED = 20_000


def lines_of(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]


LINES = [(path.name, line) for path in FILES for line in lines_of(path)]
PER_LINE = pytest.mark.parametrize(("file", "line"), LINES)


def in_both_modes(line: str) -> tuple[Position, Position]:
    compiled = tercet.parse(line.partition(";")[0].strip())
    return compiled, tercet.game(compiled.game.name, execution="interpreted").parse(str(compiled))


def check_counts(line: str, most_compiled: int, most_interpreted: int) -> None:
    compiled, interpreted = in_both_modes(line)
    text, *counts = [part.strip() for part in line.split(";")]
    assert str(compiled) == text.replace(",setup=3", ""), "only a default is not written"
    assert counts, "no depth is given"
    for count in ("D0 1", *counts):
        depth, leaves = (int(number) for number in count.removeprefix("D").split())
        if leaves <= most_compiled:
            assert compiled.game.perft(compiled, depth) == leaves
        if leaves <= most_interpreted:
            assert interpreted.game.perft(interpreted, depth) == leaves


@PER_LINE
def test_perft(file: str, line: str) -> None:
    check_counts(line, MOST_COMPILED, MOST_INTERPRETED)


@pytest.mark.long
@PER_LINE
def test_perft_interpreted(file: str, line: str) -> None:
    check_counts(line, 0, MOST_COMPILED)


@PER_LINE
def test_positions_keep_the_contract(file: str, line: str) -> None:
    position, _ = in_both_modes(line)
    testing.check_position(position, random.Random(1))
    testing.check_symmetries(position)


@PER_LINE
def test_every_legal_action_is_equally_likely_and_drawn_in_both_modes(file: str, line: str) -> None:
    fast, slow = in_both_modes(line)
    legal, each = fast.legal_actions.ids.tolist(), 60
    scratches, state, drawn = (fast.game.new_list(), slow.game.new_list()), start_seed(3), Counter[int]()

    def draw(position: Position, scratch: Any) -> int:
        kernels, data = position.game.kernels, position.game.data
        kernels.open_sampler(data, position.row, scratch)
        return int(kernels.sample(data, position.row, state, scratch))

    for number in range(each * len(legal)):
        state = advance_seed(state)
        action = draw(fast, scratches[0])
        assert number >= 50 or draw(slow, scratches[1]) == action
        drawn[action] += 1
    assert set(drawn) <= set(legal)
    # The sum is near len(legal) if all are equally likely; twice the likelihood of a single one adds about 60.
    assert sum((drawn[action] - each) ** 2 / each for action in legal) <= len(legal) + 5 * (2 * len(legal)) ** 0.5


def test_each_game_has_perft_files() -> None:
    assert set(tercet.games()) <= {path.parent.parent.name for path in FILES}
