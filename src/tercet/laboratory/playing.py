"""Games of a study: who plays, from which seeds, and one row for each game that was played."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from tercet import cluster
from tercet.engines import Engine, Limits, engine
from tercet.errors import TercetError
from tercet.game import Game
from tercet.games import game_definition

__all__ = ["GameRow", "LaboratoryError", "Study", "seed_of"]

PART_GAMES = 8  # a worker plays so many games before it is given more
MAX_ACTIONS = 20_000  # of a game that its rules do not bound


class LaboratoryError(TercetError, ValueError):
    """A study that makes no sense, or a game in it that does not end."""


def seed_of(study: int, number: int, purpose: str) -> int:
    """Return the seed for one ``purpose`` of game ``number`` in a study with the seed ``study``: 0 to 2**60 - 1. Seeds
    of any two games, purposes and studies have nothing to do with each other."""
    digest = hashlib.sha256(f"tercet laboratory {study} {number} {purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 4


@dataclass(frozen=True)
class GameRow:
    """A game that was played.

    ``entrants[seat]`` is the number of the entrant that sat there: its place among the study's engines where there are
    several, else the seat itself. ``scores`` are the shares
    of the point by seat, ``actions`` is how many single actions the game took, ``reason`` why it ended. ``counts`` is
    what the game's own statistics counted (see :class:`tercet.abilities.Statistics`), made of JSON's types.
    """

    number: int
    entrants: tuple[int, ...]
    scores: tuple[float, ...]
    actions: int
    reason: str
    counts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """Games of one kind between engines.

    ``engines`` names one engine that plays every seat, or one for each seat. In the second case games come in blocks
    in which the engines take the seats in every order once. Every seat has an engine of its own, and every game has
    seeds of its own, which follow from ``seed`` and the game's number: one for the start position and one for each
    seat. A game therefore depends neither on the process that plays it nor on the games before it, unless an engine
    thinks by the clock.
    """

    game: str
    options: Mapping[str, Any]
    engines: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    seed: int = 1

    @property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """A block: for each game of it, which entrant sits in each seat."""
        seats = range(len(self.made().players))
        return tuple(permutations(seats)) if len(self.engines) > 1 else (tuple(seats),)

    def made(self) -> Game:
        """Return the game."""
        return Game(game_definition(self.game), self.options)

    def check(self) -> None:
        """Raise LaboratoryError, OptionError or EngineError where the study makes no sense."""
        game = self.made()
        seats = len(game.players)
        if len(self.engines) not in (1, seats):
            raise LaboratoryError(f"{game.name} has {seats} seats: name one engine for all or one for each, not "
                                  f"{len(self.engines)}")  # fmt: skip
        for name in set(self.engines):
            engine(name, game, seed=0).close()

    def whole(self, games: int) -> int:
        """Return ``games``, or as many more as make the last block whole."""
        block = len(self.orders)
        return -(-games // block) * block

    def play(self, first: int, count: int) -> list[GameRow]:
        """Play games number ``first`` and on, one after the other, in this process."""
        game = self.made()
        names = self.engines if len(self.engines) > 1 else self.engines * len(game.players)
        players = [engine(name, game, seed=0) for name in names]
        try:
            orders = self.orders
            return [
                self._play(game, players, number, orders[number % len(orders)])
                for number in range(first, first + count)
            ]
        finally:
            for player in players:
                player.close()

    def _play(self, game: Game, players: Sequence[Engine], number: int, order: tuple[int, ...]) -> GameRow:
        for seat, entrant in enumerate(order):
            players[entrant].new_game(seed_of(self.seed, number, f"seat {seat}"))
        position = game.start(seed_of(self.seed, number, "start"))
        statistics = game.definition.statistics
        count = None if statistics is None else statistics.count(position)
        bound = game.rules.max_plies or MAX_ACTIONS
        actions = 0
        while position.mover is not None:
            if actions == bound:
                raise LaboratoryError(f"game {number} did not end within {bound} actions; choose other players or "
                                      "options")  # fmt: skip
            action = players[order[position.mover]].think(position, self.limits).action
            following = position.play(action)
            if count is not None:
                count.follow(position, action, following)
            position, actions = following, actions + 1
        outcome = position.outcome
        assert outcome is not None
        return GameRow(
            number, order, outcome.scores, actions, outcome.reason, {} if count is None else count.end(position)
        )

    def parts(
        self, games: int, *, first: int = 0, on: str = "local", workers: int | None = 1
    ) -> Iterator[list[GameRow]]:
        """Play games number ``first`` to ``games - 1``; yield the rows of a few at a time, as they are done. ``on`` and
        ``workers`` are those of :func:`tercet.cluster.run`."""
        self.check()
        tasks = [(self, at, min(PART_GAMES, games - at)) for at in range(first, games, PART_GAMES)]
        for _, rows in cluster.run(_play_part, tasks, on=on, workers=workers):
            yield rows

    def run(self, games: int, *, on: str = "local", workers: int | None = 1) -> list[GameRow]:
        """Play ``games`` games, or as many more as make the last block whole. The rows are in the order of the games
        and the same whatever the number of ``workers``."""
        rows = [row for part in self.parts(self.whole(games), on=on, workers=workers) for row in part]
        return sorted(rows, key=lambda row: row.number)


def _play_part(task: tuple[Study, int, int]) -> list[GameRow]:
    """Play some games of a study in a worker process."""
    study, first, count = task
    return study.play(first, count)
