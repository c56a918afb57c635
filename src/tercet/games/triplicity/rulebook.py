"""Triplicity's rules as a person reads them beside the board."""

from __future__ import annotations

from tercet.core.game import Game
from tercet.core.view import Example, Mark, RulesPage, read_rulebook

RECONSTRUCTION = (
    "The diagram on the designer's page is lost: the starting array is our reconstruction. To play another one, import "
    "its position."
)

TEXT = f"""
## The goal

**Be the last player with a king.** Three players play chess against each other. When a piece is captured, the third
player pays the captor its value in coins. Coins buy new pieces. A player who loses their last king is out. (The
designer calls pieces men, and coins tokens.)

[won] [tribute]

## The board

The board is a triangle of 111 hexagons with its three corners cut off (the designer calls it a snub triangle). The
three players, **White**, **Black** and **Red**, move in this order. Each has a short side of three cells as home and,
opposite, a long side of eleven cells: the promotion rank. The 36 cells along the edge are the **perimeter**.

(ours) The designer's diagrams are lost. We chose the short sides as homes, who has which, and the names of the cells:
White at the bottom, Black at the upper right, Red at the upper left.

## The pieces

**Rook:** moves any distance in the six orthogonal directions, through the sides of the cells.

**Bishop:** moves any distance in the six diagonal directions. It passes between cells, so only a piece on its own line
stops it.

**Queen:** moves like rook and bishop. **King:** moves one step in any of the twelve directions. **Knight:** leaps to
the nearest cells that a queen couldn't reach from there: twelve of them.

**Pawn:** moves without capturing one bishop step in any of the three directions towards the player's promotion rank. It
captures one rook step in either of the two directions towards it. There is no double step, no en passant and no
castling.

A pawn that reaches the promotion rank promotes at once to a knight, bishop, rook, queen or king, whether or not such a
piece was captured before.

(ours) It can't stay a pawn.

There is no check, mate or stalemate: a king may stand under attack; only its capture matters.

A turn is a move or a purchase.

(ours) A player who can do neither passes.

[rook] [bishop] [knight] [king] [pawn] [array]

## Tribute

A pawn is worth 1, a knight or bishop 2, a rook 3, a queen 4, a king 5. Everyone starts with 10 coins.

When you capture one opponent's piece, **the other opponent pays you** its value in coins, or all their coins if they
have fewer. A player without coins sacrifices one of their own pieces instead, of their choice, but never the last king;
with nothing else left, they pay nothing. No one gets tribute for a sacrifice. It isn't a turn: it comes before the next
one.

Everyone can always see everyone's coins.

(ours) A debt lapses when the debtor resigns, but not when the captor or the victim does.

(ours) When you create a game, you can start with other hoards of 0 to 100 coins each, or play without tribute. The
designer's rules have neither option.

(ours) Or the third player pays twice the value.

[tribute] [sacrifice]

## Purchases

Instead of moving, you may buy a piece of any kind, even a king, and place it on any vacant cell of the perimeter; pawns
not on your own promotion rank. You pay its value to each other player still in the game and once more out of the game
(the designer calls it paying the gods). So a piece costs three times its value with three players and twice with two.
You must be able to pay in full. When you create a game, you can allow new pieces on any vacant cell, pawns still not on
your own promotion rank.

(ours) Or each player places new pieces only on their own half of the perimeter, the one around their home.

[purchase]

## Vanquished and resigned

A player whose last king is captured is **vanquished**. Their pieces stay, powerless, and can be captured; their coins
go to the captor. The tribute for that king is still due; after that, no one pays tribute. Powerless and frozen pieces
attack nothing.

A player may **resign** at any time. Their pieces stay, frozen, and can be captured without tribute, except for the
kings: for each, the third player owes the captor 5, or all their coins if they have fewer, or a piece if they have
none. Captures between the two remaining players pay nothing. The captor of a resigned player's last king takes their
coins; in the record, they stay resigned.

(ours) A resigned player no longer counts for prices, tribute and jeopardy, and their debts lapse.

## The rule of jeopardy

While all three play, you may not capture another player's **last** king if the third player could then capture your own
last king at once. The rule doesn't bind a player who has two or more kings after the move.

(ours) The rule looks at the board right after the capture, before any sacrifice; only the third player's pieces count.

When you create a game, you can choose another rule instead (no last king may fall on the turn right after another) or
neither.

[jeopardy]

## The end

The last player with a king who hasn't resigned wins everything. The other two get nothing, whether second or third.

(ours) The game is also over when all but one have resigned.

(ours) When you create a game, you can choose another end. The winner gets three quarters of the point, and the player
who falls second one quarter. Or the game is over as soon as a player is vanquished, and the captor wins.

(ours) The game is a draw when all remaining players agree, or after 150 turns in a row (or another number chosen for
the game) without a capture, purchase or pawn move; passes count. The remaining players share a draw equally.

## Playing together

**Takebacks:** each player may take back ten of their own moves in a game, each before their next turn, even several
times on the same turn. You can choose other rules for takebacks when you create a game.

(ours) A takeback also undoes the other players' turns since then, and they get the time of those turns back. The
player who takes back doesn't: time used stays used. A player whose last king has just been captured may still take back
their previous turn until the captor moves again; in an unrated game, even if that capture ended it. Everything is
restored.

**Negotiating** is allowed or not, as chosen when the game is created. If it is, everyone can read it: it is a public
chat.

**Time:** you can set a limit for each move of ten minutes or a multiple of ten.

**Solitaire:** the game plays well alone, with one person playing White, Black and Red in turn. It is in the list of
variants.

## The array

(ours) {RECONSTRUCTION}

(ours) When you create a game, you can choose another array: **castle**, which has the kings in the back row between the
rooks, or White's pieces written by rows from the home side up, as in BBB.RKQR.PNNNP.PPPPPP.2P1P2, where a number stands
for vacant cells. Black's and Red's pieces follow by rotation. Each player needs a king.
"""

