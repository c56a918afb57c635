"""``tercet stats``: the figures that a game's designers ask for, from games that engines play."""

from __future__ import annotations

import json as json_module
import random
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tercet.cli.words import game_of, split
from tercet.definition import Figures
from tercet.engines import Engine, Limits, engine
from tercet.errors import OptionError
from tercet.game import Game
from tercet.games import game_definition, names

__all__ = ["play_games", "run"]


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


def run(
    words: Sequence[str],
    games: int,
    name: str,
    movetime: float | None,
    nodes: int | None,
    seed: int,
    json: bool,
) -> None:
    """Play and print."""
    positional, options = split(words)
    counted = [known for known in names() if game_definition(known).statistics is not None]
    if len(positional) != 1 or positional[0] not in counted:
        known = " or ".join(counted)
        raise OptionError("words", f"name a game that has such figures: {known}, as in `tercet stats {counted[0]}`")
    game = game_of(positional[0], options)
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
