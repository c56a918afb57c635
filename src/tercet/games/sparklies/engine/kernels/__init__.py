"""Searching a turn of Sparklies: whole chains, step by step, by a beam; what a position promises.

Nothing here restates a rule: choices come from ``kernels.legal``, consequences from ``kernels.apply``, and what an
attack is from ``kernels.succeeds``. A *turn* lasts while `in_turn` holds; a *final* is a row in which it has ended.

``knobs`` (int64) says how to search and receives what came of it. ``rows`` (int64) holds two generations of WIDTH rows
and then KEEP finals; ``marks`` (int64) holds MARK entries for each of them: VALUE, KEY (a hash), LINE, the last step of
the way there, and LAST, an action after that or -1. ``trace`` (int32) holds two entries for each step, the step before
(-1 for none) and the action. ``table`` (int64, TABLE entries) remembers the rows already met, so that a quadrille is
not danced for ever.
"""

from tercet.games.sparklies.engine.kernels.beam import way
from tercet.games.sparklies.engine.kernels.evaluation import calmest, may_end, value
from tercet.games.sparklies.engine.kernels.search import sweep
from tercet.games.sparklies.engine.kernels.solver import fills, may_fill

__all__ = ["calmest", "fills", "may_end", "may_fill", "sweep", "value", "way"]
