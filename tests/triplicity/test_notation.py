"""Notation and position strings: one test for each sentence of the rules file, and every refusal by its field."""

import pytest

import tercet
from tercet import IllegalAction, ParseError, Position
from tercet.games.triplicity.notation import short_text
from tercet.games.triplicity.view import attempt
from tests.support.play import random_game
from tests.support.refusals import refuses
from tests.triplicity.men import KINGS, START, agreed, place, resign


def short(position: Position, text: str) -> str:
    return short_text(position.game, position.row, position.action(text).id)


def check_short_forms(position: Position, read: slice = slice(None)) -> None:
    """No two are the same, and those of some actions are read, as are the long ones and the position."""
    written = [short_text(position.game, position.row, action.id) for action in position.legal_actions]
    assert len(set(written)) == len(written)
    for text, action in list(zip(written, position.legal_actions, strict=True))[read]:
        assert position.action(text) == position.action(str(action)) == action
    assert position.game.parse(str(position)) == position


def test_long_forms() -> None:
    """`b3-c6` is a move, `b3xc6` a capture, `c12-d13=Q` a promotion, `N@a7` a purchase, `~d4` a sacrifice, and `pass` a
    pass. Records also have `resign`, `draw?` and `retract`."""
    assert str(START.action("b3c6")) == "b3-c6"
    taking = place(f"{KINGS} wNb3 bPc6 wPg12 bNh12 bNg13")
    assert str(taking.action("b3c6")) == str(taking.action("b3xc6")) == "b3xc6"
    for text in ("g12f13Q", "g12-f13=Q", "g12f13=Q", "g12f13q", "g12-f13Q"):
        assert str(taking.action(text)) == "g12-f13=Q"
    assert str(taking.action("g12g13k")) == "g12xg13=K"
    assert str(START.action("N@a7")) == "N@a7"
    assert str(place(f"{KINGS} wRf8 bPf6 rPd4", tokens="1,1,0").play("f8f6").action("~d4")) == "~d4"
    for text in ("resign", "draw?", "retract"):
        refuses(IllegalAction, "Write a move as b3-c6", START.action, text)
    for text, why in (
        ("b3-c6", "is taken. Write the capture as b3xc6"),
        ("b3xd6", "nothing to capture on d6"),
        ("b3-b4", "The knight on b3 can't go to b4: a knight leaps"),
        ("b3-m1", "no cell m1"),
        ("f8-f9", "f8 is vacant"),
        ("m12-m11", "The king on m12 is Black's"),
        ("g12-f13", "Say what the pawn becomes, as in g12-f13=Q"),
        ("b3-d6=Q", "can't promote"),
        ("g12-f13=P", "becomes N, B, R, Q or K"),
        ("g12-f12", "The pawn on g12 can't go to f12: a pawn moves one step forward through a corner"),
        ("~b3", "owes no sacrifice"),
        ("N@m1", "no cell m1"),
        ("~m1", "no cell m1"),
    ):
        refuses(IllegalAction, why, taking.play, text)


def test_what_is_in_the_way() -> None:
    position = place(f"{KINGS} wRf8 wPf10 bNg9 wQd8")
    for text, why in (
        ("f8-f11", "the pawn on f10 is in the way"),
        ("f8-f10", "f10 is taken"),
        ("f8xf10", "can't go to f10: White's own pawn is there"),
        ("d8xf8", "can't go to f8: White's own rook is there"),
        ("f8-g10", "The rook on f8 can't go to g10: a rook moves in straight lines through the sides"),
    ):
        refuses(IllegalAction, why, position.play, text)


def test_why_a_man_cannot_go_there_or_anywhere() -> None:
    """A cell pressed alone is an attempt to move from it: what stands there, whose it is, or what stands in the way."""
    for cell, why in (
        ("b1", "The bishop on b1 can't move now: White's own pieces are in its way."),
        ("m12", "The bishop on m12 is Black's, but it is White's turn."),
        ("f8", "f8 is vacant. Choose one of your pieces."),
        ("b3", "Choose where the knight on b3 goes."),
    ):
        meant = attempt(START, [cell])
        assert meant is not None
        assert refuses(IllegalAction, None, START.play, meant).why == why
    two = place("wKb1 bKf6 rKb12 wBf8")
    for steps, why in (
        (["f8", "b1"], "The bishop on f8 can't go to b1: White's own king is there"),
        (["f8", "f9"], "The bishop on f8 can't go to f9: a bishop moves in straight lines through the corners"),
        (["b1", "f9"], "The king on b1 can't go to f9: a king moves one step"),
    ):
        refuses(IllegalAction, why, two.play, attempt(two, steps) or "")


