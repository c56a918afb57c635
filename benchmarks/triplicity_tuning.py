"""Is Triplicity's full strength better with other numbers, and which are best?

    python -m benchmarks.triplicity_tuning match tuned.json shipped --nodes 2000 --blocks 667 --out match.jsonl
    python -m benchmarks.triplicity_tuning match shipped shipped --nodes 2000 --blocks 667 --out null.jsonl
    python -m benchmarks.triplicity_tuning tune tuned.json --nodes 800 --iterations 3000
    python -m benchmarks.triplicity_tuning choices shipped tuned.json --nodes 2000 20000 --positions 1600
    python -m benchmarks.triplicity_tuning endings --games 1000

``match`` lets two sets of numbers play whole blocks. From each opening of the book beside this file, one of the first
plays in each seat against two of the second, then two against one. Par is a third and two thirds of the points. The
intervals are those of the blocks, since the six games of a block share an opening. A set is a file of ``tune``, or
``shipped``: the numbers in ``planner``. ``unplaced`` is the same without what pieces are worth by their cells (see
``triplicity_places``).

``tune`` looks for better numbers by simultaneous perturbation (Spall, 1992). In each block every number is moved one
step up or down, as lots decide, and plays against every number moved the other way; then all follow the result a
little.

``choices`` asks what a set of numbers chooses with so many nodes in positions of games, and how much of the point a
search of :data:`DEEP` more actions, with the numbers shipped, expects after each choice. It needs no games. It shows
whether a search comes nearer to a deeper one, not whether an evaluation is truer.

``endings`` counts at how many actions of weak searches no player can buy anything, and how many pieces are left.

The first and the second command go on where they were after any interruption. A finished block is kept, and so are a
hundred iterations.

Games end where one of two players left has expected to be ahead by :data:`CLEAR` points for six actions.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import statistics
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import tercet
from tercet.core.game import Game, Position
from tercet.engines.openings import Opening, deal, read_book
from tercet.games.triplicity.engine.kernels import evaluation
from tercet.games.triplicity.engine.planner import LEVELS, WEIGHTS, SearchPlanner, index_of, weights
from tercet.games.triplicity.kernels import layout

BOOK = Path(__file__).with_name("triplicity_openings.txt")
CLEAR, FOR = 3000, 6
MOST_ACTIONS = 1500
DEEP = 4
SEATINGS = tuple(tuple((seat == one) == alone for seat in range(3)) for alone in (True, False) for one in range(3))
PAR = (1 / 3,) * 3 + (2 / 3,) * 3

# What is tuned, and by how much it is moved up and down. ``value.2`` is the second entry of a list.
STEPS: dict[str, float] = {
    "value.1": 40, "value.2": 40, "value.3": 55, "value.4": 100, "value.5": 100, "mobility.1": 2, "mobility.2": 1.5,
    "mobility.3": 1.5, "mobility.4": 1.2, "mobility.5": 2, "token.1": 15, "token.2": 12, "scale": 70, "zone": 3,
    "exposed": 1.5, "doomed": 8, "checked": 30, "loose_soon": 7, "loose_later": 6, "hit": 4, "margin": 45, "late": 8,
    "wide": 12,
}  # fmt: skip
SETTINGS = {"margin": 0, "late": 4, "wide": 6}  # those of the search, and the least that makes sense
RATE = 0.04  # of a step for a whole point more than the others, at first

Numbers = Mapping[str, float]


def shipped() -> dict[str, float]:
    """The numbers that the engine has."""
    found: dict[str, float] = {}
    for name in STEPS:
        kind, _, place = name.partition(".")
        value = getattr(LEVELS[10], kind) if kind in SETTINGS else WEIGHTS[kind]
        found[name] = value[int(place)] if place else value
    return found


def numbers_of(source: str) -> dict[str, float]:
    """The numbers in a file of ``tune``, or those shipped; without what pieces are worth by their cells, or with it."""
    if source in ("shipped", "unplaced"):
        return shipped() | {"placed": float(source == "shipped")}
    found: dict[str, float] = json.loads(Path(source).read_text())["numbers"]
    return shipped() | found


def put(thinker: SearchPlanner, numbers: Numbers, chance: random.Random) -> None:
    """Let ``thinker`` use ``numbers``, each rounded down or up at random, so that its mean stays what it is."""
    whole = {name: int(value + chance.random()) for name, value in numbers.items()}
    placed = bool(whole.pop("placed", 1))
    thinker.search.weights[evaluation.PLACED : evaluation.WEIGHTS] = weights(game(), placed)[evaluation.PLACED :]
    for name, value in whole.items():
        kind, _, place = name.partition(".")
        if kind not in SETTINGS:
            thinker.search.weights[index_of(kind) + int(place or 0)] = value
    chosen: dict[str, Any] = {name: max(least, whole[name]) for name, least in SETTINGS.items()}
    thinker.strength = replace(thinker.strength, **chosen)


@cache
def game() -> Game:
    return tercet.game("triplicity")


@cache
def thinkers() -> tuple[SearchPlanner, ...]:
    """Return two searchers for each set of numbers, made once in each process."""
    made = tuple(SearchPlanner(game(), replace(LEVELS[10], table=16, endings=False), 0) for _ in range(4))
    for one in made:
        one.lines = 0
    return made


def choose(thinker: SearchPlanner, position: Position, nodes: int | None, seconds: float | None) -> int:
    return thinker.plan(position, seconds, nodes, None, lambda: False, lambda *_: None)[0].actions[0]


class Lead:
    """Who of two players left has long been ahead."""

    def __init__(self) -> None:
        self.player, self.actions = -1, 0

    def winner(self, position: Position, mover: int, value: int) -> int | None:
        """Return who is now sure to win. ``mover``, who has just moved, expected ``value``."""
        left = [player for player in range(3) if position.row[layout.STATE + player] == layout.ACTIVE]
        ahead = sum(left) - mover if value < 0 else mover
        more = len(left) == 2 and abs(value) > CLEAR and ahead == self.player
        self.player, self.actions = ahead, self.actions + 1 if more else 0
        return ahead if self.actions == FOR else None


def points(opening: Opening, seats: Sequence[bool], nodes: int | None, seconds: float | None, seed: int) -> float:
    """Play a game in which the first set of numbers has the ``seats`` that are true. Return its points."""
    first, second = iter(thinkers()[:2]), iter(thinkers()[2:])
    players = [next(first) if seat else next(second) for seat in seats]
    for number, player in enumerate(players):
        player.reset()
        player._chance = random.Random(3 * seed + number)
    position, lead = opening.position, Lead()
    for _ in range(MOST_ACTIONS):
        mover = position.mover
        if mover is None:
            break
        position = position.play(choose(players[mover], position, nodes, seconds))
        winner = lead.winner(position, mover, players[mover].value)
        if winner is not None:
            return float(seats[winner])
    scores = position.scores or (1 / 3,) * 3
    return sum(score for score, seat in zip(scores, seats, strict=True) if seat)


def play_block(task: tuple[int, Opening, Numbers, Numbers, int | None, float | None]) -> tuple[int, list[float]]:
    """Play the six games of a block; return its number and the points of the first numbers in each."""
    number, opening, one, other, nodes, seconds = task
    for index, thinker in enumerate(thinkers()):
        put(thinker, one if index < 2 else other, random.Random(number))
    return number, [points(opening, seats, nodes, seconds, 6 * number + i) for i, seats in enumerate(SEATINGS)]


def summary(blocks: Sequence[Sequence[float]]) -> str:
    """The shares of the points with their 95 % intervals, and the mean of both against par."""
    parts = [[statistics.fmean(block[:3]) for block in blocks], [statistics.fmean(block[3:]) for block in blocks]]
    gains = [statistics.fmean(block) - 0.5 for block in blocks]
    named = zip(("one", "two", "gain"), (*parts, gains), strict=True)
    texts = (
        f"{n} {100 * statistics.fmean(x):.1f} +-{196 * statistics.stdev(x) / len(x) ** 0.5:.1f} %" for n, x in named
    )
    return f"{6 * len(blocks)} games: " + ", ".join(texts)


def run_match(given: argparse.Namespace, pool: Any) -> None:
    lines = given.out.read_text().splitlines() if given.out.exists() else []
    done: dict[int, list[float]] = dict(map(json.loads, lines))
    one, other, book = numbers_of(given.first), numbers_of(given.second), read_book(BOOK, game())
    tasks = [
        (number, book[number % len(book)], one, other, given.nodes, given.movetime)
        for number in range(given.blocks)
        if number not in done
    ]
    for number, block in pool.imap_unordered(play_block, tasks):
        done[number] = block
        with given.out.open("a") as file:
            file.write(json.dumps([number, block]) + "\n")
        if len(done) % 20 == 0:
            print(summary(list(done.values())), flush=True)
    print(summary(list(done.values())))


def middle(number: int) -> Position:
    """A position from a game of weak searches that began with some random actions."""
    chance = random.Random(number)
    position, player = deal(game(), chance.randint(3, 8), number).position, thinkers()[3]
    put(player, shipped(), chance)
    player.reset()
    for _ in range(chance.randint(0, 160)):
        after = position.play(choose(player, position, 400, None))
        if after.is_over:
            break
        position = after
    return position


def expected(position: Position, player: int) -> float:
    """What share of the point a search of DEEP actions expects for ``player``."""
    if position.scores:
        return position.scores[player]
    search, settings = thinkers()[3].search, replace(LEVELS[10], noise=0)
    search.reset()
    search.prepare(player, settings, 0)
    for depth in range(1, DEEP + 1):
        search.begin(position, depth, me=player)
        search.run(position, 1 << 40)
    return search.shares(position, player, search.best)[player]


def judge(task: tuple[int, Sequence[tuple[Numbers, int]]]) -> list[float]:
    """What is expected after each choice in one position."""
    number, ways = task
    position, worth, found = middle(number), dict[int, float](), []
    for numbers, nodes in ways:
        player = thinkers()[0]
        put(player, numbers, random.Random(number))
        player.reset()
        choice = choose(player, position, nodes, None)
        if choice not in worth:
            worth[choice] = expected(position.play(choice), position.mover or 0)
        found.append(worth[choice])
    return found


def run_choices(given: argparse.Namespace, pool: Any) -> None:
    ways = [(source, nodes) for source in given.sets for nodes in given.nodes]
    task = [(numbers_of(source), nodes) for source, nodes in ways]
    found = list(pool.imap(judge, ((number, task) for number in range(given.positions))))
    for way, (source, nodes) in enumerate(ways):
        more = [100 * (shares[way] - shares[0]) for shares in found]
        spread = 1.96 * statistics.stdev(more) / len(more) ** 0.5
        share = 100 * statistics.fmean(shares[way] for shares in found)
        print(f"{source}, {nodes} nodes: {share:.2f} %, {statistics.fmean(more):+.2f} +-{spread:.2f} beside the first")


def without_coins(number: int) -> Counter[tuple[int, int]]:
    """Of one game the actions at which nothing can be bought, by players and pieces left; all actions under (0, 0)."""
    chance, found = random.Random(number), Counter[tuple[int, int]]()
    position, players = deal(game(), chance.randint(3, 8), number).position, thinkers()[:3]
    for player in players:
        put(player, shipped(), chance)
        player.reset()
    for _ in range(MOST_ACTIONS):
        if position.mover is None:
            break
        row = position.row
        left = [player for player in range(3) if row[layout.STATE + player] == layout.ACTIVE]
        found[0, 0] += 1
        if all(row[layout.TOKENS + player] < len(left) for player in left):
            found[len(left), sum(map(bool, row[layout.CELLS : layout.CELLS + layout.SIZE]))] += 1
        position = position.play(choose(players[position.mover], position, 400, None))
    return found


def run_endings(given: argparse.Namespace, pool: Any) -> None:
    found = sum(pool.imap_unordered(without_coins, range(given.games)), Counter[tuple[int, int]]())
    actions = found.pop((0, 0))
    print(f"{actions} actions; of these, where nothing can be bought:")
    for left in (3, 2):
        for most in (3, 4, 5, layout.SIZE):
            number = sum(times for (players, pieces), times in found.items() if players == left and pieces <= most)
            print(f"{left} players, at most {most} pieces: {100 * number / actions:.2f} %")


def run_tune(given: argparse.Namespace, pool: Any) -> None:
    numbers, done, began = shipped(), 0, time.monotonic()
    if given.file.exists():
        kept = json.loads(given.file.read_text())
        numbers, done = numbers | kept["numbers"], kept["done"]
    waiting: deque[tuple[dict[str, int], Any]] = deque()

    def moved(signs: Mapping[str, int], by: int) -> Numbers:
        return {name: max(0.0, value + by * signs[name] * STEPS[name]) for name, value in numbers.items()}

    for iteration in range(done, given.iterations):
        chance = random.Random(iteration)
        signs = {name: chance.choice((-1, 1)) for name in STEPS}
        opening = deal(game(), chance.randint(3, 8), iteration)
        task = (iteration, opening, moved(signs, 1), moved(signs, -1), given.nodes, None)
        waiting.append((signs, pool.apply_async(play_block, (task,))))
        if len(waiting) < 2 * given.workers and iteration < given.iterations - 1:
            continue
        while waiting and (len(waiting) >= 2 * given.workers or iteration == given.iterations - 1):
            signs, found = waiting.popleft()
            gain = 2 * (statistics.fmean(found.get()[1]) - 0.5)
            rate = RATE * (1 - 0.6 * done / given.iterations)
            numbers = {name: value + rate * gain * signs[name] * STEPS[name] for name, value in numbers.items()}
            done += 1
        if done % 100 == 0 or done == given.iterations:
            beside = given.file.with_suffix(".part")
            beside.write_text(json.dumps({"done": done, "numbers": numbers}))
            beside.replace(given.file)
            print(done, f"{time.monotonic() - began:.0f} s", *(f"{n}={x:.1f}" for n, x in numbers.items()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    doing = parser.add_subparsers(required=True)
    match = doing.add_parser("match", help="Play two sets of numbers against each other.")
    match.add_argument("first", help="a file of tune, or shipped")
    match.add_argument("second")
    match.add_argument("--nodes", type=int, help="of each search")
    match.add_argument("--movetime", type=float, help="seconds of each search, where there are no nodes")
    match.add_argument("--blocks", type=int, default=100)
    match.add_argument("--out", type=Path, required=True, help="the file of finished blocks")
    match.set_defaults(run=run_match)
    choices = doing.add_parser("choices", help="Judge choices by a deeper search.")
    choices.add_argument("sets", nargs="+", help="files of tune, or shipped")
    choices.add_argument("--nodes", type=int, nargs="+", default=[2000])
    choices.add_argument("--positions", type=int, default=400)
    choices.set_defaults(run=run_choices)
    endings = doing.add_parser("endings", help="Count the actions at which nothing can be bought.")
    endings.add_argument("--games", type=int, default=1000)
    endings.set_defaults(run=run_endings)
    tune = doing.add_parser("tune", help="Look for better numbers.")
    tune.add_argument("file", type=Path)
    tune.add_argument("--nodes", type=int, default=800)
    tune.add_argument("--iterations", type=int, default=3000)
    tune.set_defaults(run=run_tune)
    for one in (match, choices, endings, tune):
        one.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    given = parser.parse_args()
    thinkers()  # compiled once, before there are processes
    with multiprocessing.get_context("spawn").Pool(given.workers) as pool:
        given.run(given, pool)


if __name__ == "__main__":
    main()
