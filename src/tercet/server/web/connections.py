"""Limits on connections, per address and in all: a client that opens hundreds and sends nothing takes no file
descriptor from the others."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from tercet.server.limits.share import FairShare
from tercet.server.limits.spender import address_group, network_group
from tercet.server.web.http_protocol import HttpProtocol
from tercet.server.web.live_socket import LiveSocket, Outbox
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
        group = address_group(host)
        if self._all >= self.most or (self._of[group] >= self.each and not self.proxies.trusts(host or "")):
            return False
        self._all += 1
        self._of[group] += 1
        return True

    def leave(self, host: str | None) -> None:
        """One from ``host`` has gone."""
        group = address_group(host)
        self._all -= 1
        self._of[group] -= 1
        if self._of[group] <= 0:
            del self._of[group]

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
                self.network = f"proxy {host}" if counted.proxies.trusts(host or "") else network_group(host)
                self._counted = counted.enter(host)
                if not self._counted:
                    transport.abort()
                    return
                self._waiting = asyncio.get_running_loop().call_later(
                    FIRST_REQUEST_SECONDS, self._end_silent, transport
                )

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
