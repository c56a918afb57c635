"""The types of a game in play, which need each other: :class:`Game`, :class:`Position`, :class:`Transition`,
:class:`Action`, :class:`LegalActions`. :mod:`tercet.core.rules` has :class:`Outcome` and :class:`Event`.

A game is described by a :class:`~tercet.core.definition.GameDefinition`. Nothing here knows any particular game.
"""

from __future__ import annotations

import array
import functools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, cast

from tercet import kernel
from tercet.core import playout
from tercet.core.execution import EXECUTIONS, FixedList, blank_maker, entries, maker, usual_execution
from tercet.core.rules import MAX_SEED, whole
from tercet.core.rules import Event as Event
from tercet.core.rules import Outcome as Outcome
from tercet.errors import IllegalAction, NotOffered, OptionError, ParseError

if TYPE_CHECKING:
    from tercet.core.definition import GameDefinition

EVENT_SIZE = 4  # integers that a kernel writes for one event

Row = Any  # int64 array (compiled) or list of int (interpreted)

_draw: Callable[[Position], str] | None = None


def draw_with(draw: Callable[[Position], str]) -> None:
    """Let notebooks show positions as ``draw`` does, in SVG. ``import tercet`` chooses :func:`tercet.pictures.svg`."""
    global _draw
    _draw = draw


