"""Sparklies' engine: ``planner`` plays whole turns at ten strengths, ``search`` searches one turn, ``solver`` solves
solitaires, ``exploration`` answers the page's questions, ``nets`` says what networks see. A duel is left to the general
tree search."""

from __future__ import annotations

from tercet.core.abilities.engine import EngineParts, Planning
from tercet.core.game import Game
from tercet.games import game_definition
from tercet.games.sparklies.engine.nets import NETS
from tercet.games.sparklies.engine.planner import make_planner, plans

__all__ = ["PARTS", "make_planner", "plans", "warm"]


def warm() -> None:
    """Run once what neither play nor questions run: the solver of solitaires."""
    from tercet.games.sparklies.engine.solver import solve

    game = Game(game_definition("sparklies"), {"board": "3x3", "ruleset": "speed", "players": 1}, "compiled")
    solve(game.start(1), 2.0)


PARTS = EngineParts(planning=Planning(plans, make_planner), nets=NETS, warm=warm, kernels=10)
