"""The points by which Triplicity's engine judges positions, and how its kernels take them."""

from __future__ import annotations

from typing import Any

from tercet.games.triplicity.engine.kernels import evaluation

# Points (see ``kernels.evaluation``); lists go by kind, from pawn to king, or by a token's worth with 1 to 3 players.
WEIGHTS: dict[str, Any] = {
    "value": (100, 320, 300, 450, 900, 400),
    "mobility": (0, 5, 4, 4, 3, 2),
    "advance": tuple(2 * (12 - way) ** 2 for way in range(13)),  # by a pawn's way to promotion
    "token": (60, 60, 45),
    "scale": 400,
    "zone": 8,
    "exposed": 4,
    "doomed": 36,
    "checked": 40,
    "loose_soon": 32,
    "loose_later": 16,
    "hit": 10,
}


def weights(points: dict[str, Any]) -> list[int]:
    """``points``, named as in WEIGHTS, as the kernels take them."""
    packed = [0] * evaluation.WEIGHTS
    packed[evaluation.VALUE + 1 : evaluation.VALUE + 7] = points["value"]
    packed[evaluation.MOBILITY + 1 : evaluation.MOBILITY + 7] = points["mobility"]
    packed[evaluation.ADVANCE : evaluation.ADVANCE + 13] = points["advance"]
    packed[evaluation.TOKEN : evaluation.TOKEN + 3] = points["token"]
    for name in ("scale", "zone", "exposed", "doomed", "checked", "loose_soon", "loose_later", "hit"):
        packed[getattr(evaluation, name.upper())] = points[name]
    return packed
