"""Games of a study: seeds, seats, and what a statistician asks of their figures."""

import math
import pickle
from itertools import permutations
from typing import Any

import pytest

import tercet
from tercet.core.figures import share
from tercet.engines.trials import seed_of
from tercet.laboratory import Arm, play_record, players, summary
from tercet.record import Record
from tests.support.present import present

pytestmark = pytest.mark.thorough

SMALL = {"board": "3x3"}
REPEATS, GAMES = 40, 20


@pytest.mark.parametrize("engine", ["random", "level:4"])
def test_runs_with_other_seeds_agree_as_often_as_their_intervals_promise(engine: str) -> None:
    """White's share in many runs, each with a seed of its own, against the mean of all: 95 of 100 intervals hold it.
    Where games of a run share an engine's random numbers, far fewer do."""
    studies = (Arm("sparklies", SMALL, players(engine), seed=900 + run) for run in range(REPEATS))
    runs = [[row.scores[1] for row in study.run(GAMES)] for study in studies]
    truth = share([points for run in runs for points in run]).mean
    held = sum(share(run).low <= truth <= share(run).high for run in runs)
    assert held >= 0.95 * REPEATS - 3 * math.sqrt(0.95 * 0.05 * REPEATS)
    # And the means of runs vary as much as single games make them vary, no more and no less.
    values = [sum(run) / GAMES for run in runs]
    expected = share([points for run in runs for points in run])
    single = sum((points - expected.mean) ** 2 for run in runs for points in run) / (REPEATS * GAMES)
    between = sum((value - truth) ** 2 for value in values) / (REPEATS - 1)
    assert 0.4 < between / (single / GAMES) < 1.8


@pytest.mark.parametrize(("game", "options"), [("sparklies", SMALL), ("sparklies", {**SMALL, "players": 3})])
def test_a_match_of_an_engine_against_itself_is_even(game: str, options: dict[str, Any]) -> None:
    seats = len(tercet.game(game, **options).players)
    runs, held, first = 16, 0, []
    for seed in range(runs):
        study = Arm(game, options, players(*["level:2"] * seats), seed=seed)
        rows = study.run(12)
        found = summary(study.made(), rows, study.engines)["engines"]
        assert set(found) == {f"level:2 ({entrant + 1})" for entrant in range(seats)}
        held += found["level:2 (1)"]["low"] <= 1 / seats <= found["level:2 (1)"]["high"]
        first += [row.scores[row.entrants.index(0)] for row in rows]
    assert held >= 0.95 * runs - 3 * math.sqrt(0.95 * 0.05 * runs)
    pooled = share(first)
    assert abs(pooled.mean - 1 / seats) < 3 * (pooled.high - pooled.low) / (2 * 1.96)


def test_engines_take_the_seats_in_every_order_and_the_better_gets_more_points() -> None:
    study = Arm("sparklies", SMALL, players("random", "level:6"), seed=1)
    rows = study.run(31)
    assert len(rows) == 32, "the last block is made whole"
    assert [row.entrants for row in rows[:4]] == [(0, 1), (1, 0), (0, 1), (1, 0)]
    found = summary(study.made(), rows, study.engines)["engines"]
    assert found["level:6"]["low"] > 0.5 > found["random"]["high"]
    study = Arm("sparklies", {**SMALL, "players": 3}, players("random", "level:1", "level:2"))
    assert sorted(row.entrants for row in study.run(6)) == sorted(permutations(range(3)))


@pytest.mark.parametrize("engines", [("level:3",), ("level:2", "level:4")])
def test_the_number_of_workers_changes_nothing(engines: tuple[str, ...]) -> None:
    study = Arm("sparklies", SMALL, players(*engines), seed=3)
    alone = study.run(20)
    assert study.run(20, workers=2) == alone
    # Neither does it matter what was played before.
    assert study.play(13, 1) == alone[13:14]
    assert pickle.loads(pickle.dumps(study)) == study


def test_every_game_and_seat_has_a_seed_of_its_own() -> None:
    purposes = [(study, game, what) for study in (1, 2) for game in range(500) for what in ("start", "seat 0")]
    assert len({seed_of(*purpose) for purpose in purposes}) == len(purposes)
    rows = Arm("sparklies", {"board": "5x5"}, players("level:1")).run(12)
    assert len({tuple(row.counts["gained"]) for row in rows}) > 8
    for game, options in (("sanqi", {"side": 4}), ("triplicity", {})):
        study = Arm(game, options, players("level:1"), seed=2)
        assert study.play(0, 2)[1:] == study.play(1, 1), "games do not depend on those before"


def test_a_recorded_game_gives_the_same_counts() -> None:
    game = tercet.game("sparklies", **SMALL)
    position, moves = game.start(4), []
    while not position.is_over:
        moves.append(str(position.legal_actions[0]))
        position = position.play(moves[-1])
    row = present(play_record(Record.from_actions(game, game.start(4), moves)))
    assert (row.actions, row.scores) == (len(moves), present(position.outcome).scores)
    assert row.counts["held"] == [int(held) for held in position.tally or ()]
    assert play_record(Record.from_actions(game, game.start(4), moves[:-1])) is None
