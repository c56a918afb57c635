"""What a table is made of, what is asked of it and what happened at it: the values that a session works with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.errors import TercetError
from tercet.game import Event, Outcome

__all__ = [
    "Abort",
    "Act",
    "Answer",
    "Claim",
    "Command",
    "LogEvent",
    "Offer",
    "OfferDraw",
    "Played",
    "Propose",
    "Relink",
    "Resign",
    "Result",
    "Seat",
    "SessionError",
    "Setup",
    "Sit",
    "Stand",
    "Takeback",
]


class SessionError(TercetError):
    """A command that the table refuses. ``code`` is for programs, ``where`` names what is wrong, ``why`` says it.

    Codes: ``over``, ``not-begun``, ``adjourned``, ``taken``, ``not-allowed``, ``not-your-seat``, ``not-your-turn``,
    ``stale-ply``, ``illegal-action``, ``bad-message``, ``bad-option``, ``bad-position``, ``not-possible``.
    """

    def __init__(self, code: str, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.code = code
        self.where = where
        self.why = why


@dataclass(frozen=True)
class Seat:
    """Who sits there: a ``person``, an ``engine`` of some ``level``, or nobody yet: it is ``open`` to anybody, or waits
    for a ``bot``. ``name`` is what others see; of a bot that is asked, its handle."""

    kind: str
    name: str = ""
    level: int = 0


@dataclass(frozen=True)
class Setup:
    """What is settled when a table is opened. ``position`` (a position string) replaces the game's own start, which
    ``seed`` settles where chance is in it; ``opening`` are actions already played when the table opens.

    ``takebacks`` are ``off``, need the others' ``consent``, or are one's ``own``: up to ten retractions in a game, each
    of one's last turn and before one's next, which nobody else is asked about (Triplicity's rule). ``clock`` is what
    :meth:`TimeControl.read` takes, or None; ``confirm`` whether players are to confirm whole turns, which is up to
    their screens; ``chat`` whether they may confer, open to all. ``gone`` says what may be claimed against a player who
    has gone: ``{"after": seconds, "then": ["win", "engine"], "level": of that engine}``; None: nothing. ``watch`` says
    who may look on: it is listed (``public``), whoever knows of it (``link``), or nobody (``private``)."""

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
    gone: Mapping[str, Any] | None = None
    watch: str = "link"

    def data(self) -> dict[str, Any]:
        """As JSON-able data; :meth:`read` takes it back."""
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
            "gone": None if self.gone is None else dict(self.gone),
            "watch": self.watch,
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Setup:
        """The setup that :meth:`data` wrote."""
        seats = tuple(Seat(**seat) for seat in data["seats"])
        takebacks = data["takebacks"]
        if isinstance(takebacks, bool):  # as tables of the first weeks were written
            takebacks = "consent" if takebacks else "off"
        return cls(**{**data, "seats": seats, "opening": tuple(data["opening"]), "takebacks": takebacks})


@dataclass(frozen=True)
class LogEvent:
    """Something that happened at a table, the ``number``-th from 1. ``data`` is JSON-able; by kind:

    ``sit`` seat, name (where one was given); ``stand`` seat; ``action`` ply, seat, action, lag (milliseconds of the
    turn that were spent on the line, given back); ``takeback`` ply (gone back to), seat, own (only where it is a
    retraction); ``resign`` seat; ``flag`` seat; ``claim`` seat (who has gone), by (None: whoever runs the event), what,
    level (of an engine); ``offer`` seat, what, ply (for a takeback); ``agreed`` seats, what; ``declined`` seat, what;
    ``over`` reason; ``abort`` seat, or reason where nobody at the table did it; ``adjourn``; ``continue``; ``rematch``
    id (of the new table); ``link`` seat (its old link opens it no more); ``resumed`` lost (milliseconds that nobody's
    clock ran). At a table with a clock each has ``at``, the time in milliseconds.
    """

    number: int
    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Played:
    """One action of the game: whose it was, in notation and words, and whether a turn began with it."""

    seat: int
    number: int
    text: str
    short: str
    events: tuple[Event, ...]
    begins_turn: bool

    @property
    def says(self) -> tuple[str, ...]:
        """What happened, as sentences."""
        return tuple(event.says for event in self.events if event.says)


@dataclass(frozen=True)
class Offer:
    """``seat`` proposes ``what`` (``draw``, ``takeback`` to ``ply``, ``adjourn``, ``continue`` or ``rematch``);
    ``agreed`` seats have said yes to it."""

    seat: int
    what: str
    ply: int | None = None
    agreed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Result:
    """How it ended: the outcome, and a sentence for a person."""

    outcome: Outcome
    says: str


@dataclass(frozen=True)
class Sit:
    """Somebody takes the open ``seat``, and wants to be called ``name`` there."""

    seat: int
    name: str = ""


@dataclass(frozen=True)
class Stand:
    """Whoever took ``seat`` leaves it before the game has begun. ``seats`` are all that the sender holds, as in all
    that follow."""

    seats: frozenset[int]
    seat: int


@dataclass(frozen=True)
class Relink:
    """``seat`` gets a new link, and the old one opens it no more. Who may have that is for whoever keeps the links."""

    seat: int


@dataclass(frozen=True)
class Act:
    """Play ``action``, knowing of ``ply`` actions. ``more`` are actions of the same player that follow at once: all of
    them are played, or none. ``lag`` are the milliseconds between the sender and the server, there and back, as far as
    the server knows them."""

    seats: frozenset[int]
    ply: int
    action: str
    more: tuple[str, ...] = ()
    lag: int | None = None


@dataclass(frozen=True)
class Takeback:
    """Go back to ``ply``, or, where it is None, to before the sender's last turn. ``at`` is the number of actions the
    sender knows of, None where he does not care."""

    seats: frozenset[int]
    ply: int | None = None
    at: int | None = None


@dataclass(frozen=True)
class Answer:
    """Yes or no to the open offer of ``what``. ``table`` is the id of the table at which a rematch would be played."""

    seats: frozenset[int]
    what: str
    yes: bool
    table: str = ""


@dataclass(frozen=True)
class Resign:
    """``seat`` gives up."""

    seats: frozenset[int]
    seat: int


@dataclass(frozen=True)
class OfferDraw:
    """``seat`` proposes a draw."""

    seats: frozenset[int]
    seat: int


@dataclass(frozen=True)
class Propose:
    """``seat`` proposes to ``adjourn``, to ``continue`` an adjourned game, or a ``rematch`` at the new ``table``."""

    seats: frozenset[int]
    seat: int
    what: str
    table: str = ""


@dataclass(frozen=True)
class Abort:
    """The game is off before its second turn, for nobody's win or loss."""

    seats: frozenset[int]


@dataclass(frozen=True)
class Claim:
    """``seat``, whose player has been away for ``away`` milliseconds (None: he is here), has lost (``what`` is ``win``)
    or is played by an ``engine`` from now on."""

    seats: frozenset[int]
    seat: int
    what: str
    away: int | None


Command = Sit | Stand | Relink | Act | Takeback | Answer | Resign | OfferDraw | Propose | Abort | Claim
