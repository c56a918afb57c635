"""The matrices of a batch in the memory of this machine, the kernels that work on them, and the checks of arguments:
every refusal is a typed error that names the argument."""

from __future__ import annotations

import math
import os
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from tercet import kernel
from tercet.batch import bits, changed, entries, kernels, listed, rounded, scaled
from tercet.batch.kernels import Facts, Games, Scratch
from tercet.core import playout, rules
from tercet.core.definition import GameDefinition
from tercet.core.game import EVENT_SIZE, Game, Position
from tercet.errors import BatchError, IllegalBatchAction


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """``value`` as a whole number from ``low`` to ``high``; BatchError."""
    number = rules.whole(value)
    if number is None:
        raise BatchError(name, f"`{name}` must be a whole number, not {value!r}.")
    if number < low or (high is not None and number > high):
        bounds = f"at least {low}" if high is None else f"from {low} to {high}"
        raise BatchError(name, f"`{name}` must be {bounds}, not {number}.")
    return number


def choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """``value`` if it is one of ``choices``; BatchError."""
    if not isinstance(value, str) or value not in choices:
        raise BatchError(name, f"`{name}` must be one of {', '.join(choices)}, not {value!r}.")
    return value


def as_array(name: str, value: Any, shape: tuple[int, ...], kind: str) -> Any:
    """``value`` as an int64 (``kind`` ``"integer"``) or bool (``"bool"``) array of ``shape``, without a copy where it
    is one already. Anything that NumPy or DLPack can read is taken from this machine's memory; BatchError."""
    if isinstance(value, np.ndarray):
        array = value
    else:
        if hasattr(value, "__cuda_array_interface__"):
            raise BatchError(name, f"`{name}` is in the memory of a GPU, but this batch is on the CPU. Copy it first.")
        try:
            array = np.asarray(value)
        except (TypeError, ValueError, RuntimeError, BufferError) as error:
            raise BatchError(name, f"`{name}` cannot be read as an array: {error}.") from None
    if array.shape != shape:
        raise BatchError(name, f"`{name}` must have the shape {shape}, not {array.shape}.")
    if kind == "bool":
        if array.dtype != np.bool_:
            raise BatchError(name, f"`{name}` must have the type bool, not {array.dtype}.")
        return array
    if array.dtype.kind not in "iu":
        raise BatchError(name, f"`{name}` must have whole numbers, not {array.dtype}.")
    if array.dtype == np.uint64 and (array >> np.uint64(63)).any():
        raise BatchError(name, f"`{name}` must have numbers below 2**63.")
    return np.ascontiguousarray(array, np.int64)


def flags(name: str, value: Any, games: int) -> Any:
    """Return the chosen games as bool (games,), from such an array or from indices; None means all."""
    if value is None:
        return np.ones(games, np.bool_)
    array = np.asarray(value)
    if array.dtype == np.bool_:
        return np.ascontiguousarray(as_array(name, array, (games,), "bool"))
    chosen = np.zeros(games, np.bool_)
    if array.size == 0:
        return chosen
    if array.dtype.kind not in "iu" or array.ndim > 1:
        raise BatchError(name, f"`{name}` must be bool ({games},) or a list of games, not {array.dtype} {array.shape}.")
    wrong = array[(array < 0) | (array >= games)]
    if wrong.size:
        raise BatchError(name, f"`{name}` must name games from 0 to {games - 1}, not {wrong.flat[0]}.")
    chosen[array] = True
    return chosen


def refusal(position: Position, index: int, number: int) -> IllegalBatchAction:
    """Why game ``index``, where ``position`` is on the board, refuses action ``number``."""
    game = position.game
    if position.is_over:
        why = "The game is over. Reset it, or leave it out with `where`."
    elif not 0 <= number < game.rules.actions:
        why = f"There is no such action. Actions are numbered 0 to {game.rules.actions - 1}."
    else:
        why = game.definition.notation.why_not(game, position.row, number)
    return IllegalBatchAction(index, number, why)


def core_count() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def batch_kernels(definition: GameDefinition, mode: str) -> SimpleNamespace:
    """Return the kernels of this package over a game's, built in the given mode."""
    whole_numbers = rounded if definition.scaled is None else scaled
    if definition.bits is not None:
        return definition.bundle(mode, playout, whole_numbers, bits, kernels)
    listing = (definition.words, changed) if definition.words and kernel.chooses_bits_at_once(mode) else (listed,)
    return definition.bundle(mode, playout, whole_numbers, *listing, entries, kernels)


