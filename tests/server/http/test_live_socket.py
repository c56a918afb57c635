"""The sockets' protocol: what is sent together, when reading stops, which clients are pinged, what a flood may cost."""

import asyncio
import zlib
from typing import Any, cast

import pytest
import uvicorn
from uvicorn.server import ServerState

from tercet.server.limits.budgets import ServerLimits
from tercet.server.limits.share import MAX_READS
from tercet.server.limits.spenders import Turns
from tercet.server.web import live_socket
from tercet.server.web.live_socket import SLICE_BYTES, LiveSocket

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
MESSAGE = bytes([0x81, 0x82, 0, 0, 0, 0]) + b"hi"
EMPTY = bytes([0x80, 0, 0, 0, 0])  # masked and without a payload: what follows the first byte of such a frame
FLOODS = {
    "pings": b"\x89" + EMPTY,
    "pongs": b"\x8a" + EMPTY,
    "messages": MESSAGE[:-2] + b"{}",
    "whole messages in two pieces": b"\x01" + EMPTY + b"\x80" + EMPTY,
}


class Transport:
    """Notes what is done with it."""

    get_extra_info = staticmethod(lambda _name, default=None: default)

    def __init__(self) -> None:
        self.done: list[Any] = []
        self.write = self.done.append
        self.close = self.abort = lambda: self.done.append("close")
        self.pause_reading = lambda: self.done.append("pause")
        self.resume_reading = lambda: self.done.append("resume")

    def is_closing(self) -> bool:
        return "close" in self.done

    @property
    def sent(self) -> bytes:
        return b"".join(part for part in self.done if isinstance(part, bytes))


async def opened(
    app: Any, *, turns: Turns | None = None, frames: int | None = None, compressed: bool = False, **options: Any
) -> tuple[LiveSocket, Transport]:
    """A socket that is open, at which ``app`` listens once it has accepted it, and its transport."""

    async def accepting(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await app(scope, receive, send)

    config = uvicorn.Config(accepting, **options)
    config.load()

    class Socket(LiveSocket):
        outbox = live_socket.Outbox()
        reads = turns or Turns(MAX_READS)
        limits = ServerLimits(frames_per_second=frames)

    socket, transport = Socket(config, ServerState(), {}), Transport()
    socket.connection_made(transport)
    asked = b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n"
    socket.data_received(HANDSHAKE[:-2] + asked if compressed else HANDSHAKE)
    await asyncio.sleep(0.02)
    return socket, transport


async def silent(_scope: Any, receive: Any, send: Any) -> None:
    await asyncio.sleep(60)


async def test_what_is_sent_together_is_written_once_and_before_the_end() -> None:
    async def app(_scope: Any, receive: Any, send: Any) -> None:
        for text in ("one", "two"):
            await send({"type": "websocket.send", "text": text})
        await asyncio.sleep(0.02)
        await send({"type": "websocket.send", "text": "three"})
        await send({"type": "websocket.close", "code": 1000})

    _, transport = await opened(app)
    await asyncio.sleep(0.1)
    first, *later = transport.done
    assert (first[:12], first[-10:]) == (b"HTTP/1.1 101", b"\x81\x03one\x81\x03two")
    assert b"".join(part for part in later if isinstance(part, bytes)).startswith(b"\x81\x05three\x88")


async def test_reading_stops_only_where_messages_pile_up() -> None:
    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0.05)
        while True:
            await receive()

    socket, transport = await opened(app)
    transport.done.clear()
    for _ in range(live_socket.MAX_WAITING_MESSAGES):
        socket.data_received(MESSAGE)
    assert transport.done == []
    socket.data_received(MESSAGE)
    socket.data_received(MESSAGE)
    assert transport.done == ["pause"]
    await asyncio.sleep(0.1)
    assert transport.done == ["pause", "resume"]


