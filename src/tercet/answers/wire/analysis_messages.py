"""What a server says on the socket of analyses (``/api/analysis``)."""

from __future__ import annotations

from typing import Literal

from tercet.answers.wire import TypedDict
from tercet.answers.wire.table_messages import ErrorMessage, Pong, Preparing
from tercet.core.texts import Text

__all__ = ["AnalysisServerMessage"]


class AnalysedLine(TypedDict):
    """A line of play: each player's expected share of the point, its actions in notation and, as lists of moves have
    them, short, whose they are, and a note on what is certain. ``proved``: the scores are no estimate."""

    scores: list[float]
    pv: list[str]
    short: list[str]
    seats: list[int]
    note: Text
    proved: bool


class AnalysisInfo(TypedDict):
    """How far the analysis ``id`` has come. ``preparing``: its kernels are being compiled; else null."""

    type: Literal["info"]
    id: str
    depth: int
    nodes: int
    nps: int
    seconds: float
    lines: list[AnalysedLine]
    preparing: Preparing | None


class AnalysisDone(TypedDict):
    """The analysis is over; ``best`` is null where the game is over or it was stopped before it began."""

    type: Literal["done"]
    id: str
    best: str | None


AnalysisServerMessage = AnalysisInfo | AnalysisDone | Pong | ErrorMessage
