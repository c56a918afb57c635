"""Advice of Sparklies has the measure of hints and key moments: what the strongest engine expects of a turn."""

from functools import cache

import pytest

import tercet
from tercet.core.abilities.engine import Plan
from tercet.core.game import Position
from tercet.engines import engine
from tercet.games.sparklies.engine.planner import make_planner
from tercet.games.sparklies.lessons import _best, _Gain, _good_starts
from tests.support.play import engine_game
from tests.support.present import present

pytestmark = pytest.mark.online

DOUBTFUL, WRONG = 0.12, 0.28  # of the point: costs of a turn with "?" and "??" in web/src/analysis/chance.ts
NODES = 400_000


@cache
def turns_of(text: str) -> list[Plan]:
    position = tercet.parse(text)
    return list(make_planner(position.game, 10).plan(position, None, NODES, None, bool, lambda *_: None))


def cost(position: Position, gain: _Gain) -> float:
    """Return by which part of the point the best turn that begins with a gain falls short of the best one."""
    mover = present(position.mover)
    text = f"+{gain.name}" if gain.kind == "control" else f"{gain.name}={'RGB'[gain.colour]}"
    turns = turns_of(str(position))
    mine = [turn.scores[mover] for turn in turns if turn.actions[0] == int(position.action(text))]
    return max(turn.scores[mover] for turn in turns) - max(mine, default=0.0)


def test_advice_is_hardly_ever_a_mistake_and_never_a_bad_one() -> None:
    """It was, where the greatest capture at once let the other player capture more."""
    positions: list[Position] = []  # of games between weak engines, in which there is something to choose
    for seed in (1, 2, 3):
        position = tercet.game("sparklies", board="5x5").start(seed)
        players = [engine(f"level:{level}", position.game, seed=seed) for level in (2, 4)]
        positions += [one for one in engine_game(position, players) if len(one.legal_actions) > 1]
    advised, greedy = (
        [cost(position, gain) for position, gain in zip(positions, gains, strict=True) if gain.cells]
        for gains in ([_best(one, _good_starts(one)) for one in positions], [_best(one) for one in positions])
    )
    assert len(advised) > 50
    assert sum(one >= DOUBTFUL for one in advised) <= 0.05 * len(advised)
    assert max(advised) < WRONG
    assert sum(one >= DOUBTFUL for one in greedy) > 0.1 * len(greedy)
    assert max(greedy) > WRONG
