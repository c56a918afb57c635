"""The server's protocol for WebSockets: uvicorn's, quicker with what is usual, and bounded in what is not.

The server sends together what it writes within a millisecond, and pings only clients that have been silent. The
application can send text without the ASGI interface.

What clients send is read a slice at a time and parsed frame by frame. All frames count, pings, pongs and empty pieces
too, and so does what compressed ones unpack to: a client above the rate is closed with 1008. The networks take turns,
:data:`FRAMES_A_TURN` frames of a socket at a time. Nothing more is read from a socket while frames of it wait for their
turn, while messages wait for the application, or while the client does not take what it is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.utils import apply_mask

from tercet.server.limits.budgets import Bucket, ServerLimits
from tercet.server.limits.share import MAX_READS, FairShare
from tercet.server.limits.spenders import SERVER, SPENDER, Spender, Turns, turn_group

SEND_NOW = "tercet.send_now"  # in a socket's scope: :meth:`LiveSocket.send_now`

GATHER_SECONDS = 0.001  # in which messages are gathered into one write
SEND_NOW_BYTES = 1 << 16  # gathered bytes that are sent without waiting
MAX_WAITING_MESSAGES = 8  # for the application, before reading pauses
MAX_WAITING_CHARACTERS = 1 << 16  # of these messages
SLICE_BYTES = 4096  # read from a connection in one turn of the event loop
FRAMES_A_TURN = 16  # parsed from a socket in one turn; so many count as one more socket that is read

BURST_SECONDS = 10  # whose allowance of frames a socket may send at once
TOKEN_BYTES = 1024  # of a frame that count as one more frame
DRAWN_TOKENS = 200  # drawn together from what the rate allows
CLOSE_SECONDS = 1.0  # in which a client can read why it was closed

# The window is wide enough to reach back to the message before, most of which a view is; with that the quickest level
# sends no more bytes than the usual one does with a narrow window, in a third of the time. It takes 80 kB a socket.
COMPRESSION = ServerPerMessageDeflateFactory(
    server_max_window_bits=14, client_max_window_bits=12, compress_settings={"memLevel": 5, "level": 1}
)


def _framed(data: bytes) -> bytes:
    """Return a text message as a frame without extensions (RFC 6455, 5.2). The library takes several times as long,
    since it is ready for every kind of frame."""
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
            asyncio.get_running_loop().call_later(GATHER_SECONDS, self._send)
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
        if self._size >= SEND_NOW_BYTES:
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
        """Do nothing: to stop and go on for each message would cost more than to let a few wait."""

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


class SlicedReader(asyncio.BufferedProtocol):
    """A connection from which no more than :data:`SLICE_BYTES` are read in a turn of the event loop: beside a protocol
    that takes what came by ``data_received``."""

    _buffer = memoryview(bytearray(SLICE_BYTES))

    def __init_subclass__(cls) -> None:
        """Give all connections of a server, which derives a class of its own, one buffer: what is read into it is taken
        out at once. Servers in several threads would overwrite what the others read."""
        super().__init_subclass__()
        cls._buffer = memoryview(bytearray(SLICE_BYTES))

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002  (as asyncio calls it)
        """Return the buffer for the next bytes."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Process the bytes in the buffer."""
        self.data_received(bytes(self._buffer[:nbytes]))  # type: ignore[attr-defined]


