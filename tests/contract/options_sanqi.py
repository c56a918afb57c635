"""Option sets of SanQi that the contract is checked with."""

from typing import Any

OPTION_SETS: list[dict[str, Any]] = [
    {"side": 4},
    {"side": 5},
    {"side": 6, "stalemate": "loss"},
    {"side": 10},
    {"side": 17},
    {"side": 30},
]