class Action:
    """A legal action of one position. ``str()`` is its canonical notation, ``int()`` its number in the action space
    (0 to ``game.rules.actions - 1``). Equal actions have the same number, notation and game."""

    __slots__ = ("_position", "_text", "id")

    def __init__(self, number: int, position: Position) -> None:
        self.id = number
        self._position = position
        self._text: str | None = None

    def __str__(self) -> str:
        if self._text is None:
            position = self._position
            self._text = position.game.definition.notation.action_text(position.game, position.row, self.id)
        return self._text

    def __repr__(self) -> str:
        return f"Action({str(self)!r})"

    def __int__(self) -> int:
        return self.id

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Action):
            return self.id == other.id and self._position.game == other._position.game and str(self) == str(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    def __reduce__(self) -> tuple[Any, ...]:
        return Action, (self.id, self._position)


class LegalActions(Sequence[Action]):
    """The legal actions of a position: ``len``, ``in`` (an Action or text), iteration, indexing. They are listed when
    one of these is first used, not before."""

    __slots__ = ("_position",)

    def __init__(self, position: Position) -> None:
        self._position = position

    @property
    def ids(self) -> Any:
        """Return the actions' numbers in the action space, rising: int32 array (n,) (interpreted: a list)."""
        position, count = self._position, len(self)
        ids = position._ids[:count]
        if type(ids) is not list:
            ids.setflags(False)
        return ids

    def __len__(self) -> int:
        position = self._position
        if position._ids is None:
            game = position.game
            position._ids, position._count = game.legal(game.data, position._row, game._list)
        return position._count

    def __getitem__(self, index: Any) -> Any:
        position = self._position
        if position._ids is None:
            len(self)  # lists them
        ids, count = position._ids, position._count
        if type(index) is not int or not 0 <= index < count:
            if type(index) is slice:
                return [Action(int(number), position) for number in ids[:count][index]]
            index = operator.index(index)
            if not -count <= index < count:
                raise IndexError("There is no such action.")
            index %= count
        action = _new_action()
        action.id = ids[index] if type(ids) is list else ids.item(index)
        action._position = position
        action._text = None
        return action

    def __iter__(self) -> Iterator[Action]:
        position = self._position
        for number in self.ids:
            yield Action(int(number), position)

    def __contains__(self, item: object) -> bool:
        if isinstance(item, str):
            try:
                self._position.action(item)
            except (IllegalAction, ParseError):
                return False
            return True
        if isinstance(item, Action):
            return item._position.game == self._position.game and self._position.allows(item.id)
        return False

    def __repr__(self) -> str:
        shown = ", ".join(str(action) for action in self[:10])
        return f"<{len(self)} legal actions: {shown}{', ...' if len(self) > 10 else ''}>"


@dataclass(frozen=True)
class Transition:
    """An ``action``, what it causes, and the position ``after`` it. ``records`` are its events in order as the game's
    kernels write them, four integers each."""

    action: Action
    records: tuple[tuple[int, ...], ...]
    after: Position

    @functools.cached_property
    def events(self) -> tuple[Event, ...]:
        """Return the events in order."""
        game = self.after.game
        return tuple(game.definition.view.event(game, record) for record in self.records)


def _named_apart(game: Game, other: Game) -> str:
    """Return the name of ``game``, with its options where only these tell it from ``other``."""
    different = [
        f"{option.name}={option.write(game.options[option.name])}" for option in game.definition.options
        if game.name == other.name and game.options[option.name] != other.options.get(option.name)
    ]  # fmt: skip
    return " ".join([game.name, *different])


def number_of(action: Any, game: Game, why: str = "Give an Action, its notation or its number.") -> int:
    """Return the number of ``action``, an Action of ``game`` or a whole number; IllegalAction says ``why`` not."""
    number = whole(action)
    if number is None:
        raise IllegalAction(f"{action!r:.40}", why)
    if isinstance(action, Action) and (other := action._position.game) != game:
        raise IllegalAction(
            str(action), f"This is an action of {_named_apart(other, game)}, not of {_named_apart(game, other)}."
        )
    return number


class Position:
    """An immutable position of a game. Make one with :meth:`Game.start` or :meth:`Game.parse`. ``game`` is the game,
    ``is_over`` says whether it has ended here."""

    __slots__ = ("_count", "_ids", "_mover", "_outcome", "_row", "_status", "game", "is_over")

    is_over: bool
    _mover: int
    _outcome: Outcome

    def __init__(self, game: Game, row: Row, status: int | None = None) -> None:
        self.game = game
        self._row = row
        self._status = int(game.kernels.status(game.data, row)) if status is None else status
        self.is_over = self._status != 0
        self._ids: Any = None  # the legal actions, once asked for, and how many they are
        self._count = 0

    @property
    def row(self) -> Row:
        """Return the integers that the position is, read-only: an int64 array of shape (``game.rules.row_size``,)
        (interpreted: a list). ``row.copy()`` can be changed."""
        row = self._row
        if type(row) is list:
            row = self._row = FixedList(row)
        elif type(row) is not FixedList:
            row.setflags(False)
        return row

    @property
    def legal_actions(self) -> LegalActions:
        """Return the legal actions here; none when the game is over."""
        actions = _new_actions()
        actions._position = self
        return actions

    legal_moves = legal_actions  # as python-chess calls them

    @property
    def mover(self) -> int | None:
        """Return the player whose decision it is, from 0; None when the game is over."""
        if self._status:
            return None
        try:
            return self._mover
        except AttributeError:  # the first request: a session makes many
            self._mover = int(self.game.kernels.mover(self.game.data, self._row))
            return self._mover

    @property
    def scores(self) -> tuple[float, ...] | None:
        """Return the players' shares of the one point, None while the game goes on: all of :attr:`outcome` that is
        known at once."""
        if not self._status:
            return None
        game = self.game
        shares = kernel.zeros(game.execution, len(game.players), "float64")
        game.kernels.scores(game.data, self._row, shares)
        return tuple(map(float, shares))

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended, None while it goes on."""
        if not self._status:
            return None
        try:
            return self._outcome
        except AttributeError:  # the first request: what decided a game is looked for on the whole board
            game, shares = self.game, self.scores
        assert shares is not None
        most = max(shares)
        winners = tuple(player for player, share in enumerate(shares) if share == most and most > 0)
        decisive = game.definition.decisive
        pattern, cells = (None, ()) if decisive is None else decisive(game, self._row)
        decided = tuple(game.board.names[cell] for cell in cells)
        self._outcome = Outcome(shares, winners, game.rules.reasons[self._status], decided, pattern)
        return self._outcome

    def allows(self, action: int) -> bool:
        """Return whether the number ``action`` is a legal action."""
        game = self.game
        number = number_of(action, game)
        return 0 <= number < game.rules.actions and bool(game.kernels.allows(game.data, self._row, number))

    def action(self, action: Action | str | int) -> Action:
        """Return the legal action that ``action`` (an Action, its notation, or its number) means here; IllegalAction
        says why there is none."""
        if isinstance(action, str):
            number = self.game.definition.notation.parse_action(self.game, self._row, action)
        else:
            number = number_of(action, self.game)
        if not self.allows(number):
            self._refuse(number, str(action))
        return Action(number, self)

    def _refuse(self, number: int, text: str) -> NoReturn:
        game = self.game
        if self._status:
            raise IllegalAction(text, "The game is over.")
        if not 0 <= number < game.rules.actions:
            raise IllegalAction(text, "There is no such action.")
        raise IllegalAction(text, game.definition.notation.why_not(game, self._row, number))

    def play(self, action: Action | str | int) -> Position:
        """Return the position after ``action`` (an Action, its notation, or its number); IllegalAction says why not."""
        game = self.game
        if type(action) is Action and (action._position is self or action._position.game is game):
            number = action.id
        elif isinstance(action, str):
            number = game.definition.notation.parse_action(game, self._row, action)
        else:
            number = number_of(action, game)
            if not 0 <= number < game.rules.actions:
                self._refuse(number, str(action))
        pattern, size, actions, events = game._step_arguments
        target, status = game.step(game.data, self._row, pattern, size, number, actions, events)
        if status < 0:
            self._refuse(number, str(action))
        following = _new_position()
        following.game = game
        following._row = target
        following._status = status
        following.is_over = status != 0
        following._ids = None
        return following

    def notate(self, actions: Sequence[int]) -> list[str]:
        """Return the notation of consecutive actions (numbers of the action space) from here on; IllegalAction."""
        position, found = self, []
        for action in actions:
            number = number_of(action, self.game)
            following = position.play(number)
            found.append(str(Action(number, position)))
            position = following
        return found

    @property
    def turn_is_open(self) -> bool:
        """Return whether the mover is in the middle of a turn of several actions, which can be undone singly."""
        is_open = self.game.definition.turn_is_open
        return is_open is not None and not self._status and is_open(self.game, self._row)

    @property
    def is_answer(self) -> bool:
        """Return whether what the mover is asked belongs to the turn before, another player's."""
        answers = self.game.definition.answers
        return answers is not None and not self._status and answers(self.game, self._row)

    @property
    def tally(self) -> tuple[float, ...] | None:
        """Return the tally of each player, which counts ``definition.tally.title``; None in a game without one."""
        tally = self.game.definition.tally
        return None if tally is None else tuple(float(number) for number in tally.count(self))

    @property
    def margins(self) -> tuple[float, ...] | None:
        """Return each player's lead in the :attr:`tally` over the best other one (negative: behind); None if there is
        no tally or no other player."""
        tally = self.tally
        if tally is None or len(tally) < 2:
            return None
        return tuple(mine - max(tally[:seat] + tally[seat + 1 :]) for seat, mine in enumerate(tally))

    def may_resign(self, player: int) -> bool:
        """Return whether ``player`` is still in the game. One who is out can neither resign nor agree to a draw."""
        game = self.game
        if game.definition.resignation is None:
            return True
        number = whole(player, 0, len(game.players) - 1)
        return number is not None and bool(game.kernels.may_resign(game.data, self._row, number))

    def resign(self, player: int) -> Position:
        """Return the position after ``player`` has resigned and the others play on. NotOffered where the game's rules
        have no such resignation: there it ends the game at the table, and no position follows. IllegalAction where
        ``player`` is no longer in the game."""
        game = self.game
        if game.definition.resignation is None:
            raise NotOffered(game.name, "a rule for a player who resigns")
        if self._status:
            raise IllegalAction("resign", "The game is over.")
        number = whole(player, 0, len(game.players) - 1)
        if number is None:
            raise IllegalAction("resign", f"The player must be from 0 to {len(game.players) - 1}, not {player!r:.40}.")
        if not self.may_resign(player):
            raise IllegalAction("resign", "A player who is out of the game cannot resign.")
        row = self._row.copy()
        game.kernels.resign(game.data, row, number, game.new_events())
        return Position(game, row)

    def agree_draw(self) -> Position:
        """Return the position after all players still in the game have agreed to a draw. NotOffered where the game's
        rules know no such thing, IllegalAction where the game is over."""
        game = self.game
        if game.definition.agreement is None:
            raise NotOffered(game.name, "a draw by agreement")
        if self._status:
            raise IllegalAction("draw", "The game is over.")
        row = self._row.copy()
        game.kernels.draw_agreed(game.data, row, game.new_events())
        return Position(game, row)

    def without_history(self) -> Position:
        """This position without what its string does not contain: the history that some games keep in the row."""
        game = self.game
        if game.definition.history is None:
            return self
        row = self._row.copy()
        game.kernels.forget(game.data, row)
        return Position(game, row)

    def short_text(self, action: Action) -> str:
        """Return a readable short form of ``action`` for move lists: its notation where the game knows none shorter."""
        short = self.game.definition.short_text
        return str(action) if short is None else short(self.game, self._row, number_of(action, self.game))

    @property
    def note(self) -> str:
        """Return what a record may remark beside the board here; empty where the game remarks nothing."""
        note = self.game.definition.note
        return "" if note is None else note(self.game, self._row)

    def transition(self, action: Action | str | int) -> Transition:
        """Return ``action`` with what it causes and the position after it; IllegalAction says why not."""
        known, game, row = self.action(action), self.game, self._row.copy()
        raw = game.new_events()
        count = int(game.kernels.apply(game.data, row, known.id, raw))
        written = raw[: EVENT_SIZE * count]
        numbers = written if isinstance(written, list) else written.tolist()
        records = tuple(tuple(numbers[at : at + EVENT_SIZE]) for at in range(0, len(numbers), EVENT_SIZE))
        return Transition(known, records, Position(game, row))

    def observe(self, player: int | None = None) -> Any:
        """Planes for a network from the side of ``player`` (default: the mover): a float32 array of shape
        (``len(game.rules.planes)``, ``len(game.board)``)."""
        import numpy as np

        game = self.game
        number = whole(self.mover or 0 if player is None else player, 0, len(game.players) - 1)
        if number is None:
            raise OptionError("player", f"The player must be from 0 to {len(game.players) - 1}, not {player!r:.40}.")
        shape = (len(game.rules.planes), len(game.board))
        planes = kernel.zeros(game.execution, shape[0] * shape[1], "float32")
        game.kernels.observe(game.data, self._row, number, planes)
        return np.array(planes, np.float32).reshape(shape)

    def key(self) -> bytes:
        """Return the row as bytes (little-endian int64): equal for equal positions of one game."""
        row = self._row
        return array.array("q", row).tobytes() if isinstance(row, list) else cast(bytes, row.tobytes())

    def canonical_key(self) -> bytes:
        """Return the least :meth:`key` among the positions that are the same up to the game's symmetries."""
        return min(image.key() for image in self.images())

    def images(self) -> list[Position]:
        """Return the positions that are the same but for a symmetry of the game, this one among them (without a history
        that its string does not tell)."""
        images = self.game.definition.images
        return [self] if images is None else [Position(self.game, row) for row in images(self.game, self._row)]

    def __str__(self) -> str:
        return str(self.game.definition.notation.position_text(self.game, self._row))

    def __repr__(self) -> str:
        return f"<Position {self}>"

    def _repr_svg_(self) -> str | None:
        return None if _draw is None else _draw(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Position):
            return self.game == other.game and self.key() == other.key()
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.key())

    def __reduce__(self) -> tuple[Any, ...]:
        return Position, (self.game, self._row)


