"""The server's protocol for HTTP: uvicorn's with h11, read by turns and with a bound on headers.

A connection is read a slice at a time, and the connections of one network take turns, so that no amount of requests
that a network sends at once keeps the event loop from anything else. Pipelined requests are answered one after
another. While one is answered, the next ones stay on the line: no more of them than one slice is held in memory.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from tercet.answers.errors import as_text
from tercet.server.limits.share import MAX_READS
from tercet.server.limits.turns import Turns
from tercet.server.web.live_socket import SlicedReader

HEADER_BYTES = 16_384  # of a request, with its first line
HEADER_LINES = 100
TOO_LARGE = f"The headers of a request must have at most {HEADER_LINES} lines and {HEADER_BYTES} bytes."
BLANK_LINE = re.compile(rb"\n\r?\n")
LOG = logging.getLogger("uvicorn.error.http")
LOG.setLevel(logging.ERROR)  # what clients send wrong is their own affair, and would fill the log


class BoundedConnection(h11.Connection):
    """A client's connection, whose headers are parsed only where they are within the bounds."""

    def next_event(self) -> Any:
        """Return the next event; h11.RemoteProtocolError also where headers are too long."""
        if self.their_state is h11.IDLE:
            came = self.trailing_data[0]
            blank = BLANK_LINE.search(came)
            end = len(came) if blank is None else blank.start()
            if end > HEADER_BYTES or came.count(b"\n", 0, end) > HEADER_LINES:
                raise h11.RemoteProtocolError(TOO_LARGE, error_status_hint=431)
        return super().next_event()


class HttpProtocol(H11Protocol, SlicedReader):
    """One connection of HTTP; ``network`` takes turns with others."""

    reads = Turns(MAX_READS)
    network = ""
    cycle: Any

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.logger = LOG
        self.conn = BoundedConnection(h11.SERVER, HEADER_BYTES)
        self._unread = bytearray()  # what came before its turn

    def data_received(self, data: bytes) -> None:
        """Read data when it is this network's turn."""
        if not self._unread and self.reads.enter(self.network):
            super().data_received(data)
            return
        if not self._unread:
            self.reads.call(self.network, self._take_turn)
        self._unread += data
        self.transport.pause_reading()

    def _take_turn(self) -> bool:
        data = bytes(self._unread)
        self._unread.clear()
        if self.transport.is_closing() or not data:
            return False
        if not self.flow.read_paused:
            self.transport.resume_reading()
        super().data_received(data)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._unread.clear()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  (as uvicorn calls it)
        """Refuse what is no HTTP, or has too long headers, and close the connection."""
        error = sys.exc_info()[1]
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        why = TOO_LARGE if status == 431 else "This is no HTTP request."
        code = "too-large" if status == 431 else "bad-message"
        body = as_text({"error": {"code": code, "where": "headers", "why": why}}).encode()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            length = str(len(body))
            headers = [("content-type", "application/json"), ("content-length", length), ("connection", "close")]
            for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
