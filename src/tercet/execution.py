"""How a game's kernels run, compiled or interpreted, and the generic functions over them, built once a game."""

from __future__ import annotations

import functools
import os
from types import SimpleNamespace
from typing import Any

from tercet import kernel, playout

__all__ = ["EXECUTIONS", "bundle", "choose_execution", "entries", "usual_execution"]

EXECUTIONS = ("compiled", "interpreted", "wasm")


_chosen: dict[str, str] = {}


def usual_execution(name: str | None = None) -> str:
    """Return how the kernels of the game ``name`` run where no execution is given: as ``TERCET_EXECUTION`` says, else
    as :func:`choose_execution` chose, else ``"compiled"``."""
    chosen = os.environ.get("TERCET_EXECUTION")
    return chosen or (_chosen.get(name) if name else None) or "compiled"


def choose_execution(name: str, execution: str) -> None:
    """Choose how the kernels of the game ``name`` run in this process from now on, unless the environment says. A
    :class:`~tercet.game.Game` keeps the execution that it was made with."""
    _chosen[name] = execution


@functools.cache
def bundle(name: str, modules: tuple[object, ...], execution: str) -> tuple[SimpleNamespace, SimpleNamespace]:
    """Return the kernels of the game ``name``, which ``modules`` hold (``definition.kernel_modules``), and the
    functions of :mod:`tercet.playout` over them, built once for all options."""
    kernels = SimpleNamespace()
    for module in modules:
        kernels.__dict__.update(vars(kernel.build(module, execution, name)))
    return kernels, kernel.build(playout, execution, name, vars(kernels))


@functools.cache
def entries(name: str, modules: tuple[object, ...], execution: str) -> tuple[Any, Any]:
    """Return ``playout.checked_step`` and the game's ``legal``, ready to be called without a look at their
    arguments."""
    kernels, over = bundle(name, modules, execution)
    if execution != "compiled":
        return over.checked_step, kernels.legal
    import numpy as np

    row, list_ = np.empty(1, np.int64), np.empty(1, np.int32)
    return (
        kernel.entry(over.checked_step, list_, row, row, 0, 0, 0, list_),
        kernel.entry(kernels.legal, list_, row, list_),
    )
