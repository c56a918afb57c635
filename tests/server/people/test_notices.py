"""Notices while the page is closed: who is told, once, and that they are encrypted for one device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tercet.server.people import notices
from tests.server.conftest import Serve, Serving, Visitor
from tests.support.push_service import PushService, Receiver
from tests.support.waiting import until

DAYS = {"kind": "correspondence", "days": 3}


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PushService]:
    """A push service, in a world in which no notice waits long."""
    monkeypatch.setattr(notices, "DELAY_SECONDS", 0.05)
    monkeypatch.setattr(notices, "RETRY_SECONDS", (0.1, 0.1))
    made = PushService(tmp_path, monkeypatch)
    yield made
    made.close()


def with_device(server: Serving, handle: str, **headers: str) -> tuple[Visitor, Receiver]:
    """A person whose browser shows notices."""
    person = server.visitor(handle)
    receiver = Receiver(person.handle)
    person.http.headers.update(headers)
    answer = person.http.post("/api/me/notices/device", json=receiver.data)
    assert answer.status_code == 200, answer.text
    assert answer.json()["device"] is True
    return person, receiver


def game(opener: Visitor, other: Visitor, **wish: Any) -> str:
    """A game of two by correspondence, in which the opener begins."""
    table: str = opener.open("me", "open", clock=DAYS, **wish)["id"]
    assert other.sit(table, 1).status_code == 201
    return table


def play(person: Visitor, table: str, ply: int, action: str) -> None:
    """Come, play and leave."""
    wire = person.wire(table)
    assert wire.act(ply, action)["type"] == "ack"
    wire.close()


def settled(server: Serving) -> None:
    """Wait until nothing is to be told."""
    until(lambda: not server.app.state.services.notices._pending)


def test_a_turn_is_told_once_and_to_one_device(serve: Serve, service: PushService) -> None:
    server = serve()
    ann, _ = with_device(server, "ann")
    ben, phone = with_device(server, "ben", **{"accept-language": "de"})
    table = game(ben, ann)
    settled(server)
    assert service.notice(0, phone) == {
        "title": "Du bist am Zug",
        "body": f"SanQi · {ann.handle}",
        "path": f"/t/{table}",
    }
    play(ben, table, 0, "Rd4")
    settled(server)
    assert len(service.taken) == 2
