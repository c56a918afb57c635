"""Every lesson holds what it says, and what the drawn examples of the rules pages say is so."""

from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.answers.positions import hinted
from tercet.answers.translation import LANGUAGES, teller
from tercet.core.presentation import HintStrength
from tercet.core.view import RulesPage
from tercet.games import game_definition
from tercet.learning.lessons import Lesson, Situation, answer, check, lessons_of
from tercet.learning.lessons.attempts import turns
from tercet.learning.lessons.goals import read_goal
from tests.support.division import thorough_but

LESSONS = [lesson for game in tercet.games() for lesson in lessons_of(game)]
SUBTLE = "sparklies/board=5x5,ruleset=subtle"
CANNOT_GO_WRONG = {"A handicap", "The duel"}  # whatever the learner plays there reaches the goal


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: f"{lesson.game}-{lesson.id}")
def test_a_lesson_holds(lesson: Lesson) -> None:
    """Its goals ask for something, and a step of several turns says at once what is wrong."""
    assert [str(error) for error in check(lesson)] == []
    assert [(one.id == lesson.id, one.title == lesson.title) for one in lessons_of(lesson.game)].count(
        (True, True)
    ) == 1
    for step in lesson.steps:
        assert step.task.endswith((".", "!", "?"))
        assert step.solution
        assert step.wrong or step.turns == 1 or step.title in CANNOT_GO_WRONG, step.title


@pytest.mark.parametrize(
    "lesson",
    thorough_but(lambda lesson: lesson.id not in ("variants", "traps"), LESSONS),  # whose turns are many
    ids=lambda lesson: f"{lesson.game}-{lesson.id}",
)
def test_each_first_turn_of_two_is_answered_or_leaves_the_goal_in_reach(lesson: Lesson) -> None:
    """An idle turn is called wrong at once, and if it lets the others win, that is shown."""
    for step in (step for step in lesson.steps if step.turns == 2):
        for turn in list(turns(step.position))[::3]:
            found = answer(step, (), turn.actions)
            if found.state == "missed" or turn.after.turn_is_open:
                assert found.says or found.state == "going"
                continue
            moves = [one.text for one in found.situation.played]
            assert found.state == "reached" or any(
                answer(step, moves, last.actions).state == "reached" for last in turns(found.situation.position)
            ), (step.title, turn.actions)


def test_three_turns_of_the_solitaire_are_too_few_after_a_wrong_first_turn() -> None:
    def wins_in(position: tercet.Position, most: int) -> bool:
        if position.is_over or most == 0:
            return position.is_over
        return any(wins_in(turn.after, most - 1) for turn in turns(position))

    (step,) = (step for lesson in LESSONS for step in lesson.steps if step.title == "Three turns")
    slow = {" ".join(turn.actions) for turn in turns(step.position) if not wins_in(turn.after, 2)}
    (wrong,) = step.wrong
    assert set(wrong.tries) < slow
    assert " ".join(step.solution[:2]) not in slow
    for one in wrong.tries:
        assert answer(step, (), one.split()).says == wrong.says
    assert answer(step, (), step.solution[:2]).state == "going"


ROOT = Path(__file__).parents[2]


def pages(name: str) -> list[RulesPage]:
    """The rules of a game, and those of its skins that have any."""
    definition = game_definition(name)
    usual = tercet.game(name)
    skins = definition.skins
    own = [] if skins is None or skins.rules is None else [skins.rules(usual, skin.id) for skin in skins.offered]
    return [definition.view.rules_page(usual), *(page for page in own if page is not None)]


@pytest.mark.parametrize("name", tercet.games())
def test_every_example_is_shown_once_and_can_be_set_up(name: str) -> None:
    for page in pages(name):
        (_, _, first), *others = page.sections  # a win and a move, which may be explained further on
        shown = [ident for _, _, examples in others for ident in examples]
        assert len(shown) == len(set(shown))
        assert sorted({*first, *shown}) == sorted(one.id for one in page.examples)
        for one in page.examples:
            position = tercet.parse(one.position)
            assert {cell for mark in one.marks for cell in mark.cells} <= set(position.game.board.names)


