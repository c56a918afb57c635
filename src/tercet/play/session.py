"""A game between seats as a value: commands are checked against it, events make the next one. It never looks at the
time: whoever asks says when.

``session.apply(command)`` answers with the events that the command causes, or with a :class:`SessionError`; it
changes nothing. ``session.after(event)`` is the session after an event. So a log of events is the whole truth:
``Session.replay(setup, log)`` gives back exactly the session that wrote it.

What a game may add to the rules of a table (each is optional, found by name in its house):

``kernels.resign(rules, row, player, events)``
    plays on without ``player``, in place. Where there is none, a game of two ends when one resigns.
``kernels.may_resign(rules, row, player)``
    whether ``player`` is still in the game: whoever is not can neither resign nor is asked about a draw.
``kernels.draw_agreed(rules, row, events)``
    ends the game as drawn, in place. Where there is none, those who have not resigned share the point equally.
``notation.short_text(game, row, action)``
    a readable short form for move lists.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tercet.errors import IllegalAction, OptionError, ParseError
from tercet.game import Game, Outcome, Position
from tercet.games import house
from tercet.play.clock import Clock, TimeControl
from tercet.play.parts import (
    Act,
    Answer,
    Command,
    LogEvent,
    Offer,
    OfferDraw,
    Played,
    Resign,
    Result,
    SessionError,
    Setup,
    Takeback,
)

SEAT_KINDS = ("person", "engine")
MAX_PLIES = 20_000  # single actions at one table
TAKEBACKS = ("off", "consent", "own")
RETRACTIONS = 10  # that a player has in a game where takebacks are "own": Triplicity's rule


def _clock(setup: Setup) -> Clock | None:
    if setup.clock is None:
        return None
    try:
        return Clock.start(TimeControl.read(setup.clock), len(setup.seats))
    except OptionError as error:
        raise SessionError("bad-option", error.option, error.why) from None


@functools.lru_cache(maxsize=256)
def _game(name: str, options: tuple[tuple[str, Any], ...]) -> Game:
    return Game(house(name), dict(options))


@dataclass(frozen=True)
class Session:
    """A table's game at one moment. Make one with :meth:`open` or :meth:`replay`.

    ``played`` are the actions that stand, the opening among them; ``resigned`` pairs of (ply, seat) in the order given
    up, those among them whose time was up ``flagged``; ``agreed_draw`` whether a draw was agreed; ``retracted`` who
    has taken back as a player may alone, once for each time; ``number`` the last event. ``position`` is what the rules
    see. ``clock`` runs from the first action on.
    """

    setup: Setup
    start: Position
    position: Position
    played: tuple[Played, ...] = ()
    number: int = 0
    resigned: tuple[tuple[int, int], ...] = ()
    agreed_draw: bool = False
    offers: tuple[Offer, ...] = ()
    declined: frozenset[tuple[int, str]] = field(default=frozenset())
    flagged: frozenset[int] = frozenset()
    retracted: tuple[int, ...] = ()
    clock: Clock | None = None

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
                "bad-option", "seats", f"{game.house.title} has {len(game.players)} seats here, not {len(setup.seats)}"
            )
        for number, seat in enumerate(setup.seats):
            if seat.kind not in SEAT_KINDS:
                raise SessionError("bad-option", f"seats.{number}.kind", f"is one of {', '.join(SEAT_KINDS)}")
        if setup.takebacks not in TAKEBACKS:
            raise SessionError("bad-option", "takebacks", f"are one of {', '.join(TAKEBACKS)}")
        if setup.clock is not None and all(seat.kind == "engine" for seat in setup.seats):
            raise SessionError("bad-option", "clock", "is for tables where somebody plays")
        session = cls(setup, start, start, clock=_clock(setup))
        for ply, text in enumerate(setup.opening):
            try:
                session = session.with_action(text)
            except IllegalAction as error:
                raise SessionError("bad-record", f"move {ply + 1}", f"{text}: {error.why}") from None
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
        """The seat whose decision it is; None when it is over."""
        return None if self.is_over else self.position.mover

    @property
    def gone(self) -> frozenset[int]:
        """Seats that have resigned."""
        return frozenset(seat for _, seat in self.resigned)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by the rules or at the table."""
        return self.agreed_draw or self.position.is_over or (bool(self.resigned) and not self._plays_on())

    @property
    def result(self) -> Result | None:
        """How it ended; None while it goes on."""
        if not self.is_over:
            return None
        players = self.game.players
        outcome = self.position.outcome
        if outcome is not None:
            says = str(self.game.house.view.scene(self.position).result)
            return Result(outcome, says or f"The game is over: {outcome.reason}.")
        if self.agreed_draw:
            sharing = tuple(seat for seat in range(len(players)) if self.in_game(seat))
            scores = tuple(1 / len(sharing) if seat in sharing else 0.0 for seat in range(len(players)))
            return Result(Outcome(scores, sharing, "agreement"), "Drawn by agreement.")
        loser = self.resigned[-1][1]
        left = tuple(seat for seat in range(len(players)) if seat not in self.gone)
        scores = tuple(1 / len(left) if seat in left else 0.0 for seat in range(len(players)))
        late = loser in self.flagged
        says = f"{players[loser]}'s time is up" if late else f"{players[loser]} resigns"
        if len(left) == 1:
            says += f": {players[left[0]]} wins"
        elif left:
            says += f": {' and '.join(players[seat] for seat in left)} share the point"
        return Result(Outcome(scores, left, "time" if late else "resignation"), f"{says}.")

    @property
    def retractions(self) -> tuple[int, ...] | None:
        """How many retractions each seat has left; None where takebacks are not one's own."""
        if self.setup.takebacks != "own":
            return None
        return tuple(RETRACTIONS - self.retracted.count(seat) for seat in range(len(self.setup.seats)))

    def apply(self, command: Command, now: int | None = None) -> list[LogEvent]:
        """The events that ``command`` causes, in order; SessionError says why there are none.

        ``now`` (milliseconds) matters where a clock runs; left out, no time has gone by. Whoever keeps the time asks
        :meth:`flag` first.
        """
        if not command.seats:
            raise SessionError("not-your-seat", "seat", "you are watching this game")
        if self.clock is not None and now is not None and self.clock.fallen(now) is not None:
            raise SessionError("over", "clock", "the time of the player to move is up")
        if isinstance(command, Act):
            found = self._act(command)
        elif isinstance(command, Takeback):
            found = self._takeback(command)
        elif isinstance(command, Answer):
            found = self._answer(command)
        elif isinstance(command, Resign):
            found = self._resign(command)
        else:
            found = self._offer_draw(command)
        return self._dated(found, now)

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
            session = replace(session, offers=kept, declined=frozenset())
        elif event.kind == "takeback":
            session = self._back_to(data["ply"])
            if data.get("own"):
                session = replace(session, retracted=(*self.retracted, data["seat"]))
        elif event.kind in ("resign", "flag"):
            session = self._without(data["seat"])
            if event.kind == "flag":
                session = replace(session, flagged=self.flagged | {data["seat"]})
        elif event.kind == "offer":
            offer = Offer(data["seat"], data["what"], data.get("ply"))
            session = replace(self, offers=(*self.offers, offer))
        elif event.kind == "agreed":
            session = replace(
                self,
                offers=tuple(
                    replace(o, agreed=o.agreed | set(data["seats"])) if o.what == data["what"] else o
                    for o in self.offers
                ),
            )
        elif event.kind == "declined":
            refused = {(o.seat, o.what) for o in self.offers if o.what == data["what"]}
            session = replace(
                self,
                offers=tuple(o for o in self.offers if o.what != data["what"]),
                declined=self.declined | refused,
            )
        elif event.kind == "over":
            session = self._drawn()
        elif event.kind != "resumed":
            raise SessionError("bad-record", f"event {event.number}", f"there is no kind {event.kind!r}")
        return replace(session, number=event.number, clock=self._clock_after(event, session))

    def _clock_after(self, event: LogEvent, session: Session) -> Clock | None:
        """The clocks after ``event``, which led from here to ``session``."""
        if self.clock is None:
            return None
        clock = self.clock.settled(event.data["at"], event.data.get("lost", 0))
        if event.kind == "action":
            seat, over = event.data["seat"], session.is_over
            if over or session.mover != seat or not self.game.house.view.scene(session.position).partial:
                clock = clock.turn_over(seat)
        elif event.kind == "takeback" and not self._within_turn(event.data["ply"], frozenset(range(len(clock.left)))):
            clock = clock.turn_undone()
        begun = event.kind == "action" or clock.running is not None or self.is_over
        return clock.handed(session.mover if begun else None)

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
            for seat, sits in enumerate(self.setup.seats)
            if sits.kind == "person" and seat != offer.seat and seat not in offer.agreed and self.in_game(seat)
        )

    def in_game(self, seat: int) -> bool:
        """Whether ``seat`` still plays: it has not resigned and the rules have not put it out."""
        if seat in self.gone:
            return False
        may_resign = getattr(self.game.kernels, "may_resign", None)
        return may_resign is None or bool(may_resign(self.game.data, self.position.row, seat))

    def _act(self, command: Act) -> list[tuple[str, dict[str, Any]]]:
        if self.is_over:
            raise SessionError("over", "table", "the game is over")
        if command.ply != self.ply:
            raise SessionError("stale-ply", "ply", f"{self.ply} actions have been played, not {command.ply}")
        mover = self.position.mover
        if mover not in command.seats:
            raise SessionError("not-your-turn", "seat", f"it is {self.game.players[mover or 0]}'s decision")
        if self.ply + len(command.more) >= MAX_PLIES:
            raise SessionError("unavailable", "table", f"a table ends after {MAX_PLIES} actions")
        found: list[tuple[str, dict[str, Any]]] = []
        position = self.position
        for ply, text in enumerate((command.action, *command.more), self.ply):
            if position.mover != mover:
                raise SessionError("illegal-action", text[:80], f"the turn is over before action {ply - self.ply + 1}")
            try:
                action = position.action(text)
            except (IllegalAction, ParseError) as error:
                raise SessionError("illegal-action", text[:80], error.why) from None
            found.append(("action", {"ply": ply, "seat": mover, "action": str(action)}))
            position = position.play(action)
        return found

    def _takeback(self, command: Takeback) -> list[tuple[str, dict[str, Any]]]:
        if command.at is not None and command.at != self.ply:
            raise SessionError("stale-ply", "ply", f"{self.ply} actions have been played, not {command.at}")
        if self.agreed_draw or (self.resigned and not self._plays_on()):
            raise SessionError("over", "table", "the game was ended by its players")
        target = self.own_last_turn(command.seats) if command.ply is None else command.ply
        if target is None:
            raise SessionError("unavailable", "takeback", "you have not moved yet")
        floor = max((ply for ply, _ in self.resigned), default=0)
        if not 0 <= target < self.ply:
            raise SessionError("unavailable", "ply", f"there is nothing to take back to ply {target}")
        if target < floor:
            raise SessionError("unavailable", "ply", "a resignation is not taken back")
        seat = min(command.seats)
        for ply in range(self.ply - 1, target - 1, -1):
            if self.played[ply].seat in command.seats:
                seat = self.played[ply].seat
        found = ("takeback", {"ply": target, "seat": seat})
        if self._within_turn(target, command.seats):
            return [found]
        if self.setup.takebacks == "off":
            raise SessionError("unavailable", "takeback", "this table was opened without takebacks")
        if self.setup.takebacks == "own":
            return [self._retraction(target, command.seats)]
        offer = Offer(seat, "takeback", target)
        if all(other in command.seats for other in self.awaited(offer)):
            return [found]
        if self.is_over:
            raise SessionError("over", "table", "the game is over")
        if any(open_.what == "takeback" for open_ in self.offers):
            raise SessionError("unavailable", "takeback", "a takeback is already on offer")
        if (seat, "takeback") in self.declined:
            raise SessionError("unavailable", "takeback", "it has been declined; offer again after the next move")
        return self._propose(offer, command.seats)

    def _retraction(self, target: int, seats: frozenset[int]) -> tuple[str, dict[str, Any]]:
        """Going back to ``target`` as a player may without being allowed to: to before his last turn, ten times."""
        seat = self.played[target].seat
        if seat not in seats or target != self.own_last_turn(frozenset({seat})):
            raise SessionError("unavailable", "ply", "you may take back your own last turn, before your next one")
        if self.is_over and any(other not in seats for other in self.awaited(Offer(seat, "takeback"))):
            raise SessionError("over", "table", "the game is over")
        if not self.is_over:
            self._must_hold(seats, seat)
        if self.retracted.count(seat) >= RETRACTIONS:
            name = self.game.players[seat]
            raise SessionError("unavailable", "takeback", f"{name} has taken back {RETRACTIONS} times in this game")
        return "takeback", {"ply": target, "seat": seat, "own": True}

    def _offer_draw(self, command: OfferDraw) -> list[tuple[str, dict[str, Any]]]:
        if self.is_over:
            raise SessionError("over", "table", "the game is over")
        self._must_hold(command.seats, command.seat)
        standing = next((offer for offer in self.offers if offer.what == "draw"), None)
        if standing is not None:
            if command.seat not in self.awaited(standing):
                raise SessionError("unavailable", "draw", "a draw is already on offer")
            return self._answer(Answer(frozenset({command.seat}), "draw", True))
        if (command.seat, "draw") in self.declined:
            raise SessionError("unavailable", "draw", "it has been declined; offer again after the next move")
        for seat, sits in enumerate(self.setup.seats):
            if sits.kind == "engine" and self.in_game(seat):
                return [
                    ("offer", {"seat": command.seat, "what": "draw"}),
                    ("declined", {"seat": seat, "what": "draw"}),
                ]
        return self._propose(Offer(command.seat, "draw"), command.seats)

    def _propose(self, offer: Offer, seats: frozenset[int]) -> list[tuple[str, dict[str, Any]]]:
        """The offer; seats that the proposer holds as well agree to it at once."""
        data: dict[str, Any] = {"seat": offer.seat, "what": offer.what}
        if offer.ply is not None:
            data["ply"] = offer.ply
        own = [seat for seat in self.awaited(offer) if seat in seats]
        left = [seat for seat in self.awaited(offer) if seat not in seats]
        if not left:
            return [self._granted(offer)]
        found: list[tuple[str, dict[str, Any]]] = [("offer", data)]
        if own:
            found.append(("agreed", {"seats": own, "what": offer.what}))
        return found

    def _granted(self, offer: Offer) -> tuple[str, dict[str, Any]]:
        if offer.what == "draw":
            return "over", {"reason": "agreement"}
        return "takeback", {"ply": offer.ply, "seat": offer.seat}

    def _answer(self, command: Answer) -> list[tuple[str, dict[str, Any]]]:
        if self.is_over:
            raise SessionError("over", "table", "the game is over")
        offer = next((offer for offer in self.offers if offer.what == command.what), None)
        if offer is None:
            raise SessionError("unavailable", "what", f"no {command.what[:20]} is on offer")
        awaited = self.awaited(offer)
        seats = [seat for seat in awaited if seat in command.seats]
        if not seats:
            if not command.yes and offer.seat in command.seats:  # withdrawn
                return [("declined", {"seat": offer.seat, "what": offer.what})]
            raise SessionError("not-your-turn", "what", "your answer is not asked for")
        if not command.yes:
            return [("declined", {"seat": seats[0], "what": offer.what})]
        found: list[tuple[str, dict[str, Any]]] = [("agreed", {"seats": seats, "what": offer.what})]
        if len(seats) == len(awaited):
            found.append(self._granted(offer))
        return found

    def _resign(self, command: Resign) -> list[tuple[str, dict[str, Any]]]:
        if self.is_over:
            raise SessionError("over", "table", "the game is over")
        self._must_hold(command.seats, command.seat)
        if len(self.game.players) > 2 and not self._plays_on():
            raise SessionError("unavailable", "resign", "this game knows no resignation")
        return [("resign", {"seat": command.seat})]

    def _must_hold(self, seats: frozenset[int], seat: int) -> None:
        if seat not in seats:
            raise SessionError("not-your-seat", "seat", "that seat is not yours")
        if not self.in_game(seat):
            raise SessionError("unavailable", "seat", "that seat is out of the game")

    def _within_turn(self, target: int, seats: frozenset[int]) -> bool:
        """Whether going back to ``target`` undoes only actions of a turn that its player has not finished."""
        mover = self.position.mover
        if mover not in seats or not self.game.house.view.scene(self.position).partial:
            return False
        undone = self.played[target:]
        return all(one.seat == mover for one in undone) and not any(one.begins_turn for one in undone[1:])

    def _plays_on(self) -> bool:
        """Whether the game itself knows what a resignation means."""
        return hasattr(self.game.kernels, "resign")

    def with_action(self, text: str) -> Session:
        """The session after ``text`` is played, whoever asks and without an event; IllegalAction."""
        position = self.position
        action = position.action(text)
        seat = position.mover
        assert seat is not None
        short = getattr(self.game.house.notation, "short_text", None)
        last = self.played[-1] if self.played else None
        played = Played(
            seat,
            action.id,
            str(action),
            short(self.game, position.row, action.id) if short else str(action),
            position.events(action),
            last is None or last.seat != seat or not self.game.house.view.scene(position).partial,
        )
        return replace(self, position=position.play(action), played=(*self.played, played))

    def _back_to(self, ply: int) -> Session:
        """The first ``ply`` actions played again, with the resignations among them."""
        position, resigned = self.start, list(self.resigned)
        for number in range(ply + 1):
            while resigned and resigned[0][0] == number:
                position = self._resigned(position, resigned.pop(0)[1])
            if number < ply:
                position = position.play(self.played[number].number)
        return replace(self, position=position, played=self.played[:ply], offers=(), declined=frozenset())

    def _without(self, seat: int) -> Session:
        position = self._resigned(self.position, seat) if self._plays_on() else self.position
        return replace(
            self, position=position, resigned=(*self.resigned, (self.ply, seat)), offers=(), declined=frozenset()
        )

    def _resigned(self, position: Position, seat: int) -> Position:
        game = position.game
        row = position.row.copy()
        game.kernels.resign(game.data, row, seat, game.new_events())
        return Position(game, row)

    def _drawn(self) -> Session:
        position, game = self.position, self.game
        if hasattr(game.kernels, "draw_agreed"):
            row = position.row.copy()
            game.kernels.draw_agreed(game.data, row, game.new_events())
            position = Position(game, row)
        return replace(self, position=position, agreed_draw=True, offers=(), declined=frozenset())
