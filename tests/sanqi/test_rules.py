"""The sentences of SanQi's rules, one by one."""

import random

import pytest

import tercet
from tercet.games.sanqi.rules import MAX_SIDE, patterns


def play(text: str, *actions: str) -> tercet.Position:
    position = tercet.parse(text)
    for action in actions:
        position = position.play(action)
    return position


@pytest.mark.parametrize(("side", "cells"), [(4, 37), (5, 61), (6, 91), (10, 271), (30, 2611)])
def test_a_board_of_side_n_has_3n_n_minus_1_plus_1_cells(side: int, cells: int) -> None:
    game = tercet.game("sanqi", side=side)
    assert len(game.board) == cells
    assert len(game.start().legal_actions) == 3 * cells


@pytest.mark.parametrize("side", [3, 0, -1, MAX_SIDE + 1, "x", "4.5", True, None])
def test_other_sides_are_refused(side: object) -> None:
    with pytest.raises(tercet.OptionError, match="side"):
        tercet.game("sanqi", side=side)


@pytest.mark.parametrize(("side", "expected"), [(4, (36, 12, 19)), (5, (72, 48, 37))])
def test_patterns_per_board(side: int, expected: tuple[int, int, int]) -> None:
    found = patterns(tercet.game("sanqi", side=side).board)
    assert tuple(len(set(found[name])) for name in ("triangle", "line", "circle")) == expected


@pytest.mark.parametrize(
    ("side", "depth", "leaves"), [(4, 1, 111), (4, 2, 11_988), (4, 3, 1_258_740), (5, 1, 183), (5, 2, 32_940)]
)
def test_perft_from_the_empty_board(side: int, depth: int, leaves: int) -> None:
    game = tercet.game("sanqi", side=side)
    assert game.perft(game.start(), depth) == leaves


def test_first_moves_first_and_players_alternate() -> None:
    position = tercet.game("sanqi", side=4).start()
    assert position.mover == 0
    assert position.play("Rd4").mover == 1
    assert position.play("Rd4").play("Ya4").mover == 0


def test_any_type_may_be_placed_on_any_vacant_cell_by_either_player() -> None:
    position = tercet.game("sanqi", side=4).start()
    for taken in (set(), {"d4"}):
        placements = {f"{kind}{name}" for name in position.game.board.names if name not in taken for kind in "RYB"}
        assert {str(action) for action in position.legal_actions} == placements
        position = position.play("Rd4") if not taken else position


def test_a_replacement_needs_two_more_of_the_new_type_around() -> None:
    position = tercet.parse("sanqi/4 4/5/2RR2/3B3/2Y3/5/4 F -")  # around d4: Red 2, Yellow 1, Blue 0
    assert "Rxd4" in position.legal_actions
    assert "Yxd4" not in position.legal_actions
    position = tercet.parse("sanqi/4 4/5/2RB2/3B3/2YR2/5/4 F -")  # Red 2, Yellow 1, Blue 1
    with pytest.raises(tercet.IllegalAction, match="takes at least 3 Red"):
        position.play("Rxd4")


def test_ko_forbids_replacing_what_the_opponent_just_played() -> None:
    before = "sanqi/4 4/5/2RR2/7/6/5/4 S -"
    position = play(before, "Bd4")
    with pytest.raises(tercet.IllegalAction, match="Ko: the piece on d4 was just played"):
        position.play("Rxd4")
    assert "Rxd4" in position.play("Ya4").play("Yg4").legal_actions


def test_the_prompt_explains_the_mark_of_ko() -> None:
    """Only a tooltip did, which no finger can open."""
    before, scene = "sanqi/4 4/5/2RR2/7/6/5/4 S -", tercet.game("sanqi").definition.view.scene
    position = play(before, "Bd4")
    assert scene(position).prompt == "First: place a piece. Ko: d4 is new and can't be replaced yet."
    assert [mark.kind for mark in scene(position).marks] == ["ko"]
    assert scene(play(before, "Rd4")).prompt == "First: place a piece.", "nothing could replace it"


