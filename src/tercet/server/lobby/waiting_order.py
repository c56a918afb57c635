"""In which order tables wait for players: of each who opened some the newest, then everybody's second, and so on."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Waiting", "WaitingOrder"]


class Waiting(NamedTuple):
    """A table that waits, with the ``game`` that is played there, who opened it (an id) and when (seconds)."""

    id: str
    game: str
    opener: str
    opened: float


_Place = tuple[int, float, str, str]  # whose first, second ... table it is, when it was opened (negative), id, game


class WaitingOrder:
    """The tables that wait, kept in order while single ones come and go: each costs as much as its opener has tables,
    however many wait."""

    def __init__(self) -> None:
        self._tables: dict[str, Waiting] = {}
        self._of: dict[str, list[Waiting]] = {}  # by opener, the newest first
        self._places: list[_Place] = []

    def put(self, table: Waiting) -> None:
        """A table waits."""
        if self._tables.get(table.id) == table:
            return
        self.drop(table.id)
        self._tables[table.id] = table
        theirs = self._of.get(table.opener, [])
        self._rearrange(table.opener, sorted([*theirs, table], key=lambda one: (-one.opened, one.id)))

    def drop(self, table_id: str) -> None:
        """A table waits no more, if it did."""
        table = self._tables.pop(table_id, None)
        if table is not None:
            self._rearrange(table.opener, [one for one in self._of[table.opener] if one is not table])

    def replace(self, tables: Iterable[Waiting]) -> None:
        """These tables wait, and no others."""
        now = {table.id: table for table in tables}
        for table_id in [one for one in self._tables if one not in now]:
            self.drop(table_id)
        for table in now.values():
            self.put(table)

    def ids(self, game: str | None = None) -> list[str]:
        """The tables in their order; of one ``game`` or of all."""
        return [place[2] for place in self._places if game in (None, place[3])]

    def _rearrange(self, opener: str, tables: list[Waiting]) -> None:
        for place in _places(self._of.pop(opener, [])):
            del self._places[bisect_left(self._places, place)]
        if tables:
            self._of[opener] = tables
        for place in _places(tables):
            insort(self._places, place)


def _places(tables: Sequence[Waiting]) -> list[_Place]:
    return [(turn, -table.opened, table.id, table.game) for turn, table in enumerate(tables)]
