"""What a person sees and hears of Sparklies, and what can be asked about a position of it; statistics."""

import random
import re
from typing import Any

import pytest

import tercet
from tercet.answers.tables import move_data
from tercet.core.boards import hexagon, rectangle
from tercet.core.presentation import position_view, table_view
from tercet.games.sparklies.findings import explore
from tercet.games.sparklies.skins import skin_art
from tercet.games.sparklies.statistics import border, centre, grouping, groups, runs
from tercet.games.sparklies.view import AIM
from tercet.laboratory import Arm, players, report, summary
from tercet.play.session import Seat, Session, TableSettings
from tests.support.play import play
from tests.support.refusals import refuses

TAKEN = "b3 stays red. Black captures b2 from White. b2 is active."
STARTED = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1*g0/g0g1*r1b0/b0r0b0g0 B v 1"


def test_the_cascade_tells_every_way_the_chain_can_end() -> None:
    position = tercet.parse("sparklies/board=3x2,ruleset=subtle r1g1*b2/b0r1b0 B v 1")
    found = explore(position, "cascade", None, 50)
    assert found.complete
    gained = {line.value: line.actions for line in found.lines}
    assert 0 in gained
    assert found.lines[0].value == max(gained)
    dance = tercet.parse(STARTED)
    lines = explore(dance, "cascade", None, 5).lines
    assert 1 <= len(lines) <= 5
    for line in lines:
        after = play(dance, *line.actions)
        assert after.mover == 1, "the line ends the turn"
        held = [(position.tally or ())[0] for position in (dance, after)]
        assert line.value == held[1] - held[0]


def test_danger_marks_cells_with_the_turn_that_takes_them() -> None:
    position = tercet.parse("sparklies/board=3x3,ruleset=subtle r2b0r0/g1r2b0/b0b0g0 B c 0")
    found = explore(position, "danger")
    says = {mark.cells[0]: mark.says for mark in found.marks}
    assert says["a2"].startswith("Black's a2 could be captured next turn: +")
    after = play(str(position).replace(" B c ", " W c "), *says["a2"].rpartition(": ")[2].split())
    assert "a2" in {piece.cell for piece in after.game.definition.view.scene(after).pieces if piece.owner == 1}
    assert found.text.startswith("At risk: Black 1 cell, White 2 cells.")
    refuses(KeyError, None, explore, position, "luck")


def test_what_is_offered_and_the_standing_depend_on_the_game() -> None:
    def offered(**options: Any) -> list[str]:
        return [one["id"] for one in table_view(tercet.game("sparklies", **options))["explorations"]]

    assert (offered(), offered(players=1)) == (["danger", "cascade"], ["cascade"])
    assert offered(mode="duel") == ["cascade"]
    assert position_view(tercet.parse(STARTED))["standing"] == [4, 0]
    assert table_view(tercet.game("sparklies"))["standing"] == "cells owned"


def test_every_symbol_has_a_shape_of_its_own_and_players_have_tones() -> None:
    art = table_view(tercet.game("sparklies", players=3, board="hex4"))["art"]
    assert [symbol["name"] for symbol in art["symbols"]] == ["red", "green", "blue"]
    assert len({player["tone"] for player in art["players"]}) == 3
    table = table_view(tercet.game("sparklies"))
    kingdom = table["skins"][0]
    assert [skin["id"] for skin in table["skins"]] == ["kingdom", "scissors", "body", "powers", "offices"]
    paths = {symbol["forms"]["symbol"]["path"] for symbol in table["art"]["symbols"]}
    for skin in table["skins"]:
        assert len({symbol["forms"]["letter"]["text"] for symbol in skin["art"]["symbols"]}) == 3
        for symbol in skin["art"]["symbols"]:
            path = symbol["forms"]["symbol"]["path"]
            assert path not in paths, "two shapes are alike"
            paths.add(path)
            numbers = [float(number) for number in re.findall(r"-?\d*\.?\d+", path)]
            assert all(-1 <= number <= 1 for number in numbers)
    assert [symbol["name"] for symbol in kingdom["art"]["symbols"]] == ["church", "farmers", "merchants"]
    assert len(kingdom["players"]) == 3
    refuses(KeyError, None, skin_art, tercet.game("sparklies"), "empire")


def told(text: str, skin: str = "kingdom") -> str:
    """``text`` in a skin's words, as the page tells it."""
    (known,) = (one["words"] for one in table_view(tercet.game("sparklies"))["skins"] if one["id"] == skin)
    words = sorted(known, key=len, reverse=True)
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(re.escape(word) for word in words) + r")(?!\w)")
    return pattern.sub(lambda match: str(known[match[0]]), text)


