"""Sparklies' engine, and what its networks see of games of two.

``planner`` plays whole turns at ten strengths, ``search`` searches one turn, ``solver`` solves solitaires. A duel is
left to the general tree search.
"""

from __future__ import annotations

from pathlib import Path

from tercet.core.abilities.engine import EngineParts, MoverViews, NetParts, Planning, Strength
from tercet.core.game import Game
from tercet.core.rules import Rules
from tercet.games import game_definition
from tercet.games.sparklies.engine.kernels import features
from tercet.games.sparklies.engine.planner import make_planner, plans
from tercet.games.sparklies.kernels import layout

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


def levels(game: Game) -> tuple[Strength, ...]:
    """Of the Duel: as far apart on small boards as on large ones, if the two weakest, which have no network, play the
    more games at random the more cells there are."""
    cells = sites(game.rules) // 3
    return (
        *(Strength(2 * cells // 3, 1.0), Strength(13 * cells // 9, 1.0)),
        *(Strength(1, overlooks, net=True) for overlooks in (0.59, 0.34, 0.02)),
        *(Strength(nodes, net=True, halving=True) for nodes in (2, 20, 32, 60)),
    )


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
    levels=levels,
)


def warm() -> None:
    """Run once what neither play nor questions run: the solver of solitaires."""
    from tercet.games.sparklies.engine.solver import solve

    game = Game(game_definition("sparklies"), {"board": "3x3", "ruleset": "speed", "players": 1}, "compiled")
    solve(game.start(1), 2.0)


PARTS = EngineParts(planning=Planning(plans, make_planner), nets=NETS, warm=warm, kernels=10)