def test_ko_holds_for_a_piece_just_replaced() -> None:
    position = play("sanqi/4 4/5/2RR2/3B3/3YY1/3Y1/4 F -", "Rxd4")
    assert str(position).endswith(" S d4")
    with pytest.raises(tercet.IllegalAction, match="Ko: the piece on d4 was just played"):
        position.play("Yxd4")


def test_a_player_may_replace_what_he_played_himself_on_his_own_last_turn() -> None:
    position = play("sanqi/4 4/5/2RR2/7/6/5/4 F -", "Bd4", "Ya4")
    assert position.mover == 0
    assert "Rxd4" in position.legal_actions


def test_first_wins_with_a_circle_whatever_is_in_the_middle() -> None:
    for middle in ("1", "R", "B"):
        position = play(f"sanqi/4 4/5/2RR2/2R{middle}R2/2R3/5/4 F -", "Re3")
        outcome = position.outcome
        assert outcome is not None
        assert outcome.winners == (0,)
        assert outcome.reason in ("circle", "triangle")


def test_a_ring_around_a_cell_of_the_rim_is_no_circle() -> None:
    assert not tercet.parse("sanqi/4 4/5/R5/1R5/R5/5/4 S -").is_over


def test_second_does_not_win_with_a_circle_when_he_makes_it_but_first_does_next_turn() -> None:
    position = play("sanqi/4 4/5/2RR2/2R1R2/2R3/5/4 S -", "Re3")
    assert not position.is_over
    outcome = position.play("Ya4").outcome
    assert outcome is not None
    assert outcome.winners == (0,)
    assert outcome.pattern == "circle"
    assert set(outcome.cells) == {"c5", "d5", "c4", "e4", "d3", "e3"}


def test_a_line_made_by_first_wins_for_second_if_it_still_stands() -> None:
    position = play("sanqi/4 4/5/6/1BBBBB1/6/5/4 F -", "Bg4")
    assert not position.is_over
    outcome = position.play("Ya4").outcome
    assert outcome is not None
    assert outcome.winners == (1,)
    assert outcome.reason == "line"


def test_a_line_of_seven_wins_too() -> None:
    position = play("sanqi/4 4/5/6/BBB1BBB/6/5/4 S -", "Bd4")
    outcome = position.outcome
    assert outcome is not None
    assert outcome.winners == (1,)
    assert len(outcome.cells) == 7


def test_a_player_may_destroy_his_own_pattern_by_replacement_and_has_not_won() -> None:
    line = "sanqi/4 4/5/YY4/1BBBBBB/Y5/5/4 S -"  # Second to move, his line stands
    assert not tercet.parse(line).is_over
    assert play(line, "Ya4").is_over
    spared = play(line, "Yxb4")
    assert not spared.is_over


@pytest.mark.parametrize("mover", ["F", "S"])
@pytest.mark.parametrize(("rows", "action"), [("4/5/2Y3/2YY3/1YY3/5/4", "Ye3"), ("4/5/1YYY2/2YY3/6/5/4", "Yd3")])
def test_either_wins_with_a_triangle_in_both_orientations(mover: str, rows: str, action: str) -> None:
    outcome = play(f"sanqi/4 {rows} {mover} -", action).outcome
    assert outcome is not None
    assert outcome.winners == ("FS".index(mover),)
    assert outcome.pattern == "triangle"


def test_a_finished_game_has_no_legal_action() -> None:
    position = play("sanqi/4 4/5/6/BBB1BBB/6/5/4 S -", "Bd4")
    assert len(position.legal_actions) == 0
    with pytest.raises(tercet.IllegalAction, match="over"):
        position.play("Ra5")


def test_a_position_with_a_pattern_of_the_player_not_to_move_is_over() -> None:
    assert tercet.parse("sanqi/4 4/5/6/1BBBBBB/6/5/4 F -").is_over
    assert not tercet.parse("sanqi/4 4/5/6/1BBBBBB/6/5/4 S -").is_over