@pytest.mark.parametrize(
    ("skin", "circle", "stays", "ping"),
    [
        ("scissors", "scissors cut paper, paper wraps stone, stone blunts scissors.", "scissors", "sign"),
        ("body", "body takes mind, mind takes soul, soul takes body.", "body", "nature"),
    ],
)
def test_skins_that_name_the_colours_otherwise(skin: str, circle: str, stays: str, ping: str) -> None:
    position = tercet.parse("sparklies/board=3x3,ruleset=subtle r0r1b0/g0g2r0/b0r1b0 B p 0")
    assert told(position.transition("b3=R").events[0].says, skin) == f"b3 stays {stays}."
    scene = position_view(position)["scene"]
    assert told(scene["prompt"], skin) == f"Black: recolour one of your cells (a ping) in any {ping}."
    lines = [told(line, skin) for panel in scene["panels"] for line in panel["lines"]]
    assert told(AIM, skin) == f"Own the most cells: {circle}"
    assert not any(re.search(r"\b(red|green|blue|colour)s?\b", line, re.IGNORECASE) for line in lines)


def test_the_kingdom_speaks_grammatically() -> None:
    """Whatever is said in a game, and of every attack, no colour's name is left and no town is `a farmers`."""
    wrong = re.compile(r"\b(an? (church|farmers|merchants)|won over town|Blacks|reds?|greens?|blues?)\b", re.IGNORECASE)
    said: set[str] = set()
    for options in ({}, {"ruleset": "speed"}, {"ruleset": "playtest2"}, {"attack": "2T+1P"}, {"attack": "1t"}):
        position, chance = tercet.game("sparklies", board="4x4", **options).start(seed=1), random.Random(5)
        while not position.is_over:
            view = position_view(position)
            scene = view["scene"]
            said |= {scene["prompt"], *(line for panel in scene["panels"] for line in panel["lines"])}
            said |= {path[2] for path in view["paths"]} | {piece["says"] for piece in scene["pieces"]}
            done = position.transition(chance.choice(position.legal_actions))
            said |= {event.says for event in done.events}
            position = done.after
    assert [text for text in map(told, sorted(said)) if wrong.search(text)] == []
    wins_over = "Two of your towns of the church beside a town of the farmers (edge to edge) win it over."
    assert told("Two of your reds beside a green (edge to edge) capture it.") == wins_over
    assert told("ping c2 as red") == "visit c2 for the church"
    assert told("c2 turns from green to red.") == "c2 turns from the farmers to the church."
    assert told(TAKEN) == "b3 stays with the church. Black wins over b2 from White. b2 asks for a visit."
    prompt = told("Black: recolour one of your cells (a ping) in any colour.")
    assert prompt == "Black: visit one of your towns and assign it any party."
    assert told("White wins with the most cells.") == "White wins with the most votes."


def test_neighbours_alike_against_chance() -> None:
    board = rectangle(3, 2)
    assert grouping(board, [1, 1, 1, 1, 1, 1]) == (1.0, 1.0)
    assert grouping(board, [1, 2, 1, 2, 1, 2]) == pytest.approx((0, 12 / 30))
    assert grouping(board, [1, 1, 1, 2, 2, 2])[0] == pytest.approx(4 / 7)
    board, rng = rectangle(9, 9), random.Random(3)
    kinds = [cell % 3 for cell in range(81)]
    dealt = []
    for _ in range(400):
        rng.shuffle(kinds)
        dealt.append(grouping(board, kinds))
    assert sum(share for share, _ in dealt) / 400 == pytest.approx(dealt[0][1], abs=0.01)


def test_the_centre_is_a_ninth_and_what_is_as_near() -> None:
    board = rectangle(5, 5)
    assert {board.names[cell] for cell in centre(board)} == {"c3", "b3", "d3", "c2", "c4"}
    assert len(centre(rectangle(2, 2))) == 4


def test_groups_runs_and_borders() -> None:
    board = rectangle(3, 2)  # the first row is the lower one
    assert sorted(sorted(group) for group in groups(board, [1, 1, 2, 2, 1, 2])) == [[0, 1, 4], [2, 5], [3]]
    assert runs(board, [1, 1, 1, 1, 1, 1]) == 12 / 5  # two rows of three, three columns of two
    assert runs(board, [1, 2, 1, 2, 1, 2]) == 1
    assert runs(board, [1, 1, 1, 2, 2, 2]) == 12 / 8  # two rows; each cell alone in its column
    assert runs(hexagon(2), [1] * 7) == 21 / 9  # in each of three directions lines of 2, 3 and 2
    assert (border(board, [1, 1, 1, 2, 2, 2]), border(board, [1, 2, 2, 1, 2, 2])) == (1, 1)
    assert border(board, [1, 1, 2, 1, 2, 2]) == 2 / 3
    assert border(board, [1, 0, 2, 1, 0, 2]) is None, "nobody meets"


