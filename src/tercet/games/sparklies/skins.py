"""Sparklies told as an election: the designers' own story for it."""

from __future__ import annotations

from dataclasses import replace

from tercet.game import Game
from tercet.games.sparklies.notation import LETTERS
from tercet.games.sparklies.view import art
from tercet.view import Art, Skin

__all__ = ["SKINS", "skin_art"]

KINGDOM = Skin(
    "kingdom",
    "The Kingdom elects its first prime minister",
    {
        "Red takes green, green takes blue, blue takes red.": (
            "The church talks the farmers round, the farmers the merchants, the merchants the church."
        ),
        "most cells": "most votes",
        "take a cell of the handicap": "hand out leaflets in a town of your head start",
        "take a cell that nobody controls": "hand out leaflets in a town that backs nobody",
        "ping a cell of yours with any colour": "visit a town of yours and speak for whom you like",
        "ping one of yours": "visit one of yours",
        "resolve an active cell with any colour": "answer a town that asks for a visit as you like",
        "resolve an active cell": "answer a town that asks for a visit",
        "activate a cell of yours": "let a town of yours ask for a visit",
        "captured and not yet resolved": "has asked for a visit",
        "no pings are left": "no visits are left",
        "captures": "wins over",
        "capture": "win over",
        "captured": "won over",
        "controls": "backs",
        "controlled": "won",
        "pings": "visits",
        "ping": "visit",
        "pinged": "visited",
        "is active": "asks for a visit",
        "active": "asking for a visit",
        "takes": "hands out leaflets in",
        "take": "hand out leaflets in",
        "cells": "towns",
        "cell": "town",
        "Cells": "Votes",
        "greens": "farmers",
        "green": "farmers",
        "reds": "church",
        "red": "church",
        "blues": "merchants",
        "blue": "merchants",
        "colour": "party",
        "colours": "parties",
        "Quadrille": "Round of visits",
        "Deactivate everything": "Answer them all",
    },
    ("Blacks", "Whites", "Greys"),
    "The Kingdom elects its first prime minister. Every cell is a town with a mind of its own: the church, the farmers "
    "or the merchants. Controlling one is a load of leaflets, a ping a personal visit; a town that is captured asks "
    "for a visit itself. Whoever has most towns has most votes.",
)

SKINS = (KINGDOM,)

# A church with a spire and a cross; an ear of wheat; a pair of scales. In the square from -1 to 1.
FORMS = {
    "R": (
        "church",
        (
            "M-0.06 -0.92 H0.06 V-0.8 H0.18 V-0.68 H0.06 V-0.52 L0.24 -0.22 V0.02 L0.6 0.24 V0.72 H0.14 V0.42 "
            "A0.14 0.14 0 0 0 -0.14 0.42 V0.72 H-0.6 V0.24 L-0.24 0.02 V-0.22 L-0.06 -0.52 V-0.68 H-0.18 V-0.8 H-0.06 Z"
        ),
    ),
    "G": (
        "farmers",
        (
            "M0 -0.92 C0.18 -0.74 0.18 -0.54 0 -0.38 C-0.18 -0.54 -0.18 -0.74 0 -0.92 Z "
            "M0.08 -0.22 C0.12 -0.46 0.3 -0.6 0.56 -0.64 C0.54 -0.38 0.38 -0.18 0.08 -0.14 Z "
            "M-0.08 -0.22 C-0.12 -0.46 -0.3 -0.6 -0.56 -0.64 C-0.54 -0.38 -0.38 -0.18 -0.08 -0.14 Z "
            "M0.08 0.14 C0.12 -0.1 0.3 -0.24 0.56 -0.28 C0.54 -0.02 0.38 0.18 0.08 0.22 Z "
            "M-0.08 0.14 C-0.12 -0.1 -0.3 -0.24 -0.56 -0.28 C-0.54 -0.02 -0.38 0.18 -0.08 0.22 Z "
            "M0.08 0.5 C0.12 0.26 0.3 0.12 0.56 0.08 C0.54 0.34 0.38 0.54 0.08 0.58 Z "
            "M-0.08 0.5 C-0.12 0.26 -0.3 0.12 -0.56 0.08 C-0.54 0.34 -0.38 0.54 -0.08 0.58 Z "
            "M-0.05 -0.3 H0.05 V0.94 H-0.05 Z"
        ),
    ),
    "B": (
        "merchants",
        (
            "M-0.05 -0.8 H0.05 V-0.64 L0.62 -0.56 L0.84 0.02 H0.8 A0.26 0.26 0 0 1 0.32 0.02 H0.28 L0.5 -0.48 "
            "L0.05 -0.54 V0.56 H0.36 V0.72 H-0.36 V0.56 H-0.05 V-0.54 L-0.5 -0.48 L-0.28 0.02 H-0.32 "
            "A0.26 0.26 0 0 1 -0.8 0.02 H-0.84 L-0.62 -0.56 L-0.05 -0.64 Z "
            "M0.56 -0.36 L0.42 0.02 H0.7 Z M-0.56 -0.36 L-0.7 0.02 H-0.42 Z"
        ),
    ),
}
INITIALS = {"R": "C", "G": "F", "B": "M"}


def skin_art(game: Game, skin_id: str) -> Art:
    """A church, an ear of wheat and a pair of scales for the three colours; KeyError where there is no such skin."""
    if skin_id != KINGDOM.id:
        raise KeyError(skin_id)
    usual = art(game)
    symbols = tuple(
        replace(
            symbol,
            name=FORMS[symbol.id][0],
            forms={"symbol": {"path": FORMS[symbol.id][1]}, "letter": {"text": INITIALS[symbol.id]}},
        )
        if symbol.id in LETTERS
        else symbol
        for symbol in usual.symbols
    )
    return replace(usual, symbols=symbols)
