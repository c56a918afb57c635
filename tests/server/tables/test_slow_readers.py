"""Clients who do not take what they are sent."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tercet.server.tables import connection
from tercet.server.tables.broadcast import Client


@pytest.mark.parametrize("takes", [True, False])
def test_who_does_not_take_a_message_is_cut_off(takes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SEND_WITHIN", 0.05)
    sent: list[str] = []

    async def send_text(text: str) -> None:
        sent.append(text)
        if not takes:
            await asyncio.sleep(60)

    async def work() -> None:
        client = Client(frozenset())
        entry: Any = SimpleNamespace(table=None, client=client, person=None)
        socket: Any = SimpleNamespace(send_text=send_text)
        player = connection.PlayerConnection(socket, entry, cast(Any, None))
        writing = asyncio.ensure_future(player.write())
        client.tell("one")
        client.tell("two")
        until = time.monotonic() + (0.3 if takes else 10)
        while time.monotonic() < until and not client.cut.is_set():
            await asyncio.sleep(0.02)
        assert client.cut.is_set() is not takes
        assert sent == (["one", "two"] if takes else ["one"])
        writing.cancel()

    asyncio.run(work())