def test_short_form() -> None:
    """Lists print a short form (`Nc6`, `Nxc6`)."""
    assert short(START, "c3-d6") == "Ncd6"
    assert short(place(f"{KINGS} wNb3"), "b3-c6") == "Nc6"
    assert short(place(f"{KINGS} wNb3 bPc6"), "b3xc6") == "Nxc6"
    assert short(START, "N@a7") == "N@a7"
    assert short(place(f"{KINGS} wPg12"), "g12-f13=K") == "f13=K"
    assert START.short_text(START.action("c3-d6")) == "Ncd6"


def test_short_form_of_pawns_and_rivals() -> None:
    assert short(place(f"{KINGS} wPb5"), "b5-d6") == "d6"
    assert short(place(f"{KINGS} wPb5 bNc6"), "b5xc6") == "bxc6"
    two = place(f"{KINGS} wNb3 wNd3")
    assert (short(two, "b3-c6"), short(two, "d3-e6")) == ("Nc6", "Ne6")
    rooks = place(f"{KINGS} wRf4 wRf10")
    assert (short(rooks, "f4-f8"), short(rooks, "f10-f8")) == ("R4f8", "R10f8")
    queens = place("wKa1 bKm12 rKb12 wQd8 wQd10 wQf10")
    assert [short(queens, f"{cell}-f8") for cell in ("d8", "d10", "f10")] == ["Q8f8", "Qd10f8", "Qff8"]
    for position in (START, two, rooks, queens, resign(START, 1)):
        check_short_forms(position)
    guarded = place("wKb1 bKf6 rKb12 wRf8 rRb8")
    ambiguous = ((rooks, "Rf8", "which rook goes to .*: f10, f4"), (rooks, "Qf8", "queens can go"))
    for position, text, why in (*ambiguous, (guarded, "Rxf6", "Jeopardy")):
        refuses(IllegalAction, why, position.play, text)


def test_short_forms_are_read_in_random_games() -> None:
    for ply, position in enumerate(random_game(START, 7, 120)):
        check_short_forms(position, slice(ply % 7, None, 7))


def test_position_strings() -> None:
    """When a player's last king is captured, the player is vanquished. Everyone always sees how many coins each player
    has. In it, a pawn has no letter, and shows the letter of its cell when it captures (`bxc6`). The position string
    is `triplicity <rows> <W|B|R to act> <coins w,b,r> <state w,b,r> <quiet> <pending|->`: Rows go from number 13 down
    to 1, separated by `/`, each from its lowest letter up. A piece is its player's letter (w, b, r) and its own (P N
    B R Q K); decimal counts stand for empty runs. Each player's state is `a` active, `v` vanquished or `r` resigned.
    `pending` is the captor's small letter when the player to act owes a sacrifice. A last field `k` is added under
    `jeopardy=no-successive` when a last king fell on the turn before."""
    text = "triplicity 11/1rK10/10rP2/12/11/5wR4/9/8/7/6/5/4/1wK1 R 3,0,0 a,v,a 0 w"
    position = START.game.parse(text)
    assert str(position) == text
    assert (position.mover, {str(action) for action in position.legal_actions}) == (2, {"~k11"})
    text = "triplicity 11/rK10bK/13/12/11/5wN4/9/8/7/6/5/4/1wK1 B 3,2,1 a,a,a 12 -"
    assert str(place(f"{KINGS} wNf8", "B", "3,2,1", quiet=12)) == text
    felled = "triplicity/jeopardy=no-successive 11/1rK10/13/12/11/5wR4/9/8/7/6/5/4/1wK1 R 1,0,0 a,v,a 0 - k"
    assert str(tercet.parse(felled)) == felled


def test_options_in_position_strings() -> None:
    """Options that differ from the default follow the name (`triplicity/drops=anywhere,jeopardy=off ...`)."""
    assert str(START).startswith("triplicity r")
    assert str(tercet.game("triplicity", drops="anywhere").start()).startswith("triplicity/drops=anywhere r")
    both = tercet.game("triplicity", drops="anywhere", quiet_limit=60).start()
    assert str(both).startswith("triplicity/drops=anywhere,quiet_limit=60 ")
    assert tercet.parse(str(both)).game.options == {**START.game.options, "drops": "anywhere", "quiet_limit": 60}


def test_position_strings_begin_with_the_array_and_hold_no_agreed_draw() -> None:
    """Row 1 of the array reads `wBwBwB`. A draw by agreement is part of the record, not of the position string."""
    assert str(START).split()[1].split("/")[-1] == "wBwBwB"
    drawn = agreed(START)
    assert drawn.is_over
    assert str(drawn) == str(START)


