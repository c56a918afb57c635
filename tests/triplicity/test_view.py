"""What a person sees and hears of Triplicity, and what can be asked about a position of it."""

import re
from math import cos, radians, sin, sqrt
from typing import Any

import tercet
from tercet import IllegalAction, Position
from tercet.answers.tables import move_data
from tercet.core.presentation import position_view, table_view
from tercet.core.view import Mark
from tercet.games.triplicity import findings, view
from tercet.games.triplicity.findings import explore
from tercet.games.triplicity.kernels import layout
from tercet.play.session import Seat, Session, TableSettings
from tests.support.play import texts
from tests.support.refusals import refuses
from tests.triplicity.men import KINGS, START, place

OWING = place(f"{KINGS} wRf8 bPf6 rPd4", tokens="1,1,0").play("f8f6")


def marks(position: Position, kind: str) -> list[Mark]:
    return [mark for mark in view.scene(position).marks if mark.kind == kind]


def names(position: Position, cells: tuple[int, ...]) -> set[str]:
    return {position.game.board.names[cell] for cell in cells}


def told(position: str, *actions: str) -> list[Any]:
    """What a table that begins with ``position`` says about these actions; the first legal one where none is given."""
    session = Session.open(TableSettings("triplicity", {}, (Seat("person"),) * 3, position=position))
    for action in actions:
        session = session.with_action(action or str(session.position.legal_actions[0]))
    return [move_data(session.game, ply, session.played, ply) for ply in range(session.ply)]


def test_men_are_told_apart_without_colour() -> None:
    symbols = {symbol.id: symbol for symbol in view.art(START.game).symbols}
    drawings = [symbols[f"{player}{kind}"].forms["symbol"]["path"] for player in "wbr" for kind in "PNBRQK"]
    assert len(set(drawings)) == 18
    for path in drawings:
        numbers = [float(number) for number in re.findall(r"-?[0-9]+(?:\.[0-9]+)?", path)]
        assert max(map(abs, numbers)) <= 1, "drawn within its square"
    assert len({symbols[f"{player}K"].tone for player in "wbr"}) == 3


def test_prices_are_those_of_the_moment() -> None:
    def prices(position: Position) -> list[object]:
        panel = next(panel for panel in view.scene(position).panels if panel.id == "prices")
        return [counter.value for counter in panel.counters]

    assert prices(START) == [3, 6, 6, 9, 12, 15]
    assert prices(place(KINGS, states="a,a,r")) == [2, 4, 4, 6, 8, 10]
    assert prices(OWING) == [3, 6, 6, 9, 12, 15], "they stand there all the time"
    for position in (START, OWING):
        assert [panel.player for panel in view.scene(position).panels if panel.id == "prices"] == [None], "in one place"
    assert {pick.id: pick.note for pick in view.picks(START.game)}["Q@"] == "4 for each player left"
    assert {pick.id for pick in view.picks(START.game) if pick.group == "promotion"} == set("NBRQK")


def test_a_sacrifice_is_listed_with_the_turn_that_it_pays_for() -> None:
    moves = told(str(place(f"{KINGS} wRf8 bPf6 rPd4 rPd5 bPh8", tokens="1,1,0")), "f8xf6", "~d4", *[""] * 3)
    assert [move["begins"] for move in moves] == [True, False, True, True, True]


def test_paths() -> None:
    steps = {path.action: (path.steps, path.says, path.kind) for path in view.paths(place(f"{KINGS} wPg12 bNg13"))}
    taken = "pawn g12 takes Black's knight on g13 and becomes a king"
    assert steps["b1-a1"] == (("b1", "a1"), "king b1 to a1", "move")
    assert steps["g12xg13=K"] == (("g12", "g13", "#K"), taken, "capture")
    assert steps["R@a7"] == (("#R@", "a7"), "buy a rook on a7 for 9 coins", "purchase")
    assert [path.steps for path in view.paths(OWING)] == [("d4",)]


def test_prompts() -> None:
    assert view.scene(START).prompt == "White: move a piece or buy one."
    assert view.scene(place(KINGS, tokens="2,9,9")).prompt == "White: move a piece."
    assert view.scene(OWING).prompt == "Red: you owe White tribute and have no coins. Sacrifice one of your pieces."
    assert marks(OWING, "hint")[0].cells == ("d4",)


