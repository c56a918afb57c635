"""Sparklies' engine: legal, whole turns under every option; nothing missed that a brute search sees; steady answers."""

import threading
import time
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import kernel
from tercet.core.game import Game
from tercet.engines import EngineError, Limits, engine, level
from tercet.engines.base import PlannedEngine
from tercet.games.sparklies.engine.kernels import evaluation
from tercet.games.sparklies.engine.kernels.evaluation import WON
from tercet.games.sparklies.engine.planner import make_planner, plans
from tercet.games.sparklies.engine.search import Effort, Final, TurnSearch
from tercet.games.sparklies.kernels import layout
from tests.contract.options_sparklies import OPTION_SETS
from tests.sparklies.engine.brute_force import ends_of, going_on, in_a_chain, wander
from tests.support.division import thorough_but
from tests.support.play import engine_game, play
from tests.support.present import present
from tests.support.refusals import refuses


def cells_of(row: Any, game: Game) -> tuple[int, ...]:
    return tuple(int(word) & layout.CELL_MASK for word in row[layout.PLACES : layout.PLACES + len(game.board)])


@pytest.mark.parametrize("options", thorough_but(lambda options: options.get("mode") != "duel", OPTION_SETS), ids=str)
def test_it_plays_whole_legal_turns_under_every_option(options: dict[str, Any]) -> None:
    game = tercet.game("sparklies", **options)
    player = level(game, 7, seed=1)
    position = wander(game, 3, 2)
    for _ in range(4):
        if position.is_over:
            return
        thought = player.think(position, Limits(nodes=400))
        assert thought.action in position.legal_actions
        line = thought.info.lines[0]
        assert len(line.scores) == len(game.players)
        assert sum(line.scores) == pytest.approx(1, abs=1e-6)
        play(position, *line.pv)
        position = position.play(thought.action)


@pytest.mark.thorough  # compiles that
def test_a_duel_is_left_to_tree_search() -> None:
    game = tercet.game("sparklies", board="4x4", mode="duel")
    assert not plans(game)
    refuses(EngineError, None, PlannedEngine, game, 3)
    assert not isinstance(level(game, 3), PlannedEngine)
    refuses(EngineError, None, level(tercet.game("sparklies"), 2).think, game.start(), Limits(nodes=1))


@pytest.mark.parametrize("options", [
    {"board": "3x3"}, {"board": "4x2"}, {"board": "4x2", "ruleset": "playtest2"},
    {"board": "3x3", "ruleset": "speed"}, {"board": "hex2", "attack": "2o"}, {"board": "3x3", "flag": True},
], ids=str)  # fmt: skip
def test_no_turn_that_wins_is_missed(options: dict[str, Any]) -> None:
    game = tercet.game("sparklies", **options)
    player = level(game, 10, seed=1)
    wins = 0
    for position in going_on(game, (3 + seed % 5 for seed in range(50))):
        mover = present(position.mover)
        if any(end.outcome is not None and end.outcome.winners == (mover,) for end in ends_of(position, 4_000) or ()):
            wins += 1
            end = position.play(player.think(position, Limits(nodes=60_000)).action)
            while end.turn_is_open and end.mover == mover:
                end = end.play(player.think(end, Limits(nodes=60_000)).action)
            assert present(end.outcome).winners == (mover,), str(position)
    assert wins >= 3


@pytest.mark.parametrize(
    "cells",
    [
        "b1r0g0r0b0b1/g0b1g0r0b1r0/r0r0g1r1g0b2/b2b0r1g1g0r0/r0b1b0b0b1g0/b1g0b2r0r0b1",
        "b1r0g0b0g0b1/b0b1g0g0b1r0/g0b0g1r1g0b2/b2r0r1g1b0r0/r0b1r0g0b1b0/b1g0b2r0r0b1",
        "b1b0g0b0r0b1/r0b1r0r0b1r0/b0b0g1r1r0b2/b2b0r1g1r0b0/g0b1b0r0b1g0/b1g0b2b0b0b1",
    ],
)
def test_a_quadrille_that_fills_the_board_is_found(cells: str) -> None:
    """A harlequin in the middle and cells at the corners of the squares around it: it takes dozens of pings."""
    position = tercet.parse(f"sparklies/board=6x6,ruleset=subtle {cells} B c 0")
    *turn, end = engine_game(position, [level(position.game, 10, seed=1)], Limits(nodes=4_000_000))
    assert len(turn) > 20
    assert end.row[layout.HELD + 1] == 36


