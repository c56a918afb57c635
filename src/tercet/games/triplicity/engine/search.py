"""Searches of one game of Triplicity: their memory and kernels, the settings of ten levels, the points of positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from tercet import kernel
from tercet.core.execution import bundle
from tercet.core.game import Game, Position
from tercet.games.triplicity.engine.kernels import alphabeta, evaluation, maxn
from tercet.games.triplicity.engine.kernels import memory as layout
from tercet.games.triplicity.engine.kernels import search as loop
from tercet.games.triplicity.engine.kernels.memory import BEST_REPLY
from tercet.games.triplicity.kernels import layout as board


@dataclass(frozen=True)
class SearchSettings:
    """How much a level sees. ``depth`` actions ahead and ``nodes`` at most (None: as far as time allows), then up to
    ``calm`` captures; of the first actions it overlooks so large a share of the quiet ones (``overlooks``, see
    :mod:`tercet.core.view`). Positions worth the same give or take
    ``noise`` are the same to it. ``mode`` is how it thinks of its enemies, ``wide`` how many quiet actions it looks at
    for each one left, ``late`` from which one on less deeply, ``margin`` how many points a quiet action is trusted to
    bring. ``drawn`` is how many points less than its share a draw is worth to it, ``table`` the logarithm of how many
    positions it remembers; ``endings`` whether it knows the solved ones; ``wary`` whether it thinks of both enemies
    where its last king is in danger (see ``kernels.alphabeta``)."""

    depth: int | None = None
    nodes: int | None = None
    calm: int = 6
    overlooks: float = 0.0
    noise: int = 7
    mode: int = BEST_REPLY
    wide: int = 40
    late: int = 24
    margin: int = 150
    drawn: int = 300
    table: int = 18
    endings: bool = False
    wary: bool = False


# Wanting more than a draw was measured to win for who looks ahead little, and not for who looks ahead far.
LEVELS: dict[int, SearchSettings] = {
    1: SearchSettings(depth=1, calm=0, overlooks=0.9, noise=255, table=8),
    2: SearchSettings(depth=1, calm=0, overlooks=0.62, noise=255, table=8),
    3: SearchSettings(depth=1, calm=0, overlooks=0.37, noise=200, table=8),
    4: SearchSettings(depth=1, calm=1, overlooks=0.49, noise=200, table=8),
    5: SearchSettings(depth=1, calm=1, overlooks=0.3, noise=127, table=8),
    6: SearchSettings(depth=1, calm=1, overlooks=0.04, noise=15, table=8),
    7: SearchSettings(depth=2, calm=2, overlooks=0.12, noise=47, table=12),
    8: SearchSettings(depth=3, nodes=2_000, calm=4, noise=15, table=14, endings=True),
    9: SearchSettings(nodes=8_000, drawn=0, table=16, endings=True),
    10: SearchSettings(drawn=0, endings=True, wary=True),
}


# Points (see ``kernels.evaluation``); lists go by kind, from pawn to king, or by a token's worth with 1 to 3 players.
WEIGHTS: dict[str, Any] = {
    "value": (100, 320, 300, 450, 900, 400),
    "mobility": (0, 5, 4, 4, 3, 2),
    "advance": tuple(2 * (12 - way) ** 2 for way in range(13)),  # by a pawn's way to promotion
    "token": (60, 60, 45),
    "scale": 400,
    "zone": 8,
    "exposed": 4,
    "doomed": 36,
    "checked": 40,
    "loose_soon": 32,
    "loose_later": 16,
    "hit": 10,
}


def weights(points: dict[str, Any]) -> list[int]:
    """``points``, named as in WEIGHTS, as the kernels take them."""
    packed = [0] * evaluation.WEIGHTS
    packed[evaluation.VALUE + 1 : evaluation.VALUE + 7] = points["value"]
    packed[evaluation.MOBILITY + 1 : evaluation.MOBILITY + 7] = points["mobility"]
    packed[evaluation.ADVANCE : evaluation.ADVANCE + 13] = points["advance"]
    packed[evaluation.TOKEN : evaluation.TOKEN + 3] = points["token"]
    for name in ("scale", "zone", "exposed", "doomed", "checked", "loose_soon", "loose_later", "hit"):
        packed[getattr(evaluation, name.upper())] = points[name]
    return packed


def search_kernels(execution: str, mode: int) -> SimpleNamespace:
    """The kernels of a search that thinks of enemies as ``mode`` says, and those that begin it and judge positions."""
    return bundle("triplicity", (evaluation, layout, maxn if mode == layout.MAXN else alphabeta, loop), execution)


class Search:
    """The memory of searches by one ``strength`` and with ``points`` as in ``evaluation.WEIGHTS``. Not for two threads
    at once. ``nodes`` counts the positions that the search begun last has looked at."""

    def __init__(self, game: Game, strength: SearchSettings, points: dict[str, Any] | None = None) -> None:
        self._execution = game.execution
        self.kernels = search_kernels(game.execution, strength.mode)
        levels, width = layout.LEVELS + 1, 2 * game.rules.max_legal + 2
        self.weights = kernel.array(game.execution, weights(points or WEIGHTS), "int32")
        self.weights[evaluation.DRAWN] = strength.drawn
        self.memory = layout.SearchMemory(
            rows=self._matrix(levels, board.ROW_SIZE, "int64"),
            codes=self._matrix(levels, width, "int32"),
            ranks=self._matrix(levels, width, "int32"),
            frames=self._matrix(levels, layout.FRAME, "int64"),
            header=self._array(layout.HEADER + game.rules.max_legal + 1, "int64"),
            spare=self._array(width, "int32"),
            weights=self.weights,
            work=self._array(evaluation.WORK, "int64"),
            history=self._array(3 * board.ACTIONS, "int32"),
            table=self._array(4 << strength.table, "int64"),
            events=game.new_events(),
        )
        self.reset()
        self._compile(game.start())

    def _compile(self, start: Position) -> None:
        """Compile the kernels, or load what was compiled: that is not thinking time."""
        self.strengths(start)
        self.standing(start, 0)
        self.begin(start, 1)
        self.run(start, 0)

    def _array(self, length: int, kind: str) -> Any:
        return kernel.zeros(self._execution, length, kind)

    def _matrix(self, rows: int, length: int, kind: str) -> Any:
        return kernel.zeros(self._execution, (rows, length), kind)

    def reset(self) -> None:
        """Forget everything."""
        for memory in (self.memory.table, self.memory.history):
            kernel.clear(memory)
        self._age = 0

    def standing(self, position: Position, me: int) -> int:
        """The position's worth to ``me`` at a look (see ``kernels.evaluation``)."""
        return int(self.kernels.worth(position.game.data, position.row, self.weights, self.memory.work, me, 0))

    def strengths(self, position: Position) -> tuple[int, int, int]:
        """Each player's strength at a look; 0 for who is no longer in the game."""
        work = self.memory.work
        self.kernels.strengths(position.game.data, position.row, self.weights, work)
        first = evaluation.STRENGTHS
        return int(work[first]), int(work[first + 1]), int(work[first + 2])

    def shares(self, position: Position, me: int, value: int) -> tuple[float, ...]:
        """Each player's share of the chances if the position is worth ``value`` to ``me``: that player's by that, the
        others' as their strengths compare at a look."""
        scale = float(self.weights[evaluation.SCALE])
        mine = float(value > 0) if abs(value) > evaluation.NEARLY else 1 / (1 + 2 ** (-value / scale))
        strong = self.strengths(position)
        odds = [2 ** ((s - max(strong)) / scale) if s and p != me else 0.0 for p, s in enumerate(strong)]
        rest = sum(odds) or 1.0
        return tuple(mine if player == me else (1 - mine) * odds[player] / rest for player in range(3))

    def prepare(self, me: int, strength: SearchSettings, salt: int) -> None:
        """Get ready to think for ``me`` about another position; what was learnt stays, but counts for less."""
        memory, header = self.memory, self.memory.header
        self._age = self._age % 63 + 1
        if self._execution == "compiled":
            history = memory.history
            history >>= 2
        else:
            for index in range(len(memory.history)):
                memory.history[index] >>= 2
        for name, value in (
            (layout.ME, me), (layout.MODE, strength.mode), (layout.NODES, 0), (layout.SALT, salt),
            (layout.NOISE, strength.noise), (layout.AGE, self._age), (layout.DEEPEST, 0), (layout.CALM, strength.calm),
            (layout.WIDE, strength.wide), (layout.LATE, strength.late), (layout.MARGIN, strength.margin),
            (layout.WARY, int(strength.wary)),
        ):  # fmt: skip
            header[name] = value

    def begin(self, position: Position, depth: int, barred: Iterable[int] = (), me: int | None = None) -> None:
        """Begin to search ``position`` so many actions deep, without the actions ``barred``, for ``me`` (default: for
        whom `prepare` said)."""
        header = self.memory.header
        count = 0
        for action in barred:
            header[layout.BARS + count] = action
            count += 1
        header[layout.BARRED] = count
        if me is not None:
            header[layout.ME] = me
        limit = layout.LIMIT
        self.kernels.begin(position.game.data, position.row, self.memory, depth, -limit, limit)

    def run(self, position: Position, budget: int) -> bool:
        """Go on searching for up to ``budget`` nodes; whether it is finished."""
        return bool(self.kernels.search(position.game.data, self.memory, budget))

    @property
    def nodes(self) -> int:
        """Positions looked at since `prepare`."""
        return int(self.memory.header[layout.NODES])

    @property
    def choice(self) -> int:
        """The best action found so far, -1 for none."""
        return int(self.memory.frames[0][layout.CHOICE])

    @property
    def best(self) -> int:
        """What it is worth to who moves."""
        return int(self.memory.frames[0][layout.BEST])