class LiveSocket(WebSocketsSansIOProtocol, SlicedReader):
    """One socket. Servers derive a class of their own, with their ``outbox``, and the ``reads`` and ``fair_share`` by
    which networks share them."""

    outbox = Outbox()
    reads = Turns(MAX_READS)
    fair_share: FairShare | None = None
    limits = ServerLimits()

    def __init__(self, *how: Any, **more: Any) -> None:
        super().__init__(*how, **more)
        if self.conn.available_extensions:
            self.conn.available_extensions = [COMPRESSION]
        rate = self.limits.frames_per_second
        self._frames = None if rate is None else Bucket(rate, BURST_SECONDS * rate)
        self._drawn = DRAWN_TOKENS if rate is None else min(DRAWN_TOKENS, BURST_SECONDS * rate / 2)
        self._allowance = 0.0  # frames, and kilobytes that count as frames, that are drawn and not used yet
        self._uncharged_bytes = 0
        self._network = ""
        self._heard = 0.0
        self._unread = bytearray()  # what came and is not parsed yet
        self._rest = 0  # bytes that are still to come of the frame that is being parsed
        self._has_turn = False  # whether :meth:`_take_turn` will be called
        self._failed = False
        self._pong = b""  # to the latest ping, not sent yet
        self._piled = 0  # characters that wait for the application

    def connection_made(self, transport: Any) -> None:
        super().connection_made(GatheringTransport(transport, self.outbox))  # type: ignore[arg-type]

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the connection: no cycle may keep its buffers, since Python seldom looks for old cycles here."""
        self._unread.clear()
        super().connection_lost(exc)
        cast("dict[str, Any]", getattr(self, "scope", {})).pop(SEND_NOW, None)
        if self.conn.parser_exc is not None:
            self.conn.parser_exc.__traceback__ = None

    def handle_connect(self, event: Request) -> None:
        """Hand the client's request to the application."""
        super().handle_connect(event)
        if not self.close_sent:
            cast("dict[str, Any]", self.scope)[SEND_NOW] = self.send_now

    def start_keepalive(self) -> None:
        """The application has accepted the socket: read on. From now on it is known whose it is."""
        super().start_keepalive()
        self._network = turn_group(self._spender.network or "")
        if self._unread:
            self._parse_or_wait()

    @property
    def _spender(self) -> Spender:
        spender = cast("dict[str, Any]", self.scope).get(SPENDER, SERVER)
        assert isinstance(spender, Spender)
        return spender

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

    # Reading --------------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Process data: one whole short frame at once if nothing else waits, anything else in turn."""
        self._heard = self.loop.time()
        self.reads.loop_time.begin_step()
        size = len(data)
        if (
            5 < size < 132
            and data[1] == size + 122  # masked, and its length is all that came
            and not self._unread
            and not self._rest
            and self._may_read
            and self.reads.enter(self._network)
        ):
            if not self._count(1.1, size):
                return
            if data[0] == 0x81 and self.conn.current_size is None and self.conn.state is State.OPEN:
                self._deliver(apply_mask(data[6:], data[2:6]), is_text=True)
            else:
                self._spender.run(self._take, data, True)
                self._send_pong()
            self._hold_if_full()
        elif self.handshake_initiated:
            self._unread += data
            self._parse_or_wait()
        else:
            super().data_received(data)
            if not self.handshake_initiated:  # the whole request came at once
                self._refuse_handshake()

    def _refuse_handshake(self) -> None:
        """Say what is wrong with a request that cannot be read, and close."""
        said = b"".join(self.conn.data_to_send())  # nothing but of what is too long
        self.transport.write(said or self.conn.reject(400, "This is no WebSocket handshake.\n").serialize())
        self.handshake_complete = self.close_sent = True
        self.transport.close()

    @property
    def _may_read(self) -> bool:
        """Return whether frames may be parsed: the application can take more messages, or will take none any more."""
        if self.close_sent:
            return not self._failed
        has_room = self.queue.qsize() <= MAX_WAITING_MESSAGES and self._piled < MAX_WAITING_CHARACTERS
        return self.handshake_complete and has_room

    def _hold_if_full(self) -> None:
        if not self._may_read:
            self.transport.hold()  # type: ignore[attr-defined]

    def _parse_or_wait(self) -> None:
        """Parse what is unread, now if this network's turn is not over."""
        if self._has_turn:
            return
        if self._may_read and self.reads.enter(self._network):
            self._spender.run(self._parse)
        else:
            self._wait()

    def _wait(self) -> None:
        """Read nothing more, and go on in a later turn, or once the application has taken the messages."""
        self.transport.hold()  # type: ignore[attr-defined]
        if self._may_read and not self._has_turn:
            self._has_turn = True
            self.reads.call(self._network, self._take_turn)

    def _take_turn(self) -> bool:
        self._has_turn = False
        if self.transport.is_closing() or not self._unread:
            return False
        self._spender.run(self._parse)
        return True

    def _take(self, part: bytes, begins: bool) -> None:
        """Take a frame, or a part of one (``begins``: its first). The library takes long for short pings and pongs."""
        kind, size = part[0], len(part)
        is_short = begins and 5 < size < 132 and part[1] == size + 122
        if not (is_short and kind in (0x89, 0x8A) and self.conn.state is State.OPEN):
            super().data_received(part)
        elif kind == 0x89:
            self._pong = bytes((0x8A, size - 6)) + apply_mask(part[6:], part[2:6])
        elif self.pending_ping_payload is not None:
            self.handle_pong(Frame(Opcode.PONG, apply_mask(part[6:], part[2:6])))

    def _parse(self) -> None:
        """Parse a turn's worth of what is unread, and read on if that was all."""
        self._parse_frames()
        self._send_pong()

    def _parse_frames(self) -> None:
        unread = self._unread
        for _ in range(FRAMES_A_TURN):
            if not (unread and self._may_read):
                break
            begins = not self._rest
            if begins:
                size = _frame_size(unread)
                if size is None:  # the rest of its header is to come
                    break
                counted = min(size, self.conn.max_message_size or size)  # a longer one is refused by its header
                tokens = 1 + counted / TOKEN_BYTES
                self.reads.use(self._network, tokens / FRAMES_A_TURN)
                if not self._count(tokens, counted):
                    return
                self._rest = size
            part = bytes(unread[: self._rest])
            del unread[: len(part)]
            self._rest -= len(part)
            self._take(part, begins)
            if self.conn.parser_exc is not None or self.transport.is_closing():
                unread.clear()
                return
        else:
            if unread:
                self._wait()
                return
        if self._may_read:
            self.transport.resume_reading()
        self._hold_if_full()

    def _go_on(self) -> None:
        """Read on, where what stood in the way is gone."""
        if self._unread:
            self._wait()  # for the next turn: a busy sender gets no more out of this one
        elif self._may_read:
            self.transport.resume_reading()

    async def send(self, message: Any) -> None:
        """Send what the application has to say; ClientDisconnected where the socket has been closed, by the application
        or for what the client sent."""
        if self.close_sent:
            raise ClientDisconnected
        await super().send(message)
        if message["type"] == "websocket.close":  # the client's answer to that is still to be read
            self._go_on()

    def handle_ping(self) -> None:
        """Keep the answer to a ping until :meth:`_send_pong`."""
        self._pong = b"".join(self.conn.data_to_send())

    def _send_pong(self) -> None:
        """Answer the latest ping of a turn alone (RFC 6455, 5.5.3), once the client takes what it is sent."""
        if self._pong and self.writable.is_set():
            if not self.close_sent:
                self.transport.write(self._pong)
            self._pong = b""

    def resume_writing(self) -> None:
        """The client takes what it is sent."""
        super().resume_writing()
        self._send_pong()

    async def receive(self) -> Any:
        """Wait for the next message, for the application."""
        message = cast("dict[str, Any]", await self.queue.get())
        self._piled -= len(message.get("text") or message.get("bytes") or "")
        if self.queue.empty():
            self._go_on()
        return message

    def send_receive_event_to_app(self) -> None:
        """Hand a message to the application that came in one frame or several."""
        data = self.frames[0] if len(self.frames) == 1 else b"".join(self.frames)
        self.frames = []
        if self.conn.extensions and len(data) > TOKEN_BYTES:  # it may have been compressed
            tokens = len(data) / TOKEN_BYTES
            self.reads.use(self._network, tokens / FRAMES_A_TURN)
            if not self._count(tokens, len(data)):
                return
        self._deliver(data, is_text=self.curr_msg_data_type == "text")

    def _deliver(self, data: bytes, *, is_text: bool) -> None:
        if self.close_sent:  # the application is past it
            return
        if is_text:
            try:
                text = bytes(data).decode()
            except UnicodeDecodeError:
                self._fail(1007, "text is UTF-8")
                return
            self._piled += len(text)
            self.queue.put_nowait({"type": "websocket.receive", "text": text})
        else:
            self._piled += len(data)
            self.queue.put_nowait({"type": "websocket.receive", "bytes": data})

    def _count(self, tokens: float, size: int) -> bool:
        """Count so many frames and bytes; False where that was too much: the socket is closed then."""
        self._uncharged_bytes += size
        self._allowance -= tokens
        return self._allowance >= 0 or self._draw()

    def _draw(self) -> bool:
        """Draw more frames from what the rate allows, and charge their bytes; seldom, since each would cost more."""
        drawn = max(self._drawn, -self._allowance)
        if self.fair_share is not None:
            self.fair_share.budgets.spend(self._spender, size=self._uncharged_bytes)
        self._uncharged_bytes = 0
        if self._frames is None or self._frames.take(drawn):
            self._allowance += drawn
            return True
        if self.close_sent:
            self.transport.abort()
        else:
            self._fail(1008, "You send too many frames.")
        return False

    def _fail(self, code: int, reason: str) -> None:
        """Close the socket, whatever else comes; the client has a moment to read why."""
        self._failed = True
        self._unread.clear()
        self.transport.hold()  # type: ignore[attr-defined]
        self.stop_keepalive()
        self.conn.fail(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.close_timer = self.loop.call_later(CLOSE_SECONDS, self.transport.abort)

    def send_keepalive_ping(self) -> None:
        """Ping a client that has been silent; one that has not, so much later."""
        silent = self.loop.time() - self._heard
        if self.ping_interval is not None and silent < self.ping_interval:
            self.ping_timer = self.loop.call_later(self.ping_interval - silent, self.send_keepalive_ping)
            return
        super().send_keepalive_ping()


def _frame_size(data: bytearray) -> int | None:
    """Return the size of the frame that ``data`` begins with (RFC 6455, 5.2), header included; None if the header is
    not complete."""
    if len(data) < 2:
        return None
    mask, length = 4 * (data[1] >> 7), data[1] & 0x7F
    if length < 126:
        return 2 + mask + length
    end = 4 if length == 126 else 10
    return None if len(data) < end else end + mask + int.from_bytes(data[2:end])
