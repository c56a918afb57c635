"""Sparklies' rules as a person reads them beside the board."""

from __future__ import annotations

from tercet.game import Game
from tercet.view import Example, Mark, RulesPage, read_rulebook

__all__ = ["rules_page"]

TEXT = """
## The goal

**Hold most cells when every cell is held.** You take cells one by one, and capture others by chain reactions: where two
of your cells stand beside a cell whose colour theirs takes, they capture it.

## The board and the colours

The board is a grid of squares, nine by nine unless you choose another. Every cell has a colour, red, green or
blue, and may be controlled by a player. At the start the colours are random and nobody controls anything.

**Red takes green, green takes blue, blue takes red.** Around the middle of the small board drawn here each colour
takes the one that follows it clockwise.

(ours) Black begins. In the designers' move list White does, and in their duel Black.

(ours) They played on five by five to twenty by twenty. Here a board of squares is at most 20 each way.

[wheel]

## A turn

**Take** a cell that nobody controls, as long as there is one. It keeps its colour.

**Ping** a cell that you control, the new one or another: give it any colour, its own included. Cells beside it, edge
to edge, that are now under a valid attack of which this cell is part are **captured**: they become yours, whoever held
them, and **active**.

**Propagate:** ping the active cells, one after another in any order: each may capture more. The turn is over when no
cell is active. Even your own cells can be captured and become active again.

All captures of one ping are judged together, after it has changed colour and before anything changes hands.

**End the turn** is a button that pings all active cells in their own colours, the first in reading order first.

(ours) Taking a cell is mandatory while one is left. Who can neither take nor ping is passed over.

[attack] [chain]

## The three rulesets

**Subtle:** two or more neighbours of the colour that takes a cell attack it, and they must all be yours. When you
ping an active cell you choose its colour freely.

**Speed:** two or more neighbours of the colour that takes a cell attack it, whoever controls them. A captured cell
turns the colour that took it. The whole chain runs by itself.

**Playtest 2:** attacks as in Speed, but a captured cell turns the colour that it takes in its turn: red turns green,
green turns blue, blue turns red. You choose the order.

(ours) In Playtest 2 a cell pings once a turn, because its chains would hardly ever end. In every ruleset a turn has at
most eight pings for each cell of the board; whatever is active then turns inactive. Both numbers can be changed when a
table is opened.

[speed]

## The end

When every cell is controlled at the end of a turn the game is over, and most cells win. Equal numbers are a draw.

Speed on your own is a **solitaire**: control the whole board in as few turns as you can.

## Harlequins

A square of four cells of yours with one colour on each diagonal is a **harlequin**. In Subtle you can dance it:
pinging the two cells of one diagonal wakes the other diagonal, and so on, through all six pairs of colours, and
whatever comes under attack on the way is captured. Such a dance is a **quadrille**. A harlequin inside your own cells
is a **base**.

[harlequin]

## Variants: boards

Any width and height. Cells may be taken out (dead): a board of five by five with a hole in the middle has 24. The
opposite edges may be joined (wrap), so that there are none.

Boards of hexagons have six neighbours to a cell; edge four is for three players.

(ours) An edge has at most twelve cells; a board that wraps around is of squares, at least three each way.

[wrap] [dead] [hexagons]

## Variants: players

One plays a solitaire. Three are Black, White and Grey, in this order. A tie for the most is a draw among those who
tie; the third loses.

With **fewest cells first** the players go in the order of the cells that they hold when a round begins, and not always
in that of their seats.

With **Black first, then White first** Black begins the first round, White the second, and so on in turn.

(ours) With fewest cells first, equal ones go by seat, and so does the whole first round. With three players who
alternate, the first seat moves on by one each round.

## Variants: setup

**Random** colours; random with **equal** numbers of each colour, or as equal as can be; or **blank**: no colours at the
start, and you choose the colour of a cell when you take it.

[blank]

## Variants: other attacks

An attack is a small expression of counts and letters, joined by a plus: T is the colour that takes the cell,
P the one that the cell takes, O its own. Capital letters count cells whoever controls them, small ones only your own.
Subtle is 2t, Speed and Playtest 2 are 2T. The designers also name 3T, 2T+1P, 2T+2P and 2O.

The cell is captured when it has so many neighbours of each kind, or more, and the pinged cell is one of them. Other
neighbours neither help nor hinder.

[three]

## Variants: flags, agreement, taking or not

With **flags** the first cell that each player controls is that player's flag. Whoever takes another's flag wins at
once, in the middle of a chain too.

With **end by agreement** play goes on when the board is full, without taking, and instead of a turn a player may
agree; when all have agreed one after another, the game is over.

With **optional control** a player need not take a cell before pinging one. Who holds nothing must.

(ours) A player who is passed over counts as agreeing, and the game is over when one player holds the whole board.

[flag]

## Handicaps

A handicap lets one player take some cells before the game, one after another; then the first seat begins as always.

(ours) In games of our engine, White with no such cells has 36 % of the points on 5x5 and 45 % on 9x9; with one 60 and
52 %, with two 81 and 65 %, with four 95 and 82 % (tercet stats sparklies --board 9x9 --handicap white.2 --engine
level:4 --games 400).

## Duel

The players take single steps in turn: each takes a cell, each activates a cell of their own that is not active, then
each pings (resolves) an active one of their own, again and again until the round ends. Then the next round begins. A
cell that was activated stays active until it is resolved. A player without an active cell passes, which counts as a
resolution. Colours are chosen freely, whatever the ruleset.

A round ends after ten resolutions each, or another number, which need not be the same for all; when all agree; or when
nobody has an active cell. Black begins each round, or the players alternate, or the one with fewest cells begins. The
resolutions may begin with another player than the first steps.

The designers' text ends the game when the board is full: they go on resolving until the round ends or until then.

(ours) The game is over when the board is full at the end of a round, unless you choose **at once, after a resolution**,
which is the text read literally.

(ours) A round also ends when the same position has occurred three times in it, of which the second is told, when nobody
has an active cell, or when its resolutions are used up.

[duel]

## Around the game

Clocks as in chess, or an egg timer of three minutes a turn, if you like. **Danger** shows which cells could be
captured next turn; **How the turn can end**, after a ping, all ways on.

The game can be told otherwise: as an election (the designers' story), with scissors, paper and stone (theirs, too),
or with body, mind and soul.

(ours) Whoever resigns, oversteps the time or has gone has lost. Of three players the two others then share the point,
whatever each of them holds.
"""

