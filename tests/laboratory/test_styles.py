"""How many styles a game supports: populations of players, what is counted, and how sure the numbers are."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from tercet.laboratory import Arm, Player, figures
from tercet.laboratory.playing import GameRow
from tercet.laboratory.styles import playable, score, scores_of, style_figures, undominated
from tests.laboratory.test_study import read
from tests.support.present import present

CHANCES = {  # of the first of two styles: 0, 1 and 2 answer each other in a circle, and 3 loses to all
    (0, 1): 0.7, (0, 2): 0.3, (1, 2): 0.7, (0, 3): 0.9, (1, 3): 0.9, (2, 3): 0.9,
}  # fmt: skip


def population(count: int, game: str = "sparklies", **given: object) -> Arm:
    players = tuple(Player("level:1", title=f"style {number}") for number in range(count))
    return Arm(game, {}, players, **given)  # type: ignore[arg-type]


def drawn(chances: dict[tuple[int, int], float], games: int, seed: int) -> list[GameRow]:
    """So many games of each pair of two players."""
    chance = random.Random(seed)
    rows: list[GameRow] = []
    for pair, better in chances.items():
        for number in range(games):
            first = chance.random() < better
            order = pair if number % 2 else pair[::-1]
            scores = tuple(float((entrant == pair[0]) == first) for entrant in order)
            rows.append(GameRow(len(rows), order, scores, 1, ""))
    return rows


def test_in_a_block_each_pair_shares_the_seats_in_every_way() -> None:
    assert Counter(map(frozenset, population(4).orders)) == {frozenset(pair): 2 for pair in combinations(range(4), 2)}
    orders = population(4, "triplicity").orders
    assert len(set(orders)) == len(orders) == 6 * 6
    assert all(len(set(order)) == 2 for order in orders)


def test_equal_styles_score_one_half_whatever_seats_they_share() -> None:
    """Of three equal seats each wins a third of the games."""
    for order in [(0, 1, 1), (1, 0, 0), (0, 0, 1)]:
        won = [tuple(float(seat == winner) for seat in range(3)) for winner in range(3)]
        assert sum(score(GameRow(0, order, scores, 1, ""), 0, 1) for scores in won) == pytest.approx(1.5)


def test_a_circle_of_answers_is_undominated_and_a_style_that_loses_to_all_is_not() -> None:
    found = present(scores_of(drawn(CHANCES, 2000, 1), population(4)))
    assert (undominated(found).mean, undominated(found).low, undominated(found).high) == (3, 3, 3)
    assert (playable(found, 0.1).low, playable(found, 0.1).high) == (3, 3)
    alike = present(scores_of(drawn({(0, 1): 1.0, (0, 2): 1.0, (1, 2): 1.0}, 2, 1), population(3)))
    assert playable(alike, 0.1).high == 3, "games that all went alike are not taken for certain"
    assert style_figures(drawn(CHANCES, 1, 1), population(4)) == [], "before each pair has played twice"


@pytest.mark.parametrize("gap", [0.05, 0.25])
@pytest.mark.parametrize("games", [12, 60])
def test_the_intervals_hold_the_true_numbers(gap: float, games: int) -> None:
    """Of style 0 to 4 each beats the next ones a little, and the last answers the first."""
    chances = {(one, other): 0.5 + 0.04 * (other - one) for one, other in combinations(range(5), 2)} | {(0, 4): 0.4}
    exact = {**chances, **{(other, one): 1 - better for (one, other), better in chances.items()}}
    mean = [sum(exact[style, other] for other in range(5) if other != style) / 4 for style in range(5)]
    true_playable = sum(max(mean) - one <= gap for one in mean)
    true_undominated = sum(
        not any(
            exact[other, style] > 0.5 and all(exact[other, k] > exact[style, k] for k in {*range(5)} - {other, style})
            for other in range(5)
            if other != style
        )
        for style in range(5)
    )
    held = 0
    for seed in range(100):
        found = present(scores_of(drawn(chances, games, seed), population(5)))
        one, other = playable(found, gap), undominated(found)
        held += one.low <= true_playable <= one.high and other.low <= true_undominated <= other.high
    assert held >= 95


def test_a_population_plays_and_is_measured(tmp_path: Path) -> None:
    text = (
        'question = "?"\ngame = "sparklies"\noptions = { board = "5x5" }\nmetrics = ["styles", "players"]\n'
        'players = ["whole", "confined", "quiet"]\n[player]\nwhole = { engine = "level:2" }\n'
        'confined = { engine = "level:2", never = ["captured"] }\n'
        'quiet = { engine = "level:2", never = ["pinged"], until = 2 }\n'
    )
    (arm,) = read(tmp_path, text).arms
    assert arm.name == "3 styles"
    rows = arm.run(12)
    named = {figure.name: figure for figure in figures(["styles", "players"], rows, arm)}
    expected = ("playable", "undominated", "whole", "confined", "quiet")
    assert list(named)[:5] == [f"styles.{name}" for name in expected]
    assert named["styles.playable"].estimate.low >= 1
    assert sum(named[f"styles.{name}"].estimate.mean for name in arm.engines) == pytest.approx(1.5, abs=0.001)
    assert [row.scores for row in arm.run(12)] == [row.scores for row in rows]


def test_a_restriction_ends_after_so_many_actions() -> None:
    arm = Arm("sanqi", {"side": 4}, (Player("random", always=("replaced",), until=3, title="sharp"),), seed=3)
    kinds: list[str] = []
    for row in arm.run(2):
        position = arm.start(arm.made(), row.number)
        for number, move in enumerate(row.moves):
            done = position.transition(position.action(move))
            if number > 5:
                kinds.append(done.events[0].kind)
            elif any(position.transition(one).events[0].kind == "replaced" for one in position.legal_actions):
                assert done.events[0].kind == "replaced"
            position = done.after
    assert "placed" in kinds
