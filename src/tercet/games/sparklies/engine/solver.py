"""Speed on one's own, solved: in how few turns can the whole board be controlled?

Two searches work towards each other. A beam over turns finds ways to fill the board: upper bounds, each with its line.
An exhaustive search shows that so many turns are not enough: lower bounds. When they meet, the number is proven. What
makes the second possible: a chain of Speed captures cells of one colour only, and free cells keep their colours; so
with one turn to go all free cells but one must be of one colour, with two to go all but two of two colours.

Rows already searched are known again by a hash of 62 bits; that two different ones share it, which alone could make a
proof wrong, is as likely as one in 10**6 after ten million rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tercet.core.abilities.knowledge import Solution
from tercet.core.game import Game, Position
from tercet.errors import OptionError
from tercet.games.sparklies.engine.kernels import evaluation
from tercet.games.sparklies.engine.search import Effort, Final, TurnSearch, row_key
from tercet.games.sparklies.kernels import layout

LEAVES = 3  # turns that the kernel searches at once
SLICE = 4_000_000  # actions tried between looks at the clock
WIDTHS = (4, 16, 64, 256, 1024, 4096)


Progress = Callable[[Solution], None]


class _Late(Exception):  # noqa: N818  (no error: time is up)
    """The time is up."""


def solve(position: Position, seconds: float | None = None, on_progress: Progress | None = None) -> Solution:
    """The fewest turns to the end of a solitaire of Speed from ``position``, the beginning of a turn, within so many
    seconds (None: until it is proven). ``on_progress`` hears whenever a bound moves, and now and then between.

    OptionError unless the game is one player's, with a ruleset in which a chain is part of its first ping.
    """
    game = position.game
    if len(game.players) != 1:
        raise OptionError("players", "Only a solitaire can be solved. Set players=1.")
    if not game.rules.data[layout.WHOLE]:
        raise OptionError("ruleset", "Only Speed can be solved, where a chain is part of its first ping.")
    if int(position.row[layout.STEP]) == layout.FIRST:
        raise OptionError("position", "The position must be at the start of a turn.")
    return _Solver(game, seconds, on_progress).run(position)


class _Solver:
    def __init__(self, game: Game, seconds: float | None, on_progress: Progress | None) -> None:
        self.game = game
        self.search = TurnSearch(game, merge=False)
        self.kernels = self.search.kernels
        self.on_progress = on_progress
        self.began = time.perf_counter()
        self.end = None if seconds is None else self.began + seconds
        self.low = 0
        self.line: list[tuple[int, ...]] = []
        self.tried = 0
        self.start: Position | None = None
        array = self.search.array
        self.width = game.rules.max_legal + 1
        self.rows = array(2 * LEAVES * game.rules.row_size, "int64")
        self.outs = array(2 * LEAVES * self.width, "int32")
        self.way = array(2 * LEAVES, "int32")
        self.table = array(evaluation.TABLE, "int64")
        self.parameters = array(evaluation.PARAMETERS, "int64")
        self.salt = 1

    def run(self, position: Position) -> Solution:
        self.start = position
        if position.is_over:
            return Solution(0, 0, (), 0, 0.0)
        try:
            self.low = next(turns for turns in range(1, len(self.game.board) + 1) if self.may(position.row, turns))
            for width in WIDTHS[:2]:
                self.beam(position.row, width)
            wider = 2
            limit = 0.5
            while self.low < len(self.line):
                # The proof and the beam take turns, so that neither waits for the other for ever.
                until = time.perf_counter() + limit
                if self.refute(position.row, self.low, until):
                    self.low += 1
                    self.tell()
                elif wider < len(WIDTHS) and len(self.line) > self.low:
                    self.beam(position.row, WIDTHS[wider])
                    wider += 1
                limit *= 4 if len(self.line) - self.low <= 2 else 2
        except _Late:
            pass
        return self.solution()

    def solution(self) -> Solution:
        line = []
        position = self.start
        assert position is not None
        for turn in self.line:
            line.append(tuple(position.notate(turn)))
            for action in turn:
                position = position.play(action)
        high = len(self.line) or len(self.game.board)
        return Solution(min(self.low, high), high, tuple(line), self.tried, time.perf_counter() - self.began)

    def tell(self) -> None:
        if self.on_progress:
            self.on_progress(self.solution())

    def look(self) -> None:
        """_Late if time is up; but never before there is a line."""
        if self.end is not None and self.line and time.perf_counter() > self.end:
            raise _Late

    def may(self, row: Any, turns: int) -> bool:
        return bool(self.kernels.may_fill(self.game.data, row, turns))

    def beam(self, start: Any, width: int) -> None:
        """Try to fill the board in fewer turns than known, keeping ``width`` rows after each turn."""
        effort = Effort(1, 1, 0, 1, 1 << 40, min(width, 64))
        generation: list[tuple[Any, tuple[tuple[int, ...], ...]]] = [(start, ())]
        for turn in range(len(self.line) - 1 if self.line else len(self.game.board)):
            found: dict[bytes, tuple[int, Any, tuple[tuple[int, ...], ...]]] = {}
            for row, before in generation:
                self.look()
                known = self.search.tried
                finals = self.search.sweep(row, effort, lines=True, all_pings=True)
                self.tried += self.search.tried - known
                for final in finals:
                    line = (*before, final.actions)
                    if final.value >= evaluation.WON:
                        self.line = list(line)
                        self.tell()
                        return
                    if not self.line or self.may(final.row, len(self.line) - 2 - turn):
                        found[row_key(final.row)] = (final.value, final.row, line)
            best = sorted(found.values(), key=lambda entry: -entry[0])[:width]
            generation = [(row, line) for _, row, line in best]

    def refute(self, row: Any, turns: int, until: float) -> bool:
        """Return whether ``turns`` are shown not to be enough, by ``until``. Where they are, the line is known then."""
        self.salt += 1
        try:
            line = self.fill(row, turns, until)
        except TimeoutError:
            return False
        if line is None:
            return True
        if len(line) < len(self.line):
            self.line = list(line)
            self.tell()
        return False

    def fill(self, row: Any, turns: int, until: float) -> tuple[tuple[int, ...], ...] | None:
        """A line of at most ``turns`` turns that fills the board; None if there is none; TimeoutError."""
        if not self.may(row, turns):
            return None
        if turns <= LEAVES:
            return self.leaves(row, turns, until)
        seen = set()
        for final in self.turns(row):
            if final.value >= evaluation.WON:
                return (final.actions,)
            if (key := row_key(final.row)) in seen:
                continue
            seen.add(key)
            rest = self.fill(final.row, turns - 1, until)
            if rest is not None:
                return (final.actions, *rest)
        return None

    def turns(self, row: Any) -> list[Final]:
        """All ways to play a turn from ``row``, as different rows."""
        keep = 512
        while True:
            effort = Effort(1, 1, 0, 1, 1 << 40, keep)
            known = self.search.tried
            finals = self.search.sweep(row, effort, cutoff=1 << 40, lines=True, all_pings=True)
            self.tried += self.search.tried - known
            if len(finals) < keep:
                return finals
            keep *= 4

    def leaves(self, row: Any, turns: int, until: float) -> tuple[tuple[int, ...], ...] | None:
        """The last turns, searched by the kernel."""
        parameters = self.parameters
        parameters[evaluation.SALT] = self.salt * 1_000_003
        parameters[evaluation.TRIED] = 0
        parameters[evaluation.BUDGET] = SLICE
        while True:
            self.look()
            if time.perf_counter() > until:
                raise TimeoutError
            count = int(
                self.kernels.fills(
                    self.game.data, row, self.game.rules.row_size, turns, parameters, self.rows, self.outs, self.width,
                    self.way, self.table, *self.search.work, self.search.events,
                )
            )  # fmt: skip
            self.tried += int(parameters[evaluation.TRIED])
            if count >= 0:
                break
            self.salt += 1
            parameters[evaluation.SALT] = self.salt * 1_000_003
            parameters[evaluation.BUDGET] *= 4
            parameters[evaluation.TRIED] = 0
        if count == 0:
            return None
        actions = [int(action) for action in self.way[:count]]
        return tuple(tuple(actions[at : at + 2]) for at in range(0, count, 2))
