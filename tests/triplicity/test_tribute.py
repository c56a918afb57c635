"""Values, tribute and purchases: one test for each sentence of the rules file, quoted in its docstring."""

from typing import Any

import pytest

import tercet
from tercet import IllegalAction, Position
from tests.support.play import texts
from tests.support.refusals import refuses
from tests.triplicity.men import KINGS, START, kinds, place, resign, states, tokens

BOARD = START.game.board
HUNT = KINGS + "wRf8 "  # the rook may take on f6
VALUES = {"P": 1, "N": 2, "B": 2, "R": 3, "Q": 4, "K": 5}


def told(position: Position, text: str, kind: str) -> list[dict[str, Any]]:
    return [dict(event.data) for event in position.transition(text).events if event.kind == kind]


@pytest.mark.parametrize(("letter", "value"), VALUES.items())
def test_values_price_tribute_and_purchases(letter: str, value: int) -> None:
    """Pawn 1, knight 2, bishop 2, rook 3, queen 4, king 5 (text). They are the prices of tribute and of purchases."""
    assert tokens(place(f"{HUNT} b{letter}f6").play("f8xf6")) == (10 + value, 10, 10 - value)
    position = place(f"{HUNT} b{letter}f6", tokens="20,20,20")
    assert told(position, "f8xf6", "paid") == [{"from": 2, "to": 0, "amount": value}]
    assert [payment["amount"] for payment in told(position, f"{letter}@a7", "paid")] == [value] * 3


def test_the_third_player_pays_the_captor() -> None:
    """When A captures a piece of B, the third player, C, at once pays A the value of that piece in coins. This holds
    while C is in the game, neither vanquished nor resigned. If C has too few coins, C pays all of them."""
    position = place(f"{HUNT} bQf6")
    assert kinds(position, "f8xf6") == ["moved", "captured", "paid"]
    assert tokens(position.play("f8xf6")) == (14, 10, 6)
    assert tokens(place(f"{HUNT} rQf6").play("f8xf6")) == (14, 6, 10), "whoever is the third player"
    assert tokens(place(f"{HUNT} bQf6", tokens="1,2,3").play("f8xf6")) == (4, 2, 0)
    assert tokens(place("wKb1 bKm12 rPb11 wRf8 bQf6", tokens="1,2,0", states="a,a,v").play("f8xf6")) == (1, 2, 0)
    assert tokens(place(f"{HUNT} bQf6", states="a,a,r").play("f8xf6")) == (10, 10, 10)


def test_a_man_instead_of_tokens() -> None:
    """If C has none, C must remove one of C's own pieces and chooses which. C never removes a last king; with nothing
    else left, C pays nothing."""
    position = place(f"{HUNT} bPf6 rPf11 rQg9", tokens="10,10,0")
    assert kinds(position, "f8xf6") == ["moved", "captured", "owes"]
    owing = position.play("f8xf6")
    assert (owing.mover, texts(owing)) == (2, {"~f11", "~g9"})
    for text, why in {"~b12": "sacrifice your last king", "b12-a11": "owes White a sacrifice"}.items():
        refuses(IllegalAction, why, owing.play, text)
    assert texts(place(f"{HUNT} bPf6 rKg9", tokens="10,10,0").play("f8xf6")) == {"~b12", "~g9"}
    alone = place(f"{HUNT} bPf6", tokens="10,10,0")
    assert (kinds(alone, "f8xf6"), alone.play("f8xf6").mover) == (["moved", "captured", "excused"], 1)
    assert tokens(alone.play("f8xf6")) == (10, 10, 0)


@pytest.mark.parametrize("victim", ["bQ", "rQ"])
def test_the_option_without_tribute(victim: str) -> None:
    """Two options (ours) are not in the designer's rules. With `tribute = "off"` a capture costs the third player
    nothing; purchases cost the same."""
    position = place(f"{HUNT} {victim}f6 rPg9 bPg8", tokens="12,0,0", tribute="off")
    assert str(position).startswith("triplicity/tribute=off ")
    assert kinds(position, "f8xf6") == ["moved", "captured"]
    after = position.play("f8xf6")
    assert (tokens(after), after.mover) == ((12, 0, 0), 1)
    assert tokens(position.play("Q@a7")) == (0, 4, 4)
    # No king costs anything either, vanquished or resigned; the captor still inherits.
    position = place("wKb1 rKb12 wRf8 bKf6 bPf11", tokens="10,4,9", tribute="off")
    assert kinds(position, "f8xf6") == ["moved", "captured", "vanquished", "inherited"]
    assert kinds(resign(position, 1), "f8xf6") == ["moved", "captured", "inherited"]


@pytest.mark.parametrize("coins", [0, 5, 10, 15, 100])
def test_hoards_at_the_start(coins: int) -> None:
    """`coins` (10 by default, 0 to 100) is what each player has at the start."""
    start = tercet.game("triplicity", coins=coins).start()
    assert tokens(start) == (coins,) * 3
    assert tercet.parse(str(start)) == start
    for wrong in (-1, 101):
        refuses(tercet.OptionError, "coins", tercet.game, "triplicity", coins=wrong)


