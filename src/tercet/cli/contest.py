"""``tercet match``."""

from __future__ import annotations

import json as json_module
import math
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tercet.cli.words import first_game, game_of, split
from tercet.engines import Limits, engine
from tercet.engines.match import Elo, Played, blocks, elo, match, seatings, tally
from tercet.engines.sequential import SequentialTest, normalized_elo
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


def _test(words: str | None, games: int) -> SequentialTest | None:
    """The test that ``words`` (``LOW:HIGH``) describe, over blocks of ``games`` games."""
    if words is None:
        return None
    try:
        low, high = map(float, words.split(":"))
    except ValueError:
        low = high = math.nan
    if not -400 <= low < high <= 400:
        raise OptionError(
            "sprt", f"is two differences in normalized Elo, from -400 to 400, as in 0:10, not {words[:40]!r}"
        )
    return SequentialTest(low, high, games)


def _tell(
    finished: list[Played], names: tuple[str, str], players: int, test: SequentialTest | None, json: bool
) -> None:
    """Print what the games mean."""
    won, drawn, lost = tally(finished)
    rating = elo(won, drawn, lost)
    played = blocks(finished, players)
    normalized = normalized_elo(played, len(seatings(players)))
    verdict = None if test is None else test.decided(played) or "open"
    if json:
        answer = {"games": len(finished), "wins": won, "draws": drawn, "losses": lost}
        bounds = {
            "elo": rating.difference, "low": rating.low, "high": rating.high, "nelo": normalized.difference,
            "nelo_low": normalized.low, "nelo_high": normalized.high,
        }  # fmt: skip
        finite = {key: value if abs(value) < 1e9 else None for key, value in bounds.items()}
        tested = {} if test is None else {"llr": test.ratio(played), "sprt": verdict}
        print(json_module.dumps(answer | finite | tested))
        return
    first, second = names
    print(f"{first} against {second}: {won} won, {drawn} drawn, {lost} lost of {len(finished)}")
    print(f"Elo difference {rating} at 95 %")
    print(f"normalized {Elo(normalized.difference, normalized.low, normalized.high)} over {len(played)} blocks")
    if test is not None:
        low, high = test.bounds()
        text = {"high": f"{test.high:g} accepted", "low": f"{test.low:g} accepted", "open": "not decided"}[str(verdict)]
        ratio = f"{test.ratio(played):.2f} in {low:.2f} to {high:.2f}"
        print(f"sequential test {test.low:g} or {test.high:g}: {text}, {ratio}")
    spent = [sum(game.seconds[who] for game in finished) for who in (0, 1)]
    print(f"{first} thought {spent[0]:.1f} s, {second} {spent[1]:.1f} s")


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
    sprt: str | None,
    json: bool,
) -> None:
    """Play, show how it stands, add the records to a file, and say what it means."""
    positional, options = split(words)
    if positional:
        raise OptionError("words", f"{positional[0][:40]!r} is no option of the game; the game is named by --game")
    game = game_of(name or first_game(), options)
    players = len(game.players)
    test = _test(sprt, len(seatings(players)))
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
                if test is not None and len(finished) % test.games == 0 and test.decided(blocks(finished, players)):
                    break
    finally:
        if out is not None:
            out.close()
        for each in engines:
            each.close()
    _tell(finished, names, players, test, json)
