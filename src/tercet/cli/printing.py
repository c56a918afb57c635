"""``tercet print``: a game as a PDF to print and play."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tercet import parse
from tercet.cli.words import game_of, split
from tercet.errors import OptionError
from tercet.printing import pdf
from tercet.translation.catalogue import LANGUAGES, teller

__all__ = ["run"]


def run(words: Sequence[str], output: Path | None, paper: str, size: float | None, language: str) -> None:
    """Write the PDF of the game and options in ``words``."""
    positional, options = split(words)
    if len(positional) != 1:
        raise OptionError("game", "Name one game, as in `tercet print GAME --out FILE.pdf`.")
    if language not in ("en", *LANGUAGES):
        raise OptionError("language", f"--language must be one of en, {', '.join(LANGUAGES)}, not {language!r}.")
    game = game_of(positional[0], options)
    target = output or Path(f"{game.name}.pdf")
    if target.suffix.lower() != ".pdf":
        raise OptionError("out", f"--out must name a file that ends in .pdf, not {target.name!r}.")
    translate = teller(game.name, language)
    target.write_bytes(pdf(game, paper=paper, size=size, translate=translate, read=parse))
    print(target)
