"""The order in which the lobby lists waiting tables: round robin over networks, and over the people of each."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tercet.server.lobby.seeks import by_turns


class Waiting(NamedTuple):
    """A table that waits: its ``game``, its ``opener`` (a person's id), when it was opened (seconds) and the
    ``network`` that the opener came from (the opener's id where that is not known)."""

    id: str
    game: str
    opener: str
    opened: float
    network: str


_Place = tuple[int, float, str]  # the table's rank within its network, when it was opened (negative), its id


class WaitingOrder:
    """The waiting tables in their fair order. One table of each network comes first, then the second of each, and so
    on; within a network the people take turns in the same way. Among equals the newest comes first.

    A change costs as much as its network has tables, and a page as much as it is long, however many tables wait.
    """

    def __init__(self) -> None:
        self._tables: dict[str, Waiting] = {}
        self._networks: dict[str, list[Waiting]] = {}  # in their order within the network
        self._places: defaultdict[str | None, list[_Place]] = defaultdict(list)  # by game; None: of all games

    def put(self, table: Waiting) -> None:
        """Add a table, or bring it up to date."""
        if self._tables.get(table.id) == table:
            return
        self.drop(table.id)
        self._tables[table.id] = table
        self._rearrange(table.network, [*self._networks.get(table.network, []), table])

    def drop(self, table_id: str) -> None:
        """Remove a table, if it is there."""
        table = self._tables.pop(table_id, None)
        if table is not None:
            self._rearrange(table.network, [one for one in self._networks[table.network] if one is not table])

    def replace(self, tables: Iterable[Waiting]) -> None:
        """Keep these tables and no others."""
        now = {table.id: table for table in tables}
        for table_id in [one for one in self._tables if one not in now]:
            self.drop(table_id)
        for table in now.values():
            self.put(table)

    def count(self, game: str | None = None) -> int:
        """Return how many tables of ``game`` (None: of all games) wait."""
        return len(self._places.get(game, ()))

    def page(self, start: int, size: int, game: str | None = None) -> list[str]:
        """Return the ids of ``size`` tables of ``game`` (None: of all games) from place ``start`` on."""
        return [place[2] for place in self._places.get(game, [])[start : start + size]]

    def _rearrange(self, network: str, tables: Sequence[Waiting]) -> None:
        for game, place in _places(self._networks.pop(network, [])):
            for places in (self._places[game], self._places[None]):
                del places[bisect_left(places, place)]
        if tables:
            # The newest of each person, then the second newest of each, and so on.
            self._networks[network] = by_turns(tables, lambda one: one.opener, lambda one: (-one.opened, one.id))
        for game, place in _places(self._networks.get(network, [])):
            for places in (self._places[game], self._places[None]):
                insort(places, place)


def _places(tables: Sequence[Waiting]) -> list[tuple[str, _Place]]:
    return [(table.game, (rank, -table.opened, table.id)) for rank, table in enumerate(tables)]
