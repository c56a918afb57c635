"""Rows of games that were played elsewhere."""

from __future__ import annotations

from tercet.laboratory.playing import GameRow
from tercet.record import Record

__all__ = ["play_record"]


def play_record(record: Record, number: int = 0) -> GameRow | None:
    """Return the row of a recorded game; None where it did not begin at its start or did not end on the board."""
    position, actions = record.last.effective_line()
    if record.end.outcome is None or position != record.start:
        return None
    statistics = record.game.definition.statistics
    count = None if statistics is None else statistics.count(position)
    for text in actions:
        action = position.action(text)
        following = position.play(action)
        if count is not None:
            count.follow(position, action, following)
        position = following
    outcome = position.outcome
    if outcome is None:
        return None
    seats = tuple(range(len(record.game.players)))
    counts = {} if count is None else count.end(position)
    return GameRow(number, seats, outcome.scores, len(actions), outcome.reason, counts)
