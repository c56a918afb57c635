"""SanQi's engine: what it gives the general tree search of its own (``kernels``), and the memory that takes."""

from __future__ import annotations

from tercet.core.abilities.engine import EngineParts, SearchKernels
from tercet.core.rules import Rules
from tercet.games.sanqi.engine import kernels
from tercet.games.sanqi.engine.attention import attention
from tercet.games.sanqi.engine.kernels.threat_space import STACK
from tercet.games.sanqi.engine.kernels.threats import EVENTS
from tercet.games.sanqi.engine.nets import NETS
from tercet.games.sanqi.engine.openings import OPENINGS
from tercet.games.sanqi.engine.prover import Prover, new_memory

__all__ = ["PARTS", "kernels", "scratch", "spare"]


def scratch(rules: Rules) -> int:
    """Entries of scratch memory that ``kernels`` need."""
    return EVENTS + 2 * rules.actions + STACK


def spare(rules: Rules) -> int:
    """Words of ``hot`` memory: one for each type and row."""
    return rules.row_size


PARTS = EngineParts(
    search=SearchKernels(kernels, scratch, spare, new_memory),
    make_prover=Prover,
    openings=OPENINGS,
    nets=NETS,
    attention=attention,
    kernels=16,
)
