"""Matches between two engines, and the Elo difference that their results mean."""

from __future__ import annotations

import itertools
import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tercet.engines.base import Engine, Limits
from tercet.game import Action, Game, Outcome, Position

__all__ = ["Elo", "Played", "blocks", "elo", "match", "opening", "seatings", "tally"]


@dataclass(frozen=True)
class Played:
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
        """The share of the point that the first engine's seats have won; of a game that was cut off, what they are of
        all seats."""
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
    """The Elo difference that these results mean, with Wilson's 95 % interval of the score (draws count one half)."""
    games = wins + draws + losses
    if games == 0:
        return Elo(0.0, -math.inf, math.inf)
    share = (wins + draws / 2) / games
    z = 1.959964
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)

    def rating(score: float) -> float:
        if score <= 1e-9:
            return -math.inf
        if score >= 1 - 1e-9:
            return math.inf
        return 400 * math.log10(score / (1 - score))

    return Elo(rating(share), rating(max(0.0, middle - half)), rating(min(1.0, middle + half)))


def tally(played: list[Played]) -> tuple[int, int, int]:
    """Wins, draws and losses of the first engine."""
    results = [game.result for game in played]
    return results.count(1), results.count(0), results.count(-1)


def seatings(players: int) -> list[tuple[int, ...]]:
    """A block: every way to seat both engines, each followed by its opposite. For two players both ways; for three,
    each engine once in each seat against two of the other."""
    ways = [way for way in itertools.product((0, 1), repeat=players) if way[0] == 0 and (1 in way or players == 1)]
    return [seats for way in ways for seats in (way, tuple(1 - seat for seat in way))]


def blocks(played: Sequence[Played], players: int) -> list[float]:
    """The mean points of the first engine in each whole block."""
    size = len(seatings(players))
    whole = len(played) // size * size
    return [sum(game.points for game in played[at : at + size]) / size for at in range(0, whole, size)]


def opening(game: Game, plies: int, seed: int) -> tuple[Position, tuple[str, ...]]:
    """A start position and ``plies`` random actions from it that do not end the game, in notation. The same ``seed``
    gives the same opening."""
    chance = random.Random(seed)
    start = game.start(seed % (1 << 62))
    while True:
        position = start
        actions: list[str] = []
        while len(actions) < plies and not position.is_over:
            action = chance.choice(position.legal_actions)
            actions.append(str(action))
            position = position.play(action)
        if not position.is_over:
            return start, tuple(actions)


def match(
    a: Engine,
    b: Engine,
    game: Game,
    games: int,
    *,
    limits: tuple[Limits, Limits] | Limits | None = None,
    plies: int = 2,
    seed: int = 0,
    first: int = 0,
    max_actions: int | None = None,
    stop: threading.Event | None = None,
    on_action: Callable[[Position, Action], None] | None = None,
) -> Iterator[Played]:
    """Play games number ``first`` to ``games - 1`` and yield each when it is finished.

    Games come in blocks, from the same random opening of ``plies`` actions (dealt by ``seed``), with every seating
    once: two of a game for two players, six of a game for three. ``limits`` are each engine's, or both's; an engine's
    own where there are none.
    """
    if not isinstance(limits, tuple):
        limits = (limits or Limits(), limits or Limits())
    engines = (a, b)
    block = seatings(len(game.players))
    for number in range(first, games):
        start, book = opening(game, plies, 1_000_003 * seed + number // len(block))
        seats = block[number % len(block)]
        for engine in engines:
            engine.new_game()
        position = start
        actions: list[str] = []
        for text in book:
            position = position.play(text)
            actions.append(text)
        seconds = [0.0, 0.0]
        while not position.is_over and (max_actions is None or len(actions) < max_actions):
            if stop is not None and stop.is_set():
                return
            assert position.mover is not None
            seat = seats[position.mover]
            began = time.perf_counter()
            action = engines[seat].think(position, limits[seat], stop=stop).action
            seconds[seat] += time.perf_counter() - began
            if on_action:
                on_action(position, action)
            actions.append(str(action))
            position = position.play(action)
        outcome = position.outcome
        yield Played(
            number, seats, start, len(book), tuple(actions), outcome, _result(seats, outcome), (seconds[0], seconds[1])
        )


def _result(seats: tuple[int, ...], outcome: Outcome | None) -> int:
    if outcome is None:
        return 0
    shares = [0.0, 0.0]
    for player, seat in enumerate(seats):
        shares[seat] += outcome.scores[player] / seats.count(seat)
    difference = shares[0] - shares[1]
    return 0 if abs(difference) < 1e-9 else 1 if difference > 0 else -1
