"""What the processes that have a table in memory tell each other of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tercet.server.tables.state import TableState

__all__ = ["TableChannel"]

Handler = Callable[[dict[str, Any]], None]


class TableChannel:
    """One table's channel; it does nothing where no other process can hear."""

    def __init__(self, state: TableState, handler: Handler) -> None:
        self._state = state
        self._handler = handler
        self._name = f"table:{state.id}"

    async def publish(self, data: dict[str, Any]) -> None:
        """Tell the others."""
        host = self._state.host
        if host.pubsub.reaches_others:
            await host.pubsub.publish(self._name, {"run": host.lease.process_id, **data})

    async def subscribe(self) -> None:
        """Hear of the table from now on, at first who is there."""
        if self._state.host.pubsub.reaches_others:
            await self._state.host.pubsub.subscribe(self._name, self._hear)
            await self.publish({"who": True})

    def unsubscribe(self) -> None:
        """Hear of it no more."""
        host = self._state.host
        if host.pubsub.reaches_others:
            host.spawn(host.pubsub.unsubscribe(self._name, self._hear))

    def _hear(self, data: dict[str, Any]) -> None:
        if data["run"] != self._state.host.lease.process_id:
            self._handler(data)