def test_kings_in_danger_and_under_jeopardy() -> None:
    position = place("wKb1 bKf6 rKb12 wRf8 rRb8")
    told = {("b1",): "White's king could be taken by Red", ("f6",): "Black's king could be taken by White"}
    assert {(mark.cells, mark.says) for mark in marks(position, "danger")} == set(told.items())
    (jeopardy,) = marks(position, "jeopardy")
    why = "Jeopardy: if you take Black's last king, Red can take yours with the rook on b8."
    assert (jeopardy.cells, jeopardy.says) == (("f6",), why)
    for more, which in (("", "rook on b8"), ("rNc4", "rook on b8 or knight on c4")):
        caught = refuses(IllegalAction, None, place(f"wKb1 bKf6 rKb12 wRf8 rRb8 {more}").play, "f8xf6")
        assert caught.why == why.replace("rook on b8", which)
    assert not marks(place("wKb1 bKf6 rKb12 wRf8 rRb8", jeopardy="off"), "jeopardy")
    assert view.scene(START).alerts == ()
    assert view.scene(position).alerts == ("Last king attacked by Red", "Last king attacked by White", "")
    assert view.scene(place("wKb1 wKc2 bKf6 rKb12 rRb8")).alerts == (), "another king is left"


def test_a_king_or_queen_is_not_given_as_tribute_unasked() -> None:
    """The page asks once more where a lesser piece would pay the tribute too, and nowhere else."""

    def asked(men: str) -> set[str]:
        grave = view.scene(place(f"wKb1 bKm12 {men} wRf8 bPf6", tokens="1,1,0").play("f8f6")).grave
        assert set(grave.values()) <= {"A less valuable piece would pay the tribute too."}, "a whole sentence"
        return set(grave)

    assert asked("rKb12 rKd12 rPd4 rQd8") == {"~b12", "~d12", "~d8"}
    assert asked("rKb12 rKd12 rQd8") == {"~b12", "~d12"}
    assert asked("rKb12 rKd12") == set()
    assert view.scene(START).grave == {}


def test_threats_and_reach() -> None:
    position = place(f"{KINGS} wRf8 bNf6 rQd8 bPf11")
    index = position.game.board.index
    assert dict(findings.threatened(position.game, position.row, 1)) == {index["f6"]: (0, 2), index["f11"]: (0,)}
    knight = names(position, findings.reach(position.game, position.row, index["f6"]))
    assert len(knight) == 10, "two of the twelve leaps leave the board"
    assert "f8" not in knight
    assert names(position, findings.reach(position.game, position.row, index["f8"])) >= {"f6", "f11", "d8", "e8"}


def test_results_and_events() -> None:
    last = place("wKb1 bKf6 wRf8 rPb11", states="a,a,v", tokens="1,2,0")
    told = ["White rook f8 to f6.", "Black king on f6 captured.", "Black is vanquished."]
    told += ["White takes Black's 2 coins.", "White wins."]
    assert [event.says for event in last.transition("f8xf6").events] == told
    end = view.scene(last.play("f8xf6"))
    assert end.result == "White wins: the last king in the game."
    assert [mark.kind for mark in end.marks] == ["win"]
    drawn = view.scene(place(KINGS, quiet=149).play("b1-a1"))
    shared = "Draw after 150 turns without a capture, purchase or pawn move, shared by White, Black and Red."
    assert drawn.result == shared


def test_examples_of_the_rules_page_hint_at_where_a_piece_may_go() -> None:
    by_id = {example.id: example for example in view.rules_page(START.game).examples}
    for name in ("pawn", "knight", "king"):
        man = tercet.parse(by_id[name].position)
        hints = {cell for mark in by_id[name].marks for cell in mark.cells}
        assert {str(action)[3:] for action in man.legal_actions if str(action).startswith("f7")} == hints
    assert marks(tercet.parse(by_id["jeopardy"].position), "jeopardy")[0].cells == ("j11",)


