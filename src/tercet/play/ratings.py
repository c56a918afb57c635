"""How strong players are: Glicko-2 for two, Plackett-Luce with an effect of the seats for three. Pure functions.

Games are rated one at a time, together with those of the same game for the same number of players (a *pool*). In
Glicko-2 (Glickman, "Example of the Glicko-2 system", 2012) a rating period is a fraction of time, not a number of
games: a deviation grows with the days without play, and shrinks with each game.

Plackett-Luce is of the family of Weng and Lin ("A Bayesian approximation method for online ranking", 2011). The chance
to come first is proportional to ``exp((strength + seat's effect) / scale)``; the second is drawn likewise among those
left. Nothing is learnt about the order of those who did not win; winners who share the game are as if each of their
orders had happened a little. Weng and Lin's single step gives intervals that are too narrow, so the posterior's mode is
searched (Laplace's approximation). The change is shared between a player's strength and the effect of the seat, each by
how little it is known.

Against throw-away accounts the change is damped twice: by how well each opponent is known, and by how often the two
have met recently. The deviation shrinks faster than the rating moves, so that honest newcomers are settled nearly as
soon: ``tests/play/test_damping.py`` simulates both.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any

from tercet.core.game import Game
from tercet.core.rules import Option
from tercet.errors import OptionError
from tercet.games import game_definition

SCALE = 173.7178  # of Glickman's inner numbers: 400 / ln 10
CENTRE = 1500.0
TAU = 0.5  # how much a volatility may change; Glickman: 0.3 to 1.2
MAX_DEVIATION = 350.0  # that of a new player; it never grows beyond
PERIODS_A_DAY = 0.2144  # a deviation of 60 becomes 110 in a year of not playing
PROVISIONAL_DEVIATION = 110.0  # above it a rating is provisional
TOLERANCE = 1e-9  # of the volatility


def interval(mean: float, deviation: float) -> tuple[float, float]:
    """Return the interval in which a value with this mean and standard deviation lies with a probability of 95 %."""
    return mean - 1.96 * deviation, mean + 1.96 * deviation


@dataclass(frozen=True)
class Glicko:
    """A player's strength: a ``rating`` (400 more: ten times as likely to win as to lose), its standard
    ``deviation`` and the ``volatility``, by which the deviation grows in a period without games."""

    rating: float = CENTRE
    deviation: float = MAX_DEVIATION
    volatility: float = 0.06

    def data(self) -> dict[str, float]:
        """Return JSON-able data, which :meth:`read` reads."""
        return {"rating": self.rating, "deviation": self.deviation, "volatility": self.volatility}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Glicko:
        """Return the rating that :meth:`data` wrote."""
        return cls(float(data["rating"]), float(data["deviation"]), float(data["volatility"]))

    def idle(self, periods: float) -> Glicko:
        """After so many rating periods without a game (Glickman's step 6)."""
        grown = math.hypot(self.deviation, SCALE * self.volatility * math.sqrt(max(0.0, periods)))
        return replace(self, deviation=min(MAX_DEVIATION, grown))

    def after(self, games: Iterable[tuple[Glicko, float]], periods: float = 1.0) -> Glicko:
        """After ``games`` (against whom, with the score 1, 0.5 or 0) of one rating period, or a part of one: Glickman's
        steps 2 to 8."""
        mu, phi = (self.rating - CENTRE) / SCALE, self.deviation / SCALE
        information = gain = 0.0
        for other, score in games:
            weight = 1 / math.sqrt(1 + 3 * (other.deviation / SCALE / math.pi) ** 2)
            expected = 1 / (1 + math.exp(-weight * (mu - (other.rating - CENTRE) / SCALE)))
            information += weight**2 * expected * (1 - expected)
            gain += weight * (score - expected)
        if information == 0:
            return self.idle(periods)
        volatility = _volatility(self.volatility, phi, 1 / information, gain / information)
        before = min(MAX_DEVIATION / SCALE, math.hypot(phi, volatility * math.sqrt(periods)))
        phi = 1 / math.sqrt(1 / before**2 + information)
        return Glicko(CENTRE + SCALE * (mu + phi**2 * gain), SCALE * phi, volatility)


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    """Glickman's step 5, by the Illinois algorithm; ``v`` and ``delta`` are as there."""
    a = math.log(sigma**2)

    def f(x: float) -> float:
        spread = phi**2 + v + math.exp(x)
        return math.exp(x) * (delta**2 - spread) / (2 * spread**2) - (x - a) / TAU**2

    left = a
    if delta**2 > phi**2 + v:
        right = math.log(delta**2 - phi**2 - v)
    else:
        step = 1
        while f(a - step * TAU) < 0:
            step += 1
        right = a - step * TAU
    at_left, at_right = f(left), f(right)
    while abs(right - left) > TOLERANCE:
        middle = left + (left - right) * at_left / (at_right - at_left)
        at_middle = f(middle)
        if at_middle * at_right <= 0:
            left, at_left = right, at_right
        else:
            at_left /= 2
        right, at_right = middle, at_middle
    return math.exp(left / 2)


def rate_two(first: Glicko, second: Glicko, score: float, days: tuple[float, float]) -> tuple[Glicko, Glicko]:
    """Both after a game in which ``first`` scored 1, 0.5 or 0, so many ``days`` after each one's last game."""
    periods = tuple(PERIODS_A_DAY * max(0.0, one) for one in days)
    now = (first.idle(periods[0]), second.idle(periods[1]))
    return first.after([(now[1], score)], periods[0]), second.after([(now[0], 1 - score)], periods[1])


DRIFT = 4.83  # standard deviation by which strength changes in a day, as much as in Glicko-2
SEAT_DEVIATION = 60.0  # by which the effects of seats are expected to differ, before any game
STEPS = 20  # of Newton's method; 4 to 6 are enough
STRENGTH_TOLERANCE = 1e-6  # points of rating


@dataclass(frozen=True)
class PlayerStrength:
    """A player's strength: ``mu`` and its standard deviation ``sigma``."""

    mu: float = CENTRE
    sigma: float = MAX_DEVIATION

    @property
    def rating(self) -> float:
        """Return the number that is shown."""
        return self.mu

    @property
    def deviation(self) -> float:
        """Return ``sigma``."""
        return self.sigma

    def data(self) -> dict[str, float]:
        """Return JSON-able data, which :meth:`read` reads."""
        return {"mu": self.mu, "sigma": self.sigma}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> PlayerStrength:
        """Return the rating that :meth:`data` wrote."""
        return cls(float(data["mu"]), float(data["sigma"]))

    def idle(self, days: float) -> PlayerStrength:
        """After so many days without a game."""
        return PlayerStrength(self.mu, min(MAX_DEVIATION, math.hypot(self.sigma, DRIFT * math.sqrt(max(0.0, days)))))


@dataclass(frozen=True)
class Effect:
    """The advantage of a seat over the others: ``mean``, in points of rating, and its standard deviation ``sigma``."""

    mean: float = 0.0
    sigma: float = SEAT_DEVIATION


def chances(strengths: Sequence[float]) -> list[float]:
    """Return the probability of each to come first, from the players' ``strengths`` in points of rating."""
    most = max(strengths)
    weights = [math.exp((strength - most) / SCALE) for strength in strengths]
    return [weight / sum(weights) for weight in weights]


def rate_many(
    players: Sequence[PlayerStrength], effects: Sequence[Effect], scores: Sequence[float], days: Sequence[float]
) -> tuple[list[PlayerStrength], list[Effect]]:
    """Players and effects, both by seat, after a game in which the seats had these ``scores`` (more is better, the same
    is a tie), so many ``days`` after each player's last game."""
    now = [player.idle(idle) for player, idle in zip(players, days, strict=True)]
    start = [player.mu + effect.mean for player, effect in zip(now, effects, strict=True)]
    spread = [player.sigma**2 + effect.sigma**2 for player, effect in zip(now, effects, strict=True)]
    draws = list(_draws(scores))
    found = start
    for _ in range(STEPS):
        slope, curve = _derivatives(found, draws)
        step = _solved(
            [[curve[i][j] + (i == j) / spread[i] for j in range(len(found))] for i in range(len(found))],
            [slope[i] - (found[i] - start[i]) / spread[i] for i in range(len(found))],
        )
        found = [value + change for value, change in zip(found, step, strict=True)]
        if max(abs(change) for change in step) < STRENGTH_TOLERANCE:
            break
    _, curve = _derivatives(found, draws)
    precision = [[curve[i][j] + (i == j) / spread[i] for j in range(len(found))] for i in range(len(found))]
    rated, learnt = [], []
    for seat, (player, effect) in enumerate(zip(now, effects, strict=True)):
        left = _solved(precision, [float(seat == other) for other in range(len(found))])[seat]
        moved, narrowed = (found[seat] - start[seat]) / spread[seat], (spread[seat] - left) / spread[seat] ** 2
        rated.append(
            PlayerStrength(player.mu + player.sigma**2 * moved, math.sqrt(player.sigma**2 - player.sigma**4 * narrowed))
        )
        learnt.append(
            Effect(effect.mean + effect.sigma**2 * moved, math.sqrt(effect.sigma**2 - effect.sigma**4 * narrowed))
        )
    middle = sum(effect.mean for effect in learnt) / len(learnt)  # only differences mean anything
    return rated, [Effect(effect.mean - middle, effect.sigma) for effect in learnt]


def _draws(scores: Sequence[float]) -> Iterator[tuple[float, int, tuple[int, ...]]]:
    """Yield the result of a game as Plackett-Luce draws: (weight, the seat drawn, the seats it was drawn from)."""
    ranks = [[seat for seat, its in enumerate(scores) if its == score] for score in sorted(set(scores), reverse=True)]
    ordered = [list(permutations(rank)) for rank in (ranks[:-1] or ranks)]
    last = tuple(ranks[-1]) if len(ranks) > 1 else ()
    for order in product(*ordered):
        line = [seat for rank in order for seat in rank]
        for index, seat in enumerate(line):
            yield 1 / math.prod(map(len, ordered)), seat, (*line[index:], *last)


def _derivatives(
    values: Sequence[float], draws: Sequence[tuple[float, int, tuple[int, ...]]]
) -> tuple[list[float], list[list[float]]]:
    """Return the slope of the logarithm of the likelihood at these ``values``, and its curve (minus the Hessian)."""
    slope = [0.0] * len(values)
    curve = [[0.0] * len(values) for _ in values]
    for weight, drawn, among in draws:
        share = dict(zip(among, chances([values[seat] for seat in among]), strict=True))
        slope[drawn] += weight / SCALE
        for seat in among:
            slope[seat] -= weight * share[seat] / SCALE
            for other in among:
                curve[seat][other] += weight * share[seat] * ((seat == other) - share[other]) / SCALE**2
    return slope, curve


def _solved(matrix: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    """Return the solution of a small positive definite system, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, values, strict=True)]
    for pivot, row in enumerate(rows):
        for other in rows[pivot + 1 :]:
            factor = other[pivot] / row[pivot]
            for column in range(pivot, len(row)):
                other[column] -= factor * row[column]
    found = [0.0] * len(rows)
    for pivot in reversed(range(len(rows))):
        known = sum(rows[pivot][column] * found[column] for column in range(pivot + 1, len(rows)))
        found[pivot] = (rows[pivot][-1] - known) / rows[pivot][pivot]
    return found


Rating = Glicko | PlayerStrength


def read_rating(values: Mapping[str, Any]) -> Rating:
    """Return the rating of either kind that ``rating.data()`` wrote."""
    return Glicko.read(values) if "deviation" in values else PlayerStrength.read(values)


def shown(rating: Rating, days: float) -> dict[str, Any]:
    """Return a rating as JSON-able data, ``days`` after the last game: ``rating``, the interval ``low`` to ``high`` in
    which the strength lies with a probability of 95 % (it widens with time), and whether it is ``provisional``."""
    rating = _idle(rating, days)
    low, high = map(round, interval(rating.rating, rating.deviation))
    provisional = rating.deviation > PROVISIONAL_DEVIATION
    return {"rating": round(rating.rating), "low": low, "high": high, "provisional": provisional}


PERIOD = 30  # days in which games of the same two people count less each time


def rate_game(
    before: Sequence[Rating],
    scores: Sequence[float],
    days: Sequence[float],
    met: Mapping[tuple[int, int], int],
    effects: Sequence[Effect] = (),
) -> tuple[list[Rating], list[Effect]]:
    """Return the players' ratings, and what the seats are worth, after a game in which the seats had these ``scores``,
    so many ``days`` after each player's last game. ``met`` says how often each two seats (the lower first) met in the
    :data:`PERIOD` before; ``effects`` are those of the seats, where there are more than two."""
    now = [_idle(rating, idle) for rating, idle in zip(before, days, strict=True)]
    weights = [_weight(now, seat, met) for seat in range(len(now))]
    first, second = before[0], before[1]
    after: list[Rating]
    if isinstance(first, Glicko) and isinstance(second, Glicko):
        score = 0.5 if scores[0] == scores[1] else float(scores[0] > scores[1])
        after, learnt = list(rate_two(first, second, score, (days[0], days[1]))), list(effects)
    else:
        strengths = [rating for rating in before if isinstance(rating, PlayerStrength)]
        rated, learnt = rate_many(strengths, effects, scores, days)
        after = list(rated)
        weight = sum(weights) / len(weights)
        learnt = [
            Effect(one.mean + weight * (other.mean - one.mean), one.sigma + weight * (other.sigma - one.sigma))
            for one, other in zip(effects, learnt, strict=True)
        ]
    return [damped(*one) for one in zip(now, after, weights, strict=True)], learnt


def _weight(ratings: Sequence[Rating], seat: int, met: Mapping[tuple[int, int], int]) -> float:
    """Return how much the game counts for ``seat``, from 0 to 1: against each opponent by how well they are known, and
    in their ``n``-th game by 2 of ``n + 1``."""
    others = [other for other in range(len(ratings)) if other != seat]
    times = [met.get((min(seat, other), max(seat, other)), 0) + 1 for other in others]
    return sum(trust(ratings[other]) * 2 / (n + 1) for other, n in zip(others, times, strict=True)) / len(others)


def trust(opponent: Rating) -> float:
    """Return how much a result against ``opponent`` says, from 0 to 1: all of it where their rating is not provisional,
    a tenth where they are new."""
    return min(1.0, PROVISIONAL_DEVIATION / opponent.deviation) ** 2


def damped(before: Rating, after: Rating, weight: float) -> Rating:
    """Return the rating that has gone from ``before`` towards ``after`` by ``weight``, its deviation by the root."""
    rating = before.rating + weight * (after.rating - before.rating)
    deviation = before.deviation + math.sqrt(weight) * (after.deviation - before.deviation)
    if isinstance(before, Glicko) and isinstance(after, Glicko):
        return Glicko(rating, deviation, before.volatility + weight * (after.volatility - before.volatility))
    return PlayerStrength(rating, deviation)


def _idle(rating: Rating, days: float) -> Rating:
    return rating.idle(PERIODS_A_DAY * max(0.0, days)) if isinstance(rating, Glicko) else rating.idle(days)


SPEEDS = ("blitz", "rapid", "classical", "correspondence", "none")
QUICK, LONG = 480, 1500  # seconds of a player's whole game from which on it is rapid, and classical


def speed_of(clock: Mapping[str, Any] | None, game: str) -> str:
    """Return the speed, one of :data:`SPEEDS`, of a ``game`` (its name) with this ``clock`` (as
    :meth:`tercet.play.session.TimeControl.read` takes it; None: no clock, speed ``none``).

    It follows from how long a player's part of a game is estimated to take, as on lichess: the main time and the
    increments of the game's ``typical_turns``. Of the periods of byo-yomi, and of times for each turn that cannot be
    saved (``turn``, ``move``), half is taken to be used. Less than 8 minutes are ``blitz``, less than 25 ``rapid``.
    """
    if clock is None:
        return "none"
    kind = clock["kind"]
    if kind == "correspondence":
        return "correspondence"
    turns = game_definition(game).typical_turns
    seconds = 60 * clock.get("minutes", 0)
    if kind == "fischer":
        seconds += turns * clock["increment"]
    elif kind == "byoyomi":
        seconds += turns * clock["seconds"] / 2
    elif kind == "move":
        seconds *= turns / 2
    else:
        seconds = turns * clock["seconds"] / 2
    return "blitz" if seconds < QUICK else "rapid" if seconds < LONG else "classical"


@functools.cache
def _usual(game: str) -> tuple[str, ...]:
    return tuple(Game(game_definition(game), {}, "interpreted").players)


def pool_of(game: str, players: int) -> str:
    """Return the name of the pool in which games of so many ``players`` are rated: the game's name, followed by the
    number of players where it is not the usual one, as in ``name-2``."""
    return game if players == len(_usual(game)) else f"{game}-{players}"


def game_of_pool(pool: str) -> tuple[str, int]:
    """Return the game of a pool and its number of players; OptionError where there is no such game."""
    found = re.fullmatch(r"(.*)-([0-9]+)", pool)
    return (found[1], int(found[2])) if found else (pool, len(_usual(pool)))


def _values(option: Option, players: int) -> Iterator[Any]:
    """Values of an option that may settle how many play."""
    if option.kind == "choice":
        yield from option.choices
    elif option.kind == "bool":
        yield not option.default
    elif option.kind == "int" and (option.low or 0) <= players <= (players if option.high is None else option.high):
        yield players


@functools.cache
def seat_names(game: str, players: int) -> tuple[str, ...]:
    """Return the names of the seats in a game for so many ``players``: those with the default options, or with the
    first value of an option that makes it so many players. Where there is no such option they are numbers from 1."""
    if len(_usual(game)) == players:
        return _usual(game)
    definition = game_definition(game)
    for option in definition.options:
        for value in _values(option, players):
            try:
                names = Game(definition, {option.name: value}, "interpreted").players
            except OptionError:  # it does not go with the usual value of another option
                continue
            if len(names) == players:
                return tuple(names)
    return tuple(str(seat + 1) for seat in range(players))


MIN_TURNS = 2  # of each player: a game that ends before is not rated


def is_long_enough(seats: Iterable[int], players: int) -> bool:
    """Return whether a game counts in which the actions were made by these seats, in this order. Actions of one seat
    that follow each other are one turn."""
    return sum(1 for _ in itertools.groupby(seats)) >= MIN_TURNS * players


def why_unrated(game: Game) -> str | None:
    """Return the sentence that says why games with these options are never rated; None where they may be."""
    definition = game.definition
    if definition.rated is None:
        return f"{definition.title} has no rated games."
    for option in definition.options:
        value, allowed = game.options[option.name], definition.rated.get(option.name, ())
        if value == option.default or value in allowed:
            continue
        title = option.title or option.name
        if isinstance(allowed, range):
            return f"In a rated game of {definition.title}, {title} must be from {allowed[0]} to {allowed[-1]}."
        if allowed:
            choices = ", ".join(_words(option, one) for one in allowed)
            return f"In a rated game of {definition.title}, {title} must be one of these: {choices}."
        return f"In a rated game of {definition.title}, {title} must keep its usual value."
    return None


def _words(option: Option, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value == "":
        return "none"
    return option.words.get(str(value), str(value)) if option.kind == "choice" else str(value)
