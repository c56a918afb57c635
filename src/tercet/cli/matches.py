"""``tercet match`` and ``tercet book``: two engines against each other, and the openings they play."""

from __future__ import annotations

import hashlib
import math
import os
import time
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tercet.cli import app as cli
from tercet.errors import OptionError
from tercet.record import Record, date_text, read_file, result_token

if TYPE_CHECKING:
    from tercet.engines import Engine
    from tercet.engines.match import Match, MatchGame, SequentialTest

MAX_OPENINGS_PER_BALANCED = 50  # where fewer than one opening in so many is balanced, more would take for ever


@cli.app.command(context_settings=cli.OPEN)
def match(
    first: Annotated[
        str, typer.Argument(help="An engine: level:1 to level:10, random, mcts, net, net:FILE, gumbel, ugi:COMMAND.")
    ],
    second: Annotated[str, typer.Argument(help="Its opponent.")],
    words: cli.OptionWords = None,
    game: cli.GameName = None,
    games: Annotated[int, typer.Option(min=1, help="The largest number of games.")] = 20,
    record: cli.RecordFile = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the match in that file.")] = False,
    book: Annotated[
        Path | None, typer.Option(help="Openings from `tercet book`; by default two random actions.")
    ] = None,
    movetime: cli.MoveTime = None,
    nodes: cli.MoveNodes = None,
    threads: cli.GameThreads = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="LOW:HIGH", help="Stop when the test has decided between two differences, in normalized Elo."
        ),
    ] = None,
    seed: cli.Seed = 0,
    json: cli.Json = False,
) -> None:
    """Let two engines play a match, and print which is stronger and by how much. Each opening is played once with every
    seating."""
    from tercet.engines import Limits, engine
    from tercet.engines.match import Match, seatings, tally
    from tercet.engines.openings import read_book

    chosen = cli.options_only(words, game)
    if resume and record is None:
        raise OptionError("resume", "--resume needs the file that --record names.")
    players, names = len(chosen.players), (first, second)
    test = _test(sprt, len(seatings(players)))
    limits = Limits(movetime=movetime, nodes=nodes)
    contest = Match(chosen, (limits, limits), seed=seed, book=() if book is None else read_book(book, chosen))
    sheet = _Sheet(contest, names, book)
    finished = sheet.read(record) if record is not None and resume and record.exists() else []

    def make() -> tuple[Engine, Engine]:
        return engine(first, chosen), engine(second, chosen)

    # The buffer is large so that a record is written at once or not at all.
    with (
        record.open("a", 1 << 20, encoding="utf-8") if record else nullcontext() as out,
        cli.progress_bar(f"{first} - {second}", games, len(finished)) as update,
    ):
        if len(finished) < games and not _decided(test, finished, players):
            count = threads or os.cpu_count() or 1
            with closing(contest.run(make, games, first=len(finished), threads=count)) as playing:
                for played in playing:
                    finished.append(played)
                    won, drawn, lost = tally(finished)
                    update(advance=1, description=f"{first} - {second}  +{won} ={drawn} -{lost}")
                    if out is not None:
                        out.write(sheet.record(played).write() + "\n")
                        out.flush()
                    if _decided(test, finished, players):
                        break
    _tell(finished, names, players, test, json)


