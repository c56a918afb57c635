"""``tercet selfplay``."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tercet.cli.words import game_of, split
from tercet.data import SelfPlay
from tercet.errors import OptionError

__all__ = ["run"]


def run(words: Sequence[str], out: Path, games: int, on: str, workers: int | None, json: bool, **settings: Any) -> None:
    """Play, showing how far it has come, and say what there is."""
    positional, options = split(words)
    if len(positional) != 1:
        raise OptionError("words", "Name a game and its options, as in GAME OPTION=VALUE.")
    game = game_of(positional[0], options)
    play = SelfPlay(game.name, game.options, **settings)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    console = Console(stderr=True, highlight=False)
    finished = decisions = 0
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("games", total=games)
        for finished, decisions in play.run(games, out, on=on, workers=workers):  # noqa: B007  (the last are said)
            progress.update(task, completed=finished)
    if json:
        print(json_module.dumps({"games": finished, "positions": decisions, "out": str(out)}))
    else:
        print(f"{out}: {finished} games, {decisions} positions")
