"""A game between seats as a value: commands are checked against it, events make the next one. It never looks at the
time: the caller passes it.

``session.apply(command)`` answers with what the command causes: events in order, each with the session after it; or
with a :class:`SessionError`. It changes nothing. An action is read, checked and applied once on the way.
``session.after(event)`` is the session after an event that a log holds, so a log of events is the whole truth:
``Session.replay(settings, log)`` gives back exactly the session that wrote it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from tercet.core.game import Transition
from tercet.core.rules import replaced
from tercet.errors import IllegalAction
from tercet.play.session import commands
from tercet.play.session.state import GameResult, Offer, Seat, SessionError, State, TableSettings, result_of

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
    table); ``link`` seat (its old link is no longer valid); ``resumed`` lost (milliseconds in which no clock ran);
    ``vacation`` seat, until (milliseconds; its clock stands still until then). At a table with a clock each has
    ``at``, the time in milliseconds.
    """

    number: int
    kind: str
    data: Mapping[str, Any]


def state_after(state: S, event: LogEvent, transition: Transition | None = None) -> S:
    """Return the state after ``event``. ``transition`` is what an action does, where that is known already.
    Raise SessionError if the event does not follow on the last one, or is of no known kind."""
    if event.number != state.number + 1:
        why = f"The next event must have the number {state.number + 1}."
        raise SessionError("bad-record", f"event {event.number}", why)
    if event.kind == "action":
        made = state.position.transition(event.data["action"]) if transition is None else transition
        still_open = tuple(offer for offer in state.offers if offer.what == "draw" and offer.seat == event.data["seat"])
        following = state.with_transition(made, offers=still_open, declined=frozenset(), clock_started=True)
    elif event.kind in _CHANGES:
        following = _CHANGES[event.kind](state, event)
    else:
        raise SessionError("bad-record", f"event {event.number}", f"There is no event of kind {event.kind!r}.")
    return _with_clock(state, event, following)


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
    return replace(_after_resignation(state, event), timed_out=state.timed_out | {event.data["seat"]})


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
    offers = (replace(one, agreed=one.agreed | seats) if one.what == what else one for one in state.offers)
    return replace(state, offers=tuple(offers))


def _after_refusal(state: State, event: LogEvent) -> State:
    what = event.data["what"]
    refused = {(o.seat, o.what) for o in state.offers if o.what == what != "continue"}  # that may be asked again
    left = tuple(offer for offer in state.offers if offer.what != what)
    return replace(state, offers=left, declined=state.declined | refused)


def _after_draw(state: State, _: LogEvent) -> State:
    known_to_rules = state.game.definition.agreement is not None
    position = state.position.agree_draw() if known_to_rules else state.position
    return replace(state, position=position, agreed_draw=True, offers=(), declined=frozenset())


def _after_change_of_seat(state: State, event: LogEvent) -> State:
    seat = event.data["seat"]
    if event.kind == "stand":
        return _with_seat(state, seat, state.settings.seats[seat])
    return _with_seat(state, seat, Seat("person", event.data.get("name", state.seats[seat].name)))


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
    "sit": _after_change_of_seat,
    "stand": _after_change_of_seat,
    "lots": _after_lots,
    "abort": lambda state, _: replace(state, aborted=True, offers=()),
    "adjourn": _after_pause,
    "continue": _after_pause,
    "rematch": lambda state, event: replace(state, rematch=event.data["id"], offers=()),
    "resumed": lambda state, _: state,
    "vacation": lambda state, _: state,
    "link": lambda state, _: state,
}


def _with_clock(before: State, event: LogEvent, state: S) -> S:
    """Return ``state``, to which ``event`` led from ``before``, with the event's number and the clocks after it."""
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
    elif event.kind == "vacation":
        clock = clock.vacation(data["seat"], data["until"])
    elif state.position.mover != before.position.mover:  # another player's turn begins, without an action
        clocks = (*clocks[:-1], clock)
    clock = clock.running_for(state.mover if state.clock_started else None)
    return replaced(state, number=event.number, clock=clock, clocks=clocks)


class Step(NamedTuple):
    """Something that happened, and the session after it."""

    event: LogEvent
    after: Session


