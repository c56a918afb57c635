"""What callers hand to a batch, checked: every refusal is a typed error that names the argument."""

from __future__ import annotations

from typing import Any

import numpy as np

from tercet.core import rules
from tercet.core.game import Position
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
