"""Commands of a client at a table. ``seats`` are always all seats that the sender holds.

:mod:`tercet.play.session.validation` decides whether a command is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass

from tercet.core.rules import PlainNumbers


@dataclass(frozen=True)
class TakeSeat(PlainNumbers):
    """A player takes the open ``seat``; ``name`` is what others see. With ``lots`` (for each seat, the one to which its
    player moves) the seats are drawn if this one is the last."""

    seat: int
    name: str = ""
    lots: tuple[int, ...] | None = None


@dataclass(frozen=True)
class LeaveSeat(PlainNumbers):
    """The person who took ``seat`` leaves it before the game has begun."""

    seats: frozenset[int]
    seat: int


@dataclass(frozen=True)
class RenewLink(PlainNumbers):
    """``seat`` gets a new link; the old one does not open it any more. Who may ask for that is checked by the caller,
    which stores the links."""

    seat: int


@dataclass(frozen=True)
class PlayAction(PlainNumbers):
    """Play ``action`` (canonical or other notation) when ``ply`` actions have been played. ``more`` are actions of the
    same player that follow at once: all of them are played, or none. ``lag`` is the round trip between the sender and
    the server in milliseconds, None where it is not known."""

    seats: frozenset[int]
    ply: int
    action: str
    more: tuple[str, ...] = ()
    lag: int | None = None


@dataclass(frozen=True)
class Takeback(PlainNumbers):
    """Go back to ``ply``, or, where it is None, to before the sender's last turn. ``at`` is the number of actions that
    the sender has seen; None: it is not compared."""

    seats: frozenset[int]
    ply: int | None = None
    at: int | None = None


@dataclass(frozen=True)
class Answer(PlainNumbers):
    """Yes or no to the open offer of ``what``. ``table`` is the id of the table at which a rematch would be played."""

    seats: frozenset[int]
    what: str
    yes: bool
    table: str = ""


@dataclass(frozen=True)
class Resign(PlainNumbers):
    """``seat`` gives up."""

    seats: frozenset[int]
    seat: int


@dataclass(frozen=True)
class OfferDraw(PlainNumbers):
    """``seat`` proposes a draw."""

    seats: frozenset[int]
    seat: int


@dataclass(frozen=True)
class Propose(PlainNumbers):
    """``seat`` proposes to ``adjourn``, to ``continue`` an adjourned game, or a ``rematch`` at the new ``table``."""

    seats: frozenset[int]
    seat: int
    what: str
    table: str = ""


@dataclass(frozen=True)
class Abort(PlainNumbers):
    """Abort the game before its second turn, without a win or loss."""

    seats: frozenset[int]


@dataclass(frozen=True)
class AbsenceClaim(PlainNumbers):
    """The player of ``seat`` has been absent for ``absent`` milliseconds (None: they are here) and loses (``what``
    is ``win``), or an ``engine`` takes over. In a break ``absent`` is how long the sender's offer to continue has
    been waiting (None: there is none)."""

    seats: frozenset[int]
    seat: int
    what: str
    absent: int | None


Command = (
    TakeSeat
    | LeaveSeat
    | RenewLink
    | PlayAction
    | Takeback
    | Answer
    | Resign
    | OfferDraw
    | Propose
    | Abort
    | AbsenceClaim
)
