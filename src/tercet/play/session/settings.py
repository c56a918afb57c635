"""The settings of a table, fixed when it is opened: the game, the seats, the clock, and what players may do."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.core.execution import usual_execution
from tercet.core.game import Game, Position
from tercet.core.rules import PlainNumbers
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
        fields = dict(data)
        fields |= {
            "seats": tuple(Seat(**seat) for seat in fields["seats"]),
            "opening": tuple(fields["opening"]),
            "absence": fields.pop("gone"),
        }
        return cls(**fields)

    def check(self) -> Position:
        """Return the position to begin with, before the opening; SessionError where game, options, position, seats or
        anything else makes no sense."""
        start = self._start()
        seats, wanted = len(self.seats), len(start.game.players)
        if seats != wanted:
            title = start.game.definition.title
            raise SessionError("bad-option", "seats", f"{title} must have {wanted} seats here, not {seats}.")
        for number, seat in enumerate(self.seats):
            if seat.kind not in SEAT_KINDS:
                raise SessionError(
                    "bad-option", f"seats.{number}.kind", f"The kind of a seat must be one of {', '.join(SEAT_KINDS)}."
                )
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
            raise SessionError(
                "bad-option", "options", "The value of an option must be a number, a word, or true or false."
            ) from None
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
        """Return the clock of the table before the first action; None where it has none. SessionError where its fields
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
