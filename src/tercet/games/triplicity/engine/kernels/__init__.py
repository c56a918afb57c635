"""Triplicity's own search, as kernels: ``evaluate`` what a position is worth, ``hashing`` its key, ``ordering`` what to
look at first, ``alphabeta`` the search, ``maxn`` another in which everybody plays for himself."""

from tercet.games.triplicity.tactics.alphabeta import advance, begin, search
from tercet.games.triplicity.tactics.evaluate import standing, strengths, worth
from tercet.games.triplicity.tactics.hashing import follow_key, men_key, position_key
from tercet.games.triplicity.tactics.maxn import search_each

__all__ = [
    "advance",
    "begin",
    "follow_key",
    "men_key",
    "position_key",
    "search",
    "search_each",
    "standing",
    "strengths",
    "worth",
]
