"""The compiled part of Triplicity's engine: ``evaluation`` what a position is worth, ``hashing`` its key, ``ordering``
what to look at first, ``alphabeta`` the search, ``maxn`` another in which everybody plays for himself, ``solver`` what
the general tree search may ask, ``tablebase`` the solved endings."""

from tercet.games.triplicity.engine.kernels.alphabeta import advance, begin, search
from tercet.games.triplicity.engine.kernels.evaluation import standing, strengths, worth
from tercet.games.triplicity.engine.kernels.hashing import follow_key, men_key, position_key
from tercet.games.triplicity.engine.kernels.maxn import search_each
from tercet.games.triplicity.engine.kernels.solver import quick_win

__all__ = [
    "advance",
    "begin",
    "follow_key",
    "men_key",
    "position_key",
    "quick_win",
    "search",
    "search_each",
    "standing",
    "strengths",
    "worth",
]