EXAMPLES = (
    Example(
        "won",
        "triplicity 11/rK11/13/wQ7bR3/11/10/9/8/7/6/5/4/1wK1 W 25,0,5 a,v,a 0 -",
        "Black is out. White's queen takes Red's last king, and White wins.",
        (Mark("source", ("a10",)), Mark("hint", ("b12",))),
    ),
    Example(
        "array",
        "triplicity rBrRrPrP3bPbPbRbB/rBrKrNrP4bPbNbQbB/rBrQrNrPrP3bPbPbNbKbB/rRrNrP6bPbNbR/rPrPrP5bPbPbP/rP8bP/9/8/"
        "2wP1wP2/wPwPwPwPwPwP/wPwNwNwNwP/wRwKwQwR/wBwBwB W 10,10,10 a,a,a 0 -",
        RECONSTRUCTION,
    ),
    Example(
        "pawn",
        "triplicity 11/rK9bK1/13/7bP4/11/5bPrP3/5wP3/8/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -",
        "White's pawn may move to e8, g9 or h8, and may capture on f8 or g8.",
        (Mark("hint", ("e8", "g9", "h8")), Mark("danger", ("f8", "g8"))),
    ),
    Example(
        "rook",
        "triplicity 11/rK10bK/13/3rP8/11/10/5wR3/8/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -",
        "The rook moves any distance through the sides of the cells; one step in each direction is marked.",
        (Mark("hint", ("e7", "g7", "f6", "f8", "e6", "g8")),),
    ),
    Example(
        "bishop",
        "triplicity 11/rK10bK/13/3rP8/11/10/5wB3/8/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -",
        "The bishop moves any distance through the corners; one step in each direction is marked.",
        (Mark("hint", ("h8", "g9", "e8", "d6", "e5", "g6")),),
    ),
    Example(
        "knight",
        "triplicity 11/rK10bK/13/3rP8/11/10/5wN3/8/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -",
        "The knight can leap to twelve cells.",
        (Mark("hint", ("g10", "h10", "e9", "i9", "d8", "i8", "c6", "h6", "c5", "d4", "e4", "g5")),),
    ),
    Example(
        "king",
        "triplicity 11/rK10bK/13/3rP8/11/10/5wK3/8/7/6/5/4/3 W 10,10,10 a,a,a 0 -",
        "The king moves one step in any of the twelve directions.",
        (Mark("hint", ("e7", "g7", "f6", "f8", "e6", "g8", "h8", "g9", "e8", "d6", "e5", "g6")),),
    ),
    Example(
        "tribute",
        "triplicity 11/rK10bK/5bR7/3rP8/11/10/5wR2bN/8/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -",
        "White may take Black's rook, and Red pays 3, or Black's knight, and Red pays 2.",
        (Mark("hint", ("f11", "i7")), Mark("source", ("f7",))),
    ),
    Example(
        "sacrifice",
        "triplicity 11/rK10bK/5wR7/3rP8/2rN8/9bP/9/8/7/6/5/4/1wK1 R 10,10,0 a,a,a 0 w",
        "White has taken a black rook, and Red has no coins: Red sacrifices the pawn or the knight, not the king.",
        (Mark("hint", ("d10", "c9")),),
    ),
    Example(
        "purchase",
        "triplicity 11/rK10bK/13/3rP8/11/9bP/9/8/7/6/2wP2/4/1wK1 W 10,10,10 a,a,a 0 -",
        "With ten coins, White may buy a pawn for 3, a knight or bishop for 6, or a rook for 9: a third goes to Black, "
        "a third to Red, and a third out of the game.",
    ),
    Example(
        "jeopardy",
        "triplicity 11/1rK7bP2/9bK3/12/11/1rR8/5wQ3/8/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -",
        "White's queen may not take Black's last king: Red's rook could then take White's.",
        (Mark("source", ("f7",)), Mark("jeopardy", ("j11",)), Mark("danger", ("b1",))),
    ),
)


def rules_page(game: Game) -> RulesPage:
    """The rules in our words, with drawn examples."""
    return read_rulebook("The rules of TRiPLiCiTY", TEXT, EXAMPLES)
