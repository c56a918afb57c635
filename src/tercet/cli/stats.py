"""``tercet stats``: the figures that a game's designers ask for, from games that engines play."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tercet.cli.words import game_of, split
from tercet.core.game import Game
from tercet.errors import OptionError
from tercet.games import names
from tercet.laboratory import Arm, GameRow, play_record, players, report, summary
from tercet.record import read_file


def count_records(game: Game, files: Sequence[Path]) -> tuple[list[GameRow], list[float], int]:
    """Return the rows of the games of ``game`` in record ``files`` that ended on the board, the seconds of all turns
    that the records tell of (header ``Seconds``), and how many games were left out."""
    rows: list[GameRow] = []
    seconds: list[float] = []
    count = 0
    for file in files:
        for record in read_file(file):
            count += 1
            if record.game != game:
                continue
            seconds += [float(word) for word in record.headers.get("Seconds", "").split() if word[:1].isdigit()]
            row = play_record(record, len(rows))
            if row is not None:
                rows.append(row)
    return rows, seconds, count - len(rows)


def _of_records(game: Game, files: Sequence[Path], json: bool) -> None:
    rows, seconds, left_out = count_records(game, files)
    if not rows:
        raise OptionError(
            "records", f"No game of {game.name} {game.option_text(True)} in the records ended on the board."
        )
    if left_out:
        print(f"tercet: {left_out} other games in the records have other rules or did not end.", file=sys.stderr)
    times = {"mean": fmean(seconds), "median": median(seconds), "most": max(seconds)} if seconds else None
    _print(game, summary(game, rows), {"seconds": times}, "from records", json)
    if times and not json:
        shown = ", ".join(f"{name} {value:.1f}" for name, value in times.items())
        print(f"  {'seconds a turn':<20} {shown}, {len(seconds)} turns")


def _print(game: Game, found: dict[str, Any], about: dict[str, Any], source: str, json: bool) -> None:
    """Print a summary."""
    if json:
        print(json_module.dumps({"game": game.name, "options": game.option_text(True)} | about | found))
        return
    print(f"{found['games']} games of {game.name} {game.option_text(True)} {source}".replace("  ", " "))
    for line in report(game, found):
        print(f"  {line}")


def run(
    words: Sequence[str],
    games: int,
    engines: Sequence[str],
    movetime: float | None,
    nodes: int | None,
    seed: int,
    on: str,
    workers: int,
    json: bool,
    records: Sequence[Path] = (),
) -> None:
    """Play games, or read those in ``records``, and print their figures."""
    positional, options = split(words)
    if len(positional) != 1 or positional[0] not in names():
        raise OptionError("words", f"Name one game of {', '.join(names())}, as in `tercet stats {names()[0]}`.")
    game = game_of(positional[0], options)
    if records:
        _of_records(game, records, json)
        return
    arm = Arm(game.name, dict(game.options), players(*engines, nodes=nodes, movetime=movetime), seed)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True, highlight=False)
    rows: list[GameRow] = []
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("games", total=arm.whole(games))
        for part in arm.parts(arm.whole(games), on=on, workers=workers):
            rows += part
            progress.advance(task, len(part))
    found = summary(game, sorted(rows, key=lambda row: row.number), engines)
    said = ", ".join(engines)
    _print(game, found, {"engine": said, "seed": seed}, f"by {said}", json)
