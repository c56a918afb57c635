"""A game with its options chosen, :class:`Game`. Its positions and actions can be imported from here too.

A game is described by a :class:`~tercet.definition.GameDefinition`. Nothing here knows any particular game.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tercet import kernel
from tercet.action import Action, LegalActions
from tercet.errors import OptionError, ParseError
from tercet.execution import EVENT_SIZE, EXECUTIONS, bundle, entries, usual_execution
from tercet.outcome import Event, Outcome
from tercet.position import Position, Transition

if TYPE_CHECKING:
    from tercet.definition import GameDefinition

__all__ = ["EVENT_SIZE", "Action", "Event", "Game", "LegalActions", "Outcome", "Position", "Transition"]

Row = Any  # int64 array (compiled) or list of int (interpreted)

_new_position = object.__new__


class Game:
    """A game with its options chosen. Make one with :func:`tercet.game`.

    ``definition`` is what it declares, ``options`` all options in force, ``rules`` the packed rules, ``execution`` how
    its kernels run (``"compiled"`` or ``"interpreted"``), ``kernels`` these kernels and ``playout`` the generic
    functions over them (:mod:`tercet.playout`). Two games are equal when name and options are.
    """

    def __init__(self, definition: GameDefinition, options: Mapping[str, Any], execution: str | None = None) -> None:
        execution = execution or usual_execution(definition.name)
        if execution not in EXECUTIONS:
            modes = f"{', '.join(EXECUTIONS[:-1])} or {EXECUTIONS[-1]}"
            raise OptionError("execution", f"The option execution must be {modes}, not {execution!r}.")
        self.definition = definition
        self.name = definition.name
        self.execution = execution
        known = {option.name: option for option in definition.options}
        for name in options:
            if name not in known:
                raise OptionError(
                    str(name), f"{definition.title} has no option {name!s:.40}. It has {', '.join(known)}."
                )
        self.options: dict[str, Any] = {
            option.name: option.read(options.get(option.name, option.default)) for option in definition.options
        }
        self._hash = hash((self.name, tuple(sorted((name, str(value)) for name, value in self.options.items()))))
        self.rules = definition.pack(self.options)
        self.board = self.rules.board
        self.players = self.rules.players
        both = bundle(definition.name, definition.kernel_modules, execution)
        self.kernels, self.playout = both
        rules = self.rules
        size, width, room = rules.row_size, rules.max_legal + 1, EVENT_SIZE * rules.max_events
        self.data: Any = kernel.array(execution, rules.data, "int32")
        if execution == "compiled":
            import numpy as np

            words, halves = np.dtype(np.int64), np.dtype(np.int32)
            self.new_row: Callable[[], Row] = functools.partial(np.empty, size, words)
            self.new_list: Callable[[], Any] = functools.partial(np.empty, width, halves)
            self.new_events: Callable[[], Any] = functools.partial(np.empty, room, halves)
        else:
            self.new_row = lambda: [0] * size
            self.new_list = lambda: [0] * width
            self.new_events = lambda: [0] * room
        self.follow, self.list_legal = self._shortcuts()

    def _shortcuts(self) -> tuple[Callable[[Row, int], Position | None], Callable[[Row], tuple[Any, int]]]:
        """Return what random play through this interface does all the time, with nothing left to look up: the position
        after an action of the action space (None where it is not legal), and the list of legal actions with its
        length."""
        data, new_row, new_list, scratch = self.data, self.new_row, self.new_list, self.new_events()
        size, actions = self.rules.row_size, self.rules.actions
        step, legal = entries(self.name, self.definition.kernel_modules, self.execution)

        def follow(row: Row, action: int) -> Position | None:
            target = new_row()
            status = step(data, row, target, size, action, actions, scratch)
            if status < 0:
                return None
            position = _new_position(Position)
            position.game = self
            position.row = target
            position._status = status
            position._ids = None
            return position

        def list_legal(row: Row) -> tuple[Any, int]:
            out = new_list()
            return out, legal(data, row, out)

        return follow, list_legal

    def start(self, seed: int = 0) -> Position:
        """Return the start position. ``seed`` (0 to 2**62 - 1) settles any chance in the setup."""
        if not 0 <= seed < 1 << 62:
            raise OptionError("seed", "The option seed must be a whole number from 0 to 2**62 - 1.")
        row = self.new_row()
        self.kernels.setup(self.data, row, seed)
        return Position(self, row)

    def parse(self, text: str) -> Position:
        """Return the position that a position string describes, of this game with the options that the string names.

        ParseError says which field is wrong.
        """
        options = self.definition.notation.position_options(text)
        try:
            game = self if self.complete(options) == self.options else Game(self.definition, options, self.execution)
        except OptionError as error:
            raise ParseError(f"option {error.option}", error.why) from None
        row = game.new_row()
        game.definition.notation.read_position(game, text, row)
        return Position(game, row)

    def complete(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return ``options``, with the default value of each option that they leave out."""
        return {option.name: options.get(option.name, option.default) for option in self.definition.options}

    def option_text(self, changed_only: bool = False) -> str:
        """Return the options in force as ``name=value`` words."""
        return " ".join(
            f"{option.name}={option.write(self.options[option.name])}"
            for option in self.definition.options
            if not changed_only or self.options[option.name] != option.default
        )

    def perft(self, position: Position, depth: int) -> int:
        """Return how many sequences of ``depth`` actions are legal from ``position``: the leaves of the tree of that
        depth."""
        rules = self.rules
        width = rules.max_legal + 1
        if self.execution != "interpreted":
            rows = kernel.zeros(self.execution, (depth + 1) * rules.row_size, "int64")
            outs = kernel.zeros(self.execution, (depth + 1) * width, "int32")
            for place, value in enumerate(position.row):
                rows[place] = value
            return int(self.playout.perft(self.data, rows, rules.row_size, depth, outs, width, self.new_events()))
        if depth == 0:
            return 1
        if depth == 1:
            return len(position.legal_actions)
        return sum(self.perft(position.play(action), depth - 1) for action in position.legal_actions)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, Game):
            return self.name == other.name and self.options == other.options
        return NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"<Game {self.name} {self.option_text()}>"
