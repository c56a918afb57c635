"""SanQi's rules over a row of integers. The rules are in docs/games/sanqi.md; words here are the designer's.

``layout`` lays the row out, ``moves`` lists what the mover may do, ``observation`` writes what a network sees,
``turns`` plays actions and judges.

The names here are those of the contract (``tercet.core.definition.Kernels``) and what the game's Python modules ask of
its kernels; how a row is laid out is in ``layout``.
"""

from tercet.games.sanqi.kernels.layout import (
    around,
    flip,
    mover,
    scores,
    status,
    type_at,
    types,
)
from tercet.games.sanqi.kernels.moves import (
    allows,
    legal,
    open_sampler,
    sample,
)
from tercet.games.sanqi.kernels.observation import (
    change_words,
    legal_words,
    observe,
    observe_words,
)
from tercet.games.sanqi.kernels.turns import (
    apply,
    clear,
    refresh,
    setup,
)

__all__ = [
    "allows",
    "apply",
    "around",
    "change_words",
    "clear",
    "flip",
    "legal",
    "legal_words",
    "mover",
    "observe",
    "observe_words",
    "open_sampler",
    "refresh",
    "sample",
    "scores",
    "setup",
    "status",
    "type_at",
    "types",
]