def test_speed_turns_are_all_listed() -> None:
    game = tercet.game("sparklies", board="4x4", ruleset="speed")
    for position in going_on(game, (seed % 6 for seed in range(12))):
        found = present(ends_of(position))
        search = TurnSearch(game, merge=False)
        effort = Effort(1, 1, 0, 1, 1 << 40, 4096)
        finals = search.sweep(position.row, effort, cutoff=1 << 40, lines=True, all_pings=True)
        assert search.complete
        assert {final.row.tobytes() for final in finals} == {end.row.tobytes() for end in found}
        mover = position.mover or 0
        assert finals[0].value == max(search.value(end.row, mover) for end in found)
        for final in finals[:5]:
            assert np.array_equal(play(position, *final.actions).row, final.row)


@pytest.mark.parametrize(
    "options", [{"board": "3x3"}, {"board": "4x2", "ruleset": "playtest2"}, {"board": "hex2"}], ids=str
)
def test_a_complete_search_found_every_end(options: dict[str, Any]) -> None:
    game = tercet.game("sparklies", **options)
    compared = 0
    for position in going_on(game, (seed % 5 for seed in range(20))):
        found = ends_of(position, 4_000)
        if found is None:  # the search would take as long
            continue
        search = TurnSearch(game, merge=False)
        effort = Effort(2000, 2000, 0, 1000, 1 << 40, 4096)
        finals = search.sweep(position.row, effort, cutoff=1 << 40, all_pings=True)
        if search.complete:
            compared += 1
            ours = {cells_of(final.row, game) for final in finals}
            assert ours == {cells_of(end.row, game) for end in found}, str(position)
    assert compared >= 5


def test_the_rest_of_a_turn_is_played_from_the_plan() -> None:
    game = tercet.game("sparklies", board="7x7")
    player = level(game, 9, seed=3)
    position = wander(game, 8, 14)
    mover = position.mover
    thought = player.think(position, Limits())
    plan = list(thought.info.lines[0].pv)
    assert thought.info.nodes > 1000
    played = [str(thought.action)]
    position = position.play(thought.action)
    while position.turn_is_open and position.mover == mover:
        thought = player.think(position, Limits())
        assert thought.info.nodes == 0
        played.append(str(thought.action))
        position = position.play(thought.action)
    assert played[: len(plan)] == plan


def test_it_can_begin_in_the_middle_of_a_turn() -> None:
    game = tercet.game("sparklies", board="6x6")
    position = in_a_chain(wander(game, 5, 10), 5)
    assert level(game, 10, seed=1).think(position, Limits(nodes=1)).action in position.legal_actions


@pytest.mark.parametrize(
    "options", [{"board": "6x6"}, {"board": "6x6", "ruleset": "speed"}, {"board": "hex3", "players": 3}], ids=str
)
def test_seed_and_nodes_settle_the_answer(options: dict[str, Any]) -> None:
    game = tercet.game("sparklies", **options)
    for number in (1, 9):
        a, b = level(game, number, seed=7), level(game, number, seed=7)
        position = wander(game, 1, 8)
        limits = Limits(nodes=30_000)
        first = a.think(position, limits)
        assert first.info.lines == b.think(position, limits).info.lines
        a.new_game()
        assert a.think(position, limits).info.lines == first.info.lines


def test_interpreted_and_compiled_search_alike() -> None:
    options = {"board": "4x4"}
    fast, slow = tercet.game("sparklies", **options), Game(tercet.game("sparklies").definition, options, "interpreted")
    effort = Effort(2, 4, 2, 6, 3_000, 8)
    for position in going_on(fast, range(3, 7)):
        ours = TurnSearch(fast).sweep(position.row, effort, lines=True)
        theirs = TurnSearch(slow).sweep(position.row.tolist(), effort, lines=True)
        for mine, its in zip(ours, theirs, strict=True):
            assert (mine.value, mine.actions, list(mine.row)) == (its.value, its.actions, its.row)


