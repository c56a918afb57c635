"""Matches between two engines, and the Elo difference that their results mean."""

from __future__ import annotations

import itertools
import math
import random
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from tercet.core.figures import wilson
from tercet.core.game import Action, Game, Outcome, Position
from tercet.core.rules import PlainNumbers
from tercet.engines.base import Engine, Limits
from tercet.engines.openings import Opening, deal

NELO = 800 / math.log(10)  # normalized Elo of one standard deviation of a game
Z95 = 1.959964
PRIOR_COUNT = 1e-3  # of a block, where a result that there may be has not been seen
Distribution = list[tuple[float, float]]  # (result, probability)


@dataclass(frozen=True)
class Normalized:
    """A difference in normalized Elo (:data:`NELO` times the mean score of a game above one half, in standard
    deviations of a game) with its 95 % interval; infinite where all blocks went alike."""

    difference: float
    low: float
    high: float


def _moments(distribution: Distribution) -> tuple[float, float]:
    mean = sum(share * value for value, share in distribution)
    return mean, sum(share * (value - mean) ** 2 for value, share in distribution)


def normalized_elo(blocks: Sequence[float], games: int) -> Normalized:
    """Return the normalized Elo difference that these mean scores of blocks of ``games`` games mean (from 0 to 1). Its
    interval is that of a t-value whose deviation is estimated too."""
    if not blocks:
        return Normalized(0.0, -math.inf, math.inf)
    seen: Distribution = [(value, count / len(blocks)) for value, count in Counter(blocks).items()]
    mean, variance = _moments(seen)
    if variance < 1e-12:
        far = 0.0 if abs(mean - 0.5) < 1e-12 else math.copysign(math.inf, mean - 0.5)
        return Normalized(far, -math.inf, math.inf)
    deviation = math.sqrt(variance)
    t = (mean - 0.5) / deviation
    skew = sum(share * (value - mean) ** 3 for value, share in seen) / deviation**3
    peak = sum(share * (value - mean) ** 4 for value, share in seen) / variance**2
    error = math.sqrt(max(0.0, 1 - t * skew + t * t * (peak - 1) / 4) / len(blocks))
    scale = NELO / math.sqrt(games)
    return Normalized(scale * t, scale * (t - Z95 * error), scale * (t + Z95 * error))


def _root(values: Distribution) -> float:
    """Return the x for which the sum of p a / (1 + x a) over ``values`` (a, p) is 0; it falls between the poles."""
    low, high = -1 / max(a for a, _ in values) + 1e-9, -1 / min(a for a, _ in values) - 1e-9
    for _ in range(60):
        middle = (low + high) / 2
        if sum(p * a / (1 + middle * a) for a, p in values) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _tilted(seen: Distribution, t: float) -> list[float]:
    """Probabilities of the results in ``seen`` that rise or fall by a constant factor, with a mean ``t`` standard
    deviations above one half."""
    low, high = -200.0, 200.0
    shares: list[float] = []
    for _ in range(60):
        middle = (low + high) / 2
        weights = [math.exp(middle * (value - (middle > 0))) for value, _ in seen]
        shares = [weight / sum(weights) for weight in weights]
        mean, variance = _moments([(value, share) for (value, _), share in zip(seen, shares, strict=True)])
        if mean - 0.5 < t * math.sqrt(variance):
            low = middle
        else:
            high = middle
    return shares


def _likeliest(seen: Distribution, t: float) -> list[float]:
    """Return the probabilities of the results in ``seen`` that make it likeliest among the distributions whose mean is
    ``t`` standard deviations above one half."""
    shares = _tilted(seen, t)
    for _ in range(50):
        mean, variance = _moments([(value, share) for (value, _), share in zip(seen, shares, strict=True)])
        deviation = math.sqrt(variance)
        half = t * deviation / 2
        moved = [(value - 0.5 - half * (1 + ((mean - value) / deviation) ** 2), share) for value, share in seen]
        x = _root(moved)
        before, shares = shares, [share / (1 + x * a) for a, share in moved]
        if max(abs(new - old) for new, old in zip(shares, before, strict=True)) < 1e-12:
            break
    return shares


