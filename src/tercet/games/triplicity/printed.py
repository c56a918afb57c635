"""Triplicity's parts to print and cut out."""

from __future__ import annotations

from tercet.core.game import Game
from tercet.core.view import Cutout, Face, PrintSheet
from tercet.games.triplicity import kernels
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.rules import KIND_LETTERS, KINDS, PLAYER_LETTERS, PLAYERS

WITHOUT_TRIBUTE = (
    "A player who buys a piece pays its value to each other player in the game, and once more to the gods: those coins "
    "leave the game."
)
WITH_TRIBUTE = f"When a piece is captured, the third player pays its value to the captor. {WITHOUT_TRIBUTE}"
SPARE = {"P": 2, "N": 2, "B": 1, "R": 1, "Q": 1, "K": 1}  # men to buy, and what pawns become


def print_sheets(game: Game) -> tuple[PrintSheet, ...]:
    """Prices with the array, the men of three players with some to spare, and the tribute tokens."""
    start = game.start()
    cells = list(start.row[layout.CELLS : layout.CELLS + layout.SIZE])
    tokens = sum(int(count) for count in start.row[layout.TOKENS : layout.TOKENS + len(PLAYERS)])
    men = tuple(
        Cutout((Face(player.lower() + letter, seat),), cells.count(8 * seat + kind) + SPARE[letter])
        for seat, player in enumerate(PLAYER_LETTERS)
        for kind, letter in reversed(list(enumerate(KIND_LETTERS)))
        if kind
    )
    values = [int(kernels.value(kind)) for kind in range(1, len(KINDS))]
    prices = tuple(
        (name, f"{worth}", f"{3 * worth}", f"{2 * worth}") for name, worth in zip(KINDS[1:], values, strict=True)
    )
    sheets = (
        PrintSheet(
            "Prices and array",
            WITH_TRIBUTE if game.options["tribute"] == "on" else WITHOUT_TRIBUTE,
            table=(("piece", "value", "price with three players", "price with two players"), *prices),
            picture=str(start),
        ),
        PrintSheet(
            "Pieces",
            "Glue the sheet onto cardboard and cut out the discs. Each player has some spare pieces for purchases and "
            "promotions.",
            men,
        ),
        PrintSheet(
            "Coins",
            f"Each player starts with {game.options['coins']} coins.",
            (Cutout((Face(text="1"),), tokens),),
        ),
    )
    return sheets if tokens else sheets[:-1]
