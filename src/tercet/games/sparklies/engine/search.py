"""Whole turns of Sparklies, searched, and the learnt weights of patterns by which their ends are judged.

The file of weights is JSON: ``weights`` holds for each ruleset what each class of patterns is worth to the next player
to move; ``card`` says what they were learnt from, how, and how strong they made the engine; ``hash`` is the SHA-256 of
all the rest. Two patterns are of one class if a symmetry of the window or a rotation of the three colours, which the
rules do not tell apart, makes one of the other. Classes are in the order of their least patterns.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tercet import kernel
from tercet.core.game import Game
from tercet.errors import TercetError
from tercet.games.sparklies.engine import kernels as engine_kernels
from tercet.games.sparklies.engine.kernels import evaluation
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.rules import rules_of

FILE = Path(__file__).with_name("patterns.json")
SQUARE_SYMMETRIES = tuple(
    tuple((step * place + turn) % 4 for place in range(4)) for step in (1, -1) for turn in range(4)
)
LINE_SYMMETRIES = ((0, 1, 2), (2, 1, 0))
OTHER_HOLDER = (0, 1, 2, 6, 7, 8, 3, 4, 5)  # states with the players exchanged
MOST_WEIGHT = 20_000
AS_USUAL = ("attack", "control", "end", "flag", "mode", "order")  # options that weights were learnt with


class PatternsError(TercetError):
    """A file that holds no weights of patterns, or a damaged one."""


def _digits(number: int, length: int) -> tuple[int, ...]:
    return tuple(number // evaluation.STATES**index % evaluation.STATES for index in range(length))


def _number(digits: Sequence[int]) -> int:
    return sum(digit * evaluation.STATES**index for index, digit in enumerate(digits))


@functools.cache
def classes(length: int) -> tuple[int, ...]:
    """The class of each pattern of four cells or of three."""
    orders = SQUARE_SYMMETRIES if length == 4 else LINE_SYMMETRIES
    found = [-1] * evaluation.STATES**length
    count = 0
    for least in range(len(found)):
        if found[least] >= 0:
            continue
        digits = _digits(least, length)
        for _ in range(3):
            for order in orders:
                found[_number([digits[place] for place in order])] = count
            digits = tuple(digit // 3 * 3 + (digit % 3 + 1) % 3 for digit in digits)
        count += 1
    return tuple(found)


@functools.cache
def exchanged(length: int) -> tuple[int, ...]:
    """For each pattern the one with the players exchanged."""
    return tuple(
        _number([OTHER_HOLDER[digit] for digit in _digits(pattern, length)])
        for pattern in range(evaluation.STATES**length)
    )


@functools.cache
def is_free(length: int) -> tuple[bool, ...]:
    """For each pattern whether all its cells are free."""
    return tuple(max(_digits(pattern, length)) < 3 for pattern in range(evaluation.STATES**length))


def read_patterns(path: Path = FILE) -> dict[str, Any]:
    """The file's weights by ruleset; PatternsError says what is wrong with one that cannot be used."""
    try:
        content = json.loads(path.read_bytes())
        known = content.pop("hash")
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise PatternsError(f"{path.name} has no weights of patterns: {error}") from None
    if known != hash_of(content):
        raise PatternsError(f"{path.name} is damaged: its hash does not fit its weights.")
    found: dict[str, Any] = content["weights"]
    sizes = {
        "squares": max(classes(4)) + 1, "lines": max(classes(3)) + 1,
        "lead": evaluation.PHASES, "tempo": evaluation.PHASES,
    }  # fmt: skip
    for ruleset, parts in found.items():
        for name, size in sizes.items():
            if len(parts[name]) != size or max(map(abs, parts[name])) > MOST_WEIGHT:
                raise PatternsError(f"{path.name}: {name} of {ruleset} must be {size} small numbers.")
        for length, name in ((4, "squares"), (3, "lines")):
            if any(parts[name][kind] for kind, free in zip(classes(length), is_free(length), strict=True) if free):
                raise PatternsError(f"{path.name}: {name} of {ruleset} without an owner must be worth nothing.")
    return found


