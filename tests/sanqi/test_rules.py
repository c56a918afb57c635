"""The sentences of SanQi's rules, one by one, and games with other goals (ours)."""

from dataclasses import replace
from typing import Any

import pytest

import tercet
from tercet.core.game import Game
from tercet.core.presentation import table_view
from tercet.engines import EngineError, engine, level
from tercet.games import game_definition
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.rules import LINES, MAX_SIDE, patterns
from tests.support.play import play, playouts, texts
from tests.support.present import present
from tests.support.refusals import refuses


@pytest.mark.parametrize(("side", "cells"), [(4, 37), (5, 61), (6, 91), (10, 271), (30, 2611)])
def test_a_board_of_side_n_has_3n_n_minus_1_plus_1_cells(side: int, cells: int) -> None:
    game = tercet.game("sanqi", side=side)
    assert (len(game.board), len(game.start().legal_actions)) == (cells, 3 * cells)


REFUSED: list[tuple[str, Any]] = [("side", one) for one in (3, 0, -1, MAX_SIDE + 1, "x", "4.5", True, None)]
REFUSED += [*(("line", one) for one in (3, 8, "x")), ("triangle", "second")]


@pytest.mark.parametrize(("option", "value"), REFUSED)
def test_other_sides_and_goals_are_refused(option: str, value: Any) -> None:
    refuses(tercet.OptionError, option, tercet.game, "sanqi", **{option: value})


@pytest.mark.parametrize(
    ("side", "line", "expected"),
    [(4, 6, (36, 12, 19)), (5, 6, (72, 48, 37)), (4, 7, (36, 3, 19)), (5, 7, (72, 27, 37))],
)
def test_patterns_per_board(side: int, line: int, expected: tuple[int, int, int]) -> None:
    found = patterns(tercet.game("sanqi", side=side).board, line)
    assert tuple(len(set(found[name])) for name in ("triangle", "line", "circle")) == expected


def test_players_alternate_and_place_any_type_on_any_vacant_cell() -> None:
    start = tercet.game("sanqi", side=4).start()
    assert (start.mover, start.play("Rd4").mover, play(start, "Rd4", "Ya4").mover) == (0, 1, 0)
    placements = {f"{kind}{name}" for name in start.game.board.names for kind in "RYB"}
    assert texts(start) == placements
    assert texts(start.play("Rd4")) == placements - {"Rd4", "Yd4", "Bd4"}


def test_a_replacement_needs_two_more_of_the_new_type_around() -> None:
    position = tercet.parse("sanqi/4 4/5/2RR2/3B3/2Y3/5/4 F -")  # around d4: Red 2, Yellow 1, Blue 0
    assert texts(position) & {"Rxd4", "Yxd4"} == {"Rxd4"}
    with pytest.raises(tercet.IllegalAction, match="takes at least 3 Red"):
        play("sanqi/4 4/5/2RB2/3B3/2YR2/5/4 F -", "Rxd4")  # Red 2, Yellow 1, Blue 1


def test_ko() -> None:
    before, scene = "sanqi/4 4/5/2RR2/7/6/5/4 S -", tercet.game("sanqi").definition.view.scene
    position = play(before, "Bd4")
    refuses(tercet.IllegalAction, "Ko: the piece on d4 was just played", position.play, "Rxd4")
    assert "Rxd4" in play(position, "Ya4", "Yg4").legal_actions
    # Only a tooltip explained the mark of ko, which no finger can open.
    assert scene(position).prompt == "First: place a piece. Ko: d4 is new and can't be replaced yet."
    assert [mark.kind for mark in scene(position).marks] == ["ko"]
    assert scene(play(before, "Rd4")).prompt == "First: place a piece.", "nothing could replace it"
    # Ko holds for a piece just replaced.
    position = play("sanqi/4 4/5/2RR2/3B3/3YY1/3Y1/4 F -", "Rxd4")
    assert str(position).endswith(" S d4")
    refuses(tercet.IllegalAction, "Ko: the piece on d4 was just played", position.play, "Yxd4")
    # A player may replace what he played himself on his own last turn.
    position = play("sanqi/4 4/5/2RR2/7/6/5/4 F -", "Bd4", "Ya4")
    assert position.mover == 0
    assert "Rxd4" in position.legal_actions


