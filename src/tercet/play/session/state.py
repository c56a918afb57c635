"""A table's game at one moment, what follows from it (whose decision it is, what can be undone, what is over), and the
events of a table with the state after each."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

from tercet.core.game import Event, Game, Outcome, Position, Transition
from tercet.play.session.clock import Clock, replaced
from tercet.play.session.settings import Seat, SessionError, TableSettings


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
        if self.clock is None or not self.adjourned or self.is_over:
            return None
        return self.clock.at + LONGEST_BREAK

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


S = TypeVar("S", bound=State)


@dataclass(frozen=True)
class LogEvent:
    """Something that happened at a table, the ``number``-th from 1. ``data`` is JSON-able; by kind:

    ``sit`` seat, name (where one was given); ``stand`` seat; ``lots`` seats (for each, the one to which its player
    moves: a rated game draws them); ``action`` ply, seat, action, lag (milliseconds of the turn that were spent on the
    line, given back); ``takeback`` ply (gone back to), seat, own (only where it is a retraction), spent (the time that
    its player used stays used; older retractions gave it back); ``resign`` seat; ``flag`` seat (its time was up);
    ``claim`` seat (who is absent), by (the seat that claims; None: the organiser), what, level (of an engine);
    ``offer`` seat, what, ply (for a takeback); ``agreed`` seats, what; ``declined`` seat, what; ``over`` reason;
    ``abort`` seat, or reason if no player did it; ``adjourn``; ``continue``; ``rematch`` id (of the new
    table); ``link`` seat (its old link is no longer valid); ``resumed`` lost (milliseconds in which no clock ran). At
    a table with a clock each has ``at``, the time in milliseconds.
    """

    number: int
    kind: str
    data: Mapping[str, Any]


def state_after(state: S, event: LogEvent, transition: Transition | None = None) -> S:
    """Return the state after ``event``. ``transition`` is what an action does, where that is known already.
    SessionError where the event does not follow on the last one, or is of no known kind."""
    if event.number != state.number + 1:
        raise SessionError(
            "bad-record", f"event {event.number}", f"The next event must have the number {state.number + 1}."
        )
    if event.kind == "action":
        following = _after_action(state, event, transition)
    else:
        change = _CHANGES.get(event.kind)
        if change is None:
            raise SessionError("bad-record", f"event {event.number}", f"There is no event of kind {event.kind!r}.")
        following = change(state, event)
    return _with_clock(state, event, following)


def _after_action(state: S, event: LogEvent, transition: Transition | None) -> S:
    made = state.position.transition(event.data["action"]) if transition is None else transition
    still_open = tuple(offer for offer in state.offers if offer.what == "draw" and offer.seat == event.data["seat"])
    return state.with_transition(made, offers=still_open, declined=frozenset(), clock_started=True)


def _after_takeback(state: State, event: LogEvent) -> State:
    ply = event.data["ply"]
    back = replace(state, position=state.at(ply), played=state.played[:ply], offers=(), declined=frozenset())
    return replace(back, retracted=(*state.retracted, event.data["seat"])) if event.data.get("own") else back


def _after_resignation(state: State, event: LogEvent) -> State:
    seat = event.data["seat"]
    return replace(
        state,
        position=state.position.resign(seat) if state.plays_on else state.position,
        resigned=(*state.resigned, (state.ply, seat)),
        offers=(),
        declined=frozenset(),
    )


def _after_time_out(state: State, event: LogEvent) -> State:
    lost = _after_resignation(state, event)
    return replace(lost, timed_out=state.timed_out | {event.data["seat"]})


def _after_claim(state: State, event: LogEvent) -> State:
    seat = event.data["seat"]
    if event.data["what"] == "win":
        return replace(_after_resignation(state, event), absent=state.absent | {seat})
    engine = _with_seat(state, seat, Seat("engine", level=event.data.get("level", 0)))
    return replace(engine, taken_over=state.taken_over | {seat}, offers=(), declined=frozenset())


def _after_offer(state: State, event: LogEvent) -> State:
    offer = Offer(event.data["seat"], event.data["what"], event.data.get("ply"), at=event.data.get("at"))
    return replace(state, offers=(*state.offers, offer))


def _after_agreement(state: State, event: LogEvent) -> State:
    what, seats = event.data["what"], frozenset(event.data["seats"])
    return replace(
        state,
        offers=tuple(
            replace(offer, agreed=offer.agreed | seats) if offer.what == what else offer for offer in state.offers
        ),
    )


def _after_refusal(state: State, event: LogEvent) -> State:
    what = event.data["what"]
    refused = {(o.seat, o.what) for o in state.offers if o.what == what != "continue"}  # that may be asked again
    left = tuple(offer for offer in state.offers if offer.what != what)
    return replace(state, offers=left, declined=state.declined | refused)


def _after_draw(state: State, _: LogEvent) -> State:
    known_to_rules = state.game.definition.agreement is not None
    position = state.position.agree_draw() if known_to_rules else state.position
    return replace(state, position=position, agreed_draw=True, offers=(), declined=frozenset())


def _after_sitting_down(state: State, event: LogEvent) -> State:
    seat = event.data["seat"]
    return _with_seat(state, seat, Seat("person", event.data.get("name", state.seats[seat].name)))


def _after_leaving_seat(state: State, event: LogEvent) -> State:
    seat = event.data["seat"]
    return _with_seat(state, seat, state.settings.seats[seat])


def _after_lots(state: State, event: LogEvent) -> State:
    """The players move to the seats that were drawn, and with them how each seat was opened."""
    order = event.data["seats"]
    if sorted(order) != list(range(len(state.seats))):
        raise SessionError("bad-record", f"event {event.number}", "The lots must name each seat once.")
    came_from = [order.index(seat) for seat in range(len(order))]
    seats = tuple(state.seats[seat] for seat in came_from)
    opened = tuple(state.settings.seats[seat] for seat in came_from)
    return replace(state, seats=seats, settings=replace(state.settings, seats=opened))


def _with_seat(state: State, seat: int, sits: Seat) -> State:
    return replace(state, seats=(*state.seats[:seat], sits, *state.seats[seat + 1 :]))


def _after_pause(state: State, event: LogEvent) -> State:
    return replace(state, adjourned=event.kind == "adjourn", offers=(), declined=frozenset())


_CHANGES: Mapping[str, Callable[[Any, LogEvent], Any]] = {
    "takeback": _after_takeback,
    "resign": _after_resignation,
    "flag": _after_time_out,
    "claim": _after_claim,
    "offer": _after_offer,
    "agreed": _after_agreement,
    "declined": _after_refusal,
    "over": _after_draw,
    "sit": _after_sitting_down,
    "stand": _after_leaving_seat,
    "lots": _after_lots,
    "abort": lambda state, _: replace(state, aborted=True, offers=()),
    "adjourn": _after_pause,
    "continue": _after_pause,
    "rematch": lambda state, event: replace(state, rematch=event.data["id"], offers=()),
    "resumed": lambda state, _: state,
    "link": lambda state, _: state,
}


def _with_clock(before: State, event: LogEvent, state: S) -> S:
    """``state``, to which ``event`` led from ``before``, with its number and the clocks as they are then."""
    if before.clock is None:
        return replaced(state, number=event.number)
    data = event.data
    clock = before.clock.advanced(data["at"], data.get("lost", 0), data.get("lag"))
    clocks = before.clocks
    if event.kind == "action":
        seat = data["seat"]
        mover = None if state.is_over else state.position.mover
        if mover != seat or not state.position.turn_is_open:
            clock = clock.turn_over(seat)
        clocks = (*clocks, clock)
    elif event.kind == "takeback":
        ply = data["ply"]
        if data.get("spent"):
            clock = clock.retracted(clocks[ply], data["seat"])
            clocks = (*clocks[:ply], clock)
        elif data.get("own"):
            clock = replace(clock, left=clocks[ply].left)
        elif not before.within_turn(ply, frozenset(range(len(clock.left)))):
            clock = clock.turn_undone()
            clocks = (*clocks[:ply], clock)
        clocks = clocks[: ply + 1]
    elif state.position.mover != before.position.mover:  # another player's turn begins, without an action
        clocks = (*clocks[:-1], clock)
    clock = clock.running_for(state.mover if state.clock_started else None)
    return replaced(state, number=event.number, clock=clock, clocks=clocks)
