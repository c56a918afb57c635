"""Lessons that are wrong are refused with the file and the place; goals and answers mean what they say."""

from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.cli.puzzles import lessons
from tercet.errors import IllegalAction
from tercet.games import game_definition
from tercet.learning.lessons import Lesson, LessonError, Situation, answer, check, lessons_of, read_lesson
from tercet.learning.lessons.goals import read_goal
from tests.support.present import present
from tests.support.refusals import refuses

CIRCLE = "sanqi/4 4/5/2RRY1/1BR1R2/1YR1B1/5/4 F -"
EMPTY = "sanqi/6 6/7/8/9/10/5R5/10/9/8/7/6 F -"
DANCER = "sparklies/board=4x4,ruleset=subtle b1r0g1r2/r1b2b2b0/r1r0r0b1/g0r0g2r0 W p 0"
HEAD = 'title = "T"\nchapter = "C"\nabout = "A."\n'
STEP = """
[[step]]
position = "sanqi/4 4/5/2RRY1/1BR1R2/1YR1B1/5/4 F -"
text = "Text."
task = "Task."
goal = { wins = true }
solution = ["Re3"]
"""
SANQI = game_definition("sanqi")


def lesson(tmp_path: Path, text: str) -> Lesson:
    path = tmp_path / "01-name.toml"
    path.write_text(text, encoding="utf-8")
    return read_lesson(SANQI, path)


def test_a_lesson_is_read_and_its_next_step_goes_on_from_the_one_before(tmp_path: Path) -> None:
    found = lesson(tmp_path, HEAD + STEP)
    assert (found.id, found.title, len(found.steps), check(found)) == ("name", "T", 1, [])
    more = STEP.replace("F -", "S -").replace("{ wins = true }", '{ event = { kind = "placed" } }')
    going_on = '[[step]]\ntext = "T."\ntask = "T."\ngoal = { safe = true, legal = { at_least = 1 } }\n'
    found = lesson(tmp_path, HEAD + more.replace('"Re3"', '"Yg4"') + going_on + 'solution = ["Ra4"]\n')
    assert found.steps[1].position == found.steps[0].position.play("Yg4")


def test_a_drawn_goal_is_a_position_in_which_the_goal_is_reached(tmp_path: Path) -> None:
    aim = STEP.replace("[[step]]", '[[step]]\naim = "sanqi/4 4/5/2RRY1/1BR1R2/1YR1B1/5/4 F -"')
    (error,) = check(lesson(tmp_path, HEAD + aim))
    assert (error.where, error.why) == ("step 1, aim", "the goal is not reached in the position that is drawn")
    other = aim.replace('aim = "sanqi/4 4/5/2RRY1/1BR1R2/1YR1B1/5/4', 'aim = "sanqi/5 5/6/7/8/9/8/7/6/5')
    refuses(LessonError, "have the step", lesson, tmp_path, HEAD + other)


def test_a_wrong_try_ends_a_step_of_several_turns_at_once(tmp_path: Path) -> None:
    text = STEP.replace("[[step]]", "[[step]]\nturns = 2") + (
        '[[step.wrong]]\ntries = ["Ra4"]\nsays = "Too slow."\nplay = ["Be3"]\nshows = { none = [{ can_win = true }] }\n'
    )
    found = lesson(tmp_path, HEAD + text)
    assert check(found) == []
    (step,) = found.steps
    wrong = answer(step, (), ["Ra4"])
    assert (wrong.state, wrong.says, present(wrong.refutation).actions) == ("missed", "Too slow.", ("Be3",))


def test_a_first_turn_that_puts_the_goal_out_of_reach_ends_the_step(tmp_path: Path) -> None:
    """No reply is shown that means nothing; a reply that leaves the goal in reach is."""
    text = STEP.replace("[[step]]", "[[step]]\nturns = 2\notherwise = 'Too slow.'")
    text += '[[step.reply]]\nto = ["Ba4"]\nplay = ["Yg4"]\n'
    (step,) = lesson(tmp_path, HEAD + text).steps
    idle = answer(step, (), ["Ra4"])
    assert (idle.state, idle.says, [one.text for one in idle.played]) == ("missed", "Too slow.", ["Ra4"])
    answered = answer(step, (), ["Ba4"])
    assert (answered.state, [one.text for one in answered.played]) == ("going", ["Ba4", "Yg4"])
    assert answer(step, ["Ba4", "Yg4"], ["Re3"]).state == "reached"


