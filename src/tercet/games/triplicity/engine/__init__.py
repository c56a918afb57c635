"""Triplicity's engine: ``planner`` looks ahead for three players at ten strengths (``levels``) by ``search``, with
the solved endings of ``tablebase``; ``nets`` says what networks see; ``kernels`` are its compiled part, and what the
general tree search may ask."""

from __future__ import annotations

from tercet.core.abilities.engine import EngineParts, Planning, SearchKernels
from tercet.core.rules import Rules
from tercet.games.triplicity.engine import kernels
from tercet.games.triplicity.engine.nets import NETS
from tercet.games.triplicity.engine.planner import make_planner, plans

__all__ = ["PARTS", "kernels", "make_planner", "plans", "scratch", "spare"]


def scratch(rules: Rules) -> int:
    """Entries of scratch memory that ``kernels`` need."""
    return rules.max_legal + 1


def spare(rules: Rules) -> int:  # noqa: ARG001  (all games' engines share this signature)
    """Words of ``spare`` memory: none."""
    return 1


PARTS = EngineParts(
    search=SearchKernels(kernels, scratch, spare),
    planning=Planning(plans, make_planner),
    nets=NETS,
    kernels=12,
)
