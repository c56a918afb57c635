"""How many tables of one network wait for players at once."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator

import sqlalchemy as sa

from tercet.server.http.errors import ApiError
from tercet.server.store import Database
from tercet.server.store.schema import TABLES

__all__ = ["WaitingTables"]

REMEMBERED = 10_000  # networks


class _Network:
    """The tables that a network opened and that waited when last looked at, and how many are just being opened."""

    def __init__(self) -> None:
        self.tables: list[str] = []
        self.opening = 0

    @property
    def count(self) -> int:
        return len(self.tables) + self.opening


class WaitingTables:
    """Keeps networks from filling the lobby: ``most`` tables of each may wait at once (None: any number), so far as
    this process opened them."""

    def __init__(self, database: Database, most: int | None) -> None:
        self.database = database
        self.most = most
        self._networks: OrderedDict[str, _Network] = OrderedDict()

    @contextlib.asynccontextmanager
    async def place(self, network: str) -> AsyncIterator[list[str]]:
        """A place for one more table of ``network``: whoever opens it adds its id to the list. ApiError where there is
        none."""
        known = self._networks.setdefault(network, _Network())
        self._networks.move_to_end(network)
        if len(self._networks) > REMEMBERED:
            self._networks.popitem(last=False)
        if self.most is not None and known.count >= self.most:
            await self._look(known)
            if known.count >= self.most:
                raise ApiError("too-many", "network", f"{self.most} tables of your network are waiting for players")
        known.opening += 1
        try:
            yield known.tables
        finally:
            known.opening -= 1

    async def _look(self, known: _Network) -> None:
        """Forget the tables that wait no more."""
        before = list(known.tables)
        still = TABLES.c.id.in_(before) & (TABLES.c.waiting > 0) & TABLES.c.over.is_(False)
        async with self.database.read() as connection:
            waiting = set((await connection.execute(sa.select(TABLES.c.id).where(still))).scalars())
        known.tables[:] = [one for one in known.tables if one in waiting or one not in before]
