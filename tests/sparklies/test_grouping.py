"""Grouping and the centre, as `tercet stats` counts them."""

import random

import pytest

import tercet
from tercet.core.boards import hexagon, rectangle
from tercet.games.sparklies.statistics import border, centre, grouping, groups, runs
from tercet.laboratory import Arm, players, report, summary


def test_neighbours_alike_against_chance() -> None:
    board = rectangle(3, 2)
    assert grouping(board, [1, 1, 1, 1, 1, 1]) == (1.0, 1.0)
    found, chance = grouping(board, [1, 2, 1, 2, 1, 2])
    assert found == 0.0
    assert chance == pytest.approx(12 / 30)
    assert grouping(board, [1, 1, 1, 2, 2, 2])[0] == pytest.approx(4 / 7)


def test_kinds_dealt_out_are_grouped_as_by_chance() -> None:
    board, chance = rectangle(9, 9), random.Random(3)
    kinds = [cell % 3 for cell in range(81)]
    found = []
    for _ in range(400):
        chance.shuffle(kinds)
        found.append(grouping(board, kinds))
    assert sum(share for share, _ in found) / 400 == pytest.approx(found[0][1], abs=0.01)


def test_the_centre_is_a_ninth_and_what_is_as_near() -> None:
    board = rectangle(5, 5)
    assert {board.names[cell] for cell in centre(board)} == {"c3", "b3", "d3", "c2", "c4"}
    board = rectangle(2, 2)
    assert len(centre(board)) == 4


def test_groups_hang_together() -> None:
    board = rectangle(3, 2)  # the first row is the lower one
    kinds = [1, 1, 2, 2, 1, 2]
    assert sorted(sorted(group) for group in groups(board, kinds)) == [[0, 1, 4], [2, 5], [3]]


def test_runs_are_straight_and_counted_along_every_line() -> None:
    board = rectangle(3, 2)
    assert runs(board, [1, 1, 1, 1, 1, 1]) == 12 / 5  # two rows of three, three columns of two
    assert runs(board, [1, 2, 1, 2, 1, 2]) == 1
    assert runs(board, [1, 1, 1, 2, 2, 2]) == 12 / 8  # two rows; each cell alone in its column
    assert runs(hexagon(2), [1] * 7) == 21 / 9  # in each of three directions lines of 2, 3 and 2


def test_a_border_is_straight_where_one_line_splits_the_board() -> None:
    board = rectangle(3, 2)
    assert border(board, [1, 1, 1, 2, 2, 2]) == 1
    assert border(board, [1, 2, 2, 1, 2, 2]) == 1
    assert border(board, [1, 1, 2, 1, 2, 2]) == 2 / 3
    assert border(board, [1, 0, 2, 1, 0, 2]) is None, "nobody meets"


def test_figures_of_a_game_tell_of_grouping_and_the_centre() -> None:
    game = tercet.game("sparklies", board="5x5", ruleset="speed")
    answer = summary(game, Arm("sparklies", dict(game.options), players("random")).run(20))
    for name in ("colour_groups", "holder_groups"):
        assert 0 <= answer[name]["mean"] <= 1
        assert 0.2 < answer[name]["chance"] < 1
    assert 0 <= answer["centre"]["low"] <= answer["centre"]["mean"] <= answer["centre"]["high"] <= 1
    assert answer["centre"]["games"] <= 20
    assert any(line.startswith("centre") for line in report(game, answer))


def test_the_first_capture_of_anothers_cell() -> None:
    game = tercet.game("sparklies", board="5x5")
    rows = Arm("sparklies", dict(game.options), players("level:2")).run(8)
    for row in rows:
        assert row.counts["contact"] is None or 2 <= row.counts["contact"] <= row.counts["turns"]
    answer = summary(game, rows)
    assert answer["contact"]["games"] == sum(row.counts["contact"] is not None for row in rows)
    assert 0 <= answer["bases"]["mean"] <= 25 / 4 / 2