LINES = 128  # bytes of two cache lines


class BatchForm(NamedTuple):
    """What a batch writes of positions: masks as bytes, too, if ``bools``; observations if ``shown``, of ``entries`` of
    type ``dtype``."""

    bools: bool
    shown: bool
    entries: int
    dtype: Any


def sizes(game: Game, games: int, form: BatchForm) -> dict[str, tuple[tuple[int, ...], Any]]:
    """Shape and type of each matrix of :class:`~tercet.batch.kernels.Games`."""
    rules, players = game.rules, len(game.players)
    seen = (games, form.entries if form.shown else 0), form.dtype
    return {
        "rows": ((games, rules.row_size), np.int64),
        "seeds": ((games,), np.int64),
        "episodes": ((games,), np.int64),
        "plies": ((games,), np.int64),
        "done": ((games,), np.bool_),
        "statuses": ((games,), np.int64),
        "scores": ((games, players), np.float64),
        "movers": ((games,), np.int64),
        "agents": ((games, players), np.bool_),
        "counts": ((games,), np.int64),
        "words": ((games, 2 * ((rules.actions + 63) // 64)), np.uint32),
        "planes": ((games, plane_words(game)), np.uint32),
        "masks": ((games, rules.actions if form.bools else 0), np.bool_),
        "observations": seen,
        "terminal_rows": ((games, rules.row_size), np.int64),
        "terminal_observations": seen,
        "random": ((games,), np.int64),
    }


def plane_words(game: Game) -> int:
    """Words of the observation's bits, where the game writes it as such; else 1."""
    if game.definition.bits is None:
        return 1
    return len(game.rules.planes) * ((len(game.board) + 31) // 32)


def scratch_sizes(game: Game, workers: int) -> dict[str, tuple[tuple[int, ...], Any]]:
    """Shape and type of each matrix of :class:`~tercet.batch.kernels.Scratch`."""
    rules = game.rules
    return {
        "lists": ((workers, rules.max_legal + 1), np.int32),
        "events": ((workers, EVENT_SIZE * rules.max_events), np.int32),
        "rows": ((workers, rules.row_size), np.int64),
        "words": ((workers, plane_words(game)), np.uint32),
        "legal": ((workers, 32 * ((rules.actions + 1023) // 1024)), np.uint32),
        "planes": ((workers, len(rules.planes) * len(game.board)), np.float32),
        "numbers": ((workers, len(rules.planes) * len(game.board) + 32), np.uint8),
        "points": ((workers, len(game.players)), np.float64),
    }


def aligned_zeros(shape: tuple[int, ...], dtype: Any) -> Any:
    """Zeros that begin with a cache line: JAX takes over nothing else without a copy."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.zeros(size + LINES, np.uint8)
    first = -memory.ctypes.data % LINES
    return memory[first : first + size].view(dtype).reshape(shape)


def apart(shape: tuple[int, ...], dtype: Any) -> Any:
    """Zeros of at least ``shape`` (workers, entries), each worker's in cache lines of its own: two cores that write
    to one line wait for each other. Cores fetch lines in pairs."""
    each = LINES // np.dtype(dtype).itemsize
    return aligned_zeros((shape[0], -(-shape[1] // each) * each), dtype)


class Interpreted:
    """An array as interpreted kernels see it: one index at a time, and numbers that never overflow."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, index: int) -> Any:
        found = self.array[index]
        return Interpreted(found) if getattr(found, "ndim", 0) else found.item()

    def __setitem__(self, index: int, value: Any) -> None:
        self.array[index] = value

    def __len__(self) -> int:
        return len(self.array)


class Host:
    """A batch's matrices (``games``, a :class:`~tercet.batch.kernels.Games` of NumPy arrays) and what is done with
    them. Ranges of games go to ``threads`` threads."""

    def __init__(self, game: Game, facts: Facts, scales: Any, games: int, form: BatchForm, threads: int) -> None:
        self.size = games
        self._shape = (games, len(game.rules.planes), len(game.board))
        self._all = np.ones(games, np.bool_)
        self.arrays = Games(**{name: aligned_zeros(*each) for name, each in sizes(game, games, form).items()})
        self._kernels = batch_kernels(game.definition, game.execution)
        scratch = {name: apart(*each) for name, each in scratch_sizes(game, threads).items()}
        self._as: Any = Interpreted
        self._team: Any = None
        if game.execution == "compiled":
            from tercet.kernel.threads import ThreadTeam

            self._as, self._team = np.asarray, ThreadTeam(threads)
        self._games = Games(*map(self._as, self.arrays))
        self._common = (
            game.data,
            facts,
            self._as(scales),
            self._games,
            Scratch(**{k: self._as(v) for k, v in scratch.items()}),
        )
        self._facts = facts
        self._refused = np.empty(threads, np.int64)

    # what callers hand over and get

    def actions(self, name: str, value: Any) -> Any:
        """``value`` as whole numbers, one for each game."""
        return as_array(name, value, (self.size,), "integer")

    def flags(self, name: str, value: Any) -> Any:
        """Return the chosen games as a mask; None means all."""
        return self._all if value is None else flags(name, value, self.size)

    def new(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Return a new array."""
        return np.empty(shape, dtype)

    def as_planes(self, array: Any) -> Any:
        """(games, planes * cells) as (games, planes, cells), the same memory."""
        return array.reshape(self._shape)

    def as_bits(self, words: Any) -> Any:
        """Return the words of masks as bytes, the same memory."""
        return words.view(np.uint8)

    def read(self, name: str, index: int) -> Any:
        """Entry ``index`` of the matrix ``name``, a copy."""
        return getattr(self.arrays, name)[index].copy()

    def write(self, name: str, index: int, value: Any) -> None:
        """Make entry ``index`` of the matrix ``name`` be ``value``."""
        getattr(self.arrays, name)[index] = value

    def copy_from(self, other: Host) -> None:
        """Copy everything that ``other``, of the same shape, holds."""
        for mine, its in zip(self.arrays, other.arrays, strict=True):
            mine[...] = its

    def dump(self) -> list[Any]:
        """Return all that it holds, in the order of :class:`~tercet.batch.kernels.Games`, copies."""
        return [array.copy() for array in self.arrays]

    def load(self, arrays: list[Any]) -> None:
        """Restore what `dump` returned."""
        for mine, its in zip(self.arrays, arrays, strict=True):
            mine[...] = its

    # what is done with the games

    def _run(self, name: str, fixed: tuple[Any, ...], *changing: Any) -> None:
        """Run a kernel for all games."""
        function = getattr(self._kernels, name)
        if self._team is not None:
            self._team.run(function, fixed, changing, self.size)
        else:
            given = (self._as(value) if isinstance(value, np.ndarray) else value for value in changing)
            function(*fixed, *given, 0, self.size, 0)

    def refused(self, actions: Any, chosen: Any) -> int:
        """Return the first game, where ``chosen``, that refuses its action; -1 if none does."""
        rules, facts, _, games, _ = self._common
        self._refused.fill(self.size)
        self._run("refused_range", (rules, facts, games), actions, chosen, self._refused)
        index: int = min(self._refused.tolist())
        return index if index < self.size else -1

    def step(self, actions: Any, chosen: Any, seed: int) -> None:
        """Play ``actions``, which were checked, where ``chosen``."""
        self._run("step_range", self._common, actions, chosen, seed)

    def reset(self, chosen: Any, how: int, seed: int) -> None:
        """Begin an episode where ``chosen``, or describe the rows as they are: see `kernels.reset_range`."""
        self._run("reset_range", self._common, chosen, how, seed)

    def random(self, out: Any, chosen: Any) -> None:
        """Write random actions to ``out``, -1 where not ``chosen``."""
        self._run("random_range", (self._facts, self._games), out, chosen)

    def observe(self, rows: Any, players: Any, out: Any) -> None:
        """Write the observations of ``rows`` from the side of ``players`` to ``out``."""
        rules, facts, scales, _, scratch = self._common
        self._run("observe_range", (rules, facts, scales, scratch), rows, players, out)

    def playouts(self, totals: Any, plies: Any, rounds: int, limit: int) -> None:
        """Play random games out from each position."""
        rules, facts, _, games, scratch = self._common
        self._run("playout_range", (rules, facts, games, scratch), totals, plies, rounds, limit)
