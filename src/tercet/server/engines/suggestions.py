"""Moves that engines suggest to people, remembered: stronger hints at a position are about the same move."""

from __future__ import annotations

from collections import OrderedDict

from tercet.game import Position
from tercet.server.engines.pool import EnginePool

__all__ = ["Suggestions"]

MOST = 500  # positions


class Suggestions:
    """What an engine suggested at the positions that were asked about last."""

    def __init__(self, pool: EnginePool) -> None:
        self._pool = pool
        self._known: OrderedDict[Position, str] = OrderedDict()

    async def best(self, position: Position, person: str) -> str:
        """The action to suggest to a person at ``position``. ApiError where none can be had."""
        known = self._known.get(position)
        if known is None:
            known = self._known[position] = await self._pool.suggest(position, person)
        self._known.move_to_end(position)
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return known