@cli.app.command(context_settings=cli.OPEN)
def book(
    out: Annotated[Path, typer.Argument(help="The file of records to write.")],
    words: cli.OptionWords = None,
    game: cli.GameName = None,
    count: Annotated[int, typer.Option(min=1, help="Number of openings.")] = 100,
    plies: Annotated[int, typer.Option(min=1, help="Actions in each opening.")] = 4,
    within: Annotated[
        float, typer.Option(min=0.001, max=1, help="How far each player's share may be from an equal one.")
    ] = 0.05,
    judge: Annotated[str, typer.Option(help="The engine that judges them.")] = "mcts",
    nodes: Annotated[int, typer.Option(min=1, help="Its simulations for each opening.")] = 2000,
    seed: cli.Seed = 0,
) -> None:
    """Write a book of balanced openings for matches: random, all different, and even in an engine's judgement."""
    from tercet.engines import Limits, engine
    from tercet.engines.openings import balanced

    chosen = cli.options_only(words, game)
    kept = dealt = 0
    with (
        closing(engine(judge, chosen)) as thinker,
        out.open("w", encoding="utf-8") as file,
        cli.progress_bar("openings", count) as update,
    ):
        limits = Limits(nodes=nodes)
        for number, opening in balanced(chosen, thinker, limits, plies=plies, within=within, seed=seed):
            dealt = number + 1
            if opening is not None:
                file.write(opening.record().write() + "\n")
                file.flush()
                kept += 1
            update(completed=kept, description=f"openings, {dealt} dealt")
            if kept == count:
                break
            if dealt >= MAX_OPENINGS_PER_BALANCED * count and kept < dealt / MAX_OPENINGS_PER_BALANCED:
                why = f"Only {kept} of {dealt} openings of {plies} actions are within {within:g}. Allow more."
                raise OptionError("within", why)
    print(f"{out}: {kept} openings of {plies} actions, of {dealt} dealt")


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
        """Return the games so far, from the records at ``path``; OptionError where they are of another match."""
        from tercet.engines.match import MatchGame, result, seatings

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
    from tercet.engines.match import SequentialTest

    if words is None:
        return None
    try:
        low, high = map(float, words.split(":"))
    except ValueError:
        low = high = math.nan
    if not -400 <= low < high <= 400:
        raise OptionError("sprt", f"--sprt must be two differences in normalized Elo, as in 0:10, not {words[:40]!r}.")
    return SequentialTest(low, high, games)


def _decided(test: SequentialTest | None, finished: list[MatchGame], players: int) -> bool:
    from tercet.engines.match import blocks

    if test is None or len(finished) % test.games:
        return False
    return test.decided(blocks(finished, players)) is not None


def _tell(
    finished: list[MatchGame], names: tuple[str, str], players: int, test: SequentialTest | None, json: bool
) -> None:
    """Print what the games mean."""
    from tercet.engines.match import Elo, blocks, elo, normalized_elo, points_by_seats, seatings, tally

    won, drawn, lost = tally(finished)
    rating = elo(won, drawn, lost)
    played = blocks(finished, players)
    normalized = normalized_elo(played, len(seatings(players)))
    shares = points_by_seats(finished)
    bounds = {"elo": rating.difference, "low": rating.low, "high": rating.high}
    bounds |= {"nelo": normalized.difference, "nelo_low": normalized.low, "nelo_high": normalized.high}
    answer = {"games": len(finished), "wins": won, "draws": drawn, "losses": lost, "points": [*map(asdict, shares)]}
    answer |= {key: value if abs(value) < 1e9 else None for key, value in bounds.items()}
    first, second = names
    lines = [f"{first} against {second}: {won} won, {drawn} drawn, {lost} lost of {len(finished)}"]
    for points in shares:
        seats = f" with {points.seats} of {players} seats, par {points.par:.1%}" if players > 2 else ""
        share = f"{points.share:.1%} of the points ({points.low:.1%} to {points.high:.1%})"
        lines.append(f"{share} in {points.games} games{seats}")
    lines.append(f"Elo difference {rating} at 95 %")
    lines.append(f"normalized {Elo(normalized.difference, normalized.low, normalized.high)} over {len(played)} blocks")
    if test is not None:
        verdict = test.decided(played) or "open"
        answer |= {"llr": test.ratio(played), "sprt": verdict}
        low, high = test.bounds()
        text = {"high": f"{test.high:g} accepted", "low": f"{test.low:g} accepted", "open": "not decided"}[verdict]
        ratio = f"{test.ratio(played):.2f} in {low:.2f} to {high:.2f}"
        lines.append(f"sequential test {test.low:g} or {test.high:g}: {text}, {ratio}")
    spent = [sum(game.seconds[who] for game in finished) for who in (0, 1)]
    lines.append(f"{first} thought {spent[0]:.1f} s, {second} {spent[1]:.1f} s")
    cli.print_answer(json, answer, lines)