@pytest.mark.parametrize("talks", [False, True])
async def test_who_has_just_said_something_is_not_asked_whether_he_is_there(talks: bool) -> None:
    socket, transport = await opened(silent, ws_ping_interval=1000, ws_ping_timeout=1000)
    transport.done.clear()
    socket._heard -= 1001
    if talks:
        socket.data_received(MESSAGE)
    socket.send_keepalive_ping()
    await asyncio.sleep(0.02)
    assert [part[0] for part in transport.done] == ([] if talks else [0x89])


async def test_messages_are_compressed_the_quick_way_where_they_are() -> None:
    for wanted, offered in ((True, [live_socket.COMPRESSION]), (False, [])):
        socket, _ = await opened(silent, ws_per_message_deflate=wanted)
        assert list(socket.conn.available_extensions or ()) == offered


@pytest.mark.parametrize("text", ["five5", "ü" * 90, "x" * 70_000])
async def test_text_sent_at_once_is_what_the_applications_way_sends(text: str) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0.05)
        await send({"type": "websocket.send", "text": text})
        await asyncio.sleep(0.05)
        assert scope[live_socket.SEND_NOW]([text])
        await asyncio.sleep(60)

    _, transport = await opened(app)
    await asyncio.sleep(0.2)
    sent = b"".join(transport.done[1:])
    assert sent == sent[: len(sent) // 2] * 2
    assert sent.endswith(text.encode())


async def test_nothing_is_sent_at_once_where_it_would_have_to_wait_or_nobody_hears_it() -> None:
    socket, transport = await opened(silent)
    socket.pause_writing()
    assert not socket.send_now(["one"])
    socket.resume_writing()
    assert socket.send_now(["two"])
    socket.data_received(bytes([0x88, 0x80, 0, 0, 0, 0]))  # the other end closes it
    assert not socket.send_now(["three"])
    await asyncio.sleep(0.02)
    assert [word in transport.sent for word in (b"one", b"two", b"three")] == [False, True, False]


# Floods -----------------------------------------------------------------------------------------------------------


async def endless(_scope: Any, receive: Any, send: Any) -> None:
    while (await receive())["type"] != "websocket.disconnect":
        pass


def counting(socket: LiveSocket) -> list[int]:
    """Have all frames counted that ``socket`` parses: in the list's only number."""
    parsed, take = [0], socket._take

    def noting(part: bytes, begins: bool) -> None:
        parsed[0] += begins
        take(part, begins)

    socket._take = noting  # type: ignore[method-assign]
    return parsed


def slices(data: bytes) -> list[bytes]:
    """What asyncio would read of it in turns of the loop."""
    return [data[start : start + SLICE_BYTES] for start in range(0, len(data), SLICE_BYTES)]


async def test_no_more_than_a_slice_is_read_of_a_connection_in_a_turn_of_the_loop() -> None:
    socket, transport = await opened(endless)
    assert isinstance(socket, asyncio.BufferedProtocol)
    assert len(socket.get_buffer(-1)) == SLICE_BYTES <= 4096
    socket.get_buffer(-1)[: len(FLOODS["pings"])] = FLOODS["pings"]
    socket.buffer_updated(len(FLOODS["pings"]))
    await asyncio.sleep(0.02)
    assert transport.sent.endswith(b"\x8a\x00")


@pytest.mark.parametrize("flood", FLOODS)
async def test_frames_are_parsed_a_few_in_a_turn_and_reading_stops_meanwhile(flood: str) -> None:
    """A chunk of 64 to 256 kB of them kept everybody waiting for seconds."""
    socket, transport = await opened(endless)
    parsed = counting(socket)
    transport.done.clear()
    sent = SLICE_BYTES // len(FLOODS[flood])
    socket.data_received(FLOODS[flood] * sent)
    assert transport.done[-1] == "pause"
    frames = sent * (2 if "pieces" in flood else 1)
    while parsed[0] < frames:
        before = parsed[0]
        assert transport.done.count("pause") > transport.done.count("resume")
        await asyncio.sleep(0)
        assert parsed[0] - before <= live_socket.FRAMES_A_TURN
    await asyncio.sleep(0.02)
    assert transport.done.count("pause") == transport.done.count("resume")


@pytest.mark.parametrize("flood", FLOODS)
async def test_a_client_above_the_rate_is_closed_with_1008(flood: str) -> None:
    socket, transport = await opened(endless, frames=30)
    parsed = counting(socket)
    for part in slices(FLOODS[flood] * 10_000):
        socket.data_received(part)
        if socket.close_sent:
            break
    for _ in range(200):
        await asyncio.sleep(0)
    assert parsed[0] <= 320
    assert transport.done[-1] != "resume"
    await asyncio.sleep(0.02)
    assert b"\x03\xf0You send too many frames." in transport.sent


async def test_the_sockets_of_one_network_take_turns() -> None:
    turns = Turns(MAX_READS)
    *sockets, other = [(await opened(endless, turns=turns))[0] for _ in range(41)]
    other._network = "another"
    *parsed, answered = map(counting, (*sockets, other))
    for socket in sockets:
        socket.data_received(FLOODS["pings"] * 200)
    other.data_received(FLOODS["pings"])
    assert answered == [1]  # at once, whatever the others have sent
    while (before := sum(count for (count,) in parsed)) < 40 * 200:
        await asyncio.sleep(0)
        assert sum(count for (count,) in parsed) - before <= MAX_READS * live_socket.FRAMES_A_TURN


def compressed(payload: bytes) -> bytes:
    """A frame of a compressed message."""
    packer = zlib.compressobj(wbits=-12)
    data = (packer.compress(payload) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4]
    assert len(data) < 126
    return bytes([0xC1, 0x80 | len(data), 0, 0, 0, 0]) + data


@pytest.mark.parametrize("frames", [None, 120])
async def test_compressed_messages_are_unpacked_only_as_they_are_taken(frames: int | None) -> None:
    """Frames of 85 bytes that unpack to 63 kB each took gigabytes."""
    socket, transport = await opened(silent, ws_per_message_deflate=True, frames=frames, compressed=True)
    assert socket.conn.extensions
    for part in slices(compressed(b"x" * 63_000) * 300)[:2]:
        socket.data_received(part)
    for _ in range(50):
        await asyncio.sleep(0)
    waiting = [len(one.get("text", "")) for one in socket.queue._queue]  # type: ignore[attr-defined]
    assert 0 < sum(waiting) < live_socket.MAX_WAITING_CHARACTERS + 63_000
    assert "resume" not in transport.done


async def test_what_messages_unpack_to_counts_as_what_was_sent() -> None:
    socket, transport = await opened(endless, ws_per_message_deflate=True, frames=30, compressed=True)
    for part in slices(compressed(b"x" * 63_000) * 300):
        socket.data_received(part)
        for _ in range(50):
            await asyncio.sleep(0)
    await asyncio.sleep(0.02)
    assert b"\x03\xf0You send too many frames." in transport.sent


async def test_a_client_that_takes_nothing_gets_the_latest_pong_alone() -> None:
    socket, transport = await opened(endless)
    socket.pause_writing()
    transport.done.clear()
    for number in range(5):
        socket.data_received(bytes([0x89, 0x81, 0, 0, 0, 0, number]))
    await asyncio.sleep(0.02)
    assert transport.sent == b""
    socket.resume_writing()
    await asyncio.sleep(0.02)
    assert transport.sent == b"\x8a\x01\x04"


async def test_what_is_no_text_is_closed_with_1007_and_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    socket, transport = await opened(endless)
    socket.data_received(MESSAGE[:-2] + b"\xff\xfe")
    await asyncio.sleep(0.02)
    assert b"\x88\x0f\x03\xeftext is UTF-8" in transport.sent
    assert not caplog.records


def test_servers_in_several_threads_do_not_read_into_one_buffer() -> None:
    """One overwrote what the other had just read: "This is no HTTP request."."""
    one, other = (cast(Any, type(name, (LiveSocket,), {})) for name in ("One", "Other"))
    assert one._buffer is not other._buffer
    assert one._buffer.obj is not other._buffer.obj