@dataclass(frozen=True)
class SequentialTest:
    """Is the difference ``high`` normalized Elo, or is it ``low``? ``alpha`` is the risk of taking it for ``high``
    where it is ``low``, ``beta`` the other one. ``games`` is the size of a block."""

    low: float
    high: float
    games: int = 2
    alpha: float = 0.05
    beta: float = 0.05

    def bounds(self) -> tuple[float, float]:
        """Return where the ratio decides for ``low``, and where for ``high``."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, blocks: Iterable[float]) -> float:
        """Return the logarithm of how much likelier ``high`` is than ``low`` after these mean scores of blocks."""
        counts = dict.fromkeys((0.0, 0.25, 0.5, 0.75, 1.0) if self.games == 2 else (0.0, 0.5, 1.0), PRIOR_COUNT)
        for block, count in Counter(blocks).items():
            counts[block] = float(count)
        total = sum(counts.values())
        if total < 1:
            return 0.0
        seen = [(value, count / total) for value, count in sorted(counts.items())]
        scale = math.sqrt(self.games) / NELO
        worse, better = (_likeliest(seen, scale * elo) for elo in (self.low, self.high))
        each = zip(seen, worse, better, strict=True)
        return total * sum(share * math.log(high / low) for (_, share), low, high in each)

    def decided(self, blocks: Iterable[float]) -> str | None:
        """Return ``"high"``, ``"low"`` or, while more has to be played, None."""
        low, high = self.bounds()
        ratio = self.ratio(blocks)
        return "high" if ratio >= high else "low" if ratio <= low else None


@dataclass(frozen=True)
class MatchGame:
    """A finished game of a match.

    ``seats[player]`` is 0 where the first engine sat, 1 where the second did. ``actions`` are in canonical notation
    from ``start``, the first ``book`` of them dealt as an opening. ``outcome`` is None where the game was cut off
    after ``max_actions``. ``result`` is 1, 0 or -1: whether the first engine's seats did better than the second's.
    ``seconds`` is what each engine took.
    """

    number: int
    seats: tuple[int, ...]
    start: Position
    book: int
    actions: tuple[str, ...]
    outcome: Outcome | None
    result: int
    seconds: tuple[float, float]

    @property
    def points(self) -> float:
        """Return the share of the point that the first engine's seats have won; of a game that was cut off, what they
        are of all seats."""
        if self.outcome is None:
            return self.seats.count(0) / len(self.seats)
        return sum(share for share, seat in zip(self.outcome.scores, self.seats, strict=True) if seat == 0)


@dataclass(frozen=True)
class Elo:
    """A rating difference with its 95 % interval, infinite where only one side ever scored."""

    difference: float
    low: float
    high: float

    def __str__(self) -> str:
        def text(value: float) -> str:
            return f"{value:+.0f}" if math.isfinite(value) else ("+" if value > 0 else "-") + "inf"

        return f"{text(self.difference)} ({text(self.low)} to {text(self.high)})"


def elo(wins: int, draws: int, losses: int) -> Elo:
    """Return the Elo difference of these results, with Wilson's 95 % interval of the score (draws count one half)."""
    games = wins + draws + losses
    if games == 0:
        return Elo(0.0, -math.inf, math.inf)
    share = (wins + draws / 2) / games
    low, high = wilson(share, games)

    def rating(score: float) -> float:
        if score <= 1e-9:
            return -math.inf
        if score >= 1 - 1e-9:
            return math.inf
        return 400 * math.log10(score / (1 - score))

    return Elo(rating(share), rating(low), rating(high))


@dataclass(frozen=True)
class Points:
    """The ``share`` of the points that the first engine got in the ``games`` where it had so many ``seats``, with its
    95 % interval, and the ``par`` that equal engines would get."""

    seats: int
    games: int
    share: float
    low: float
    high: float
    par: float


def points_by_seats(played: Sequence[MatchGame]) -> list[Points]:
    """Return the points of the first engine, by how many seats it had: of three players one against two, then two
    against one."""
    found = []
    for seats in sorted({game.seats.count(0) for game in played}):
        here = [game for game in played if game.seats.count(0) == seats]
        share = sum(game.points for game in here) / len(here)
        found.append(Points(seats, len(here), share, *wilson(share, len(here)), seats / len(here[0].seats)))
    return found


def tally(played: list[MatchGame]) -> tuple[int, int, int]:
    """Return the first engine's wins, draws and losses."""
    results = [game.result for game in played]
    return results.count(1), results.count(0), results.count(-1)


def seatings(players: int) -> list[tuple[int, ...]]:
    """Return a block: every way to seat both engines, each followed by its opposite. For two players both ways; for
    three, each engine once in each seat against two of the other."""
    ways = [way for way in itertools.product((0, 1), repeat=players) if way[0] == 0 and (1 in way or players == 1)]
    return [seats for way in ways for seats in (way, tuple(1 - seat for seat in way))]


def blocks(played: Sequence[MatchGame], players: int) -> list[float]:
    """Return the mean points of the first engine in each whole block."""
    size = len(seatings(players))
    whole = len(played) // size * size
    return [sum(game.points for game in played[at : at + size]) / size for at in range(0, whole, size)]


