"""Vanquished and resigned players, jeopardy and the end: one test for each sentence of the rules file."""

import tercet
from tercet import IllegalAction
from tercet.games.triplicity.findings import reach
from tests.support.play import random_game, texts
from tests.support.present import present
from tests.support.refusals import refuses
from tests.triplicity.men import KINGS, START, agreed, immobile, kinds, place, resign, states, tokens


def test_vanquished() -> None:
    """Their pieces stay, immobile and powerless, and either survivor may capture them. Two players are left, and no
    tribute is paid any more. Their coins go to the captor."""
    position = place("wKb1 rKb12 wRf8 bKf6 bQg9 rPj9 wPd9", tokens="0,0,5").play("f8xf6")
    assert states(position) == "a,v,a"
    assert position.mover == 2, "Black is passed over"
    assert "g9xd9" not in texts(position)
    assert not position.game.kernels.attacked(position.game.data, position.row, position.game.board.index["d9"], 1, -1)
    by_red = place("wKb1 rKb12 rRg8 bQg9 wPf4", "R", tokens="5,0,5", states="a,v,a")
    by_white = [place(f"wKb1 rKb12 wRg8 {queen}g9", tokens="5,0,5", states="a,v,a") for queen in ("bQ", "rQ")]
    assert [tokens(position.play("g8xg9")) for position in (by_red, *by_white)] == [(5, 0, 5)] * 3
    assert next(p for p in by_red.game.definition.view.scene(by_red).pieces if p.cell == "g9").flags == ("frozen",)
    position = place("wKb1 rKb12 wRf8 bKf6 bKm12").play("f8xf6")
    assert states(position) == "a,a,a"
    assert tokens(place("wKb1 rKb12 wRf8 bKf6", tokens="1,7,0").play("f8xf6")) == (8, 0, 0)


def test_resigned() -> None:
    """When a player resigns, their pieces stay, frozen, and can be captured."""
    after = resign(START, 0)
    assert (str(after).split()[1], after.mover) == (str(START).split()[1], 1)
    assert {position.mover for position in random_game(after, 1, 4)} == {1, 2}
    position = resign(place(f"{KINGS} wRf8 bQf6"), 1)
    assert "f8xf6" in texts(position)
    assert position.mover == 0
    refuses(IllegalAction, "Black's", position.play, "f6xf8")


def test_only_kings_of_the_resigned_bring_tribute() -> None:
    """Only their kings still cause tribute: the third player owes the captor 5, by the rules above. Captures between
    the two players left cause none. The player who takes the last king of a resigned player gets their coins. The
    record keeps them as resigned."""
    for letter in "PNBRQ":
        assert tokens(place(f"{KINGS} wRf8 b{letter}f6", states="a,r,a").play("f8xf6")) == (10, 10, 10)
    first = place(f"{KINGS} wRf8 bKf6", states="a,r,a")
    assert tokens(first.play("f8xf6")) == (15, 10, 5), "another king of his is left"
    assert tokens(place("wKb1 rKb12 wRf8 bKf6", states="a,r,a").play("f8xf6")) == (25, 0, 5)
    assert tokens(place("wKb1 rKb12 wRf8 bKf6", states="a,r,a", tokens="0,0,3").play("f8xf6")) == (3, 0, 0)
    owing = place("wKb1 rKb12 rPg9 wRf8 bKf6", states="a,r,a", tokens="0,0,0").play("f8xf6")
    assert (owing.mover, texts(owing)) == (2, {"~g9"})
    assert tokens(place(f"{KINGS} wRf8 bQf6", states="a,a,r").play("f8xf6")) == (10, 10, 10)
    position = place("wKb1 rKb12 wRf8 bKf6", states="a,r,a", tokens="1,6,0")
    after = position.play("f8xf6")
    assert (tokens(after), states(after)) == ((7, 0, 0), "a,r,a")
    assert kinds(position, "f8xf6") == ["moved", "captured", "inherited", "excused"]
    two = place(f"{KINGS} wRf8 bKf6", states="a,r,a", tokens="1,6,0").play("f8xf6")
    assert tokens(two)[1] == 6, "not before the last"


def test_a_resigned_player_does_not_count_and_his_men_attack_nothing() -> None:
    """They no longer count as in the game for prices, tribute and jeopardy (ours). Frozen and powerless pieces attack
    nothing."""
    position = place(f"{KINGS} wRf8 bQf6", tokens="2,9,9")
    assert "P@a7" not in texts(position)
    assert "P@a7" in texts(resign(position, 2)), "two tokens are enough for two players"
    guarded = "wKb1 bKf6 rKb12 rRb8 wRf8"
    assert "f8xf6" not in texts(place(guarded))
    assert "f8xf6" in texts(place(guarded, states="a,a,r"))
    assert "f8xf6" in texts(place(guarded, states="a,r,a"))
    for men, state, by in (("wKb1 rKb12 bRf8", "a,v,a", 1), (f"{KINGS} bRf8", "a,r,a", 1)):
        position = place(men, states=state, tokens="1,0,1")
        index = position.game.board.index
        assert not position.game.kernels.attacked(position.game.data, position.row, index["f6"], by, -1)
        assert reach(position.game, position.row, index["f8"]) == ()
    active = place(f"{KINGS} bRf8")
    assert active.game.kernels.attacked(active.game.data, active.row, active.game.board.index["f6"], 1, -1)


GUARDED = "wKb1 bKf6 rKb12 wRf8 rRb8 "  # White's rook may take Black's king; Red's rook looks at White's


