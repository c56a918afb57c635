"""The stored data of a table."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from tercet.answers.table_messages import Occupant, TableInfo
from tercet.play.session import LogEvent

AlsoWrite = Callable[[sa.Connection, Sequence[LogEvent]], None]  # writes more with the events


class Conflict(Exception):  # noqa: N818  (it reports a state, not a fault)
    """The log has gone on, or another process owns the table."""


@dataclass(frozen=True)
class SeatAccess:
    """The keys of a seat: the token with this hash, and this person wherever they are signed in."""

    token_hash: str | None = None
    person_id: str | None = None


@dataclass(frozen=True)
class TableSummary:
    """The part of the log's outcome that is stored beside it for searches: when a flag falls (milliseconds), how
    many seats still wait for a player, whether the game is over and how it ended."""

    deadline: int | None = None
    waiting: int = 0
    over: bool = False
    result: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class StoredTable:
    """A table as it is on disk, ``opened`` at that time (seconds). ``tokens`` are the hashes of each seat's token,
    ``occupants`` the people known to sit there; ``acks`` the event number that each client id became; ``owner`` the
    process that acts at it unasked, seen last at ``owner_seen`` (seconds). ``digest`` is the last event's; ``damage``
    says why the log cannot be trusted after that event, None where it can."""

    info: TableInfo
    opened: float
    tokens: Mapping[int, str]
    log: tuple[LogEvent, ...]
    acks: Mapping[str, int]
    occupants: Mapping[int, Occupant] = field(default_factory=dict)
    owner: int | None = None
    owner_seen: float | None = None
    digest: bytes = b""
    damage: str | None = None


@functools.lru_cache(maxsize=1 << 14)
def hash_token(token: str) -> str:
    """Return the stored hash of a seat's token. Tokens carry 192 random bits, so a plain hash is enough."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