@pytest.mark.parametrize(
    ("name", "ident", "actions", "goal"),
    [
        ("sanqi", "replace", "", {"legal_action": ["Rxd4"]}),
        ("sanqi", "protected", "", {"none": {"legal_action": ["Rxd4"]}}),
        ("sanqi", "ko", "", {"none": {"legal_action": ["Rxd4"]}}),
        ("sanqi", "ko", "Ba4 Yg4", {"legal_action": ["Rxd4"]}),
        ("sanqi", "gift", "Ya4", {"wins": "circle"}),
        ("sanqi", "full", "Bxe5", {"wins": "triangle"}),
        ("triplicity", "tribute", "f7xf11", {"event": {"kind": "paid", "from": 2, "amount": 3}}),
        ("triplicity", "tribute", "f7xi7", {"event": {"kind": "paid", "from": 2, "amount": 2}}),
        ("triplicity", "sacrifice", "", {"legal_action": ["~d10", "~c9"], "legal": {"exactly": 2}}),
        ("triplicity", "purchase", "", {"legal_action": ["P@a2", "N@a2", "B@a2", "R@a2"]}),
        ("triplicity", "purchase", "", {"none": [{"legal_action": ["Q@a2"]}, {"legal_action": ["K@a2"]}]}),
        ("sparklies", "wheel", "b2=R", {"event": {"kind": "captured", "cell": "b3"}}),
        ("sparklies", "chain", "c4=R c3=B", {"event": {"kind": "captured", "cell": "c2"}}),
        ("sparklies", "wrap", "a4=R", {"event": {"kind": "captured", "cell": "d4"}}),
        ("sparklies", "dead", "", {"legal": {"exactly": 24}}),
        ("sparklies", "hexagons", "b4=R", {"event": {"kind": "captured", "cell": "c4", "from": 1}}),
        ("sparklies", "three", "b3=R", {"event": {"kind": "captured", "cell": "c3"}}),
        ("sparklies", "flag", "c4=R", {"wins": "flag"}),
        ("sparklies", "duel", "b2=R", {"event": {"kind": "captured", "cell": "b3"}}),
        ("sparklies", "leaflets", "+c2", {"event": {"kind": "controlled"}}),
        ("sparklies", "visit", "c2=R", {"event": {"kind": "pinged", "symbol": "R"}}),
        ("sparklies", "asks", "c2=R", {"event": {"kind": "captured", "cell": "c3", "from": 1}}),
        ("sparklies", "answer", "c3=B", {"event": {"kind": "captured", "cell": "d3"}}),
        ("sparklies", "election", "d1=R", {"wins": True}),
    ],
)
def test_captions_are_true(name: str, ident: str, actions: str, goal: dict[str, Any]) -> None:
    page = ident in ("leaflets", "visit", "asks", "answer", "election")  # of the rules in the designers' story
    position = tercet.parse(next(one for one in pages(name)[page].examples if one.id == ident).position)
    situation = Situation(position.mover or 0, position)
    for action in actions.split():
        situation = situation.then(action)
    assert read_goal(game_definition(name), goal)(situation)


@pytest.mark.parametrize(
    ("name", "page", "decision"),
    [
        ("sanqi", 0, "the game is a draw; you can choose the rule that this player loses"),
        ("sanqi", 0, "the side is at most 30"),
        ("triplicity", 0, "It can't stay a pawn"),
        ("triplicity", 0, "no longer counts for prices, tribute and jeopardy"),
        ("triplicity", 0, "the starting array is our reconstruction"),
        ("sparklies", 0, "you must ping. In the designers' story you may"),
        ("sparklies", 0, "You must claim a cell while one is free"),
        ("sparklies", 0, "Equal numbers are a draw"),
        ("sparklies", 0, "players who tie for the most share a draw"),
        ("sparklies", 0, "a player who owns no cell must claim one"),
        ("sparklies", 0, "In a duel, colours are chosen freely"),
        ("sparklies", 0, "The game is over when the board is full at the end of a round"),
        ("sparklies", 1, "You must make this visit"),
        ("sparklies", 1, "You must do this while some town backs no one"),
        ("sparklies", 1, "If the votes are equal"),
    ],
)
def test_what_the_designers_leave_open_is_marked_as_ours(name: str, page: int, decision: str) -> None:
    """Also where they say "may" and the rules here say "must"; in every language."""
    marked = [text for _, blocks, _ in pages(name)[page].sections for text in blocks if decision in text]
    assert marked
    for text in marked:
        told = [teller(name, language)(text) for language in ("de", "zh")]
        assert {one[:6] for one in (text, *told)} == {"(ours)"}
        assert len({text, *told}) == 3


def test_a_name_that_stands_as_a_title_is_written_as_the_designer_writes_it() -> None:
    name = "TRiPLiCiTY"
    assert game_definition("triplicity").wordmark == name
    assert pages("triplicity")[0].title == f"The rules of {name}"
    for path, line in (
        ("README.md", f"<b>{name}</b>"),
        ("docs/games/triplicity.md", f"# {name}: "),
        ("docs/reference/games.md", f"## {name}\n"),
        ("docs/research/solved.md", f"## {name}\n"),
        ("mkdocs.yml", f"- {name}: games/triplicity.md"),
    ):
        assert line in (ROOT / path).read_text("utf-8")


@pytest.mark.parametrize(
    ("position", "turn", "reason"),
    [
        ("sanqi/5 5/6/7/3RR3/3R1R3/3R4/7/6/5 F -", ["Rf4"], "It wins at once."),
        ("sanqi/5 5/6/7/3RR3/3R1R3/3R4/7/6/5 S -", ["Yf4"], "It keeps First from completing the circle."),
        (f"{SUBTLE} r0r0r0r0r0/g0r0r1g0g0/g0g0g0r0g0/r0g0r0b0b0/g0b0g0b0b0 B c 0", ["+d3", "d3=R"],
         "This turn captures 2 cells."),
        (f"{SUBTLE} r0r0r0r0r0/g0r2g1g0g0/g0g0r2b0g0/r0g0b0b0b0/g0b0g0b0b0 B c 0", ["+a1", "c4=R"],
         "It saves what could be captured: c4."),
        ("triplicity", ["b4-c6"], "Bring your pieces out and keep them defended. Let the others wear each other down."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("strength", ["place", "piece", "move"])
def test_each_hint_says_its_reason(position: str, turn: list[str], reason: str, strength: HintStrength) -> None:
    """Hints said where to play and not why."""
    at = tercet.parse(position) if " " in position else tercet.game(position).start()
    assert hinted(at, 0, turn, strength)["why"] == reason
    for language in LANGUAGES:
        assert teller(at.game.name, language)(reason) != reason
