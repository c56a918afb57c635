"""Connections of one process: what is left of them when they are gone."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any
from unittest.mock import Mock

import uvicorn
from uvicorn.server import ServerState

from tercet.server.fair_share.share import FairShare
from tercet.server.http.connections import Connections
from tercet.server.http.limits import Limits
from tercet.server.http.middleware import Proxies

REQUEST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n" + b"x" * 60_000


async def refuse(_scope: Any, _receive: Any, send: Any) -> None:
    """An application that does not read what it is sent."""
    await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


def test_nothing_is_kept_of_a_connection_that_has_gone() -> None:
    """Its body was, for the 20 seconds in which a first request may come: 60 MB of somebody who sent nonsense."""

    async def visit() -> tuple[int, bool]:
        http, _ = Connections(1000, Proxies(), FairShare(Limits())).protocols()
        config = uvicorn.Config(refuse, log_level="error")
        config.load()
        protocol: Any = http(config=config, server_state=ServerState(), app_state={})  # type: ignore[call-arg]
        transport = Mock(
            spec=asyncio.Transport, **{"get_extra_info.return_value": None, "is_closing.return_value": False}
        )
        protocol.connection_made(transport)
        protocol.data_received(REQUEST)
        await asyncio.sleep(0)
        cycle = protocol.cycle
        assert len(cycle.body) == 60_000
        protocol.connection_lost(None)
        kept, there = len(cycle.body), weakref.ref(protocol)
        del protocol, cycle, transport
        for _ in range(3):
            await asyncio.sleep(0)
        gc.collect()
        return kept, there() is not None

    assert asyncio.run(visit()) == (0, False)
