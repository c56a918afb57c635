"""How a batch writes the planes of any game as whole numbers: each plane times its scale, rounded and cut at 255."""

from __future__ import annotations

from typing import Any

from tercet.core.playout import observe
from tercet.kernel import kernel, u


@kernel
def show_scaled(rules: Any, row: Any, player: Any, scales: Any, cells: int, planes: Any, out: Any) -> None:
    """Write the observation to ``out``; ``planes`` has room for it as fractions."""
    observe(rules, row, player, planes)  # type: ignore[no-untyped-call]
    for plane in range(len(scales)):
        scale = scales[plane]
        for index in range(plane * cells, plane * cells + cells):
            out[u(index)] = int(min(planes[u(index)] * scale + 0.5, 255.0))
