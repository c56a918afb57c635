"""Proofs of claims by trying everything, in any game, helped by whoever knows what to play."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tercet.game import Action, Position
from tercet.proofs.claims import Claim, Tree

__all__ = ["FAILED", "Advice", "Proofs", "TooMuch"]

FAILED: Final = False  # as a proof: there is none
REMEMBERED = 4  # actions that answered well, for each number of turns left

Advice = Callable[[Position, int], int | None]
"""``advise(position, turns)``: the attackers' action that reaches the goal within ``turns``, if that is known."""


class TooMuch(Exception):  # noqa: N818  (no error: it is given up)
    """More actions were tried than allowed."""


class Proofs:
    """Looks for proofs of a claim (that it can be forced), and of its opposite.

    At most ``budget`` actions are tried in all, then TooMuch is raised. ``advise`` knows what attackers should play;
    where it is given, nothing else is tried for them. Actions that answered well are tried first elsewhere, so that
    proofs are short.
    """

    def __init__(self, claim: Claim, budget: int, advise: Advice | None = None) -> None:
        self.claim = claim
        self.left = budget
        self._advise = advise
        self._good: dict[tuple[bool, int], list[int]] = {}

    def first(self, position: Position, action: Action, *, forced: bool) -> Tree:
        """A proof that after ``action``, at the beginning of a turn, the goal is (``forced``) or is not reached in
        time; FAILED if there is none."""
        return self._step(position, action, self.claim.turns, forced)

    def _step(self, position: Position, action: Action, turns: int, forced: bool) -> Tree:
        self.left -= 1
        if self.left < 0:
            raise TooMuch
        attackers = self.claim.attackers
        if position.mover in attackers and not position.turn_is_open:
            turns -= 1
        after, reached = self.claim.play(position, action)
        if reached:
            return None if forced else FAILED
        if after.is_over or (turns == 0 and not (after.mover in attackers and after.turn_is_open)):
            return FAILED if forced else None
        if (after.mover in attackers) == forced:
            return self._choose(after, turns, forced)
        return self._all(after, turns, forced)

    def _choose(self, position: Position, turns: int, forced: bool) -> Tree:
        """What the proving side plays."""
        for action in self._promising(position, turns, forced):
            rest = self._step(position, action, turns, forced)
            if rest is not FAILED:
                good = self._good.setdefault((forced, turns), [])
                if action.id in good:
                    good.remove(action.id)
                good.insert(0, action.id)
                del good[REMEMBERED:]
                return [str(action)] if rest is None else [str(action), rest]
        return FAILED

    def _promising(self, position: Position, turns: int, forced: bool) -> Iterator[Action]:
        """The actions to try, the best first."""
        known = [number for number in self._good.get((forced, turns), ()) if position.allows(number)]
        if forced and self._advise is not None:
            if turns == 1 and not position.turn_is_open:  # looked at cheaply: the goal is reached at once or not
                for number in known:
                    if self.claim.play(position, Action(number, position))[1]:
                        yield Action(number, position)
            advised = self._advise(position, turns)
            if advised is not None:
                yield Action(advised, position)
            return
        for number in known:
            yield Action(number, position)
        for action in position.legal_actions:
            if action.id not in known:
                yield action

    def _all(self, position: Position, turns: int, forced: bool) -> Tree:
        """What is played against each action of the other side."""
        known = [number for number in self._good.get((not forced, turns), ()) if position.allows(number)]
        found: dict[str, Tree] = {}
        for number in [*known, *(action.id for action in position.legal_actions if action.id not in known)]:
            action = Action(number, position)
            rest = self._step(position, action, turns, forced)
            if rest is FAILED:
                self._good.setdefault((not forced, turns), []).insert(0, number)
                del self._good[not forced, turns][REMEMBERED:]
                return FAILED
            found[str(action)] = rest
        return grouped(found)


def grouped(answers: Mapping[str, Tree]) -> Tree:
    """A mapping of actions to proofs, with equal proofs put together and the most frequent one as ``*``."""
    groups: dict[str, list[str]] = {}
    trees: dict[str, Tree] = {}
    for action, tree in answers.items():
        text = json.dumps(tree, sort_keys=True)
        groups.setdefault(text, []).append(action)
        trees[text] = tree
    usual = max(groups, key=lambda text: (len(groups[text]), len(text)), default="null")
    if len(groups) <= 1 and usual == "null":
        return None
    short = {" ".join(actions): trees[text] for text, actions in groups.items() if text != usual}
    return short | {"*": trees[usual]}
