"""A game between seats: what has happened at a table, and who may do what next. It keeps no time and does no I/O."""

from tercet.session.clock import LAG, Clock, TimeControl
from tercet.session.commands import (
    Abort,
    Answer,
    Claim,
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
from tercet.session.errors import SessionError
from tercet.session.events import LogEvent
from tercet.session.result import Result
from tercet.session.session import Session, Step
from tercet.session.settings import Seat, TableSettings
from tercet.session.state import Offer, Played

__all__ = [
    "LAG",
    "Abort",
    "Answer",
    "Claim",
    "Clock",
    "Command",
    "LeaveSeat",
    "LogEvent",
    "Offer",
    "OfferDraw",
    "PlayAction",
    "Played",
    "Propose",
    "RenewLink",
    "Resign",
    "Result",
    "Seat",
    "Session",
    "SessionError",
    "Step",
    "TableSettings",
    "TakeSeat",
    "Takeback",
    "TimeControl",
]
