"""What SanQi answers the tree search (see ``tercet.engines.kernels.defaults`` for the questions).

``threats`` finds wins in one and what stops them, ``solver`` wins forced by threats, ``candidates`` what is worth
trying, ``rollouts`` plays random games without blunders.
"""

from tercet.games.sanqi.engine.kernels.candidates import candidates
from tercet.games.sanqi.engine.kernels.proof import forced_win
from tercet.games.sanqi.engine.kernels.rollouts import rollout
from tercet.games.sanqi.engine.kernels.solver import quick_win

__all__ = ["candidates", "forced_win", "quick_win", "rollout"]
