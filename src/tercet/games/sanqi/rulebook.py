"""SanQi's rules as a person reads them beside the board."""

from __future__ import annotations

from tercet.game import Game
from tercet.view import Example, Mark, RulesPage, read_rulebook

__all__ = ["rules_page"]

TEXT = """
## The board and the pieces

The board is a hexagon of hexagonal cells. It starts empty. Four to six cells to the side are for learning;
ten is what the designer, L. Lynn Smith (2003), recommends.

There are three types of piece, without limit: **Shang 上**, Heaven, red; **Zhong 中**, Man, yellow; **Xia 下**,
Earth, blue. Nobody owns them: both players use all three.

## A turn

First begins, then the players alternate. In a turn you either **place** a piece of any type on any vacant
cell, or **replace** a piece by one of another type. You may not pass.

You may replace a piece only if, among its neighbours, the new type is at least two more than the old one.

**Ko:** the piece that your opponent played on the turn just before, placed or replaced, may not be replaced
now. A piece that you played yourself on your own last turn may be.

[replace]

## Winning

After each turn the whole board is looked at, for the player who has just moved only.

**First** wins with a **circle**: the six neighbours of some cell all of one type. The cell in the middle may
hold anything or nothing.

**Second** wins with a **line**: six or more in a row of one type, in any of the three directions.

**Either** wins with a **triangle**: a solid triangle of one type with three cells to the side.

If you complete your opponent's pattern, he wins at the end of his next turn if it still stands then.

[circle] [line] [triangle]

## No move left

(ours) When the player to move can neither place nor replace, the game is drawn; with the option
stalemate=loss he loses. The designer is silent here. It almost never happens.

(ours) A game always ends: no piece leaves the board, and a replacement makes at least two more pairs of equal
neighbours.
"""

EXAMPLES = (
    Example(
        "circle",
        "sanqi/4 4/5/2RR2/2R1R2/2RR2/5/4 S -",
        "A circle: six equal neighbours of one cell. First wins with it.",
        (Mark("win", ("c5", "d5", "c4", "e4", "d3", "e3")),),
        alike=True,
    ),
    Example(
        "line",
        "sanqi/4 4/5/6/1BBBBBB/6/5/4 F -",
        "A line of six. Second wins with it.",
        (Mark("win", ("b4", "c4", "d4", "e4", "f4", "g4")),),
        alike=True,
    ),
    Example(
        "triangle",
        "sanqi/4 4/5/2Y3/2YY3/1YYY2/5/4 F -",
        "A triangle of three to the side. Either player wins with it.",
        (Mark("win", ("c5", "c4", "d4", "c3", "d3", "e3")),),
        alike=True,
    ),
    Example(
        "replace",
        "sanqi/4 4/5/2RR2/3B3/3R2/5/4 F -",
        "Blue in the middle has three red neighbours and no blue one: it may be replaced by Red.",
        (Mark("hint", ("d4",)),),
    ),
)


def rules_page(game: Game) -> RulesPage:
    """The rules in our words, with drawn examples on small boards."""
    return read_rulebook("The rules of SanQi", TEXT, EXAMPLES)
