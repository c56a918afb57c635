"""Triplicity's engine, and what its networks see.

``planner`` looks ahead for three players at ten strengths, with the solved endings of ``tablebase``.
``kernels`` are its compiled part, and what the general tree search may ask.
"""

from __future__ import annotations

from tercet.core.abilities.engine import EngineParts, MoverViews, NetParts, Planning, SearchKernels
from tercet.core.game import Game
from tercet.games.triplicity.engine import kernels
from tercet.games.triplicity.engine.kernels import evaluation, features
from tercet.games.triplicity.engine.planner import forced, make_planner, places, plans
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.notation import parts

# Kinds of an action's sites: where a man leaves, where it goes, where it becomes or is bought as each kind, where it is
# sacrificed.
LEAVES, GOES, BECOMES, BOUGHT, TAKEN_OFF = 0, 1, 2, 2 + layout.KING, 2 + 2 * layout.KING
KINDS = TAKEN_OFF + 1


def action_sites(game: Game) -> list[list[tuple[int, int]]]:
    """The cells that each action is about."""
    found: list[list[tuple[int, int]]] = []
    for action in range(layout.ACTIONS):
        source, target, kind = parts(game, action)
        if target < 0:
            found.append([])
        elif action >= layout.SACRIFICES:
            found.append([(target, TAKEN_OFF)])
        elif action >= layout.PURCHASES:
            found.append([(target, BOUGHT + kind - 1)])
        else:
            found.append([(source, LEAVES), (target, BECOMES + kind - 1 if kind else GOES)])
    return found


NETS = NetParts(
    kernels=features,
    sites=lambda _: layout.SIZE,
    scratch=lambda _: evaluation.WORK,
    places=places,
    variants=({},),
    views=MoverViews(players=3, action_weights=KINDS, action_sites=action_sites),
    teacher="level:8",
)

PARTS = EngineParts(
    search=SearchKernels(kernels, scratch=lambda rules: rules.max_legal + 1, spare=lambda _: 1),
    planning=Planning(plans, make_planner, forced),
    nets=NETS,
    kernels=12,
)
