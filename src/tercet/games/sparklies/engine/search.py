"""Whole turns of Sparklies, searched: what `engine`, `explore` and `solve` have in common. See ``kernels``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from tercet import kernel
from tercet.core.game import Game
from tercet.games.sparklies.engine import kernels as engine_kernels
from tercet.games.sparklies.engine.kernels import beam
from tercet.games.sparklies.engine.patterns import learnt_for, links_of
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.rules import rules_of

STEPS = 1 << 18


@dataclass(frozen=True)
class Effort:
    """How hard to search a turn: see ``kernels.search.sweep``; ``ending``: see ``kernels.evaluation.hope``."""

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
        self.kernels = _built(game)
        self.tried = 0
        self.complete = False
        self._salt = salt
        self._first_salt = salt
        need = neighbours_needed(game)
        self._merge = need > 0 if merge is None else merge
        self._size = game.rules.row_size
        cells = len(game.board)
        self._parameters = self.array(beam.PARAMETERS, "int64")
        self._room = 0
        self._rows = self._marks = self.array(0, "int64")
        self.events = game.new_events()
        self._memory = beam.BeamMemory(
            parameters=self._parameters,
            rows=self._rows,
            marks=self._marks,
            trace=self.array(2 * STEPS, "int32"),
            table=self.array(beam.TABLE, "int64"),
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
        parameters[beam.NEED] = need
        parameters[beam.ROOM] = STEPS
        loose = not need and game.options["setup"] != "blank" and game.rules.data[layout.WHOLE]
        self._loose = int(loose and all(letter.isupper() for letter in rules_of(game).attack))

    def _patterns(self, learnt: bool) -> dict[str, Any]:
        """Return what ``kernels.patterns`` works with, of a board of free cells; where there are no weights for the
        game, finals are judged without."""
        weights = learnt_for(self.game) if learnt else None
        self._parameters[beam.LEARNT] = int(weights is not None)
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
        """Return the worth of a row at the end of a turn: see ``kernels.evaluation.value`` and ``kernels.patterns``."""
        return int(self.kernels.judged(self.game.data, self._memory, row, player))

    def may_end(self, row: Any) -> bool:
        """Return whether a turn from ``row`` could end the game, as far as percolation tells."""
        need = int(self._parameters[beam.NEED])
        return need > 0 and bool(self.kernels.may_end(self.game.data, row, need, self._memory.scratch))

    def sweep(
        self,
        row: Any,
        effort: Effort,
        *,
        cutoff: int = beam.WON,
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
        self._begin(effort, beam.WON, budget)
        self.kernels.sweep(self.game.data, row, self._memory)
        self._note()
        first, size, found = 2 * effort.width, self._size, int(self._parameters[beam.FOUND])
        if not found:
            only = self._one_action(row)
            return [ReplyValue(only.value, (-1, only.actions[0]), only.row)]
        rows = kernel.copied(self._rows[first * size : (first + found) * size])
        marks = self._marks[first * beam.MARK : (first + found) * beam.MARK]
        noted = marks if isinstance(marks, list) else marks.tolist()
        values, lines, lasts = (noted[which :: beam.MARK] for which in (beam.VALUE, beam.LINE, beam.LAST))
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
        return worth if self._parameters[beam.FOUND] else self._one_action(row).value

    def _note(self) -> None:
        self.tried += int(self._parameters[beam.TRIED])
        self.complete = bool(self._parameters[beam.COMPLETE])

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
            self._marks = self.array(slots * beam.MARK, "int64")
            self._memory = self._memory._replace(rows=self._rows, marks=self._marks)
        self._salt = (self._salt * 2862933555777941757 + 3037000493) & beam.HASH
        for name, value in (
            (beam.WIDTH, effort.width),
            (beam.KEEP, keep),
            (beam.BUDGET, effort.budget if budget is None else max(1, min(budget, effort.budget))),
            (beam.PATIENCE, max(1, effort.patience)),
            (beam.SALT, self._salt),
            (beam.MERGE, int(self._merge)),
            (beam.NARROW, min(effort.narrow, effort.width)),
            (beam.AGAIN, effort.again),
            (beam.CUTOFF, cutoff),
            (beam.QUIET, len(self.game.board) if all_pings else 4),
            (beam.LOOSE, 0 if all_pings else self._loose),
            (beam.VICTIM, victim + 1),
            (beam.ENDING, effort.ending),
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
            action = int(game.list_legal(row)[0][0])
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
        slots = range(first, first + int(self._parameters[beam.FOUND]))
        order = sorted(slots, key=lambda slot: (-int(marks[beam.MARK * slot]), slot))
        found = []
        for slot in order:
            at = beam.MARK * slot
            actions: tuple[int, ...] = ()
            if lines:
                actions = self._line(int(marks[at + beam.LINE]))
                if marks[at + beam.LAST] >= 0:
                    actions += (int(marks[at + beam.LAST]),)
            found.append(Final(int(marks[at]), kernel.copied(self._rows[slot * size : (slot + 1) * size]), actions))
        return found


_kernels: dict[str, Any] = {}


def _built(game: Game) -> Any:
    if game.execution not in _kernels:
        _kernels[game.execution] = kernel.build(engine_kernels, game.execution, game.definition.name)
    return _kernels[game.execution]
