"""What can be asked about a position of Triplicity, how the players stand, and why a king may not be taken."""

import random
from collections.abc import Callable
from math import cos, radians, sin, sqrt

import pytest

import tercet
from tercet import IllegalAction, Position, testing
from tercet.core.presentation import position_view, table_view
from tercet.games.triplicity.findings import explore
from tercet.games.triplicity.kernels import layout

Place = Callable[..., Position]
MIDDLE = 14 / 3 * sqrt(3) / 2  # height of the board's centre, where x = y = z


def test_threats_name_who_takes_and_from_where(place: Place) -> None:
    position = place("wKb1 bKf6 rKb12 wRf8 rRb8")
    found = explore(position, "threats")
    says = {mark.cells[0]: mark.says for mark in found.marks}
    assert says["f6"] == "Black's king on f6 could be taken by White's rook on f8"
    assert says["b8"] == "Red's rook on b8 could be taken by White's rook on f8"
    assert says["f8"] == "White's rook on f8 could be taken by Red's rook on b8"
    assert found.text.startswith("Pieces under attack: White 2")
    quiet = tercet.game("triplicity").start()
    assert explore(quiet, "threats").marks == ()


def test_attack_and_defence_are_counted(place: Place) -> None:
    position = place("wKb1 bKf6 rKb12 wRf8 rRb8 bRb10")
    says = {mark.cells[0]: mark.says for mark in explore(position, "balance").marks}
    assert says["b8"].endswith(": attackers 2, defenders 0")
    guarded = place("wKb1 bKf6 rKb9 wRf8 rRb8")
    says = {mark.cells[0]: mark.says for mark in explore(guarded, "balance").marks}
    assert says["b8"].endswith(": attackers 1, defenders 1")
    assert explore(tercet.game("triplicity").start(), "balance").marks == ()


def test_what_captures_pay_is_what_is_paid(place: Place) -> None:
    position = place("wKb1 bKf6 rKb12 wRf8 rRb8", tokens="3,3,3")
    found = explore(position, "captures")
    for line in found.lines:
        after = position.play(line.actions[0])
        gained = after.row[layout.TOKENS] - position.row[layout.TOKENS]
        assert gained == line.value
        assert "pays" in line.says
    assert {line.actions[0] for line in found.lines} == {
        str(action) for action in position.legal_actions if "x" in str(action)
    }


def test_the_reach_of_a_man_and_of_a_player(place: Place) -> None:
    position = place("wKb1 bKf6 rKb12 wNb3")
    knight = explore(position, "reach", "b3")
    (goals,) = (mark.cells for mark in knight.marks if mark.kind == "hint")
    legal = {str(action)[3:] for action in position.legal_actions if str(action).startswith("b3")}
    assert set(goals) == legal
    whole = explore(position, "reach-white")
    assert set(goals) < set(whole.marks[0].cells)
    assert explore(position, "reach", "a5").text == "a5 is vacant."
    frozen = place("wKb1 bKf6 rKb12 rQb9", states="a,a,r")
    assert explore(frozen, "reach", "b9").text == "Red's queen on b9 is frozen."
    with pytest.raises(KeyError):
        explore(position, "reach")
    with pytest.raises(KeyError):
        explore(position, "luck")


def test_jeopardy_names_who_could_take_and_from_where(place: Place) -> None:
    guarded = "wKb1 bKf6 rKb12 wRf8 rRb8 "
    with pytest.raises(IllegalAction) as caught:
        place(guarded).play("f8xf6")
    assert caught.value.why == "Jeopardy: if you take Black's last king, Red can take yours with the rook on b8."
    with pytest.raises(IllegalAction, match=r"with the rook on b8 or knight on c4\.$"):
        place(guarded + "rNc4").play("f8xf6")


def test_standing_counts_men_and_tokens(place: Place) -> None:
    start = tercet.game("triplicity").start()
    assert list(start.tally or ()) == [(10 + 10 + 3 * 2 + 3 * 2 + 2 * 3 + 4 + 5)] * 3
    position = place("wKb1 bKf6 rKb12 wRf8 bQf7", tokens="1,2,3", states="a,a,r")
    assert position_view(position)["standing"] == [1 + 5 + 3, 2 + 5 + 4, 0]


def test_each_player_has_his_home_at_the_bottom() -> None:
    game = tercet.game("triplicity")
    for player, degrees in enumerate(table_view(game)["facing"]):
        turn = radians(degrees)
        down = [round(x * sin(turn) + (y - MIDDLE) * cos(turn), 3) for x, y in game.board.centres]
        home = [down[cell] for cell, place in enumerate(game.board.coordinates) if place[player] == 12]
        assert set(home) == {max(down)}


def test_explorations_of_random_games() -> None:
    rng = random.Random(4)
    position = tercet.game("triplicity").start()
    for ply in range(160):
        if position.is_over:
            break
        captures = [action for action in position.legal_actions if "x" in str(action)]
        position = position.play(rng.choice(captures or list(position.legal_actions)))
        if ply % 20 == 0:
            testing.check_explorations(position, rng)


def test_threats_go_from_who_takes_to_who_is_taken() -> None:
    definition = tercet.game("triplicity").definition
    position = tercet.parse(definition.quick_start.picture)
    assert definition.explorations is not None
    found = definition.explorations.explore(position, "threats", None, 10).threats
    assert ("g6", "g7") in {threat.cells for threat in found}
    mine = [threat.player == position.mover for threat in found]
    assert mine == sorted(mine), "what threatens the mover comes first"
