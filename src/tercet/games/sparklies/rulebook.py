"""Sparklies' rules as a person reads them beside the board."""

from __future__ import annotations

from tercet.core.game import Game
from tercet.core.view import Example, Mark, RulesPage, read_rulebook

TEXT = """
## The goal

**Own the most cells when no cell is free.** You claim cells one by one, and capture others in chain reactions: two of
your cells capture a cell beside them if their colour takes its colour.

[won] [attack]

## The board and the colours

The board is a grid of squares, nine by nine unless you choose another. Every cell has a colour, red, green or blue, and
may be owned by a player. At the start, the colours are random and all cells are free.

**Red takes green, green takes blue, blue takes red.** Around the middle of the small board shown here, each colour
takes the next one clockwise.

(ours) Black starts. In the designers' move list, White does; in their duel, Black.

(ours) The designers played on boards from five by five to twenty by twenty. Here, a board of squares has at most 20
cells each way.

[wheel]

## A turn

**Claim** a free cell, as long as there is one (the designers call this control). It keeps its colour.

**Ping** one of your cells, the new one or another: give it any colour, even its own. If a cell beside it, edge to edge,
is now under a valid attack that includes the pinged cell, you **capture** it: it becomes yours, no matter who owned it,
and **active**.

**Propagate:** ping the active cells one after another, in any order; each may capture more. The turn is over when no
cell is active. Even your own cells can be captured and become active again.

All captures of a ping happen together: after the pinged cell has changed colour, and before any cell changes hands.

The button **End the turn** pings all active cells in their own colours, in reading order.

(ours) You must claim a cell while one is free, and you must ping. In the designers' story you may do either; in their
own game, every turn has both. A player who can neither claim nor ping passes.

[attack] [chain]

## The three rulesets

**Subtle:** two or more neighbours of the colour that takes a cell attack it, and you must own them all. When you ping
an active cell, you choose its colour freely.

**Speed:** two or more neighbours of the colour that takes a cell attack it, no matter who owns them. A captured cell
turns the colour that took it. The whole chain runs by itself.

**Playtest 2:** attacks work as in Speed, but a captured cell turns the colour it takes: red turns green, green turns
blue, blue turns red. You choose the order.

(ours) In Playtest 2, a cell pings only once a turn, because its chains would hardly ever end. In every ruleset, a turn
has at most eight pings for each cell of the board; then all active cells turn inactive. You can change both numbers
when you create a game.

[speed]

## The end

The game is over when no cell is free at the end of a turn. The player with the most cells wins.

(ours) Equal numbers are a draw.

Speed on your own is a **solitaire**: try to own the whole board in as few turns as you can.

## Harlequins

A square of four of your cells with one colour on each diagonal is a **harlequin**. In Subtle, you can dance it: pinging
the two cells of one diagonal wakes the other diagonal, and so on through all six pairs of colours, capturing every cell
that comes under attack on the way. Such a dance is a **quadrille**. A harlequin inside your own territory is a
**base**.

[harlequin]

## Variants: boards

A board can have any width and height. Cells can be removed (dead cells): a five by five board with a hole in the middle
has 24. Opposite edges can be joined (wrap), so that there are no edges.

On hexagonal boards, a cell has six neighbours; edge four is for three players.

(ours) An edge has at most twelve cells. A board that wraps around consists of squares, at least three each way.

[wrap] [dead] [hexagons]

## Variants: players

One player plays solitaire. Three players are Black, White and Grey, in this order.

(ours) Of three, players who tie for the most share a draw; the third loses.

With **fewest cells first**, each round the player with the fewest cells goes first, then the next fewest, instead of
always in seat order.

With **Black first, then White first**, Black starts the first round, White the second, and so on.

(ours) With fewest cells first, ties and the first round follow seat order. With three players who alternate, the
starting seat moves on by one each round.

## Variants: setup

Colours can be **random**; random with **equal** numbers of each colour, as far as possible; or **blank**: cells start
without colours, and you choose the colour of a cell when you claim it.

[blank]

## Variants: flags, agreement, optional claiming

With **flags**, the first cell each player owns is their flag. A player who captures another's flag wins at once, even
in the middle of a chain.

With **end by agreement**, play continues when the board is full, without claiming. Instead of taking a turn, a player
may agree; when all have agreed one after another, the game is over.

With **optional claiming**, you needn't claim a cell before you ping one.

(ours) With optional claiming, a player who owns no cell must claim one.

(ours) A player who passes counts as agreeing, and the game is over when one player owns the whole board.

[flag]

## Handicaps

A handicap lets one player claim some cells before the game, one after another. Then the first seat starts as usual.

(ours) In games between our engines, White scores 35 % on 5x5 and 47 % on 9x9 without a handicap; with one cell 58 and
53 %, with two 81 and 66 %, with four 93 and 81 % (tercet stats sparklies --board 9x9 --handicap white.2 --engine
level:4 --games 432).

## Duel

Players take single steps in turn: each claims a cell, each activates one of their inactive cells, then each pings
(resolves) one of their active cells at a time until the round ends. Then the next round starts. An activated cell stays
active until it is resolved. A player without an active cell passes, which counts as a resolution.

(ours) In a duel, colours are chosen freely in every ruleset.

A round ends after ten resolutions each (or another number, even a different one for each player), when all agree, or
when no one has an active cell. Black starts each round, or the players alternate, or the player with the fewest cells
starts. The resolutions may start with a different player than the first steps.

In the designers' text, the game ends when the board is full: players resolve until then or until the round ends.

(ours) The game is over when the board is full at the end of a round. **At once, after a resolution** follows the text
literally instead.

(ours) A round also ends when the same position occurs in it for the third time (players are warned the second time),
when no one has an active cell, or when its resolutions are used up.

[duel]

## Around the game

You can play with clocks as in chess, or with an egg timer of three minutes per turn. **Cells at risk** shows which
cells could be captured next turn; **Possible outcomes** shows, after a ping, all the ways the turn can end.

The game has other themes: an election (the designers' story), scissors, paper and stone (also theirs), or body, mind
and soul.

(ours) A player who resigns, runs out of time or leaves has lost. With three players, the other two then share the
point, no matter what each of them owns.

## Variants: other attacks

An attack is written as counts and letters joined by plus signs: T is the colour that takes the cell, P the colour it
takes, O its own colour. Capital letters count all cells, small letters only your own. Subtle is 2t; Speed and Playtest
2 are 2T. The designers also name 3T, 2T+1P, 2T+2P and 2O.

A cell is captured when it has at least that many neighbours of each kind and the pinged cell is one of them. Other
neighbours neither help nor hinder.

[three]
"""

