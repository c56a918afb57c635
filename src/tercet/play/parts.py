"""What a table is made of, what is asked of it and what happened at it: the values that a session works with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.errors import TercetError
from tercet.game import Event, Outcome

__all__ = [
    "Act",
    "Answer",
    "Command",
    "LogEvent",
    "Offer",
    "OfferDraw",
    "Played",
    "Resign",
    "Result",
    "Seat",
    "SessionError",
    "Setup",
    "Takeback",
]


class SessionError(TercetError):
    """A command that the table refuses. ``code`` is for programs, ``where`` names what is wrong, ``why`` says it.

    Codes: ``over``, ``not-your-seat``, ``not-your-turn``, ``stale-ply``, ``illegal-action``, ``bad-message``,
    ``bad-option``, ``bad-position``, ``unavailable``.
    """

    def __init__(self, code: str, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.code = code
        self.where = where
        self.why = why


@dataclass(frozen=True)
class Seat:
    """Who sits there: a ``person`` or an ``engine`` of some ``level``. ``name`` is what others see."""

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
    their screens; ``chat`` whether they may confer, open to all."""

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

    ``action`` ply, seat, action; ``takeback`` ply (gone back to), seat, own (only where it is a retraction); ``resign``
    seat; ``flag`` seat; ``offer`` seat, what, ply (for a takeback); ``agreed`` seats, what; ``declined`` seat, what;
    ``over`` reason; ``resumed`` lost (milliseconds that nobody's clock ran). At a table with a clock each has ``at``,
    the time in milliseconds.
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
    """``seat`` proposes ``what`` (``draw``, or ``takeback`` to ``ply``); ``agreed`` seats have said yes to it."""

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
class Act:
    """``seats`` (all that the sender holds) play ``action``, knowing of ``ply`` actions. ``more`` are actions of the
    same player that follow at once: all of them are played, or none."""

    seats: frozenset[int]
    ply: int
    action: str
    more: tuple[str, ...] = ()


@dataclass(frozen=True)
class Takeback:
    """Go back to ``ply``, or, where it is None, to before the sender's last turn. ``at`` is the number of actions the
    sender knows of, None where he does not care."""

    seats: frozenset[int]
    ply: int | None = None
    at: int | None = None


@dataclass(frozen=True)
class Answer:
    """Yes or no to the open offer of ``what``."""

    seats: frozenset[int]
    what: str
    yes: bool


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


Command = Act | Takeback | Answer | Resign | OfferDraw
