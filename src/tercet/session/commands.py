"""What is asked of a table: commands. ``seats`` are always all that the sender holds.

Nothing here says whether a command makes sense: :mod:`tercet.session.validation` does.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Abort",
    "Answer",
    "Claim",
    "Command",
    "LeaveSeat",
    "OfferDraw",
    "PlayAction",
    "Propose",
    "RenewLink",
    "Resign",
    "TakeSeat",
    "Takeback",
]


@dataclass(frozen=True)
class TakeSeat:
    """Somebody takes the open ``seat``, and wants to be called ``name`` there."""

    seat: int
    name: str = ""


@dataclass(frozen=True)
class LeaveSeat:
    """Whoever took ``seat`` leaves it before the game has begun. ``seats`` are all that the sender holds, as in all
    that follow."""

    seats: frozenset[int]
    seat: int


@dataclass(frozen=True)
class RenewLink:
    """``seat`` gets a new link, and the old one opens it no more. Who may have that is for whoever keeps the links."""

    seat: int


@dataclass(frozen=True)
class PlayAction:
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
    """``seat``, whose player has been absent for ``absent`` milliseconds (None: he is here), has lost (``what`` is
    ``win``) or is played by an ``engine`` from now on."""

    seats: frozenset[int]
    seat: int
    what: str
    absent: int | None


Command = (
    TakeSeat | LeaveSeat | RenewLink | PlayAction | Takeback | Answer | Resign | OfferDraw | Propose | Abort | Claim
)
