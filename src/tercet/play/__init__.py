"""A game between seats: what has happened at a table, and who may do what next. It keeps no time and does no I/O."""

from tercet.play.clock import LAG, Clock, TimeControl
from tercet.play.parts import (
    Abort,
    Act,
    Answer,
    Claim,
    Command,
    LogEvent,
    Offer,
    OfferDraw,
    Played,
    Propose,
    Resign,
    Result,
    Seat,
    SessionError,
    Setup,
    Sit,
    Stand,
    Takeback,
)
from tercet.play.session import Session

__all__ = [
    "LAG",
    "Abort",
    "Act",
    "Answer",
    "Claim",
    "Clock",
    "Command",
    "LogEvent",
    "Offer",
    "OfferDraw",
    "Played",
    "Propose",
    "Resign",
    "Result",
    "Seat",
    "Session",
    "SessionError",
    "Setup",
    "Sit",
    "Stand",
    "Takeback",
    "TimeControl",
]
