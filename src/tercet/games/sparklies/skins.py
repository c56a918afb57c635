"""Themes of Sparklies: an election, the designers' own story for it, with its own rules page; scissors, paper and
stone; and the three powers within society that the designers list, in three ways."""

from __future__ import annotations

from dataclasses import replace

from tercet.core.game import Game
from tercet.core.view import Art, Example, Mark, RulesPage, Skin, read_rulebook
from tercet.games.sparklies.view import AIM, CIRCLE, art

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


def _kingdom_words() -> dict[str, str]:
    """The words of the election. What a town is, is said with its own little words: of the church, for the farmers."""
    words = {
        AIM: "Win the most votes: church over farmers over merchants over church.",
        CIRCLE: "The church talks the farmers round, the farmers the merchants, the merchants the church.",
        "the most cells": "the most votes",
        "claim a handicap cell": "hand out leaflets in a town of your head start",
        "claim a free cell": "hand out leaflets in a town that backs no one yet",
        "recolour one of your cells (a ping) in any colour": "visit one of your towns and assign it any party",
        "recolour one of your cells (a ping)": "visit one of your towns",
        "recolour an active cell (a ping)": "answer a town that asks for a visit",
        "activate one of your cells": "let one of your towns ask for a visit",
        "A captured cell can be given any colour, and may take more.": "A town that is won over can get any party.",
        "A captured cell turns the colour that took it.": "A town that is won over follows the party that won it.",
        "A captured cell turns the colour that it takes.": "A town that is won over follows the party it talks round.",
        "captured and not yet pinged": "has asked for a visit",
        "there are no pings left": "there are no visits left",
        "turns inactive": "asks no more",
        "capture it": "win it over",
        "captures it": "wins it over",
        "captures": "wins over",
        "capture": "win over",
        "captured": "won over",
        "owns": "backs",
        "owned": "won",
        "pings": "visits",
        "ping": "visit",
        "pinged": "visited",
        "has pinged": "was visited",
        "is active": "asks for a visit",
        "active": "asking for a visit",
        "activate": "have a visit asked for in",
        "claims": "hands out leaflets in",
        "claim": "hand out leaflets in",
        "cells": "towns",
        "cell": "town",
        "Cells": "Votes",
        "a flag": "a headquarters",
        "flag": "headquarters",
        "flags": "headquarters",
        "colour": "party",
        "colours": "parties",
        "Quadrille": "Round of visits",
        "End the turn": "Answer them all",
    }
    for colour, party in (("red", "church"), ("green", "farmers"), ("blue", "merchants")):
        words |= {
            colour: party,
            f"{colour}s": f"towns of the {party}",
            f"one {colour}": f"one town of the {party}",
            f"a {colour}": f"a town of the {party}",
            f"as {colour}": f"for the {party}",
            f"stays {colour}": f"stays with the {party}",
            f"from {colour}": f"from the {party}",
            f"to {colour}": f"to the {party}",
        }
    return words


KINGDOM = Skin(
    "kingdom",
    "The Kingdom elects its first prime minister",
    _kingdom_words(),
    ("Black camp", "White camp", "Grey camp"),
    "The Kingdom elects its first prime minister. Every cell is a town that follows the church, the farmers or the "
    "merchants. Claiming one means handing out leaflets, and a ping is a personal visit; a captured town asks for a "
    "visit itself. The camp with the most towns has the most votes.",
)


def _named(
    skin_id: str, names: str, kind: str, about: str, plurals: str = "", circle: str = "", article: str = "a"
) -> Skin:
    """A skin that changes the colours' names only, to ``names`` of red, green and blue. ``kind`` is what a colour is
    called, ``plurals`` are names of several (left out: with an s), ``circle`` says who takes whom, and ``article``
    stands before the name of green."""
    red, green, blue = one = names.split()
    several = plurals.split() or [f"{name}s" for name in one]
    circle = circle or f"{red.title()} takes {green}, {green} takes {blue}, {blue} takes {red}."
    words = {
        AIM: f"Own the most cells: {circle[0].lower()}{circle[1:]}",
        CIRCLE: circle,
        **dict(zip(("red", "green", "blue", "reds", "greens", "blues"), (*one, *several), strict=True)),
        "colour": kind,
        "colours": f"{kind}s",
    }
    if article != "a":
        words |= {"a green": f"{article} {green}", "one green": f"one {green}"}
    return Skin(skin_id, ", ".join(one).capitalize(), words, (), about)


SCISSORS = _named(
    "scissors",
    "scissors paper stone",
    "sign",
    "The designers' own way to remember which colour takes which: red is scissors, green is paper, blue is stone.",
    "scissors papers stones",
    "Scissors cut paper, paper wraps stone, stone blunts scissors.",
)
BODY = _named(
    "body",
    "body mind soul",
    "nature",
    "Red is body, green is mind, blue is soul. We chose which colour is which.",
    "bodies minds souls",
)
POWERS = _named(
    "powers",
    "commercial idealist guardian",
    "power",
    "The designers' three powers within society: red is commercial, green is idealist, blue is guardian.",
    article="an",
)
OFFICES = _named(
    "offices",
    "doctor lawyer priest",
    "office",
    "Those who serve body, mind and soul: red is doctor, green is lawyer, blue is priest.",
)

