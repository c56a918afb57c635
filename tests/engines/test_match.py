"""Matches and ratings."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.engines import LEVELS, Limits, level
from tercet.engines.match import blocks, elo, match, opening, seatings, tally
from tercet.engines.mcts import MctsEngine
from tercet.engines.random_engine import RandomEngine


def test_elo_of_known_scores() -> None:
    assert elo(50, 0, 50).difference == 0
    assert elo(75, 0, 25).difference == pytest.approx(190.85, abs=0.01)
    assert elo(0, 10, 0).difference == 0
    assert elo(5, 0, 0).difference == math.inf
    assert elo(0, 0, 5).difference == -math.inf
    # Wilson's interval for 45 of 60: 0.628 to 0.842.
    assert elo(45, 0, 15).low == pytest.approx(400 * math.log10(0.6277 / 0.3723), abs=1)
    assert elo(45, 0, 15).high == pytest.approx(400 * math.log10(0.8422 / 0.1578), abs=1)
    assert str(elo(0, 0, 0)) == "+0 (-inf to +inf)"


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500))
def test_elo_lies_in_its_interval_and_mirrors(wins: int, draws: int, losses: int) -> None:
    one, other = elo(wins, draws, losses), elo(losses, draws, wins)
    assert one.low <= one.difference <= one.high
    if math.isfinite(one.difference):
        assert one.difference == pytest.approx(-other.difference)


@pytest.mark.parametrize("name", tercet.games())
def test_games_come_in_pairs_from_one_opening(name: str) -> None:
    game = tercet.game("sanqi", side=4) if name == "sanqi" else tercet.game(name)
    played = list(match(RandomEngine(1), RandomEngine(2), game, 4, plies=3, seed=5, max_actions=3000))
    assert [each.number for each in played] == [0, 1, 2, 3]
    for one, two in ((played[0], played[1]), (played[2], played[3])):
        assert one.start == two.start
        assert one.actions[:3] == two.actions[:3]
        assert all(a != b for a, b in zip(one.seats, two.seats, strict=True))
    for each in played:
        position = each.start
        for text in each.actions:
            position = position.play(text)
        assert position.outcome == each.outcome
    assert sum(tally(played)) == 4


def test_a_block_has_every_seating_once() -> None:
    assert seatings(1) == [(0,), (1,)]
    assert seatings(2) == [(0, 1), (1, 0)]
    assert sorted(seatings(3)) == [(0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0)]
    game = tercet.game("sparklies", board="3x3", players=3)
    played = list(match(RandomEngine(1), RandomEngine(2), game, 8, plies=2, seed=1, max_actions=500))
    assert [each.seats for each in played] == [*seatings(3), *seatings(3)[:2]]
    assert len({(each.start, each.actions[:2]) for each in played[:6]}) == 1
    assert played[6].actions[:2] != played[0].actions[:2] or played[6].start != played[0].start
    found = blocks(played, 3)
    assert found == [pytest.approx(sum(each.points for each in played[:6]) / 6)]
    for each in played:
        assert each.outcome is not None
        mine = [share for share, seat in zip(each.outcome.scores, each.seats, strict=True) if seat == 0]
        assert each.points == pytest.approx(sum(mine))


def test_a_match_can_be_gone_on_with() -> None:
    game = tercet.game("sanqi", side=4)

    def players() -> tuple[MctsEngine, MctsEngine]:
        return MctsEngine(game, seed=1, nodes=20), MctsEngine(game, seed=2, nodes=20)

    whole = list(match(*players(), game, 4))
    rest = list(match(*players(), game, 4, first=2))
    assert [each.actions for each in rest] == [each.actions for each in whole[2:]]


def test_openings_never_end_the_game() -> None:
    game = tercet.game("sanqi", side=4)
    for seed in range(50):
        start, book = opening(game, 14, seed)
        position = start
        for text in book:
            position = position.play(text)
        assert not position.is_over


def test_stronger_beats_weaker() -> None:
    game = tercet.game("sanqi", side=4)
    played = list(match(level(game, 4, 1), level(game, 1, 2), game, 8))
    wins, _, losses = tally(played)
    assert wins > losses


def test_there_are_eight_levels_for_every_game() -> None:
    assert [number for number, _, _ in LEVELS] == list(range(1, 9))
    for name in tercet.games():
        game = tercet.game(name)
        for number, title, words in LEVELS:
            assert title
            assert words.endswith(".")
            thought = level(game, number, seed=1).think(game.start(), Limits(nodes=4))
            assert thought.action in game.start().legal_actions


def test_weak_levels_do_not_grow_with_time() -> None:
    game = tercet.game("sanqi", side=4)
    thought = level(game, 2, seed=1).think(game.start(), Limits(movetime=5.0))
    assert thought.info.nodes <= 60
