"""Puzzles: those that come with the games, those of a day and of a run, one to solve, and what comes of a try."""

from __future__ import annotations

import calendar
import datetime
import functools
import hashlib
import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import tercet
from tercet import Position
from tercet.answers.addresses import address
from tercet.answers.errors import AnswerError
from tercet.answers.fields import PuzzleGame
from tercet.answers.lessons import frames
from tercet.answers.wire import learning
from tercet.core.presentation import position_view, table_view
from tercet.core.proofs import FAILED, Claim, Proofs, TooMuch, Tree, longest
from tercet.games import game_definition
from tercet.learning.lessons import PlayedTransition
from tercet.learning.puzzles import read, shipped
from tercet.play.ratings import PROVISIONAL_DEVIATION, Glicko

MAX_DAILY_CELLS = 120  # of a board that a phone shows well
DAYS_KEPT = 400  # for so long a day keeps its puzzle
RUN_LENGTH = 40
MIN_PUZZLES = 7  # of a game; with fewer all of them take part in each choice

Puzzle = Mapping[str, Any]


def today() -> datetime.date:
    """Return the date (UTC)."""
    return datetime.datetime.now(datetime.UTC).date()


def days_of_month(day: datetime.date, today: datetime.date) -> list[datetime.date]:
    """Return the days of the month of ``day`` that have a puzzle: from :data:`DAYS_KEPT` days ago to today."""
    number = calendar.monthrange(day.year, day.month)[1]
    days = (day.replace(day=one) for one in range(1, number + 1))
    return [one for one in days if 0 <= (today - one).days <= DAYS_KEPT]


