"""Triplicity's rules as a person reads them beside the board."""

from __future__ import annotations

from tercet.game import Game
from tercet.view import Example, Mark, RulesPage, read_rulebook

__all__ = ["RECONSTRUCTION", "rules_page"]

RECONSTRUCTION = (
    "This array is our reconstruction: the designer's page shows one in a diagram that has not come down to us. "
    "Any other array can be played as a position string."
)

TEXT = f"""
## The goal

**Be the last player with a king.** Three play chess against each other. When a man is captured, the player who was
spared pays the captor for it, in tokens; with tokens you buy new men. Whoever loses the last king is out.

## The board

A triangle of 111 hexagons, with its three corners cut off (the designer calls it a snub triangle). Three players,
**White**, **Black** and **Red**, in this order, White first. Each has a short side of three cells as home and,
opposite, a long side of eleven cells: the promotion rank. The 36 cells along the edge are the **perimeter**.

(ours) The designer's diagrams have not come down to us. That the short sides are the homes, which player has which, and
the names of the cells are ours: White at the bottom, Black at the upper right, Red at the upper left.

## The men

**Rook:** any distance in the six orthogonal directions, through the sides of the cells.

**Bishop:** any distance in the six diagonal directions. It passes between cells, so only a man on its own line
stops it.

**Queen:** both. **King:** one step in any of the twelve directions. **Knight:** a leap to the nearest cells that
are on no line of the queen's, twelve of them.

**Pawn:** moves, without capture, one bishop step in one of the three directions towards the player's promotion rank;
captures one rook step in one of the two directions towards it. There is no double step, no en passant and no castling.

A pawn that reaches the promotion rank becomes at once a knight, bishop, rook, queen or king, whether or not such a man
was captured before.

(ours) Staying a pawn is not allowed.

There is no check, mate or stalemate: kings may stand in attack, only capture matters.

A turn is a move or a purchase.

(ours) A player who has neither passes.

[rook] [bishop] [knight] [king] [pawn] [array]

## Tribute

A pawn is worth 1, a knight or bishop 2, a rook 3, a queen 4, a king 5. Everybody begins with 10 tokens.

When you capture a man of one opponent, **the other one pays you** its value in tokens, or every token if there are
fewer. A player without tokens takes off one man of their own choice and colour instead, but never the last king; with
nothing else there is nothing to pay. A sacrifice brings nobody tribute, and is no turn: it is made before the next
one.

Everybody's tokens are visible to all, always.

(ours) A debt lapses when the debtor resigns; it stands when the captor or the victim does.

[tribute] [sacrifice]

## Purchases

Instead of moving you may buy a man of any kind, a king too, and put it on any vacant cell of the perimeter; pawns not
on your own promotion rank. You pay its value to each other player still in the game and once more to nobody: that part
leaves the game (the designer calls it paying the gods). So a man costs three times its value with three players and
twice with two. You must have all of it. A table can be opened with the rule that the man may stand on any vacant cell,
pawns still not on your own promotion rank.

[purchase]

## Vanquished and resigned

A player whose last king is captured is **vanquished**. Their men stay, powerless, and can be captured; their tokens go
to the captor. From then on no tribute is paid. The tribute for that king itself is still due. Powerless and frozen men
attack nothing.

A player may **resign** at any time. Their men stay, frozen, and can be captured, without tribute except for the kings:
for each the third player owes the captor 5, or every token if there are fewer, or a man if there are none. Captures
between the two who are left pay nothing. Who takes their last king takes their tokens; in the record they stay
resigned.

(ours) A resigned player counts no longer for prices, tribute and jeopardy; a debt of theirs lapses.

## The rule of jeopardy

While all three play, you may not capture another's **last** king if the third player could then capture your own
last king at once. A player who has two kings or more after the move is not
bound.

(ours) It is judged on the board right after the capture, before a sacrifice; only the third player's men count.

A table can be opened with another rule instead, that a last king may not fall on the turn after another, or with
neither.

[jeopardy]

## The end

The last player with a king who has not resigned wins everything; the others get nothing, the second as well as the
third.

(ours) It is over, too, when all but one have resigned.

(ours) The game is drawn when all players left agree, or after 150 successive turns, or another number that was agreed
on, without capture, purchase or pawn move, a pass included. A draw is shared equally by the players left.

## At the table

**Retractions:** each player may take back ten of their own moves in a game, each before their next turn, even several
times on the same turn. A table can be opened with other rules for taking back.

(ours) What the others did since is undone with it, and counts against nobody: they get the time of those turns back.
The player who takes a turn back does not: the time used stays used. A player whose last king has just been taken may
still take back the turn before, until the captor moves again; in an unrated game also when that capture ended it.
Everything is restored.

**Conferring** may be allowed or not, as agreed when the table is opened. If it is, it is open to all: a public chat.

**Time:** a limit for each move, of ten minutes or a multiple of it, may be set.

**Solitaire:** it plays well alone, one person playing White, Black and Red in turn. The list of ways to play has it
by name.

## The array

(ours) {RECONSTRUCTION}

(ours) A table can be opened with another array: **castle**, which has the kings in the back row between the rooks, or
White's men written by rows from the home side up, as in BBB.RKQR.PNNNP.PPPPPP.2P1P2, where a number stands for vacant
cells. Black's and Red's men follow by rotation. Each player needs a king.
"""

