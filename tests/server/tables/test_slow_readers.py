"""Clients who do not take what they are sent."""

import asyncio
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tercet.server.api import connection
from tercet.server.tables.clients import Client


@pytest.mark.parametrize("takes", [True, False])
async def test_who_does_not_take_a_message_is_cut_off(takes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SEND_SECONDS", 0.05)
    sent: list[str] = []

    async def send_text(text: str) -> None:
        sent.append(text)
        if not takes:
            await asyncio.sleep(60)

    client = Client(frozenset())
    entry: Any = SimpleNamespace(table=None, client=client, person=None)
    socket: Any = SimpleNamespace(send_text=send_text)
    player = connection.TableSocket(socket, entry, cast(Any, None))
    writing = asyncio.ensure_future(player.write())
    client.tell("one")
    client.tell("two")
    until = time.monotonic() + (0.3 if takes else 10)
    while time.monotonic() < until and not client.cut.is_set():
        await asyncio.sleep(0.02)
    assert client.cut.is_set() is not takes
    assert sent == (["one", "two"] if takes else ["one"])
    writing.cancel()


async def test_what_can_be_sent_at_once_never_overtakes_what_waits() -> None:
    sent: list[str] = []
    line = {"open": False}

    def send_now(texts: Sequence[str]) -> bool:
        if line["open"]:
            sent.extend(texts)
        return line["open"]

    async def send_text(text: str) -> None:
        await asyncio.sleep(0.01)
        sent.append(text)

    client = Client(frozenset())
    client.send_now = send_now
    entry: Any = SimpleNamespace(table=None, client=client, person=None)
    player = connection.TableSocket(cast(Any, SimpleNamespace(send_text=send_text)), entry, cast(Any, None))
    client.tell("one", "two")
    writing = asyncio.ensure_future(player.write())
    await asyncio.sleep(0.005)
    line["open"] = True
    client.tell("three")  # the queue is empty, but "two" is not sent yet
    await asyncio.sleep(0.1)
    client.tell("four")
    assert sent == ["one", "two", "three", "four"]
    writing.cancel()
