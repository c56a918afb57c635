"""The trainer: how well a person remembers each motif, and a puzzle that they have not tried for the one that is due.

A motif's reviews are the first tries at puzzles that the trainer gave for it; its memory follows from these alone.
"""

from __future__ import annotations

import functools
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

import tercet
from tercet.answers.errors import AnswerError
from tercet.answers.puzzles import DAY_SECONDS, all_puzzles, known_puzzle
from tercet.core.abilities.knowledge import Motif
from tercet.core.figures import wilson
from tercet.games import game_definition
from tercet.learning.puzzles.memory import MotifMemory, Review, remembered

NEAR_PUZZLES = 5  # of about the right difficulty, of which chance takes one
BINS = ((1, 1), (2, 3), (4, 7), (8, 20), (21, None))  # days between two tries; those of one day say little
RANKS = {"due": 0, "new": 1}  # what comes first

# Tries by puzzle, the oldest first, each with `motif` (None: it was not the trainer's), `right` and `at` (seconds).
Tries = Mapping[str, Mapping[str, Any]]


@functools.cache
def all_motifs() -> dict[str, tuple[str, Motif, tuple[str, ...]]]:
    """Return each motif by its id, with its game and the ids of its puzzles."""
    known: dict[str, tuple[str, Motif, tuple[str, ...]]] = {}
    for game in tercet.games():
        declared = game_definition(game).puzzles
        listed = [puzzle for puzzle in all_puzzles().values() if puzzle["game"] == game]
        for motif in () if declared is None else declared.motifs:
            idents = tuple(puzzle["id"] for puzzle in listed if motif.holds(puzzle))
            known[f"{game}/{motif.key}"] = (game, motif, idents)
    return known


def check_motif(ident: str | None, puzzle: str) -> None:
    """Raise AnswerError if a puzzle does not have the motif that it is said to be tried for."""
    if ident is not None and (ident not in all_motifs() or puzzle not in all_motifs()[ident][2]):
        raise AnswerError("not-found", "motif", "This puzzle does not have this motif.")


def _remembered(tries: Tries) -> dict[str, tuple[MotifMemory | None, list[Review]]]:
    """Return the memory of each motif (None: it was not tried), and its reviews after the first."""
    reviews = defaultdict[str, list[tuple[int, bool]]](list)
    for one in tries.values():
        if one.get("motif") is not None:
            reviews[one["motif"]].append((_day(one["at"]), one["right"]))
    return {ident: remembered(reviews[ident]) for ident in all_motifs()}


def _day(seconds: float) -> int:
    """Return the number of a day (UTC)."""
    return int(seconds // DAY_SECONDS)


def _state(memory: MotifMemory | None, day: int) -> str:
    if memory is None:
        return "new"
    return "due" if memory.due <= day else "holds" if memory.holds(day) else "learning"


def motif_data(ident: str, tries: Tries, now: float) -> dict[str, Any]:
    """Return a motif as its memory is now."""
    return _data(ident, _remembered(tries)[ident][0], tries, now)


def _data(ident: str, memory: MotifMemory | None, tries: Tries, now: float) -> dict[str, Any]:
    game, motif, puzzles = all_motifs()[ident]
    return {
        "id": ident,
        "game": game,
        "title": motif.title,
        "says": motif.says,
        "state": _state(memory, _day(now)),
        "reviews": 0 if memory is None else memory.reviews,
        "recall": None if memory is None else round(memory.recall(_day(now)), 4),
        "due": None if memory is None else round(1000 * DAY_SECONDS * memory.due),
        "fresh": sum(puzzle not in tries for puzzle in puzzles),
    }


def trainer_data(game: str, tries: Tries, now: float) -> dict[str, Any]:
    """Return the motifs of a game (empty: of all) and how well they are remembered."""
    memories = _remembered(tries)
    idents = [ident for ident, (name, _, _) in all_motifs().items() if game in ("", name)]
    motifs = [_data(ident, memories[ident][0], tries, now) for ident in idents]
    reviews = [review for ident in idents for review in memories[ident][1]]
    return {"motifs": motifs, "holds": sum(one["state"] == "holds" for one in motifs), "curve": _curve(reviews)}


def _curve(reviews: Iterable[Review]) -> list[dict[str, Any]]:
    """Return the share of right tries by the days since the last one, beside the recall that was expected."""
    curve = []
    for least, most in BINS:
        part = [review for review in reviews if least <= review.days and (most is None or review.days <= most)]
        if part:
            share = fmean(review.right for review in part)
            low, high = wilson(share, len(part))
            known = {"least": least, "most": most, "tries": len(part), "share": share, "low": low, "high": high}
            curve.append({**known, "expected": fmean(review.expected for review in part)})
    return curve


def following(game: str, tries: Tries, ratings: Mapping[str, float], now: float) -> tuple[str, str]:
    """Return a puzzle that was not tried, near the rating wanted in its game, and the motif that it is for: the one
    that is due first, else a new one, else the weakest. Motifs that are alike follow each other in turn, since a try
    makes one the strongest. Raise AnswerError if there is none."""
    day, memories = _day(now), _remembered(tries)

    def order(ident: str) -> tuple[float, ...]:
        memory, _ = memories[ident]
        rank = RANKS.get(_state(memory, day), 2)
        if memory is None:
            return (rank,)
        return (rank, memory.due if rank == 0 else 0, memory.recall(day), latest[ident])

    latest = {one["motif"]: number for number, one in enumerate(tries.values()) if one.get("motif") is not None}
    fresh = {
        ident: [puzzle for puzzle in puzzles if puzzle not in tries]
        for ident, (name, _, puzzles) in all_motifs().items()
        if game in ("", name)
    }
    ident = min((ident for ident, puzzles in fresh.items() if puzzles), key=order, default=None)
    if ident is None:
        raise AnswerError("not-found", "puzzle", "You have tried all positions of these motifs.")
    wanted = ratings[all_motifs()[ident][0]]
    near = sorted(fresh[ident], key=lambda puzzle: abs(known_puzzle(puzzle)["rating"] - wanted))
    return random.choice(near[:NEAR_PUZZLES]), ident
