"""How a game's kernels run (compiled, interpreted or as WebAssembly), and how they are bundled with generic ones."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeVar

from tercet import kernel
from tercet.core import playout

T = TypeVar("T")
EXECUTIONS = ("compiled", "interpreted", "wasm")


_chosen: dict[str, str] = {}


def usual_execution(name: str | None = None) -> str:
    """Return how the kernels of the game ``name`` run where no execution is given: as ``TERCET_EXECUTION`` says, else
    as :func:`choose_execution` chose, else ``"compiled"``, or ``"interpreted"`` where there is no compiler."""
    chosen = os.environ.get("TERCET_EXECUTION")
    return chosen or (_chosen.get(name) if name else None) or _default()


@functools.cache
def _default() -> str:
    return "compiled" if importlib.util.find_spec("numba") else "interpreted"


def choose_execution(name: str, execution: str) -> None:
    """Choose how the kernels of the game ``name`` run in this process from now on, unless the environment says. A
    :class:`~tercet.core.game.Game` keeps the execution that it was made with."""
    _chosen[name] = execution


@functools.cache
def bundle(name: str, modules: tuple[object, ...], execution: str) -> SimpleNamespace:
    """Return the kernels of ``modules`` for the game ``name``, each module built over those before it: they answer its
    abstract kernels, and where names are the same, the later one counts. Built once for all options."""
    known: dict[str, Any] = {}
    for module in modules:
        known |= vars(kernel.build(module, execution, name, known))
    return SimpleNamespace(**known)


@functools.cache
def entries(name: str, modules: tuple[object, ...], execution: str) -> tuple[Any, Any]:
    """Return ``playout.checked_step`` over a game's ``modules`` and its ``legal``, which do not look at arguments. They
    return new arrays like the ones that they take to write to: a row and its status, legal actions and their number."""
    kernels = bundle(name, (*modules, playout), execution)
    row, list_ = kernel.zeros(execution, 1, "int64"), kernel.zeros(execution, 1, "int32")
    return (
        kernel.entry(kernels.checked_step, list_, row, row, 0, 0, 0, list_, new=(2,)),
        kernel.entry(kernels.legal, list_, row, list_, new=(2,)),
    )


def maker(execution: str, length: int, kind: str) -> Callable[[], Any]:
    """Return a function that makes an array of ``length`` entries of ``kind`` ("int64", "int32") to be written."""
    if execution == "compiled":
        import numpy as np

        return functools.partial(np.empty, length, np.dtype(kind))
    return lambda: [0] * length


def blank_maker(kind: type[T]) -> Callable[[], T]:
    """Return a function that makes an object of a class with nothing in it, in CPython twice as fast as
    ``object.__new__(kind)``."""
    if sys.implementation.name != "cpython" or sys.platform == "emscripten":
        return functools.partial(object.__new__, kind)
    from tercet.kernel import functions

    made: Callable[[], T] = functions.blank_maker(kind)
    return made


class FixedList(list[int]):
    """The row of a position whose kernels are interpreted, read-only as an array is."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise ValueError("The row of a position is read-only. Change row.copy().")

    append = clear = extend = insert = pop = remove = reverse = sort = _refuse
    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)
