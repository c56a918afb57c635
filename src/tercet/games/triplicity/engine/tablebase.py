"""The smallest endings of Triplicity, solved: king against king, and king and one man (of any kind) against king.

The class is exact: two players are still in the game; the third has no men on the board; and neither of the two has the
two tokens that the cheapest purchase costs, so that nothing can be bought now or later (no tribute is paid any more).
For such a position the tables say whether the mover wins, loses, or neither, and in how many actions of both players
with best play. They leave out the draw after quiet turns: compare the number with ``quiet_limit``.

Tables are built by retrograde analysis (``kernels.tablebase``) when asked for, and kept in the user's cache directory.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tercet import kernel
from tercet.core.game import Game, Position
from tercet.games import game_definition
from tercet.games.triplicity.engine.kernels import tablebase as retrograde
from tercet.games.triplicity.kernels import layout as board
from tercet.games.triplicity.rules import KIND_LETTERS, KINDS

# A pawn's table needs those of what it may become.
ORDER = (0, board.KNIGHT, board.BISHOP, board.ROOK, board.QUEEN, board.KING, board.PAWN)
CHEAPEST = 2  # tokens, for a pawn with two players left

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Ending:
    """What is known: ``value`` is n where the mover wins in n actions, -n for a loss in n, 0 for neither."""

    value: int

    @property
    def turns(self) -> int:
        """In how many turns of the winner's own the game ends; 0 if it does not."""
        return (abs(self.value) + 1) // 2


def class_of(position: Position) -> tuple[int, int] | None:
    """Return the kind of the one man beside the two kings (0: none) and its owner; None for any other position."""
    row = position.row
    if row[board.STATUS] != board.PLAYING or row[board.PENDING] or row[board.FELLED]:
        return None
    left = [player for player in range(3) if row[board.STATE + player] == board.ACTIVE]
    if len(left) != 2 or any(row[board.TOKENS + player] >= CHEAPEST for player in left):
        return None
    men = [int(man) for man in row[board.CELLS : board.CELLS + board.SIZE] if man]
    if len(men) > 3 or any(man >> 3 not in left for man in men):
        return None
    for player in left:
        men.remove(8 * player + board.KING)
    return (men[0] & 7, men[0] >> 3) if men else (0, left[0])


