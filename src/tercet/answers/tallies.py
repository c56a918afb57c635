"""The numbers that a game draws for each player through the game (``definition.tally``): one line before the first
action and one after each."""

from __future__ import annotations

from tercet.core.game import Position
from tercet.play.session import PlayedAction, Session

__all__ = ["MAX_ACTIONS", "Tallies"]

MAX_ACTIONS = 2000  # of a game whose tally is drawn


class Tallies:
    """Those of one table, kept from one time they are asked for to the next. Not for several threads at once."""

    def __init__(self) -> None:
        self._played: tuple[PlayedAction, ...] = ()
        self._resigned: tuple[tuple[int, int], ...] = ()
        self._lines: list[list[float]] = []
        self._position: Position | None = None

    def of(self, session: Session) -> list[list[float]] | None:
        """Of all actions that stand in ``session``; None where the game has no such numbers, or it is longer than
        :data:`MAX_ACTIONS` actions."""
        if session.game.definition.tally is None or session.ply > MAX_ACTIONS:
            return None
        known = len(self._played)
        stands = self._played == session.played[:known] and self._resigned == session.resigned
        if self._position is None or not stands:
            self._played, self._resigned = (), session.resigned
            self._position = self._note(session, session.start, 0)
        for ply, played in enumerate(session.played[len(self._played) :], len(self._played) + 1):
            self._position = self._note(session, self._position.play(played.action_id), ply)
        self._played = session.played
        return list(self._lines)

    def _note(self, session: Session, position: Position, ply: int) -> Position:
        """Note the numbers when ``ply`` actions led to ``position``, in which the next action was played; a
        resignation in between makes it another."""
        for at, seat in session.resigned if session.plays_on else ():
            if at == ply:
                position = position.resign(seat)
        del self._lines[ply:]
        self._lines.append(list(position.tally or ()))
        return position
