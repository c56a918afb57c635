"""Sparklies' parts to print and cut out."""

from __future__ import annotations

from math import ceil

from tercet.core.game import Game
from tercet.core.view import Cutout, Face, PrintSheet
from tercet.games.sparklies.notation import LETTERS

COLOUR_SIZE = 0.66  # a colour tile lies on a control tile, which shows around it
DICE_A_PAGE = 24


def print_sheets(game: Game) -> tuple[PrintSheet, ...]:
    """Control tiles, colour tiles and, for up to two players, faces for ten-sided dice."""
    cells, players = len(game.board), len(game.players)
    black, white, grey = Face(owner=0), Face(owner=1), Face(owner=2)
    tiles = [Cutout((black, white) if players > 1 else (black,), cells, "tile")]
    if players > 2:
        tiles.append(Cutout((grey, grey), ceil(cells / 2), "tile"))
    colours = tuple(Cutout((Face(letter),), ceil(cells / 2), "tile", COLOUR_SIZE) for letter in LETTERS)
    sheets = [
        PrintSheet(
            "Control tiles",
            "Cut out each pair, fold it in the middle and glue it: a tile shows Black on one side and White on the "
            "other. Lay one under the colour tile of a cell when a player claims it, and turn it over when the cell is "
            "captured."
            if players == 2
            else "Cut out each tile; fold a pair in the middle and glue it. Lay one under the colour tile of a cell "
            "when a player claims it, and change it when the cell is captured.",
            tuple(tiles),
        ),
        PrintSheet(
            "Colour tiles",
            "Shuffle the tiles and lay one on each cell. Exchange it when a ping changes the colour of its cell. Slide "
            "the tile of an active cell towards a corner, so that no active cell is forgotten.",
            colours,
        ),
    ]
    if players < 3:
        holders = (None, *range(players))
        states = tuple(Face(letter, owner) for owner in holders for letter in LETTERS)
        sheets.append(
            PrintSheet(
                "Faces for ten-sided dice",
                "With one ten-sided die for each cell, you need no tiles. Stick one face of each kind on a die: the "
                "free colours, each player's colours, and the question mark for an undecided cell. Point the sharp "
                "corner at the side of the board while a ping is pending, otherwise at its top. "
                f"This sheet has faces for {DICE_A_PAGE // 2} dice of 16 mm; print it as often as you need.",
                tuple(Cutout((side,), DICE_A_PAGE // 2, "die") for side in (*states, Face(text="?"))),
            )
        )
    return tuple(sheets)
