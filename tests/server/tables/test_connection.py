"""One client's socket at a table: what it says is read, and nobody else waits for that."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.websockets import WebSocketDisconnect

from tercet.server.api import connection
from tercet.server.tables.clients import Client


async def test_who_has_sent_much_at_once_does_not_keep_the_others_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, turns = 400, 0

    async def receive(_socket: Any, _most: int) -> str:
        nonlocal sent
        if not sent:
            raise WebSocketDisconnect
        sent -= 1
        return '{"type": "ping"}'

    async def others() -> None:
        nonlocal turns
        while sent:
            turns += 1
            await asyncio.sleep(0)

    monkeypatch.setattr(connection, "receive_text", receive)
    client = Client(frozenset())
    client.send_now = lambda _: True
    entry: Any = SimpleNamespace(table=None, client=client, person=None)
    services: Any = SimpleNamespace(limits=SimpleNamespace(messages_per_second=None, message=100))
    waiting = asyncio.ensure_future(others())
    with pytest.raises(WebSocketDisconnect):
        await connection.TableSocket(cast(Any, None), entry, services).read()
    await waiting
    assert turns >= 50
