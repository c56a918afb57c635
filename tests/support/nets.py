"""Networks for tests: of random weights, which need no training."""

from typing import Any

import numpy as np

from tercet.core.definition import GameDefinition
from tercet.engines.nets import parts_of, share_table, weight_types

SIZES = {"hidden": 6, "output": 2}


def random_weights(definition: GameDefinition, seed: int = 1) -> dict[str, Any]:
    """Weights with which looks and hidden units come to their bounds, and shares differ from position to position."""
    chance = np.random.default_rng(seed)
    weights = {}
    for name, (kind, length) in weight_types(definition).items():
        most = SIZES.get(name, 60)
        weights[name] = chance.integers(-most, most + 1, length).astype(kind)
    weights["shares"] = share_table(parts_of(definition))
    return weights
