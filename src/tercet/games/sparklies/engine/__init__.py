"""Sparklies' engine: ``planner`` plays whole turns at eight strengths, ``search`` searches one turn, ``solver`` solves
solitaires, ``exploration`` answers the page's questions. A duel is left to the general tree search."""

from __future__ import annotations

from tercet.definition import Rules
from tercet.game import Game
from tercet.games.sparklies.engine import kernels
from tercet.games.sparklies.engine.planner import make_planner, plans

__all__ = ["kernels", "make_planner", "plans", "scratch", "spare", "warm"]


def scratch(_rules: Rules) -> int:
    """Entries of scratch memory that tree search must give ``kernels``: they have nothing for it."""
    return 1


def spare(_rules: Rules) -> int:
    """Likewise."""
    return 1


def warm() -> None:
    """Run once what neither play nor questions run: the solver of solitaires."""
    from tercet.games.sparklies import DEFINITION
    from tercet.games.sparklies.engine.solver import solve

    solve(Game(DEFINITION, {"board": "3x3", "ruleset": "speed", "players": 1}, "compiled").start(1), 2.0)
