"""Who sits at a table, and what is played there."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

Meet = Callable[..., Page]  # one more person, with a browser of their own
Seat = dict[str, Any]
ME, HERE, FRIEND, OPEN = ({"kind": kind} for kind in ("me", "here", "friend", "open"))
SMALL: dict[str, Any] = {"game": "sanqi", "options": {"side": 4}}
FIRST_TO_WIN = "sanqi/4 4/5/2RR2/2R1R2/2R3/5/4 F -"
CLOCK = {"kind": "fischer", "minutes": 5, "increment": 3}
RAPID = {"kind": "fischer", "minutes": 15, "increment": 10}
NEVER = "localStorage.setItem('tercet.settings', JSON.stringify({confirm: 'never'}))"
PASSWORD = "a horse of five colours"


def engine(level: int = 1) -> Seat:
    return {"kind": "engine", "level": level}


def seats(count: int, other: Seat = HERE) -> list[Seat]:
    """Return one's own seat and those of others: at the same screen where nothing else is said."""
    return [ME, *[other] * (count - 1)]
