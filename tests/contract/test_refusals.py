"""Whatever cell a person chooses that may not be chosen: the game says why, whatever was chosen before it."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

import tercet
from tercet.core.game import Position
from tercet.core.presentation import position_view, table_view
from tercet.games import game_definition

PLAYED: list[tuple[str, dict[str, Any]]] = [
    ("sanqi", {"side": 4}),
    ("triplicity", {}),
    ("sparklies", {"board": "4x4"}),
    ("sparklies", {"board": "4x4", "ruleset": "speed"}),
    ("sparklies", {"board": "4x4", "mode": "duel"}),
]
POSITIONS, CHOICES = 6, 8


def positions(name: str, options: dict[str, Any], chance: random.Random) -> Iterator[Position]:
    """Positions of random games, early and late."""
    game = tercet.game(name, execution="interpreted", **options)
    for seed in range(POSITIONS):
        position = game.start(seed=seed)
        for _ in range(chance.randrange(60)):
            if position.is_over:
                break
            position = position.play(chance.choice(list(position.legal_actions)))
        if not position.is_over:
            yield position


def refused(position: Position, chance: random.Random) -> Iterator[list[str]]:
    """What may have been chosen, and then a cell with which no legal action goes on."""
    paths = [set(path[1]) for path in position_view(position)["paths"]]
    picks = ["#" + pick["id"] for pick in table_view(position.game)["picks"]]
    cells = sorted({step for path in paths for step in path if not step.startswith("#")})
    begun = [[], *([pick] for pick in picks), *([cell] for cell in cells)]
    begun += [list(pair) for pair in itertools.product(picks, cells)]
    begun = [before for before in begun if any(_goes_on(path, before) for path in paths)]
    chosen = [begun[0], *chance.sample(begun[1:], min(CHOICES, len(begun) - 1))]
    for before, cell in itertools.product(chosen, position.game.board.names):
        steps = {*before, cell}
        if cell not in before and not any(steps <= path or path == {cell} for path in paths):
            yield [*before, cell]


def _goes_on(path: set[str], before: list[str]) -> bool:
    """Whether a cell is still to be chosen on ``path`` after ``before``."""
    return path.issuperset(before) and any(not step.startswith("#") for step in path.difference(before))


@pytest.mark.parametrize(("name", "options"), PLAYED, ids=str)
def test_no_choice_is_refused_in_silence(name: str, options: dict[str, Any]) -> None:
    chance, told = random.Random(7), 0
    attempt = game_definition(name).attempt
    assert attempt is not None
    for position in positions(name, options, chance):
        legal = {str(action) for action in position.legal_actions}
        for steps in refused(position, chance):
            action = attempt(position, steps)
            assert action is not None, (str(position), steps)
            if action in legal:  # the page takes the cell alone
                continue
            with pytest.raises(tercet.IllegalAction) as error:
                position.action(action)
            assert error.value.why, (str(position), steps)
            told += 1
    assert told > 20
