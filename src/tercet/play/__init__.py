"""A game between seats: what has happened at a table, and who may do what next. It keeps no time and does no I/O."""

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
    Seat,
    SessionError,
    Setup,
    Takeback,
)
from tercet.play.session import Session

__all__ = [
    "Act",
    "Answer",
    "Clock",
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
    "TimeControl",
]