SKINS = (KINGDOM, SCISSORS, BODY, POWERS, OFFICES)

# All forms lie in the square from -1 to 1. A church with a spire and a cross; an ear of wheat; a pair of scales.
KINGDOM_FORMS = {
    "R": "M-0.06 -0.92 H0.06 V-0.8 H0.18 V-0.68 H0.06 V-0.52 L0.24 -0.22 V0.02 L0.6 0.24 V0.72 H0.14 V0.42 "
    "A0.14 0.14 0 0 0 -0.14 0.42 V0.72 H-0.6 V0.24 L-0.24 0.02 V-0.22 L-0.06 -0.52 V-0.68 H-0.18 V-0.8 H-0.06 Z",
    "G": "M0 -0.92 C0.18 -0.74 0.18 -0.54 0 -0.38 C-0.18 -0.54 -0.18 -0.74 0 -0.92 Z "
    "M0.08 -0.22 C0.12 -0.46 0.3 -0.6 0.56 -0.64 C0.54 -0.38 0.38 -0.18 0.08 -0.14 Z "
    "M-0.08 -0.22 C-0.12 -0.46 -0.3 -0.6 -0.56 -0.64 C-0.54 -0.38 -0.38 -0.18 -0.08 -0.14 Z "
    "M0.08 0.14 C0.12 -0.1 0.3 -0.24 0.56 -0.28 C0.54 -0.02 0.38 0.18 0.08 0.22 Z "
    "M-0.08 0.14 C-0.12 -0.1 -0.3 -0.24 -0.56 -0.28 C-0.54 -0.02 -0.38 0.18 -0.08 0.22 Z "
    "M0.08 0.5 C0.12 0.26 0.3 0.12 0.56 0.08 C0.54 0.34 0.38 0.54 0.08 0.58 Z "
    "M-0.08 0.5 C-0.12 0.26 -0.3 0.12 -0.56 0.08 C-0.54 0.34 -0.38 0.54 -0.08 0.58 Z "
    "M-0.05 -0.3 H0.05 V0.94 H-0.05 Z",
    "B": "M-0.05 -0.8 H0.05 V-0.64 L0.62 -0.56 L0.84 0.02 H0.8 A0.26 0.26 0 0 1 0.32 0.02 H0.28 L0.5 -0.48 "
    "L0.05 -0.54 V0.56 H0.36 V0.72 H-0.36 V0.56 H-0.05 V-0.54 L-0.5 -0.48 L-0.28 0.02 H-0.32 "
    "A0.26 0.26 0 0 1 -0.8 0.02 H-0.84 L-0.62 -0.56 L-0.05 -0.64 Z "
    "M0.56 -0.36 L0.42 0.02 H0.7 Z M-0.56 -0.36 L-0.7 0.02 H-0.42 Z",
}
# An open pair of scissors; a sheet with a corner folded over; a boulder.
SCISSORS_FORMS = {
    "R": "M-0.62 -0.92 L-0.42 -0.96 L0.34 0.36 L0.16 0.44 Z M0.42 -0.96 L0.62 -0.92 L-0.16 0.44 L-0.34 0.36 Z "
    "M-0.64 0.64 A0.28 0.28 0 1 1 -0.08 0.64 A0.28 0.28 0 1 1 -0.64 0.64 Z "
    "M-0.5 0.64 A0.14 0.14 0 1 0 -0.22 0.64 A0.14 0.14 0 1 0 -0.5 0.64 Z "
    "M0.08 0.64 A0.28 0.28 0 1 1 0.64 0.64 A0.28 0.28 0 1 1 0.08 0.64 Z "
    "M0.22 0.64 A0.14 0.14 0 1 0 0.5 0.64 A0.14 0.14 0 1 0 0.22 0.64 Z",
    "G": "M-0.62 -0.86 H0.26 L0.26 -0.42 H0.66 V0.86 H-0.62 Z M0.36 -0.84 L0.66 -0.52 H0.36 Z",
    "B": "M-0.5 -0.44 L-0.06 -0.66 L0.44 -0.5 L0.84 -0.02 L0.76 0.44 L0.34 0.66 H-0.46 L-0.86 0.3 L-0.8 -0.1 Z",
}
# A person standing; a bulb; a flame.
BODY_FORMS = {
    "R": "M0 -0.92 A0.24 0.24 0 1 1 0 -0.44 A0.24 0.24 0 1 1 0 -0.92 Z "
    "M-0.5 -0.36 H0.5 V0.24 H0.34 V-0.1 H0.28 V0.9 H0.06 V0.34 H-0.06 V0.9 H-0.28 V-0.1 H-0.34 V0.24 H-0.5 Z",
    "G": "M0 -0.9 C0.4 -0.9 0.66 -0.62 0.66 -0.28 C0.66 0.04 0.36 0.2 0.3 0.46 H-0.3 "
    "C-0.36 0.2 -0.66 0.04 -0.66 -0.28 C-0.66 -0.62 -0.4 -0.9 0 -0.9 Z "
    "M-0.26 0.54 H0.26 V0.66 H-0.26 Z M-0.18 0.74 H0.18 L0.1 0.9 H-0.1 Z",
    "B": "M0.06 -0.94 C0.2 -0.5 0.62 -0.3 0.62 0.26 C0.62 0.66 0.34 0.9 0 0.9 C-0.34 0.9 -0.62 0.66 -0.62 0.26 "
    "C-0.62 -0.02 -0.48 -0.2 -0.34 -0.36 C-0.3 -0.16 -0.22 -0.08 -0.12 -0.06 "
    "C-0.2 -0.38 -0.12 -0.7 0.06 -0.94 Z",
}
# A purse with a coin on it; an open book; a tower with battlements.
POWERS_FORMS = {
    "R": "M-0.5 -0.92 H0.5 L0.26 -0.58 H-0.26 Z M-0.34 -0.5 H0.34 V-0.36 H-0.34 Z "
    "M-0.28 -0.28 H0.28 C0.94 0.12 0.96 0.9 0.42 0.9 H-0.42 C-0.96 0.9 -0.94 0.12 -0.28 -0.28 Z "
    "M-0.24 0.36 A0.24 0.24 0 1 0 0.24 0.36 A0.24 0.24 0 1 0 -0.24 0.36 Z",
    "G": "M-0.06 -0.44 C-0.3 -0.66 -0.62 -0.7 -0.94 -0.62 V0.5 C-0.62 0.42 -0.3 0.46 -0.06 0.68 Z "
    "M0.06 -0.44 V0.68 C0.3 0.46 0.62 0.42 0.94 0.5 V-0.62 C0.62 -0.7 0.3 -0.66 0.06 -0.44 Z",
    "B": "M-0.6 -0.9 H-0.32 V-0.64 H-0.14 V-0.9 H0.14 V-0.64 H0.32 V-0.9 H0.6 V-0.34 L0.42 -0.18 V0.62 H0.62 V0.9 "
    "H0.16 V0.5 A0.16 0.16 0 0 0 -0.16 0.5 V0.9 H-0.62 V0.62 H-0.42 V-0.18 L-0.6 -0.34 Z",
}
# A surgery's cross; a gavel over its block; a chalice.
OFFICES_FORMS = {
    "R": "M-0.28 -0.84 H0.28 V-0.28 H0.84 V0.28 H0.28 V0.84 H-0.28 V0.28 H-0.84 V-0.28 H-0.28 Z",
    "G": "M-0.84 -0.24 L-0.24 -0.84 L-0.12 -0.72 L-0.18 -0.66 L0.22 -0.26 L0.28 -0.32 L0.4 -0.2 L-0.2 0.4 "
    "L-0.32 0.28 L-0.26 0.22 L-0.66 -0.18 L-0.72 -0.12 Z "
    "M0.16 -0.02 L0.9 0.62 L0.68 0.86 L0 0.14 Z M-0.9 0.64 H0.2 V0.88 H-0.9 Z",
    "B": "M-0.56 -0.9 H0.56 C0.56 -0.3 0.38 0 0.1 0.06 V0.5 L0.46 0.72 V0.9 H-0.46 V0.72 L-0.1 0.5 V0.06 "
    "C-0.38 0 -0.56 -0.3 -0.56 -0.9 Z",
}
# By skin: the initials of what red, green and blue are, and what these are drawn as.
ARTS = {
    KINGDOM.id: (KINGDOM, "CFM", KINGDOM_FORMS),
    SCISSORS.id: (SCISSORS, "XPS", SCISSORS_FORMS),
    BODY.id: (BODY, "BMS", BODY_FORMS),
    POWERS.id: (POWERS, "CIG", POWERS_FORMS),
    OFFICES.id: (OFFICES, "DLP", OFFICES_FORMS),
}


def skin_art(game: Game, skin_id: str) -> Art:
    """Return what a skin draws in place of the three colours' shapes; KeyError where there is no such skin."""
    skin, initials, forms = ARTS[skin_id]
    usual = art(game)
    symbols = tuple(
        replace(
            symbol,
            name=skin.words[symbol.name],
            forms={"symbol": {"path": forms[symbol.id]}, "letter": {"text": initial}},
        )
        for symbol, initial in zip(usual.symbols, initials, strict=True)
    )
    return replace(usual, symbols=symbols)


def skin_rules(_game: Game, skin_id: str) -> RulesPage | None:
    """The rules as a skin tells them, where it has a page of its own."""
    return rules_page() if skin_id == KINGDOM.id else None
