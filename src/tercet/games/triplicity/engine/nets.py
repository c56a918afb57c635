"""What networks of Triplicity see: the board as ``kernels.features`` wants it, and which cells an action is about."""

from __future__ import annotations

from tercet.core.abilities.engine import MoverViews, NetParts
from tercet.core.game import Game
from tercet.core.rules import Rules
from tercet.games.triplicity.engine.kernels import evaluation, features
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.notation import parts

# Kinds of an action's sites: where a man leaves, where it goes, where it becomes or is bought as each kind, where it is
# sacrificed.
LEAVES, GOES, BECOMES, BOUGHT, TAKEN_OFF = 0, 1, 2, 2 + layout.KING, 2 + 2 * layout.KING
KINDS = TAKEN_OFF + 1


def sites(rules: Rules) -> int:  # noqa: ARG001  (all games' networks share this signature)
    """One for each cell."""
    return layout.SIZE


def scratch(rules: Rules) -> int:  # noqa: ARG001
    """Return what ``evaluation`` works with."""
    return evaluation.WORK


def places(game: Game) -> list[int]:
    """Return where each mover sees each cell: turned as White, Black and Red are turned into White."""
    turns = game.board.symmetries
    return [place for mover in range(3) for place in turns[(3 - mover) % 3]]


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
    sites=sites,
    scratch=scratch,
    places=places,
    variants=({},),
    views=MoverViews(players=3, action_weights=KINDS, action_sites=action_sites),
    teacher="level:8",
)