def test_jeopardy() -> None:
    """While all three players are active, you may not capture another player's last king if the third player could then
    capture your own last king at once. The rule is about *last* kings: so we read the page's own paragraph on
    variants. Only the third player's pieces count. The victim's are powerless. The board is judged right after the
    capture, before any sacrifice that it causes. Where another piece of the same kind could make the same move, the
    piece shows the letter of its cell; if that does not tell them apart, its number; else both (`Nbc6`, `N3c6`,
    `Nb3c6`)."""
    assert "f8xf6" not in texts(place(GUARDED))
    refuses(IllegalAction, "if you take Black's last king, Red can take yours", place(GUARDED).play, "f8xf6")
    assert "f8xf6" in texts(place(GUARDED + "bKm12")), "not Black's last king"
    assert "f8xf6" in texts(place("wKb1 bKf6 rKb12 wRf8 bRb8")), "only the third player's men count"
    assert "f8xf6" in texts(place(GUARDED + "rPb4")), "the way is closed"
    bare = place(GUARDED.replace("rKb12", "rKc12"), tokens="9,9,0")
    assert "f8xf6" not in texts(bare), "though Red would owe a sacrifice, perhaps his rook"
    leaves = "wKb1 bKc5 rKc12 wRb5 rRb8"  # the rook itself closes the way, and opens it by taking
    assert "b5xc5" not in texts(place(leaves))
    with_king = "wKf8 bKf7 rKb12 rRb7"  # the king takes, and comes into the rook's line
    assert "f8xf7" not in texts(place(with_king))
    assert "f8xf7" in texts(place(with_king + " wPd7")), "the way is closed"
    marks = place(GUARDED).game.definition.view.scene(place(GUARDED)).marks
    assert [mark.cells for mark in marks if mark.kind == "jeopardy"] == [("f6",)]


def test_two_kings_are_not_bound() -> None:
    """If you have two or more kings after the move, you are not bound."""
    assert "f8xf6" in texts(place(GUARDED + "wKm11"))
    pawn = place("wKb1 bKg13 rKc12 wPg12 rRb8")
    assert {text for text in texts(pawn) if "xg13" in text} == {"g12xg13=K"}
    refuses(IllegalAction, "Red can take yours", pawn.play, "g12xg13=Q")


def test_jeopardy_options() -> None:
    """Without that many coins there is no purchase. The option `jeopardy` is `"text"` (default), `"off"`, or
    `"no-successive"`, which the page mentions as the alternative: the capture of a last king may not directly follow
    another one. The last king of a resigned player counts too (ours)."""
    assert tercet.game("triplicity").options["jeopardy"] == "text"
    assert "f8xf6" in texts(place(GUARDED, jeopardy="off"))
    fell = place(GUARDED, jeopardy="no-successive").play("f8xf6")
    assert str(fell).endswith(" k")
    assert fell.game.parse(str(fell)) == fell
    refuses(IllegalAction, "last king fell on the previous turn", fell.play, "b8xb1")
    later = fell.play("b12-b11").play("f6-f7")
    assert not str(later).endswith("k")
    assert "b8xb1" in texts(later)
    assert later.play("b8xb1").is_over
    assert "b8xb1" in texts(place(GUARDED, jeopardy="off").play("f8xf6"))
    assert "b8xb1" not in texts(place(GUARDED, states="a,r,a", jeopardy="no-successive").play("f8xf6"))
    owing = place(GUARDED + "rPj9", tokens="9,9,0", jeopardy="no-successive").play("f8xf6").play("~j9")
    assert "b8xb1" not in texts(owing), "a sacrifice is no turn"


def test_the_last_player_wins() -> None:
    """The last player who has a king and has not resigned wins everything: 1, 0, 0. The game also ends when all but one
    have resigned (ours)."""
    end = place("wKb1 bKf6 wRf8 rPb11", states="a,a,v", tokens="1,1,0").play("f8xf6")
    won = present(end.outcome)
    assert (won.scores, won.winners, won.reason, won.cells) == ((1.0, 0.0, 0.0), (0,), "last player", ("b1",))
    assert end.game.parse(str(end)) == end
    with_resigned = place(f"{KINGS.replace('bKm12', 'bKf6')} wRf8", states="a,a,r").play("f8xf6")
    assert present(with_resigned.outcome).scores == (1.0, 0.0, 0.0)
    end = resign(resign(START, 0), 2)
    assert present(end.outcome).scores == (0.0, 1.0, 0.0)
    kernels, row = end.game.kernels, end.row.copy()
    assert kernels.resign(end.game.data, row, 1, end.game.new_events()) == 0, "it is over"


def test_draws() -> None:
    """The game is drawn (ours) by agreement of all players left, or after `quiet_limit` = 150 turns in a row without a
    capture, purchase or pawn move. The players still active share a draw equally. A pass counts as such a turn."""
    assert tercet.game("triplicity").options["quiet_limit"] == 150
    almost = place(f"{KINGS} wPf8 bPf6 wRf4", quiet=149)
    for text, over in (("b1-a1", True), ("f8-g10", False), ("f4xf6", False), ("P@a7", False)):
        assert almost.play(text).is_over == over
    end = present(almost.play("b1-a1").outcome)
    assert (end.scores, end.reason) == ((1 / 3, 1 / 3, 1 / 3), "quiet turns")
    shared = present(agreed(resign(START, 1)).outcome)
    assert (shared.scores, shared.winners, shared.reason) == ((0.5, 0.0, 0.5), (0, 2), "agreement")
    position = immobile(quiet=7)
    assert (texts(position), str(position.play("pass")).split()[5]) == ({"pass"}, "8")
