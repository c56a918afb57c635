"""How easily actions of SanQi are seen: a pattern that lacks one piece at once, what is far from all pieces hardly."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

from tercet.core.attention import Glance
from tercet.core.game import Position
from tercet.games.sanqi.engine.kernels.candidates import AFRAID, promise
from tercet.games.sanqi.engine.kernels.threats import EVENTS, completions
from tercet.games.sanqi.kernels import layout
from tercet.kernel import build, zeros

WINNING, STOPPING = 1.0, 0.5  # actions that complete a pattern of the mover's, or are where the opponent would
BUILDING, MOST = 0.06, 0.6  # for each point of `promise`, at most
NEAR = 0.12  # beside a piece


@functools.cache
def _kernels(execution: str) -> SimpleNamespace:
    return build(SimpleNamespace(promise=promise, completions=completions), execution, "sanqi")


def attention(position: Position) -> list[Glance]:
    """Each legal action with its cell as the topic: how much it builds or breaks, and whether it is near anything."""
    game = position.game
    own = _kernels(game.execution)
    size, row = len(game.board), position.row.copy()
    scratch, hot = _memory(game.execution, EVENTS + 3 * size + game.rules.max_legal, game.rules.row_size)
    ids = [int(action) for action in position.legal_actions.ids]
    seen: dict[int, float] = {}
    own.promise(game.data, row, scratch, hot)
    side = int(row[layout.MOVER])
    pieces = [int(game.kernels.type_at(game.data, row, cell)) > 0 for cell in range(size)]
    near = [any(near < size and pieces[near] for near in game.board.neighbours[cell]) for cell in range(size)]
    for action in ids:
        if action >= 3 * size:  # a choice of the opening: every player sees it
            seen[action] = WINNING
            continue
        building = BUILDING * max(0, int(scratch[EVENTS + action]) - AFRAID)
        seen[action] = min(MOST, building + NEAR * near[action // 3])
    for player, found in ((1 - side, STOPPING), (side, WINNING)):
        wins = completing(position, player)
        cells = {action // 3 for action in wins}
        for action in ids:
            if action in wins or (player != side and action // 3 in cells):
                seen[action] = max(seen[action], found)
    return [Glance(action // 3, seen[action]) for action in ids]


def completing(position: Position, player: int) -> set[int]:
    """Return the actions that would complete a pattern with which ``player`` (0 First, 1 Second) wins, were it that
    player's turn: for the side to move as ko has it now, for the other one without ko."""
    game, row = position.game, position.row.copy()
    scratch, hot = _memory(game.execution, EVENTS + 3 * len(game.board) + game.rules.max_legal, game.rules.row_size)
    if player != row[layout.MOVER]:
        row[layout.KO] = 0
    count = _kernels(game.execution).completions(game.data, row, player, hot, scratch, EVENTS)
    return {int(scratch[EVENTS + place]) for place in range(count)}


def _memory(execution: str, scratch: int, hot: int) -> tuple[Any, Any]:
    return zeros(execution, scratch, "int32"), zeros(execution, hot, "int64")