def test_a_turn_is_told_in_short() -> None:
    """A purchase had a sentence for each of three payments, and beside a first game the last words were cut off."""
    position = (
        "triplicity rBrRrPrP2bNbPbPbRbB/1rK1rP6bQbB/rBrQ1rPrP2bPbP2bKbB/rR1rP1rN2bP1bPbNbR/rPrPrPrN4bPbPbP/"
        "rP1rN3wP2bP/5bN3/4rB1wP1/2wP4/wPwPwPwP2/wPwN1wNwP/wRwKwQwR/wBwBwB W 10,9,11 a,a,a 0 -"
    )
    assert [move["brief"] for move in told(position, "d3xe6", "N@a7", "c8-f10")] == [
        "White knight d3 takes Red's bishop on e6. Black pays 2 coins to White: tribute for the capture.",
        "Black buys a knight on a7 for 6 coins.",
        None,
    ]


MIDDLE = 14 / 3 * sqrt(3) / 2  # height of the board's centre, where x = y = z


def test_threats_name_who_takes_and_from_where() -> None:
    found = explore(place("wKb1 bKf6 rKb12 wRf8 rRb8"), "threats")
    says = {mark.cells[0]: mark.says for mark in found.marks}
    assert says["f6"] == "Black's king on f6 could be taken by White's rook on f8"
    assert says["b8"] == "Red's rook on b8 could be taken by White's rook on f8"
    assert says["f8"] == "White's rook on f8 could be taken by Red's rook on b8"
    assert found.text.startswith("Pieces under attack: White 2")
    assert explore(START, "threats").marks == ()
    position = tercet.parse(START.game.definition.quick_start.picture)
    threats = explore(position, "threats").threats
    assert ("g6", "g7") in {threat.cells for threat in threats}
    mine = [threat.player == position.mover for threat in threats]
    assert mine == sorted(mine), "what threatens the mover comes first"


def test_attack_and_defence_are_counted() -> None:
    for men, balance in (
        ("wKb1 bKf6 rKb12 wRf8 rRb8 bRb10", "attackers 2, defenders 0"),
        ("wKb1 bKf6 rKb9 wRf8 rRb8", "attackers 1, defenders 1"),
    ):
        says = {mark.cells[0]: mark.says for mark in explore(place(men), "balance").marks}
        assert says["b8"].endswith(f": {balance}")
    assert explore(START, "balance").marks == ()


def test_what_captures_pay_is_what_is_paid() -> None:
    position = place("wKb1 bKf6 rKb12 wRf8 rRb8", tokens="3,3,3")
    found = explore(position, "captures")
    for line in found.lines:
        assert position.play(line.actions[0]).row[layout.TOKENS] - position.row[layout.TOKENS] == line.value
        assert "pays" in line.says
    assert {line.actions[0] for line in found.lines} == {one for one in texts(position) if "x" in one}


def test_the_reach_of_a_man_and_of_a_player() -> None:
    position = place("wKb1 bKf6 rKb12 wNb3")
    (goals,) = (mark.cells for mark in explore(position, "reach", "b3").marks if mark.kind == "hint")
    assert set(goals) == {str(action)[3:] for action in position.legal_actions if str(action).startswith("b3")}
    assert set(goals) < set(explore(position, "reach-white").marks[0].cells)
    assert explore(position, "reach", "a5").text == "a5 is vacant."
    frozen = place("wKb1 bKf6 rKb12 rQb9", states="a,a,r")
    assert explore(frozen, "reach", "b9").text == "Red's queen on b9 is frozen."
    for asked in ("reach", "luck"):
        refuses(KeyError, None, explore, position, asked)


def test_standing_counts_men_and_tokens() -> None:
    assert list(START.tally or ()) == [(10 + 10 + 3 * 2 + 3 * 2 + 2 * 3 + 4 + 5)] * 3
    position = place("wKb1 bKf6 rKb12 wRf8 bQf7", tokens="1,2,3", states="a,a,r")
    assert position_view(position)["standing"] == [1 + 5 + 3, 2 + 5 + 4, 0]


def test_each_player_has_his_home_at_the_bottom() -> None:
    game = tercet.game("triplicity")
    for player, degrees in enumerate(table_view(game)["facing"]):
        turn = radians(degrees)
        down = [round(x * sin(turn) + (y - MIDDLE) * cos(turn), 3) for x, y in game.board.centres]
        home = [down[cell] for cell, place in enumerate(game.board.coordinates) if place[player] == 12]
        assert set(home) == {max(down)}
