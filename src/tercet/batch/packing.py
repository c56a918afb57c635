"""Packed observations: how long they are, and how a learner unpacks them."""

from __future__ import annotations

import itertools
import sys
from typing import Any

from tercet.core.game import Game


def plane_bytes(game: Game) -> list[tuple[bool, int]]:
    """Return for each plane whether it has a scale, and its bytes: a bit for each cell or, with a scale, a byte; whole
    words of 32 bits."""
    scales = game.rules.plane_scales or (1.0,) * len(game.rules.planes)
    return [(scale != 1, 4 * -(-len(game.board) // (32 if scale == 1 else 4))) for scale in scales]


def unpack(game: Game, packed: Any) -> Any:
    """Return packed observations, uint8 (games, bytes), as a batch with ``packed=False`` shows them: uint8 (games,
    planes, cells).

    ``packed`` is an array of NumPy, PyTorch or JAX, and so is what is returned, on the same device.
    """
    module = type(packed).__module__.partition(".")[0]
    library: Any = sys.modules["jax.numpy" if module.startswith("jax") else module]
    parts: list[Any] = []
    at = 0
    for (has_scale, size), group in itertools.groupby(plane_bytes(game)):
        planes = len(list(group))
        part = packed[:, at : at + planes * size]
        at += planes * size
        if not has_scale:
            part = library.stack([(part >> bit) & 1 for bit in range(8)], -1)
        parts.append(part.reshape(len(packed), planes, -1)[:, :, : len(game.board)])
    return library.concatenate(parts, 1)
