"""``tercet tournament``: engines against each other in any form, on all cores."""

from __future__ import annotations

import json as json_module
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tercet.cli.words import first_game, game_of, split
from tercet.core.game import Game, Position
from tercet.engines import Engine, Limits, engine
from tercet.engines.openings import deal
from tercet.errors import OptionError
from tercet.play.tournaments import TIEBREAKS, Form, Pairing, Result, Tournament, TournamentError, check_form
from tercet.record import Record, date_text, result_token

HOUR_MS = 3_600_000
RANDOM_PLIES = 2  # random actions that a game begins with, so that engines do not repeat one


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
    try:
        form = Form(kind, seats, rounds, cycles, None if minutes is None else max(1, round(60 * minutes)), None, seed)
        return Form(**{**form.data(), "hours": 1}) if form.all_play_all else form
    except TournamentError as error:
        raise OptionError(error.where, error.why) from None


def _record(played: _TournamentGame, title: str) -> Record:
    headers = {
        "Event": title,
        "Date": date_text(time.time()),
        "Round": f"{played.pairing.round}.{played.pairing.number}",
    }
    game = played.start.game
    headers |= dict(zip(game.players, played.pairing.people, strict=True))
    if played.end.outcome is not None:
        headers |= {"Result": result_token(played.end.outcome.scores), "Reason": played.end.outcome.reason}
    return Record.from_actions(game, played.start, played.actions, headers)


def _result(played: _TournamentGame, form: Form, now: int) -> Result:
    outcome = played.end.outcome
    assert outcome is not None
    return Result(outcome.scores, played.end.margins if form.by_margin else None, at=now)


def _contest(tournament: Tournament, hall: _Hall, threads: int, done: Any) -> Tournament:
    """Play it to its end; ``done`` gets each game, with the tournament after it."""
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


def _table(tournament: Tournament) -> str:
    """Return the standings, as text in columns, and what the columns mean."""
    lines = tournament.standings
    ties = list(lines[0].tiebreaks)
    rows = [["", "", "Points", "Games", *(TIEBREAKS[name][0] for name in ties)]]
    rows += [
        [
            str(line.rank),
            line.person,
            _number(line.points),
            str(line.games),
            *(_number(value) for value in line.tiebreaks.values()),
        ]
        for line in lines
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    text = [
        "  ".join(
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    about = [f"{TIEBREAKS[name][0]}: {TIEBREAKS[name][1]}." for name in ties]
    best = len(tournament.play_off_places())
    if best:
        about.insert(0, f"The first {best} places are those of the play-off.")
    return "\n".join([*text, "", *about])


def run(
    words: Sequence[str],
    name: str | None,
    form: str,
    rounds: int | None,
    cycles: int,
    minutes: float | None,
    record: Path | None,
    movetime: float | None,
    nodes: int | None,
    threads: int | None,
    seed: int,
    json: bool,
) -> None:
    """Play, show how far it is, add the records to a file, print the standings."""
    positional, options = split(words)
    game = game_of(name or first_game(), options)
    seats = len(game.players)
    names = _entrants(positional, seats)
    tournament = Tournament(_form(form, seats, rounds, cycles, minutes, seed))
    check_form(tournament.form, game.definition)
    for one in names.values():
        engine(one, game).close()  # so that one that does not exist is said before anything is played
    try:
        for one in names:
            for event in tournament.join(one):
                tournament = tournament.after(event)
        for event in tournament.begin(0):
            tournament = tournament.after(event)
    except TournamentError as error:
        raise OptionError(error.where, error.why) from None
    hall = _Hall(game, names, Limits(movetime=movetime, nodes=nodes), seed)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True, highlight=False)
    out = record.open("a", encoding="utf-8") if record else None
    title = f"{form} of {len(names)}"
    try:
        with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task(title, total=None)

            def done(played: _TournamentGame, after: Tournament) -> None:
                if out is not None:
                    out.write(_record(played, title).write() + "\n")
                    out.flush()
                total = None if after.form.kind != "round-robin" else sum(not one.is_bye for one in after.pairings)
                leader = after.standings[0]
                progress.update(
                    task, advance=1, total=total, description=f"{title}: {leader.person} {_number(leader.points)}"
                )

            tournament = _contest(tournament, hall, threads or os.cpu_count() or 1, done)
    finally:
        if out is not None:
            out.close()
        hall.close()
    if json:
        print(json_module.dumps(_told(tournament, names)))
    else:
        print(_table(tournament))


def _told(tournament: Tournament, names: dict[str, str]) -> dict[str, Any]:
    return {
        "form": tournament.form.kind,
        "rounds": tournament.rounds,
        "games": sum(pairing.was_played for pairing in tournament.pairings),
        "standings": [
            {
                "rank": line.rank,
                "name": line.person,
                "engine": names[line.person],
                "points": round(float(line.points), 4),
                "games": line.games,
                "tiebreaks": {name: round(float(value), 4) for name, value in line.tiebreaks.items()},
            }
            for line in tournament.standings
        ],
        "pairings": [
            {
                "round": pairing.round,
                "people": list(pairing.people),
                "scores": None if pairing.result is None else list(pairing.result.scores),
            }
            for pairing in tournament.pairings
        ],
    }
