"""Option sets of Triplicity that the contract is checked with."""

from typing import Any

OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"jeopardy": "no-successive"},
    {"jeopardy": "off", "drops": "anywhere"},
    {"drops": "anywhere"},
    {"quiet_limit": 3},
    {"quiet_limit": 1, "jeopardy": "no-successive", "drops": "anywhere"},
    {"array": "castle"},
    {"coins": 0},
    {"coins": 100, "tribute": "off"},
    {"tribute": "off", "drops": "anywhere"},
    {"array": "K.RR.2Q.P4P", "quiet_limit": 20},
    {"points": "3-1-0"},
    {"ends": "first", "tribute": "double"},
    {"points": "3-1-0", "ends": "first", "drops": "near", "jeopardy": "off"},
]
