"""What is told of the lobby: a page of the tables that wait, and what has changed in it since it was told before."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from tercet.server.http.errors import as_text
from tercet.server.tables.broadcast import encode

__all__ = ["LONGEST", "Asked", "Listing"]

LONGEST = 100  # tables of a page


class Asked(NamedTuple):
    """What somebody wants to be told of: one ``game`` or all, and which page of ``size`` waiting tables."""

    game: str | None = None
    page: int = 0
    size: int = LONGEST


class Listing:
    """What is told as long as nothing changes: ``data`` is a ``LobbyData`` of the protocol. Texts are written once for
    all who are told the same."""

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
        """What has changed since ``before``, as a message: the ids that are told now, in their order, and what is new
        among them, or other than before, in full. Empty where nothing has changed."""
        if self._since is None or self._since[0] is not before:
            before._since = None  # nobody but those who lag behind asks for that any more
            self._since = before, self._changes(before.data)
        return self._since[1]

    def _changes(self, before: dict[str, Any]) -> str:
        now = self.data
        if before == now:
            return ""
        told: dict[str, Any] = {"type": "lobby-changes", "total": now["total"], "page": now["page"]}
        for part in ("open", "live"):
            known = {one["id"]: one for one in before[part]}
            told[part] = [one["id"] for one in now[part]]
            told[f"{part}Changed"] = [one for one in now[part] if known.get(one["id"]) != one]
        return encode(told)
