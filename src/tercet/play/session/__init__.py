"""A game between seats as a value: what has happened at a table, and who may do what next. It keeps no time and does no
I/O: the caller passes the time.

``session.apply(command)`` answers with what the command causes: events in order, each with the session after it; or
with a :class:`SessionError`. It changes nothing. An action is read, checked and applied once on the way.
``session.after(event)`` is the session after an event that a log holds. So a log of events is the whole truth:
``Session.replay(settings, log)`` gives back exactly the session that wrote it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tercet.errors import IllegalAction
from tercet.play.session.clock import LAG, Clock, TimeControl
from tercet.play.session.commands import (
    Abort,
    AbsenceClaim,
    Answer,
    Command,
    LeaveSeat,
    OfferDraw,
    PlayAction,
    Propose,
    RenewLink,
    Resign,
    Takeback,
    TakeSeat,
)
from tercet.play.session.settings import USUAL_ABSENCE, Seat, SessionError, TableSettings
from tercet.play.session.state import GameResult, LogEvent, Offer, PlayedAction, State, result_of, state_after
from tercet.play.session.validation import Caused, absence_loss, claims, events_of

__all__ = [
    "LAG",
    "USUAL_ABSENCE",
    "Abort",
    "AbsenceClaim",
    "Answer",
    "Clock",
    "Command",
    "GameResult",
    "LeaveSeat",
    "LogEvent",
    "Offer",
    "OfferDraw",
    "PlayAction",
    "PlayedAction",
    "Propose",
    "RenewLink",
    "Resign",
    "Seat",
    "Session",
    "SessionError",
    "Step",
    "TableSettings",
    "TakeSeat",
    "Takeback",
    "TimeControl",
]


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
        """Return a new table; SessionError where game, options, position, opening or seats make no sense."""
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
        session = cls.open(settings)
        for event in log:
            session = session.after(event)
        return session

    @functools.cached_property
    def result(self) -> GameResult | None:
        """Return the result; None while the game goes on, and if it was aborted."""
        return result_of(self)

    def apply(self, command: Command, now: int | None = None) -> list[Step]:
        """Return the events that ``command`` causes, in order. Raise SessionError if it is refused.

        ``now`` (milliseconds) is used where a clock runs; None: no time has passed. Call :meth:`check_time` first:
        where a player's time is up, a SessionError says so.
        """
        if self.clock is not None and now is not None and self.clock.timed_out(now) is not None:
            raise SessionError("over", "clock", "The time of the player to move is up.")
        return self._steps(events_of(self, command, now), now)

    def after(self, event: LogEvent) -> Session:
        """Return the session after ``event``, which a log holds; SessionError where it cannot follow here."""
        return state_after(self, event)

    def check_time(self, now: int) -> list[Step]:
        """Return the event that a player's time was up by ``now`` (milliseconds), or that a break ended by itself;
        none if neither is so."""
        if self.break_ends is not None and now >= self.break_ends:
            return self._steps([Caused("abort", {"reason": "expired"})], now)
        clock = self.clock
        seat = None if clock is None or self.is_over else clock.timed_out(now)
        return [] if clock is None or seat is None else self._steps([Caused("flag", {"seat": seat})], clock.deadline)

    def resume(self, now: int, lost: int) -> list[Step]:
        """Return the event that the clocks stood still for ``lost`` milliseconds until ``now``; none where no clock
        runs."""
        if lost <= 0 or self.clock is None or self.clock.running is None:
            return []
        return self._steps([Caused("resumed", {"lost": lost})], now)

    def give_up_waiting(self, reason: str, now: int | None = None) -> list[Step]:
        """Return the event that a table still waiting for players is aborted for ``reason``; none where it is not
        waiting."""
        if self.is_over or not self.waiting:
            return []
        return self._steps([Caused("abort", {"reason": reason})], now)

    def end_break(self, now: int | None = None) -> list[Step]:
        """Return the event that an adjourned game goes on at once, by decision of a tournament's organiser; none where
        it is not adjourned."""
        if not self.adjourned or self.is_over:
            return []
        return self._steps([Caused("continue", {})], now)

    def leave(self, seat: int, now: int | None = None) -> list[Step]:
        """Return the events by which the player of ``seat``, who never came or is gone for good, leaves; None where
        they do not play. Before the beginning they leave their seat, or the table that they opened. Later they abort
        the game if that is still possible; otherwise they have lost."""
        if self.is_over or self.seats[seat].kind == "engine" or not self.in_game(seat):
            return []
        if seat in self.waiting:  # it was kept for them
            return self.give_up_waiting("declined", now)
        if self.waiting and self.settings.seats[seat].kind in ("open", "bot"):
            return self.apply(LeaveSeat(frozenset({seat}), seat), now)
        if self.abortable and not (self.plays_on and len(self.seats) > 2):
            return self.apply(Abort(frozenset({seat})), now)
        return self.forfeit(seat, now)

    def claims(self, seat: int) -> tuple[str, ...]:
        """Return the claims allowed once the player of ``seat`` has been absent long enough: ``win``, ``engine``."""
        return claims(self, seat)

    def forfeit(self, seat: int, now: int | None = None) -> list[Step]:
        """Return the event that ``seat`` has lost because its player never came or is gone, which no opponent claims.
        SessionError where the game cannot end so."""
        return self._steps(absence_loss(self, seat, None, adjourned=True), now)

    def _steps(self, found: Sequence[Caused], now: int | None) -> list[Step]:
        """Return the events that were ``found``, numbered and dated, each with the session after it."""
        session, steps = self, []
        at = None if self.clock is None else self.clock.at if now is None else max(now, self.clock.at)
        for kind, data, transition in found:
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
