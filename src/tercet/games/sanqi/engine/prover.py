"""Wins by force in SanQi: the search of ``kernels.proof`` with its memory, within a time or a number of actions."""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from tercet import kernel
from tercet.core.game import Action, Game, Position
from tercet.errors import TercetError
from tercet.games.sanqi.engine.kernels import attacks, proof
from tercet.games.sanqi.engine.kernels.attacks import ALL, ANY, QUIET, THREATS
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.rules import patterns, winners

# What is asked one after the other: turns and what is tried. Each answer helps with the next.
QUESTIONS = ((5, THREATS), (3, QUIET), (4, QUIET), (12, THREATS), (5, QUIET), (3, ANY), (4, ANY), (5, ANY), (6, QUIET))
CROWDED = (
    *((4, THREATS), (2, ALL), (3, ALL), (3, QUIET), (4, QUIET), (5, QUIET), (6, QUIET)),
    *((4, ALL), (5, ALL), (10, THREATS), (6, ALL)),
)
FEW = 60  # legal actions of a crowded board
CHUNK = 400  # actions tried between looks at the clock


@dataclass(frozen=True)
class Win:
    """The mover wins in ``turns`` of their own or fewer, whatever the opponent does, beginning with ``action``.
    ``mode`` is what the search had to try to see it."""

    turns: int
    action: int
    mode: int = QUIET


@functools.cache
def _kernels(execution: str) -> SimpleNamespace:
    return kernel.build(proof, execution, "sanqi")


