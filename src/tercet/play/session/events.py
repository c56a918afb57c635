"""The events of a table, as they are logged, and the state of the table after each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tercet.core.game import Transition
from tercet.play.session.clock import replaced
from tercet.play.session.settings import Seat, SessionError
from tercet.play.session.state import Offer, State

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
