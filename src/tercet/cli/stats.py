"""``tercet stats``: the figures that a game's designers ask for, from games that engines play."""

from __future__ import annotations

import json as json_module
import random
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tercet.cli.words import game_of, split
from tercet.definition import Figures
from tercet.engines import Engine, Limits, engine
from tercet.errors import OptionError
from tercet.game import Game
from tercet.games import game_definition, names
from tercet.record import read_file

__all__ = ["count_records", "play_games", "run"]


def play_games(game: Game, player: Engine | None, limits: Limits, games: int, seed: int, figures: Figures) -> None:
    """Add ``games`` games, started from seeds ``seed`` and on, which ``player`` plays for all (None: random play)."""
    for number in range(seed, seed + games):
        chance = random.Random(number)
        if player is not None:
            player.new_game()
        position = game.start(number)
        figures.begin(position)
        while not position.is_over:
            if player is None:
                legal = position.legal_actions
                action = legal[chance.randrange(len(legal))]
            else:
                action = player.think(position, limits).action
            following = position.play(action)
            figures.follow(position, action, following)
            position = following
        figures.end(position)


def count_records(game: Game, files: Sequence[Path], figures: Figures) -> tuple[int, list[float]]:
    """Add the games of ``game`` in record ``files`` that ended on the board; how many they are, and the seconds of all
    turns that the records tell of (header ``Seconds``)."""
    counted, seconds = 0, []
    for file in files:
        for record in read_file(str(file)):
            if record.game != game:
                continue
            seconds += [float(word) for word in record.headers.get("Seconds", "").split() if word[:1].isdigit()]
            position, actions = record.last.effective_line()
            if record.end.outcome is None or position != record.start:
                continue
            figures.begin(position)
            for text in actions:
                action = position.action(text)
                following = position.play(action)
                figures.follow(position, action, following)
                position = following
            figures.end(position)
            counted += 1
    return counted, seconds


def _of_records(game: Game, files: Sequence[Path], json: bool) -> None:
    assert game.definition.statistics is not None
    figures = game.definition.statistics.figures(game, False)
    counted, seconds = count_records(game, files, figures)
    if not counted:
        raise OptionError("records", f"hold no game of {game.name} {game.option_text(True)} that ended on the board")
    middle = {"mean": fmean(seconds), "median": median(seconds), "most": max(seconds)} if seconds else None
    if json:
        about = {"game": game.name, "options": game.option_text(True), "seconds": middle}
        print(json_module.dumps(about | figures.as_dict()))
        return
    print(f"{counted} games of {game.name} {game.option_text(True)} from records".replace("  ", " "))
    for line in figures.report():
        print(f"  {line}")
    if middle:
        told = ", ".join(f"{name} {value:.1f}" for name, value in middle.items())
        print(f"  {'seconds a turn':<20} {told}, {len(seconds)} turns")


def run(
    words: Sequence[str],
    games: int,
    name: str,
    movetime: float | None,
    nodes: int | None,
    seed: int,
    json: bool,
    records: Sequence[Path] = (),
) -> None:
    """Play and print; or count the games in ``records``."""
    positional, options = split(words)
    counted = [known for known in names() if game_definition(known).statistics is not None]
    if len(positional) != 1 or positional[0] not in counted:
        known = " or ".join(counted)
        raise OptionError("words", f"name a game that has such figures: {known}, as in `tercet stats {counted[0]}`")
    game = game_of(positional[0], options)
    if records:
        _of_records(game, records, json)
        return
    statistics = game.definition.statistics
    assert statistics is not None
    figures = statistics.figures(game, name == "random")
    player = None if name == "random" else engine(name, game, seed=seed)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True, highlight=False)
    try:
        with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task("games", total=games)
            for number in range(games):
                play_games(game, player, Limits(movetime=movetime, nodes=nodes), 1, seed + number, figures)
                progress.advance(task)
    finally:
        if player is not None:
            player.close()
    if json:
        about = {"game": game.name, "options": game.option_text(True), "engine": name}
        print(json_module.dumps(about | figures.as_dict()))
        return
    print(f"{games} games of {game.name} {game.option_text(True)} by {name}".replace("  ", " "))
    for line in figures.report():
        print(f"  {line}")
