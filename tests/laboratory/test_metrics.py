"""Metrics are what their definitions say: on games made by hand, and on a game that can be enumerated."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import Any

import pytest

import tercet
from tercet.core.game import Position
from tercet.laboratory import METRICS, Arm, GameRow, LaboratoryError, Player, figures, players
from tercet.laboratory.metrics import elo_of, null_figures

ARM = Arm("sparklies", {"board": "3x3"}, players("random"), name="3x3")
GAME = ARM.made()
JUDGED = ((0.6, 0.4), (0.3, 0.7), (0.2, 0.8), (0.92, 0.08), (0.95, 0.05), (1.0, 0.0))
ROW = GameRow(0, (0, 1), (1.0, 0.0), 6, "full", turns=6, choices=(4, 2), fired={"taken": 3}, judged=JUDGED)


def value(name: str, row: GameRow = ROW) -> object:
    return METRICS[name].values(row, GAME, ARM)[""]


def test_decisiveness_drama_and_the_lead() -> None:
    assert value("decisiveness") == 4 / 6  # from the fourth of six turns on the winner has at least 90 %
    assert value("decisiveness", replace(ROW, judged=((0.95, 0.05), (0.5, 0.5), (1.0, 0.0)))) == 1.0
    assert value("decisiveness", replace(ROW, judged=((0.95, 0.05), (0.97, 0.03), (1.0, 0.0)))) == 1 / 3
    assert METRICS["decisiveness"].values(replace(ROW, scores=(0.5, 0.5)), GAME, ARM) == {}
    # Drama is how far the winner was behind.
    assert value("drama") == pytest.approx((sqrt(0.4) + sqrt(0.6)) / 2)
    assert value("drama", replace(ROW, judged=((0.6, 0.4), (1.0, 0.0)))) == 0.0
    assert value("lead_changes") == 2
    assert value("late_uncertainty") == [pytest.approx(1 - 0.9)]  # of the last third but the result


def test_a_share_a_draw_a_completion_and_a_fight() -> None:
    assert METRICS["share"].values(ROW, GAME, ARM) == {"Black": 1.0, "White": 0.0}
    assert value("draws") == 0
    assert value("draws", replace(ROW, scores=(0.5, 0.5))) == 1
    assert value("completion") == 1
    assert value("completion", replace(ROW, reason="unfinished")) == 0
    assert value("peace", replace(ROW, fights=(0, 2))) == 1.0
    assert METRICS["peace"].values(replace(ROW, fights=(2, 2)), GAME, ARM) == {}


def test_rules_that_never_fire_count_as_0_and_the_game_s_own_counts_are_figures() -> None:
    found = figures(["fired"], [ROW, replace(ROW, number=1, fired={})], ARM)
    assert [(figure.name, figure.estimate.mean) for figure in found] == [("fired.taken", 1.5)]
    counts = {"pings": [1, 2, 3], "lead_changes": 2, "contact": None, "fall": {"turn": 3}, "none": []}
    rows = [replace(ROW, counts=counts), replace(ROW, counts={"pings": [6], "lead_changes": 4, "contact": 7})]
    means = {figure.name: figure.estimate.mean for figure in figures(["own"], rows, ARM)}
    assert means == {"own.pings": 3.0, "own.lead_changes": 3.0, "own.contact": 7.0, "own.fall.turn": 3.0}


def test_agency_the_size_of_the_tree_and_branching_by_third() -> None:
    row = replace(ROW, choices=(10, 8, 5, 4, 1, 1, 1))
    assert value("agency", row) == (1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    assert value("tree", row) == pytest.approx(3.20412)  # 10 * 8 * 5 * 4
    thirds = METRICS["branching_by_third"].values(row, GAME, ARM)
    assert thirds == {"first third": (10, 8), "middle third": (5, 4), "last third": (1, 1, 1)}
    (agency,) = figures(["agency"], [row, replace(row, choices=(3,))], ARM)
    assert (agency.unit, agency.estimate.mean) == ("%", 0.625)
    assert METRICS["branching_by_third"].values(replace(row, choices=(2,)), GAME, ARM) == {"last third": (2,)}


def test_coverage_counts_the_cells_on_which_something_happened() -> None:
    assert value("coverage", replace(ROW, cells=3)) == 3 / 9
    for row in ARM.run(6):
        assert row.cells == 9, "a game of Sparklies ends on a full board"
    for row in (sanqi := Arm("sanqi", {"side": 4}, players("random"), name="sanqi")).run(6):
        assert row.cells == len({action // 3 for action in row.moves})
        assert 0 < METRICS["coverage"].values(row, sanqi.made(), sanqi)[""] <= 1


def test_branching_and_variety() -> None:
    (found,) = figures(["branching"], [ROW, replace(ROW, choices=(1, 1, 1, 1))], ARM)
    assert found.estimate.mean == pytest.approx(10 / 6, abs=1e-4)
    openings = [(1, 2, 3, 4, 5), (1, 2, 3, 4, 6), (1, 2, 3, 4), (2, 1, 3, 4), (7,)]
    rows = [replace(ROW, number=number, moves=moves) for number, moves in enumerate(openings)]
    (found,) = figures(["variety"], rows, ARM)
    assert (found.estimate.mean, found.estimate.count) == (0.5, 2), "the last game has no other"
    assert figures(["variety"], rows[:1], ARM) == []


def test_elo_the_null_study_of_equal_entrants_and_a_player_with_two_seats_who_counts_once_a_game() -> None:
    assert elo_of(0.5, 2) == 0
    assert (elo_of(10 / 11, 2), elo_of(1 / 3, 3)) == pytest.approx((400, 0))
    rows = [GameRow(number, (0, 1), (1.0, 0.0), 5, "full") for number in range(24)]
    assert [figure.estimate.mean for figure in null_figures(rows, ARM)] == [0.5, 0.5]
    three = Arm("sparklies", {"board": "3x3", "players": 3}, (*players("level:2"), *players("random", "random")))
    row = GameRow(0, (1, 0, 2), (0.0, 0.75, 0.25), 9, "full")
    assert METRICS["players"].values(row, three.made(), three) == {"level:2": 0.75, "random": 0.125}


def test_games_that_are_cut_off_are_unfinished_and_even() -> None:
    short = replace(ARM, most_actions=3)
    rows = short.play(0, 4)
    assert {(row.reason, row.scores, row.actions) for row in rows} == {("unfinished", (0.5, 0.5), 3)}
    (found,) = figures(["completion"], rows, short)
    assert found.estimate.mean == 0


def causing(position: Position, kind: str) -> set[int]:
    causes = {one.id: position.transition(one).events for one in position.legal_actions}
    return {number for number, events in causes.items() if any(event.kind == kind for event in events)}


def test_a_restricted_player_never_does_what_is_forbidden() -> None:
    player = Player("level:2", never=("replaced",))
    assert player.name == "level:2 never replaced"
    game = tercet.game("sanqi", side=4)
    bound, position, refrained = player.made(game), game.start(), 0
    while not position.is_over:
        replacing = causing(position, "replaced")
        action = bound.think(position, player.limits).action
        assert action.id not in replacing or len(replacing) == len(position.legal_actions)
        refrained += 0 < len(replacing) < len(position.legal_actions)
        position = position.play(action)
    assert refrained > 0


def test_a_weight_makes_its_events_more_or_less_frequent() -> None:
    found = []
    for weight in (-0.5, 0, 0.5):
        player = Player("level:2", weights=(("pinged", weight),) if weight else ())
        found.append(sum(row.fired["pinged"] for row in Arm("sparklies", {"board": "5x5"}, (player,)).run(12)))
    assert found == sorted(set(found))
    weights = (("captured", 0.05), ("pinged", -0.1))
    assert Player("level:2", weights=weights).name == "level:2 captured +0.05 pinged -0.1"


def test_a_player_who_never_buys_plays_what_its_engine_likes_best_of_the_rest() -> None:
    """Most of the best lines are purchases: among a few lines there might be no move at all."""
    player = Player("level:6", never=("bought",))
    game = tercet.game("triplicity")
    bound, free, position, refrained = player.made(game), Player("level:6").made(game), game.start(), 0
    for _ in range(60):
        buying = causing(position, "bought")
        for engine in (bound, free):
            engine.new_game(7)
        wanted, action = (engine.think(position, player.limits).action for engine in (free, bound))
        assert action.id not in buying
        if wanted.id in buying:
            refrained += 1
            free.new_game(7)
            free.think(position, player.limits)
            assert free.think(position, replace(player.limits, barred=frozenset(buying))).action == action
        else:
            assert wanted == action
        position = position.play(action)
    assert refrained > 0


def test_allies_spare_each_other_until_the_third_is_out() -> None:
    """Whatever seats they take; then one of them wins."""
    ally = Player("level:2", title="ally", spares="ally")
    arm = Arm("triplicity", {}, (ally, ally, Player("level:2", title="lone")), name="allies", fight="captured")
    arm.check()
    game, struck = arm.made(), 0
    for row in arm.play(0, 6):
        allies = {seat for seat, entrant in enumerate(row.entrants) if entrant < 2}
        (lone,) = {0, 1, 2} - allies
        position = game.start()
        for number in row.moves:
            captor, alone = position.mover, not position.may_resign(lone)
            done = position.transition(number)
            victims = [event.data["player"] for event in done.events if event.kind == "captured"]
            if captor in allies and set(victims) & allies:
                assert alone, "an ally takes an ally's piece only once the lone player is out"
                struck += 1
            position = done.after
    assert struck


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"fight": ""}, "needs a fight"),
        ({"players": (Player("level:2", title="ally", spares="friend"),)}, "a player 'friend'"),
        ({"game": "sanqi", "players": players("level:1"), "forced": True}, "no search that proves"),
    ],
)
def test_allies_and_proofs_need_what_they_are_about(bad: dict[str, Any], why: str) -> None:
    ally = Player("level:2", title="ally", spares="ally")
    arm = Arm("triplicity", {}, (ally, ally, Player("level:2")), name="allies", fight="captured")
    assert (ally.name, replace(ally, title="").name) == ("ally", "level:2 spares ally")
    with pytest.raises(LaboratoryError, match=why):
        replace(arm, **bad).check()


def test_forced_counts_what_is_proved_apart_from_what_is_not() -> None:
    proved = replace(ROW, forced=((1, -1, -1), (-1, -1, -1), (0, -1, -1), (0, 0, -1)))
    assert METRICS["forced"].values(proved, GAME, ARM) == {
        "can force": [1.0, 0.0, 0.0, 0.0],
        "undecided": [0.0, 1.0, 0.0, 0.0],
        "not proved": [0.0, 0.0, 1.0, 1.0],
        "two at mercy": [1.0, 1.0, 1.0, 0.0],
    }
    assert METRICS["forced"].values(ROW, GAME, ARM) == {}
    arm = Arm("triplicity", {}, players("level:2"), name="small", forced=True)
    rows = arm.play(0, 5)
    assert [len(row.forced) for row in rows] == [3, 0, 0, 0, 0 if len(set(rows[4].scores)) == 1 else 3]


def test_a_player_does_always_what_it_is_told_where_it_can() -> None:
    """The engine of SanQi never adds pieces of its own accord."""
    player = Player("level:2", always=("adds",))
    assert player.name == "level:2 always adds"
    arm = Arm("sanqi", {"side": 4, "opening": "swap2"}, (player,), name="swap2")
    assert [row.fired.get("adds") for row in arm.play(0, 3)] == [1, 1, 1]
    assert [row.fired.get("adds") for row in replace(arm, players=players("level:2")).play(0, 3)] == [None] * 3


def test_a_judge_sees_every_turn_and_changes_no_move() -> None:
    judged = replace(ARM, judge=Player("mcts", nodes=20))
    for with_, without in zip(judged.play(0, 3), ARM.play(0, 3), strict=True):
        assert (with_.moves, len(with_.judged), with_.judged[-1]) == (without.moves, with_.turns, with_.scores)
    assert judged.play(1, 1)[0].judged == judged.play(0, 2)[1].judged


def test_random_play_on_a_board_that_can_be_enumerated_has_its_exact_share() -> None:
    """From a board without colours: what chance gives each player, summed over every game there is."""
    game = tercet.game("sparklies", board="2x1", setup="blank")

    @functools.cache
    def exact(position: Position) -> tuple[Sequence[Fraction], Fraction]:
        """The shares that random play gives, and the actions it takes."""
        if position.outcome is not None:
            return [Fraction(share) for share in position.outcome.scores], Fraction(0)
        below = [exact(position.play(action)) for action in position.legal_actions]
        shares = [sum(shares[seat] for shares, _ in below) / Fraction(len(below)) for seat in range(2)]
        return shares, 1 + sum(actions for _, actions in below) / Fraction(len(below))

    shares, actions = exact(game.start())
    arm = Arm("sparklies", dict(game.options), players("random"), seed=5)
    found = {figure.name: figure.estimate for figure in figures(["share", "actions"], arm.run(240), arm)}
    assert found["share.Black"].low <= shares[0] <= found["share.Black"].high
    assert found["actions"].low <= actions <= found["actions"].high or found["actions"].mean == actions
