"""A position of any game: :class:`Position`, and what an action makes of it, :class:`Transition`."""

from __future__ import annotations

import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, cast

from tercet.action import Action, LegalActions
from tercet.errors import IllegalAction, NotOffered
from tercet.execution import EVENT_SIZE
from tercet.kernel import zeros
from tercet.outcome import Event, Outcome

if TYPE_CHECKING:
    from tercet.game import Game

__all__ = ["Position", "Transition", "draw_with"]

Row = Any  # int64 array (compiled) or list of int (interpreted)

_draw: Callable[[Position], str] | None = None


def draw_with(draw: Callable[[Position], str]) -> None:
    """Let notebooks show positions as the SVG text that ``draw`` gives for one. ``import tercet`` chooses
    :func:`tercet.draw.svg`."""
    global _draw
    _draw = draw


@dataclass(frozen=True)
class Transition:
    """An ``action``, the ``events`` that it causes in order, and the position ``after`` it."""

    action: Action
    events: tuple[Event, ...]
    after: Position


class Position:
    """An immutable position of a game. Make one with :meth:`Game.start` or :meth:`Game.parse`."""

    __slots__ = ("_count", "_ids", "_mover", "_outcome", "_status", "game", "row")

    _mover: int
    _outcome: Outcome

    def __init__(self, game: Game, row: Row, status: int | None = None) -> None:
        self.game = game
        self.row = row
        self._status = int(game.kernels.status(game.data, row)) if status is None else status
        self._ids: Any = None  # the legal actions, once asked for, and how many they are
        self._count = 0

    def _list(self) -> Any:
        self._ids, self._count = self.game.list_legal(self.row)
        return self._ids

    @property
    def legal_actions(self) -> LegalActions:
        """Return the legal actions here; none when the game is over."""
        return LegalActions(self)

    @property
    def mover(self) -> int | None:
        """Return the player whose decision it is, from 0; None when the game is over."""
        if self._status:
            return None
        try:
            return self._mover
        except AttributeError:  # the first request: a session makes many
            self._mover = int(self.game.kernels.mover(self.game.data, self.row))
            return self._mover

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended here."""
        return self._status != 0

    @property
    def scores(self) -> tuple[float, ...] | None:
        """Return the players' shares of the one point, None while the game goes on: all of :attr:`outcome` that is
        known at once."""
        if not self._status:
            return None
        game = self.game
        shares = zeros(game.execution, len(game.players), "float64")
        game.kernels.scores(game.data, self.row, shares)
        return tuple(float(share) for share in shares)

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended, None while it goes on."""
        if not self._status:
            return None
        try:
            return self._outcome
        except AttributeError:  # the first request: what decided a game is looked for on the whole board
            self._outcome = self._find_outcome()
            return self._outcome

    def _find_outcome(self) -> Outcome:
        shares = self.scores
        assert shares is not None
        game = self.game
        most = max(shares)
        winners = tuple(player for player, share in enumerate(shares) if share == most and most > 0)
        decisive = game.definition.decisive
        pattern, cells = (None, ()) if decisive is None else decisive(game, self.row)
        names = game.board.names
        return Outcome(shares, winners, game.rules.reasons[self._status], tuple(names[cell] for cell in cells), pattern)

    def allows(self, action: int) -> bool:
        """Return whether the number ``action`` is a legal action."""
        game = self.game
        return 0 <= action < game.rules.actions and bool(game.kernels.allows(game.data, self.row, action))

    def action(self, text: str) -> Action:
        """Return the legal action that ``text`` means; IllegalAction says why there is none."""
        number = self.game.definition.notation.parse_action(self.game, self.row, text)
        if not self.allows(number):
            self._refuse(number, text)
        return Action(number, self)

    def _refuse(self, number: int, text: str) -> NoReturn:
        game = self.game
        if self._status:
            raise IllegalAction(text, "The game is over.")
        if not 0 <= number < game.rules.actions:
            raise IllegalAction(text, "There is no such action.")
        raise IllegalAction(text, game.definition.notation.why_not(game, self.row, number))

    def play(self, action: Action | str | int) -> Position:
        """Return the position after ``action`` (an Action, its notation, or its number); IllegalAction says why not."""
        if type(action) is Action:
            number = action.id
        elif isinstance(action, str):
            number = self.game.definition.notation.parse_action(self.game, self.row, action)
        else:
            number = int(action)
            if not 0 <= number < self.game.rules.actions:
                self._refuse(number, str(action))
        following = self.game.follow(self.row, number)
        if following is None:
            self._refuse(number, str(action))
        return following

    def notate(self, actions: Sequence[int]) -> list[str]:
        """Return the notation of consecutive actions from here on, given as numbers of the action space; IllegalAction
        where one is not legal."""
        position, found = self, []
        for number in actions:
            following = position.play(number)
            found.append(str(Action(number, position)))
            position = following
        return found

    @property
    def turn_is_open(self) -> bool:
        """Return whether the mover is in the middle of a turn of several actions, which can be undone action by
        action."""
        is_open = self.game.definition.turn_is_open
        return is_open is not None and not self._status and is_open(self.game, self.row)

    @property
    def is_answer(self) -> bool:
        """Return whether what the mover is asked belongs to the turn before, another player's."""
        answers = self.game.definition.answers
        return answers is not None and not self._status and answers(self.game, self.row)

    @property
    def tally(self) -> tuple[float, ...] | None:
        """Return the tally of each player (``definition.tally.title`` says what it counts); None in a game without
        one."""
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
        return bool(game.kernels.may_resign(game.data, self.row, player))

    def resign(self, player: int) -> Position:
        """Return the position after ``player`` has resigned and the others play on. NotOffered where the game's rules
        have no such resignation: there it ends the game at the table, and no position follows. IllegalAction where
        ``player`` is no longer in the game."""
        game = self.game
        if game.definition.resignation is None:
            raise NotOffered(game.name, "a rule for a player who resigns")
        if self._status:
            raise IllegalAction("resign", "The game is over.")
        if not (0 <= player < len(game.players) and self.may_resign(player)):
            raise IllegalAction("resign", "A player who is out of the game cannot resign.")
        row = self.row.copy()
        game.kernels.resign(game.data, row, player, game.new_events())
        return Position(game, row)

    def agree_draw(self) -> Position:
        """Return the position after all players still in the game have agreed to a draw. NotOffered where the game's
        rules know no such thing, IllegalAction where the game is over."""
        game = self.game
        if game.definition.agreement is None:
            raise NotOffered(game.name, "a draw by agreement")
        if self._status:
            raise IllegalAction("draw", "The game is over.")
        row = self.row.copy()
        game.kernels.draw_agreed(game.data, row, game.new_events())
        return Position(game, row)

    def without_history(self) -> Position:
        """This position without what its string does not contain: the history that some games keep in the row."""
        game = self.game
        if game.definition.history is None:
            return self
        row = self.row.copy()
        game.kernels.forget(game.data, row)
        return Position(game, row)

    def short_text(self, action: Action) -> str:
        """Return a readable short form of ``action`` for move lists: its notation where the game knows none shorter."""
        short = self.game.definition.short_text
        return str(action) if short is None else short(self.game, self.row, action.id)

    @property
    def note(self) -> str:
        """Return what a record may remark beside the board here; empty where the game remarks nothing."""
        note = self.game.definition.note
        return "" if note is None else note(self.game, self.row)

    def advance(self, action: Action | str | int) -> tuple[Action, Position]:
        """Return ``action`` as one of this position's, and the position after it: read, checked and applied once.
        IllegalAction says why not."""
        number = self._number(action)
        following = self.game.follow(self.row, number)
        if following is None:
            self._refuse(number, str(action))
        return Action(number, self), following

    def _number(self, action: Action | str | int) -> int:
        """Return the number of the action space that ``action`` means here, legal or not."""
        if isinstance(action, str):
            return self.game.definition.notation.parse_action(self.game, self.row, action)
        return int(action)

    def transition(self, action: Action | str | int) -> Transition:
        """Return ``action`` with what it causes and the position after it: read once, checked once, applied once.
        IllegalAction says why not."""
        number = self._number(action)
        if not self.allows(number):
            self._refuse(number, str(action))
        records, row = self._applied(number)
        events = tuple(self.game.definition.view.event(self.game, record) for record in records)
        return Transition(Action(number, self), events, Position(self.game, row))

    def event_records(self, action: Action) -> list[tuple[int, ...]]:
        """Return what a legal ``action`` causes, in order, as the game's kernels write it: four integers an event."""
        return self._applied(int(action))[0]

    def _applied(self, number: int) -> tuple[list[tuple[int, ...]], Row]:
        """Return the events of the legal action ``number`` and the row after it."""
        game, row = self.game, self.row.copy()
        raw = game.new_events()
        count = int(game.kernels.apply(game.data, row, number, raw))
        written = raw[: EVENT_SIZE * count]
        numbers = written if isinstance(written, list) else written.tolist()
        return [tuple(numbers[first : first + EVENT_SIZE]) for first in range(0, len(numbers), EVENT_SIZE)], row

    def events(self, action: Action | str | int) -> tuple[Event, ...]:
        """Return what ``action`` would cause, in order; IllegalAction says why it cannot be played."""
        return self.transition(action).events

    def observe(self, player: int | None = None) -> Any:
        """Planes for a network from the side of ``player`` (default: the mover): a float32 array of shape
        (``len(game.rules.planes)``, ``len(game.board)``)."""
        import numpy as np

        game = self.game
        if player is None:
            player = self.mover or 0
        shape = (len(game.rules.planes), len(game.board))
        if game.execution == "compiled":
            out = np.zeros(shape[0] * shape[1], np.float32)
            game.kernels.observe(game.data, self.row, player, out)
            return out.reshape(shape)
        flat = zeros(game.execution, shape[0] * shape[1], "float32")
        game.kernels.observe(game.data, self.row, player, flat)
        return np.array(flat, np.float32).reshape(shape)

    def key(self) -> bytes:
        """Return the row as bytes (little-endian int64): equal for equal positions of one game."""
        row = self.row
        return array.array("q", row).tobytes() if isinstance(row, list) else cast(bytes, row.tobytes())

    def canonical_key(self) -> bytes:
        """Return the least :meth:`key` among the positions that are the same up to the game's symmetries."""
        return min(image.key() for image in self.images())

    def images(self) -> list[Position]:
        """Return the positions that are the same but for a symmetry of the game, this one among them (without a history
        that its string does not tell)."""
        images = self.game.definition.images
        return [self] if images is None else [Position(self.game, row) for row in images(self.game, self.row)]

    def __str__(self) -> str:
        return str(self.game.definition.notation.position_text(self.game, self.row))

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
        return Position, (self.game, self.row)
