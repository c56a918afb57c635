"""The settings of a table, fixed when it is opened, and its game at one moment: whose decision it is, what can be
undone, what is over.

Nothing here changes anything: :mod:`tercet.play.session.session` says what each event does.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from tercet.core.execution import usual_execution
from tercet.core.game import Event, Game, Outcome, Position, Transition
from tercet.core.rules import PlainNumbers, replaced
from tercet.errors import OptionError, ParseError, TercetError
from tercet.games import game_definition
from tercet.play.session.clock import Clock, TimeControl


class SessionError(TercetError):
    """A command that the table refuses. ``code`` is for programs, ``where`` names what is wrong, ``why`` is a sentence.

    Codes: ``over``, ``not-begun``, ``adjourned``, ``taken``, ``not-allowed``, ``not-your-seat``, ``not-your-turn``,
    ``stale-ply``, ``illegal-action``, ``bad-message``, ``bad-option``, ``bad-position``, ``not-possible``, ``damaged``.
    """

    def __init__(self, code: str, where: str, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.where = where
        self.why = why


SEAT_KINDS = ("person", "engine", "open", "bot")
TAKEBACKS = ("off", "consent", "own")
CLAIMS = ("win", "engine")
WATCH = ("public", "link", "private")
LEAST_ABSENCE = 30  # seconds before anything may be claimed against an absent player
MOST_ABSENCE = 60 * 86_400
LEVELS = range(1, 11)
USUAL_LEVEL = 5  # of an engine that takes a seat over, where nothing else is settled
USUAL_ABSENCE = {"after": 120, "then": ["win", "engine"], "level": USUAL_LEVEL}  # while a clock runs


@dataclass(frozen=True)
class Seat(PlainNumbers):
    """A seat at a table. ``kind`` says who sits there: a ``person``, an ``engine`` of some ``level``, or no one yet:
    it is ``open``, or waits for a ``bot``. ``name`` is what others see; for an invited bot, its handle."""

    kind: str
    name: str = ""
    level: int = 0


@dataclass(frozen=True)
class TableSettings(PlainNumbers):
    """The settings of a table. ``position`` (a position string) replaces the game's own start; otherwise ``seed``
    decides the chance in it. ``opening`` holds actions already played when the table opens.

    ``takebacks`` are ``off``, need the others' ``consent``, or are one's ``own``: so many retractions in a game as its
    definition says, each of one's last turn and before one's next, without consent. ``clock`` is what
    :meth:`TimeControl.read` takes, or None; ``confirm`` whether players are to confirm whole turns, which is up to
    their screens; ``chat`` whether they may confer, open to all. ``absence`` says what may be claimed against a player
    who is absent: ``{"after": seconds, "then": ["win", "engine"], "level": of that engine}``; None: nothing. ``watch``
    says who may look on: everyone (``public``), those with its link (``link``), or no one (``private``).
    ``explore`` says whether players may ask what the position shows, as the game's explorations answer it."""

    game: str
    options: Mapping[str, Any]
    seats: tuple[Seat, ...]
    seed: int = 0
    position: str | None = None
    opening: tuple[str, ...] = ()
    takebacks: str = "consent"
    clock: Mapping[str, Any] | None = None
    confirm: bool = False
    chat: bool = False
    absence: Mapping[str, Any] | None = None
    watch: str = "link"
    explore: bool = True

    def data(self) -> dict[str, Any]:
        """Return JSON-able data, which :meth:`read` reads."""
        return {
            "game": self.game,
            "options": dict(self.options),
            "seats": [{"kind": seat.kind, "name": seat.name, "level": seat.level} for seat in self.seats],
            "seed": self.seed,
            "position": self.position,
            "opening": list(self.opening),
            "takebacks": self.takebacks,
            "clock": None if self.clock is None else dict(self.clock),
            "confirm": self.confirm,
            "chat": self.chat,
            "gone": None if self.absence is None else dict(self.absence),
            "watch": self.watch,
            "explore": self.explore,
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> TableSettings:
        """Return the settings that :meth:`data` wrote."""
        fields = {name: value for name, value in data.items() if name != "gone"}
        seats = tuple(Seat(**seat) for seat in fields["seats"])
        return cls(**{**fields, "seats": seats, "opening": tuple(fields["opening"]), "absence": data["gone"]})

    def check(self) -> Position:
        """Return the position to begin with, before the opening. Raise SessionError if game, options, position, seats
        or anything else makes no sense."""
        start = self._start()
        seats, wanted = len(self.seats), len(start.game.players)
        if seats != wanted:
            title = start.game.definition.title
            raise SessionError("bad-option", "seats", f"{title} must have {wanted} seats here, not {seats}.")
        for number, seat in enumerate(self.seats):
            if seat.kind not in SEAT_KINDS:
                why = f"The kind of a seat must be one of {', '.join(SEAT_KINDS)}."
                raise SessionError("bad-option", f"seats.{number}.kind", why)
        if self.takebacks not in TAKEBACKS:
            raise SessionError("bad-option", "takebacks", f"Takebacks must be one of {', '.join(TAKEBACKS)}.")
        if self.clock is not None and all(seat.kind == "engine" for seat in self.seats):
            raise SessionError("bad-option", "clock", "Only games with a person in a seat can have a clock.")
        if self.watch not in WATCH:
            raise SessionError("bad-option", "watch", f"The field watch must be one of {', '.join(WATCH)}.")
        if self.watch == "private" and any(seat.kind == "open" for seat in self.seats):
            raise SessionError("bad-option", "watch", "A private game cannot have open seats.")
        self._check_absence()
        return start

    def _start(self) -> Position:
        try:
            game = _game(self.game, tuple(sorted(self.options.items())), usual_execution(self.game))
            start = game.start(self.seed)
        except OptionError as error:
            raise SessionError("bad-option", error.option, error.why) from None
        except TypeError:  # a list or an object as value
            why = "The value of an option must be a number, a word, or true or false."
            raise SessionError("bad-option", "options", why) from None
        if self.position is not None:
            try:
                start = game.parse(self.position)
            except ParseError as error:
                raise SessionError("bad-position", error.where, error.why) from None
            if start.game != game:
                raise SessionError("bad-position", "options", "The position must have the options of the table.")
        return start

    def _check_absence(self) -> None:
        if self.absence is None:
            return
        after, then = self.absence.get("after"), self.absence.get("then")
        level = self.absence.get("level", USUAL_LEVEL)
        if isinstance(after, bool) or not isinstance(after, int) or not LEAST_ABSENCE <= after <= MOST_ABSENCE:
            why = f"The field gone.after must be a number of seconds from {LEAST_ABSENCE} to 60 days."
            raise SessionError("bad-option", "gone.after", why)
        if not isinstance(then, list | tuple) or not then or any(what not in CLAIMS for what in then):
            raise SessionError("bad-option", "gone.then", f"The field gone.then must have some of {', '.join(CLAIMS)}.")
        if isinstance(level, bool) or not isinstance(level, int) or level not in LEVELS:
            raise SessionError("bad-option", "gone.level", "The level must be from 1 to 10.")

    def full_clock(self) -> Clock | None:
        """Return the clock of the table before the first action; None if it has none. Raise SessionError if its fields
        make no sense."""
        if self.clock is None:
            return None
        try:
            return Clock.start(TimeControl.read(self.clock), len(self.seats))
        except OptionError as error:
            raise SessionError("bad-option", error.option, error.why) from None


@functools.lru_cache(maxsize=256)
def _game(name: str, options: tuple[tuple[str, Any], ...], execution: str) -> Game:
    return Game(game_definition(name), dict(options), execution)


@dataclass(frozen=True)
class GameResult:
    """The ``outcome`` of a finished game, and as ``says`` a sentence for a person."""

    outcome: Outcome
    says: str


def result_of(state: State) -> GameResult | None:
    """Return how the game ended, or None if it goes on or was aborted."""
    if not state.is_over or state.aborted:
        return None
    outcome = state.position.outcome
    if outcome is not None:
        says = str(state.game.definition.view.scene(state.position).result)
        return GameResult(outcome, says or f"The game is over: {outcome.reason}.")
    if state.agreed_draw:
        sharing = tuple(seat for seat in range(len(state.seats)) if state.in_game(seat))
        return GameResult(_shared(state, sharing, "agreement"), "Draw by agreement.")
    return _given_up(state)


def _shared(state: State, sharing: tuple[int, ...], reason: str) -> Outcome:
    """Return the point shared equally."""
    scores = tuple(1 / len(sharing) if seat in sharing else 0.0 for seat in range(len(state.seats)))
    return Outcome(scores, sharing, reason)


def _given_up(state: State) -> GameResult:
    """Give the point to those who have not lost at the table; several share it, whatever stood on the board."""
    players = state.game.players
    loser = state.resigned[-1][1]
    others = tuple(seat for seat in range(len(players)) if seat not in state.resigned_seats)
    if loser in state.timed_out:
        reason, says = "time", f"{players[loser]} ran out of time"
    elif loser in state.absent:
        reason, says = "absence", f"{players[loser]} left the game"
    else:
        reason, says = "resignation", f"{players[loser]} resigned"
    if len(others) == 1:
        says += f". {players[others[0]]} wins"
    elif others:
        says += f". {' and '.join(players[seat] for seat in others)} share the point"
    return GameResult(_shared(state, others, reason), f"{says}.")


LONGEST_BREAK = 60 * 86_400_000  # milliseconds after the last word in a break


@dataclass(frozen=True)
class PlayedAction:
    """One action of the game: whose it was, its number in the action space, in notation and words, whether a turn
    began with it, and whether it belonged to the turn before, another player's."""

    seat: int
    action_id: int
    text: str
    short: str
    events: tuple[Event, ...]
    begins_turn: bool
    is_answer: bool

    @property
    def says(self) -> tuple[str, ...]:
        """Return the events as sentences."""
        return tuple(event.says for event in self.events if event.says)


@dataclass(frozen=True)
class Offer:
    """``seat`` proposes ``what`` (``draw``, ``takeback`` to ``ply``, ``adjourn``, ``continue`` or ``rematch``);
    ``agreed`` seats have said yes to it; ``at`` is when it was made (milliseconds), where there is a clock."""

    seat: int
    what: str
    ply: int | None = None
    agreed: frozenset[int] = frozenset()
    at: int | None = None


@dataclass(frozen=True)
class State:
    """The state of a table. ``position`` is what the rules see; ``number`` is the number of the last event.

    ``played`` are the actions that stand, the opening among them. ``resigned`` has a pair (ply, seat) for each
    player who resigned or lost at the table, in order; among these seats ``timed_out`` are those whose time was up,
    and ``absent`` those who had left. ``agreed_draw`` says whether a draw was agreed. ``offers`` are open,
    ``declined`` those (seat, what) that may not be made again yet. ``retracted`` has the seat of each retraction.
    ``seats`` are who sits there now: people take open seats, and an engine has ``taken_over`` some that were left.
    ``rematch`` is the id of the table at which it is played.

    ``clock`` runs from the first action on (``clock_started``); ``clocks`` are the clocks as they were when so many
    actions stood.
    """

    settings: TableSettings
    start: Position
    position: Position
    seats: tuple[Seat, ...]
    played: tuple[PlayedAction, ...] = ()
    number: int = 0
    resigned: tuple[tuple[int, int], ...] = ()
    agreed_draw: bool = False
    offers: tuple[Offer, ...] = ()
    declined: frozenset[tuple[int, str]] = field(default=frozenset())
    timed_out: frozenset[int] = frozenset()
    absent: frozenset[int] = frozenset()
    taken_over: frozenset[int] = frozenset()
    retracted: tuple[int, ...] = ()
    aborted: bool = False
    adjourned: bool = False
    rematch: str | None = None
    clock: Clock | None = None
    clock_started: bool = False
    clocks: tuple[Clock, ...] = ()

    @property
    def game(self) -> Game:
        """Return the game with its options."""
        return self.start.game

    @property
    def ply(self) -> int:
        """Return the number of actions in force."""
        return len(self.played)

    @functools.cached_property
    def mover(self) -> int | None:
        """Return the seat whose decision it is; None while the game is over, adjourned, or has not begun."""
        return None if self.is_over or self.adjourned or self.waiting else self.position.mover

    @functools.cached_property
    def waiting(self) -> tuple[int, ...]:
        """Return the open seats. The game starts only when there are none."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.kind in ("open", "bot"))

    @property
    def break_ends(self) -> int | None:
        """Return when a break ends by itself (milliseconds); None if there is none, or no clock."""
        is_break = self.adjourned and not self.is_over
        return self.clock.at + LONGEST_BREAK if self.clock is not None and is_break else None

    @property
    def deadline(self) -> int | None:
        """Return when a flag falls or a break ends (milliseconds)."""
        if self.clock is None or self.is_over:
            return None
        return self.break_ends if self.adjourned else self.clock.deadline

    @functools.cached_property
    def begins_turn(self) -> bool:
        """Return whether the next action begins a turn."""
        last = self.played[-1] if self.played else None
        return last is None or last.seat != self.position.mover or not self.position.turn_is_open

    @functools.cached_property
    def abortable(self) -> bool:
        """Return whether the game may still be aborted: its second turn has not begun, nor has one been taken back."""
        later = itertools.islice(self.played, len(self.settings.opening) + 1, None)
        return not self.is_over and not self.retracted and not any(one.begins_turn for one in later)

    @functools.cached_property
    def resigned_seats(self) -> frozenset[int]:
        """Seats that have resigned or lost at the table."""
        return frozenset(seat for _, seat in self.resigned)

    @property
    def plays_on(self) -> bool:
        """Return whether the game goes on without a player who resigns."""
        return self.game.definition.resignation is not None

    @functools.cached_property
    def is_over(self) -> bool:
        """Return whether the game has ended, by the rules or at the table."""
        return self.aborted or self.agreed_draw or self.position.is_over or (bool(self.resigned) and not self.plays_on)

    @functools.cached_property
    def retractions(self) -> tuple[int, ...] | None:
        """Return the retractions that each seat has left; None where takebacks need consent."""
        if self.settings.takebacks != "own":
            return None
        most = self.game.definition.retractions
        return tuple(
            most - self.retracted.count(seat) if self.in_game(seat) or self.may_return(seat) else 0
            for seat in range(len(self.seats))
        )

    def may_return(self, seat: int) -> bool:
        """Return whether a retraction may bring back ``seat``, which the rules have put out of the game. It may until
        the player who did that moves again."""
        target = self.own_last_turn(frozenset({seat}))
        if target is None or seat in self.resigned_seats:
            return False
        begun = Counter(one.seat for one in self.played[target:] if one.begins_turn and one.seat != seat)
        again = {other for other, turns in begun.items() if turns > 1}
        if not again or again == begun.keys():  # the player has not moved again, or has
            return not again
        position = self.at(target)
        for one in self.played[target:]:
            position = position.play(one.action_id)
            if not position.may_resign(seat):
                return one.seat not in again
        return True

    def in_game(self, seat: int) -> bool:
        """Return whether ``seat`` still plays: it has not resigned and the rules have not put it out."""
        return seat not in self.resigned_seats and self.position.may_resign(seat)

    def awaited(self, offer: Offer) -> tuple[int, ...]:
        """Seats whose yes the offer still needs."""
        return tuple(
            seat
            for seat, sits in enumerate(self.seats)
            if sits.kind == "person"
            and seat != offer.seat
            and seat not in offer.agreed
            and (self.settings.seats[seat].kind != "bot" if offer.what == "rematch" else self.in_game(seat))
        )

    def own_last_turn(self, seats: frozenset[int]) -> int | None:
        """Return the number of actions before the last turn of any of ``seats``, or None if they had none.

        The last action of theirs is looked for, then where its turn began: in between others may have decided things.
        """
        for ply in range(self.ply - 1, -1, -1):
            if self.played[ply].seat in seats:
                while not self.played[ply].begins_turn:
                    ply -= 1
                return ply
        return None

    def within_turn(self, target: int, seats: frozenset[int]) -> bool:
        """Return whether going back to ``target`` undoes only actions of a turn that its player has not finished."""
        mover = self.position.mover
        if mover not in seats or not self.position.turn_is_open:
            return False
        undone = self.played[target:]
        return all(one.seat == mover for one in undone) and not any(one.begins_turn for one in undone[1:])

    def at(self, ply: int) -> Position:
        """Return the position when ``ply`` of the actions that stand had been played, with the resignations among
        them."""
        position, resigned = self.start, list(self.resigned)
        for number in range(ply + 1):
            while resigned and resigned[0][0] == number:
                position = position.resign(resigned.pop(0)[1])
            if number < ply:
                position = position.play(self.played[number].action_id)
        return position

    def with_action(self, text: str) -> Self:
        """Return the state after ``text`` is played by any player, without an event. Raise IllegalAction."""
        return self.with_transition(self.position.transition(text))

    def with_transition(self, made: Transition, **also: Any) -> Self:
        """Return the state after an action of this position, which was checked when the transition was made. ``also``
        are other fields that are different then."""
        seat = self.position.mover
        assert seat is not None
        played = PlayedAction(
            seat,
            made.action.id,
            str(made.action),
            self.position.short_text(made.action),
            made.events,
            self.begins_turn,
            bool(self.played) and self.position.is_answer,
        )
        return replaced(self, position=made.after, played=(*self.played, played), **also)
