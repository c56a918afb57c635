"""SanQi's parts to print and cut out."""

from __future__ import annotations

from math import ceil

from tercet.core.game import Game
from tercet.core.view import Cutout, Face, PrintSheet
from tercet.games.sanqi.notation import LETTERS

SHARE = 0.4  # of the cells, for each kind of piece


def print_sheets(game: Game) -> tuple[PrintSheet, ...]:
    """Pieces of the three kinds, enough for two in five cells each."""
    copies = ceil(SHARE * len(game.board))
    pieces = tuple(Cutout((Face(letter),), copies) for letter in LETTERS)
    return (
        PrintSheet(
            "Pieces",
            "Glue the sheets onto cardboard and cut out the discs. Both players share one supply. If a kind runs out, "
            "print its sheet again.",
            pieces,
        ),
    )
