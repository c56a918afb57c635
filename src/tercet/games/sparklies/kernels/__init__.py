"""Sparklies' rules over a row of integers. The rules are in docs/games/sparklies.md; words here are the designers'.

``layout`` lays the row out, ``chain`` pings and captures, ``turns`` plays actions, ``moves`` lists them.

The names here are those of the contract (``tercet.core.definition.Kernels``) and what the game's Python modules ask of
its kernels; how a row is laid out is in ``layout``.
"""

from tercet.games.sparklies.kernels.chain import (
    attacked,
    neighbour,
    targets,
)
from tercet.games.sparklies.kernels.layout import (
    colour_at,
    holder_at,
    is_active,
    is_flag,
    mover,
    refresh,
    scores,
    setup,
    status,
)
from tercet.games.sparklies.kernels.moves import (
    allows,
    forced_colour,
    legal,
    may_ping,
    observe,
    open_sampler,
    sample,
)
from tercet.games.sparklies.kernels.turns import (
    apply,
    forget,
    most_resolutions,
    occurs_again,
    resolver,
)

__all__ = [
    "allows",
    "apply",
    "attacked",
    "colour_at",
    "forced_colour",
    "forget",
    "holder_at",
    "is_active",
    "is_flag",
    "legal",
    "may_ping",
    "most_resolutions",
    "mover",
    "neighbour",
    "observe",
    "occurs_again",
    "open_sampler",
    "refresh",
    "resolver",
    "sample",
    "scores",
    "setup",
    "status",
    "targets",
]