EXAMPLES = (
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
        "The rook goes any distance through the sides of the cells; one step of each way is marked.",
        (Mark("hint", ("e7", "g7", "f6", "f8", "e6", "g8")),),
    ),
    Example(
        "bishop",
        "triplicity 11/rK10bK/13/3rP8/11/10/5wB3/8/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -",
        "The bishop goes any distance through the corners; one step of each way is marked.",
        (Mark("hint", ("h8", "g9", "e8", "d6", "e5", "g6")),),
    ),
    Example(
        "knight",
        "triplicity 11/rK10bK/13/3rP8/11/10/5wN3/8/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -",
        "The knight leaps to twelve cells.",
        (
            Mark(
                "hint",
                ("g10", "h10", "e9", "i9", "d8", "i8", "c6", "h6", "c5", "d4", "e4", "g5"),
            ),
        ),
    ),
    Example(
        "king",
        "triplicity 11/rK10bK/13/3rP8/11/10/5wK3/8/7/6/5/4/3 W 10,10,10 a,a,a 0 -",
        "The king goes one step in any of the twelve directions.",
        (
            Mark(
                "hint",
                ("e7", "g7", "f6", "f8", "e6", "g8", "h8", "g9", "e8", "d6", "e5", "g6"),
            ),
        ),
    ),
    Example(
        "tribute",
        "triplicity 11/rK10bK/5bR7/3rP8/11/10/5wR2bN/8/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -",
        "White may take Black's rook, for which Red pays 3, or Black's knight, for which Red pays 2.",
        (Mark("hint", ("f11", "i7")), Mark("source", ("f7",))),
    ),
    Example(
        "sacrifice",
        "triplicity 11/rK10bK/5wR7/3rP8/2rN8/9bP/9/8/7/6/5/4/1wK1 R 10,10,0 a,a,a 0 w",
        "White has taken a rook of Black's, and Red has no tokens: it gives the pawn or the knight, not the king.",
        (Mark("hint", ("d10", "c9")),),
    ),
    Example(
        "purchase",
        "triplicity 11/rK10bK/13/3rP8/11/9bP/9/8/7/6/2wP2/4/1wK1 W 10,10,10 a,a,a 0 -",
        "With ten tokens White may buy a pawn for 3, a knight or a bishop for 6, or a rook for 9: a third to Black, "
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
    return read_rulebook("The rules of Triplicity", TEXT, EXAMPLES)
