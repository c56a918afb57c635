"""What SanQi answers the tree search (see ``tercet.engines.kernels.defaults`` for the questions).

``threats`` finds wins in one and what stops them, ``threat_space`` wins forced by threats, ``candidates`` what is worth
trying, ``rollouts`` plays random games without blunders, ``openings`` asks them once an opening leaves a turn to play.
"""

from tercet.games.sanqi.engine.kernels.openings import candidates, forced_win, quick_win, rollout

__all__ = ["candidates", "forced_win", "quick_win", "rollout"]