@dataclass(frozen=True)
class Session(State):
    """A table's game at one moment, with the commands that can be applied to it. Make one with :meth:`open` or
    :meth:`replay`; its fields are those of :class:`~tercet.play.session.state.State`."""

    @classmethod
    def open(cls, settings: TableSettings) -> Session:
        """Return a new table. Raise SessionError if game, options, position, opening or seats make no sense."""
        start = settings.check()
        session = cls(settings, start, start, settings.seats, clock=settings.full_clock())
        for ply, text in enumerate(settings.opening):
            try:
                session = session.with_action(text)
            except IllegalAction as error:
                raise SessionError("bad-record", f"move {ply + 1}", f"{text}: {error.why}") from None
        if session.clock is not None:
            session = replace(session, clocks=(session.clock,) * (session.ply + 1))
        return session

    @classmethod
    def replay(cls, settings: TableSettings, log: Iterable[LogEvent]) -> Session:
        """Return the session that wrote ``log``."""
        return functools.reduce(cls.after, log, cls.open(settings))

    @functools.cached_property
    def result(self) -> GameResult | None:
        """Return the result; None while the game goes on, and if it was aborted."""
        return result_of(self)

    def apply(self, command: commands.Command, now: int | None = None) -> list[Step]:
        """Return the events that ``command`` causes, in order. Raise SessionError if it is refused.

        ``now`` (milliseconds) is used where a clock runs; None: no time has passed. Call :meth:`check_time` first:
        where a player's time is up, a SessionError says so.
        """
        if self.clock is not None and now is not None and self.clock.timed_out(now) is not None:
            raise SessionError("over", "clock", "The time of the player to move is up.")
        return self._steps(commands.events_of(self, command, now), now)

    def after(self, event: LogEvent) -> Session:
        """Return the session after ``event``, which a log holds. Raise SessionError if it cannot follow here."""
        return state_after(self, event)

    def check_time(self, now: int) -> list[Step]:
        """Return the event that a player's time was up by ``now`` (milliseconds), or that a break ended by itself;
        none if neither is so."""
        if self.break_ends is not None and now >= self.break_ends:
            return self._steps([commands.Caused("abort", {"reason": "expired"})], now)
        seat = None if self.clock is None or self.is_over else self.clock.timed_out(now)
        if self.clock is None or seat is None:
            return []
        return self._steps([commands.Caused("flag", {"seat": seat})], self.clock.deadline)

    def resume(self, now: int, lost: int) -> list[Step]:
        """Return the event that the clocks stood still for ``lost`` milliseconds until ``now``; none where no clock
        runs."""
        if lost <= 0 or self.clock is None or self.clock.running is None:
            return []
        return self._steps([commands.Caused("resumed", {"lost": lost})], now)

    def give_up_waiting(self, reason: str, now: int | None = None) -> list[Step]:
        """Return the event that a table still waiting for players is aborted for ``reason``; none where it is not
        waiting."""
        if self.is_over or not self.waiting:
            return []
        return self._steps([commands.Caused("abort", {"reason": reason})], now)

    def vacation(self, seat: int, until: int, now: int) -> list[Step]:
        """Return the event that the clock of ``seat`` stands still until then (milliseconds), or runs again where that
        is over ``now``. None in a game without a clock for correspondence, in one that is over or has not begun, since
        players may still change seats, and where the seat's player is out or on that vacation already."""
        if self.clock is None or self.clock.control.kind != "correspondence" or self.is_over or self.waiting:
            return []
        before = self.clock.away[seat] if self.clock.away else 0
        now = max(now, self.clock.at)  # an event is never earlier than the last one
        if not self.in_game(seat) or max(before, now) == max(until, now):
            return []
        return self._steps([commands.Caused("vacation", {"seat": seat, "until": until})], now)

    def end_break(self, now: int | None = None) -> list[Step]:
        """Return the event that an adjourned game goes on at once, by decision of a tournament's organiser; none where
        it is not adjourned."""
        if not self.adjourned or self.is_over:
            return []
        return self._steps([commands.Caused("continue", {})], now)

    def leave(self, seat: int, now: int | None = None) -> list[Step]:
        """Return the events by which the player of ``seat``, who never came or is gone for good, leaves: before the
        beginning their seat, or the table that they opened; then they abort the game if it can still be aborted, else
        they have lost. None where they do not play."""
        if self.is_over or self.seats[seat].kind == "engine" or not self.in_game(seat):
            return []
        if seat in self.waiting:  # it was kept for them
            return self.give_up_waiting("declined", now)
        if self.waiting and self.settings.seats[seat].kind in ("open", "bot"):
            return self.apply(commands.LeaveSeat(frozenset({seat}), seat), now)
        if self.abortable and not (self.plays_on and len(self.seats) > 2):
            return self.apply(commands.Abort(frozenset({seat})), now)
        return self.forfeit(seat, now)

    def claims(self, seat: int) -> tuple[str, ...]:
        """Return the claims allowed once the player of ``seat`` has been absent long enough: ``win``, ``engine``."""
        return commands.claims(self, seat)

    def forfeit(self, seat: int, now: int | None = None) -> list[Step]:
        """Return the event that ``seat`` has lost because its player never came or is gone, which no opponent claims.
        Raise SessionError if the game cannot end so."""
        return self._steps(commands.absence_loss(self, seat, None, adjourned=True), now)

    def _steps(self, caused: Sequence[commands.Caused], now: int | None) -> list[Step]:
        """Return the events that were ``caused``, numbered and dated, each with the session after it."""
        session, steps = self, []
        at = None if self.clock is None else self.clock.at if now is None else max(now, self.clock.at)
        for kind, data, transition in caused:
            event = LogEvent(session.number + 1, kind, data if at is None else {**data, "at": at})
            session = state_after(session, event, transition)
            steps.append(Step(event, session))
        return steps

    def rematch_settings(self, seed: int) -> TableSettings:
        """Return the settings of a rematch: the same, with everybody moved on by one seat, and ``seed`` where the start
        position depends on chance. Bots are asked again."""
        pairs = zip(self.settings.seats, self.seats, strict=True)
        seats = [wanted if wanted.kind == "bot" and sits.kind != "engine" else sits for wanted, sits in pairs]
        seats = seats[-1:] + seats[:-1]
        return replace(self.settings, seats=tuple(seats), seed=seed if self.settings.seed else 0)


MOVES_ON = frozenset({"action", "takeback", "resign", "flag", "claim", "sit", "lots", "continue"})


def is_outdated(command: commands.Command, since: Iterable[LogEvent]) -> bool:
    """Return whether the game has gone on ``since`` the sender looked: one of the events could have made possible what
    was not, so that a command that was refused stays refused wherever a copy of it comes. Only time can still allow a
    :class:`AbsenceClaim`."""
    if isinstance(command, commands.Answer):
        return any(event.kind == "offer" and event.data["what"] == command.what for event in since)
    more = () if isinstance(command, commands.PlayAction) else ("adjourn", "declined", "over", "abort")
    return any(event.kind in MOVES_ON or event.kind in more for event in since)
