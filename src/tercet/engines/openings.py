"""Openings that matches begin from: dealt at random, or from a book of balanced ones.

A book is a file of records (docs/records.md), one an opening: its moves, and each player's expected share of the point
in the header ``Balance``.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tercet.core.game import Game, Position
from tercet.engines.base import Engine, Limits, read_seed
from tercet.errors import ParseError
from tercet.record import Record, read_file

__all__ = ["Opening", "balanced", "deal", "read_book"]


@dataclass(frozen=True)
class Opening:
    """``actions``, in canonical notation, from ``start``. ``balance`` is each player's expected share of the point
    after them, where an engine was asked."""

    start: Position
    actions: tuple[str, ...]
    balance: tuple[float, ...] | None = None

    @property
    def position(self) -> Position:
        """Return the position after the opening."""
        position = self.start
        for text in self.actions:
            position = position.play(text)
        return position

    def record(self) -> Record:
        """Return the opening as a record of a book."""
        headers = {"Event": "Opening"}
        if self.balance is not None:
            headers["Balance"] = " ".join(f"{share:.3f}" for share in self.balance)
        return Record.from_actions(self.start.game, self.start, self.actions, headers)


def deal(game: Game, plies: int, seed: int) -> Opening:
    """Return a start position and ``plies`` random actions from it that do not end the game. The same ``seed`` gives
    the same opening."""
    number = read_seed(seed) or 0
    chance = random.Random(number)
    start = game.start(number % (1 << 62))
    while True:
        position = start
        actions: list[str] = []
        while len(actions) < plies and not position.is_over:
            action = chance.choice(position.legal_actions)
            actions.append(str(action))
            position = position.play(action)
        if not position.is_over:
            return Opening(start, tuple(actions))


def balanced(
    game: Game,
    judge: Engine,
    limits: Limits,
    *,
    plies: int,
    within: float = 0.05,
    seed: int = 0,
    stop: threading.Event | None = None,
) -> Iterator[tuple[int, Opening | None]]:
    """Deal openings of ``plies`` random actions without end and yield each one's number and, where ``judge`` finds each
    player's share within ``within`` of an equal one and nothing proved, the opening; None where it does not, or where
    one like it but for a symmetry of the game has been yielded. The same ``seed`` gives the same openings if the judge
    is bounded by nodes, not by time."""
    seed, equal = read_seed(seed) or 0, 1 / len(game.players)
    known: set[bytes] = set()
    number = 0
    while stop is None or not stop.is_set():
        opening = deal(game, plies, 1_000_003 * seed + number)
        position = opening.position
        found: Opening | None = None
        if (key := position.canonical_key()) not in known:
            judge.new_game(1_000_003 * seed + number)
            lines = judge.think(position, limits, stop=stop).info.lines
            if lines and not lines[0].is_proved and all(abs(share - equal) <= within for share in lines[0].scores):
                known.add(key)
                found = Opening(opening.start, opening.actions, lines[0].scores)
        yield number, found
        number += 1


def read_book(path: Path, game: Game) -> Sequence[Opening]:
    """Return the openings in a file of records: each record's main line. ParseError, with the number of the record,
    where one is of another game or other options, or ends the game, and where there is none."""
    found = []
    for number, record in enumerate(read_file(path), 1):
        where = f"{path.name}, record {number}"
        if record.game != game:
            raise ParseError(where, f"{where} is of {record.game!r}, not of {game!r}.")
        opening = Opening(record.start, tuple(record.moves()))
        if opening.position.is_over:
            raise ParseError(where, f"{where} ends the game, so no moves are left to play.")
        found.append(opening)
    if not found:
        raise ParseError(path.name, f"{path.name} has no records.")
    return found