EXAMPLES = (
    Example(
        "wheel",
        "sparklies/board=hex2,ruleset=subtle r1g0/b0b1b0/g0r0 B p 0",
        "Clockwise red, green, blue: if the middle is pinged red, it takes b3 together with the red cell before it.",
        (Mark("source", ("a3", "b2")), Mark("hint", ("b3",))),
    ),
    Example(
        "chain",
        "sparklies/board=4x4,ruleset=subtle g0b0b1r0/b0g0g0r1/r0b1r0g0/g0b0g0b0 B p 0",
        "A chain: c4 pinged red takes c3 together with d3; c3 then pinged blue takes c2 together with b2.",
        (Mark("source", ("c4",)), Mark("hint", ("c3", "c2"))),
    ),
    Example(
        "attack",
        "sparklies/board=5x5,ruleset=subtle b0g0r0b0g0/r0b0r1g0b0/g0r1g2r0g0/b0g0b2b0r0/r0b0g0r0b0 B p 0",
        "Black pings b3 or c4, keeping it red: two of Black's reds attack the green c3, which becomes Black's.",
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
    Example(
        "wrap",
        "sparklies/board=4x4,ruleset=subtle,wrap=true r1b0g0g0/b0g0b0b0/g0b0g0g0/b0g0b0r1 B p 0",
        "Without edges: a4 and d1 both touch d4, and attack it.",
        (Mark("source", ("a4", "d1")), Mark("hint", ("d4",))),
    ),
    Example(
        "dead",
        "sparklies/board=5x5,ruleset=subtle,dead=c3 r0g0b0g0r0/g0b0r0b0g0/b0r0#g0r0/g0g0r0b0g0/r0b0g0r0b0 B c 0",
        "Five by five with a hole: 24 cells.",
    ),
    Example(
        "hexagons",
        "sparklies/board=hex3,ruleset=subtle,players=3 g0b0b0/g0r1g2b0/b0r3g0r1r0/b0b0b0r0/g0b0b0 B p 0",
        "Three players on hexagons: a red ping of b4 takes White's c4 together with d3.",
        (Mark("source", ("b4", "d3")), Mark("hint", ("c4",))),
    ),
    Example(
        "blank",
        "sparklies/board=4x4,ruleset=subtle,setup=blank .0.0.0.0/.0r1.0.0/.0.0b2.0/.0.0.0.0 B c 0",
        "Blank: only cells that were taken have a colour.",
    ),
    Example(
        "three",
        "sparklies/board=4x4,ruleset=subtle,attack=3T b0g0b0r0/g0r1g0r0/b0b0r1b0/g0r0b0r0 B p 0",
        "Under 3T c3 is taken by the three red cells around it, two of them Black's.",
        (Mark("source", ("b3", "c2", "d3")), Mark("hint", ("c3",))),
    ),
    Example(
        "flag",
        "sparklies/board=5x5,ruleset=subtle,flag=true b0g0r0b0g0/r0g0g1^g0b0/g0r1g2^r0g0/b0g0g2b0r0/r0b0r0r0b0 B p 0",
        "c3 is White's flag. Black takes it with c4 in red, and wins.",
        (Mark("source", ("b3", "c4")), Mark("hint", ("c3",))),
    ),
    Example(
        "duel",
        "sparklies/board=4x4,ruleset=subtle,mode=duel g0r0g0b0/r1g2r0g2*/b0r1*g0r0/g0b0r0b0 B d 0",
        "A duel, in the resolutions: Black resolves b2, then White d3.",
        (Mark("source", ("b2",)), Mark("hint", ("b3",))),
    ),
)


def rules_page(game: Game) -> RulesPage:
    """The rules in our words, with drawn examples."""
    return read_rulebook("The rules of Sparklies", TEXT, EXAMPLES)
