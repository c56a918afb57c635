"""The server's protocol for sockets: uvicorn's, without some of what it does for each message.

What is sent within a millisecond goes out together, reading stops only where messages pile up, and whoever has just
said something is not asked whether he is still there. Text can be sent without the application's interface.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from uvicorn.config import Config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.http11 import Request
from websockets.protocol import State

__all__ = ["SEND_NOW", "LiveSocket", "Outbox"]

SEND_NOW = "tercet.send_now"  # in a socket's scope: :meth:`LiveSocket.send_now`

GATHER = 0.001  # seconds in which what is sent is gathered
MUCH = 1 << 16  # bytes that are sent at once
PILE = 8  # messages that may wait before no more are read

# The window is wide enough to reach back to the message before, most of which a view is; with that the quickest level
# sends no more bytes than the usual one does with a narrow window, in a third of the time. It takes 80 kB a socket.
COMPRESSION = ServerPerMessageDeflateFactory(
    server_max_window_bits=14, client_max_window_bits=12, compress_settings={"memLevel": 5, "level": 1}
)


def _framed(data: bytes) -> bytes:
    """One message of text as a server sends it that has agreed to no extension (RFC 6455, 5.2): the library writes the
    same, in several times the time, since it is ready for every kind of frame."""
    size = len(data)
    if size < 126:
        return bytes((0x81, size)) + data
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2) + data
    return b"\x81\x7f" + size.to_bytes(8) + data


class Outbox:
    """The transports of one event loop that have something to send."""

    def __init__(self) -> None:
        self._waiting: list[GatheringTransport] = []

    def add(self, transport: GatheringTransport) -> None:
        """Have ``transport`` send what it has gathered, soon."""
        if not self._waiting:
            asyncio.get_running_loop().call_later(GATHER, self._send)
        self._waiting.append(transport)

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        for transport in waiting:
            transport.send()


class GatheringTransport:
    """A transport that gathers what is written, and stops reading by :meth:`hold` alone; else as the one it wraps."""

    def __init__(self, transport: Any, outbox: Outbox) -> None:
        self._transport = transport
        self._outbox = outbox
        self._gathered: list[bytes] = []
        self._size = 0
        self._is_held = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send ``data``, with what else is written until then."""
        if not self._gathered:
            self._outbox.add(self)
        self._gathered.append(data)
        self._size += len(data)
        if self._size >= MUCH:
            self.send()

    def send(self) -> None:
        """Send now what was gathered."""
        if self._gathered:
            gathered, self._gathered, self._size = self._gathered, [], 0
            if not self._transport.is_closing():
                self._transport.write(b"".join(gathered))

    def close(self) -> None:
        """Close it when everything is sent."""
        self.send()
        self._transport.close()

    def pause_reading(self) -> None:
        """Nothing: to stop and go on for each message would cost more than to let a few wait."""

    def hold(self) -> None:
        """Read nothing more until :meth:`resume_reading`."""
        if not self._is_held:
            self._is_held = True
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Go on reading, where that was stopped."""
        if self._is_held:
            self._is_held = False
            self._transport.resume_reading()


class LiveSocket(WebSocketsSansIOProtocol):
    """One socket. Servers derive a class of their own, with their ``outbox``."""

    outbox = Outbox()
    _heard = 0.0

    def __init__(self, config: Config, server_state: ServerState, app_state: dict[str, Any]) -> None:
        super().__init__(config, server_state, app_state)
        if self.conn.available_extensions:
            self.conn.available_extensions = [COMPRESSION]

    def connection_made(self, transport: Any) -> None:
        """It is open."""
        super().connection_made(GatheringTransport(transport, self.outbox))  # type: ignore[arg-type]

    def handle_connect(self, event: Request) -> None:
        """Somebody asks for a socket."""
        super().handle_connect(event)
        if not self.close_sent:
            cast("dict[str, Any]", self.scope)[SEND_NOW] = self.send_now

    def send_now(self, texts: Sequence[str]) -> bool:
        """Send ``texts``; False where that is not possible at once, since too much waits on the line or it is closed.
        Half a surrogate pair in them is a UnicodeEncodeError."""
        if not self.writable.is_set() or self.close_sent or self.conn.state is not State.OPEN:
            return False
        if self.conn.extensions:
            for text in texts:
                self.conn.send_text(text.encode())
            self.transport.write(b"".join(self.conn.data_to_send()))
        else:
            self.transport.write(b"".join([_framed(text.encode()) for text in texts]))
        return True

    def data_received(self, data: bytes) -> None:
        """Something came."""
        self._heard = self.loop.time()
        super().data_received(data)
        if self.queue.qsize() > PILE:
            self.transport.hold()  # type: ignore[attr-defined]

    def send_keepalive_ping(self) -> None:
        """Ask whether anybody is there, unless something came lately: then so much later."""
        silent = self.loop.time() - self._heard
        if self.ping_interval is not None and silent < self.ping_interval:
            self.ping_timer = self.loop.call_later(self.ping_interval - silent, self.send_keepalive_ping)
            return
        super().send_keepalive_ping()
