"""``tercet tournament``: engines against each other in any form, on all cores."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tercet.cli import app as cli
from tercet.core.game import Game, Position
from tercet.errors import OptionError
from tercet.record import Record, date_text, result_token

if TYPE_CHECKING:
    from concurrent.futures import Future

    from tercet.engines import Engine, Limits
    from tercet.play.tournaments import Form, Pairing, Result, Tournament

HOUR_MS = 3_600_000
RANDOM_PLIES = 2  # random actions that a game begins with, so that engines do not repeat one


@cli.app.command(context_settings=cli.OPEN)
def tournament(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="Engines: level:1 to level:10, random, mcts, net, net:FILE, gumbel, ugi:COMMAND; then options.",
            metavar="ENGINE ENGINE... [--OPTION VALUE]...",
        ),
    ] = None,
    game: cli.GameName = None,
    form: Annotated[str, typer.Option(help="round-robin, swiss, arena or best-margin.")] = "round-robin",
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds of a Swiss tournament, or before the play-off.")
    ] = None,
    cycles: Annotated[int, typer.Option(min=1, help="How often to play a round robin, with seats changed.")] = 1,
    minutes: Annotated[float | None, typer.Option(min=0.01, help="Length of an arena.")] = None,
    record: cli.RecordFile = None,
    movetime: cli.MoveTime = None,
    nodes: cli.MoveNodes = None,
    threads: cli.GameThreads = None,
    seed: cli.Seed = 0,
    json: cli.Json = False,
) -> None:
    """Let engines play a tournament, on all cores, and print the standings."""
    from tercet.engines import Limits, engine
    from tercet.play.tournaments import Tournament, TournamentError, check_form

    positional, options = cli.split(words)
    chosen = cli.game_of(game or cli.first_game(), options)
    seats = len(chosen.players)
    names = _entrants(positional, seats)
    contest = Tournament(_form(form, seats, rounds, cycles, minutes, seed))
    check_form(contest.form, chosen.definition)
    for one in names.values():
        engine(one, chosen).close()  # so that one that does not exist is said before anything is played
    try:
        for one in names:
            for event in contest.join(one):
                contest = contest.after(event)
        for event in contest.begin(0):
            contest = contest.after(event)
    except TournamentError as error:
        raise OptionError(error.where, error.why) from None
    hall = _Hall(chosen, names, Limits(movetime=movetime, nodes=nodes), seed)
    title = f"{form} of {len(names)}"
    with (
        closing(hall),
        record.open("a", encoding="utf-8") if record else nullcontext() as out,
        cli.progress_bar(title, None, last="elapsed") as update,
    ):

        def done(played: _TournamentGame, after: Tournament) -> None:
            if out is not None:
                out.write(_record(played, title).write() + "\n")
                out.flush()
            total = None if after.form.kind != "round-robin" else sum(not one.is_bye for one in after.pairings)
            leader = after.standings[0]
            update(advance=1, total=total, description=f"{title}: {leader.person} {_number(leader.points)}")

        contest = _contest(contest, hall, threads or os.cpu_count() or 1, done)
    cli.print_answer(json, _told(contest, names), _table(contest))


@dataclass
class _TournamentGame:
    """A game that was played: ``actions`` from ``start``, which led to ``end``."""

    pairing: Pairing
    start: Position
    actions: tuple[str, ...]
    end: Position


@dataclass
class _Hall:
    """The engines of a tournament: one for each simultaneous game of each entrant."""

    game: Game
    names: dict[str, str]
    limits: Limits
    seed: int
    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    idle: dict[str, list[Engine]] = field(default_factory=dict)

    @contextmanager
    def engines(self, people: Sequence[str]) -> Iterator[list[Engine]]:
        from tercet.engines import engine

        with self.lock:
            found = [self.idle[one].pop() if self.idle.get(one) else None for one in people]
        taken = [each or engine(self.names[one], self.game) for each, one in zip(found, people, strict=True)]
        try:
            yield taken
        finally:
            with self.lock:
                for one, each in zip(people, taken, strict=True):
                    self.idle.setdefault(one, []).append(each)

    def play(self, pairing: Pairing) -> _TournamentGame | None:
        """Play a game; None where it was stopped."""
        from tercet.engines.openings import deal

        opening = deal(self.game, RANDOM_PLIES, 1_000_003 * self.seed + pairing.number)
        position, actions = opening.position, list(opening.actions)
        with self.engines(pairing.people) as engines:
            for each in engines:
                each.new_game()
            while position.mover is not None:
                if self.stop.is_set():
                    return None
                action = engines[position.mover].think(position, self.limits, stop=self.stop).action
                actions.append(str(action))
                position = position.play(action)
        return _TournamentGame(pairing, opening.start, tuple(actions), position)

    def close(self) -> None:
        for engines in self.idle.values():
            for each in engines:
                each.close()


def _entrants(words: Sequence[str], seats: int) -> dict[str, str]:
    """Engines by what they are called here: one that is named more than once gets numbers."""
    if len(words) < seats:
        raise OptionError("engines", f"Name at least {seats} engines, not {len(words)}: level:1 to level:10, mcts, ...")
    times: Counter[str] = Counter()
    found = {}
    for word in words:
        times[word] += 1
        found[word if words.count(word) == 1 else f"{word} ({times[word]})"] = word
    return found


def _form(kind: str, seats: int, rounds: int | None, cycles: int, minutes: float | None, seed: int) -> Form:
    """Return the form; where all play all, no round waits for the one before."""
    from tercet.play.tournaments import Form, TournamentError

    try:
        form = Form(kind, seats, rounds, cycles, None if minutes is None else max(1, round(60 * minutes)), None, seed)
        return Form(**{**form.data(), "hours": 1}) if form.all_play_all else form
    except TournamentError as error:
        raise OptionError(error.where, error.why) from None


def _record(played: _TournamentGame, title: str) -> Record:
    number = f"{played.pairing.round}.{played.pairing.number}"
    headers = {"Event": title, "Date": date_text(time.time()), "Round": number}
    game = played.start.game
    headers |= dict(zip(game.players, played.pairing.people, strict=True))
    if played.end.outcome is not None:
        headers |= {"Result": result_token(played.end.outcome.scores), "Reason": played.end.outcome.reason}
    return Record.from_actions(game, played.start, played.actions, headers)


def _result(played: _TournamentGame, form: Form, now: int) -> Result:
    from tercet.play.tournaments import Result

    outcome = played.end.outcome
    assert outcome is not None
    return Result(outcome.scores, played.end.margins if form.by_margin else None, at=now)


def _contest(tournament: Tournament, hall: _Hall, threads: int, done: Any) -> Tournament:
    """Play it to its end; ``done`` gets each game, with the tournament after it."""
    from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

    began = time.monotonic()
    under_way: dict[Future[_TournamentGame | None], int] = {}
    started: set[int] = set()

    def now() -> int:
        # Where rounds do not wait, the clock runs ahead an hour for each.
        return round(1000 * (time.monotonic() - began)) + (tournament.round * HOUR_MS if tournament.form.hours else 0)

    with ThreadPoolExecutor(threads, "tercet-tournament") as pool:
        try:
            while True:
                found = tournament.advance(now())
                for event in found:
                    tournament = tournament.after(event)
                if tournament.state == "over":
                    return tournament
                for pairing in tournament.pairings:
                    if pairing.result is None and pairing.number not in started:
                        started.add(pairing.number)
                        under_way[pool.submit(hall.play, pairing)] = pairing.number
                if found and tournament.form.hours and tournament.round < tournament.rounds:
                    continue
                ready, _ = wait(under_way, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in ready:
                    number = under_way.pop(future)
                    played = future.result()
                    assert played is not None
                    for event in tournament.report(number, _result(played, tournament.form, now())):
                        tournament = tournament.after(event)
                    done(played, tournament)
        finally:
            hall.stop.set()


def _number(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.2f}".rstrip("0").rstrip(".")


def _table(tournament: Tournament) -> Iterator[str]:
    """Yield the standings, as text in columns, and what the columns mean."""
    from tercet.play.tournaments import TIEBREAKS

    lines = tournament.standings
    ties = list(lines[0].tiebreaks)
    rows = [["", "", "Points", "Games", *(TIEBREAKS[name][0] for name in ties)]]
    for line in lines:
        tiebreaks = (_number(value) for value in line.tiebreaks.values())
        rows.append([str(line.rank), line.person, _number(line.points), str(line.games), *tiebreaks])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        cells[1] = row[1].ljust(widths[1])
        yield "  ".join(cells).rstrip()
    yield ""
    if best := len(tournament.play_off_places()):
        yield f"The first {best} places are those of the play-off."
    for name in ties:
        yield f"{TIEBREAKS[name][0]}: {TIEBREAKS[name][1]}."


def _told(tournament: Tournament, names: dict[str, str]) -> dict[str, Any]:
    standings = []
    for line in tournament.standings:
        known = {"rank": line.rank, "name": line.person, "engine": names[line.person]}
        tiebreaks = {name: round(float(value), 4) for name, value in line.tiebreaks.items()}
        points = round(float(line.points), 4)
        standings.append(known | {"points": points, "games": line.games, "tiebreaks": tiebreaks})
    pairings = []
    for one in tournament.pairings:
        scores = None if one.result is None else list(one.result.scores)
        pairings.append({"round": one.round, "people": list(one.people), "scores": scores})
    games = sum(pairing.was_played for pairing in tournament.pairings)
    about = {"form": tournament.form.kind, "rounds": tournament.rounds, "games": games}
    return about | {"standings": standings, "pairings": pairings}
