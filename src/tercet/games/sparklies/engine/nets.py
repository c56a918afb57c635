"""What networks of Sparklies see of games of two, and which sites an action is about."""

from __future__ import annotations

from pathlib import Path

from tercet.definition import MoverViews, NetParts, Rules, Strength
from tercet.game import Game
from tercet.games.sparklies.engine.kernels import features
from tercet.games.sparklies.kernels import layout

__all__ = ["NETS"]

PINGED, CONTROLLED, ACTIVATED = 0, 1, 2  # kinds of an action's sites


def sites(rules: Rules) -> int:
    """One for each ping."""
    return 3 * int(rules.data[layout.CELLS])


def action_sites(game: Game) -> list[list[tuple[int, int]]]:
    """A ping is its own site; controlling or activating a cell is about the cell with all colours, or with the one that
    it gets; to agree is about none."""
    data = game.data
    found = []
    for action in range(int(data[layout.ACTIONS])):
        if action < data[layout.CONTROLS]:
            about = [(action, PINGED)]
        elif action < data[layout.ACTIVATIONS]:
            about = _of_cell(action - int(data[layout.CONTROLS]), CONTROLLED, coloured=bool(data[layout.BLANK]))
        elif action < data[layout.AGREE]:
            about = _of_cell(action - int(data[layout.ACTIVATIONS]), ACTIVATED)
        else:
            about = []
        found.append(about)
    return found


def _of_cell(number: int, kind: int, *, coloured: bool = False) -> list[tuple[int, int]]:
    return [(number, kind)] if coloured else [(3 * number + colour, kind) for colour in range(3)]


NETS = NetParts(
    kernels=features,
    sites=sites,
    variants=(
        {"board": "6x6"},
        {"board": "8x8"},
        {"board": "6x6", "ruleset": "speed"},
        {"board": "8x8", "ruleset": "speed"},
        {"board": "6x6", "mode": "duel"},
    ),
    views=MoverViews(players=2, action_weights=3, action_sites=action_sites),
    teacher="level:6",
    shipped=(
        Path(__file__).with_name("sparklies.net"),
        "61fd88e364e156fc4a353b4c2c9e381d6ca691f21829280bf45150df524d7f51",
    ),
    levels=(
        *(Strength(24, 1.0), Strength(48, 1.0)),
        *(Strength(1, 0.6, net=True), Strength(1, 0.38, net=True), Strength(1, 0.12, net=True)),
        *(Strength(nodes, net=True, halving=True) for nodes in (2, 20, 32, 54)),
    ),
)
