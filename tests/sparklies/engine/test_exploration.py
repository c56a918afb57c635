"""Outcomes of a turn and cells in danger, against brute force."""

from typing import Any

import pytest

import tercet
from tercet.core.game import Position
from tercet.games.sparklies.findings import danger, outcomes
from tercet.games.sparklies.kernels import layout
from tests.sparklies.engine.brute_force import going_on, in_a_chain, reachable, wander
from tests.support.play import play


def holders(position: Position) -> tuple[int, ...]:
    row = position.row
    return tuple(int(position.game.kernels.holder_at(row, cell)) for cell in range(len(position.game.board)))


BOARDS: list[dict[str, Any]] = [{"board": "3x3"}, {"board": "4x4", "ruleset": "speed"}]
BOARDS += [{"board": "4x3", "ruleset": "playtest2"}, {"board": "hex2", "players": 3}]


@pytest.mark.parametrize("options", BOARDS, ids=str)
def test_outcomes_are_all_there_is(options: dict[str, Any]) -> None:
    game = tercet.game("sparklies", **options)
    compared = 0
    for position in going_on(game, (1 + seed % 5 for seed in range(24))):
        found, mover = reachable(position, 3_000), position.mover or 0
        if found is None or not (told := outcomes(position, limit=2000, budget=2_000_000)).complete:
            continue
        compared += 1
        ours = [game.parse(way.position) for way in told.ways]
        assert sorted(map(holders, ours)) == sorted({holders(end) for end in found[0]})
        before = int(position.row[layout.HELD + 1 + mover])
        for way in told.ways:
            following = play(position, *way.actions)
            assert str(following) == way.position
            assert int(following.row[layout.HELD + 1 + mover]) - before == way.gained
        gains = [way.gained for way in told.ways]
        assert gains == sorted(gains, reverse=True)
    assert compared >= 5


def test_outcomes_begin_where_the_turn_stands() -> None:
    position = in_a_chain(wander(tercet.game("sparklies", board="8x8", ruleset="playtest2"), 3, 8), 1)
    told = outcomes(position, limit=7)
    assert 1 <= len(told.ways) <= 7
    for way in told.ways:
        assert str(play(position, *way.actions)) == way.position
    position = wander(tercet.game("sparklies", board="3x3"), 2, 3)
    assert len(outcomes(position, 500, colours=True).ways) > len(outcomes(position, 500).ways)


def test_nothing_comes_of_a_game_that_is_over_or_a_duel() -> None:
    game = tercet.game("sparklies", board="3x3")
    position = wander(game, 1, 99)
    assert position.is_over
    assert outcomes(position).ways == ()
    assert danger(position, 0).cells == ()
    game = tercet.game("sparklies", board="4x4", mode="duel")
    assert not danger(game.start(1), 0).complete


@pytest.mark.parametrize("options", BOARDS[:3], ids=str)  # of three all the others are asked, as if it were their turn
def test_danger_is_what_the_others_can_take(options: dict[str, Any]) -> None:
    game = tercet.game("sparklies", **options)
    compared = 0
    for position in going_on(game, (2 + seed % 5 for seed in range(24))):
        other = position.mover or 0
        player = (other + 1) % len(game.players)
        found = reachable(position, 3_000)
        told = danger(position, player)
        if found is None or not told.complete:
            continue
        compared += 1
        names = game.board.names
        mine = [cell for cell, holder in enumerate(holders(position)) if holder == player + 1]
        lost = {names[cell] for cell in mine if any(holders(end)[cell] != player + 1 for end in found[1])}
        assert set(told.cells) == lost == set(told.ways), str(position)
        for name, actions in told.ways.items():
            assert holders(play(position, *actions))[game.board.index[name]] == other + 1
            assert told.takers[name] == other
            assert told.pings[name][-1] in {text.split("=")[0] for text in actions}
    assert compared >= 5


def test_danger_of_three_asks_both_others() -> None:
    game = tercet.game("sparklies", board="hex3", players=3)
    assert any(danger(position, 0).ways for position in going_on(game, [12] * 12))


def test_danger_in_the_middle_of_a_turn() -> None:
    game = tercet.game("sparklies", board="6x6")
    position = in_a_chain(wander(game, 5, 9), 2)
    before = position.row.copy()
    for player in (0, 1):
        for name in danger(position, player).cells:
            assert holders(position)[game.board.index[name]] == player + 1
    assert (before == position.row).all()
