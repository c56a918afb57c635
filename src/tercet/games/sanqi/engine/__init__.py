"""SanQi's engine: what the tree search asks of it, what its networks see, and how easily actions are seen."""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tercet.core.abilities.engine import EngineParts, NetParts, SearchKernels
from tercet.core.boards import Board
from tercet.core.game import Game, Position
from tercet.core.rules import Rules
from tercet.core.view import Glance
from tercet.games.sanqi.engine import kernels
from tercet.games.sanqi.engine.kernels import AFRAID, features, promise
from tercet.games.sanqi.engine.kernels.threats import EVENTS, STACK, completions
from tercet.games.sanqi.engine.openings import OPENINGS
from tercet.games.sanqi.engine.prover import Prover, new_memory
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.rules import has_designers_goals, patterns
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
    return {int(scratch[EVENTS + index]) for index in range(count)}


def _memory(execution: str, scratch: int, hot: int) -> tuple[Any, Any]:
    return zeros(execution, scratch, "int32"), zeros(execution, hot, "int64")


def places(game: Game) -> list[int]:
    """The windows and borders of a board: see ``kernels.features``. Where a line is not six in a row, the windows
    of lines are still of six: a network learns what several of them are worth."""
    board = game.board
    windows = [(*cells, *_sorts(board, name, cells)) for name, found in patterns(board).items() for cells in found]
    borders = [min(distance, features.BORDERS - 1) for distance in _from_border(board)]
    return [len(windows), *borders, *(entry for window in windows for entry in window)]


def _sorts(board: Board, name: str, cells: tuple[int, ...]) -> list[int]:
    """Return which sort of cell of the pattern each of its ``cells``, in rising order, is: a line's along it."""
    if name == "circle":
        return [features.CIRCLE_CELL] * 6
    if name == "line":
        half = [features.LINE_END, features.LINE_INNER, features.LINE_MIDDLE]
        return [*half, *half[::-1]]
    inside = [sum(other in board.neighbours[cell] for other in cells) for cell in cells]
    return [features.CORNER if count == 2 else features.EDGE for count in inside]


def _from_border(board: Board) -> list[int]:
    """Return how many steps each cell is from the nearest one at the border."""
    side = 1 + max(q for q, _ in board.coordinates)
    return [side - 1 - max(abs(q), abs(r), abs(q + r)) for q, r in board.coordinates]


NETS = NetParts(
    kernels=features,
    sites=lambda rules: rules.actions,
    scratch=lambda rules: int(rules.data[layout.SIZE]),
    places=places,
    variants=({"side": 5}, {"side": 6}, {"side": 7}, {"side": 8}),
    suits=lambda game: has_designers_goals(game.options),
    shipped=(Path(__file__).with_name("sanqi.net"), "a9a111afda4023f867e3c79fdb4ad4a4bd16a7cd2dd2b1774cc0efe6a7ab25fd"),
)


def scratch(rules: Rules) -> int:
    """Entries of scratch memory that ``kernels`` need."""
    return EVENTS + 2 * rules.actions + STACK


PARTS = EngineParts(
    search=SearchKernels(kernels, scratch, lambda rules: rules.row_size, new_memory),
    make_prover=Prover,
    openings=OPENINGS,
    nets=NETS,
    attention=attention,
    kernels=16,
)
