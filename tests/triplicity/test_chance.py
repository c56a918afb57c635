"""Random actions are drawn from all legal ones, each as often as any other."""

from collections import Counter
from pathlib import Path

import pytest

import tercet
from tercet.kernel import advance_seed, start_seed

DRAWN_FROM = [
    line.split(" ; ")[0]
    for path in sorted((Path(__file__).parent / "perft").glob("*.perft"))
    for line in path.read_text().splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize("text", DRAWN_FROM, ids=range(len(DRAWN_FROM)))
def test_every_legal_action_is_equally_likely(text: str) -> None:
    position = tercet.parse(text)
    game, row, scratch = position.game, position.row, position.game.new_list()
    state, drawn = start_seed(3), Counter[int]()
    game.kernels.open_sampler(game.data, row, scratch)
    legal = [action.id for action in position.legal_actions]
    each = 60
    for _ in range(each * len(legal)):
        state = advance_seed(state)
        drawn[int(game.kernels.sample(game.data, row, state, scratch))] += 1
    assert set(drawn) <= set(legal)
    # The sum is near len(legal) if all are equally likely; twice the likelihood of a single one adds about 60.
    chi = sum((drawn[action] - each) ** 2 / each for action in legal)
    assert chi < len(legal) + 5 * (2 * len(legal)) ** 0.5


@pytest.mark.parametrize("text", DRAWN_FROM, ids=range(len(DRAWN_FROM)))
def test_both_modes_draw_the_same(text: str) -> None:
    fast, slow = tercet.parse(text), tercet.game("triplicity", execution="interpreted").parse(text)
    scratches = fast.game.new_list(), slow.game.new_list()
    state = start_seed(9)
    for _ in range(50):
        state = advance_seed(state)
        drawn = int(fast.game.kernels.sample(fast.game.data, fast.row, state, scratches[0]))
        assert slow.game.kernels.sample(slow.game.data, slow.row, state, scratches[1]) == drawn
