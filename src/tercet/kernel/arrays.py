"""Memory for kernels, in the form that each way of running them takes: NumPy arrays, lists, or WebAssembly's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.kernel.webassembly import from_values, new_zeros


def zeros(execution: str, shape: int | tuple[int, int], kind: str) -> Any:
    """Return an array of zeros of a ``kind`` such as "int32" for kernels that are run by ``execution``: one of a length
    or, in two dimensions, one whose rows are arrays."""
    lengths = (shape,) if isinstance(shape, int) else shape
    if execution == "compiled":
        import numpy as np

        return np.zeros(lengths, kind)
    if execution == "wasm":
        return new_zeros(lengths, kind)
    zero = 0.0 if kind.startswith("float") else 0
    return [zero] * lengths[0] if len(lengths) == 1 else [[zero] * lengths[1] for _ in range(lengths[0])]


def array(execution: str, values: Sequence[Any], kind: str) -> Any:
    """Return ``values`` as an array of one dimension for kernels that are run by ``execution``."""
    if execution == "compiled":
        import numpy as np

        return np.array(values, kind)
    if execution == "wasm":
        return from_values(values, kind)
    return values.tolist() if hasattr(values, "tolist") else list(values)


def clear(memory: Any) -> None:
    """Fill an array of one dimension with zeros."""
    if isinstance(memory, memoryview):
        memory.cast("B")[:] = bytes(memory.nbytes)
    elif isinstance(memory, list):
        memory[:] = [type(memory[0])()] * len(memory) if memory else []
    else:
        memory.fill(0)


def copied(part: Any) -> Any:
    """Return a copy of a part of an array, in the form that rows have: a list, or an array of NumPy's."""
    return part.tolist() if isinstance(part, memoryview) else part.copy()
