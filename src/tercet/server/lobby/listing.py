"""The lobby's list: a page of the waiting tables, and its changes since the last message."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from tercet.answers.errors import as_text
from tercet.server.tables.broadcast import encode

__all__ = ["LONGEST", "Asked", "Listing"]

LONGEST = 100  # tables of a page


class Asked(NamedTuple):
    """A client's wish: one ``game`` or all, and which page of ``size`` waiting tables."""

    game: str | None = None
    page: int = 0
    size: int = LONGEST


class Listing:
    """The list as long as nothing changes: ``data`` is a ``LobbyData`` of the protocol. Texts are written once for
    all clients with the same wish."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self._since: tuple[Listing, str] | None = None

    @cached_property
    def answer(self) -> str:
        """All of it, as the answer to a request."""
        return as_text(self.data)

    @cached_property
    def text(self) -> str:
        """All of it, as a message."""
        return encode({"type": "lobby", **self.data})

    def since(self, before: Listing) -> str:
        """Return the changes since ``before`` as a message: the listed ids in their order, and in full the tables
        that are new or different. Empty if nothing has changed."""
        if self._since is None or self._since[0] is not before:
            before._since = None  # only clients that lag behind still ask for that
            self._since = before, self._changes(before.data)
        return self._since[1]

    def _changes(self, before: dict[str, Any]) -> str:
        now = self.data
        if before == now:
            return ""
        changes: dict[str, Any] = {
            "type": "lobby-changes",
            **{part: now[part] for part in ("total", "page", "online", "seeking")},
        }
        for part in ("open", "live"):
            known = {one["id"]: one for one in before[part]}
            changes[part] = [one["id"] for one in now[part]]
            changes[f"{part}Changed"] = [one for one in now[part] if known.get(one["id"]) != one]
        return encode(changes)