REFUSED: dict[str, tuple[str, ...]] = {  # by the field that is named
    "position": ("sanqi 11 W", "triplicity", "triplicity {rows} W 1,1,1 a,a,a 0 - k k",
        "triplicity " + "1" * 3000 + " W 1,1,1 a,a,a 0 -"),
    "game": ("chess {rows} W 1,1,1 a,a,a 0 -",),
    "options": ("triplicity/drops {rows} W 1,1,1 a,a,a 0 -", "triplicity/ {rows} W 1,1,1 a,a,a 0 -"),
    "option drops": ("triplicity/drops=no {rows} W 1,1,1 a,a,a 0 -",
        "triplicity/drops=anywhere,drops=anywhere {rows} W 1,1,1 a,a,a 0 -"),
    "option quiet_limit": ("triplicity/quiet_limit=0 {rows} W 1,1,1 a,a,a 0 -",),
    "rows": ("triplicity 11/12 W 1,1,1 a,a,a 0 -", "triplicity {rows}/3 W 1,1,1 a,a,a 0 -"),
    "row 1": ("triplicity {rows}1 W 1,1,1 a,a,a 0 -", "triplicity {rows:wK=wX} W 1,1,1 a,a,a 0 -"),
    "row 13": ("triplicity 1{rows} W 1,1,1 a,a,a 0 -", "triplicity {rows:11/=1/} W 1,1,1 a,a,a 0 -",
        "triplicity {rows:11/=83/} W 1,1,1 a,a,a 0 -"),
    "cell c13": ("triplicity {rows:11/=wP10/} W 1,1,1 a,a,a 0 -",),
    "player": ("triplicity {rows} w 1,1,1 a,a,a 0 -", "triplicity {rows} W 1,1,1 r,a,a 0 -"),
    "coins": ("triplicity {rows} W 1,1 a,a,a 0 -", "triplicity {rows} W 1,1,-1 a,a,a 0 -",
        "triplicity {rows} W 1,1,299 a,a,a 0 -", "triplicity {rows:bK=1} W 1,1,1 a,v,a 0 -",
        "triplicity {rows:bK=1} W 1,1,1 a,r,a 0 -"),
    "states": ("triplicity {rows} W 1,1,1 a,a 0 -", "triplicity {rows} W 1,1,1 a,a,x 0 -",
        "triplicity {rows} W 1,1,1 r,r,r 0 -", "triplicity {rows} W 1,1,1 a,v,a 0 -",
        "triplicity {rows:bK=1} W 1,1,1 a,a,a 0 -"),
    "quiet": ("triplicity {rows} W 1,1,1 a,a,a -1 -", "triplicity {rows} W 1,1,1 a,a,a 151 -",
        "triplicity {rows} W 1,1,1 a,a,a 01 -", "triplicity {rows} W 0,1,1 a,a,a 3 b"),
    "pending": ("triplicity {rows} W 1,1,1 a,a,a 0 x", "triplicity {rows} W 0,1,1 a,a,a 0 w",
        "triplicity/tribute=off {rows} W 0,1,1 a,a,a 0 b", "triplicity {rows} W 1,1,1 a,a,a 0 b",
        "triplicity {rows} R 1,1,0 a,a,a 0 b", "triplicity {rows:bK=1} W 0,0,1 a,v,a 0 b",
        "triplicity {rows} W 0,1,1 a,r,r 0 b"),
    "option coins": ("triplicity/coins=101 {rows} W 1,1,1 a,a,a 0 -",),
    "last king": ("triplicity {rows} W 1,1,1 a,a,a 0 - k",
        "triplicity/jeopardy=no-successive {rows} W 1,1,1 a,a,a 0 - x"),
}  # fmt: skip
CASES = [(text, where) for where, found in REFUSED.items() for text in found]


@pytest.mark.parametrize(("text", "where"), CASES, ids=range(len(CASES)))
def test_impossible_positions_are_refused(text: str, where: str) -> None:
    """A position string that no game could reach is refused: an active player without a king, or a vanquished player
    with one; a pawn on its own promotion rank; coins of a player whose last king is taken, or more than 300 coins in
    all; a debt of a player who has coins, who has only a last king, or who is not to act."""
    rows = "11/rK10bK/13/12/11/5wR4/9/8/7/6/5/4/1wK1"
    assert START.game.parse(f"triplicity {rows} W 1,1,1 a,a,a 0 -")
    if "{rows:" in text:
        old, new = text.split("{rows:")[1].split("}")[0].split("=")
        text = text.replace("{rows:" + f"{old}={new}" + "}", rows.replace(old, new, 1).replace("101", "11"))
    assert refuses(ParseError, None, START.game.parse, text.replace("{rows}", rows)).where == where