def puzzles_of_days(puzzles: Iterable[Puzzle], game: str, days: Sequence[datetime.date]) -> list[str]:
    """Return the id of the puzzle of each day, the same for everybody. They are of the easier half, on boards that fit
    a phone, and positions that the game has for it: the easiest on Mondays, harder every day of the week. A puzzle
    comes again once all of its weekday have been there. Empty if the game has no puzzles."""
    listed = _of_all_kinds(puzzles, game)
    small = [puzzle for puzzle in listed if _cells(game, tuple(puzzle["options"].items())) <= MAX_DAILY_CELLS]
    chosen = sorted(small or listed, key=lambda puzzle: (puzzle["rating"], puzzle["id"]))
    easy = chosen[: max(MIN_PUZZLES, len(chosen) // 2)]
    known = game_definition(game).puzzles if easy else None
    if known is not None and known.daily is not None:
        easy = [puzzle for puzzle in easy if known.daily(puzzle["position"], puzzle["mover"])] or easy
    by_weekday = [
        sorted((puzzle["id"] for puzzle in part), key=lambda ident: hashlib.sha256(ident.encode()).digest())
        for part in _slices(easy, MIN_PUZZLES)
    ]
    found = []
    for day in days if easy else ():
        part = by_weekday[day.weekday()]
        found.append(part[day.toordinal() // 7 % len(part)])
    return found


def run(puzzles: Iterable[Puzzle], game: str, chance: random.Random) -> list[str]:
    """Return the ids of :data:`RUN_LENGTH` puzzles of ``game`` (fewer if it has fewer), from easy to hard."""
    listed = sorted(_of_all_kinds(puzzles, game), key=lambda puzzle: (puzzle["rating"], puzzle["id"]))
    return [str(chance.choice(part)["id"]) for part in _slices(listed, min(RUN_LENGTH, len(listed)))]


def _of_all_kinds(puzzles: Iterable[Puzzle], game: str) -> list[Puzzle]:
    """Return the puzzles of ``game`` but those that were made for a motif, which would crowd out the others."""
    return [puzzle for puzzle in puzzles if puzzle["game"] == game and "motif" not in puzzle["source"]]


def _slices(listed: Sequence[Puzzle], count: int) -> list[Sequence[Puzzle]]:
    """Return ``count`` parts of a list, one after another and about as long, none of them empty; neighbours share a
    puzzle where there are too few."""
    if not listed:
        return []
    edges = [number * len(listed) // count for number in range(count + 1)]
    return [listed[low : max(high, low + 1)] for low, high in itertools.pairwise(edges)]


@functools.cache
def _cells(game: str, options: tuple[tuple[str, Any], ...]) -> int:
    return len(tercet.game(game, **dict(options)).board)


MAX_ACTIONS_TRIED = 60_000  # to judge an action that is not in the proof
MAX_REFUTATION_ACTIONS = 8
MAX_SOLUTION_ACTIONS = 40


@dataclass(frozen=True)
class Attempt:
    """The actions played, with the best answers. ``unsure``: the last action could not be judged in time. After a
    wrong one ``refutation`` shows why."""

    state: Literal["going", "right", "wrong", "unsure"]
    played: tuple[PlayedTransition, ...]
    refutation: tuple[PlayedTransition, ...] = ()


@dataclass
class _Walk:
    """Somewhere in the solution: the proof from here on and the attackers' turns that are left."""

    puzzle: Mapping[str, Any]
    position: Position
    claim: Claim
    turns: int
    tree: Tree = None
    begun: bool = False
    played: list[PlayedTransition] = field(default_factory=list)

    @property
    def attacking(self) -> bool:
        return self.puzzle["mover"] in self.claim.attackers

    def judge(self, text: str, *, right: bool) -> Tree:
        """Return the proof that ``text``, the solver's, is right (or wrong); FAILED if it is not. TooMuch."""
        if not self.begun:
            if right:
                return self.puzzle["right"].get(text, FAILED)
            if "wrong" in self.puzzle:
                wrong = self.puzzle["wrong"]
                return next((tree for key, tree in wrong.items() if text in key.split()), wrong.get("*"))
        elif right and isinstance(self.tree, list) and self.tree[0] == text:
            return self.tree[1] if len(self.tree) > 1 else None
        proofs = Proofs(self.claim, MAX_ACTIONS_TRIED)
        action = self.position.action(text)
        return proofs.follow(self.position, action, self.turns, forced=self.attacking == right)

    def play(self, text: str, tree: Tree) -> bool:
        """Play an action that ``tree`` follows; whether the goal is reached by it."""
        if self.position.mover in self.claim.attackers and not self.position.turn_is_open:
            self.turns -= 1
        action = self.position.action(text)
        _, reached = self.claim.play(self.position, action)
        made = PlayedTransition(self.position.mover or 0, self.position, self.position.transition(action))
        self.played.append(made)
        self.position = made.transition.after
        self.tree, self.begun = tree, True
        return reached

    def follow(self) -> bool:
        """Play what the proof says, or the reply that holds out longest; whether the goal is reached by it."""
        if isinstance(self.tree, list):
            return self.play(self.tree[0], self.tree[1] if len(self.tree) > 1 else None)
        return self.play(*longest(self.position, self.tree))

    def is_done(self, reached: bool) -> bool:
        """Return whether the solver has reached the goal, after right actions only."""
        mine = self.position.mover == self.puzzle["mover"] and self.position.turn_is_open
        return reached or self.position.is_over or (not self.attacking and not mine)


def _begin(puzzle: Mapping[str, Any]) -> _Walk:
    position = tercet.parse(puzzle["position"])
    return _Walk(puzzle, position, Claim(tuple(puzzle["attackers"]), puzzle["goal"], puzzle["turns"]), puzzle["turns"])


def solution(puzzle: Mapping[str, Any]) -> tuple[PlayedTransition, ...]:
    """Return the first of the right actions, and what follows it: the longest defence, and its answers."""
    walk = _begin(puzzle)
    reached = walk.play(*next(iter(puzzle["right"].items())))
    while not walk.is_done(reached) and len(walk.played) < MAX_SOLUTION_ACTIONS and not walk.position.is_over:
        reached = walk.follow()
    return tuple(walk.played)


def attempt(puzzle: Mapping[str, Any], moves: Sequence[str], actions: Sequence[str]) -> Attempt:
    """Return the result of the solver's ``actions`` after ``moves``, all moves played before. Raise IllegalAction."""
    walk = _begin(puzzle)
    for text in moves:
        if walk.position.mover == puzzle["mover"]:
            found = _judged(walk, walk.position.action(text))
            if not isinstance(found, tuple):
                return found
            walk.play(*found)
        else:
            named = {} if walk.tree is None else walk.tree
            text = str(walk.position.action(text))
            rest = next((tree for key, tree in named.items() if text in key.split()), named.get("*"))
            walk.play(text, rest)
    before = len(walk.played)
    for text in actions:
        found = _judged(walk, walk.position.action(text))
        if not isinstance(found, tuple):
            return Attempt(found.state, found.played[before:], found.refutation)
        reached = walk.play(*found)
        if walk.is_done(reached):
            return Attempt("right", tuple(walk.played[before:]))
    while walk.position.mover != puzzle["mover"]:
        if walk.play(*longest(walk.position, walk.tree)) or walk.position.is_over:
            return Attempt("right", tuple(walk.played[before:]))
    return Attempt("going", tuple(walk.played[before:]))


def _judged(walk: _Walk, action: tercet.Action) -> tuple[str, Tree] | Attempt:
    """Return the solver's action with the proof that it is right; else what comes of it."""
    text = str(action)
    try:
        tree = walk.judge(text, right=True)
        if tree is not FAILED:
            return text, tree
        refuting = walk.judge(text, right=False)
    except TooMuch:
        known = not walk.begun  # the list of right first actions is complete
        walk.play(text, None)
        return Attempt("wrong" if known else "unsure", tuple(walk.played))
    walk.play(text, refuting)
    played = tuple(walk.played)
    while walk.tree and not walk.position.is_over and len(walk.played) < len(played) + MAX_REFUTATION_ACTIONS:
        walk.follow()
    return Attempt("wrong", played, tuple(walk.played[len(played) :]))


DAY_SECONDS = 86_400.0
REPEAT_DAYS = (3.0, 7.0, 21.0)  # until a failed puzzle comes back, after the first failure, the second ...
NEW_DEVIATION = 200.0  # of a new puzzle, and of a person who begins
MAX_LOSS = 40.0  # points that one try may cost: about as many as of a settled rating
NEAR_PUZZLES = 15  # of about the right difficulty, of which chance takes one
MAX_HISTORY_LINES = 200


@functools.cache
def all_puzzles() -> dict[str, dict[str, Any]]:
    """Return the puzzles that come with the games, by id."""
    return {puzzle["id"]: puzzle for name in tercet.games() for path in shipped(name) for puzzle in read(path)}


def known_puzzle(ident: str) -> dict[str, Any]:
    """Return the puzzle of that id. Raise AnswerError if there is none."""
    found = all_puzzles().get(ident)
    if found is None:
        raise AnswerError("not-found", "puzzle", "This puzzle does not exist.")
    return found


def _games() -> list[str]:
    there = {puzzle["game"] for puzzle in all_puzzles().values()}
    return [name for name in tercet.games() if name in there]


def daily_puzzle(game: str, day: datetime.date, today: datetime.date) -> str:
    """Return the id of the puzzle of that day, of one game or (empty) of all by turns. Raise AnswerError if the game
    has no puzzles, or the day, as of ``today``, has none."""
    if day not in days_of_month(day, today):
        raise AnswerError("not-found", "day", "This day has no puzzle.")
    games = _games()
    wanted = game or (games[day.toordinal() % len(games)] if games else "")
    found = puzzles_of_days(all_puzzles().values(), wanted, [day])
    if not found:
        raise AnswerError("not-found", "game", "This game has no puzzles.")
    return found[0]


def puzzle_days(month: datetime.date, today: datetime.date) -> dict[str, dict[datetime.date, str]]:
    """Return the daily puzzles of the month of a day as of ``today``: by game, the id of each day's puzzle."""
    days = days_of_month(month, today)
    puzzles = all_puzzles().values()
    return {game: dict(zip(days, puzzles_of_days(puzzles, game, days), strict=True)) for game in _games()}


def month_data(
    chosen: Mapping[str, Mapping[datetime.date, str]], tried: Mapping[str, bool], today: datetime.date
) -> dict[str, Any]:
    """Return the daily puzzles ``chosen`` for a month; ``tried`` says by id which were right at the first try."""
    games = []
    for name, found in chosen.items():
        days = [{"day": day.isoformat(), "right": tried.get(ident)} for day, ident in found.items()]
        games.append({"game": name, "title": game_definition(name).title, "days": days})
    return {"today": today.isoformat(), "games": games}


@address("GET /api/puzzles/run", learning.PuzzleRun)
def puzzle_run(game: PuzzleGame) -> dict[str, Any]:
    """Return ids of puzzles of a game, from easy to hard, other ones each time. Raise AnswerError if it has none."""
    found = run(all_puzzles().values(), game, random.Random())
    if not found:
        raise AnswerError("not-found", "game", "This game has no puzzles.")
    return {"puzzles": found}


def puzzle_data(
    ident: str,
    *,
    rating: float,
    tries: int,
    settled: bool,
    again: bool = False,
    day: datetime.date | None = None,
    motif: str | None = None,
) -> dict[str, Any]:
    """Return a puzzle to solve, with its ``rating`` after so many ``tries``; ``again``: its solver failed it before and
    it is due; ``settled``: they have tried it before; ``day``: whose puzzle it was asked for as; ``motif``: the one
    that the trainer gives it for."""
    found = known_puzzle(ident)
    position = tercet.parse(found["position"])
    puzzles = position.game.definition.puzzles
    return {
        "id": ident,
        "game": found["game"],
        "task": found["task"],
        "player": found["mover"],
        "turns": found["turns"],
        "rating": round(rating),
        "tries": tries,
        "again": again,
        "settled": settled,
        "day": None if day is None else day.isoformat(),
        "motif": motif,
        "options": [] if puzzles is None else list(puzzles.named_options),
        "table": table_view(position.game),
        "view": position_view(position),
    }


def puzzle_tried(ident: str, moves: Sequence[str], actions: Sequence[str]) -> dict[str, Any]:
    """Return what comes of the solver's ``actions`` after ``moves``. Of a decided puzzle (``state`` right or wrong) the
    tags are shown too; the solver's standing and its change are for the caller to fill in."""
    puzzle = known_puzzle(ident)
    return _answered(puzzle, attempt(puzzle, moves, actions))


def puzzle_solution(ident: str) -> dict[str, Any]:
    """Return a way to solve the puzzle, as the frames of a try that is wrong: the solver has given up."""
    puzzle = known_puzzle(ident)
    return _answered(puzzle, Attempt("wrong", solution(puzzle)))


def _answered(puzzle: dict[str, Any], done: Attempt) -> dict[str, Any]:
    tags = puzzle["tags"] if done.state in ("right", "wrong") else []
    return {
        "game": puzzle["game"],
        "state": done.state,
        "frames": frames(done.played, done.state == "going"),
        "refutation": frames(done.refutation),
        "tags": tags,
        "titles": tags,
        "change": None,
        "standing": None,
        "motif": None,
    }


def new_rating(puzzle: Mapping[str, Any]) -> Glicko:
    """Return the rating of a puzzle that has not been tried."""
    return Glicko(float(puzzle["rating"]), NEW_DEVIATION)


def beginner_rating(game: str) -> Glicko:
    """Return the rating of a person who has not tried any puzzle of ``game``. The next puzzle is as hard as a rating
    less its deviation, so the first ones are the easiest, and each success leads to clearly harder ones."""
    easiest = min((puzzle["rating"] for puzzle in all_puzzles().values() if puzzle["game"] == game), default=1500)
    return Glicko(float(easiest) + NEW_DEVIATION, NEW_DEVIATION)


def after_try(before: Glicko, after: Glicko) -> Glicko:
    """Return the solver's rating ``after`` a try, which costs :data:`MAX_LOSS` points of the one ``before`` at most:
    a person who begins is not known well, and one wrong turn would take 117."""
    return replace(after, rating=max(after.rating, before.rating - MAX_LOSS))


def due_again(right: bool, failures: int, now: float) -> float | None:
    """Return when (seconds) a puzzle comes again after so many failures; None if it was solved now."""
    return None if right else now + DAY_SECONDS * REPEAT_DAYS[min(failures, len(REPEAT_DAYS)) - 1]


def tried_again(failures: int, due: float | None, right: bool, now: float) -> tuple[int, float | None] | None:
    """Return the failures at a puzzle, and when it comes again, after another try. None means that the try does not
    count: it failed before the puzzle came again, or the answer to the try before got lost."""
    if not right and due is not None and now < due:
        return None
    failures += not right
    return failures, due_again(right, failures, now)


def standing_data(rating: Glicko, tried: int, right: Iterable[bool]) -> dict[str, Any]:
    """Return how strong a person is in the puzzles of a game. ``right`` says of those that they tried, the latest
    first, whether the first try was right."""
    known = {"rating": round(rating.rating), "deviation": round(rating.deviation)}
    known["provisional"] = rating.deviation > PROVISIONAL_DEVIATION
    return {**known, "tried": tried, "streak": sum(1 for _ in itertools.takewhile(bool, right))}


def tried_data(ident: str, game: str, tried: Mapping[str, Any]) -> dict[str, Any]:
    """Return a puzzle that a person has tried, as ``tried`` is stored: ``right``, ``at``, ``rating``, ``due``."""
    due = None if tried["due"] is None else round(1000 * tried["due"])
    known = {"id": ident, "game": game, "right": tried["right"], "at": round(1000 * tried["at"])}
    return {**known, "rating": round(tried["rating"]), "due": due}


def themes_data(game: str, count: int, low: float, high: float, tags: Iterable[tuple[str, int]]) -> dict[str, Any]:
    """Return the puzzles of a game: how many, from which rating to which, and how many have which tag."""
    themes = [{"tag": tag, "title": tag, "count": number} for tag, number in tags]
    known = {"game": game, "title": game_definition(game).title, "count": count}
    return {**known, "low": int(low), "high": round(high + 0.5), "themes": themes}
