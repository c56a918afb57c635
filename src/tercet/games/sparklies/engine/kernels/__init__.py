"""Searching a turn of Sparklies: whole chains, step by step, by a beam; what a position promises.

Nothing here restates a rule: choices come from ``kernels.legal``, consequences from ``kernels.apply``, and what an
attack is from ``kernels.succeeds``. A *turn* lasts while `in_turn` holds; a *final* is a row in which it has ended.

``search`` searches a turn by a beam, ``beam`` is its memory, ``evaluation`` what rows are worth and promise,
``patterns`` what they are worth by learnt weights, ``solitaire`` shows what a solitaire cannot be solved in.
"""

from tercet.games.sparklies.engine.kernels.beam import way
from tercet.games.sparklies.engine.kernels.evaluation import calmest, may_end, value
from tercet.games.sparklies.engine.kernels.search import judged, sweep
from tercet.games.sparklies.engine.kernels.solitaire import fills, may_fill

__all__ = ["calmest", "fills", "judged", "may_end", "may_fill", "sweep", "value", "way"]
