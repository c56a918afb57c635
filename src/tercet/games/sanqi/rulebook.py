"""SanQi's rules as a person reads them beside the board."""

from __future__ import annotations

from dataclasses import replace

from tercet.core.game import Game
from tercet.core.view import Example, Mark, RulesPage, read_rulebook
from tercet.games.sanqi.rules import LINES

TEXT = """
## The goal

**First** wins with a **circle**: six pieces of one kind around a cell. **Second** wins with a **line** of six. Either
player wins with a **triangle**, three to a side. The players share all pieces: only its shape decides whose pattern it
is.

[circle] [place]

## The board and the pieces

The board is a hexagon of hexagonal cells, with at least four along each side. It starts empty. Sides of four to six are
for learning; the designer, L. Lynn Smith (2003), recommends ten. A board of side 4 has 37
cells, one of side 10 has 271.

(ours) The designer sets no upper limit. Here the side is at most 30.

There are three kinds of piece, in unlimited supply: **Shang 上**, Heaven, red; **Zhong 中**, Man, yellow; **Xia 下**,
Earth, blue. Both players use all three.

## A turn

First starts, then the players alternate. On your turn, either **place** a piece of any kind on any vacant cell, or
**replace** a piece with one of another kind. You may not pass.

You may replace a piece only if its neighbours include at least two more of the new kind than of the old one. Two to
none and three to one are enough; two to one isn't. (The editor of the designer's article puts it differently: among the
seven cells of neighbours and centre, the new kind must outnumber the old one.)

**Ko:** you may not replace the piece that your opponent just played, placed or replaced. You may replace the piece that
you played on your own last turn.

[replace] [protected] [ko]

## Winning

After each turn, the whole board is checked, but only for the player who has just moved.

**First** wins with a **circle**: all six neighbours of a cell hold one kind. The cell in the middle may hold any piece
or none. A cell at the edge has fewer than six neighbours, so no circle surrounds it.

**Second** wins with a **line**: six or more of one kind in a row, in any of the three directions.

**Either** wins with a **triangle**: a solid triangle of one kind, three cells to a side, pointing up or down.

[circle] [line] [triangle]

## Whose pattern it is

A circle is First's, a line is Second's. If you complete your opponent's pattern, nothing happens at once. If it still
stands at the end of your opponent's next turn, your opponent wins, wherever they played.

If you replace a piece of your own pattern and so destroy it, you don't win with it.

[gift]

## The full board

The game goes on when no cell is vacant: from then on, players can only replace.

[full]

## No move left

(ours) If the player to move can neither place nor replace, the game is a draw; you can choose the rule that this player
loses. The designer doesn't say. It almost never happens.

## Fair play

(ours) Strong engines win as Second from the empty board, whatever its size. Extra pieces for First don't help, since
both players use them. That is why you can choose another opening.

(ours) **From the book:** some pieces already stand on the board, and Second moves. In these positions, a level 9 engine
playing itself wins about as often as First and as Second.

(ours) **Swap:** the Setter places pieces of any kinds on any vacant cells, one after another. Then the Chooser either
moves as Second or takes First; in that case, the Setter moves as Second.

(ours) **Swap 2:** the Chooser has a third option: add two pieces and let the Setter choose a side.

(ours) During the set-up, no pattern wins and no piece may be replaced; ko protects the last piece placed. A pattern
that stands when the set-up ends wins at the end of its owner's next turn if it still stands then, as always.

(ours) **Other goals:** when you create a game, you can ask Second for a line of four, five or seven, or let only First
win with a triangle. The designer's rules have neither option.

[line-4] [line-5] [line-7]

## Words

These words appear in the designer's article and in the lessons.

**Anchor:** a piece placed ahead of need. It belongs to no plan yet, and patterns grow from it later.

**Pivot:** a piece that makes several patterns possible at once.

**Solitary:** a piece with no like piece within two cells.

**Supported:** a piece with a like piece beside it.

## Notation

(ours) Columns are lettered from the left, rows are numbered from the bottom. **Rd4** places red on d4; **Rxd4**
replaces the piece there with red. **swap** takes First; **add** announces two more pieces. A position is written row by
row from the top, with R, Y and B for the pieces and numbers for vacant cells.

(ours) A game always ends: no piece leaves the board, and each replacement makes at least two more pairs of equal
neighbours. With N cells and E pairs of neighbouring cells, it is over after N + E/2 turns at the latest.
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
        "A triangle, three to a side. Either player wins with it.",
        (Mark("win", ("c5", "c4", "d4", "c3", "d3", "e3")),),
        alike=True,
    ),
    Example(
        "place",
        "sanqi/4 4/5/2RR2/2R4/3B2/5/4 F -",
        "A move: place a piece of any kind on any vacant cell, such as the marked one.",
        (Mark("hint", ("e4",)),),
    ),
    Example(
        "replace",
        "sanqi/4 4/5/2RR2/3B3/3R2/5/4 F -",
        "The blue piece in the middle has three red neighbours and no blue one: you may replace it with red.",
        (Mark("hint", ("d4",)),),
    ),
    Example(
        "protected",
        "sanqi/4 4/5/2RR2/3BB2/6/5/4 F -",
        "The marked blue piece has two red neighbours and one blue one: you may not replace it with red.",
        (Mark("source", ("d4",)),),
    ),
    Example("ko", "sanqi/4 4/5/2RR2/3B3/6/5/4 F d4", "Blue was just played: ko protects it this turn."),
    Example(
        "gift",
        "sanqi/4 4/5/2RR2/2R1R2/2RR2/5/4 F e3",
        "Second has completed a circle. First wins with any move that leaves it standing.",
        (Mark("hint", ("c5", "d5", "c4", "e4", "d3", "e3")),),
    ),
    Example(
        "full",
        "sanqi/4 BYYY/BYBRB/BRBBRB/BYRYBBY/YYBYBR/YRYBB/YYBB S d6",
        "A full board with Second to move: one replacement completes a blue triangle.",
        (Mark("hint", ("e5",)),),
    ),
)


# What games with other goals say before this heading, and the example that they show instead.
BOARD = "## The board and the pieces"
GOALS = (
    *(
        (
            "line",
            length,
            f"(ours) In this game, Second needs a line of **{words}** instead of six.",
            Example(
                "line",
                f"sanqi/4,line={length} 4/5/6/{'B' * length}{7 - length or ''}/6/5/4 F -",
                f"A line of {words}. Second wins with it.",
                (Mark("win", tuple(f"{column}4" for column in "abcdefg"[:length])),),
                alike=True,
            ),
        )
        for length, words in LINES.items()
        if length != 6
    ),
    (
        "triangle",
        "first",
        "(ours) In this game, a triangle wins only for **First**.",
        Example(
            "triangle",
            "sanqi/4,triangle=first 4/5/2Y3/2YY3/1YYY2/5/4 S -",
            "A triangle, three to a side. First wins with it.",
            (Mark("win", ("c5", "c4", "d4", "c3", "d3", "e3")),),
            alike=True,
        ),
    ),
)


def rules_page(game: Game) -> RulesPage:
    """The rules in our words, with drawn examples on small boards, and those of lines of other lengths for the page."""
    text = TEXT
    lines = (replace(example, id=f"line-{value}") for name, value, _, example in GOALS if name == "line")
    examples: tuple[Example, ...] = (*EXAMPLES, *lines)
    for name, value, says, example in GOALS:
        if game.options[name] == value:
            text = text.replace(BOARD, f"{says}\n\n{BOARD}")
            examples = tuple(example if one.id == example.id else one for one in examples)
    return read_rulebook("The rules of SanQi", text, examples)
