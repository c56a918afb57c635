"""Claims of what some players can force, and proofs of them as trees, found by search.

What a claim says and how its proof is written stands in `tercet.core.proofs.claims`. `tercet.learning.puzzles.checker`
checks proofs, and shares nothing with what is here.
"""

from tercet.core.proofs.claims import Claim, ProofStep, Tree, depth, longest, walk
from tercet.core.proofs.search import FAILED, Advice, Proofs, Solved, TooMuch, Turn, solved, whole_turns

__all__ = [
    "FAILED",
    "Advice",
    "Claim",
    "ProofStep",
    "Proofs",
    "Solved",
    "TooMuch",
    "Tree",
    "Turn",
    "depth",
    "longest",
    "solved",
    "walk",
    "whole_turns",
]
