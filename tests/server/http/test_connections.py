"""Connections of one process: how they are read, what requests may cost, what is left when they are gone."""

import asyncio
import gc
import weakref
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tercet.server.limits.budgets import ServerLimits
from tercet.server.limits.share import MAX_READS, FairShare
from tercet.server.web.connections import Connections
from tercet.server.web.live_socket import SLICE_BYTES
from tercet.server.web.middleware import Proxies
from tests.support.waiting import until_async


@pytest.mark.parametrize("ends", ["as it should", "by nonsense"])
async def test_nothing_of_a_socket_that_has_gone_waits_for_the_collector(ends: str) -> None:
    """Cycles kept each, with 80 kB of compression, and the server seldom has the collector look for old ones."""

    async def echo(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.send", "text": (await receive()).get("text", "")})
            await receive()

    gc.collect()
    gc.disable()
    try:
        http, sockets = Connections(1000, Proxies(), FairShare(ServerLimits())).protocols()
        config = uvicorn.Config(echo, port=0, http=http, ws=sockets, log_level="critical", lifespan="off")
        server = uvicorn.Server(config)
        serving = asyncio.ensure_future(server.serve())
        await until_async(lambda: server.started)
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        for _ in range(5):
            async with connect(f"ws://{host}:{port}/") as socket:
                await socket.send("word")
                await socket.recv()
                if ends == "by nonsense":
                    socket.transport.write(b"\xff" * 20)
                    with suppress(ConnectionClosed):
                        await socket.recv()
        await until_async(lambda: not server.server_state.connections, 10)
        await asyncio.sleep(0.05)
        assert sum(type(each) in (http, sockets) for each in gc.get_objects()) == 0
        server.should_exit = True
        await serving
    finally:
        gc.enable()


# Requests ---------------------------------------------------------------------------------------------------------


class Pipe:
    """A connection's other end: notes what was answered and whether anybody reads."""

    def __init__(self, host: str = "203.0.113.1") -> None:
        self.sent, self.reads, self.is_closed = b"", True, False
        self.protocol: Any = None  # that took it over
        self.get_extra_info = {"peername": (host, 1)}.get
        self.is_closing, self.get_protocol = lambda: self.is_closed, lambda: self.protocol
        self.set_protocol = partial(setattr, self, "protocol")
        self.close = partial(setattr, self, "is_closed", True)
        self.pause_reading, self.resume_reading = (partial(setattr, self, "reads", reads) for reads in (False, True))

    def write(self, data: Any) -> None:
        self.sent += data

    def feed(self, protocol: Any, data: bytes) -> bytes:
        """Send ``data`` as far as it is read in one turn of the loop; what is left of it."""
        if not self.reads or self.is_closed:
            return data
        place = protocol.get_buffer(-1)
        size = min(len(place), len(data))
        place[:size] = data[:size]
        protocol.buffer_updated(size)
        return data[size:]

    async def feed_all(self, data: bytes) -> None:
        """Send ``data``, and wait for an answer."""
        while data and not self.is_closed:
            data = self.feed(self.protocol, data)
            await asyncio.sleep(0)
        await until_async(lambda: self.sent, 5)


def connected(app: Any, *pipes: Pipe, proxies: str = "") -> list[Any]:
    """A connection of the server for each."""
    http, sockets = Connections(1000, Proxies(proxies), FairShare(ServerLimits())).protocols()
    config = uvicorn.Config(app, log_level="error", http=http, ws=sockets)
    config.load()
    state = ServerState()
    for pipe in pipes:
        pipe.protocol = http(config=config, server_state=state, app_state={})  # type: ignore[call-arg]
        pipe.protocol.connection_made(pipe)
    return [pipe.protocol for pipe in pipes]


async def answer(_scope: Any, _receive: Any, send: Any) -> None:
    """An application that does not read what it is sent."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def test_nothing_is_kept_of_a_connection_that_has_gone() -> None:
    """Its body was kept for 20 seconds, in which a first request may come: 60 MB from a client that sent nonsense."""
    pipe = Pipe("")  # without an address
    (protocol,) = connected(answer, pipe)
    protocol.data_received(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n" + b"x" * 60_000)
    await asyncio.sleep(0)
    cycle = protocol.cycle
    assert len(cycle.body) == 60_000
    protocol.connection_lost(None)
    assert len(cycle.body) == 0
    there = weakref.ref(protocol)
    del protocol, cycle, pipe
    for _ in range(3):
        await asyncio.sleep(0)
    gc.collect()
    assert there() is None


HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"
SMALL_REQUEST = HEAD + b"\r\n"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        *((HEAD + b"a: b\r\n" * lines + b"\r\n", status) for lines, status in ((90, 204), (110, 431), (4000, 431))),
        *((HEAD + b"a: " + b"b" * size + b"\r\n\r\n", status) for size, status in ((15_000, 204), (31_000, 431))),
        (HEAD + b"not a header\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n" * 200, 400),  # TLS
    ],
)
async def test_headers_are_bounded_and_other_protocols_are_refused_and_closed(request_: bytes, status: int) -> None:
    """31 kB of headers, in thousands of lines, took 30 ms each."""
    pipe = Pipe()
    connected(answer, pipe)
    await pipe.feed_all(request_)
    await asyncio.sleep(0.01)
    assert pipe.sent.startswith(b"HTTP/1.1 %d" % status)
    assert pipe.is_closed == (status != 204)
    if status == 431:
        assert b"The headers of a request must have at most 100 lines and 16384 bytes." in pipe.sent
    pipe.protocol.connection_lost(None)


KEY = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
VERSION = b"Sec-WebSocket-Version: 13\r\n"


@pytest.mark.parametrize(
    ("status", "asked", "headers"),
    [
        *((101, b"GET /", KEY + VERSION + more) for more in (b"", b"a: " + b"b" * 8000 + b"\r\n", b"a: \xfc\r\n")),
        *((431, b"GET /", KEY + VERSION + b"a: " + b"b" * size + b"\r\n") for size in (8200, 20_000)),
        (431, b"GET /", KEY + VERSION + b"a: b\r\n" * 110),
        (414, b"GET /" + b"a" * 8200, KEY + VERSION),
        (405, b"POST /", KEY + VERSION),
        (400, b"GET /\xfc", KEY + VERSION),
        (400, b"GET /", KEY + VERSION + b"Content-Length: 3\r\n"),
        (400, b"GET /", KEY + VERSION + b"Transfer-Encoding: chunked\r\n"),
        *((400, b"GET /", headers) for headers in (KEY, VERSION, KEY + KEY + VERSION)),
        (400, b"GET /", b"Sec-WebSocket-Key: short\r\n" + VERSION),
        (400, b"GET /", KEY + b"Sec-WebSocket-Version: 12\r\n"),
        (400, b"GET /", KEY + VERSION + b"Sec-WebSocket-Extensions: ;;=\r\n"),
        (400, b"GET /", KEY + VERSION + b"Sec-WebSocket-Protocol: a b,\r\n"),
        (400, b"GET /", KEY + VERSION + b"Origin: a\r\nOrigin: b\r\n"),
    ],
)
async def test_every_handshake_is_answered_or_refused_and_closed(status: int, asked: bytes, headers: bytes) -> None:
    """A header line over 8 kB was neither: 300 of 300 were open after 75 seconds."""

    async def accept(scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "websocket"
        await receive()
        await send({"type": "websocket.accept"})
        await receive()

    pipe = Pipe()
    connected(accept, pipe)
    upgrade = b" HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    await pipe.feed_all(asked + upgrade + headers + b"\r\n")
    assert pipe.sent.startswith(b"HTTP/1.1 %d" % status)
    assert pipe.is_closed == (status != 101)
    pipe.protocol.connection_lost(None)


async def test_pipelined_requests_stay_on_the_line_while_one_is_answered() -> None:
    begun, go_on = 0, asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        nonlocal begun
        begun += 1
        await go_on.wait()
        await answer(scope, receive, send)

    pipe = Pipe()
    (protocol,) = connected(slow, pipe)
    left = SMALL_REQUEST * 5000
    for _ in range(50):
        left = pipe.feed(protocol, left)
        await asyncio.sleep(0)
    assert begun == 1
    assert len(SMALL_REQUEST) * 5000 - len(left) == SLICE_BYTES
    go_on.set()
    while begun < 200:
        left = pipe.feed(protocol, left)
        before = begun
        await asyncio.sleep(0)
        assert begun - before <= 2  # one after another
    protocol.connection_lost(None)


@pytest.mark.parametrize("proxies", ["", "203.0.113.0/24"])
async def test_the_connections_of_one_network_are_read_by_turns(proxies: str) -> None:
    begun: list[str] = []

    async def note(scope: Any, receive: Any, send: Any) -> None:
        begun.append(scope["client"][0])
        await answer(scope, receive, send)

    pipes = [Pipe() for _ in range(100)] + [Pipe("198.51.100.7")]
    protocols = connected(note, *pipes, proxies=proxies)
    for pipe, protocol in zip(pipes, protocols, strict=True):
        pipe.feed(protocol, SMALL_REQUEST)
    while (before := len(begun)) < 101:
        await asyncio.sleep(0)
        assert len(begun) - before <= MAX_READS + 1
    assert "198.51.100.7" in begun[: MAX_READS + 1]
    for protocol in protocols:
        protocol.connection_lost(None)
