"""Claims about a position: some players reach a goal within so many of their turns, whatever the others do.

A *goal* is data: ``{"win": true}`` (one of them wins alone), ``{"over": true}`` (the game ends), ``{"tally": n}`` (one
of them has so much when a turn of theirs ends), ``{"event": kind, "data": {...}}`` (an action of theirs causes such an
event, with at least this data).

A *proof* is a tree of lists, mappings and None. Where the side chooses that proves something, it is a list: the action,
then, unless nothing is left to show, the proof of the rest. Where the other side chooses, it is a mapping from actions
(several in one key, separated by spaces; ``*`` for all that are not named) to proofs of the rest; None stands for
``{"*": None}``. All actions are in canonical notation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.core.game import Action, Position

__all__ = ["Claim", "Tree"]

Tree = Any  # as above; JSON-able


@dataclass(frozen=True)
class Claim:
    """The players ``attackers`` reach ``goal`` within ``turns`` turns, theirs together, whatever the others do."""

    attackers: tuple[int, ...]
    goal: Mapping[str, Any]
    turns: int

    def play(self, position: Position, action: Action) -> tuple[Position, bool]:
        """Return the position after ``action``, and whether the goal is reached by it."""
        goal = self.goal
        if "event" in goal:
            done = position.transition(action)
            wanted = goal.get("data", {}).items()
            caused = any(event.kind == goal["event"] and wanted <= event.data.items() for event in done.events)
            return done.after, caused and position.mover in self.attackers
        after = position.play(action)
        return after, self._is_reached(after, position.mover in self.attackers)

    def _is_reached(self, after: Position, attacked: bool) -> bool:
        if "tally" in self.goal:
            tally = after.tally
            assert tally is not None
            ended = attacked and not after.turn_is_open
            return ended and max(tally[player] for player in self.attackers) >= self.goal["tally"]
        scores = after.scores
        if scores is None:
            return False
        return "over" in self.goal or any(scores[player] == 1.0 for player in self.attackers)
