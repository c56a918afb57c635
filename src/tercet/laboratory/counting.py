"""Rows of games that were played elsewhere."""

from __future__ import annotations

from tercet.laboratory.playing import GameRow, Trace
from tercet.record import Record

__all__ = ["play_record"]


def play_record(record: Record, number: int = 0) -> GameRow | None:
    """Return the row of a recorded game; None where it did not begin at its start or did not end on the board."""
    position, actions = record.last.effective_line()
    if record.end.outcome is None or position != record.start:
        return None
    trace = Trace(position)
    for text in actions:
        position, _ = trace.follow(position, position.action(text))
    if position.outcome is None:
        return None
    return trace.row(number, tuple(range(len(record.game.players))), position)
