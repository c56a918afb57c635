"""The sockets' protocol: what is sent together, when reading stops, who is asked whether he is there."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from tercet.server.http.live_socket import COMPRESSION, PILE, SEND_NOW, LiveSocket, Outbox

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
MESSAGE = bytes([0x81, 0x82, 0, 0, 0, 0]) + b"hi"


class Transport:
    """Notes what is done with it."""

    def __init__(self) -> None:
        self.done: list[Any] = []

    def get_extra_info(self, _name: str, default: Any = None) -> Any:
        return default

    def is_closing(self) -> bool:
        return "close" in self.done

    def write(self, data: bytes) -> None:
        self.done.append(data)

    def close(self) -> None:
        self.done.append("close")

    def pause_reading(self) -> None:
        self.done.append("pause")

    def resume_reading(self) -> None:
        self.done.append("resume")


async def opened(app: Any, transport: Transport, **options: Any) -> LiveSocket:
    """A socket that is open, at which ``app`` listens."""
    config = uvicorn.Config(app, **options)
    config.load()

    class Socket(LiveSocket):
        outbox = Outbox()

    socket = Socket(config, ServerState(), {})
    socket.connection_made(transport)
    socket.data_received(HANDSHAKE)
    await asyncio.sleep(0.02)
    return socket


async def silent(_scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    await asyncio.sleep(60)


def test_what_is_sent_together_is_written_once_and_before_the_end() -> None:
    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        for text in ("one", "two"):
            await send({"type": "websocket.send", "text": text})
        await asyncio.sleep(0.02)
        await send({"type": "websocket.send", "text": "three"})
        await send({"type": "websocket.close", "code": 1000})

    async def work() -> None:
        transport = Transport()
        await opened(app, transport)
        await asyncio.sleep(0.1)
        first, *others = transport.done
        assert first.startswith(b"HTTP/1.1 101")
        assert first.endswith(b"\x81\x03one\x81\x03two")
        assert b"".join(part for part in others if part != "close").startswith(b"\x81\x05three\x88")

    asyncio.run(work())


def test_reading_stops_only_where_messages_pile_up() -> None:
    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await asyncio.sleep(0.05)
        while True:
            await receive()

    async def work() -> None:
        transport = Transport()
        socket = await opened(app, transport)
        transport.done.clear()
        for _ in range(PILE):
            socket.data_received(MESSAGE)
        assert transport.done == []
        socket.data_received(MESSAGE)
        socket.data_received(MESSAGE)
        assert transport.done == ["pause"]
        await asyncio.sleep(0.1)
        assert transport.done == ["pause", "resume"]

    asyncio.run(work())


@pytest.mark.parametrize("talks", [False, True])
def test_who_has_just_said_something_is_not_asked_whether_he_is_there(talks: bool) -> None:
    async def work() -> None:
        transport = Transport()
        socket = await opened(silent, transport, ws_ping_interval=1000, ws_ping_timeout=1000)
        transport.done.clear()
        if talks:
            socket.data_received(MESSAGE)
        else:
            socket._heard -= 1001
        socket.send_keepalive_ping()
        await asyncio.sleep(0.02)
        assert [part[0] for part in transport.done] == ([] if talks else [0x89])
        socket.stop_keepalive()

    asyncio.run(work())


@pytest.mark.parametrize("wanted", [True, False])
def test_messages_are_compressed_the_quick_way_where_they_are(wanted: bool) -> None:
    async def work() -> None:
        transport = Transport()
        socket = await opened(silent, transport, ws_per_message_deflate=wanted)
        assert list(socket.conn.available_extensions or ()) == ([COMPRESSION] if wanted else [])
        socket.stop_keepalive()

    asyncio.run(work())


@pytest.mark.parametrize("text", ["five5", "ü" * 90, "x" * 70_000])
def test_text_sent_at_once_is_what_the_applications_way_sends(text: str) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await asyncio.sleep(0.05)
        await send({"type": "websocket.send", "text": text})
        await asyncio.sleep(0.05)
        assert scope[SEND_NOW]([text])
        await asyncio.sleep(60)

    async def work() -> None:
        transport = Transport()
        socket = await opened(app, transport)
        await asyncio.sleep(0.2)
        sent = b"".join(transport.done[1:])
        assert sent == sent[: len(sent) // 2] * 2
        assert sent.endswith(text.encode())
        socket.stop_keepalive()

    asyncio.run(work())


def test_nothing_is_sent_at_once_where_it_would_have_to_wait_or_nobody_hears_it() -> None:
    async def work() -> None:
        transport = Transport()
        socket = await opened(silent, transport)
        socket.pause_writing()
        assert not socket.send_now(["one"])
        socket.resume_writing()
        assert socket.send_now(["two"])
        socket.data_received(bytes([0x88, 0x80, 0, 0, 0, 0]))  # the other end closes it
        assert not socket.send_now(["three"])
        await asyncio.sleep(0.02)
        sent = b"".join(part for part in transport.done if part != "close")
        assert b"two" in sent
        assert b"one" not in sent
        assert b"three" not in sent

    asyncio.run(work())
