"""A game between seats as a value: commands are checked against it, events make the next one. It never looks at the
time: whoever asks says when.

``session.apply(command)`` answers with the events that the command causes, or with a :class:`SessionError`; it
changes nothing. ``session.after(event)`` is the session after an event. So a log of events is the whole truth:
``Session.replay(setup, log)`` gives back exactly the session that wrote it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tercet.errors import IllegalAction, OptionError, ParseError
from tercet.game import Game, Outcome, Position
from tercet.games import game_definition
from tercet.session import gates
from tercet.session.clock import Clock, TimeControl
from tercet.session.parts import Command, LogEvent, Offer, Played, Result, Seat, SessionError, Setup

SEAT_KINDS = ("person", "engine", "open", "bot")
TAKEBACKS = ("off", "consent", "own")
CLAIMS = ("win", "engine")
WATCH = ("public", "link", "private")
LEAST_GONE = 30  # seconds before anything may be claimed against somebody who has gone


def _check_gone(setup: Setup) -> None:
    gone = setup.gone
    if gone is None:
        return
    after, then, level = gone.get("after"), gone.get("then"), gone.get("level", 4)
    if isinstance(after, bool) or not isinstance(after, int) or not LEAST_GONE <= after <= 60 * 86_400:
        raise SessionError("bad-option", "gone.after", f"is a whole number of seconds from {LEAST_GONE} to 60 days")
    if not isinstance(then, list | tuple) or not then or any(what not in CLAIMS for what in then):
        raise SessionError("bad-option", "gone.then", f"is some of {', '.join(CLAIMS)}")
    if isinstance(level, bool) or not isinstance(level, int) or not 1 <= level <= 8:
        raise SessionError("bad-option", "gone.level", "is a level from 1 to 8")


def _clock(setup: Setup) -> Clock | None:
    if setup.clock is None:
        return None
    try:
        return Clock.start(TimeControl.read(setup.clock), len(setup.seats))
    except OptionError as error:
        raise SessionError("bad-option", error.option, error.why) from None


@functools.lru_cache(maxsize=256)
def _game(name: str, options: tuple[tuple[str, Any], ...]) -> Game:
    return Game(game_definition(name), dict(options))


@dataclass(frozen=True)
class Session:
    """A table's game at one moment. Make one with :meth:`open` or :meth:`replay`.

    ``played`` are the actions that stand, the opening among them; ``resigned`` pairs of (ply, seat) in the order given
    up, those among them whose time was up ``flagged``, and who had gone ``left``; ``agreed_draw`` whether a draw was
    agreed; ``retracted`` who has taken back as a player may alone, once for each time; ``number`` the last event.
    ``seats`` are who sits there now: people take open seats, and an engine has ``replaced`` some who had gone.
    ``rematch`` is the id of the table at which it is played. ``position`` is what the rules see. ``clock`` runs from
    the first action on (it is ``ticking``, unless it is stopped for a while); ``reserves`` are what each had left on it
    when so many actions stood.
    """

    setup: Setup
    start: Position
    position: Position
    seats: tuple[Seat, ...]
    played: tuple[Played, ...] = ()
    number: int = 0
    resigned: tuple[tuple[int, int], ...] = ()
    agreed_draw: bool = False
    offers: tuple[Offer, ...] = ()
    declined: frozenset[tuple[int, str]] = field(default=frozenset())
    flagged: frozenset[int] = frozenset()
    left: frozenset[int] = frozenset()
    replaced: frozenset[int] = frozenset()
    retracted: tuple[int, ...] = ()
    aborted: bool = False
    adjourned: bool = False
    rematch: str | None = None
    clock: Clock | None = None
    ticking: bool = False
    reserves: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def open(cls, setup: Setup) -> Session:
        """A new table; SessionError where game, options, position, opening or seats make no sense."""
        try:
            game = _game(setup.game, tuple(sorted(setup.options.items())))
            start = game.start(setup.seed)
        except OptionError as error:
            raise SessionError("bad-option", error.option, error.why) from None
        except TypeError:  # a list or an object as value
            raise SessionError("bad-option", "options", "each value is a number, a word, or true or false") from None
        if setup.position is not None:
            try:
                start = game.parse(setup.position)
            except ParseError as error:
                raise SessionError("bad-position", error.where, error.why) from None
            if start.game != game:
                raise SessionError("bad-position", "options", "the position string names other options than the table")
        if len(setup.seats) != len(game.players):
            raise SessionError(
                "bad-option",
                "seats",
                f"{game.definition.title} has {len(game.players)} seats here, not {len(setup.seats)}",
            )
        for number, seat in enumerate(setup.seats):
            if seat.kind not in SEAT_KINDS:
                raise SessionError("bad-option", f"seats.{number}.kind", f"is one of {', '.join(SEAT_KINDS)}")
        if setup.takebacks not in TAKEBACKS:
            raise SessionError("bad-option", "takebacks", f"are one of {', '.join(TAKEBACKS)}")
        if setup.clock is not None and all(seat.kind == "engine" for seat in setup.seats):
            raise SessionError("bad-option", "clock", "is for tables where somebody plays")
        if setup.watch not in WATCH:
            raise SessionError("bad-option", "watch", f"is one of {', '.join(WATCH)}")
        if setup.watch == "private" and any(seat.kind == "open" for seat in setup.seats):
            raise SessionError("bad-option", "watch", "a seat that is open to anybody is no private matter")
        _check_gone(setup)
        session = cls(setup, start, start, setup.seats, clock=_clock(setup))
        for ply, text in enumerate(setup.opening):
            try:
                session = session.with_action(text)
            except IllegalAction as error:
                raise SessionError("bad-record", f"move {ply + 1}", f"{text}: {error.why}") from None
        if session.clock is not None:
            session = replace(session, reserves=(session.clock.left,) * (session.ply + 1))
        return session

    @classmethod
    def replay(cls, setup: Setup, log: Iterable[LogEvent]) -> Session:
        """The session that wrote ``log``."""
        session = cls.open(setup)
        for event in log:
            session = session.after(event)
        return session

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self.start.game

    @property
    def ply(self) -> int:
        """How many actions stand."""
        return len(self.played)

    @property
    def mover(self) -> int | None:
        """The seat whose decision it is; None while nobody may decide: it is over, adjourned, or has not begun."""
        return None if self.is_over or self.adjourned or self.waiting else self.position.mover

    @property
    def waiting(self) -> tuple[int, ...]:
        """Seats in which nobody sits yet. Nothing can be played as long as there are any."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.kind in ("open", "bot"))

    @property
    def begins_turn(self) -> bool:
        """Whether the next action begins a turn."""
        last = self.played[-1] if self.played else None
        return last is None or last.seat != self.position.mover or not self.position.turn_is_open

    @property
    def abortable(self) -> bool:
        """Whether the game may still be called off: its second turn has not begun, nor has one been taken back."""
        later = itertools.islice(self.played, len(self.setup.opening) + 1, None)
        return not self.is_over and not self.retracted and not any(one.begins_turn for one in later)

    @property
    def gone(self) -> frozenset[int]:
        """Seats that have resigned."""
        return frozenset(seat for _, seat in self.resigned)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by the rules or at the table."""
        return self.aborted or self.agreed_draw or self.position.is_over or (bool(self.resigned) and not self.plays_on)

    @property
    def result(self) -> Result | None:
        """How it ended; None while it goes on, and where it was aborted."""
        if not self.is_over or self.aborted:
            return None
        players = self.game.players
        outcome = self.position.outcome
        if outcome is not None:
            says = str(self.game.definition.view.scene(self.position).result)
            return Result(outcome, says or f"The game is over: {outcome.reason}.")
        if self.agreed_draw:
            sharing = tuple(seat for seat in range(len(players)) if self.in_game(seat))
            scores = tuple(1 / len(sharing) if seat in sharing else 0.0 for seat in range(len(players)))
            return Result(Outcome(scores, sharing, "agreement"), "Drawn by agreement.")
        loser = self.resigned[-1][1]
        left = tuple(seat for seat in range(len(players)) if seat not in self.gone)
        scores = tuple(1 / len(left) if seat in left else 0.0 for seat in range(len(players)))
        if loser in self.flagged:
            reason, says = "time", f"{players[loser]}'s time is up"
        elif loser in self.left:
            reason, says = "absence", f"{players[loser]} has left"
        else:
            reason, says = "resignation", f"{players[loser]} resigns"
        if len(left) == 1:
            says += f": {players[left[0]]} wins"
        elif left:
            says += f": {' and '.join(players[seat] for seat in left)} share the point"
        return Result(Outcome(scores, left, reason), f"{says}.")

    @property
    def retractions(self) -> tuple[int, ...] | None:
        """How many retractions each seat has left; None where takebacks are not one's own."""
        if self.setup.takebacks != "own":
            return None
        return tuple(self.game.definition.retractions - self.retracted.count(seat) for seat in range(len(self.seats)))

    def apply(self, command: Command, now: int | None = None) -> list[LogEvent]:
        """The events that ``command`` causes, in order; SessionError says why there are none.

        ``now`` (milliseconds) matters where a clock runs; left out, no time has gone by. Whoever keeps the time asks
        :meth:`flag` first.
        """
        if self.clock is not None and now is not None and self.clock.fallen(now) is not None:
            raise SessionError("over", "clock", "the time of the player to move is up")
        return self._dated(gates.caused(self, command), now)

    def expire(self, reason: str, now: int | None = None) -> list[LogEvent]:
        """The event that a table still waiting for players is given up, for some ``reason``; none where it is not."""
        if self.is_over or not self.waiting:
            return []
        return self._dated([("abort", {"reason": reason})], now)

    def forfeit(self, seat: int, now: int | None = None) -> list[LogEvent]:
        """The events by which whoever runs the event that this game belongs to rules that ``seat`` has lost by absence:
        it never came. SessionError where the game does not know such an end."""
        return self._dated(gates.forfeited(self, seat, None), now)

    def flag(self, now: int) -> list[LogEvent]:
        """The event that a flag has fallen by ``now``, if one has."""
        clock = self.clock
        seat = None if clock is None or self.is_over else clock.fallen(now)
        return [] if clock is None or seat is None else self._dated([("flag", {"seat": seat})], clock.deadline)

    def resume(self, now: int, lost: int) -> list[LogEvent]:
        """The event that the clocks stood still for ``lost`` milliseconds until ``now``, if one runs."""
        if lost <= 0 or self.clock is None or self.clock.running is None:
            return []
        return self._dated([("resumed", {"lost": lost})], now)

    def _dated(self, found: list[tuple[str, dict[str, Any]]], now: int | None) -> list[LogEvent]:
        if self.clock is not None:
            at = self.clock.at if now is None else max(now, self.clock.at)
            found = [(kind, {**data, "at": at}) for kind, data in found]
        return [LogEvent(self.number + 1 + n, kind, data) for n, (kind, data) in enumerate(found)]

    def after(self, event: LogEvent) -> Session:
        """The session after ``event``, which :meth:`apply` made or a log holds."""
        if event.number != self.number + 1:
            raise SessionError("bad-record", f"event {event.number}", f"event {self.number + 1} is next")
        data, session = event.data, self
        if event.kind == "action":
            session = self.with_action(data["action"])
            kept = tuple(o for o in self.offers if o.what == "draw" and o.seat == data["seat"])
            session = replace(session, offers=kept, declined=frozenset(), ticking=True)
        elif event.kind == "takeback":
            session = self._back_to(data["ply"])
            if data.get("own"):
                session = replace(session, retracted=(*self.retracted, data["seat"]))
        elif event.kind in ("resign", "flag"):
            session = self._without(data["seat"])
            if event.kind == "flag":
                session = replace(session, flagged=self.flagged | {data["seat"]})
        elif event.kind in ("offer", "agreed", "declined"):
            session = self._talked(event)
        elif event.kind == "sit":
            name = data.get("name", self.seats[data["seat"]].name)
            session = self._seated(data["seat"], Seat("person", name))
        elif event.kind == "stand":
            session = self._seated(data["seat"], self.setup.seats[data["seat"]])
        elif event.kind == "claim":
            session = self._claimed(data["seat"], data["what"], data.get("level", 0))
        elif event.kind == "over":
            session = self._drawn()
        elif event.kind == "abort":
            session = replace(self, aborted=True, offers=())
        elif event.kind in ("adjourn", "continue"):
            session = replace(self, adjourned=event.kind == "adjourn", offers=(), declined=frozenset())
        elif event.kind == "rematch":
            session = replace(self, rematch=data["id"], offers=())
        elif event.kind not in ("resumed", "link"):
            raise SessionError("bad-record", f"event {event.number}", f"there is no kind {event.kind!r}")
        return self._timed(event, replace(session, number=event.number))

    def _timed(self, event: LogEvent, session: Session) -> Session:
        """``session``, to which ``event`` led from here, with the clocks as they are then."""
        if self.clock is None:
            return session
        data = event.data
        clock = self.clock.settled(data["at"], data.get("lost", 0), data.get("lag"))
        kept = self.reserves
        if event.kind == "action":
            seat = data["seat"]
            mover = None if session.is_over else session.position.mover
            if mover != seat or not session.position.turn_is_open:
                clock = clock.turn_over(seat)
            kept = (*kept, clock.left)
        elif event.kind == "takeback":
            ply = data["ply"]
            if data.get("own"):
                clock = replace(clock, left=kept[ply])
            elif not self.within_turn(ply, frozenset(range(len(clock.left)))):
                clock = clock.turn_undone()
                kept = (*kept[:ply], clock.left)
            kept = kept[: ply + 1]
        elif session.position.mover != self.position.mover:  # somebody else's turn begins, without an action
            kept = (*kept[:-1], clock.left)
        return replace(session, clock=clock.handed(session.mover if session.ticking else None), reserves=kept)

    def own_last_turn(self, seats: frozenset[int]) -> int | None:
        """How many actions stood before the last turn of any of ``seats``; None where they have had none.

        The last action of theirs is looked for, then where its turn began: in between others may have decided things.
        """
        for ply in range(self.ply - 1, -1, -1):
            if self.played[ply].seat in seats:
                while not self.played[ply].begins_turn:
                    ply -= 1
                return ply
        return None

    def awaited(self, offer: Offer) -> tuple[int, ...]:
        """Seats whose yes the offer still needs."""
        return tuple(
            seat
            for seat, sits in enumerate(self.seats)
            if sits.kind == "person"
            and seat != offer.seat
            and seat not in offer.agreed
            and (self.setup.seats[seat].kind != "bot" if offer.what == "rematch" else self.in_game(seat))
        )

    def in_game(self, seat: int) -> bool:
        """Whether ``seat`` still plays: it has not resigned and the rules have not put it out."""
        return seat not in self.gone and self.position.may_resign(seat)

    def at(self, ply: int) -> Position:
        """The position when ``ply`` of the actions that stand had been played, with the resignations among them."""
        return self._back_to(ply).position

    def within_turn(self, target: int, seats: frozenset[int]) -> bool:
        """Whether going back to ``target`` undoes only actions of a turn that its player has not finished."""
        mover = self.position.mover
        if mover not in seats or not self.position.turn_is_open:
            return False
        undone = self.played[target:]
        return all(one.seat == mover for one in undone) and not any(one.begins_turn for one in undone[1:])

    @property
    def plays_on(self) -> bool:
        """Whether the game itself knows what a resignation means."""
        return self.game.definition.resignation is not None

    def with_action(self, text: str) -> Session:
        """The session after ``text`` is played, whoever asks and without an event; IllegalAction."""
        position = self.position
        action = position.action(text)
        seat = position.mover
        assert seat is not None
        played = Played(
            seat,
            action.id,
            str(action),
            position.short_text(action),
            position.events(action),
            self.begins_turn,
        )
        return replace(self, position=position.play(action), played=(*self.played, played))

    def _back_to(self, ply: int) -> Session:
        """The first ``ply`` actions played again, with the resignations among them."""
        position, resigned = self.start, list(self.resigned)
        for number in range(ply + 1):
            while resigned and resigned[0][0] == number:
                position = position.resign(resigned.pop(0)[1])
            if number < ply:
                position = position.play(self.played[number].number)
        return replace(self, position=position, played=self.played[:ply], offers=(), declined=frozenset())

    def _talked(self, event: LogEvent) -> Session:
        """After an offer, or part of an answer to one."""
        data = event.data
        what = data["what"]
        if event.kind == "offer":
            return replace(self, offers=(*self.offers, Offer(data["seat"], what, data.get("ply"))))
        if event.kind == "agreed":
            agreed = frozenset(data["seats"])
            offers = (replace(o, agreed=o.agreed | agreed) if o.what == what else o for o in self.offers)
            return replace(self, offers=tuple(offers))
        refused = {(o.seat, o.what) for o in self.offers if o.what == what != "continue"}  # that may be asked again
        return replace(self, offers=tuple(o for o in self.offers if o.what != what), declined=self.declined | refused)

    def _seated(self, seat: int, sits: Seat) -> Session:
        return replace(self, seats=(*self.seats[:seat], sits, *self.seats[seat + 1 :]))

    def _claimed(self, seat: int, what: str, level: int) -> Session:
        """After ``seat`` was found to have gone."""
        if what == "win":
            return replace(self._without(seat), left=self.left | {seat})
        session = self._seated(seat, Seat("engine", level=level))
        return replace(session, replaced=self.replaced | {seat}, offers=(), declined=frozenset())

    def _without(self, seat: int) -> Session:
        position = self.position.resign(seat) if self.plays_on else self.position
        return replace(
            self, position=position, resigned=(*self.resigned, (self.ply, seat)), offers=(), declined=frozenset()
        )

    def _drawn(self) -> Session:
        agrees = self.game.definition.agreement is not None
        position = self.position.agree_draw() if agrees else self.position
        return replace(self, position=position, agreed_draw=True, offers=(), declined=frozenset())

    def rematch_setup(self, seed: int) -> Setup:
        """What is settled for a rematch: the same, with everybody one seat on and chance of its own. Bots are asked
        anew."""
        pairs = zip(self.setup.seats, self.seats, strict=True)
        seats = [asked if asked.kind == "bot" and sits.kind != "engine" else sits for asked, sits in pairs]
        seats = seats[-1:] + seats[:-1]
        return replace(self.setup, seats=tuple(seats), seed=seed if self.setup.seed else 0)