def test_first_wins_with_a_circle_and_second_s_wins_for_first_on_the_next_turn() -> None:
    for middle in ("1", "R", "B"):
        position = play(f"sanqi/4 4/5/2RR2/2R{middle}R2/2R3/5/4 F -", "Re3")
        assert ends(position) in (((0,), "circle"), ((0,), "triangle"))
    # A ring around a cell of the rim is no circle.
    assert not tercet.parse("sanqi/4 4/5/R5/1R5/R5/5/4 S -").is_over
    position = play("sanqi/4 4/5/2RR2/2R1R2/2R3/5/4 S -", "Re3")
    assert not position.is_over
    outcome = present(position.play("Ya4").outcome)
    assert (outcome.winners, outcome.pattern) == ((0,), "circle")
    assert set(outcome.cells) == {"c5", "d5", "c4", "e4", "d3", "e3"}


def test_a_line_of_six_or_seven_wins_for_second_unless_it_is_destroyed() -> None:
    position = play("sanqi/4 4/5/6/1BBBBB1/6/5/4 F -", "Bg4")
    assert not position.is_over
    assert ends(position.play("Ya4")) == ((1,), "line")
    position = play("sanqi/4 4/5/6/BBB1BBB/6/5/4 S -", "Bd4")
    assert (ends(position), len(present(position.outcome).cells)) == (((1,), "line"), 7)
    line = "sanqi/4 4/5/YY4/1BBBBBB/Y5/5/4 S -"  # Second to move, his line stands
    assert not tercet.parse(line).is_over
    assert play(line, "Ya4").is_over
    assert not play(line, "Yxb4").is_over


@pytest.mark.parametrize("mover", ["F", "S"])
@pytest.mark.parametrize(("rows", "action"), [("4/5/2Y3/2YY3/1YY3/5/4", "Ye3"), ("4/5/1YYY2/2YY3/6/5/4", "Yd3")])
def test_either_wins_with_a_triangle_in_both_orientations(mover: str, rows: str, action: str) -> None:
    outcome = present(play(f"sanqi/4 {rows} {mover} -", action).outcome)
    assert (outcome.winners, outcome.pattern) == (("FS".index(mover),), "triangle")


def test_a_finished_game_has_no_legal_action() -> None:
    position = play("sanqi/4 4/5/6/BBB1BBB/6/5/4 S -", "Bd4")
    assert len(position.legal_actions) == 0
    refuses(tercet.IllegalAction, "over", position.play, "Ra5")
    # A position with a pattern of the player not to move is over.
    assert tercet.parse("sanqi/4 4/5/6/1BBBBBB/6/5/4 F -").is_over
    assert not tercet.parse("sanqi/4 4/5/6/1BBBBBB/6/5/4 S -").is_over


DRAWS = [  # found by random play that avoids patterns: the last action leaves nothing to place and nothing to replace
    ("sanqi/4 RRRR/RRRRR/RRYYRR/RRYYRBR/BBRYBB/BRRBB/BRBB F e3", "Yxe4"),
    ("sanqi/5 BYYYR/BYYYYR/BYYBBRR/RYYBBY1Y/RRYBBYYYY/RRYBRRYY/BBYBRRR/BYYBBR/YYBBB F g1", "Bg6"),
]


@pytest.mark.parametrize(("before", "action"), DRAWS)
def test_no_move_left_is_a_draw_or_a_loss_by_option(before: str, action: str) -> None:
    drawn = present(play(before, action).outcome)
    assert (drawn.reason, drawn.scores, drawn.is_draw) == ("stalemate", (0.5, 0.5), True)
    head, rest = before.split(" ", 1)
    lost = present(play(f"{head},stalemate=loss {rest}", action).outcome)
    assert lost.winners == (0,), "Second cannot move, so First wins"


def test_the_last_vacant_cell_can_be_taken_where_nothing_is_replaceable() -> None:
    before = tercet.parse("sanqi/4 1RRR/RRRRR/RRYYRR/RRYYYBR/BBRYBB/BRRBB/BRBB F -")
    assert not before.is_over
    assert [str(action) for action in before.legal_actions] == ["Ra7", "Ya7", "Ba7"]


def test_a_replacement_that_ko_forbids_is_none() -> None:
    position = play("sanqi/4 RRRY/YRRRY/YYYRBB/YBYYYBB/RRYYYB/RRRRR/RRRR F b7", "Rxb4")
    assert position.is_over
    without_ko = tercet.parse(str(position).removesuffix(" b4") + " -")
    assert [str(action) for action in without_ko.legal_actions] == ["Yxb4"]