def hash_of(content: dict[str, Any]) -> str:
    """The hash of a file's ``weights`` and ``card``."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@functools.cache
def _weights(ruleset: str) -> Any:
    parts = read_patterns().get(ruleset)
    return None if parts is None else weights_of(parts)


def weights_of(parts: dict[str, Any]) -> list[int]:
    """The weights of a ruleset as the kernels have them, 16 bits each."""
    weights = []
    for length, name in ((4, "squares"), (3, "lines")):
        worth = [parts[name][kind] for kind in classes(length)]
        for pattern, other in enumerate(exchanged(length)):
            weights += [worth[pattern], worth[other]]
    return [*weights, *parts["lead"], *parts["tempo"]]


def learnt_for(game: Game) -> Any:
    """The weights for ``game``; None where nothing was learnt for such a game: it is not of two players, its board has
    no squares, its cells have no colours yet, or its rules differ."""
    if len(game.players) != 2 or game.board.degree != 4 or game.options["setup"] == "blank":
        return None
    if any(
        game.options[option.name] != option.default for option in game.definition.options if option.name in AS_USUAL
    ):
        return None
    return _weights(game.options["ruleset"])


def windows_of(game: Game) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The windows of a board of squares: four cells around a corner in their order, and three in a line."""
    size, near = len(game.board), game.board.neighbours
    squares: list[tuple[int, ...]] = []
    lines: list[tuple[int, ...]] = []
    for cell in range(size):
        east, north, west, south = near[cell]
        if east < size and north < size and near[east][1] < size:
            squares.append((cell, east, near[east][1], north))
        lines += [
            (before, cell, after) for before, after in ((west, east), (south, north)) if max(before, after) < size
        ]
    return squares, lines


def links_of(game: Game) -> tuple[list[int], list[int]]:
    """``index`` of an empty board and ``links``: see ``kernels.evaluation``; without squares nothing."""
    squares, lines = windows_of(game) if game.board.degree == 4 else ([], [])
    index = [0] * len(squares) + [evaluation.SQUARES] * len(lines)
    links = [0] * (len(game.board) * evaluation.LINK)
    for window, cells in enumerate(squares + lines):
        for place, cell in enumerate(cells):
            at = cell * evaluation.LINK
            count = links[at]
            links[at + 1 + 2 * count : at + 3 + 2 * count] = window, evaluation.STATES**place
            links[at] = count + 1
    return index, links


STEPS = 1 << 18


@dataclass(frozen=True)
class Effort:
    """How hard to search a turn: see ``kernels.sweep``; ``ending``: see ``kernels.evaluation.hope``."""

    narrow: int = 2
    width: int = 4
    again: int = 3
    patience: int = 12
    budget: int = 8_000
    keep: int = 24
    ending: int = 0


@dataclass(frozen=True)
class Final:
    """A way to play a turn: what its end is worth to its player, the row then, and the actions, if asked for."""

    value: int
    row: Any
    actions: tuple[int, ...] = ()


class ReplyValue(NamedTuple):
    """What a `Final` is worth, its last two actions (-1 for none), and its row."""

    value: int
    last: tuple[int, int]
    row: Any


def neighbours_needed(game: Game) -> int:
    """Return how many neighbours of the mover's an attack takes in all, 0 where others' count too."""
    asked = rules_of(game).attack
    return sum(asked.values()) if all(letter.islower() for letter in asked) else 0


