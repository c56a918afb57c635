"""A batch in the memory of a GPU: the same kernels, compiled by numba-cuda, one thread a game.

Without a GPU the same code runs in Numba's simulator (``NUMBA_ENABLE_CUDASIM=1``), interpreted and slow: for tests.
"""

from __future__ import annotations

import functools
import importlib.util
import os
from types import SimpleNamespace
from typing import Any

import numpy as np

from tercet.batch.host import BatchForm, Interpreted, as_array, batch_kernels, flags, scratch_sizes, sizes
from tercet.batch.kernels import Facts, Games, Scratch
from tercet.core.definition import GameDefinition
from tercet.core.game import Game
from tercet.errors import BatchError, needs_extra


def simulated() -> bool:
    """Return whether Numba's simulator stands in for a GPU."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") == "1"


def _cuda() -> Any:
    """Return the module ``numba.cuda`` where there is something to run on; BatchError says what is missing."""
    if not simulated() and importlib.util.find_spec("numba_cuda") is None:
        raise BatchError("device", needs_extra("cuda", "numba_cuda"))
    from numba import cuda

    if not simulated() and not cuda.is_available():
        raise BatchError("device", 'CUDA finds no GPU that it can use on this machine. Use device="cpu".')
    return cuda


def kernels_of(definition: GameDefinition) -> SimpleNamespace:
    """Return the kernels of a batch as device functions."""
    return batch_kernels(definition, "interpreted" if simulated() else "cuda")


@functools.cache
def _launches(definition: GameDefinition) -> SimpleNamespace:
    from tercet.batch.launch import launches

    found: SimpleNamespace = launches(kernels_of(definition))  # type: ignore[no-untyped-call]
    return found


class Device:
    """What :class:`~tercet.batch.host.Host` is, on a GPU. ``order`` is ``"C"`` (a game's entries beside each other) or
    ``"F"`` (the same entry of all games), ``block`` the threads of a block."""

    def __init__(
        self, game: Game, facts: Facts, scales: Any, games: int, form: BatchForm, order: str, block: int
    ) -> None:
        self._cuda = _cuda()
        self.size, self.order, self.block = games, order, block
        self._shape = (games, len(game.rules.planes), len(game.board))
        self._launch = _launches(game.definition)
        self.arrays = Games(**self._arrays(sizes(game, games, form)))
        self._games = Games(*map(self._as, self.arrays))
        self._facts = facts
        self._rules = self._as(self._cuda.to_device(game.data))
        self._scales = self._as(self._cuda.to_device(scales))
        scratch = self._arrays(scratch_sizes(game, games))
        self._scratch = Scratch(**{name: self._as(array) for name, array in scratch.items()})
        self._all = self._cuda.to_device(np.ones(games, np.bool_))

    def _arrays(self, wanted: dict[str, tuple[tuple[int, ...], Any]]) -> dict[str, Any]:
        """Arrays on the device, all 0."""
        found = {}
        for name, (shape, dtype) in wanted.items():
            array = self.new(shape, dtype)
            if simulated():
                array[...] = 0
            elif array.size:
                from numba.cuda.cudadrv.driver import device_memset

                device_memset(array, 0, array.nbytes)
            found[name] = array
        return found

    def _as(self, array: Any) -> Any:
        """``array`` as kernels take it."""
        return Interpreted(array.copy_to_host() if not hasattr(array, "_ary") else array._ary) if simulated() else array

    def _run(self, kernel: Any, threads: int, *arguments: Any) -> None:
        kernel[(threads + self.block - 1) // self.block, self.block](*arguments)

    # what callers hand over and get

    def actions(self, name: str, value: Any) -> Any:
        """``value`` on the device as whole numbers, one for each game; taken as it is where it lies there."""
        if not hasattr(value, "__cuda_array_interface__") or simulated():
            host = value.copy_to_host() if hasattr(value, "copy_to_host") else value
            return self._cuda.to_device(as_array(name, host, (self.size,), "integer"))
        array = self._cuda.as_cuda_array(value)
        if array.shape != (self.size,):
            raise BatchError(name, f"`{name}` must have the shape {(self.size,)}, not {array.shape}.")
        if array.dtype not in (np.dtype(np.int64), np.dtype(np.int32)):
            raise BatchError(name, f"`{name}` must have the type int64 or int32, not {array.dtype}.")
        return array

    def flags(self, name: str, value: Any) -> Any:
        """Return the chosen games as a mask on this machine; None means all."""
        if hasattr(value, "__cuda_array_interface__") and not simulated():
            value = self._cuda.as_cuda_array(value)
        return flags(name, value.copy_to_host() if hasattr(value, "copy_to_host") else value, self.size)

    def new(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Return a new array there."""
        return self._cuda.device_array(shape, dtype, order=self.order if len(shape) > 1 else "C")

    def as_planes(self, array: Any) -> Any:
        """(games, planes * cells) as (games, planes, cells), the same memory."""
        item = array.dtype.itemsize
        games, _, cells = self._shape
        strides = (item * self._shape[1] * cells, item * cells, item)
        if self.order == "F":
            strides = (item, item * games * cells, item * games)
        return self._strided(array, self._shape, strides)

    def as_bits(self, words: Any) -> Any:
        """Return the words of masks as bytes where these lie side by side, else as they are."""
        if self.order == "F" or simulated():
            return words
        return words.view(np.uint8)

    def _strided(self, array: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
        if simulated():
            kind = type(array)
            return kind(np.lib.stride_tricks.as_strided(array._ary, shape, strides))
        from numba.cuda.cudadrv.devicearray import DeviceNDArray

        return DeviceNDArray(shape, strides, array.dtype, gpu_data=array.gpu_data)

    def read(self, name: str, index: int) -> Any:
        """Entry ``index`` of the matrix ``name``, on this machine."""
        matrix = getattr(self.arrays, name)
        if matrix.ndim == 1:
            return np.array(matrix[index], matrix.dtype)
        line = self._cuda.device_array(matrix.shape[1], matrix.dtype)
        self._run(self._launch.read_line, matrix.shape[1], matrix, index, line, matrix.shape[1])
        return line.copy_to_host()

    def write(self, name: str, index: int, value: Any) -> None:
        """Make entry ``index`` of the matrix ``name`` be ``value``."""
        matrix = getattr(self.arrays, name)
        if matrix.ndim == 1:
            matrix[index] = matrix.dtype.type(value)
            return
        line = self._cuda.to_device(np.ascontiguousarray(value, matrix.dtype))
        self._run(self._launch.write_line, matrix.shape[1], matrix, index, line, matrix.shape[1])

    def copy_from(self, other: Device) -> None:
        """Copy everything that ``other``, of the same shape, holds."""
        for mine, its in zip(self.arrays, other.arrays, strict=True):
            if mine.size:
                mine.copy_to_device(its)

    def dump(self) -> list[Any]:
        """Return all that it holds, in the order of :class:`~tercet.batch.kernels.Games`, on this machine."""
        return [array.copy_to_host() for array in self.arrays]

    def load(self, arrays: list[Any]) -> None:
        """Restore what `dump` returned."""
        for mine, its in zip(self.arrays, arrays, strict=True):
            if its.size:
                mine.copy_to_device(np.asfortranarray(its) if self.order == "F" and its.ndim > 1 else its)

    # what is done with the games

    def refused(self, actions: Any, chosen: Any) -> int:
        """Return the first game, where ``chosen``, that refuses its action; -1 if none does."""
        first = self._cuda.to_device(np.array([self.size], np.int64))
        chosen = self._chosen(chosen)
        self._run(
            self._launch.refused, self.size, self._rules, self._facts, self._games, self._as(actions), chosen, first,
            self.size,
        )  # fmt: skip
        found = int(first.copy_to_host()[0])
        return found if found < self.size else -1

    def _chosen(self, chosen: Any) -> Any:
        return self._as(self._all if chosen.all() else self._cuda.to_device(chosen))

    def _common(self) -> tuple[Any, ...]:
        return self._rules, self._facts, self._scales, self._games, self._scratch

    def step(self, actions: Any, chosen: Any, seed: int) -> None:
        """Play ``actions``, which were checked, where ``chosen``."""
        self._run(
            self._launch.step, self.size, *self._common(), self._as(actions), self._chosen(chosen), seed, self.size
        )

    def reset(self, chosen: Any, how: int, seed: int) -> None:
        """Begin an episode where ``chosen``, or describe the rows as they are: see `kernels.reset_range`."""
        self._run(self._launch.reset, self.size, *self._common(), self._chosen(chosen), how, seed, self.size)

    def random(self, out: Any, chosen: Any) -> None:
        """Write random actions to ``out``, -1 where not ``chosen``."""
        self._run(
            self._launch.random, self.size, self._facts, self._games, self._as(out), self._chosen(chosen), self.size
        )

    def observe(self, rows: Any, players: Any, out: Any) -> None:
        """Write the observations of ``rows`` from the side of ``players`` to ``out``."""
        players = self._as(self._cuda.to_device(players))
        rules, facts, scales, _, scratch = self._common()
        self._run(
            self._launch.observe, self.size, rules, facts, scales, scratch, self._as(rows), players, self._as(out),
            self.size,
        )  # fmt: skip

    def playouts(self, totals: Any, plies: Any, rounds: int, limit: int) -> None:
        """Play random games out from each position."""
        self._run(
            self._launch.playouts, self.size, self._rules, self._facts, self._games, self._scratch, self._as(totals),
            self._as(plies), rounds, limit, self.size,
        )  # fmt: skip
