"""Option sets of SanQi that the contract is checked with."""

from typing import Any

OPTION_SETS: list[dict[str, Any]] = [
    {"side": 4},
    {"side": 5},
    {"side": 6, "stalemate": "loss"},
    {"side": 10},
    {"side": 17},
    {"side": 30},
    {"side": 6, "opening": "book"},
    {"side": 4, "opening": "swap"},
    {"side": 5, "opening": "swap2", "setup": 4, "stalemate": "loss"},
    {"side": 7, "opening": "swap2", "setup": 12},
    {"side": 4, "line": 7},
    {"side": 4, "line": 4},
    {"side": 5, "line": 5, "triangle": "first"},
    {"side": 5, "triangle": "first"},
    {"side": 5, "line": 7, "triangle": "first", "stalemate": "loss"},
    {"side": 30, "line": 7, "triangle": "first"},
    {"side": 4, "line": 7, "triangle": "first", "opening": "swap2", "setup": 12},
]
