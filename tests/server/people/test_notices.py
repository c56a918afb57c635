"""Notices while the page is closed: who is told, once, and that they are encrypted for one device."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import importlib.util
import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tercet import errors
from tercet.server.errors import Unreachable
from tercet.server.people import notices, push
from tercet.server.tables import reminders
from tercet.server.tables.reminders import Reminders
from tests.server.conftest import PASSWORD, Hands, Serve, Serving, Visitor, Wire, code
from tests.server.people.browser import rows
from tests.support.division import online_but
from tests.support.mailbox import Mailbox
from tests.support.push_service import PushService, Receiver, http_ece
from tests.support.waiting import until

DAY = 86_400_000
PUBLIC = push.public_addresses
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


def game(opener: Visitor, other: Visitor, days: int = 3) -> str:
    """A game of two by correspondence, in which the opener begins."""
    table: str = opener.open("me", "open", clock={**DAYS, "days": days})["id"]
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


def followed(server: Serving, person: Visitor, path: str) -> Wire:
    """A page that is open somewhere on the site."""
    cookies = "; ".join(f"{name}={value}" for name, value in person.http.cookies.items())
    wire = Wire(f"ws://127.0.0.1:{server.port}{path}", {"cookie": cookies})
    server.wires.append(wire)
    wire.hear()
    return wire


def left(server: Serving) -> None:
    """Wait until all pages are closed."""
    until(lambda: not server.app.state.services.people._here)


def befriend(one: Visitor, other: Visitor) -> None:
    for person, whom in ((one, other), (other, one)):
        assert person.http.post("/api/me/follows", json={"handle": whom.handle}).status_code == 200


def choose(person: Visitor, **wish: Any) -> Any:
    answer = person.http.post("/api/me/notices", json=wish)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_turn_is_told_once_and_to_one_device(serve: Serve, service: PushService) -> None:
    server = serve()
    ann, laptop = with_device(server, "ann")
    ben, phone = with_device(server, "ben", **{"accept-language": "de"})
    table = game(ben, ann)
    settled(server)
    told = {"title": "Du bist am Zug", "body": f"SanQi · {ann.handle}", "path": f"/t/{table}"}
    assert service.notice(0, phone) == told
    with pytest.raises(http_ece.ECEException):
        laptop.read(service.taken[0][2])
    wire = ben.wire(table)
    wire.act(0, "Rd4")
    wire.ask(type="offer", what="draw")  # which is no turn
    wire.close()
    settled(server)
    assert service.notice(1, laptop)["body"] == f"SanQi · {ben.handle}"
    assert len(service.taken) == 2
    headers = [headers for _, headers, _ in service.taken]
    assert len({one["Topic"] for one in headers}) == 1, "a later notice takes the place of the one before"
    assert all(0 < len(one["Topic"]) <= 32 and int(one["TTL"]) > 0 for one in headers)


def test_no_notice_is_sent_to_who_is_connected(serve: Serve, service: PushService) -> None:
    server = serve()
    ann, _ = with_device(server, "ann")
    ben, phone = with_device(server, "ben")
    befriend(ann, ben)
    table = game(ann, ben)
    settled(server)
    service.taken.clear()
    for path in ("/api/me/live", "/api/lobby/live", f"/api/tables/{table}/live"):
        wire = followed(server, ben, path)
        assert ann.http.post(f"/api/messages/{ben.handle}", json={"text": "hello"}).status_code == 201
        settled(server)
        wire.close()
        left(server)
    assert service.taken == []
    wire = followed(server, ben, "/api/lobby/live")
    play(ann, table, 0, "Rd4")
    settled(server)
    assert service.taken == []
    wire.close()
    left(server)
    assert ann.http.post(f"/api/messages/{ben.handle}", json={"text": "are you there?"}).status_code == 201
    told = service.notice(0, phone)
    assert told == {"title": "New message", "body": ann.handle, "path": f"/@{ann.handle}"}, "without what it says"


def test_what_is_no_longer_true_is_not_tried_again(
    serve: Serve, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    ann, _ = with_device(server, "ann")
    ben = server.visitor("ben")
    monkeypatch.setattr(notices, "RETRY_SECONDS", (1.5, 0.1))
    service.answers += [503]
    table = game(ann, ben)
    until(lambda: len(service.taken) == 1)
    play(ann, table, 0, "Rd4")
    settled(server)
    assert len(service.taken) == 1

    service.answers += [500, 429, 201]
    monkeypatch.setattr(notices, "RETRY_SECONDS", (0.1, 0.1, 0.1))
    play(ben, table, 1, "Yc4")
    settled(server)
    assert len(service.taken) == 4, "tried again until it is taken"


def test_a_notice_is_tried_again_after_the_database_has_answered_nothing_and_given_up_in_the_end(
    serve: Serve, service: PushService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = serve()
    ann, phone = with_device(server, "ann")
    befriend(ann, ben := server.visitor("ben"))
    wishes, failures = notices.Notices.wishes, [Unreachable(), Unreachable()]

    async def failing(self: notices.Notices, person: str) -> notices.Wishes:
        if failures:
            raise failures.pop()
        return await wishes(self, person)

    monkeypatch.setattr(notices.Notices, "wishes", failing)
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    settled(server)
    assert service.notice(0, phone)["body"] == ben.handle
    assert "given up" not in caplog.text
    failures += [Unreachable() for _ in range(3)]
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    settled(server)
    assert (len(service.taken), failures) == (1, [])
    assert "a notice was given up after 3 tries" in caplog.text


def test_the_first_turn_of_a_game_that_is_opened_for_two_is_a_turn(serve: Serve, service: PushService) -> None:
    """Of a rematch, and of a game of a tournament."""
    server = serve()
    ann, phone = with_device(server, "ann")
    ben = server.visitor("ben")
    table = game(ben, ann)
    play(ben, table, 0, "Rd4")
    settled(server)
    service.taken.clear()
    wires = [person.wire(table) for person in (ann, ben)]
    assert [wires[0].ask(type=what)["type"] for what in ("resign", "rematch")] == ["ack", "ack"]
    wires[0].close()
    until(lambda: server.app.state.services.people._here.total() == 1)
    assert wires[1].ask(type="answer", what="rematch", yes=True)["type"] == "ack"
    assert service.notice(0, phone)["path"] not in ("", f"/t/{table}")


def test_only_slow_games_between_people_tell_of_turns(serve: Serve, service: PushService) -> None:
    server = serve()
    ann, _ = with_device(server, "ann")
    ben = server.visitor("ben")
    table = ann.open("me", "open", clock={"kind": "fischer", "minutes": 5, "increment": 3})["id"]
    ben.sit(table, 1)
    ann.open("me", {"kind": "engine", "level": 1})
    settled(server)
    assert service.taken == []
    table = ann.open("me", "open")["id"]
    ben.sit(table, 1)
    settled(server)
    assert len(service.taken) == 1, "a game without a clock is slow, too"


@pytest.mark.parametrize("status", [404, 410])
def test_a_subscription_that_is_gone_is_deleted(serve: Serve, service: PushService, status: int) -> None:
    server = serve()
    ann, _ = with_device(server, "ann")
    befriend(ann, ben := server.visitor("ben"))
    service.answers += [status]
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    settled(server)
    assert len(service.taken) == 1
    assert rows(server, "SELECT * FROM notice_devices") == []
    assert ann.http.get("/api/me/notices").json()["device"] is False
    assert server.app.state.services.notices.reachable == set()


@pytest.mark.parametrize("occasion", online_but(lambda occasion: occasion == "turn", notices.OCCASIONS))
def test_each_occasion_is_told_unless_it_is_switched_off(
    serve: Serve, service: PushService, occasion: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminders, "LOOK_SECONDS", 0.05)
    hands = Hands()
    server = serve(clock=hands)
    ann, phone = with_device(server, "ann")
    befriend(ann, ben := server.visitor("ben"))
    assert [one["on"] for one in choose(ann)["occasions"]] == [True] * 5
    titles = {one: title for one, (_, title) in notices.OCCASIONS.items()}

    def happen() -> str:
        if occasion == "message":
            ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
            return ben.handle
        if occasion == "challenge":
            table = ben.open("me", "open", clock=DAYS)["id"]
            assert ben.http.post("/api/challenges", json={"handle": ann.handle, "table": table}).status_code == 201
            return f"SanQi · {ben.handle}"
        if occasion == "tournament":
            wish = {"game": "sanqi", "options": {"side": 4}, "clock": {"kind": "fischer", "minutes": 5, "increment": 3}}
            made = ben.http.post("/api/tournaments", json={"name": "Cup", "form": "round-robin", **wish}).json()["id"]
            for person in (ann, ben):
                assert person.http.post(f"/api/tournaments/{made}/join", json={}).status_code == 200
            assert ben.http.post(f"/api/tournaments/{made}/begin", json={}).status_code == 200
            return "Cup"
        table = game(ben, ann)
        play(ben, table, 0, "Rd4")
        if occasion == "clock":
            settled(server)
            service.taken.clear()
            hands.now += 2 * DAY + 1000
            until(lambda: rows(server, "SELECT reminded FROM tables WHERE reminded IS NOT NULL"))
        return f"SanQi · {ben.handle}"

    body = happen()
    settled(server)
    told = [phone.read(one[2]) for one in service.taken]
    assert [(one["title"], one["body"]) for one in told] == [(titles[occasion], body)]
    service.taken.clear()
    assert [one["id"] for one in choose(ann, occasions={occasion: False})["occasions"] if not one["on"]] == [occasion]
    rows(server, "UPDATE tables SET reminded = NULL")
    happen()
    settled(server)
    assert service.taken == []


REMINDED = "SELECT id FROM tables WHERE reminded = deadline"


def test_a_day_left_is_told_once_and_lost_by_no_kill(
    serve: Serve, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminders, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(notices, "RETRY_SECONDS", (600.0,))
    hands = Hands()
    server = serve(clock=hands)
    ann, phone = with_device(server, "ann")
    choose(ann, occasions={"turn": False})
    ben = server.visitor("ben")
    table, short = game(ben, ann), game(ben, ann, days=1)
    for one in (table, short):
        play(ben, one, 0, "Rd4")
    until(lambda: rows(server, REMINDED) == [(short,)], what="a turn of one day begins with less than a day left")

    service.answers += [503]
    hands.now += 2 * DAY + 1000
    until(lambda: len(service.taken) == 1)
    server.stop()  # while it waits to be tried again
    monkeypatch.setattr(notices, "DELAY_SECONDS", 600.0)
    server.start()
    until(lambda: server.app.state.services.notices._pending)
    server.stop()  # before it is tried
    monkeypatch.setattr(notices, "DELAY_SECONDS", 0.05)
    server.start()
    told = service.notice(1, phone)
    assert (told["title"], told["path"]) == ("Less than a day left for your turn", f"/t/{table}")
    until(lambda: (table,) in rows(server, REMINDED))
    rows(server, "UPDATE tables SET reminded = deadline - 60000")  # a minute was given back since then
    looks, once = list[Reminders](), Reminders.once

    def noted(self: Reminders) -> Any:
        looks.append(self)
        return once(self)

    monkeypatch.setattr(Reminders, "once", noted)
    server.restart()
    until(lambda: len(looks) > 3)
    settled(server)
    assert len(service.taken) == 2


def test_a_day_left_is_not_told_after_the_turn(
    serve: Serve, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminders, "LOOK_SECONDS", 0.05)
    hands = Hands()
    server = serve(clock=hands)
    ann, _ = with_device(server, "ann")
    choose(ann, occasions={"turn": False})
    ben = server.visitor("ben")
    table = game(ben, ann)
    play(ben, table, 0, "Rd4")
    wire = ann.wire(table)
    hands.now += 2 * DAY + 1000
    time.sleep(0.5)  # a few looks, while she is there
    assert (service.taken, rows(server, REMINDED)) == ([], [])
    assert wire.act(1, "Yc4")["type"] == "ack"
    wire.close()
    left(server)
    time.sleep(0.3)  # and a few afterwards
    settled(server)
    assert service.taken == []


def test_a_player_on_vacation_is_told_of_no_turn(
    serve: Serve, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor of a day left, before it has come; then of that, though the turn began during the vacation."""
    monkeypatch.setattr(reminders, "LOOK_SECONDS", 0.05)
    hands = Hands()
    server = serve(clock=hands)
    ann, phone = with_device(server, "ann")
    ben = server.visitor("ben")
    table = game(ben, ann)
    assert ann.http.post("/api/me/vacation", json={"days": 5}).status_code == 200
    until(lambda: any(ben.http.get(f"/api/tables/{table}").json()["state"]["clock"]["away"]))
    play(ben, table, 0, "Rd4")
    settled(server)
    hands.now += 4 * DAY
    time.sleep(0.3)  # a few looks
    assert (service.taken, rows(server, REMINDED)) == ([], [])
    hands.now += 3 * DAY + 1000
    assert service.notice(0, phone)["title"] == "Less than a day left for your turn"