# Without a call of ``__init__``, which is half the cost of a small object.
_new_action, _new_actions, _new_position = blank_maker(Action), blank_maker(LegalActions), blank_maker(Position)


class Game:
    """A game with its options chosen. Make one with :func:`tercet.game`.

    ``definition`` is what it declares, ``options`` all options in force, ``rules`` the packed rules, ``execution`` how
    its kernels run (``"compiled"`` or ``"interpreted"``), ``kernels`` these kernels and ``playout`` the generic
    functions over them (:mod:`tercet.core.playout`). Two games are equal when name and options are.
    """

    def __init__(self, definition: GameDefinition, options: Mapping[str, Any], execution: str | None = None) -> None:
        execution = execution or usual_execution(definition.name)
        if execution not in EXECUTIONS:
            modes = f"{', '.join(EXECUTIONS[:-1])} or {EXECUTIONS[-1]}"
            raise OptionError("execution", f"The option execution must be {modes}, not {execution!r}.")
        self.definition = definition
        self.name = definition.name
        self.execution = execution
        known = [option.name for option in definition.options]
        if unknown := [str(name) for name in options if name not in known]:
            why = f"{definition.title} has no option {unknown[0]:.40}. It has {', '.join(known)}."
            raise OptionError(unknown[0], why)
        self.options: dict[str, Any] = {
            option.name: option.read(options.get(option.name, option.default)) for option in definition.options
        }
        self._hash = hash((self.name, tuple(sorted((name, str(value)) for name, value in self.options.items()))))
        self.rules = definition.pack(self.options)
        self.board = self.rules.board
        self.players = self.rules.players
        self.kernels = definition.bundle(execution)
        self.playout = definition.bundle(execution, playout)
        rules = self.rules
        self.data: Any = kernel.array(execution, rules.data, "int32")
        self.new_row: Callable[[], Row] = maker(execution, rules.row_size, "int64")
        self.new_list: Callable[[], Any] = maker(execution, rules.max_legal + 1, "int32")
        self.new_events: Callable[[], Any] = maker(execution, EVENT_SIZE * rules.max_events, "int32")
        self.step, self.legal = entries(self.name, definition.kernel_modules, execution)
        self._step_arguments = self.new_row(), rules.row_size, rules.actions, self.new_events()
        self._list = self.new_list()

    def start(self, seed: int = 0) -> Position:
        """Return the start position. ``seed`` (0 to 2**62 - 1) settles any chance in the setup."""
        number = whole(seed, 0, MAX_SEED)
        if number is None:
            raise OptionError("seed", f"The option seed must be a whole number from 0 to 2**62 - 1, not {seed!r:.40}.")
        row = self.new_row()
        self.kernels.setup(self.data, row, number)
        return Position(self, row)

    def parse(self, text: str) -> Position:
        """Return the position that a position string describes, of this game with the options that the string names.

        ParseError says which field is wrong.
        """
        if not isinstance(text, str):
            raise ParseError("position", f"A position string must be text, not {text!r:.40}.")
        text = text.removeprefix("\ufeff")
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
        """Return how many sequences of ``depth`` actions are legal from ``position``."""
        number = whole(depth, 0)
        if number is None:
            raise OptionError("depth", f"The depth must be a whole number, at least 0, not {depth!r:.40}.")
        if position.game != self:
            raise OptionError("position", f"The position must be one of {self!r}, not of {position.game!r}.")
        if self.execution == "interpreted":
            if number < 2:
                return len(position.legal_actions) if number else 1
            return sum(self.perft(position.play(action), number - 1) for action in position.legal_actions)
        rules = self.rules
        width = rules.max_legal + 1
        rows = kernel.zeros(self.execution, (number + 1) * rules.row_size, "int64")
        outs = kernel.zeros(self.execution, (number + 1) * width, "int32")
        for index, value in enumerate(position.row):
            rows[index] = value
        return int(self.playout.perft(self.data, rows, rules.row_size, number, outs, width, self.new_events()))

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
