"""Whoever follows the lobby is told what has changed, not all of it again."""

from __future__ import annotations

from tests.server.conftest import Serving, Wire


def test_followers_are_told_what_has_changed(server: Serving) -> None:
    ann, bob = server.visitor(), server.visitor()
    first = ann.open("me", "open")["id"]
    wire = Wire(f"ws://127.0.0.1:{server.port}/api/lobby/live?changes=true", {})
    server.wires.append(wire)
    assert first in [one["id"] for one in wire.until("lobby")["open"]]
    second = bob.open("me", "open")["id"]
    while second not in (told := wire.until("lobby-changes"))["open"]:
        pass
    assert [one["id"] for one in told["openChanged"]] == [second]
    assert first in told["open"]
    assert bob.sit(first, 1).status_code == 201
    while first in (told := wire.until("lobby-changes"))["open"]:
        pass
    assert second in told["open"]
