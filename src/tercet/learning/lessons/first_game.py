"""A guided first game: ideas for a newcomer at play, each when it matters.

A game that has one names its file in `LessonParts`. The newcomer has the first seat.
On each of their decisions :func:`next_idea` gives the first idea that is new and has a reason now: its condition
holds, and the game's finder that it points with finds cells. :func:`check_first_game` plays every example and claim.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tercet.core.view import Mark
from tercet.errors import TercetError
from tercet.learning.lessons.lesson import FirstGame, Idea, LessonError, Situation, unproved_claims


@dataclass(frozen=True)
class Tip:
    """An idea that matters now, with the ``marks`` that point at its cells."""

    idea: Idea
    marks: tuple[Mark, ...] = ()


def next_idea(first: FirstGame, situation: Situation, seen: Collection[str] = ()) -> Tip | None:
    """Return the first idea that matters in ``situation``; None if there is none. Ideas that were ``seen``, or made
    needless by a seen one (``unless``), are left out. Ideas marked ``again`` always count."""
    if situation.position.is_over or situation.position.mover != situation.player:
        return None
    new = (idea for idea in first.ideas if idea.again or not {idea.id, *idea.unless} & set(seen))
    return next((found for idea in new if (found := _tip(idea, situation))), None)


def learned_ideas(first: FirstGame, situation: Situation) -> tuple[str, ...]:
    """Return the ideas that the newcomer's own actions in ``situation`` show they know."""
    return tuple(idea.id for idea in first.ideas if idea.learned is not None and idea.learned(situation))


def _tip(idea: Idea, situation: Situation) -> Tip | None:
    if idea.when is not None and not idea.when(situation):
        return None
    if idea.find is None:
        return Tip(idea)
    found = idea.find(situation)
    cells = tuple(one for one in found if isinstance(one, str))
    marks = ([Mark(idea.mark, cells, idea.title)] if cells else []) + [one for one in found if isinstance(one, Mark)]
    return Tip(idea, tuple(marks)) if marks else None


def check_first_game(first: FirstGame) -> list[LessonError]:
    """Return what does not hold: an idea without an example, one that does not come up in its example or points
    elsewhere, a claim that is not so."""
    found: list[LessonError] = []
    for idea in first.ideas:
        where = f"idea {idea.id}"
        try:
            whys = _wrong(first, idea)
        except (TercetError, ValueError, TypeError, KeyError) as error:
            whys = [str(error)]
        found += [LessonError(first.file, where, why) for why in whys]
    return found


def _wrong(first: FirstGame, idea: Idea) -> list[str]:
    if not idea.examples:
        return ["has no example"]
    found = []
    for example in idea.examples:
        situation = example.situation
        tip = next_idea(first, situation, example.seen)
        if tip is None or tip.idea is not idea:
            found.append(f"does not come up in its example, but {'nothing' if tip is None else tip.idea.id}")
        else:
            pointed = sorted(cell for mark in tip.marks if mark.kind != "arrow" for cell in mark.cells)
            arrows = sorted("-".join(mark.cells) for mark in tip.marks if mark.kind == "arrow")
            if (pointed, arrows) != (sorted(example.cells), sorted(example.arrows)):
                found.append(f"points at {' '.join(pointed + arrows)}")
        found += unproved_claims(situation.position, example.claims)
    return found
