"""Limits on connections, per address and in all: a client that opens hundreds takes no descriptor from the others."""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tercet.answers.errors import as_text
from tercet.server.limits import budgets, spenders
from tercet.server.limits.share import MAX_READS, FairShare
from tercet.server.limits.spenders import Turns
from tercet.server.web.live_socket import LiveSocket, Outbox, SlicedReader
from tercet.server.web.middleware import Proxies

WANTED_DESCRIPTORS = 65_536  # file descriptors, if the machine allows
RESERVED_DESCRIPTORS = 200  # for files, the database and engines
FIRST_REQUEST_SECONDS = 20.0  # in which a new connection has to send a request


def raise_descriptor_limit() -> int:
    """Allow this process as many file descriptors as it may have, up to a bound; how many that are."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return WANTED_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(WANTED_DESCRIPTORS, hard)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return WANTED_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


class Connections:
    """The connections of one process, read by the turns of its ``fair_share``. Of ``descriptors`` some are kept for
    other things; no address has more connections than its limits say, nor more than half of all, but for the
    ``proxies`` that are trusted."""

    def __init__(self, descriptors: int, proxies: Proxies, fair_share: FairShare) -> None:
        self.most = descriptors - min(RESERVED_DESCRIPTORS, descriptors // 2)
        self.each = min(fair_share.limits.connections_per_address, self.most // 2)
        self.proxies = proxies
        self.fair_share = fair_share
        self._all = 0
        self._of: Counter[str] = Counter()

    def enter(self, host: str | None) -> bool:
        """Return whether one more connection from ``host`` is allowed, and count it if so."""
        group = spenders.address_group(host)
        is_full = any(
            self._of[one] >= min(self.each * spenders.worth(one), self.most // 2) for one in spenders.with_site(group)
        )
        if self._all >= self.most or (is_full and not self.proxies.trusts(host or "")):
            return False
        self._all += 1
        budgets.add(self._of, group)
        return True

    def leave(self, host: str | None) -> None:
        """Count one connection from ``host`` less."""
        self._all -= 1
        budgets.add(self._of, spenders.address_group(host), -1)

    def protocols(self) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
        """Return the server's protocols for HTTP and for sockets, counted. A socket begins as HTTP: what ends is one of
        them, once."""
        counted = self

        class Http(HttpProtocol):
            reads = counted.fair_share.reads
            _counted = False
            _waiting: asyncio.TimerHandle | None = None

            def connection_made(self, transport: Any) -> None:
                super().connection_made(transport)
                host = self.client[0] if self.client else None
                is_proxy = counted.proxies.trusts(host or "")
                self.network = f"proxy {host}" if is_proxy else spenders.turn_group(spenders.network_group(host))
                self._counted = counted.enter(host)
                if not self._counted:
                    transport.abort()
                    return
                loop = asyncio.get_running_loop()
                self._waiting = loop.call_later(FIRST_REQUEST_SECONDS, self._end_silent, transport)

            def _end_silent(self, transport: Any) -> None:
                self._waiting = None
                if self.cycle is None and transport.get_protocol() is self:
                    transport.abort()

            def _wait_no_more(self) -> None:
                if self._waiting is not None:
                    self._waiting.cancel()  # it would hold what was sent
                    self._waiting = None

            def handle_websocket_upgrade(self, event: Any) -> None:
                self._wait_no_more()
                self.reads.use(self.network, MAX_READS)  # one in a turn: it takes as long as many reads
                super().handle_websocket_upgrade(event)

            def connection_lost(self, exc: Exception | None) -> None:
                if self._counted:
                    counted.leave(self.client[0] if self.client else None)
                self._wait_no_more()
                super().connection_lost(exc)
                if self.cycle is not None:
                    self.cycle.body = bytearray()  # the same: a refused body was not read to its end

        class Socket(LiveSocket):
            outbox = Outbox()
            fair_share = counted.fair_share
            reads = counted.fair_share.reads
            limits = counted.fair_share.limits

            def connection_lost(self, exc: Exception | None) -> None:
                counted.leave(self.client[0] if self.client else None)
                super().connection_lost(exc)

        return Http, Socket


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
        event = super().next_event()
        if isinstance(event, h11.Request) and not event.http_version.startswith(b"1."):
            raise h11.RemoteProtocolError("This is another version of HTTP.")
        return event


class HttpProtocol(H11Protocol, SlicedReader):
    """One connection of HTTP; ``network`` takes turns with others."""

    reads = Turns(MAX_READS)
    network = ""
    cycle: Any

    def __init__(self, *how: Any, **more: Any) -> None:
        super().__init__(*how, **more)
        self.logger = LOG
        self.conn = BoundedConnection(h11.SERVER, HEADER_BYTES)
        self._unread = bytearray()  # what came before its turn

    def data_received(self, data: bytes) -> None:
        """Read data when it is this network's turn."""
        self.reads.loop_time.begin_step()
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
