"""SanQi's positions as people set them up by hand."""

from __future__ import annotations

from tercet.core.abilities.play import Content, Editor
from tercet.core.game import Game
from tercet.core.rules import Option
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.notation import LETTERS, TYPE_NAMES, stage_words
from tercet.games.sanqi.rules import SIDES

KINDS = tuple(Content(letter, name, symbol=letter) for letter, name in zip(LETTERS, TYPE_NAMES, strict=True))
CELLS = ((Content("", "vacant", clears=True), *KINDS),)
PLAYER = Option("player", "choice", "F", "", title="To move", words={name[0]: name for name in SIDES})
STAGE_WORDS = {
    "setup": "the Setter sets up",
    "choice": "the Chooser chooses",
    "add": "the Chooser adds two pieces",
    "answer": "the Setter chooses",
    "begun": "chosen; Second begins",
    "begun-swapped": "chosen, with sides changed; Second begins",
    "-": "over",
    "swapped": "over, with sides changed",
}


def fields(game: Game) -> tuple[Option, ...]:
    """Return who is to move, the cell of ko, and how far the opening is."""
    names = ("-", *game.board.names)
    ko = Option("ko", "choice", "-", "The piece just played.", title="Ko", choices=names, words={"-": "none"})
    if game.data[layout.OPENING] < layout.SWAPS:
        return PLAYER, ko
    words = {word: STAGE_WORDS[word] for word in stage_words(game)}
    return PLAYER, ko, Option("stage", "choice", "-", "", title="Opening", words=words)


EDITOR = Editor(lambda _: CELLS, fields)
