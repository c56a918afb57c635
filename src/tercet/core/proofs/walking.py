"""Going through a proof move by move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tercet.core.game import Action, Position
from tercet.core.proofs.claims import Claim, Tree

__all__ = ["ProofStep", "depth", "longest", "walk"]


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
