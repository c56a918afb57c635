"""Sparklies' rules as a person reads them beside the board."""

from __future__ import annotations

from tercet.game import Game
from tercet.view import Example, Mark, RulesPage, read_rulebook

__all__ = ["rules_page"]

TEXT = """
## The board and the colours

The board is a grid of squares, nine by nine unless you choose another. Every cell has a colour, red, green or
blue, and may be controlled by a player. At the start the colours are random and nobody controls anything.

**Red takes green, green takes blue, blue takes red.**

## A turn

**Take** a cell that nobody controls, as long as there is one. It keeps its colour.

**Ping** a cell that you control, the new one or another: give it any colour, its own included. Neighbours that are
now under a valid attack of which this cell is part are **captured**: they become yours, whoever held them, and
**active**.

**Resolve** the active cells, one after another in any order: each is pinged in its turn and may capture more. The
turn is over when no cell is active. Even your own cells can be captured and become active again.

All captures of one ping are judged together, after it has changed colour and before anything changes hands.

[attack]

## The three rulesets

**Subtle:** two or more neighbours of the colour that takes a cell attack it, and they must all be yours. When you
resolve a cell you choose its colour freely.

**Speed:** two or more neighbours of the colour that takes a cell attack it, whoever controls them. A captured cell
turns the colour that took it. The whole chain runs by itself.

**Playtest 2:** attacks as in Speed, but a captured cell turns the colour that it takes in its turn: red turns green,
green turns blue, blue turns red.

(ours) In Playtest 2 a cell pings once a turn, because its chains would hardly ever end. In every ruleset a turn has
at most eight pings for each cell of the board; whatever is active then turns inactive.

[speed]

## The end

When every cell is controlled at the end of a turn the game is over, and most cells win. Equal numbers are a draw.

Speed on your own is a **solitaire**: control the whole board in as few turns as you can.

## Handicaps

A handicap lets one player take some cells before the game.

(ours) In games of our engine, White with no such cells has
28 % of the points on 5x5 and 47 % on 9x9; with one 52 and 53 %, with two 82 and 57 %, with four 92 and 73 %.

## Harlequins

A square of four cells of yours with one colour on each diagonal is a **harlequin**. In Subtle you can dance it:
resolving the two cells of one diagonal wakes the other diagonal, and so on, through all six pairs of colours, and
whatever comes under attack on the way is captured. Such a dance is a **quadrille**.

[harlequin]

## Duel

The players take single steps in turn: each takes a cell, each activates one of his cells, then each resolves one of
his active cells, again and again until the round ends. Then the next round begins.

A round ends after ten resolutions each, or another number, which need not be the same for all (resolutions); when all
agree; or when nobody has an active cell. Black begins, or whoever holds fewest cells (order), and the resolutions may
begin with another player than the first steps (resolve_order).

(ours) A round also ends when the same position has occurred three times in it, of which the second is told, when nobody
has an active cell, or when its resolutions are used up.
"""

EXAMPLES = (
    Example(
        "attack",
        "sparklies/board=5x5,ruleset=subtle b0g0r0b0g0/r0b0r1g0b0/g0r1g2r0g0/b0g0b2b0r0/r0b0g0r0b0 B p 0",
        "Black pings b3 or c4, keeping it red: his two reds attack the green c3, which becomes his.",
        (Mark("hint", ("c3",)), Mark("source", ("b3", "c4"))),
    ),
    Example(
        "speed",
        "sparklies/board=5x5,ruleset=speed b0g0r0b0g0/r0g0r0g0b0/g0r1g2r0g0/b0g0g2b0r0/r0b0r0r0b0 B p 0",
        "In Speed every red counts: b3 pinged red takes c3, b4, b2 and more, and they turn red in their turn.",
        (Mark("source", ("b3",)),),
    ),
    Example(
        "harlequin",
        "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0",
        "A harlequin: red on one diagonal, green on the other.",
        (Mark("hint", ("b3", "c3", "b2", "c2")),),
    ),
)


def rules_page(game: Game) -> RulesPage:
    """The rules in our words, with drawn examples."""
    return read_rulebook("The rules of Sparklies", TEXT, EXAMPLES)
