"""Triplicity's engine: a search for three players at eight strengths (``planner``, with the solved endings of
``tablebase``), and what the general tree search may ask (``kernels``)."""

from tercet.definition import EngineParts, Planning, SearchKernels
from tercet.games.triplicity.engine import kernels
from tercet.games.triplicity.engine.planner import make_planner, plans, scratch, spare

__all__ = ["PARTS", "kernels", "make_planner", "plans", "scratch", "spare"]

PARTS = EngineParts(search=SearchKernels(kernels, scratch, spare), planning=Planning(plans, make_planner))
