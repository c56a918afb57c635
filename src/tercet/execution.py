"""How a game's kernels run, compiled or interpreted, and the generic functions over them, built once a game."""

from __future__ import annotations

import functools
import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.definition import GameDefinition

__all__ = ["EVENT_SIZE", "EXECUTIONS", "bundle", "entries", "usual_execution"]

EVENT_SIZE = 4  # integers that a kernel writes for one event
EXECUTIONS = ("compiled", "interpreted")


def usual_execution() -> str:
    """How kernels run where nobody says: what ``TERCET_EXECUTION`` (or its older name ``TERCET_MODE``) says, else
    ``"compiled"``."""
    return os.environ.get("TERCET_EXECUTION") or os.environ.get("TERCET_MODE") or "compiled"


@functools.cache
def bundle(definition: GameDefinition, execution: str) -> tuple[SimpleNamespace, SimpleNamespace]:
    """The definition's kernels and the generic functions over them, built once for all options."""
    from tercet import kernel, playout

    kernels = kernel.build(definition.kernels, execution, definition.name)
    parts: tuple[object, ...] = (definition.resignation, definition.agreement, definition.history)
    for part in parts:
        if part is not None and part is not definition.kernels:
            kernels.__dict__.update(vars(kernel.build(part, execution, definition.name)))
    return kernels, kernel.build(playout, execution, definition.name, vars(kernels))


@functools.cache
def entries(definition: GameDefinition, execution: str) -> tuple[Any, Any]:
    """``playout.checked_step`` and the game's ``legal``, ready to be called without a look at their arguments."""
    from tercet import kernel

    kernels, playout = bundle(definition, execution)
    if execution != "compiled":
        return playout.checked_step, kernels.legal
    import numpy as np

    row, list_ = np.empty(1, np.int64), np.empty(1, np.int32)
    return (
        kernel.entry(playout.checked_step, list_, row, row, 0, 0, 0, list_),
        kernel.entry(kernels.legal, list_, row, list_),
    )
