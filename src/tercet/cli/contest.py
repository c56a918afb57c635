"""``tercet match``."""

from __future__ import annotations

import json as json_module
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tercet.cli.words import first_game, game_of, split
from tercet.engines import Limits, engine
from tercet.engines.match import Played, elo, match, tally
from tercet.errors import OptionError
from tercet.game import Game
from tercet.record import Record, date_text, result_token

__all__ = ["run"]


def _record(played: Played, game: Game, names: tuple[str, str]) -> Record:
    """The record of a game of a match."""
    headers = {
        "Event": f"{names[0]} against {names[1]}",
        "Date": date_text(time.time()),
        "Round": str(played.number + 1),
    }
    headers |= {player: names[who] for player, who in zip(game.players, played.seats, strict=True)}
    if played.outcome is not None:
        headers |= {"Result": result_token(played.outcome.scores), "Reason": played.outcome.reason}
    return Record.from_actions(game, played.start, played.actions, headers)


def run(
    first: str,
    second: str,
    words: Sequence[str],
    name: str | None,
    games: int,
    record: Path | None,
    movetime: float | None,
    nodes: int | None,
    seed: int,
    json: bool,
) -> None:
    """Play, show how it stands, add the records to a file, and say what it means."""
    positional, options = split(words)
    if positional:
        raise OptionError("words", f"{positional[0][:40]!r} is no option of the game; the game is named by --game")
    game = game_of(name or first_game(), options)
    engines = engine(first, game), engine(second, game)
    names = first, second
    finished: list[Played] = []
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    console = Console(stderr=True, highlight=False)
    out = record.open("a", encoding="utf-8") if record else None
    try:
        with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task(f"{first} - {second}", total=games)
            limits = Limits(movetime=movetime, nodes=nodes)
            for played in match(*engines, game, games, limits=limits, seed=seed):
                finished.append(played)
                won, drawn, lost = tally(finished)
                progress.update(task, advance=1, description=f"{first} - {second}  +{won} ={drawn} -{lost}")
                if out is not None:
                    out.write(_record(played, game, names).write() + "\n")
                    out.flush()
    finally:
        if out is not None:
            out.close()
        for each in engines:
            each.close()
    won, drawn, lost = tally(finished)
    rating = elo(won, drawn, lost)
    if json:
        answer = {"games": len(finished), "wins": won, "draws": drawn, "losses": lost}
        bounds = {"elo": rating.difference, "low": rating.low, "high": rating.high}
        finite = {key: value if abs(value) < 1e9 else None for key, value in bounds.items()}
        print(json_module.dumps(answer | finite))
        return
    print(f"{first} against {second}: {won} won, {drawn} drawn, {lost} lost of {len(finished)}")
    print(f"Elo difference {rating} at 95 %")
    spent = [sum(played.seconds[who] for played in finished) for who in (0, 1)]
    print(f"{first} thought {spent[0]:.1f} s, {second} {spent[1]:.1f} s")
