"""How a batch writes planes as whole numbers, for a game with :class:`~tercet.core.abilities.kernels.ScaledPlanes`."""

from __future__ import annotations

from typing import Any

from tercet.kernel import abstract, kernel


@abstract
def observe_scaled(rules: Any, row: Any, player: Any, out: Any) -> None: ...


@kernel
def show_scaled(rules: Any, row: Any, player: Any, _scales: Any, _cells: int, _planes: Any, out: Any) -> None:
    """Write the observation to ``out``."""
    observe_scaled(rules, row, player, out)