def new_memory(game: Game, entries: int = 1 << 15) -> proof.Memory:
    """The memory of the search for a game, with a table of ``entries`` (a power of two)."""
    array = functools.partial(kernel.array, game.execution)
    zeros = functools.partial(kernel.zeros, game.execution)

    board, actions = game.board, game.rules.actions
    places = [(name, place) for name, found in patterns(board, game.options["line"]).items() for place in found]
    width = max(6, game.options["line"])
    goals = {name: sum(1 << side for side in sides) for name, sides in winners(game.options).items()}
    members: list[list[int]] = [[] for _ in range(len(board))]
    for index, (_, place) in enumerate(places):
        for cell in place:
            members[cell].append(index)
    starts = [0]
    for found in members:
        starts.append(starts[-1] + len(found))
    chance = random.Random(3)
    words = -(-actions // attacks.WIDTH)
    return proof.Memory(
        windows=attacks.Windows(
            cells=array([cell for _, place in places for cell in (*place, *[len(board)] * width)[:width]], "int32"),
            goals=array([goals[name] for name, _ in places], "int32"),
            starts=array(starts, "int32"),
            members=array([index for found in members for index in found], "int32"),
            neighbours=array([cell for around in board.neighbours for cell in around], "int32"),
            keys=array([chance.getrandbits(62) for _ in range(actions + len(board) + 2)], "int64"),
            counts=zeros(3 * len(places), "int32"),
            tally=zeros(attacks.SETS * actions, "int32"),
            sets=zeros(attacks.SETS * words, "int64"),
            picked=zeros(words, "int64"),
            scores=zeros(actions, "int32"),
            key=zeros(1, "int64"),
            events=zeros(8, "int32"),
        ),
        proof=proof.Proof(
            stack=zeros(proof.FRAME * proof.FRAMES, "int64"),
            lists=zeros(proof.FRAMES * actions, "int32"),
            table=zeros(proof.ENTRY * entries, "int64"),
            header=zeros(proof.HEADER, "int64"),
        ),
        row=game.new_row(),
    )


class Prover:
    """Proves wins of one game's positions. ``entries`` (a power of two) is the size of its table, 16 bytes each.

    What was proved and refuted is kept from one question to the next. Not for two threads at once.
    """

    def __init__(self, game: Game, entries: int = 1 << 17) -> None:
        if game.definition.name != "sanqi":
            raise TercetError(f"Only SanQi has threats, not {game.name}.")
        self.game = game
        self.tried = 0
        self._kernels = _kernels(game.execution)
        self._memory = new_memory(game, entries)
        self._windows = self._memory.windows
        self._proof = self._memory.proof

    def forget(self) -> None:
        """Forget what was proved and refuted."""
        kernel.clear(self._proof.table)

    def ask(
        self,
        position: Position,
        turns: int,
        mode: int = QUIET,
        *,
        until: float | None = None,
        tries: int | None = None,
        halted: Callable[[], bool] | None = None,
    ) -> bool | None:
        """Return whether the mover of a game going on wins in ``turns`` (up to MOST_TURNS) or fewer, as far as what
        ``mode`` tries shows; None if ``tries`` actions were tried, the clock (``time.perf_counter``) shows ``until`` or
        ``halted`` says so before it is known."""
        if position.is_over:
            raise TercetError("The game is over.")
        if not 1 <= turns <= proof.MOST_TURNS:
            raise TercetError(f"turns must be from 1 to {proof.MOST_TURNS}, not {turns}.")
        if position.row[layout.STAGE] >= layout.SETTING_UP:
            return False
        kernels, data = self._kernels, self.game.data
        row = self._turn(position)
        kernels.ask(data, row, self._windows, self._proof, turns, mode)
        used = 0
        while True:
            budget = CHUNK if tries is None else min(CHUNK, tries - used)
            answer = int(kernels.resume(data, row, self._windows, self._proof, budget))
            self.tried += int(self._proof.header[proof.TRIED]) - used
            used = int(self._proof.header[proof.TRIED])
            if answer != proof.PAUSED:
                return answer == 1
            if (tries is not None and used >= tries) or (until is not None and time.perf_counter() >= until):
                return None
            if halted is not None and halted():
                return None

    def _turn(self, position: Position) -> Any:
        """A row of ``position``, where the side to move plays a turn instead of swapping."""
        row = position.row.copy()
        row[layout.STAGE] = layout.PLAYED
        return row

    def prove(
        self,
        position: Position,
        seconds: float | None = None,
        tries: int | None = None,
        halted: Callable[[], bool] | None = None,
    ) -> Win | None:
        """A win of the mover's, if one is found within ``seconds`` and ``tries`` actions tried (None: no bound)."""
        until = None if seconds is None else time.perf_counter() + seconds
        begun = self.tried
        for turns, mode in CROWDED if len(position.legal_actions) <= FEW else QUESTIONS:
            left = None if tries is None else tries - (self.tried - begun)
            answer = self.ask(position, turns, mode, until=until, tries=left, halted=halted)
            if answer is None:
                return None
            if answer:
                return self._win(position, turns, mode)
        return None

    def line(self, position: Position, win: Win, most: int = 12, seconds: float | None = None) -> list[int]:
        """Return up to ``most`` actions of ``win``. The opponent holds out as long as possible, as far as that is found
        in ``seconds`` (None: exactly)."""
        until = None if seconds is None else time.perf_counter() + seconds
        actions = [win.action]
        position = position.play(Action(win.action, position))
        while not position.is_over and len(actions) < most:
            reply, win = self._longest(position, win, until)
            actions.append(reply)
            position = position.play(Action(reply, position))
            if position.is_over or len(actions) == most:
                break
            actions.append(win.action)
            position = position.play(Action(win.action, position))
        return actions

    def _longest(self, position: Position, win: Win, until: float | None) -> tuple[int, Win]:
        """The opponent's action that holds out longest, of those looked at by then, and the win that is left."""
        longest: tuple[int, Win] | None = None
        for reply, left in self.answers(position, win):
            if longest is None or left.turns > longest[1].turns:
                longest = reply, left
            if left.turns == win.turns - 1 or (until is not None and time.perf_counter() >= until):
                break
        assert longest is not None  # one who cannot move has lost or drawn
        return longest

    def answers(self, position: Position, win: Win) -> Iterator[tuple[int, Win]]:
        """Every legal action of the opponent's after the first of ``win``, with the win that is left then."""
        for action in position.legal_actions:
            after = position.play(action)
            left = Win(0, -1, win.mode) if after.is_over else self.shortest(after, win.turns - 1, win.mode)
            assert left is not None  # it was proved
            yield action.id, left

    def shortest(self, position: Position, most: int, mode: int) -> Win | None:
        """The win in the fewest turns, up to ``most``, as far as what ``mode`` tries shows; None if there is none."""
        for turns in range(1, most + 1):
            if self.ask(position, turns, mode):
                return self._win(position, turns, mode)
        return None

    def _win(self, position: Position, most: int, mode: int) -> Win:
        """The win of a position where one in ``most`` turns was just found."""
        row = self._turn(position)
        kernels, data = self._kernels, self.game.data
        kernels.count_windows(data, row, self._windows)
        action = int(kernels.winning_action(data, row, self._windows))
        if action >= 0:
            return Win(1, action, mode)
        slot = int(kernels.find_entry(self._proof, kernels.position_key(data, row, self._windows)))
        known = int(self._proof.table[slot + 1])
        assert slot >= 0
        assert 0 < known & 0xFF <= most
        return Win(known & 0xFF, ((known >> 8) & 0xFFFF) - 1, mode)
