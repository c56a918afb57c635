"""Judge tries at a puzzle: its proof answers; otherwise everything is tried for a while."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import tercet
from tercet import Position
from tercet.core.proofs import FAILED, Claim, Proofs, TooMuch, Tree, longest
from tercet.learning.lessons import PlayedTransition

__all__ = ["Attempt", "attempt", "solution"]

MAX_ACTIONS_TRIED = 60_000  # to judge an action that is not in the proof
MAX_REFUTATION_ACTIONS = 8
MAX_SOLUTION_ACTIONS = 40


@dataclass(frozen=True)
class Attempt:
    """The actions played, with the best answers. ``unsure``: the last action could not be judged in time. After a
    wrong one ``refutation`` shows why."""

    state: Literal["going", "right", "wrong", "unsure"]
    played: tuple[PlayedTransition, ...]
    refutation: tuple[PlayedTransition, ...] = ()


@dataclass
class _Walk:
    """Somewhere in the solution: the proof from here on and the attackers' turns that are left."""

    puzzle: Mapping[str, Any]
    position: Position
    claim: Claim
    turns: int
    tree: Tree = None
    begun: bool = False
    played: list[PlayedTransition] = field(default_factory=list)

    @property
    def attacking(self) -> bool:
        return self.puzzle["mover"] in self.claim.attackers

    def judge(self, text: str, *, right: bool) -> Tree:
        """Return the proof that ``text``, the solver's, is right (or wrong); FAILED if it is not. TooMuch."""
        if not self.begun:
            if right:
                return self.puzzle["right"].get(text, FAILED)
            if "wrong" in self.puzzle:
                wrong = self.puzzle["wrong"]
                return next((tree for key, tree in wrong.items() if text in key.split()), wrong.get("*"))
        elif right and isinstance(self.tree, list) and self.tree[0] == text:
            return self.tree[1] if len(self.tree) > 1 else None
        proofs = Proofs(self.claim, MAX_ACTIONS_TRIED)
        action = self.position.action(text)
        return proofs.follow(self.position, action, self.turns, forced=self.attacking == right)

    def play(self, text: str, tree: Tree) -> bool:
        """Play an action that ``tree`` follows; whether the goal is reached by it."""
        if self.position.mover in self.claim.attackers and not self.position.turn_is_open:
            self.turns -= 1
        action = self.position.action(text)
        _, reached = self.claim.play(self.position, action)
        made = PlayedTransition(self.position.mover or 0, self.position, self.position.transition(action))
        self.played.append(made)
        self.position = made.transition.after
        self.tree, self.begun = tree, True
        return reached

    def follow(self) -> bool:
        """Play what the proof says, or the reply that holds out longest; whether the goal is reached by it."""
        if isinstance(self.tree, list):
            return self.play(self.tree[0], self.tree[1] if len(self.tree) > 1 else None)
        return self.play(*longest(self.position, self.tree))

    def is_done(self, reached: bool) -> bool:
        """Return whether the solver has reached the goal, after right actions only."""
        mine = self.position.mover == self.puzzle["mover"] and self.position.turn_is_open
        return reached or self.position.is_over or (not self.attacking and not mine)


def _begin(puzzle: Mapping[str, Any]) -> _Walk:
    position = tercet.parse(puzzle["position"])
    return _Walk(puzzle, position, Claim(tuple(puzzle["attackers"]), puzzle["goal"], puzzle["turns"]), puzzle["turns"])


def solution(puzzle: Mapping[str, Any]) -> tuple[PlayedTransition, ...]:
    """Return the first of the right actions, and what follows it: the longest defence, and its answers."""
    walk = _begin(puzzle)
    reached = walk.play(*next(iter(puzzle["right"].items())))
    while not walk.is_done(reached) and len(walk.played) < MAX_SOLUTION_ACTIONS and not walk.position.is_over:
        reached = walk.follow()
    return tuple(walk.played)


def attempt(puzzle: Mapping[str, Any], moves: Sequence[str], actions: Sequence[str]) -> Attempt:
    """Return the result of the solver's ``actions`` after ``moves``, all moves played before. Raise IllegalAction."""
    walk = _begin(puzzle)
    for text in moves:
        if walk.position.mover == puzzle["mover"]:
            found = _judged(walk, walk.position.action(text))
            if not isinstance(found, tuple):
                return found
            walk.play(*found)
        else:
            named = {} if walk.tree is None else walk.tree
            text = str(walk.position.action(text))
            rest = next((tree for key, tree in named.items() if text in key.split()), named.get("*"))
            walk.play(text, rest)
    before = len(walk.played)
    for text in actions:
        found = _judged(walk, walk.position.action(text))
        if not isinstance(found, tuple):
            return Attempt(found.state, found.played[before:], found.refutation)
        reached = walk.play(*found)
        if walk.is_done(reached):
            return Attempt("right", tuple(walk.played[before:]))
    while walk.position.mover != puzzle["mover"]:
        if walk.play(*longest(walk.position, walk.tree)) or walk.position.is_over:
            return Attempt("right", tuple(walk.played[before:]))
    return Attempt("going", tuple(walk.played[before:]))


def _judged(walk: _Walk, action: tercet.Action) -> tuple[str, Tree] | Attempt:
    """Return the solver's action with the proof that it is right; else what comes of it."""
    text = str(action)
    try:
        tree = walk.judge(text, right=True)
        if tree is not FAILED:
            return text, tree
        refuting = walk.judge(text, right=False)
    except TooMuch:
        known = not walk.begun  # the list of right first actions is complete
        walk.play(text, None)
        return Attempt("wrong" if known else "unsure", tuple(walk.played))
    walk.play(text, refuting)
    played = tuple(walk.played)
    while walk.tree and not walk.position.is_over and len(walk.played) < len(played) + MAX_REFUTATION_ACTIONS:
        walk.follow()
    return Attempt("wrong", played, tuple(walk.played[len(played) :]))
