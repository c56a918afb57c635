"""Lines between clients and processes: bytes in order, late, and lost with the line when it breaks."""

from __future__ import annotations

import asyncio
import functools
import json
from collections import deque
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import orjson

from tercet.server.web.live_socket import SEND_NOW

if TYPE_CHECKING:
    from tests.simulation.process import Process

read = functools.lru_cache(100)(orjson.loads)  # what the world compares and what a client hears is read once
BUFFER = 40  # messages that a line holds which nobody takes from it


class LineLostError(Exception):
    """The line broke: whether the other side has heard what was said last, nobody knows."""


class ClosedError(Exception):
    """The server has closed the line in good order, with a ``code``."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class _Line:
    """What both kinds of lines share. Each direction keeps its order."""

    def __init__(self, process: Process, name: str) -> None:
        self.process = process
        self.loop = process.loop
        self.world = process.world
        self.name = name
        self.random = self.world.random(f"line {name}")
        self.lost = False  # the client has been cut off
        self.silent_from = float("inf")  # the moment after which nothing passes, though the line stays open
        self._to_server_at = self._to_client_at = 0.0
        self.inbox: deque[dict[str, Any]] = deque()
        self._arrival: asyncio.Future[None] | None = None
        process.lines[self] = None

    @property
    def is_silent(self) -> bool:
        return self.world.now >= self.silent_from

    def delay(self) -> float:
        return self.random.uniform(0.0005, 0.02) if self.random.random() < 0.9 else self.random.uniform(0.02, 0.6)

    def to_server(self, message: dict[str, Any], late: float = 0.0) -> None:
        if self.is_silent:
            return
        self._to_server_at = max(self._to_server_at, self.world.now + self.delay() + late)
        self.world.at(self._to_server_at, lambda: self._arrive(message))

    def _arrive(self, message: dict[str, Any]) -> None:
        if not self.loop.alive or self.is_silent:
            return
        self.inbox.append(message)
        if self._arrival is not None:
            arrival, self._arrival = self._arrival, None
            self.loop.call_soon(_finish, arrival, None)

    async def receive(self) -> dict[str, Any]:
        while not self.inbox:
            arrival = self._arrival = self.loop.create_future()
            await arrival
        return self.inbox.popleft()

    def to_client(self, arrive: Any) -> None:
        if self.is_silent or self.lost:
            return
        self._to_client_at = max(self._to_client_at, self.world.now + self.delay())
        self.world.at(self._to_client_at, lambda: None if self.is_silent or self.lost else arrive())

    def process_died(self) -> None:
        """The machine says so to the client, unless it is gone too."""
        self.to_client(self.break_off)

    def break_off(self) -> None:
        raise NotImplementedError


def _finish(future: asyncio.Future[Any], result: Any) -> None:
    if not future.done():
        future.set_result(result)


def _scope(process: Process, kind: str, path: str, headers: dict[str, str], host: str) -> dict[str, Any]:
    parts = urlsplit(path)
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.3" if kind == "http" else "2.4"},  # as uvicorn says
        "http_version": "1.1",
        "scheme": "http" if kind == "http" else "ws",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [
            (b"host", b"tercet.example"),
            *((name.encode(), value.encode()) for name, value in headers.items()),
        ],
        "client": (host, 40_000),
        "server": ("tercet.example", 80),
        "state": {},
    }


class Answer:
    """What a request was answered with."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = b""

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def cookie(self) -> str | None:
        for name, value in self.headers:
            if name == b"set-cookie":
                return value.decode().partition(";")[0]
        return None


class _Request(_Line):
    """One request."""

    def __init__(self, process: Process, name: str, done: asyncio.Future[Answer]) -> None:
        super().__init__(process, name)
        self._done = done
        self._answer = Answer()

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._answer.status, self._answer.headers = message["status"], list(message["headers"])
        elif message["type"] == "http.response.body":
            self._answer.body += message.get("body", b"")
            if not message.get("more_body"):
                answer = self._answer
                self.to_client(lambda: _finish(self._done, answer))

    def break_off(self) -> None:
        if not self._done.done():
            self._done.set_exception(LineLostError())


async def request(
    process: Process,
    name: str,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
    host: str = "192.0.2.1",
    seconds: float = 10.0,
) -> Answer:
    """The answer to a request; LineLostError where there is none within so many seconds. Call it in a client's loop."""
    done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    if not process.is_up:
        await asyncio.sleep(0.01)
        raise LineLostError
    line = _Request(process, name, done)
    content = b"" if body is None else json.dumps(body).encode()
    said = {**(headers or {}), "content-length": str(len(content))}
    if content:
        said["content-type"] = "application/json"
    scope = {**_scope(process, "http", path, said, host), "method": method}

    async def serve() -> None:
        await process.app(scope, line.receive, line.send)

    line.to_server({"type": "http.request", "body": content, "more_body": False})
    process.serve(line, serve)
    try:
        async with asyncio.timeout(seconds):
            return await done
    except TimeoutError:
        raise LineLostError from None
    finally:
        line.lost = True
        process.lines.pop(line, None)