class Endings:
    """The tables, loaded or built as they are asked for. Its methods may be called from several threads."""

    def __init__(self, directory: Path | None = None) -> None:
        # No option changes these endings: nothing can be bought, and jeopardy needs three.
        import numpy as np

        self.game = Game(game_definition("triplicity"), {}, "compiled")
        self.kernels = kernel.build(retrograde, "compiled", "triplicity")
        self.directory = directory or kernel.cache_directory().parent / "endings"
        self._values = np.zeros((len(ORDER)) * retrograde.STRIDE, np.int16)
        self._have: set[int] = set()
        self._asked: set[int] = set()
        self._lock = threading.RLock()

    def path(self, kind: int) -> Path:
        """Return where the table of ``kind`` is kept; the name changes with the rules."""
        mark = f"{self.kernels.first_look.fingerprint}-{self.kernels.layer.fingerprint}"
        return self.directory / f"triplicity-K{KIND_LETTERS[kind] if kind else ''}K-{mark}.npz"

    def has(self, kind: int) -> bool:
        """Return whether the table of ``kind`` is in memory, or could be read from the cache."""
        with self._lock:
            return kind in self._have or self._read(kind)

    def ready(self, kind: int) -> bool:
        """Return whether the table of ``kind`` can be looked into now; False too while one is being built."""
        if kind in self._have:
            return True
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return self._read(kind)
        finally:
            self._lock.release()

    def prepare(self, kind: int) -> None:
        """Build the table of ``kind`` in the background, unless that is being done."""
        if kind not in self._asked:
            self._asked.add(kind)
            threading.Thread(target=self.build, args=(kind,), daemon=True).start()

    def build(self, kind: int, progress: Progress | None = None) -> None:
        """Have the table of ``kind`` and all that it needs; ``progress(name, done, of)`` hears how far it is
        (``of`` is 0 where that is unknown)."""
        with self._lock:
            needed = ORDER if kind == board.PAWN else (0, kind) if kind else (0,)
            for part in needed:
                if not self.has(part):
                    self._solve(part, progress)
                    self._have.add(part)
                    self._write(part)

    def probe(self, position: Position, build: bool = False) -> Ending | None:
        """Return what is known of ``position``: None if it is in no class, or the table is not there and not to be
        built."""
        found = class_of(position)
        if found is None:
            return None
        kind, strong = found
        if build:
            self.build(kind)
        elif not self.ready(kind):
            return None
        return Ending(int(self._values[self._place(position, kind, strong)]))

    def values(self, kind: int) -> Any:
        """The table of ``kind``, a man of White's: int16, shape (111, 111, 111, 2) for the man's cell (0 where there is
        no man), White's king, Black's king and the side to move. Positions that cannot be are 0."""
        size = board.SIZE
        return self._values[kind * retrograde.STRIDE : (kind + 1) * retrograde.STRIDE].reshape(size, size, size, 2)

    def _place(self, position: Position, kind: int, strong: int) -> int:
        """The entry of ``position``, turned so that the player with the man is White."""
        turned = position.game.board.symmetries[-strong % 3]
        man_cell, king, enemy = 0, -1, -1
        for cell in range(board.SIZE):
            man = int(position.row[board.CELLS + cell])
            if not man:
                continue
            if man >> 3 != strong:
                enemy = turned[cell]
            elif man & 7 == board.KING and king < 0:
                king = turned[cell]
            else:
                man_cell = turned[cell]
        side = 0 if position.row[board.TURN] == strong else 1
        return kind * retrograde.STRIDE + ((man_cell * board.SIZE + king) * board.SIZE + enemy) * 2 + side

    def _solve(self, kind: int, progress: Progress | None) -> None:
        import numpy as np

        memory = [np.zeros(retrograde.STRIDE, np.int16) for _ in range(3)]
        if kind == 0:
            blocks = [(0, 1)]
        elif kind == board.PAWN:
            heights = self.game.data[board.HEIGHT : board.HEIGHT + board.SIZE]
            cells = sorted((cell for cell in range(board.SIZE) if heights[cell] > 0), key=lambda cell: heights[cell])
            blocks = [(cell, cell + 1) for cell in cells]
        else:
            blocks = [(0, board.SIZE)]
        name = f"king and {KINDS[kind]} against king" if kind else "king against king"
        for number, (first, last) in enumerate(blocks):
            arguments = (self.game.data, self.game.new_row(), self.game.new_list(), kind, first, last)
            self.kernels.first_look(*arguments, self._values, *memory)
            depth = deepest = 1
            while depth <= deepest:
                deepest = int(self.kernels.layer(*arguments, depth, self._values, *memory))
                if progress is not None:
                    progress(name, number if len(blocks) > 1 else depth, len(blocks) if len(blocks) > 1 else 0)
                depth += 1

    def _read(self, kind: int) -> bool:
        import numpy as np

        path = self.path(kind)
        if not path.exists():
            return False
        try:
            with np.load(path, allow_pickle=False) as stored:
                values = stored["values"]
        except Exception:  # a damaged file is no reason to fail: build it again
            return False
        size = retrograde.BLOCK if kind == 0 else retrograde.STRIDE
        if values.shape != (size,) or values.dtype != np.int16:
            return False
        self._values[kind * retrograde.STRIDE : kind * retrograde.STRIDE + size] = values
        self._have.add(kind)
        return True

    def _write(self, kind: int) -> None:
        import numpy as np

        size = retrograde.BLOCK if kind == 0 else retrograde.STRIDE
        with contextlib.suppress(OSError):  # a full disk costs the next start some seconds, no more
            self.directory.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.directory, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                np.savez_compressed(
                    file, values=self._values[kind * retrograde.STRIDE : kind * retrograde.STRIDE + size]
                )
            Path(name).replace(self.path(kind))


@cache
def endings() -> Endings:
    """The tables of this process."""
    return Endings()


def best_actions(tables: Endings, position: Position) -> tuple[Ending, list[int]] | None:
    """Return what is known of ``position`` and the actions that keep it: the quickest wins, the slowest losses, or all
    that lose nothing. None where it, or what an action leads to, is not known."""
    known = tables.probe(position)
    if known is None:
        return None
    mover = position.mover
    worth: dict[int, int] = {}
    for action in position.legal_actions:
        following = position.play(action)
        outcome = following.outcome
        if outcome is not None:
            worth[int(action)] = 1 if outcome.winners == (mover,) else 0
            continue
        ending = tables.probe(following)
        if ending is None:
            return None
        value = -ending.value
        worth[int(action)] = value + 1 if value > 0 else value - 1 if value < 0 else 0
    return known, [number for number, value in worth.items() if value == known.value]