def test_the_search_leaves_its_row_alone_and_its_finals_are_ends_and_one_s_gain_the_other_s_loss() -> None:
    assert WON > 100 * 400 + 30 * 400
    game = tercet.game("sparklies", board="7x7")
    for position in going_on(game, [12] * 10):
        before = position.row.copy()
        search = TurnSearch(game)
        for final in search.sweep(position.row, Effort(), lines=True):
            following = play(position, *final.actions)
            assert not following.turn_is_open
            assert np.array_equal(following.row, final.row)
            values = [search.value(final.row, player) for player in (0, 1)]
            assert final.value == values[position.mover or 0] == -values[1 - (position.mover or 0)]
        assert np.array_equal(before, position.row)


def test_percolation_bounds_every_chain_of_subtle() -> None:
    game = tercet.game("sparklies", board="6x6")
    search = TurnSearch(game)
    scratch = search.array(2 * len(game.board) + 2, "int32")
    kernels_of_evaluation = kernel.build(evaluation, game.execution, "sparklies")
    for position in going_on(game, (8 + seed % 12 for seed in range(40))):
        mover = position.mover or 0
        most = max(int(final.row[layout.HELD + 1 + mover]) for final in search.sweep(position.row, Effort()))
        spreads = [
            kernels_of_evaluation.spread(game.data, position.row, mover, cell, 2, scratch)
            for cell in range(len(game.board))
            if game.kernels.holder_at(position.row, cell) == 0
        ]
        assert most <= max(spreads)


def test_it_beats_random_play_and_weaker_levels() -> None:
    game = tercet.game("sparklies", board="6x6")
    for seats, seed in (((8, 0), 1), ((0, 8), 1), ((6, 1), 2), ((1, 6), 2)):
        engines = [level(game, seat, seed=4) if seat else engine("random", game, seed=4) for seat in seats]
        *_, end = engine_game(game.start(seed), engines, Limits(nodes=20_000))
        assert present(end.outcome).winners == (seats.index(max(seats)),)


def test_three_players_each_play_for_themselves() -> None:
    game = tercet.game("sparklies", board="hex3", players=3)
    player, rivals = level(game, 10, seed=1), engine("random", game, seed=2)
    for seat in range(3):
        engines = [player if one == seat else rivals for one in range(3)]
        *_, end = engine_game(game.start(seat), engines, Limits(nodes=15_000))
        assert present(end.outcome).winners == (seat,)


def test_it_stops_when_told() -> None:
    game = tercet.game("sparklies")
    player = level(game, 10, seed=1)
    position = wander(game, 1, 10)
    stop = threading.Event()
    stop.set()
    began = time.perf_counter()
    assert player.think(position, Limits(infinite=True), stop=stop).action in position.legal_actions
    assert time.perf_counter() - began < 30


def test_several_lines_are_told_apart() -> None:
    game = tercet.game("sparklies", board="6x6")
    position = wander(game, 4, 9)
    thought = level(game, 9, seed=1).think(position, Limits(nodes=40_000, multipv=3))
    lines = [line.pv for line in thought.info.lines]
    assert len(lines) == len(set(lines)) == 3
    shares = [line.scores[position.mover or 0] for line in thought.info.lines]
    assert shares[0] == max(shares)


def test_only_a_turn_that_ends_the_game_is_said_to_win() -> None:
    """Replies to any other turn are not all looked at: that it wins is expected, not proved."""
    game = tercet.game("sparklies", board="3x3", ruleset="speed")
    position = game.start(1)
    over = position.row.copy()
    over[layout.STATUS] = layout.PLAYING + 1
    planner = make_planner(game, 1, 1)
    assert (planner._note(Final(WON, position.row)), planner._note(Final(WON, over))) == ("", "wins")
    assert planner._note(Final(WON - 1, over)) == ""
