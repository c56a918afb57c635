"""A game between seats: what has happened at a table, and who may do what next. It keeps no time and does no I/O."""

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
from tercet.play.session.session import LogEvent, Session, Step
from tercet.play.session.state import USUAL_ABSENCE, GameResult, Offer, PlayedAction, Seat, SessionError, TableSettings

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
