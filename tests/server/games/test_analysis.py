"""Analyses that nobody waits for any more."""

import asyncio
import gc
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tercet.server.engines.pool import EnginePool
from tercet.server.errors import ApiError
from tests.server.conftest import Serving, Wire
from tests.support.waiting import until

START = "sanqi/4 4/5/6/7/6/5/4 F -"


def test_whoever_is_refused_and_has_hung_up_leaves_no_word_in_the_log(
    serve: Callable[..., Serving], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun, done = threading.Event(), threading.Event()

    async def refuse(_pool: EnginePool, _owner: Any, _position: Any, _lines: int, _seconds: float, *how: Any) -> str:
        begun.set()
        while not how[0].is_set():  # until he has gone
            await asyncio.sleep(0.01)
        done.set()
        raise ApiError("too-many", "analysis", "You can run at most 2 analyses at once. Stop one first.")

    monkeypatch.setattr(EnginePool, "analyse", refuse)
    server = serve()
    wire = Wire(f"ws://127.0.0.1:{server.port}/api/analysis", {})
    wire.say({"type": "go", "id": "a", "position": START})
    assert begun.wait(20)
    wire.close()
    assert done.wait(20)
    until(lambda: not server.app.state.services.sockets)
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