def test_a_player_on_vacation_is_told_of_no_turn_at_a_table_without_a_clock(serve: Serve, service: PushService) -> None:
    server = serve()
    ann, phone = with_device(server, "ann")
    ben = server.visitor("ben")
    table = ben.open("me", "open")["id"]
    ann.sit(table, 1)
    assert ann.http.post("/api/me/vacation", json={"days": 5}).status_code == 200
    play(ben, table, 0, "Rd4")
    settled(server)
    assert service.taken == []
    assert ann.http.post("/api/me/vacation", json={"days": 0}).status_code == 200
    play(ann, table, 1, "Yc4")
    play(ben, table, 2, "Re4")
    assert service.notice(0, phone)["path"] == f"/t/{table}"


def test_a_notice_that_waits_for_another_is_sent_only_if_it_is_still_true(
    serve: Serve, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    ann, _ = with_device(server, "ann")
    befriend(ann, ben := server.visitor("ben"))
    sending, goes_on = threading.Event(), threading.Event()
    send = push.WebPush._send

    def slow(self: push.WebPush, device: push.PushDevice, text: str, topic: str) -> int:
        sending.set()
        goes_on.wait(20)
        return send(self, device, text, topic)

    monkeypatch.setattr(push.WebPush, "_send", slow)
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    assert sending.wait(20)
    table = game(ann, ben)
    known = server.app.state.services.notices
    until(lambda: (ann_id(known), f"/t/{table}") in known._pending)
    time.sleep(0.3)  # it waits for the message
    play(ann, table, 0, "Rd4")
    goes_on.set()
    settled(server)
    assert [path for path, _, _ in service.taken] == [f"/{ann.handle}"]


def ann_id(known: notices.Notices) -> str:
    """The one person who wants notices."""
    (person,) = known.reachable
    return person


PRIVATE = (
    "http://push.example.org/x",
    "https://localhost/x",
    "https://127.0.0.1/x",
    "https://2130706433/x",
    "https://0x7f.1/x",
    "https://0.0.0.0/x",
    "https://10.1.2.3/x",
    "https://172.16.0.1/x",
    "https://192.168.1.1/x",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/x",
    "https://198.18.0.1/x",
    "https://224.0.0.1/x",
    "https://255.255.255.255/x",
    "https://[::1]/x",
    "https://[::]/x",
    "https://[fe80::1]/x",
    "https://[fc00::1]/x",
    "https://[fec0::1]/x",
    "https://[ff02::1]/x",
    "https://[::ffff:127.0.0.1]/x",
    "https://[::ffff:10.0.0.1]/x",
    "https://[2002:7f00:1::]/x",
    "https://[64:ff9b::7f00:1]/x",
    "https://[64:ff9b::a9fe:a9fe]/x",
    "https://127.1/x",
    "https://0177.0.0.1/x",
    "https://017700000001/x",
    "https://0x7f000001/x",
    "https://0/x",
    "https://LOCALHOST./x",
    "https://3232235777/x",
    "https://0300.0250.0.1/x",
    "https://192.0.2.1/x",
    "https://240.0.0.1/x",
    "https://[::ffff:7f00:1]/x",
    "https://[::ffff:a9fe:a9fe]/x",
    "https://[::127.0.0.1]/x",
    "https://[0:0:0:0:0:0:0:1]/x",
    "https://[fe80::1%25eth0]/x",
    "https://[fe80::1%eth0]/x",
    "https://[64:ff9b:1::a00:1]/x",
    "https://[2001:0:7f00:1::]/x",
    "https://[2001:db8::1]/x",
    "https://[100::1]/x",
    "https://\u2460\u2461\u2466.0.0.1/x",
    "https://127\u30020\u30020\u30021/x",
    "https://9.9.9.9\\@127.0.0.1/x",
    "https://9.9.9.9#@127.0.0.1/x ",
    "https://9.9.9.9:8443/x",
    "https://user:secret@9.9.9.9/x",
    "https://9.9.9.9/x y",
    "https://9.9.9.9/\r\nHost: x",
    "https://9.9.9.9:99999/x",
    "https://[9.9.9.9/x",
    "https:///x",
    "ftp://9.9.9.9/x",
    "https://no-such-host.invalid/x",
    "",
)


@pytest.mark.parametrize("endpoint", PRIVATE)
def test_addresses_of_no_push_service_are_refused(server: Serving, endpoint: str) -> None:
    keys = Receiver("x").data
    device = push.PushDevice(endpoint, keys["p256dh"], keys["auth"])
    with pytest.raises(push.EndpointError):
        push.check(device)


def test_a_device_is_refused_for_its_address_or_keys(server: Serving) -> None:
    ann = server.visitor("ann")
    good = Receiver("x", "9.9.9.9").data
    wrong = (
        {"endpoint": "https://192.168.1.1/x"},
        {"endpoint": "https://9.9.9.9/" + "x" * 1000},
        {"p256dh": "AAAA"},
        {"p256dh": "B" + "A" * 86},
        {"p256dh": "ü"},
        {"auth": "AAAA"},
        {"auth": "="},
        {"auth": "AAAAAAAAAAAAAAAAAAAAA*"},
    )
    for part in wrong:
        answer = ann.http.post("/api/me/notices/device", json={**good, **part})
        assert (answer.status_code, code(answer)) == (400, "bad-message"), part
    assert code(server.visitor().http.post("/api/me/notices/device", json=good)) == "not-signed-in"
    assert code(server.visitor().http.get("/api/me/notices")) == "not-signed-in"
    assert code(ann.http.post("/api/me/notices", json={"occasions": {"weather": True}})) == "bad-message"
    assert code(ann.http.post("/api/me/notices", json={"mail": True})) == "not-possible"
    for token in ("x-y", "", "-", "ü" * 100):
        assert server.visitor().http.post("/api/notices/stop", json={"token": token}).status_code == 404


def test_a_host_that_moves_into_the_network_is_not_written_to(
    serve: Serve, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push, "public_addresses", PUBLIC)
    monkeypatch.setattr(push, "resolve", lambda _: ["9.9.9.9"])
    server = serve()
    ann, _ = with_device(server, "ann")
    befriend(ann, ben := server.visitor("ben"))
    monkeypatch.setattr(push, "resolve", lambda _: ["9.9.9.9", "127.0.0.1"])
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    settled(server)
    assert (service.taken, rows(server, "SELECT * FROM notice_devices")) == ([], [])


@pytest.mark.parametrize("inside", ["10.0.0.1", "::1", "fd00::1", "::ffff:192.168.0.1", "2002:a00:1::"])
def test_a_name_that_leads_inside_is_refused(server: Serving, inside: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though it has an address outside, too."""
    monkeypatch.setattr(push, "resolve", lambda _: ["9.9.9.9", inside])
    answer = server.visitor("ann").http.post("/api/me/notices/device", json=Receiver("x", "rebinding.example").data)
    assert (answer.status_code, code(answer)) == (400, "bad-message")


def test_a_name_is_resolved_once_and_what_was_checked_is_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name whose address changes between the check and the connection leads nowhere else."""
    answers, reached = [["9.9.9.9"], ["127.0.0.1"]], list[str]()

    async def connect(address: str, *_: Any, **__: Any) -> Any:
        reached.append(address)
        raise OSError

    monkeypatch.setattr(push, "resolve", lambda _: answers.pop(0))
    monkeypatch.setattr(asyncio, "open_connection", connect)
    device = push.PushDevice(*Receiver("x", "rebinding.example").data.values())
    secret, key = push._new_keys().split()
    sender = push.WebPush(secret, key, "mailto:operator@example.org")
    assert sender._send(device, "text", "topic") == 0
    assert (reached, answers) == (["9.9.9.9"], [["127.0.0.1"]])
    with pytest.raises(push.EndpointError):
        sender._send(device, "text", "topic")
    assert reached == ["9.9.9.9"]


async def test_a_name_server_that_does_not_answer_holds_up_no_other_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    """It could hold all threads, one for each device with such a name."""
    ends, look_up = threading.Event(), socket.getaddrinfo

    def slow(host: str, *how: Any, **more: Any) -> Any:
        if host == "slow.example":
            ends.wait(20)
        return look_up("9.9.9.9", *how, **more)

    async def post(addresses: list[str], *_: Any) -> int:
        return 201 if addresses else 0

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    monkeypatch.setattr(push, "_post", post)
    monkeypatch.setattr(push, "RESOLVE_SECONDS", 0.2)  # the passing of time is what is tested
    secret, key = push._new_keys().split()
    sender = push.WebPush(secret, key, "mailto:operator@example.org")
    hosts = [*push.THREADS * ["slow.example"], "push.example.org"]
    devices = [push.PushDevice(*Receiver("x", host).data.values()) for host in hosts]
    found = await asyncio.wait_for(asyncio.gather(*(sender.send(one, "text", "topic") for one in devices)), 10)
    assert found == [*push.THREADS * [0], 201]
    with pytest.raises(push.EndpointError):
        await sender.check(devices[0])
    ends.set()
    sender.close()


@pytest.mark.parametrize("answer", [302, 307, 400])
def test_redirects_are_not_followed(serve: Serve, service: PushService, answer: int) -> None:
    server = serve()
    ann, _ = with_device(server, "ann")
    befriend(ann, ben := server.visitor("ben"))
    service.answers += [answer]
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    settled(server)
    assert [path for path, _, _ in service.taken] == [f"/{ann.handle}"]


class Dripping(threading.Thread):
    """A service that takes a request and answers without an end: a byte now and then, or many at once."""

    def __init__(self, piece: bytes) -> None:
        super().__init__(daemon=True)
        self.piece = piece
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.start()

    def run(self) -> None:
        connection, _ = self.listener.accept()
        with contextlib.suppress(OSError), connection:
            while True:
                connection.sendall(self.piece)
                if len(self.piece) == 1:
                    time.sleep(0.05)  # a slow line


@pytest.mark.parametrize("piece", [b"x", b"x" * 65_536])
def test_an_answer_without_an_end_is_not_waited_for(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    dripping = Dripping(piece)
    monkeypatch.setattr(push, "PORT", dripping.listener.getsockname()[1])
    monkeypatch.setattr(push, "POST_SECONDS", 1.0)
    connect = asyncio.open_connection

    async def unencrypted(host: str, port: int, *, limit: int, **_: Any) -> Any:
        return await connect(host, port, limit=limit)

    monkeypatch.setattr(asyncio, "open_connection", unencrypted)
    target = urlsplit("https://9.9.9.9/x")
    with pytest.raises(TimeoutError if len(piece) == 1 else ValueError):
        asyncio.run(push._post(["127.0.0.1"], target, {}, b"body"))
    dripping.listener.close()
    dripping.join(10)


def test_a_device_ends_with_its_session_and_its_account(serve: Serve, service: PushService) -> None:
    server = serve()
    ann, _ = with_device(server, "ann")
    choose(ann, occasions={"turn": False})
    befriend(ann, ben := server.visitor("ben"))
    exported = ann.http.get("/api/me/export").json()
    assert [one["endpoint"] for one in exported["noticeDevices"]] == [f"https://push.example.org/{ann.handle}"]
    assert exported["noticeSettings"] == [{"off": "turn", "mail": False, "language": "en"}]
    again = server.visitor()
    again.http.post("/api/session", json={"handle": ann.handle, "password": PASSWORD})
    assert again.http.get("/api/me/notices").json()["device"] is False, "another browser"
    assert again.http.delete("/api/sessions").status_code == 200
    assert rows(server, "SELECT * FROM notice_devices") == []
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    settled(server)
    assert service.taken == []

    other = Receiver("other")
    assert again.http.post("/api/me/notices/device", json=other.data).json()["device"] is True
    assert again.http.delete("/api/me/notices/device").json()["device"] is False
    again.http.post("/api/me/notices/device", json=other.data)
    cara = server.visitor("cara")
    assert cara.http.post("/api/me/notices/device", json=other.data).json()["device"] is True
    assert again.http.get("/api/me/notices").json()["device"] is False, "a browser is one person's"
    again.http.post("/api/me/notices/device", json=Receiver("third").data)
    assert again.http.request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    assert len(rows(server, "SELECT * FROM notice_devices")) == 1
    assert rows(server, "SELECT * FROM notice_settings") == []


def test_the_keys_of_a_server_stay_and_devices_are_few(serve: Serve, service: PushService) -> None:
    server = serve()
    ann, _ = with_device(server, "ann")
    key = ann.http.get("/api/me/notices").json()["key"]
    assert len(base64.urlsafe_b64decode(key + "=")) == 65
    server.restart()
    other = server.another()
    for one in (server, other):
        assert one.app.state.services.notices.push.key == key
    other.stop()
    for number in range(12):
        browser = server.visitor()
        browser.http.post("/api/session", json={"handle": ann.handle, "password": PASSWORD})
        answer = browser.http.post("/api/me/notices/device", json=Receiver(f"ann{number}").data)
        assert answer.status_code == (200 if number < 9 else 429)


def test_without_the_library_devices_are_not_offered(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    ann = serve().visitor("ann")
    assert ann.http.get("/api/me/notices").json()["key"] is None
    answer = ann.http.post("/api/me/notices/device", json=Receiver("x").data)
    assert code(answer) == "not-possible"
    assert errors.extra_of("pywebpush") == "notices"


@pytest.mark.parametrize("bound", ["MAX_PENDING", "MAX_PENDING_EACH", "MAX_PER_HOUR"])
def test_notices_are_bounded(serve: Serve, service: PushService, monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    monkeypatch.setattr(notices, bound, 1)
    monkeypatch.setattr(notices, "DELAY_SECONDS", 1.0)
    server = serve()
    ann, phone = with_device(server, "ann")
    ben, cara = server.visitor("ben"), server.visitor("cara")
    for other in (ben, cara):
        befriend(ann, other)
        other.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    settled(server)
    assert [phone.read(one[2])["body"] for one in service.taken] == [ben.handle]


def linked(letter: Any, what: str) -> str:
    found = re.search(rf"https://games\.example\.org/account#{what}=([\w-]{{1,100}})\s", letter.get_content())
    assert found is not None
    return found[1]


def test_notices_come_by_mail_to_a_confirmed_address(
    serve: Serve, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailbox = Mailbox()
    monkeypatch.setenv("TERCET_SMTP", mailbox.url)
    monkeypatch.setenv("TERCET_MAIL_FROM", "tercet@example.org")
    monkeypatch.setenv("TERCET_SITE", "https://games.example.org/")
    server = serve()
    ann, ben = server.visitor("ann"), server.visitor("ben")
    ann.http.headers["accept-language"] = "de"
    befriend(ann, ben)
    assert (said := ann.http.get("/api/me/notices").json())["mail"] is True
    assert (said["email"], said["byMail"]) == (None, False)
    ann.http.post("/api/me/recovery/email", json={"email": "ann@example.net", "password": PASSWORD})
    assert code(ann.http.post("/api/me/notices", json={"mail": True})) == "not-possible", "it is not confirmed"
    ann.http.post("/api/recovery/confirm", json={"token": linked(mailbox.letter(0), "confirm")})
    said = choose(ann, mail=True)
    assert (said["email"], said["byMail"], said["device"]) == ("ann@example.net", True, False)

    table = game(ben, ann)
    play(ben, table, 0, "Rd4")
    letter = mailbox.letter(1)
    assert (letter["To"], letter["Subject"]) == ("ann@example.net", "Du bist am Zug")
    text = letter.get_content().replace("\r\n", "\n")
    assert text.startswith(f"SanQi · {ben.handle}\n\nhttps://games.example.org/t/{table}\n\nDu bekommst")
    token = linked(letter, "stop")
    assert letter["List-Unsubscribe"] == f"<https://games.example.org/account#stop={token}>"
    guest = server.visitor()
    assert guest.http.post("/api/notices/stop", json={"token": token[:-1] + "x"}).status_code == 404
    assert guest.http.post("/api/notices/stop", json={"token": token}).status_code == 200
    assert guest.http.post("/api/notices/stop", json={"token": token}).status_code == 200
    assert ann.http.get("/api/me/notices").json()["byMail"] is False
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    choose(ann, mail=True)
    ann.http.post("/api/me/recovery/email", json={"email": "", "password": PASSWORD})
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    settled(server)
    assert len(mailbox.letters) == 2
    mailbox.close()


@pytest.mark.online
def test_who_is_connected_to_another_process_gets_no_notice(
    serve: Serve, service: PushService, database: str, redis: Any
) -> None:
    here, there = (serve(database=database, redis=redis.url) for _ in range(2))
    ann, phone = with_device(here, "ann")
    befriend(ann, ben := here.visitor("ben"))
    until(lambda: there.app.state.services.notices.reachable)
    wire = followed(there, ann, "/api/me/live")
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    settled(here)
    assert service.taken == []
    wire.close()
    left(there)
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    assert service.notice(0, phone)["body"] == ben.handle
