"""The search computes what it says: the same interpreted, the same without pruning, keys followed as recomputed."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import Position, kernel
from tercet.games.triplicity.engine import planner
from tercet.games.triplicity.engine.kernels import evaluation, memory
from tercet.games.triplicity.kernels import layout
from tests.support.present import present
from tests.triplicity.engine.thinking import place, planned, wild

pytestmark = pytest.mark.thorough  # compiles the search of the planner

# Nothing is left out but purchases as the last action.
WHOLE: dict[str, Any] = {"calm": 0, "noise": 0, "wide": 10**6, "late": 10**6, "margin": 10**7, "wary": False}
EXACT = replace(planner.LEVELS[10], mode=memory.PARANOID, table=12, **WHOLE)


def reference(thinker: planner.SearchPlanner, position: Position, me: int, depth: int, ply: int = 0) -> int:
    """Minimax, everybody against ``me``, as the search's docstring says, with no pruning at all."""
    row = position.row
    work, weights = np.zeros(evaluation.WORK, np.int64), thinker.search.weights
    worth = int(thinker.search.kernels.worth(position.game.data, row, weights, work, me, ply))
    if position.is_over or row[layout.STATE + me] != layout.ACTIVE:
        return worth
    pending = bool(row[layout.PENDING])
    if depth == 0 and not pending:
        return worth
    actions = [int(action) for action in position.legal_actions]
    if depth == 1 and ply and not pending:
        actions = [number for number in actions if number < layout.PURCHASES]
        if not actions:
            return worth
    if depth == 0:  # what is owed for the last capture is paid with the man of the least value
        actions = [min(actions, key=lambda a: (weights[row[layout.CELLS + a - layout.SACRIFICES] & 7], a))]
    found = [reference(thinker, position.play(one), me, depth if pending else depth - 1, ply + 1) for one in actions]
    return max(found) if position.mover == me else min(found)


def check_values(position: Position) -> None:
    thinker = planner.SearchPlanner(position.game, EXACT, 1)
    for depth in (1, 2):
        thinker.reset()
        planned(thinker, position, depth=depth)
        assert thinker.depth == depth or thinker._settled
        assert thinker.value == reference(thinker, position, present(position.mover), depth)


def test_full_strength_knows_what_men_are_worth_where_they_stand() -> None:
    """Each player's men as that player sees them: in the array, all three are equally strong."""
    game = tercet.game("triplicity")
    knows, plain = (planner.Search(game, replace(EXACT, placed=placed)) for placed in (True, False))
    places, start = planner.places(game), game.start()
    for position in (start, start.play("c3-e6").play("k11-h9")):
        before, after, row = plain.strengths(position), knows.strengths(position), position.row
        for player in range(3):
            men = [(int(row[layout.CELLS + cell]), places[layout.SIZE * player + cell]) for cell in range(layout.SIZE)]
            known = [planner.placement()[man % 8 - 1][place] for man, place in men if man and man // 8 == player]
            assert after[player] - before[player] == sum(known)
    assert len(set(knows.strengths(start))) == 1


@pytest.mark.parametrize("seed", range(8))
def test_alpha_beta_is_minimax(seed: int) -> None:
    check_values(wild(seed, 150))


@pytest.mark.parametrize("tokens", ["3,1,0", "0,0,0", "3,0,12"])
def test_alpha_beta_is_minimax_where_tribute_is_owed(tokens: str) -> None:
    check_values(place("wKa1 wRg5 wNd4 bKm12 bRg9 bNi9 bPf8 rKb12 rNe7 rPd9", tokens=tokens))


@pytest.mark.parametrize("seed", range(20))
def test_what_is_attacked_is_what_the_rules_say(seed: int) -> None:
    position = wild(seed, 20 * seed)
    game, row = position.game, position.row
    thinker = planner.SearchPlanner(game, EXACT, 1)
    thinker.search.strengths(position)
    for player in range(3):
        attacks = thinker.search.memory.work[evaluation.ATTACKS + 2 * player : evaluation.ATTACKS + 2 * player + 2]
        for cell in range(layout.SIZE):
            noted = int(attacks[game.kernels.men_word(cell)]) & game.kernels.cell_bit(cell) != 0
            assert noted == game.kernels.attacked(game.data, row, cell, player, -1)


@pytest.mark.parametrize("mode", [memory.PARANOID, memory.BEST_REPLY])
def test_interpreted_as_compiled(mode: int) -> None:
    position = wild(3, 200)
    sight = replace(planner.LEVELS[10], mode=mode, table=8)
    compiled = planner.SearchPlanner(position.game, sight, 5)
    slow = planner.SearchPlanner(tercet.game("triplicity", execution="interpreted"), sight, 5)
    assert planned(slow, slow.game.parse(str(position)), 400) == planned(compiled, position, 400)
    assert slow.nodes == compiled.nodes
    assert all(map(np.array_equal, compiled.search.memory.frames[:4], slow.search.memory.frames[:4]))


def test_keys_are_followed_as_they_are_recomputed() -> None:
    game = tercet.game("triplicity")
    made = kernel.build(memory, "compiled", "triplicity")
    events = game.new_events()
    chance = random.Random(7)
    position = wild(11, 40)
    kinds = set()
    for _ in range(400):
        if position.is_over:
            position = wild(chance.randrange(10**6), 40)
        actions = list(position.legal_actions)
        loud = [action for action in actions if set("x=@~") & set(str(action))]
        action = chance.choice(loud if loud and chance.random() < 0.7 else actions)
        kinds |= set("x=@~") & set(str(action))
        row = position.row.copy()
        before = made.men_key(game.data, row)
        count = game.kernels.apply(game.data, row, int(action), events)
        assert made.follow_key(before, events, count) == made.men_key(game.data, row)
        position = position.play(action)
    assert kinds >= set("x=@")


def test_keys_tell_positions_apart() -> None:
    game = tercet.game("triplicity")
    made = kernel.build(memory, "compiled", "triplicity")
    keys: dict[int, bytes] = {}
    for seed in range(30):
        position = wild(seed, 60)
        for action in position.legal_actions:
            row = position.play(action).row.copy()
            row[layout.QUIET] = 0
            key = int(made.position_key(game.data, row, made.men_key(game.data, row), 0))
            assert keys.setdefault(key, row.tobytes()) == row.tobytes()
    assert len(keys) > 1000


def test_the_table_gives_back_what_it_was_given() -> None:
    made = kernel.build(memory, "compiled", "triplicity")
    table = np.zeros(4 * 16, np.int64)
    chance = random.Random(2)
    for _ in range(300):
        key = chance.getrandbits(62)
        value = chance.choice((-evaluation.WON, evaluation.WON, chance.randrange(-5000, 5000)))
        depth, bound, code = chance.randrange(48), chance.randrange(1, 4), chance.randrange(-1, 2 * layout.ACTIONS)
        made.remember(table, key, value, depth, bound, code, chance.randrange(64))
        entry = int(made.recall(table, key))
        assert (entry >> 29) - 2 * evaluation.WON == value
        assert ((entry >> 23) & 63, (entry >> 21) & 3) == (depth, bound)
        assert made.known_code(entry) == code
