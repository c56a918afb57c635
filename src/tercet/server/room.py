"""What the endpoints share: one process's hub, threads and limits."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from starlette.requests import HTTPConnection

from tercet.server.bounds import Bounds, Buckets, address_group
from tercet.server.live import Hub
from tercet.server.thinking import Thinking

__all__ = ["Room", "address_of", "room_of"]


@dataclass
class Room:
    """Everything alive in one server process."""

    hub: Hub
    thinking: Thinking
    bounds: Bounds
    origins: frozenset[str]
    tables: Buckets
    sockets: Counter[str] = field(default_factory=Counter)
    analysing: int = 0


def room_of(connection: HTTPConnection) -> Room:
    """The room of the application that serves ``connection``."""
    room = connection.app.state.room
    assert isinstance(room, Room)
    return room


def address_of(connection: HTTPConnection) -> str:
    """The address that limits count for."""
    return address_group(connection.client.host if connection.client else None)
