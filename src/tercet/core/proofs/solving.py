"""Find the right first actions of a position, with proofs for these and for the others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tercet.core.game import Action, Position
from tercet.core.proofs.claims import Claim, Tree
from tercet.core.proofs.search import FAILED, Advice, Proofs, grouped

__all__ = ["Solved", "solved"]


@dataclass(frozen=True)
class Solved:
    """The ``right`` first actions with their proofs; ``wrong``: the proofs of all others, None if not proved."""

    right: dict[str, Tree]
    wrong: Tree


def solved(
    position: Position,
    claim: Claim,
    *,
    most: int,
    budget: int,
    advise: Advice | None = None,
    right: Collection[int] | None = None,
    refute: bool = True,
) -> Solved | None:
    """Sort the first actions of ``position``, the beginning of a turn. If its mover is one of the attackers, those are
    right with which the goal can be forced; else those after which it cannot. ``right``: they are known already, and
    need only be proved. With ``refute``, all others are proved to be wrong.

    None if none is right, more than ``most`` are, or a proof was not found. TooMuch beyond ``budget`` actions tried.
    """
    if right is not None and not 0 < len(right) <= most:
        return None
    attacking = position.mover in claim.attackers
    proofs = Proofs(claim, budget, advise)
    proved: dict[str, Tree] = {}
    wrong: list[tuple[Action, Tree]] = []
    for action in position.legal_actions:
        tree: Tree = FAILED
        if refute and (right is None or action.id not in right):
            tree = proofs.first(position, action, forced=not attacking)
            if tree is not FAILED:
                wrong.append((action, tree))
                continue
            if right is not None:
                return None
        elif right is not None and action.id not in right:
            continue
        tree = proofs.first(position, action, forced=attacking)
        if tree is not FAILED:
            proved[str(action)] = tree
        elif refute or right is not None:
            return None
        if len(proved) > most:
            return None
    if not proved:
        return None
    return Solved(proved, _whole(grouped(wrong)) if refute else None)


def _whole(tree: Tree) -> Tree:
    return {"*": None} if tree is None else tree
