"""Which moves a weak player overlooks: the distant and quiet ones first."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

OBVIOUS = 0.92  # a win at once is overlooked with 1 - 0.92 of the probability of a far and quiet action


@dataclass(frozen=True)
class Glance:
    """How easily an action is seen: ``seen`` from 0 (far away and quiet) to 1 (a win at once). Actions of one
    ``topic``, such as those on one cell, are seen or overlooked together."""

    topic: int
    seen: float


def overlooked(glances: Sequence[Glance], share: float, chance: random.Random) -> list[int]:
    """Return the indices of the ``glances`` that a player overlooks. ``share`` is the probability, from 0 to 1, with
    which the player overlooks an action that is far and quiet. If all would be overlooked, none is."""
    luck: dict[int, float] = {}
    missed = []
    for place, glance in enumerate(glances):
        if glance.topic not in luck:
            luck[glance.topic] = chance.random()
        if luck[glance.topic] < share * (1 - OBVIOUS * min(max(glance.seen, 0.0), 1.0)):
            missed.append(place)
    return missed if len(missed) < len(glances) else []
