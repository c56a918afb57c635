"""The rules of Sparklies as the election tells them: the Kingdom elects its first prime minister."""

from __future__ import annotations

from tercet.view import Example, Mark, RulesPage, read_rulebook

__all__ = ["rules_page"]

TEXT = """
## The Kingdom

For the first time the Kingdom elects a prime minister. Every cell of the board is a **town** with one vote, and every
town follows the church, the farmers or the merchants. You lead a camp, Black or White, and want most votes.

**The church talks the farmers round, the farmers the merchants, and the merchants the church.** Who talks whom round
is all that decides an argument; it does not matter which camp a town backs.

[towns]

## 1. Leaflets

Your turn begins with a load of leaflets for one town that backs nobody yet. From now on it backs you. It stays what
it is: of the church, of the farmers or of the merchants.

(ours) While some town backs nobody you must begin so. A table can be opened with the rule that you need not, as in the
designers' story.

[leaflets]

## 2. A personal visit

Then you visit one town that backs you, and speak for whom you like: the town becomes one of the church, of the
farmers or of the merchants, as you choose, or stays what it is.

[visit]

## 3. Towns that ask for a visit

Look at the towns around it. One that is now between two towns of yours, both of the kind that talks it round, is won
over: it backs you, whomever it backed before, and asks for a visit itself. The town just visited must be one of the
two.

[asks]

## 4. Answering

Visit the towns that ask, one after another, in any order, and speak for whom you like each time. Each visit may win
over more, even towns that back you already; they ask for another visit then. Your turn is over when no town asks.

[answer]

## 5. The election

When every town backs somebody at the end of a turn, there is the election. Whoever has most towns has most votes, and
is prime minister. If the votes are equal, the Kingdom goes on without one.

[election]
"""

EXAMPLES = (
    Example(
        "towns",
        "sparklies/board=hex2,ruleset=subtle r1g0/b0b1b0/g0r0 B p 0",
        "Around the middle, clockwise: church, farmers, merchants. Each talks the next one round.",
    ),
    Example(
        "leaflets",
        "sparklies/board=4x4,ruleset=subtle b0g0b0r0/g0r1g2b0/b0b0b0g2/g0r0b0r0 B c 0",
        "Leaflets in c2: it is of the merchants, and backs Black from now on.",
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
        "With c2 of the church as b3 is, the farmers of c3 are talked round: the town asks for a visit.",
        (Mark("source", ("b3", "c2")), Mark("hint", ("c3",))),
    ),
    Example(
        "answer",
        "sparklies/board=4x4,ruleset=subtle b0g0b0b1/g0r1g1*r0/b0b0r1g2/g0r0b0r0 B v 1",
        "If c3 becomes one of the merchants, it wins over d3 together with d4.",
        (Mark("source", ("c3", "d4")), Mark("hint", ("d3",))),
    ),
    Example(
        "election",
        "sparklies/board=4x4,ruleset=subtle b1r2b2g2/g1g1r2b1/r2b1g1g1/g1r2b2r1 B p 0",
        "Every town backs somebody: nine votes for Black, seven for White.",
    ),
)


def rules_page() -> RulesPage:
    """The rules in the words of the story, each step with its drawing."""
    return read_rulebook("The Kingdom elects its first prime minister", TEXT, EXAMPLES)
