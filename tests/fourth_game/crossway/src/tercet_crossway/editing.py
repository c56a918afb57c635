"""Crossway's positions as people set them up by hand."""

from tercet.core.abilities.play import Content, Editor
from tercet.core.game import Game
from tercet.core.rules import Option
from tercet_crossway.notation import LETTERS
from tercet_crossway.rules import PLAYERS

STONES = tuple(
    Content(letter, f"{name} stone", letter, seat)
    for seat, (letter, name) in enumerate(zip(LETTERS, PLAYERS, strict=True))
)
CELLS = ((Content("", "vacant", clears=True), *STONES),)
PLAYER = Option("player", "choice", "B", "", title="To move", words=dict(zip(LETTERS, PLAYERS, strict=True)))
SWAPPED = Option("swapped", "choice", "-", "", title="Pie rule", words={"-": "not used", "swapped": "used"})


def fields(_game: Game) -> tuple[Option, ...]:
    """Who is to move, and whether White has swapped."""
    return PLAYER, SWAPPED


EDITOR = Editor(lambda _: CELLS, fields)
