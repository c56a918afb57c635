"""``tercet match`` and ``tercet book``."""

from __future__ import annotations

import hashlib
import json as json_module
import math
import os
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tercet.cli.words import first_game, game_of, split
from tercet.core.game import Game
from tercet.engines import Engine, Limits, engine
from tercet.engines.match import (
    Elo,
    Match,
    MatchGame,
    SequentialTest,
    blocks,
    elo,
    normalized_elo,
    points_by_seats,
    result,
    seatings,
    tally,
)
from tercet.engines.openings import balanced, read_book
from tercet.errors import OptionError
from tercet.record import Record, date_text, read_file, result_token

COLUMNS = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
MAX_OPENINGS_PER_BALANCED = 50  # where fewer than one opening in so many is balanced, more would take for ever


@dataclass(frozen=True)
class _Sheet:
    """The records of one match: what they say of it, so that only its own games are gone on with."""

    contest: Match
    names: tuple[str, str]
    book: Path | None

    @property
    def event(self) -> str:
        return f"{self.names[0]} against {self.names[1]}"

    @property
    def terms(self) -> str:
        """Return what the games are played under, as a header."""
        limits = self.contest.limits[0]
        book = "" if self.book is None else hashlib.sha256(self.book.read_bytes()).hexdigest()[:12]
        found = {
            "seed": self.contest.seed, "plies": None if book else self.contest.plies, "book": book,
            "movetime": limits.movetime, "nodes": limits.nodes,
        }  # fmt: skip
        return " ".join(f"{name}={value}" for name, value in found.items() if value not in (None, ""))

    def record(self, played: MatchGame) -> Record:
        """Return the record of a game."""
        game = self.contest.game
        headers = {
            "Event": self.event, "Date": date_text(time.time()), "Round": str(played.number + 1), "Terms": self.terms,
            "Opening": str(played.book), "Seconds": " ".join(f"{spent:.3f}" for spent in played.seconds),
        }  # fmt: skip
        headers |= {player: self.names[who] for player, who in zip(game.players, played.seats, strict=True)}
        if played.outcome is not None:
            headers |= {"Result": result_token(played.outcome.scores), "Reason": played.outcome.reason}
        return Record.from_actions(game, played.start, played.actions, headers)

    def read(self, path: Path) -> list[MatchGame]:
        """Return the games in the records at ``path``, which is as far as the match has come; OptionError where they
        are of another match."""
        found: list[MatchGame] = []
        game = self.contest.game
        ways = seatings(len(game.players))
        for record in read_file(path):
            number = len(found)
            where = f"{path.name}, record {number + 1}"
            headers, wanted = record.headers, {"Event": self.event, "Terms": self.terms, "Round": str(number + 1)}
            for name, value in wanted.items():
                if headers.get(name) != value:
                    raise OptionError("resume", f"{where} has {name} {headers.get(name, '')!r}, not {value!r}.")
            if record.game != game:
                raise OptionError("resume", f"{where} is of {record.game!r}, not of {game!r}.")
            try:
                book, (one, two) = int(headers.get("Opening", "")), map(float, headers.get("Seconds", "").split())
            except ValueError:
                raise OptionError("resume", f"{where} does not have its opening and its time.") from None
            seats, outcome = ways[number % len(ways)], record.end.outcome
            played = (number, seats, record.start, book, tuple(record.moves()), outcome)
            found.append(MatchGame(*played, result(seats, outcome), (one, two)))
        return found


def _test(words: str | None, games: int) -> SequentialTest | None:
    """Return the test that ``words`` (``LOW:HIGH``) describe, over blocks of ``games`` games."""
    if words is None:
        return None
    try:
        low, high = map(float, words.split(":"))
    except ValueError:
        low = high = math.nan
    if not -400 <= low < high <= 400:
        raise OptionError("sprt", f"--sprt must be two differences in normalized Elo, as in 0:10, not {words[:40]!r}.")
    return SequentialTest(low, high, games)