@dataclass(frozen=True)
class Match(PlainNumbers):
    """The settings of a match: its openings, limits and number of games.

    Games come in blocks from one opening with every seating once: two of a game for two players, six of a game for
    three. Openings are those of ``book``, in an order that ``seed`` shuffles, or, where there is none, ``plies`` random
    actions dealt by ``seed``. Engines' random numbers follow from ``seed`` and the game's number, so that games whose
    limits are nodes can be played again. ``limits`` are each engine's. A game that comes to ``max_actions`` is cut off.
    """

    game: Game
    limits: tuple[Limits, Limits] = (Limits(), Limits())
    plies: int = 2
    seed: int = 0
    book: Sequence[Opening] = ()
    max_actions: int | None = None

    def opening(self, number: int) -> Opening:
        """Return what game ``number`` begins with."""
        block = number // len(seatings(len(self.game.players)))
        if not self.book:
            return deal(self.game, self.plies, 1_000_003 * self.seed + block)
        order = list(range(len(self.book)))
        random.Random(1_000_003 * self.seed + block // len(order)).shuffle(order)
        return self.book[order[block % len(order)]]

    def play(
        self,
        number: int,
        engines: tuple[Engine, Engine],
        stop: threading.Event | None = None,
        on_action: Callable[[Position, Action], None] | None = None,
    ) -> MatchGame | None:
        """Play game ``number``; None where it was stopped."""
        opening, ways = self.opening(number), seatings(len(self.game.players))
        seats = ways[number % len(ways)]
        limits = [replace(limits, multipv=0) for limits in self.limits]
        for side, engine in enumerate(engines):
            engine.new_game(2_000_003 * self.seed + 2 * number + side)
        position, actions, seconds = opening.position, list(opening.actions), [0.0, 0.0]
        while position.mover is not None and (self.max_actions is None or len(actions) < self.max_actions):
            if stop is not None and stop.is_set():
                return None
            seat = seats[position.mover]
            began = time.perf_counter()
            action = engines[seat].think(position, limits[seat], stop=stop).action
            seconds[seat] += time.perf_counter() - began
            if on_action:
                on_action(position, action)
            actions.append(str(action))
            position = position.play(action)
        outcome = position.outcome
        return MatchGame(
            number, seats, opening.start, len(opening.actions), tuple(actions), outcome, result(seats, outcome),
            (seconds[0], seconds[1]),
        )  # fmt: skip

    def run(
        self, make: Callable[[], tuple[Engine, Engine]], games: int, *, first: int = 0, threads: int = 1
    ) -> Generator[MatchGame, None, None]:
        """Play games number ``first`` to ``games - 1``, ``threads`` at once, each with engines of its own that ``make``
        makes; yield them in the order of their numbers, so that what follows from them does not depend on which was
        quicker. Closing the iterator stops the games under way; the engines are closed at the end."""
        stop, idle = threading.Event(), [make() for _ in range(max(1, min(threads, games - first)))]
        made = list(idle)

        def one(number: int) -> MatchGame | None:
            engines = idle.pop()
            try:
                return self.play(number, engines, stop)
            finally:
                idle.append(engines)

        with ThreadPoolExecutor(len(made), "tercet-match") as pool:
            try:
                ahead: deque[Future[MatchGame | None]] = deque()
                for number in range(first, games):
                    ahead.append(pool.submit(one, number))
                    if len(ahead) > 2 * len(made):
                        yield _finished(ahead.popleft())
                while ahead:
                    yield _finished(ahead.popleft())
            finally:
                stop.set()
                for future in ahead:
                    future.cancel()
                pool.shutdown()
                for pair in made:
                    for engine in pair:
                        engine.close()


def _finished(future: Future[MatchGame | None]) -> MatchGame:
    played = future.result()
    assert played is not None, "games are stopped only after the last was asked for"
    return played


def match(
    a: Engine,
    b: Engine,
    game: Game,
    games: int,
    *,
    limits: tuple[Limits, Limits] | Limits | None = None,
    plies: int = 2,
    seed: int = 0,
    book: Sequence[Opening] = (),
    first: int = 0,
    max_actions: int | None = None,
    stop: threading.Event | None = None,
    on_action: Callable[[Position, Action], None] | None = None,
) -> Iterator[MatchGame]:
    """Play games number ``first`` to ``games - 1`` of a :class:`Match`, one after the other, and yield each when it is
    finished. ``limits`` are each engine's, or both's; an engine's own where there are none."""
    if not isinstance(limits, tuple):
        limits = (limits or Limits(), limits or Limits())
    contest = Match(game, limits, plies, seed, book, max_actions)
    for number in range(first, games):
        played = contest.play(number, (a, b), stop, on_action)
        if played is None:
            return
        yield played


def result(seats: Sequence[int], outcome: Outcome | None) -> int:
    """Return 1, 0 or -1: whether the seats of the first engine (0 in ``seats``) did better, on the mean, than the
    second's."""
    if outcome is None:
        return 0
    shares = [0.0, 0.0]
    for player, seat in enumerate(seats):
        shares[seat] += outcome.scores[player] / seats.count(seat)
    difference = shares[0] - shares[1]
    return 0 if abs(difference) < 1e-9 else 1 if difference > 0 else -1
