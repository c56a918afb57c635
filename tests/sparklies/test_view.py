"""What a person sees and hears of Sparklies."""

from typing import Any

import pytest

import tercet
from tercet.answers.tables import move_data
from tercet.core.presentation import position_view, table_view
from tercet.play.session import Seat, Session, TableSettings

CHAIN = "sparklies/board=5x5,ruleset=subtle r0g0r0r0b0/r0r0b2r1g0/b0r0r2g1g0/r0b0b2b1b0/g0b0b0g1r0 W c 0"


def scene(text: str) -> dict[str, Any]:
    found: dict[str, Any] = position_view(tercet.parse(text))["scene"]
    return found


@pytest.mark.parametrize(
    ("text", "prompt", "partial"),
    [
        ("board=3x1,ruleset=subtle,handicap=white.2 r0g0r0 W h 0", "White: claim a handicap cell.", False),
        ("board=3x1,ruleset=subtle r0g0r0 B c 0", "Black: claim a free cell.", False),
        (
            "board=3x1,ruleset=subtle,control=optional r1g0r0 B c 0",
            "Black: claim a free cell, or ping one of your cells.",
            False,
        ),
        ("board=3x1,ruleset=subtle r1g0r0 B p 0", "Black: ping one of your cells with any colour.", True),
        ("board=3x1,ruleset=subtle r1g1*r1 B v 1", "Black: ping an active cell.", True),
        (
            "board=2x1,ruleset=subtle,end=agreement r1g2 W p 0",
            "White: ping one of your cells with any colour, or agree",
            False,
        ),
        ("board=3x1,ruleset=subtle,mode=duel r1g2r0 B a 0", "Black: activate one of your cells.", False),
        ("board=3x1,ruleset=subtle,mode=duel r1*g2r0 B d 0", "Black: ping an active cell.", False),
    ],
)
def test_the_turn_explains_itself(text: str, prompt: str, partial: bool) -> None:
    shown = scene("sparklies/" + text)
    assert shown["prompt"].startswith(prompt)
    assert shown["partial"] is partial


def test_cells_wear_colour_holder_and_flags() -> None:
    text = "sparklies/board=4x1,ruleset=playtest2,flag=true r1'^g1*b2^r0 B v 1"
    pieces = {piece["cell"]: piece for piece in scene(text)["pieces"]}
    assert (pieces["a1"]["symbol"], pieces["a1"]["owner"], pieces["a1"]["flags"]) == ("R", 0, ["spent", "flag"])
    assert pieces["b1"]["flags"] == ["active"]
    assert pieces["d1"]["owner"] is None
    assert pieces["b1"]["says"] == "green, Black's, active"


def test_a_cell_without_colour_shows_nothing() -> None:
    assert scene("sparklies/board=2x1,ruleset=subtle,setup=blank .0r2 B c 0")["pieces"][0]["cell"] == "b1"


def test_events_are_told_in_order() -> None:
    position = tercet.parse("sparklies/board=3x3,ruleset=subtle r0r1b0/g0g2r0/b0r1b0 B p 0")
    assert [event.says for event in position.transition("b3=R").events] == [
        "b3 stays red.",
        "Black captures b2 from White.",
        "b2 is active.",
    ]
    position = tercet.parse("sparklies/board=2x2,ruleset=subtle r1g1/g0r1 B p 0")
    assert [event.says for event in position.transition("a2=R").events][1:] == [
        "Black captures their own b2.",
        "b2 is active.",
        "Black captures a1, a free cell.",
        "a1 is active.",
    ]


def test_results_in_words() -> None:
    position = tercet.parse("sparklies/board=3x1,ruleset=subtle r1r2b1 W c 0")
    assert position_view(position)["scene"]["result"] == "Black wins 2-1."
    position = tercet.parse("sparklies/board=2x1,ruleset=subtle r1r2 W c 0")
    assert position_view(position)["scene"]["result"] == "Draw between Black and White: Black 1, White 1."


def test_a_forced_colour_need_not_be_chosen() -> None:
    position = tercet.parse("sparklies/board=3x1,ruleset=playtest2 r1'g1*r0 B v 1")
    assert position_view(position)["paths"] == [("b1=B", ("b1",), "ping b1 as blue")]


def test_the_attack_in_words_is_shown() -> None:
    panels = scene("sparklies/board=3x1,ruleset=speed,attack=3T r0g0r0 B c 0")["panels"]
    assert "Three reds beside a green (edge to edge) capture it, no matter who owns them." in panels[1]["lines"]


def test_examples_of_the_rules_are_positions_in_which_they_happen() -> None:
    game = tercet.game("sparklies")
    examples = {example.id: example for example in game.definition.view.rules_page(game).examples}
    attack = tercet.parse(examples["attack"].position)
    for action in ("b3=R", "c4=R"):
        assert [event.cells for event in attack.transition(action).events if event.kind == "captured"] == [("c3",)]
    speed = tercet.parse(examples["speed"].position)
    captured = {event.cells[0] for event in speed.transition("b3=R").events if event.kind == "captured"}
    assert {"c3", "b4", "b2"} <= captured
    harlequin = tercet.parse(examples["harlequin"].position)
    events = harlequin.transition("b3=R").events
    assert {event.cells[0] for event in events if event.kind == "activated"} == {"c3", "b2"}


def test_every_symbol_has_a_shape_and_players_have_tones() -> None:
    art = table_view(tercet.game("sparklies", players=3, board="hex4"))["art"]
    assert [symbol["name"] for symbol in art["symbols"]] == ["red", "green", "blue"]
    assert all("path" in symbol["forms"]["symbol"] for symbol in art["symbols"])
    assert len({player["tone"] for player in art["players"]}) == 3


def test_a_long_chain_is_told_in_short() -> None:
    """The page described White's turn in 122 words and never said how many cells changed hands."""
    board = {"board": "5x5", "ruleset": "subtle"}
    session = Session.open(TableSettings("sparklies", board, (Seat("person"),) * 2, position=CHAIN))
    for text in ("+e3", "e3=R", "d3=B", "d4=R", "c3=R", "e4=G"):
        session = session.with_action(text)
    told = [move_data(session.game, ply, session.played, ply)["brief"] for ply in range(session.ply)]
    assert told[:3] == [None] * 3, "two pings have a sentence each"
    assert told[3] == (
        "White claims e3 (green). e3 turns from green to red. This starts a chain of 3 pings. "
        "White captures 2 cells from Black: d3, d4. White captures e4, a free cell."
    )
    assert told[5] == str(told[3]).replace("3 pings", "5 pings")
