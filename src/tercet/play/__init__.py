"""A game between seats: what has happened at a table, and who may do what next. No clock of its own, no I/O."""

from tercet.play.session import (
    Act,
    Answer,
    Command,
    LogEvent,
    Offer,
    OfferDraw,
    Played,
    Resign,
    Result,
    Seat,
    Session,
    SessionError,
    Setup,
    Takeback,
)

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
    "Session",
    "SessionError",
    "Setup",
    "Takeback",
]