@pytest.mark.parametrize(
    ("text", "where", "why"),
    [
        ("title = 1\n[[step]]\n", "title", "must be a text, not a whole number"),
        ("", "step", "must have steps"),
        ("[[step]\n", "file", "line 4"),
        ("more = 1\n" + STEP, "more", "no such field"),
        (STEP + 'hnt = "x"\n', "step 1, hnt", "no such field"),
        (STEP.replace("[[step]]", '[[step]]\nplayer = "Third"'), "step 1, player", "one of First, Second"),
        (STEP.replace("[[step]]", '[[step]]\nplayer = "Second"'), "step 1, player", "must be this player's turn"),
        (STEP.replace("sanqi/4", "sanqi/3"), "step 1", "number from 4"),
        (STEP.replace("[[step]]", '[[step]]\nmoves = ["Ra1"]'), "step 1", "has no cell a1"),
        (STEP.replace("[[step]]", '[[step]]\nsample = "x"'), "step 1, sample", "The step already has a position"),
        (STEP.replace("wins = true", "wins = 3"), "step 1, goal", "wins: The value must be true, or a reason"),
        (STEP.replace("wins = true", "wis = true"), "step 1, goal", "There is no predicate wis"),
        (STEP.replace("wins = true", "any = [{ safe = 1 }]"), "step 1, goal", "safe: The value must be true"),
        (STEP + '[[step.wrong]]\nsays = "x"\n', "step 1, wrong 1, tries", "Name the wrong actions"),
        (STEP + '[[step.mark]]\ncells = ["a1"]\n', "step 1, mark 1, cells", "There is no cell a1"),
        (STEP.replace(f'position = "{CIRCLE}"', ""), "step 1, position", "Give a position"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, text: str, where: str, why: str) -> None:
    caught = refuses(LessonError, None, lesson, tmp_path, text if text.startswith("title") else HEAD + text)
    assert (caught.file, caught.where) == ("01-name.toml", where)
    assert why in caught.why


@pytest.mark.parametrize(
    ("text", "where", "why"),
    [
        (STEP.replace("Re3", "Ra4"), "step 1, solution", "does not reach the goal"),
        (STEP.replace("Re3", "Rc4"), "step 1, solution", "is taken by Red"),
        (STEP.replace("wins = true", "can_win = true"), "step 1, goal", "holds before anything is played"),
        (STEP + 'also = ["Ra4"]\n', "step 1, also", "Ra4 does not reach the goal"),
        (STEP + '[[step.wrong]]\ntries = ["Re3"]\nsays = "x"\n', "step 1, wrong", "Re3 reaches the goal"),
        (STEP + '[[step.wrong]]\ntries = ["Ra4"]\nsays = "x"\nplay = ["Yg4"]\n', "step 1, wrong", "Yg4 is no loss"),
        (STEP + '[[step.claim]]\nsays = "Lost."\nholds = { loses = true }\n', "step 1, claim", "is not so: Lost."),
    ],
)
def test_what_does_not_hold_is_found(tmp_path: Path, text: str, where: str, why: str) -> None:
    errors = check(lesson(tmp_path, HEAD + text))
    assert [error.where for error in errors] == [where]
    assert why in errors[0].why


@pytest.mark.parametrize(
    ("position", "goal", "actions", "holds"),
    [
        (CIRCLE, {"wins": True}, "Re3", True),
        (CIRCLE, {"wins": "circle"}, "Re3", True),
        (CIRCLE, {"wins": "line"}, "Re3", False),
        (CIRCLE, {"wins": True}, "Ra4", False),
        (CIRCLE, {"can_win": True}, "", True),
        (CIRCLE, {"can_win": True}, "Ra4", False),
        (CIRCLE, {"safe": True}, "Ra4", True),
        (CIRCLE, {"event": {"kind": "placed", "symbol": "R"}}, "Re3", True),
        (CIRCLE, {"event": {"kind": "placed", "symbol": "R"}}, "Ye3", False),
        (CIRCLE, {"event": {"kind": "placed", "by": "others", "exactly": 1}}, "Ya4 Yg4", True),
        (CIRCLE, {"event": {"kind": "placed", "at_least": 2}}, "Ya4 Yg4", False),
        (CIRCLE, {"next_event": {"kind": "replaced"}}, "", True),
        (CIRCLE, {"next_event": {"kind": "replaced", "cell": "c4"}}, "", False),
        (CIRCLE, {"pieces": {"symbol": "R", "exactly": 5}}, "", True),
        (CIRCLE, {"pieces": {"cells": ["e3"]}}, "Ye3", True),
        (CIRCLE, {"legal": {"at_most": 3}}, "", False),
        (CIRCLE, {"actions": ["Ra4"]}, "Ra4", True),
        (CIRCLE, {"legal_action": ["Ra4", "Re3"]}, "", True),
        (CIRCLE, {"legal_action": ["Rc4"]}, "", False),
        (CIRCLE, {"none": {"wins": True}, "any": [{"wins": True}, {"safe": True}]}, "Ra4", True),
        (CIRCLE, {"forces_win": 2}, "", True),
        (CIRCLE, {"others": {"wins": True}}, "Re3", False),
        (CIRCLE, {"others": {"can_win": True}}, "", False),
        (CIRCLE, {"others": {"none": {"wins": True}}}, "Re3", True),
        (EMPTY, {"solitary": True}, "Ra11", True),
        (EMPTY, {"solitary": True}, "Rf7", False),
        (EMPTY, {"solitary": True}, "Bf7", True),
        (EMPTY, {"solitary": "f6"}, "Rf8", False),
        (EMPTY, {"progress": {"pattern": "circle", "pieces": 2, "places": 2}}, "Re7", True),
        (EMPTY, {"progress": {"pattern": "circle", "pieces": 2, "places": 3}}, "Re7", False),
        (EMPTY, {"progress": {"pattern": "line", "pieces": 2, "symbol": "B"}}, "Re7", False),
        (DANCER, {"in_danger": 0}, "c3=R c4=G", True),
        (DANCER, {"in_danger": 1}, "c1=B c2=B b2=B b1=R", False),
        (DANCER, {"harlequins": 1}, "c3=R c4=G", False),
    ],
)
def test_goals(position: str, goal: dict[str, Any], actions: str, holds: bool) -> None:
    start = tercet.parse(position)
    situation = Situation(1 if position == DANCER else 0, start)
    for action in actions.split():
        situation = situation.then(action)
    assert read_goal(start.game.definition, goal)(situation) is holds


def test_a_mistake_is_punished_and_what_is_over_or_not_ones_own_refused(tmp_path: Path) -> None:
    step = lesson(tmp_path, HEAD + STEP).steps[0]
    assert [one.text for one in answer(step, (), ["Ra4", "Re3"]).played] == ["Ra4"]
    refuses(IllegalAction, "another player's turn", answer, step, ["Ra4"], ["Re3"])
    found = answer(lesson(tmp_path, HEAD + STEP.replace("F -", "S -").replace("Re3", "Yg4")).steps[0], (), ["Yg4"])
    assert found.state == "missed"
    assert present(found.refutation).actions == ("Re3",)
    # Agreeing is no win yet; the other's agreement is.
    step = next(one for lesson in lessons_of("sparklies") for one in lesson.steps if one.title == "By agreement")
    found = answer(step, (), ["agree"])
    assert (found.state, [one.text for one in found.played]) == ("reached", ["agree", "agree"])


def test_the_command_checks_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lessons([]) == 0
    assert "0 problems" in capsys.readouterr().out
    path = tmp_path / "mine.toml"
    path.write_text(HEAD + STEP.replace("Re3", "Ra4"), encoding="utf-8")
    assert lessons(["sanqi", str(path)]) == 1
    assert "mine.toml: step 1, solution: does not reach the goal" in " ".join(capsys.readouterr().out.split())
    refuses(tercet.OptionError, "Name the game", lessons, [str(path)])


def test_an_engine_replies_the_same_every_time(tmp_path: Path) -> None:
    text = STEP.replace("wins = true", "pieces = { symbol = 'B', at_least = 3 }")
    text = text.replace("[[step]]", "[[step]]\nturns = 2")
    with_engine = lesson(tmp_path, HEAD + text + "[[step.reply]]\nlevel = 2\n").steps[0]
    played = [one.text for one in answer(with_engine, (), ["Ra4"]).played]
    assert len(played) == 2
    assert [one.text for one in answer(with_engine, (), ["Ra4"]).played] == played
    with pytest.raises(LessonError, match="level: The level must be from 1 to 9"):
        lesson(tmp_path, HEAD + text + "[[step.reply]]\nlevel = 10\n")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "Own the most cells when the board is full."),
        ({"players": 1, "ruleset": "speed"}, "Own the whole board in as few turns as possible."),
        ({"flag": True}, "capture another player's flag"),
        ({"end": "agreement"}, "when all agree"),
        ({"attack": "2T+1P"}, "Two reds and one blue beside a green (edge to edge) capture it"),
    ],
)
def test_advice_states_the_aim_of_the_rules_in_force(options: dict[str, Any], says: str) -> None:
    game = tercet.game("sparklies", **options)
    assert says in present(present(game.definition.lessons).advise)(game.start(), 0).aim
