"""Crossway's rules as a person reads them beside the board."""

from tercet.core.view import Example, Mark, read_rulebook

TEXT = """
## A turn

Crossway is Mark Steere's (2007). The board starts empty and Black begins. In a turn you place one stone of your
colour on a vacant cell. Stones never move and are never taken.

**No checkerboards:** you may not place a stone that would complete a square of four in which two stones of yours
and two of your opponent's lie crosswise.

[barred]

## Winning

Stones that touch along a side or at a corner are connected. **Black** wins by connecting the bottom with the top,
**White** by connecting the left with the right. There are no draws.

[win]

## The pie rule

Instead of placing his first stone White may swap: Black's stone becomes White's. (ours) It then lies on the mirror
image of its cell, so that Black still joins bottom and top: the same as changing colours.
"""

PAGE = read_rulebook(
    "The rules of Crossway",
    TEXT,
    (
        Example(
            "barred",
            "crossway/4 4/1BW1/1W2/4 B -",
            "Black may not play on c2: the four cells in the middle would be a checkerboard.",
            (Mark("blocked", ("c2",)),),
        ),
        Example(
            "win",
            "crossway/4 1B2/1B1W/WWB1/1WB1 W -",
            "Black has connected bottom and top: b3 and c2 touch at a corner.",
            (Mark("win", ("b4", "b3", "c2", "c1")),),
        ),
    ),
)