def test_the_tribute_for_the_last_king() -> None:
    """The payment is due even for the king whose capture vanquishes B."""
    position = place("wKb1 rKb12 wRf8 bKf6 bPf11", tokens="10,4,9")
    after = position.play("f8xf6")
    assert states(after) == "a,v,a"
    assert tokens(after) == (10 + 4 + 5, 0, 4)
    assert kinds(position, "f8xf6") == ["moved", "captured", "vanquished", "inherited", "paid"]
    poor = place("wKb1 rKb12 rPg9 wRf8 bKf6", tokens="10,4,0").play("f8xf6")
    assert (poor.mover, texts(poor)) == (2, {"~g9"})


def test_the_sacrifice_is_no_turn_and_brings_no_tribute() -> None:
    """C chooses the sacrifice before the next turn."""
    owing = place(f"{HUNT} bPf6 bPf11 rPg9", tokens="10,10,0").play("f8xf6")
    after = owing.play("~g9")
    assert after.mover == 1, "Black's turn comes after White's"
    black = place(f"{KINGS} bRf8 wPf6 rPg9 rPg8", turn="B", tokens="10,10,0").play("f8xf6")
    assert (black.mover, black.play("~g9").mover) == (2, 2), "Red's own turn comes after his sacrifice"
    assert str(after).split()[5] == "0"
    owing = place(f"{HUNT} bPf6 rQg9", tokens="10,10,0").play("f8xf6")
    assert kinds(owing, "~g9") == ["sacrificed"]
    assert tokens(owing.play("~g9")) == (10, 10, 0)


def test_debts_and_resignation() -> None:
    """The debt lapses if the debtor resigns. It stands if the captor or the victim resigns (ours)."""
    owing = place(f"{HUNT} bPf6 rQg9", tokens="10,10,0").play("f8xf6")
    lapsed = resign(owing, 2)
    assert (lapsed.mover, str(lapsed).split()[6]) == (1, "-")
    for other in (0, 1):
        standing = resign(owing, other)
        assert (standing.mover, texts(standing), standing.game.parse(str(standing))) == (2, {"~g9"}, standing)
        assert standing.play("~g9").mover == (1 if other == 0 else 2)


def test_purchases() -> None:
    """It is not a turn, and a sacrificed piece causes no tribute. As a whole turn, a player may buy a piece of any kind
    and put it on any empty perimeter cell. It may be a king, and it need not be a piece that was captured. A pawn may
    not be put on its own promotion rank."""
    position = place(KINGS, tokens="15,0,0")
    rim = {name for name, xyz in zip(BOARD.names, BOARD.coordinates, strict=True) if {0, 12} & set(xyz)}
    free = rim - {"b1", "m12", "b12"}
    far = {name for name in free if name.endswith("13") and len(name) == 3}
    for letter in VALUES:
        cells = {text[2:] for text in texts(position) if text.startswith(f"{letter}@")}
        assert cells == (free - far if letter == "P" else free)
    assert position.play("K@a7").mover == 1
    for text, why in {"P@h13": "promotion rank", "N@f8": "is inside", "N@b1": "is taken by a king"}.items():
        refuses(IllegalAction, why, position.play, text)


def test_the_price_must_be_paid_whole() -> None:
    """The player pays the piece's value out of the game ("to the gods"), and the same again to each other player still
    in the game: 3 x value with three players, 2 x value with two."""
    three = place(KINGS, tokens="12,1,2")
    assert told(three, "Q@a7", "paid") == [{"from": 0, "to": to, "amount": 4} for to in (None, 1, 2)]
    assert tokens(three.play("Q@a7")) == (0, 5, 6)
    assert tokens(resign(three, 2).play("Q@a7")) == (4, 5, 2)
    assert tokens(place("wKb1 bKm12 rPb11", tokens="12,1,0", states="a,a,v").play("Q@a7")) == (4, 5, 0)
    for hoard, bought in ((2, ""), (3, "P"), (5, "P"), (6, "PNB"), (9, "PNBR"), (12, "PNBRQ"), (15, "PNBRQK")):
        assert {text[0] for text in texts(place(KINGS, tokens=f"{hoard},9,9")) if "@" in text} == set(bought)
    refuses(IllegalAction, "costs 12 coins now, but White has only 10", START.play, "Q@a7")


def test_drops_anywhere() -> None:
    """The option `drops = "perimeter"` (default) or `"anywhere"` says where bought pieces may stand. A pawn is kept off
    its own promotion rank either way."""
    assert tercet.game("triplicity").options["drops"] == "perimeter"
    position = place(KINGS, tokens="6,0,0", drops="anywhere")
    free = set(BOARD.names) - {"b1", "m12", "b12"}
    assert {text[2:] for text in texts(position) if text.startswith("N@")} == free
    far = {name for name, xyz in zip(BOARD.names, BOARD.coordinates, strict=True) if xyz[0] == 0}
    assert {text[2:] for text in texts(position) if text.startswith("P@")} == free - far


def test_hoards_are_visible() -> None:
    position = place(KINGS, tokens="7,8,9")
    panels = {one.player: one for one in position.game.definition.view.scene(position).panels if "hoard" in one.id}
    assert [panels[player].counters[0].value for player in range(3)] == [7, 8, 9]