EXAMPLES = (
    Example(
        "won",
        "sparklies/board=4x4,ruleset=subtle g2b2g1r1/b2g1g1g1/r1g1g1b1/g2g1g2b1 W c 0",
        "The board is full. Black has eleven cells and White five: Black wins.",
    ),
    Example(
        "wheel",
        "sparklies/board=hex2,ruleset=subtle r1g0/b0b1b0/g0r0 B p 0",
        "Clockwise red, green, blue: pinged red, the middle captures b3 together with the red cell before it.",
        (Mark("source", ("a3", "b2")), Mark("hint", ("b3",))),
    ),
    Example(
        "chain",
        "sparklies/board=4x4,ruleset=subtle g0b0b1r0/b0g0g0r1/r0b1r0g0/g0b0g0b0 B p 0",
        "A chain: pinged red, c4 captures c3 together with d3; pinged blue, c3 then captures c2 together with b2.",
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
        "In Speed, every red counts: pinged red, b3 captures c3, b4, b2 and more, and they turn red too.",
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
        "Without edges: a4 and d1 both touch d4 and attack it.",
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
        "Three players on hexagons: pinged red, b4 captures White's c4 together with d3.",
        (Mark("source", ("b4", "d3")), Mark("hint", ("c4",))),
    ),
    Example(
        "blank",
        "sparklies/board=4x4,ruleset=subtle,setup=blank .0.0.0.0/.0r1.0.0/.0.0b2.0/.0.0.0.0 B c 0",
        "Blank: only claimed cells have a colour.",
    ),
    Example(
        "three",
        "sparklies/board=4x4,ruleset=subtle,attack=3T b0g0b0r0/g0r1g0r0/b0b0r1b0/g0r0b0r0 B p 0",
        "Under 3T, the three red cells around c3 capture it; two of them are Black's.",
        (Mark("source", ("b3", "c2", "d3")), Mark("hint", ("c3",))),
    ),
    Example(
        "flag",
        "sparklies/board=5x5,ruleset=subtle,flag=true b0g0r0b0g0/r0g0g1^g0b0/g0r1g2^r0g0/b0g0g2b0r0/r0b0r0r0b0 B p 0",
        "c3 is White's flag. Black captures it with red c4 and wins.",
        (Mark("source", ("b3", "c4")), Mark("hint", ("c3",))),
    ),
    Example(
        "duel",
        "sparklies/board=4x4,ruleset=subtle,mode=duel g0r0g0b0/r1g2r0g2*/b0r1*g0r0/g0b0r0b0 B d 0",
        "A duel during the resolutions: Black resolves b2, then White d3.",
        (Mark("source", ("b2",)), Mark("hint", ("b3",))),
    ),
)


def rules_page(game: Game) -> RulesPage:
    """The rules in our words, with drawn examples."""
    return read_rulebook("The rules of Sparklies", TEXT, EXAMPLES)
