"""Openings that matches begin from: dealt at random, or from a book of balanced ones.

A book is a file of records (docs/records.md), one an opening: its moves, and each player's expected share of the point
in the header ``Balance``.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tercet.core.abilities.engine import Plan
from tercet.core.game import Action, Game, Position
from tercet.engines.base import ChangedEngine, Engine, Limits, Line, OnInfo, PlannedTurn, Thought, read_seed, report
from tercet.errors import ParseError
from tercet.record import Record, read_file


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


def _numbers(position: Position, texts: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of actions that are played one after the other."""
    found = []
    for text in texts:
        found.append(position.action(text).id)
        position = position.play(found[-1])
    return tuple(found)


def opens(game: Game) -> bool:
    """Return whether games with these options begin with something that ``EngineParts.openings`` plans."""
    openings = game.definition.engine.openings
    return openings is not None and openings.opens(game)


class OpeningEngine(ChangedEngine):
    """Plays what the game's ``openings`` plan, judged by ``engine``, and the moves of ``engine`` everywhere else."""

    def __init__(self, engine: Engine, seed: int | None = None) -> None:
        super().__init__(engine, seed)
        self._planned = PlannedTurn()

    def _begin(self, seed: int | None) -> None:
        super()._begin(seed)
        self._planned = PlannedTurn()

    def visits(self) -> dict[int, int]:
        """Return the visits of the engine's last search; none where an opening was planned."""
        return {} if self._planned else self._engine.visits()

    def policy(self) -> dict[int, float]:
        """Return the preferences of the engine's last search; none where an opening was planned."""
        return {} if self._planned else self._engine.policy()

    def pruned_visits(self) -> dict[int, int]:
        """Return the engine's pruned visits; none where an opening was planned."""
        return {} if self._planned else self._engine.pruned_visits()

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        known = self._planned.go_on(position, limits, on_info)
        if known is not None:
            return known
        self._planned = PlannedTurn()
        plans, seconds, nodes = self._plans(position, limits, stop)
        if not plans:
            return self._engine._choose(position, limits, stop, on_info)
        info = report(position, plans[: max(1, limits.multipv)], 1, nodes, seconds)
        if on_info:
            on_info(info)
        return self._planned.begin(position, plans[0].actions, info, repeat=True)

    def _lines_of(self, position: Position, actions: list[Action], limits: Limits, stop: threading.Event) -> list[Line]:
        return self._engine._lines_of(position, actions, limits, stop)

    def _plans(self, position: Position, limits: Limits, stop: threading.Event) -> tuple[Sequence[Plan], float, int]:
        """Return what the game's openings plan at ``position``, the seconds that took and the nodes searched."""
        openings = position.game.definition.engine.openings
        if openings is None or position.is_over or not openings.asks(position):
            return (), 0.0, 0
        began, searched = time.perf_counter(), 0

        def judge(other: Position, nodes: int | None) -> Plan:
            nonlocal searched
            within = limits
            if nodes is not None:
                within = Limits(nodes=min(nodes, limits.nodes or nodes))
            elif limits.infinite:
                within = Limits()
            thought = self._engine.think(other, within, stop=stop)
            searched += thought.info.nodes
            line = thought.info.lines[0]
            return Plan((thought.action.id,), line.scores, line.note, _numbers(other, line.pv) if nodes is None else ())

        def halted() -> bool:
            late = limits.movetime is not None and time.perf_counter() - began >= limits.movetime
            return late or stop.is_set()

        plans = openings.plan(position, judge, self._chance, halted)
        return plans, time.perf_counter() - began, searched
