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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tercet.core.game import Action, Position

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


@dataclass(frozen=True)
class ProofStep:
    """An action of the attackers' in a proof that they can force something: ``turns`` are left after it, ``rest`` is
    the proof from there on; ``reached``: the goal is, by it."""

    before: Position
    action: Action
    after: Position
    turns: int
    rest: Tree
    reached: bool


def walk(position: Position, claim: Claim, text: str, rest: Tree) -> Iterator[ProofStep]:
    """Yield the attackers' actions along the main line of the proof ``rest`` of ``claim`` after the first action
    ``text``: the others always give the answer that holds out longest."""
    turns = claim.turns
    while True:
        action = position.action(text)
        attacking = position.mover in claim.attackers
        if attacking and not position.turn_is_open:
            turns -= 1
        after, reached = claim.play(position, action)
        if attacking:
            yield ProofStep(position, action, after, turns, rest, reached)
        if reached or after.is_over:
            return
        if after.mover in claim.attackers:
            text, rest = rest[0], rest[1] if len(rest) > 1 else None
        else:
            text, rest = longest(after, rest)
        position = after


def longest(position: Position, tree: Tree) -> tuple[str, Tree]:
    """Return the reply that holds out longest in a proof, and what follows it; of equal ones, one that meets the usual
    answer."""
    replies = {"*": None} if tree is None else tree
    key = max(replies, key=lambda key: (depth(replies[key]), key == "*"))
    if key != "*":
        return key.split()[0], replies[key]
    named = {reply for key in replies for reply in key.split()}
    return next(str(action) for action in position.legal_actions if str(action) not in named), replies["*"]


def depth(tree: Tree) -> int:
    """Return how many actions of the proving side's follow each other in a proof."""
    if isinstance(tree, list):
        return 1 + (depth(tree[1]) if len(tree) > 1 else 0)
    return max(map(depth, tree.values()), default=0) if tree else 0