def test_figures_of_a_game_tell_of_grouping_the_centre_and_the_first_capture_of_anothers_cell() -> None:
    game = tercet.game("sparklies", board="5x5")
    rows = Arm("sparklies", dict(game.options), players("level:2")).run(8)
    answer = summary(game, rows)
    for name in ("colour_groups", "holder_groups"):
        assert 0 <= answer[name]["mean"] <= 1
        assert 0.2 < answer[name]["chance"] < 1
    assert 0 <= answer["centre"]["low"] <= answer["centre"]["mean"] <= answer["centre"]["high"] <= 1
    assert answer["centre"]["games"] <= 8
    assert any(line.startswith("centre") for line in report(game, answer))
    for row in rows:
        assert row.counts["contact"] is None or 2 <= row.counts["contact"] <= row.counts["turns"]
    assert answer["contact"]["games"] == sum(row.counts["contact"] is not None for row in rows)
    assert 0 <= answer["bases"]["mean"] <= 25 / 4 / 2


CHAIN = "sparklies/board=5x5,ruleset=subtle r0g0r0r0b0/r0r0b2r1g0/b0r0r2g1g0/r0b0b2b1b0/g0b0b0g1r0 W c 0"


def scene(text: str) -> Any:
    return position_view(tercet.parse(text))["scene"]


@pytest.mark.parametrize(
    ("rest", "prompt", "partial"),
    [
        (",handicap=white.2 r0g0r0 W h 0", "White: claim a handicap cell.", False),
        (" r0g0r0 B c 0", "Black: claim a free cell.", False),
        (",control=optional r1g0r0 B c 0", "Black: claim a free cell, or recolour one of your cells (a ping).", False),
        (" r1g0r0 B p 0", "Black: recolour one of your cells (a ping) in any colour.", True),
        (" r1g1*r1 B v 1", "Black: recolour an active cell (a ping).", True),
        (",end=agreement r1g2r1 W p 0", "White: recolour one of your cells (a ping) in any colour, or agree", False),
        (",mode=duel r1g2r0 B a 0", "Black: activate one of your cells.", False),
        (",mode=duel r1*g2r0 B d 0", "Black: recolour an active cell (a ping).", False),
    ],
)
def test_the_turn_explains_itself(rest: str, prompt: str, partial: bool) -> None:
    shown = scene(f"sparklies/board=3x1,ruleset=subtle{rest}")
    assert shown["prompt"].startswith(prompt)
    assert shown["partial"] is partial


def test_cells_wear_colour_holder_and_flags() -> None:
    text = "sparklies/board=4x1,ruleset=playtest2,flag=true r1'^g1*b2^r0 B v 1"
    pieces = {piece["cell"]: piece for piece in scene(text)["pieces"]}
    assert (pieces["a1"]["symbol"], pieces["a1"]["owner"], pieces["a1"]["flags"]) == ("R", 0, ["spent", "flag"])
    assert pieces["b1"]["flags"] == ["active"]
    assert pieces["d1"]["owner"] is None
    assert pieces["b1"]["says"] == "green, Black's, active"
    assert scene("sparklies/board=2x1,ruleset=subtle,setup=blank .0r2 B c 0")["pieces"][0]["cell"] == "b1"


def test_events_are_told_in_order() -> None:
    own = "a2 stays red. Black captures their own b2. b2 is active. Black captures a1, a free cell. a1 is active."
    for text, action, says in (
        ("board=3x3,ruleset=subtle r0r1b0/g0g2r0/b0r1b0 B p 0", "b3=R", TAKEN),
        ("board=2x2,ruleset=subtle r1g1/g0r1 B p 0", "a2=R", own),
    ):
        assert " ".join(event.says for event in tercet.parse(f"sparklies/{text}").transition(action).events) == says


def test_results_and_attacks_in_words() -> None:
    position = tercet.parse("sparklies/board=3x1,ruleset=subtle r1r2b1 W c 0")
    assert position_view(position)["scene"]["result"] == "Black wins 2-1."
    position = tercet.parse("sparklies/board=2x1,ruleset=subtle r1r2 W c 0")
    assert position_view(position)["scene"]["result"] == "Draw between Black and White: Black 1, White 1."
    panels = scene("sparklies/board=3x1,ruleset=speed,attack=3T r0g0r0 B c 0")["panels"]
    assert "Three reds beside a green (edge to edge) capture it, no matter who owns them." in panels[1]["lines"]
    position = tercet.parse("sparklies/board=3x1,ruleset=playtest2 r1'g1*r0 B v 1")
    assert position_view(position)["paths"] == [("b1=B", ("b1",), "ping b1 as blue")]


def test_examples_of_the_rules_are_positions_in_which_they_happen() -> None:
    game = tercet.game("sparklies")
    examples = {example.id: example for example in game.definition.view.rules_page(game).examples}
    attack = tercet.parse(examples["attack"].position)
    for action in ("b3=R", "c4=R"):
        assert [event.cells for event in attack.transition(action).events if event.kind == "captured"] == [("c3",)]
    speed = tercet.parse(examples["speed"].position)
    captured = {event.cells[0] for event in speed.transition("b3=R").events if event.kind == "captured"}
    assert {"c3", "b4", "b2"} <= captured
    events = tercet.parse(examples["harlequin"].position).transition("b3=R").events
    assert {event.cells[0] for event in events if event.kind == "activated"} == {"c3", "b2"}


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
