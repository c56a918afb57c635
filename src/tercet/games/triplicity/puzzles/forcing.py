"""What can be forced in Triplicity within a few turns: everything is tried, captures of kings are seen at once."""

from __future__ import annotations

from functools import cache
from typing import Any

from tercet.core.game import Action, Game, Position
from tercet.core.proofs import Claim, TooMuch
from tercet.games.triplicity.kernels import layout


@cache
def _targets(game: Game) -> Any:
    """The cell at which each move ends: int64, shape (PURCHASES,)."""
    import numpy as np

    target = game.kernels.target
    return np.array([target(game.data, action) for action in range(layout.PURCHASES)], np.int64)


def captures(position: Position, kind: int | None = None) -> list[int]:
    """The legal captures, of men of this ``kind`` if it is given."""
    import numpy as np

    ids = np.asarray(position.legal_actions.ids)
    ids = ids[ids < layout.PURCHASES]
    men = np.asarray(position.row)[layout.CELLS + _targets(position.game)[ids]]
    wanted = men > 0 if kind is None else men & 7 == kind
    return [int(action) for action in ids[wanted]]


class Forcing:
    """Answers whether attackers reach their goal within some turns, and how. At most ``budget`` actions are tried in
    all, then TooMuch is raised. ``kind`` is of the men without whose capture the goal is not reached (None: any)."""

    def __init__(self, claim: Claim, budget: int, kind: int | None) -> None:
        self.claim = claim
        self.budget = budget
        self.kind = kind
        self._known: dict[tuple[bytes, int], int | None] = {}
        self._good: dict[tuple[int, bool], list[int]] = {}

    def action(self, position: Position, turns: int) -> int | None:
        """The attackers' action, they being to move, with which they reach the goal within ``turns``; None if they
        cannot."""
        key = position.key(), turns
        if key not in self._known:
            self._known[key] = self._look(position, turns)
        return self._known[key]

    def _look(self, position: Position, turns: int) -> int | None:
        for number in captures(position, self.kind):
            if self._play(position, number)[1]:
                return number
        if turns == 1:
            return None
        for number in self._ordered(position, turns, attacking=True):
            after, _ = self._play(position, number)
            if not after.is_over and self.holds(after, turns - 1):
                self._remember(number, turns, attacking=True)
                return number
        return None

    def holds(self, position: Position, turns: int) -> bool:
        """Return whether the attackers, with ``turns`` turns left, reach the goal whatever is played in a game going
        on."""
        if position.mover in self.claim.attackers:
            return self.action(position, turns) is not None
        for number in self._ordered(position, turns, attacking=False):
            after, _ = self._play(position, number)
            if after.is_over or not self.holds(after, turns):
                self._remember(number, turns, attacking=False)
                return False
        return True

    def _play(self, position: Position, number: int) -> tuple[Position, bool]:
        self.budget -= 1
        if self.budget < 0:
            raise TooMuch
        return self.claim.play(position, Action(number, position))

    def _ordered(self, position: Position, turns: int, *, attacking: bool) -> list[int]:
        good = [number for number in self._good.get((turns, attacking), ()) if position.allows(number)]
        first = [*good, *captures(position)]
        return list(dict.fromkeys([*first, *(int(number) for number in position.legal_actions.ids)]))

    def _remember(self, number: int, turns: int, *, attacking: bool) -> None:
        good = self._good.setdefault((turns, attacking), [])
        if number in good:
            good.remove(number)
        good.insert(0, number)
        del good[6:]