def test_notation_takes_the_designers_words() -> None:
    position = tercet.game("sanqi", side=4).start()
    for kind, words in {"R": "S上", "Y": "Z中", "B": "X下"}.items():
        assert {str(position.action(f"{word}d4")) for word in words} == {f"{kind}d4"}


def test_an_x_right_before_digits_is_a_column() -> None:
    position = tercet.game("sanqi", side=13).start()
    assert (str(position.action("Rx12")), str(position.action("Xx12"))) == ("Rx12", "Bx12")
    position = play(position, "Bx12", "Rw12", "Ra13", "Ry12")
    assert "Rxx12" in position.legal_actions
    assert position.play("Rxx12").row is not None
    refuses(tercet.IllegalAction, "is taken by Blue", position.play, "Rx12")


@pytest.mark.parametrize(("text", "field"), [
    ("sanqi/4 4/5/6/7/6/5/4 F", "position"), ("sanqi/3 4/5/6/7/6/5/4 F -", "side"),
    ("sanqi/4,colour=1 4/5/6/7/6/5/4 F -", "options"), ("sanqi/4 4/5/6/7/6/5 F -", "rows"),
    ("sanqi/4 4/5/6/8/6/5/4 F -", "row 4"), ("sanqi/4 4/5/6/33/6/5/4 F -", "row 4"),
    ("sanqi/4 4/5/6/3Q3/6/5/4 F -", "row 4"), ("sanqi/4 4/5/6/7/6/5/4 X -", "player"),
    ("sanqi/4 4/5/6/7/6/5/4 F z9", "ko"), ("sanqi/4 4/5/6/7/6/5/4 F d4", "ko"),
    ("chess/4 4/5/6/7/6/5/4 F -", "game"),
])  # fmt: skip
def test_a_bad_position_string_names_the_field(text: str, field: str) -> None:
    assert refuses(tercet.ParseError, None, tercet.parse, text).where == field


def test_random_games_are_as_long_as_known() -> None:
    for side, turns in ((4, 38), (6, 77)):
        actions, _ = playouts(tercet.game("sanqi", side=side).start(), 100)
        assert abs(actions / 100 - turns) < turns / 10


SEVEN = "sanqi/4,line=7"
FIRST = "sanqi/4,triangle=first"
BOTH = "sanqi/4,line=7,triangle=first"


def ends(position: tercet.Position) -> tuple[tuple[int, ...], str]:
    outcome = present(position.outcome)
    return outcome.winners, outcome.reason


@pytest.mark.parametrize(("head", "length"), [("sanqi/4,line=4", 4), ("sanqi/4,line=5", 5), (SEVEN, 7), (BOTH, 7)])
def test_second_may_need_a_shorter_or_longer_line(head: str, length: int) -> None:
    """The game ends when the line stands, and its position is read again."""
    shorter = "B" * (length - 2)
    position = play(f"{head} 4/5/6/{shorter}{9 - length}/6/5/4 S -", f"B{'abcdefg'[length - 2]}4", "Rd1")
    assert not position.is_over
    won = position.play(f"B{'abcdefg'[length - 1]}4")
    assert (ends(won), len(present(won.outcome).cells)) == (((1,), "line"), length)
    assert tercet.parse(str(won)) == won
    assert won.game.definition.view.scene(won).result == f"Second wins with a line of {LINES[length]}."
    made = play(f"{head} 4/5/6/{'B' * (length - 1)}{8 - length}/6/5/4 F -", f"B{'abcdefg'[length - 1]}4")
    assert not made.is_over, "First may complete it, and Second wins with it if it still stands"
    assert made.row[layout.LINES] == 1
    assert ends(made.play("Rd1")) == ((1,), "line")


def test_what_the_kernels_cannot_do_is_refused() -> None:
    """A definition with other values of an option, or with another option, would play by rules that no one wrote."""
    usual = tercet.game("sanqi").definition
    line = next(option for option in usual.options if option.name == "line")
    wider = tuple(replace(option, low=2) if option is line else option for option in usual.options)
    definition = replace(usual, options=wider)
    assert refuses(tercet.OptionError, "must be at least 4, not 3", Game, definition, {"line": 3}).option == "line"
    more = (*usual.options, replace(line, name="circle"))
    with pytest.raises(tercet.OptionError, match="To change circle, replace a kernel: `tercet new-variant` shows how"):
        Game(replace(usual, options=more), {})


@pytest.mark.parametrize(("row", "count"), [("6B3", 0), ("1BBBBBB3", 0), ("BBBBBBB3", 1), ("1BBBBBBBB1", 2)])
def test_eight_in_a_row_are_two_lines_of_seven(row: str, count: int) -> None:
    assert tercet.parse(f"sanqi/6,line=7 6/7/8/9/{row}/11/10/9/8/7/6 S -").row[layout.LINES] == count


