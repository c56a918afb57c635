"""Triplicity's rules as a person reads them beside the board."""

from __future__ import annotations

from tercet.game import Game
from tercet.view import Example, Mark, RulesPage, read_rulebook

__all__ = ["RECONSTRUCTION", "rules_page"]

RECONSTRUCTION = (
    "This array is our reconstruction: the designer's page shows his in a diagram that has not come down to us. "
    "Any other array can be played as a position string."
)

TEXT = f"""
## The board

A snub triangle of 111 hexagons. Three players, **White**, **Black** and **Red**, in this order. Each has a short
side of three cells as his home and, opposite, a long side of eleven cells: his promotion rank.

## The men

**Rook:** any distance in the six orthogonal directions, through the sides of the cells.

**Bishop:** any distance in the six diagonal directions. It passes between cells, so only a man on its own line
stops it.

**Queen:** both. **King:** one step in any of the twelve directions. **Knight:** a leap to the nearest cells that
are on no line of the queen's, twelve of them.

**Pawn:** moves, without capture, one bishop step in one of the three directions towards his promotion rank; captures
one rook step in one of the two directions towards it. There is no double step, no en passant and no castling.

A pawn that reaches his promotion rank becomes at once a knight, bishop, rook, queen or king. (ours) He must.

There is no check, mate or stalemate: kings may stand in attack, only capture matters.

A turn is a move or a purchase.

(ours) A player who has neither passes.

[array] [pawn]

## Tribute

A pawn is worth 1, a knight or bishop 2, a rook 3, a queen 4, a king 5. Everybody begins with 10 tokens.

When you capture a man of one opponent, **the other one pays you** its value in tokens, or all he has if that is
less. If he has none at all he takes off one of his own men, of his choice, but never his last king; if he has
nothing else he pays nothing. A sacrifice brings nobody tribute.

## Purchases

Instead of moving you may buy a man of any kind, a king too, and put it on any vacant cell of the perimeter; pawns
not on your own promotion rank. You pay its value to the gods and the same again to each other player still in the
game, so three times its value with three players and twice with two. With the option drops=anywhere it may stand
on any vacant cell.

## Vanquished and resigned

A player whose last king is captured is **vanquished**. His men stay, powerless, and can be captured; his tokens go
to the captor. From then on no tribute is paid. The tribute for that king itself is still due.

A player may **resign** at any time. His men stay, frozen, and can be captured, without tribute except for his
kings: for each the third player owes the captor 5. Who takes his last king takes his tokens.

(ours) A resigned player counts no longer for prices, tribute and jeopardy; a debt of his lapses.

## The rule of jeopardy

While all three play, you may not capture another's **last** king if the third player could then capture your own
last king at once. (ours) It is judged on the board right after the capture, before a sacrifice.

With jeopardy=no-successive a last king may not fall on the turn after another instead; with jeopardy=off neither
rule holds.

[jeopardy]

## The end

The last player with a king who has not resigned wins everything.

(ours) The game is drawn when all players left agree, or after 150 successive turns (option quiet_limit) without
capture, purchase or pawn move. A draw is shared by the players left.

## The array

(ours) {RECONSTRUCTION}
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
        "jeopardy",
        "triplicity 11/1rK7bP2/9bK3/12/11/1rR8/5wQ3/8/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -",
        "White's queen may not take Black's last king: Red's rook could then take White's.",
        (Mark("source", ("f7",)), Mark("jeopardy", ("j11",)), Mark("danger", ("b1",))),
    ),
)


def rules_page(game: Game) -> RulesPage:
    """The rules in our words, with drawn examples."""
    return read_rulebook("The rules of Triplicity", TEXT, EXAMPLES)
