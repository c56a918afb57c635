"""The rules of Sparklies as the election tells them: the Kingdom elects its first prime minister."""

from __future__ import annotations

from tercet.core.view import Example, Mark, RulesPage, read_rulebook

TEXT = """
## The Kingdom

For the first time, the Kingdom elects a prime minister. Every cell of the board is a **town** with one vote, and every
town follows the church, the farmers or the merchants. You lead a camp, Black or White, and want the most votes.

**The church talks the farmers round, the farmers the merchants, and the merchants the church.** Only that decides an
argument; it doesn't matter which camp a town backs.

[towns]

## 1. Leaflets

Start your turn with a load of leaflets for a town that backs no one yet. From now on, it backs you. Its party stays the
same: the church, the farmers or the merchants.

(ours) You must do this while some town backs no one. When you create a game, you can make it optional, as in the
designers' story.

[leaflets]

## 2. A personal visit

Then visit a town that backs you, and win it over to any party: the church, the farmers or the merchants, even the one
it already follows.

(ours) You must make this visit. The designers' story first says that you may, and then that every turn has one.

[visit]

## 3. Towns that ask for a visit

Look at the towns around it. If two of your towns beside one of them follow the party that talks it round, you win it
over: it backs you, no matter whom it backed before, and asks for a visit itself. The town you just visited must be one
of the two.

[asks]

## 4. Answering

Visit the towns that ask, one after another in any order, and assign each to any party. Each visit may win over more
towns, even some that already back you; they then ask for another visit. Your turn is over when no town asks.

[answer]

## 5. The election

When every town backs a camp at the end of a turn, the election is held. The camp with the most towns has the most votes
and provides the prime minister.

(ours) If the votes are equal, the Kingdom carries on without one.

[election]
"""

EXAMPLES = (
    Example(
        "towns",
        "sparklies/board=hex2,ruleset=subtle r1g0/b0b1b0/g0r0 B p 0",
        "Clockwise around the middle: church, farmers, merchants. Each talks the next one round.",
    ),
    Example(
        "leaflets",
        "sparklies/board=4x4,ruleset=subtle b0g0b0r0/g0r1g2b0/b0b0b0g2/g0r0b0r0 B c 0",
        "Leaflets in c2: it follows the merchants, and backs Black from now on.",
        (Mark("hint", ("c2",)),),
    ),
    Example(
        "visit",
        "sparklies/board=4x4,ruleset=subtle b0g0b0r0/g0r1g2b0/b0b0b1g2/g0r0b0r0 B p 0",
        "A visit to c2 on behalf of the church.",
        (Mark("source", ("c2",)),),
    ),
    Example(
        "asks",
        "sparklies/board=4x4,ruleset=subtle b0g0b0r0/g0r1g2b0/b0b0b1g2/g0r0b0r0 B p 0",
        "Now c2 follows the church, like b3. Together they talk round c3, a farmers' town: it asks for a visit.",
        (Mark("source", ("b3", "c2")), Mark("hint", ("c3",))),
    ),
    Example(
        "answer",
        "sparklies/board=4x4,ruleset=subtle b0g0b0b1/g0r1g1*r0/b0b0r1g2/g0r0b0r0 B v 1",
        "If c3 follows the merchants, it wins over d3 together with d4.",
        (Mark("source", ("c3", "d4")), Mark("hint", ("d3",))),
    ),
    Example(
        "election",
        "sparklies/board=4x4,ruleset=subtle b1r2b2g2/g1g1r2b1/r2b1g1g1/g1r2b2r1 B p 0",
        "Every town backs a camp: nine votes for Black, seven for White.",
    ),
)


def rules_page() -> RulesPage:
    """The rules in the words of the story, each step with its drawing."""
    return read_rulebook("The Kingdom elects its first prime minister", TEXT, EXAMPLES)