@pytest.mark.parametrize("head", [FIRST, BOTH])
@pytest.mark.parametrize(("rows", "action"), [("4/5/2Y3/2YY3/1YY3/5/4", "Ye3"), ("4/5/1YYY2/2YY3/6/5/4", "Yd3")])
def test_only_first_wins_with_a_triangle(head: str, rows: str, action: str) -> None:
    """One that Second completes wins for First at the end of First's next turn, if it still stands."""
    assert ends(play(f"{head} {rows} F -", action)) == ((0,), "triangle")
    second = play(f"{head} {rows} S -", action)
    assert not second.is_over
    assert ends(second.play("Ra4")) == ((0,), "triangle")


def test_a_triangle_of_a_set_up_is_first_s_and_first_can_spoil_it() -> None:
    """A player may replace a piece of a pattern of their own, and has not won."""
    text = f"{FIRST} 4/1RR2/1RYR2/2YY3/1YYY2/5/4 F -"
    assert not tercet.parse(text).is_over
    assert ends(play(text, "Ba4")) == ((0,), "triangle")
    assert not play(text, "Rxc5").is_over
    position = tercet.game("sanqi", side=4, opening="swap", setup=6, triangle="first").start()
    position = play(position, "Yc5", "Yc4", "Yd4", "Yc3", "Yd3", "Ye3")
    assert not position.is_over
    chosen = position.play("Ba4")
    assert not chosen.is_over
    assert ends(chosen.play("Ba5")) == ((0,), "triangle")


@pytest.mark.parametrize("options", [{"line": 7}, {"triangle": "first"}])
def test_the_book_and_the_network_are_for_the_designer_s_goals(options: dict[str, Any]) -> None:
    with pytest.raises(tercet.OptionError, match="The book is balanced for a line of six"):
        tercet.game("sanqi", side=6, opening="book", **options)
    # The network that comes with the game has learnt the designer's goals, so no level plays other goals with it.
    game = tercet.game("sanqi", side=4, **options)
    refuses(EngineError, "has not learnt these options", engine, "net", game)
    for number in (8, 9, 10):
        assert getattr(level(game, number, seed=1), "net", None) is None
        assert getattr(level(tercet.game("sanqi", side=4), number, seed=1), "net", None) is not None


@pytest.mark.parametrize(
    ("options", "second"),
    [
        ({}, "a line of six or a triangle of one kind wins"),
        ({"line": 7}, "a line of seven or a triangle of one kind wins"),
        ({"line": 5}, "a line of five or a triangle of one kind wins"),
        ({"line": 4}, "a line of four or a triangle of one kind wins"),
        ({"triangle": "first"}, "a line of six of one kind wins"),
        ({"line": 7, "triangle": "first"}, "a line of seven of one kind wins"),
    ],
)
def test_the_page_says_what_wins(options: dict[str, Any], second: str) -> None:
    game = tercet.game("sanqi", side=4, **options)
    view = game.definition.view
    goals = [panel for panel in view.scene(game.start()).panels if panel.player is not None]
    assert [panel.lines for panel in goals] == [("a circle or a triangle of one kind wins",), (second,)]
    page = view.rules_page(game)
    drawn = {one.id: tercet.parse(one.position).game for one in view.rules_page(tercet.game("sanqi")).examples}
    assert drawn[goals[1].pictures[0]].options["line"] == options.get("line", 6), "the page draws a line of this length"
    ended = {one.id: ends(tercet.parse(one.position)) for one in page.examples if one.id in ("line", "triangle")}
    assert ended == {"line": ((1,), "line"), "triangle": ((int("triangle" not in options),), "triangle")}
    assert ("A triangle, three to a side. First wins with it." in str(page.examples)) == ("triangle" in options)
    told = str(page.sections)
    for length, words in LINES.items():
        assert (f"a line of **{words}** instead of six" in told) == (options.get("line") == length)
    assert ("wins only for **First**" in told) == ("triangle" in options)
    aim = present(present(game_definition("sanqi").lessons).advise)(game.start(), 1).aim
    assert f"({LINES[options.get('line', 6)]} of one kind in a row)" in aim
    assert ("only for First" in aim) == ("triangle" in options)
    assert table_view(game)["aim"] == ("" if options else game.definition.aim), "the line above the board is not wrong"