class Stream(_Line):
    """A request whose answer comes line by line, as long as the client stays. ``heard`` has the lines, then
    LineLostError or ClosedError."""

    def __init__(self, process: Process, name: str, path: str, body: Any, headers: dict[str, str]) -> None:
        super().__init__(process, name)
        self.heard: asyncio.Queue[str | Exception] = asyncio.Queue()
        self._is_gone = False  # which the server knows
        content = json.dumps(body).encode()
        said = {**headers, "content-type": "application/json", "content-length": str(len(content))}
        scope = {**_scope(process, "http", path, said, "192.0.2.1"), "method": "POST"}

        async def serve() -> None:
            try:
                await process.app(scope, self.receive, self.send)
            finally:
                self.process.lines.pop(self, None)

        self.to_server({"type": "http.request", "body": content, "more_body": False})
        process.serve(self, serve)

    async def hear(self, seconds: float) -> Any:
        """The next line that says something; TimeoutError where none comes in time."""
        async with asyncio.timeout(seconds):
            while not (found := await self.heard.get()):
                pass  # it says that the line is there
        if isinstance(found, Exception):
            raise found
        return orjson.loads(found)

    def leave(self) -> None:
        if not self.lost:
            self.lost = True
            self.to_server({"type": "http.disconnect"})

    def break_off(self) -> None:
        self.heard.put_nowait(LineLostError())

    def _arrive(self, message: dict[str, Any]) -> None:
        self._is_gone = self._is_gone or message["type"] == "http.disconnect"
        super()._arrive(message)

    async def send(self, message: dict[str, Any]) -> None:
        if self._is_gone:
            return
        if message["type"] == "http.response.start":
            if message["status"] != 200:
                self.to_client(lambda: self.heard.put_nowait(ClosedError(message["status"])))
            return
        for line in message.get("body", b"").decode().splitlines():
            self.to_client(lambda line=line: self.heard.put_nowait(line))
        if not message.get("more_body"):
            self.to_client(lambda: self.heard.put_nowait(ClosedError(200)))


class Socket(_Line):
    """One WebSocket, both ends of it. ``heard`` has what the server says: texts, then LineLostError or ClosedError."""

    def __init__(
        self, process: Process, name: str, path: str, headers: dict[str, str] | None = None, host: str = "192.0.2.1"
    ) -> None:
        super().__init__(process, name)
        self.heard: asyncio.Queue[str | Exception] = asyncio.Queue()
        self.reads = True  # whether the client takes what comes
        self._closed = False  # by the server, or known to it
        self._unread = 0
        self._writable: asyncio.Future[None] | None = None
        self.at_ack: Any = None
        scope = {**_scope(process, "websocket", path, headers or {}, host), "subprotocols": []}
        if self.random.random() < 0.7:
            scope[SEND_NOW] = self.send_now

        async def serve() -> None:
            try:
                await process.app(scope, self.receive, self.send)
            finally:
                self._close(1006)

        self.inbox.append({"type": "websocket.connect"})
        process.serve(self, serve)

    def say(self, text: str, late: float = 0.0) -> None:
        if self.lost:
            raise LineLostError
        self.process.overheard(self, text)
        self.to_server({"type": "websocket.receive", "text": text}, late)

    async def hear(self, seconds: float) -> str:
        """The next text; TimeoutError where none comes in time."""
        async with asyncio.timeout(seconds):
            found = await self.heard.get()
        if isinstance(found, Exception):
            self.leave()
            raise found
        return found

    def leave(self, late: float = 0.0) -> None:
        """Break the line: what is on its way to the server still arrives, and then the end, after so many seconds."""
        if not self.lost:
            self.lost = True
            self.to_server({"type": "websocket.disconnect", "code": 1006}, late)

    def fall_silent(self) -> None:
        """Nothing passes from now on in either direction, and neither side is told."""
        self.silent_from = min(self.silent_from, self.world.now)

    def break_off(self) -> None:
        self.heard.put_nowait(LineLostError())

    def send_now(self, texts: Any) -> bool:
        """As :meth:`tercet.server.web.live_socket.LiveSocket.send_now`."""
        if self._closed or self._unread >= BUFFER or self._writable is not None:
            return False
        for text in texts:
            self._pass(text)
        return True

    def _pass(self, text: str) -> None:
        self.process.said(self, text)
        if self.is_silent or not self.reads:
            self._unread += 1
        self.to_client(lambda: self.heard.put_nowait(text))

    async def send(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if self._closed:
            raise OSError("the line is gone")
        if kind == "websocket.send":
            while self._unread >= BUFFER:  # nobody takes it, and nobody says that the line is gone
                self._writable = self.loop.create_future()
                await self._writable
            self._pass(message["text"])
        elif kind == "websocket.close":
            self._close(message.get("code", 1000))

    async def receive(self) -> dict[str, Any]:
        message = await super().receive()
        if message["type"] == "websocket.disconnect":
            self._closed = True
        return message

    def _close(self, code: int) -> None:
        if not self._closed:
            self._closed = True
            self.to_client(lambda: self.heard.put_nowait(ClosedError(code)))
        self.process.lines.pop(self, None)

    def close_by_server(self, code: int) -> None:
        """The server process ends: the client is told, and so is the application."""
        if not self._closed:
            self.to_client(lambda: self.heard.put_nowait(ClosedError(code)))
            self._arrive({"type": "websocket.disconnect", "code": code})
