"""Games with other goals (ours): a line of seven for Second, triangles that win for First alone."""

from typing import Any

import pytest

import tercet
from tercet.core.presentation import table_view
from tercet.engines import EngineError, engine, level
from tercet.games import game_definition
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.rules import patterns

SEVEN = "sanqi/4,line=7"
FIRST = "sanqi/4,triangle=first"
BOTH = "sanqi/4,line=7,triangle=first"


def play(text: str, *actions: str) -> tercet.Position:
    position = tercet.parse(text)
    for action in actions:
        position = position.play(action)
    return position


def ends(position: tercet.Position) -> tuple[tuple[int, ...], str]:
    outcome = position.outcome
    assert outcome is not None
    return outcome.winners, outcome.reason


@pytest.mark.parametrize(("side", "lines"), [(4, 3), (5, 27)])
def test_lines_of_seven_per_board(side: int, lines: int) -> None:
    assert len(set(patterns(tercet.game("sanqi", side=side).board, 7)["line"])) == lines


@pytest.mark.parametrize("head", [SEVEN, BOTH])
def test_second_needs_seven_consecutive_cells(head: str) -> None:
    """With `line = 7` Second needs seven consecutive cells instead of six."""
    six = play(f"{head} 4/5/6/BBBBB2/6/5/4 S -", "Bf4")
    assert not six.is_over
    seven = six.play("Rd1").play("Bg4")
    assert ends(seven) == ((1,), "line")
    assert seven.outcome is not None
    assert len(seven.outcome.cells) == 7
    assert seven.game.definition.view.scene(seven).result == "Second wins with a line of seven."


def test_seven_made_by_first_win_for_second_if_they_still_stand() -> None:
    made = play(f"{SEVEN} 4/5/6/BBB1BBB/6/5/4 F -", "Bd4")
    assert not made.is_over
    assert ends(made.play("Rd1")) == ((1,), "line")


@pytest.mark.parametrize(("row", "count"), [("6B3", 0), ("1BBBBBB3", 0), ("BBBBBBB3", 1), ("1BBBBBBBB1", 2)])
def test_eight_in_a_row_are_two_lines_of_seven(row: str, count: int) -> None:
    position = tercet.parse(f"sanqi/6,line=7 6/7/8/9/{row}/11/10/9/8/7/6 S -")
    assert position.row[layout.LINES] == count


@pytest.mark.parametrize("head", [FIRST, BOTH])
@pytest.mark.parametrize(("rows", "action"), [("4/5/2Y3/2YY3/1YY3/5/4", "Ye3"), ("4/5/1YYY2/2YY3/6/5/4", "Yd3")])
def test_only_first_wins_with_a_triangle(head: str, rows: str, action: str) -> None:
    """With `triangle = "first"` only First wins with a triangle: one that Second completes wins at the end of First's
    next turn, if it still stands."""
    assert ends(play(f"{head} {rows} F -", action)) == ((0,), "triangle")
    second = play(f"{head} {rows} S -", action)
    assert not second.is_over
    assert ends(second.play("Ra4")) == ((0,), "triangle")


def test_first_can_spoil_the_triangle() -> None:
    """A player may replace a piece of a pattern of their own, and has not won."""
    text = f"{FIRST} 4/1RR2/1RYR2/2YY3/1YYY2/5/4 F -"
    assert not tercet.parse(text).is_over
    assert ends(play(text, "Ba4")) == ((0,), "triangle")
    assert not play(text, "Rxc5").is_over


def test_a_triangle_of_a_set_up_is_first_s() -> None:
    position = tercet.game("sanqi", side=4, opening="swap", setup=6, triangle="first").start()
    for action in ("Yc5", "Yc4", "Yd4", "Yc3", "Yd3", "Ye3"):
        position = position.play(action)
    assert not position.is_over
    chosen = position.play("Ba4")
    assert not chosen.is_over
    assert ends(chosen.play("Ba5")) == ((0,), "triangle")


@pytest.mark.parametrize("options", [{"line": 7}, {"triangle": "first"}])
def test_the_book_is_for_the_designer_s_goals(options: dict[str, Any]) -> None:
    with pytest.raises(tercet.OptionError, match="The book is balanced for a line of six"):
        tercet.game("sanqi", side=6, opening="book", **options)


@pytest.mark.parametrize("options", [{"line": 5}, {"line": 8}, {"line": "x"}, {"triangle": "second"}])
def test_other_goals_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(tercet.OptionError, match=next(iter(options))):
        tercet.game("sanqi", **options)


@pytest.mark.parametrize(
    ("options", "second"),
    [
        ({}, "a line of six or a triangle of one kind wins"),
        ({"line": 7}, "a line of seven or a triangle of one kind wins"),
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
    ended = {one.id: ends(tercet.parse(one.position)) for one in page.examples if one.id in ("line", "triangle")}
    assert ended == {"line": ((1,), "line"), "triangle": ((int("triangle" not in options),), "triangle")}
    assert ("A triangle, three to a side. First wins with it." in str(page.examples)) == ("triangle" in options)
    told = str(page.sections)
    assert ("a line of **seven** instead of six" in told) == ("line" in options)
    assert ("wins only for **First**" in told) == ("triangle" in options)
    lessons = game_definition("sanqi").lessons
    assert lessons is not None
    assert lessons.advise is not None
    aim = lessons.advise(game.start(), 1).aim
    assert ("seven" in aim) == ("line" in options)
    assert ("only for First" in aim) == ("triangle" in options)
    assert table_view(game)["aim"] == ("" if options else game.definition.aim), "the line above the board is not wrong"


@pytest.mark.parametrize("options", [{"line": 7}, {"triangle": "first"}])
def test_the_network_is_for_the_designer_s_goals(options: dict[str, Any]) -> None:
    """The network that comes with the game has learnt the designer's goals, so no level plays other goals with it."""
    game = tercet.game("sanqi", side=4, **options)
    with pytest.raises(EngineError, match="has not learnt these options"):
        engine("net", game)
    for number in (8, 9, 10):
        assert getattr(level(game, number, seed=1), "net", None) is None
        assert getattr(level(tercet.game("sanqi", side=4), number, seed=1), "net", None) is not None
