"""SanQi's rules as a person reads them beside the board."""

from __future__ import annotations

from tercet.game import Game
from tercet.view import Example, Mark, RulesPage, read_rulebook

__all__ = ["rules_page"]

TEXT = """
## The goal

**First** wins with a **circle**, six pieces of one type around a cell. **Second** wins with a **line** of six. Either
wins with a **triangle** of three to the side. Nobody owns the pieces: who may use a pattern is decided by its shape
alone.

## The board and the pieces

The board is a hexagon of hexagonal cells, with four or more to each side. It starts empty. Four to six cells to the
side are for learning; ten is what the designer, L. Lynn Smith (2003), recommends. A board of side n has 3n(n-1)+1
cells: 37 of side 4, 271 of side 10.

(ours) The designer names no largest board. Here the side is at most 30.

There are three types of piece, without limit: **Shang 上**, Heaven, red; **Zhong 中**, Man, yellow; **Xia 下**,
Earth, blue. Nobody owns them: both players use all three.

## A turn

First begins, then the players alternate. In a turn you either **place** a piece of any type on any vacant
cell, or **replace** a piece by one of another type. You may not pass.

You may replace a piece only if, among its neighbours, the new type is at least two more than the old one. Two to none
and three to one will do, two to one will not. (The editor of the designer's article puts it differently: among the
seven cells of neighbours and centre the new type must outnumber the old one.)

**Ko:** the piece that your opponent played on the turn just before, placed or replaced, may not be replaced
now. A piece that you played yourself on your own last turn may be.

[replace] [protected] [ko]

## Winning

After each turn the whole board is looked at, for the player who has just moved only.

**First** wins with a **circle**: the six neighbours of some cell all of one type. The cell in the middle may
hold anything or nothing. At the edge, where a cell has fewer than six neighbours, there is none.

**Second** wins with a **line**: six or more in a row of one type, in any of the three directions.

**Either** wins with a **triangle**: a solid triangle of one type with three cells to the side, pointing up or down.

[circle] [line] [triangle]

## Whose pattern it is

A circle is First's, a line is Second's. If you complete your opponent's pattern, nothing happens at once: your
opponent wins at the end of the next turn, wherever it is played, if the pattern still stands then.

And you may destroy a pattern of your own by replacing a piece of it: then you have not won with it.

[gift]

## The full board

The game goes on when no cell is vacant: then only replacements are left.

[full]

## No move left

(ours) When the player to move can neither place nor replace, the game is drawn; a table can be opened with the rule
that this player loses. The designer is silent here. It almost never happens.

(ours) A game always ends: no piece leaves the board, and a replacement makes at least two more pairs of equal
neighbours. With N cells and E pairs of cells side by side it is over after N + E/2 turns at the latest.

## Fair play

(ours) Strong engines win as Second from the empty board, at every side. Extra pieces for First do not help, since both
players use them. At a table you can choose another opening.

(ours) **From the book:** some pieces stand on the board already, and Second moves. The positions are those in which
an engine of level 9 playing itself wins about as often as First and as Second.

(ours) **Swap:** the Setter places the pieces, of any types on any vacant cells, one after the other. Then the Chooser
either moves as Second, or takes First; in that case the Setter moves as Second.

(ours) **Swap 2:** the Chooser has a third choice: to add two pieces, after which the Setter chooses a side.

(ours) During the set-up no pattern wins and no piece may be replaced; ko protects the piece placed last. A pattern that
stands when the set-up ends wins, as always, at the end of its owner's next turn if it still stands.

## Words

The designer's article and the lessons use these words.

**Anchor:** a piece placed ahead of need. It belongs to no plan yet, and patterns grow from it later.

**Pivot:** a piece that makes several patterns possible at once.

**Solitary:** a piece with no like piece within two cells.

**Supported:** a piece with a like piece beside it.

## Writing moves down

(ours) Columns are lettered from the left, rows numbered from the bottom. **Rd4** puts red on d4, **Rxd4** replaces
what stands there by red. **swap** takes First, **add** announces two more pieces. A position is written row by row from
the top, with R, Y and B for the pieces and numbers for vacant cells.
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
    Example(
        "protected",
        "sanqi/4 4/5/2RR2/3BB2/6/5/4 F -",
        "The marked blue piece has two red neighbours and a blue one: it may not be replaced.",
        (Mark("source", ("d4",)),),
    ),
    Example(
        "ko",
        "sanqi/4 4/5/2RR2/3B3/6/5/4 F d4",
        "Blue was played on the turn just before: ko protects it for this turn.",
    ),
    Example(
        "gift",
        "sanqi/4 4/5/2RR2/2R1R2/2RR2/5/4 F e3",
        "Second has completed a circle. First wins with any move that leaves it standing.",
        (Mark("hint", ("c5", "d5", "c4", "e4", "d3", "e3")),),
    ),
    Example(
        "full",
        "sanqi/4 BYYY/BYBRB/BRBBRB/BYRYBBY/YYBYBR/YRYBB/YYBB S d6",
        "A full board, and Second to move: one replacement completes a triangle of blue.",
        (Mark("hint", ("e5",)),),
    ),
)


def rules_page(game: Game) -> RulesPage:
    """The rules in our words, with drawn examples on small boards."""
    return read_rulebook("The rules of SanQi", TEXT, EXAMPLES)
