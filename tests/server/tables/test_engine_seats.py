"""Engines that sit at tables."""

from collections.abc import Callable
from typing import Any

import pytest

from tercet.core.game import Position
from tercet.server.store.lease import Lease
from tests.support.waiting import until


def test_an_engine_moves_when_its_process_is_sure_again(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has chosen while the process did not know whether it is still the one that acts is not forgotten."""
    server = serve(engines=0)
    table = server.open("me", "engine", clock={"kind": "turn", "seconds": 600})
    wire = server.wire(table["id"], *[token for token in table["tokens"] if token])
    wire.hear()
    registry = server.app.state.services.registry
    asked: list[bool] = []
    unsure: list[bool] = []

    def is_sure(_lease: Lease) -> bool:
        asked.append(not unsure)
        return not unsure

    async def move(_owner: str, position: Position, *_: Any) -> str:
        unsure.append(True)
        return str(position.legal_actions[0])

    monkeypatch.setattr(Lease, "is_sure", property(is_sure))
    monkeypatch.setattr(registry.engine_pool, "move", move)
    assert wire.act(0, "Rd4")["type"] == "ack"
    until(lambda: False in asked, what="the engine did not try to move")
    unsure.clear()
    while wire.until("event").get("seat") != 1:
        pass
