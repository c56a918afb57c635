"""What SanQi gives the tree search of its own: see ``tercet.engines.kernels.defaults`` for the questions it answers."""

from __future__ import annotations

from tercet.definition import EngineParts, Rules, SearchKernels
from tercet.games.sanqi import tactics as kernels

__all__ = ["PARTS", "kernels", "scratch", "spare"]


def scratch(rules: Rules) -> int:
    """Entries of scratch memory that ``kernels`` need."""
    return kernels.EVENTS + 2 * rules.actions + kernels.STACK


def spare(rules: Rules) -> int:
    """Words of ``hot`` memory: one for each type and row."""
    return rules.row_size


PARTS = EngineParts(search=SearchKernels(kernels, scratch, spare))