class TurnSearch:
    """Buffers for searching turns of one game, and the kernels. Not for two threads at once.

    ``tried`` counts the actions tried since it was made; ``complete`` says whether the last search left nothing out.
    ``learnt``: finals are judged by learnt weights of patterns, where there are any for the game.
    """

    def __init__(self, game: Game, salt: int = 1, merge: bool | None = None, learnt: bool = False) -> None:
        self.game = game
        self.kernels = _kernels(game.execution)
        self.tried = 0
        self.complete = False
        self._salt = salt
        self._first_salt = salt
        need = neighbours_needed(game)
        self._merge = need > 0 if merge is None else merge
        self._size = game.rules.row_size
        cells = len(game.board)
        self._parameters = self.array(evaluation.PARAMETERS, "int64")
        self._room = 0
        self._rows = self._marks = self.array(0, "int64")
        self.events = game.new_events()
        self._memory = evaluation.BeamMemory(
            parameters=self._parameters,
            rows=self._rows,
            marks=self._marks,
            trace=self.array(2 * STEPS, "int32"),
            table=self.array(evaluation.TABLE, "int64"),
            row=game.new_row(),
            child=game.new_row(),
            stem=game.new_row(),
            actions=game.new_list(),
            firsts=game.new_list(),
            events=self.events,
            gains=self.array(game.rules.max_legal + 1, "int64"),
            scratch=self.array(2 * cells + 2, "int32"),
            lost=self.array(cells, "int32"),
            **self._patterns(learnt),
        )
        self._way = self.array(STEPS, "int32")
        parameters = self._parameters
        parameters[evaluation.NEED] = need
        parameters[evaluation.ROOM] = STEPS
        loose = not need and game.options["setup"] != "blank" and game.rules.data[layout.WHOLE]
        self._loose = int(loose and all(letter.isupper() for letter in rules_of(game).attack))

    def _patterns(self, learnt: bool) -> dict[str, Any]:
        """Return what ``kernels.evaluation`` works with, of a board of free cells; where there are no weights for the
        game, finals are judged without."""
        weights = learnt_for(self.game) if learnt else None
        self._parameters[evaluation.LEARNT] = int(weights is not None)
        index, links = links_of(self.game)
        kinds = {
            "index": (index, "int32"), "links": (links, "int32"),
            "weights": (weights or (), "int16"),
        }  # fmt: skip
        arrays = {name: kernel.array(self.game.execution, values, kind) for name, (values, kind) in kinds.items()}
        return {**arrays, "seen": self.array(len(self.game.board), "int32"), "sums": self.array(2, "int64")}

    def array(self, length: int, kind: str) -> Any:
        """A zeroed array of this type, or a list for interpreted kernels."""
        return kernel.zeros(self.game.execution, length, kind)

    @property
    def work(self) -> tuple[Any, Any]:
        """A row and a list of actions to work with."""
        return self._memory.row, self._memory.actions

    def reset(self) -> None:
        """Begin as if new."""
        self._salt = self._first_salt
        self.tried = 0
        kernel.clear(self._memory.table)

    def value(self, row: Any, player: int) -> int:
        """Return the worth of a row at the end of a turn: see ``kernels.evaluation``."""
        return int(self.kernels.judged(self.game.data, self._memory, row, player))

    def may_end(self, row: Any) -> bool:
        """Return whether a turn from ``row`` could end the game, as far as percolation tells."""
        need = int(self._parameters[evaluation.NEED])
        return need > 0 and bool(self.kernels.may_end(self.game.data, row, need, self._memory.scratch))

    def sweep(
        self,
        row: Any,
        effort: Effort,
        *,
        cutoff: int = evaluation.WON,
        budget: int | None = None,
        lines: bool = False,
        all_pings: bool = False,
        victim: int = -1,
    ) -> list[Final]:
        """The best finals of the turn that begins, or goes on, in ``row``, best first for its player.

        ``cutoff`` ends the search when a final is worth that much. ``lines`` asks for the actions that lead there.
        ``all_pings``: leave out no first ping for want of promise. ``victim``: a player of whose cells `losses` tells.
        """
        self._begin(effort, cutoff, budget, all_pings, victim)
        self.kernels.sweep(self.game.data, row, self._memory)
        self._note()
        return self._finals(2 * effort.width, lines) or [self._one_action(row)]

    def replies(self, row: Any, effort: Effort, budget: int) -> list[ReplyValue]:
        """The best finals as `sweep` finds them, best first, in short."""
        self._begin(effort, evaluation.WON, budget)
        self.kernels.sweep(self.game.data, row, self._memory)
        self._note()
        first, size, found = 2 * effort.width, self._size, int(self._parameters[evaluation.FOUND])
        if not found:
            only = self._one_action(row)
            return [ReplyValue(only.value, (-1, only.actions[0]), only.row)]
        rows = kernel.copied(self._rows[first * size : (first + found) * size])
        marks = self._marks[first * evaluation.MARK : (first + found) * evaluation.MARK]
        noted = marks if isinstance(marks, list) else marks.tolist()
        values, lines, lasts = (
            noted[which :: evaluation.MARK] for which in (evaluation.VALUE, evaluation.LINE, evaluation.LAST)
        )
        trace = self._memory.trace
        return [
            ReplyValue(
                values[slot],
                (int(trace[2 * lines[slot] + 1]) if lines[slot] >= 0 else -1, lasts[slot]),
                rows[slot * size : (slot + 1) * size],
            )
            for slot in sorted(range(found), key=values.__getitem__, reverse=True)
        ]

    def best(self, row: Any, effort: Effort, cutoff: int, budget: int) -> int:
        """The value of the best final that `sweep` would find, for the player whose turn it is."""
        self._begin(effort, cutoff, budget, keep=0)
        worth = int(self.kernels.sweep(self.game.data, row, self._memory))
        self._note()
        return worth if self._parameters[evaluation.FOUND] else self._one_action(row).value

    def _note(self) -> None:
        self.tried += int(self._parameters[evaluation.TRIED])
        self.complete = bool(self._parameters[evaluation.COMPLETE])

    def _begin(
        self,
        effort: Effort,
        cutoff: int,
        budget: int | None,
        all_pings: bool = False,
        victim: int = -1,
        keep: int | None = None,
    ) -> None:
        """Set the parameters of a search, and make room for it."""
        parameters = self._parameters
        keep = effort.keep if keep is None else keep
        slots = 2 * effort.width + keep
        if slots > self._room:
            self._room = slots
            self._rows = self.array(slots * self._size, "int64")
            self._marks = self.array(slots * evaluation.MARK, "int64")
            self._memory = self._memory._replace(rows=self._rows, marks=self._marks)
        self._salt = (self._salt * 2862933555777941757 + 3037000493) & evaluation.HASH
        for name, value in (
            (evaluation.WIDTH, effort.width),
            (evaluation.KEEP, keep),
            (evaluation.BUDGET, effort.budget if budget is None else max(1, min(budget, effort.budget))),
            (evaluation.PATIENCE, max(1, effort.patience)),
            (evaluation.SALT, self._salt),
            (evaluation.MERGE, int(self._merge)),
            (evaluation.NARROW, min(effort.narrow, effort.width)),
            (evaluation.AGAIN, effort.again),
            (evaluation.CUTOFF, cutoff),
            (evaluation.QUIET, len(self.game.board) if all_pings else 4),
            (evaluation.LOOSE, 0 if all_pings else self._loose),
            (evaluation.VICTIM, victim + 1),
            (evaluation.ENDING, effort.ending),
        ):
            parameters[name] = value
        if victim >= 0:
            kernel.clear(self._memory.lost)

    def _one_action(self, row: Any) -> Final:
        """The beginning of a turn whose end was not found within the budget."""
        game = self.game
        if int(row[layout.STEP]) == layout.PROPAGATE:
            action = int(self.kernels.calmest(game.data, row))
        else:
            action = int(game.legal(game.data, row, game.new_list())[0][0])
        target = row.copy()
        game.kernels.apply(game.data, target, action, self.events)
        return Final(self.value(target, int(row[layout.MOVER])), target, (action,))

    def losses(self) -> dict[int, tuple[int, ...]]:
        """Cells of the victim that the last sweep saw taken, and the first actions found that take each."""
        return {cell: self._line(int(step) - 1) for cell, step in enumerate(self._memory.lost) if step}

    def _line(self, step: int) -> tuple[int, ...]:
        count = int(self.kernels.way(self._memory.trace, step, self._way))
        return tuple(int(action) for action in self._way[:count])

    def _finals(self, first: int, lines: bool) -> list[Final]:
        marks, size = self._marks, self._size
        slots = range(first, first + int(self._parameters[evaluation.FOUND]))
        order = sorted(slots, key=lambda slot: (-int(marks[evaluation.MARK * slot]), slot))
        found = []
        for slot in order:
            at = evaluation.MARK * slot
            actions: tuple[int, ...] = ()
            if lines:
                actions = self._line(int(marks[at + evaluation.LINE]))
                if marks[at + evaluation.LAST] >= 0:
                    actions += (int(marks[at + evaluation.LAST]),)
            found.append(Final(int(marks[at]), kernel.copied(self._rows[slot * size : (slot + 1) * size]), actions))
        return found


@functools.cache
def _kernels(execution: str) -> Any:
    return kernel.build(engine_kernels, execution, "sparklies")


def row_key(row: Any) -> bytes:
    """Return a key of a row, the same for equal ones."""
    return repr(row).encode() if isinstance(row, list) else row.tobytes()