def _tell(
    finished: list[MatchGame], names: tuple[str, str], players: int, test: SequentialTest | None, json: bool
) -> None:
    """Print what the games mean."""
    won, drawn, lost = tally(finished)
    rating = elo(won, drawn, lost)
    played = blocks(finished, players)
    normalized = normalized_elo(played, len(seatings(players)))
    verdict = None if test is None else test.decided(played) or "open"
    if json:
        shares = [asdict(points) for points in points_by_seats(finished)]
        answer = {"games": len(finished), "wins": won, "draws": drawn, "losses": lost, "points": shares}
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
    for points in points_by_seats(finished):
        seats = f" with {points.seats} of {players} seats, par {points.par:.1%}" if players > 2 else ""
        print(
            f"{points.share:.1%} of the points ({points.low:.1%} to {points.high:.1%}) in {points.games} games{seats}"
        )
    print(f"Elo difference {rating} at 95 %")
    print(f"normalized {Elo(normalized.difference, normalized.low, normalized.high)} over {len(played)} blocks")
    if test is not None:
        low, high = test.bounds()
        text = {"high": f"{test.high:g} accepted", "low": f"{test.low:g} accepted", "open": "not decided"}[str(verdict)]
        ratio = f"{test.ratio(played):.2f} in {low:.2f} to {high:.2f}"
        print(f"sequential test {test.low:g} or {test.high:g}: {text}, {ratio}")
    spent = [sum(game.seconds[who] for game in finished) for who in (0, 1)]
    print(f"{first} thought {spent[0]:.1f} s, {second} {spent[1]:.1f} s")


def _decided(test: SequentialTest | None, finished: list[MatchGame], players: int) -> bool:
    if test is None or len(finished) % test.games:
        return False
    return test.decided(blocks(finished, players)) is not None


def run(
    first: str,
    second: str,
    words: Sequence[str],
    name: str | None,
    games: int,
    record: Path | None,
    resume: bool,
    book: Path | None,
    movetime: float | None,
    nodes: int | None,
    threads: int | None,
    seed: int,
    sprt: str | None,
    json: bool,
) -> None:
    """Play a match: show the score, append the records to a file, and print the result."""
    game = _game(words, name)
    if resume and record is None:
        raise OptionError("resume", "--resume needs the file that --record names.")
    players, names = len(game.players), (first, second)
    test = _test(sprt, len(seatings(players)))
    limits = Limits(movetime=movetime, nodes=nodes)
    contest = Match(game, (limits, limits), seed=seed, book=() if book is None else read_book(book, game))
    sheet = _Sheet(contest, names, book)
    finished = sheet.read(record) if record is not None and resume and record.exists() else []
    console = Console(stderr=True, highlight=False)
    out = record.open("a", 1 << 20, encoding="utf-8") if record else None  # a record is written at once or not at all

    def make() -> tuple[Engine, Engine]:
        return engine(first, game), engine(second, game)

    try:
        with Progress(*COLUMNS, console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task(f"{first} - {second}", total=games, completed=len(finished))
            if len(finished) < games and not _decided(test, finished, players):
                count = threads or os.cpu_count() or 1
                with closing(contest.run(make, games, first=len(finished), threads=count)) as playing:
                    for played in playing:
                        finished.append(played)
                        won, drawn, lost = tally(finished)
                        progress.update(task, advance=1, description=f"{first} - {second}  +{won} ={drawn} -{lost}")
                        if out is not None:
                            out.write(sheet.record(played).write() + "\n")
                            out.flush()
                        if _decided(test, finished, players):
                            break
    finally:
        if out is not None:
            out.close()
    _tell(finished, names, players, test, json)


def make_book(
    words: Sequence[str],
    name: str | None,
    out: Path,
    count: int,
    plies: int,
    within: float,
    judge: str,
    nodes: int,
    seed: int,
) -> None:
    """Deal openings, keep the balanced ones and write them as records."""
    game = _game(words, name)
    thinker = engine(judge, game)
    console = Console(stderr=True, highlight=False)
    kept = dealt = 0
    try:
        with (
            out.open("w", encoding="utf-8") as file,
            Progress(*COLUMNS, console=console, disable=not console.is_terminal) as progress,
        ):
            task = progress.add_task("openings", total=count)
            for number, opening in balanced(game, thinker, Limits(nodes=nodes), plies=plies, within=within, seed=seed):
                dealt = number + 1
                if opening is not None:
                    file.write(opening.record().write() + "\n")
                    file.flush()
                    kept += 1
                progress.update(task, completed=kept, description=f"openings, {dealt} dealt")
                if kept == count:
                    break
                if dealt >= MAX_OPENINGS_PER_BALANCED * count and kept < dealt / MAX_OPENINGS_PER_BALANCED:
                    raise OptionError(
                        "within",
                        f"Only {kept} of {dealt} openings of {plies} actions are within {within:g}. Allow more.",
                    )
    finally:
        thinker.close()
    print(f"{out}: {kept} openings of {plies} actions, of {dealt} dealt")


def _game(words: Sequence[str], name: str | None) -> Game:
    positional, options = split(words)
    if positional:
        raise OptionError("words", f"{positional[0][:40]!r} is no option of the game. Name the game with --game.")
    return game_of(name or first_game(), options)
