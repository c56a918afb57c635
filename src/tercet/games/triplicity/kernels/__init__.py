"""Triplicity's rules over a row of integers. The rules are in docs/games/triplicity.md; words here are the designer's.

``layout`` says how a position, an action and an event are written as integers, ``moves`` what is legal, ``turns`` what
follows, ``sampling`` draws random actions.

The names here are those of the contract (``tercet.core.definition.Kernels``) and what the game's Python modules ask of
its kernels; how a row is laid out is in ``layout``.
"""

from tercet.games.triplicity.kernels.actions import allows, becomes, promotes, reaches, source, target
from tercet.games.triplicity.kernels.layout import (
    cell_bit,
    king_cell,
    men_count,
    men_word,
    price,
    value,
)
from tercet.games.triplicity.kernels.moves import attacked, legal
from tercet.games.triplicity.kernels.sampling import (
    open_sampler,
    sample,
)
from tercet.games.triplicity.kernels.turns import (
    apply,
    draw_agreed,
    may_resign,
    mover,
    observe,
    refresh,
    resign,
    scores,
    setup,
    status,
)

__all__ = [
    "allows",
    "apply",
    "attacked",
    "becomes",
    "cell_bit",
    "draw_agreed",
    "king_cell",
    "legal",
    "may_resign",
    "men_count",
    "men_word",
    "mover",
    "observe",
    "open_sampler",
    "price",
    "promotes",
    "reaches",
    "refresh",
    "resign",
    "sample",
    "scores",
    "setup",
    "source",
    "status",
    "target",
    "value",
]