DRAWS = [  # found by random play that avoids patterns: the last action leaves nothing to place and nothing to replace
    ("sanqi/4 RRRR/RRRRR/RRYYRR/RRYYRBR/BBRYBB/BRRBB/BRBB F e3", "Yxe4"),
    ("sanqi/5 BYYYR/BYYYYR/BYYBBRR/RYYBBY1Y/RRYBBYYYY/RRYBRRYY/BBYBRRR/BYYBBR/YYBBB F g1", "Bg6"),
]


@pytest.mark.parametrize(("before", "action"), DRAWS)
def test_no_move_left_is_a_draw_or_a_loss_by_option(before: str, action: str) -> None:
    drawn = play(before, action).outcome
    assert drawn is not None
    assert drawn.reason == "stalemate"
    assert drawn.scores == (0.5, 0.5)
    assert drawn.is_draw
    head, rest = before.split(" ", 1)
    lost = play(f"{head},stalemate=loss {rest}", action).outcome
    assert lost is not None
    assert lost.winners == (0,), "Second cannot move, so First wins"


def test_a_replacement_that_ko_forbids_is_none() -> None:
    before = "sanqi/4 RRRY/YRRRY/YYYRBB/YBYYYBB/RRYYYB/RRRRR/RRRR F b7"
    position = play(before, "Rxb4")
    assert position.is_over
    without_ko = tercet.parse(str(position).removesuffix(" b4") + " -")
    assert [str(action) for action in without_ko.legal_actions] == ["Yxb4"]


def test_notation_takes_the_designers_words() -> None:
    position = tercet.game("sanqi", side=4).start()
    assert [str(position.action(text)) for text in ("Sd4", "上d4", "Zd4", "中d4", "Xd4", "下d4")] == [
        "Rd4",
        "Rd4",
        "Yd4",
        "Yd4",
        "Bd4",
        "Bd4",
    ]


def test_an_x_right_before_digits_is_a_column() -> None:
    position = tercet.game("sanqi", side=13).start()
    assert str(position.action("Rx12")) == "Rx12"
    assert str(position.action("Xx12")) == "Bx12"
    position = position.play("Bx12").play("Rw12").play("Ra13").play("Ry12")
    assert "Rxx12" in position.legal_actions
    assert position.play("Rxx12").row is not None
    with pytest.raises(tercet.IllegalAction, match="is taken by Blue"):
        position.play("Rx12")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("sanqi/4 4/5/6/7/6/5/4 F", "position"),
        ("sanqi/3 4/5/6/7/6/5/4 F -", "side"),
        ("sanqi/4,colour=1 4/5/6/7/6/5/4 F -", "options"),
        ("sanqi/4 4/5/6/7/6/5 F -", "rows"),
        ("sanqi/4 4/5/6/8/6/5/4 F -", "row 4"),
        ("sanqi/4 4/5/6/33/6/5/4 F -", "row 4"),
        ("sanqi/4 4/5/6/3Q3/6/5/4 F -", "row 4"),
        ("sanqi/4 4/5/6/7/6/5/4 X -", "player"),
        ("sanqi/4 4/5/6/7/6/5/4 F z9", "ko"),
        ("sanqi/4 4/5/6/7/6/5/4 F d4", "ko"),
        ("chess/4 4/5/6/7/6/5/4 F -", "game"),
    ],
)
def test_a_bad_position_string_names_the_field(text: str, field: str) -> None:
    with pytest.raises(tercet.ParseError) as caught:
        tercet.parse(text)
    assert caught.value.where == field


def test_random_games_are_as_long_as_known() -> None:
    for side, turns in ((4, 38), (6, 77)):
        game = tercet.game("sanqi", side=side)
        rng = random.Random(1)
        total = 0
        for _ in range(100):
            position = game.start()
            while not position.is_over:
                position = position.play(rng.choice(position.legal_actions))
                total += 1
        assert abs(total / 100 - turns) < turns / 10
