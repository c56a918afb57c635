"""Notices while the page is closed: who is told, once, and that they are encrypted for one device."""

import asyncio
import base64
import contextlib
import importlib.util
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock
from urllib.parse import urlsplit

import pytest

from tercet import errors
from tercet.server.errors import Unreachable
from tercet.server.people import notices, push
from tercet.server.tables import reminders
from tercet.server.tables.reminders import Reminders
from tests.server.conftest import PASSWORD, Hands, Serve, Serving, Visitor, code, state_of
from tests.server.people.browser import listen, rows
from tests.server.people.conftest import linked
from tests.support.division import online_but
from tests.support.mailbox import Mailbox
from tests.support.push_service import PushService, Receiver, http_ece
from tests.support.refusals import refuses
from tests.support.waiting import until

DAY = 86_400_000
PUBLIC = push.public_addresses
DAYS = {"kind": "correspondence", "days": 3}


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PushService]:
    """A push service, in a world in which no notice waits long."""
    monkeypatch.setattr(notices, "DELAY_SECONDS", 0.05)
    monkeypatch.setattr(notices, "RETRY_SECONDS", (0.1, 0.1))
    monkeypatch.setattr(reminders, "LOOK_SECONDS", 0.05)
    made = PushService(tmp_path, monkeypatch)
    yield made
    made.close()


class Scene:
    """A server with Ann, whose phone shows notices, and her friend Ben, whose browser does not."""

    def __init__(self, server: Serving, service: PushService, hands: Hands) -> None:
        self.server, self.service, self.hands = server, service, hands
        self.ann, self.ben = server.visitor("ann"), server.visitor("ben")
        self.phone = device_of(self.ann)
        befriend(self.ann, self.ben)

    def write(self, text: str = "hello") -> None:
        """Ben writes to Ann."""
        assert self.ben.http.post(f"/api/messages/{self.ann.handle}", json={"text": text}).status_code == 201

    def told(self, count: int = 0) -> list[Any]:
        """Wait until no notice is pending; what the push service has taken, of which so many there must be."""
        until(lambda: not self.server.app.state.services.notices._pending)
        assert len(self.service.taken) == count
        return self.service.taken

    def rows(self, query: str) -> list[Any]:
        return rows(self.server, query)


@pytest.fixture
def scene(serve: Serve, service: PushService) -> Scene:
    hands = Hands()
    return Scene(serve(clock=hands), service, hands)


def device_of(person: Visitor, **headers: str) -> Receiver:
    """Have a person's browser show notices."""
    receiver = Receiver(person.handle)
    person.http.headers.update(headers)
    assert person.http.post("/api/me/notices/device", json=receiver.data).json()["device"] is True
    return receiver


def again_as(person: Visitor) -> Visitor:
    """Another browser in which a person has signed in."""
    browser = person.server.visitor()
    browser.http.post("/api/session", json={"handle": person.handle, "password": PASSWORD})
    return browser


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


def test_a_turn_is_told_once_and_to_one_device(scene: Scene) -> None:
    ann, ben = scene.ann, scene.ben
    phone = device_of(ben, **{"accept-language": "de"})
    table = game(ben, ann)
    told = {"title": "Du bist am Zug", "body": f"SanQi · {ann.handle}", "path": f"/t/{table}"}
    assert scene.service.notice(0, phone) == told
    refuses(http_ece.ECEException, None, scene.phone.read, scene.told(1)[0][2])
    wire = ben.wire(table)
    wire.act(0, "Rd4")
    wire.ask(type="offer", what="draw")  # which is no turn
    wire.close()
    assert scene.service.notice(1, scene.phone)["body"] == f"SanQi · {ben.handle}"
    headers = [headers for _, headers, _ in scene.told(2)]
    assert len({one["Topic"] for one in headers}) == 1, "a later notice takes the place of the one before"
    assert all(0 < len(one["Topic"]) <= 32 and int(one["TTL"]) > 0 for one in headers)


def test_no_notice_is_sent_to_who_is_connected(scene: Scene) -> None:
    server, ann, ben = scene.server, scene.ann, scene.ben
    table = game(ben, ann)
    for path in ("/api/me/live", f"/api/tables/{table}/live", "/api/lobby/live"):
        wire = listen(server, path, ann.http)
        wire.hear()
        scene.write()
        if path == "/api/lobby/live":
            play(ben, table, 0, "Rd4")
        scene.told()
        wire.close()
        left(server)
    scene.write("are you there?")
    told = scene.service.notice(0, scene.phone)
    assert told == {"title": "New message", "body": ben.handle, "path": f"/@{ben.handle}"}, "without what it says"


def test_what_is_no_longer_true_is_not_tried_again(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "RETRY_SECONDS", (1.5, 0.1))
    scene.service.answers += [503]
    table = game(scene.ann, scene.ben)
    until(lambda: len(scene.service.taken) == 1)
    play(scene.ann, table, 0, "Rd4")
    scene.told(1)

    scene.service.answers += [500, 429, 201]
    monkeypatch.setattr(notices, "RETRY_SECONDS", (0.1, 0.1, 0.1))
    play(scene.ben, table, 1, "Yc4")
    assert scene.told(4), "tried again until it is taken"


def test_a_notice_is_tried_again_after_the_database_has_answered_nothing_and_given_up_in_the_end(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wishes, failures = notices.Notices.wishes, [Unreachable(), Unreachable()]

    async def failing(self: notices.Notices, person: str) -> notices.Wishes:
        if failures:
            raise failures.pop()
        return await wishes(self, person)

    monkeypatch.setattr(notices.Notices, "wishes", failing)
    scene.write()
    assert scene.service.notice(0, scene.phone)["body"] == scene.ben.handle
    assert "given up" not in caplog.text
    failures += [Unreachable() for _ in range(3)]
    scene.write()
    assert (len(scene.told(1)), failures) == (1, [])
    assert "a notice was given up after 3 tries" in caplog.text


def test_the_first_turn_of_a_game_that_is_opened_for_two_is_a_turn(scene: Scene) -> None:
    """Of a rematch, and of a game of a tournament."""
    table = game(scene.ben, scene.ann)
    play(scene.ben, table, 0, "Rd4")
    scene.told(1)
    wires = [person.wire(table) for person in (scene.ann, scene.ben)]
    for what in ("resign", "rematch"):
        wires[0].done(type=what)
    wires[0].close()
    until(lambda: scene.server.app.state.services.people._here.total() == 1)
    wires[1].done(type="answer", what="rematch", yes=True)
    assert scene.service.notice(1, scene.phone)["path"] not in ("", f"/t/{table}")


def test_only_slow_games_between_people_tell_of_turns(scene: Scene) -> None:
    scene.ben.sit(scene.ann.open("me", "open", clock={"kind": "fischer", "minutes": 5, "increment": 3})["id"], 1)
    scene.ann.open("me", {"kind": "engine", "level": 1})
    scene.told()
    scene.ben.sit(scene.ann.open("me", "open")["id"], 1)
    assert scene.told(1), "a game without a clock is slow, too"


@pytest.mark.parametrize("status", [302, 307, 400, 404, 410])
def test_a_subscription_that_is_gone_is_deleted_and_redirects_are_not_followed(scene: Scene, status: int) -> None:
    scene.service.answers += [status]
    scene.write()
    assert [path for path, _, _ in scene.told(1)] == [f"/{scene.ann.handle}"]
    if status in (404, 410):
        assert scene.rows("SELECT * FROM notice_devices") == []
        assert scene.ann.http.get("/api/me/notices").json()["device"] is False
        assert scene.server.app.state.services.notices.reachable == set()


@pytest.mark.parametrize("occasion", online_but(lambda occasion: occasion == "turn", notices.OCCASIONS))
def test_each_occasion_is_told_unless_it_is_switched_off(scene: Scene, occasion: str) -> None:
    ann, ben = scene.ann, scene.ben
    assert [one["on"] for one in choose(ann)["occasions"]] == [True] * 5
    titles = {one: title for one, (_, title) in notices.OCCASIONS.items()}

    def happen() -> str:
        if occasion == "message":
            scene.write()
            return ben.handle
        if occasion == "challenge":
            table = ben.open("me", "open", clock=DAYS)["id"]
            assert ben.http.post("/api/challenges", json={"handle": ann.handle, "table": table}).status_code == 201
            return f"SanQi · {ben.handle}"
        if occasion == "tournament":
            wish = {"game": "sanqi", "options": {"side": 4}, "clock": {"kind": "fischer", "minutes": 5, "increment": 3}}
            made = ben.http.post("/api/tournaments", json={"name": "Cup", "form": "round-robin", **wish}).json()["id"]
            for person, step in ((ann, "join"), (ben, "join"), (ben, "begin")):
                assert person.http.post(f"/api/tournaments/{made}/{step}", json={}).status_code == 200
            return "Cup"
        table = game(ben, ann)
        play(ben, table, 0, "Rd4")
        if occasion == "clock":
            until(lambda: not scene.server.app.state.services.notices._pending)
            scene.service.taken.clear()
            scene.hands.now += 2 * DAY + 1000
            until(lambda: scene.rows("SELECT reminded FROM tables WHERE reminded IS NOT NULL"))
        return f"SanQi · {ben.handle}"

    body = happen()
    told = scene.phone.read(scene.told(1)[0][2])
    assert (told["title"], told["body"]) == (titles[occasion], body)
    scene.service.taken.clear()
    assert [one["id"] for one in choose(ann, occasions={occasion: False})["occasions"] if not one["on"]] == [occasion]
    scene.rows("UPDATE tables SET reminded = NULL")
    happen()
    scene.told()


REMINDED = "SELECT id FROM tables WHERE reminded = deadline"


def test_a_day_left_is_told_once_and_lost_by_no_kill(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "RETRY_SECONDS", (600.0,))
    server, ann, ben = scene.server, scene.ann, scene.ben
    choose(ann, occasions={"turn": False})
    table, short = game(ben, ann), game(ben, ann, days=1)
    for one in (table, short):
        play(ben, one, 0, "Rd4")
    until(lambda: scene.rows(REMINDED) == [(short,)], what="a turn of one day begins with less than a day left")

    scene.service.answers += [503]
    scene.hands.now += 2 * DAY + 1000
    until(lambda: len(scene.service.taken) == 1)
    server.stop()  # while it waits to be tried again
    monkeypatch.setattr(notices, "DELAY_SECONDS", 600.0)
    server.start()
    until(lambda: server.app.state.services.notices._pending)
    server.stop()  # before it is tried
    monkeypatch.setattr(notices, "DELAY_SECONDS", 0.05)
    server.start()
    told = scene.service.notice(1, scene.phone)
    assert (told["title"], told["path"]) == ("Less than a day left for your turn", f"/t/{table}")
    until(lambda: (table,) in scene.rows(REMINDED))
    scene.rows("UPDATE tables SET reminded = deadline - 60000")  # a minute was given back since then
    looks, once = list[Reminders](), Reminders.once

    def noted(self: Reminders) -> Any:
        looks.append(self)
        return once(self)

    monkeypatch.setattr(Reminders, "once", noted)
    server.restart()
    until(lambda: len(looks) > 3)
    scene.told(2)


def test_a_day_left_is_not_told_after_the_turn(scene: Scene) -> None:
    choose(scene.ann, occasions={"turn": False})
    table = game(scene.ben, scene.ann)
    play(scene.ben, table, 0, "Rd4")
    wire = scene.ann.wire(table)
    scene.hands.now += 2 * DAY + 1000
    time.sleep(0.5)  # a few looks, while she is there
    assert (scene.service.taken, scene.rows(REMINDED)) == ([], [])
    assert wire.act(1, "Yc4")["type"] == "ack"
    wire.close()
    left(scene.server)
    time.sleep(0.3)  # and a few afterwards
    scene.told()


def test_a_player_on_vacation_is_told_of_no_turn(scene: Scene) -> None:
    """Nor of a day left, before it has come; then of that, though the turn began during the vacation."""
    table, without_clock = game(scene.ben, scene.ann), scene.ben.open("me", "open")["id"]
    scene.ann.sit(without_clock, 1)
    assert scene.ann.http.post("/api/me/vacation", json={"days": 5}).status_code == 200
    until(lambda: any(state_of(scene.server, table)["clock"]["away"]))
    for one in (table, without_clock):
        play(scene.ben, one, 0, "Rd4")
    scene.told()
    scene.hands.now += 4 * DAY
    time.sleep(0.3)  # a few looks
    assert (scene.told(), scene.rows(REMINDED)) == ([], [])
    scene.hands.now += 3 * DAY + 1000
    assert scene.service.notice(0, scene.phone)["title"] == "Less than a day left for your turn"
    assert scene.ann.http.post("/api/me/vacation", json={"days": 0}).status_code == 200
    play(scene.ann, without_clock, 1, "Yc4")
    play(scene.ben, without_clock, 2, "Re4")
    assert scene.service.notice(1, scene.phone)["path"] == f"/t/{without_clock}"


def test_a_notice_that_waits_is_sent_only_if_it_is_still_true(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    sending, goes_on = threading.Event(), threading.Event()
    send = push.WebPush._send

    def slow(self: push.WebPush, device: push.PushDevice, text: str, topic: str) -> int:
        sending.set()
        goes_on.wait(20)
        return send(self, device, text, topic)

    monkeypatch.setattr(push.WebPush, "_send", slow)
    scene.write()
    assert sending.wait(20)
    table = game(scene.ann, scene.ben)
    known = scene.server.app.state.services.notices
    (person,) = known.reachable
    until(lambda: (person, f"/t/{table}") in known._pending)
    time.sleep(0.3)  # it waits for the message
    play(scene.ann, table, 0, "Rd4")
    goes_on.set()
    assert [path for path, _, _ in scene.told(1)] == [f"/{scene.ann.handle}"]


# Hosts of no push service: this machine, networks inside, and other ways to write them.
INSIDE = r"""
localhost 127.0.0.1 2130706433 0x7f.1 0.0.0.0 10.1.2.3 172.16.0.1 192.168.1.1 100.64.0.1 198.18.0.1
224.0.0.1 255.255.255.255 127.1 0177.0.0.1 017700000001 0x7f000001 0 LOCALHOST. 3232235777 0300.0250.0.1 192.0.2.1
240.0.0.1 [::1] [::] [fe80::1] [fc00::1] [fec0::1] [ff02::1] [::ffff:127.0.0.1] [::ffff:10.0.0.1] [2002:7f00:1::]
[64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [::ffff:7f00:1] [::ffff:a9fe:a9fe] [::127.0.0.1] [0:0:0:0:0:0:0:1]
[fe80::1%25eth0] [fe80::1%eth0] [64:ff9b:1::a00:1] [2001:0:7f00:1::] [2001:db8::1] [100::1] no-such-host.invalid
9.9.9.9\@127.0.0.1 9.9.9.9:8443 user:secret@9.9.9.9 9.9.9.9:99999 [9.9.9.9
"""
PRIVATE = (
    *(f"https://{host}/x" for host in INSIDE.split()),
    *("https://\u2460\u2461\u2466.0.0.1/x", "https://127\u30020\u30020\u30021/x", "https://9.9.9.9#@127.0.0.1/x "),
    *("https://9.9.9.9/x y", "https://9.9.9.9/\r\nHost: x", "https://169.254.169.254/latest/meta-data"),
    *("http://push.example.org/x", "ftp://9.9.9.9/x", "https:///x", ""),
)


@pytest.mark.parametrize("endpoint", PRIVATE)
def test_addresses_of_no_push_service_are_refused(endpoint: str) -> None:
    refuses(push.EndpointError, None, push.check, push.PushDevice(**{**Receiver("x").data, "endpoint": endpoint}))


def test_a_device_is_refused_for_its_address_or_keys(server: Serving) -> None:
    ann = server.visitor("ann")
    good = Receiver("x", "9.9.9.9").data
    wrong = {
        "endpoint": ["https://192.168.1.1/x", "https://9.9.9.9/" + "x" * 1000],
        "p256dh": ["AAAA", "B" + "A" * 86, "ü"],
        "auth": ["AAAA", "=", "AAAAAAAAAAAAAAAAAAAAA*"],
    }
    for change in ({field: value} for field, values in wrong.items() for value in values):
        answer = ann.http.post("/api/me/notices/device", json={**good, **change})
        assert (answer.status_code, code(answer)) == (400, "bad-message"), change
    assert code(server.visitor().http.post("/api/me/notices/device", json=good)) == "not-signed-in"
    assert code(server.visitor().http.get("/api/me/notices")) == "not-signed-in"
    assert code(ann.http.post("/api/me/notices", json={"occasions": {"weather": True}})) == "bad-message"
    assert code(ann.http.post("/api/me/notices", json={"mail": True})) == "not-possible"
    for token in ("x-y", "", "-", "ü" * 100):
        assert server.visitor().http.post("/api/notices/stop", json={"token": token}).status_code == 404


def test_a_host_that_moves_into_the_network_is_not_written_to(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "public_addresses", PUBLIC)
    monkeypatch.setattr(push, "resolve", lambda _: ["9.9.9.9"])
    device_of(scene.ann)
    monkeypatch.setattr(push, "resolve", lambda _: ["9.9.9.9", "127.0.0.1"])
    scene.write()
    assert (scene.told(), scene.rows("SELECT * FROM notice_devices")) == ([], [])


def test_a_name_that_leads_inside_is_refused(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though it has an address outside, too."""
    ann, device = server.visitor("ann"), Receiver("x", "rebinding.example").data
    for inside in ("10.0.0.1", "::1", "fd00::1", "::ffff:192.168.0.1", "2002:a00:1::"):
        monkeypatch.setattr(push, "resolve", lambda _, inside=inside: ["9.9.9.9", inside])
        assert code(ann.http.post("/api/me/notices/device", json=device)) == "bad-message", inside


def sender() -> push.WebPush:
    secret, key = push._new_keys().split()
    return push.WebPush(secret, key, "mailto:operator@example.org")


def test_a_name_is_resolved_once_and_what_was_checked_is_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name whose address changes between the check and the connection leads nowhere else."""
    connect = AsyncMock(side_effect=OSError)
    monkeypatch.setattr(push, "resolve", Mock(side_effect=[["9.9.9.9"], ["127.0.0.1"]]))
    monkeypatch.setattr(asyncio, "open_connection", connect)
    device, sending = push.PushDevice(*Receiver("x", "rebinding.example").data.values()), sender()
    assert sending._send(device, "text", "topic") == 0
    refuses(push.EndpointError, None, sending._send, device, "text", "topic")
    assert [call.args[0] for call in connect.mock_calls] == ["9.9.9.9"]


async def test_a_name_server_that_does_not_answer_holds_up_no_other_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    """It could hold all threads, one for each device with such a name."""
    ends, look_up = threading.Event(), socket.getaddrinfo

    def slow(host: str, *how: Any, **more: Any) -> Any:
        if host == "slow.example":
            ends.wait(20)
        return look_up("9.9.9.9", *how, **more)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    monkeypatch.setattr(push, "_post", AsyncMock(side_effect=lambda addresses, *_: 201 if addresses else 0))
    monkeypatch.setattr(push, "RESOLVE_SECONDS", 0.2)  # the passing of time is what is tested
    hosts, sending = [*push.THREADS * ["slow.example"], "push.example.org"], sender()
    devices = [push.PushDevice(*Receiver("x", host).data.values()) for host in hosts]
    found = await asyncio.wait_for(asyncio.gather(*(sending.send(one, "text", "topic") for one in devices)), 10)
    assert found == [*push.THREADS * [0], 201]
    with pytest.raises(push.EndpointError):
        await sending.check(devices[0])
    ends.set()
    sending.close()


def drip(listener: socket.socket, piece: bytes) -> None:
    """Take a request and answer without an end: a byte now and then, or many at once."""
    connection, _ = listener.accept()
    with contextlib.suppress(OSError), connection:
        while True:
            connection.sendall(piece)
            if len(piece) == 1:
                time.sleep(0.05)  # a slow line


@pytest.mark.parametrize("piece", [b"x", b"x" * 65_536])
def test_an_answer_without_an_end_is_not_waited_for(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=drip, args=(listener, piece), daemon=True).start()
    monkeypatch.setattr(push, "PORT", listener.getsockname()[1])
    monkeypatch.setattr(push, "POST_SECONDS", 1.0)
    connect = asyncio.open_connection

    async def unencrypted(host: str, port: int, *, limit: int, **_: Any) -> Any:
        return await connect(host, port, limit=limit)

    monkeypatch.setattr(asyncio, "open_connection", unencrypted)
    with pytest.raises(TimeoutError if len(piece) == 1 else ValueError):
        asyncio.run(push._post(["127.0.0.1"], urlsplit("https://9.9.9.9/x"), {}, b"body"))
    listener.close()


def test_a_device_ends_with_its_session_and_its_account(scene: Scene) -> None:
    server, ann = scene.server, scene.ann
    choose(ann, occasions={"turn": False})
    exported = ann.http.get("/api/me/export").json()
    assert [one["endpoint"] for one in exported["noticeDevices"]] == [f"https://push.example.org/{ann.handle}"]
    assert exported["noticeSettings"] == [{"off": "turn", "mail": False, "language": "en"}]
    again = again_as(ann)
    assert again.http.get("/api/me/notices").json()["device"] is False, "another browser"
    assert again.http.delete("/api/sessions").status_code == 200
    assert scene.rows("SELECT * FROM notice_devices") == []
    scene.write()
    scene.told()

    other = Receiver("other")
    assert again.http.post("/api/me/notices/device", json=other.data).json()["device"] is True
    assert again.http.delete("/api/me/notices/device").json()["device"] is False
    again.http.post("/api/me/notices/device", json=other.data)
    assert server.visitor("cara").http.post("/api/me/notices/device", json=other.data).json()["device"] is True
    assert again.http.get("/api/me/notices").json()["device"] is False, "a browser is one person's"
    again.http.post("/api/me/notices/device", json=Receiver("third").data)
    assert again.http.request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    assert len(scene.rows("SELECT * FROM notice_devices")) == 1
    assert scene.rows("SELECT * FROM notice_settings") == []


def test_the_keys_of_a_server_stay_and_devices_are_few(scene: Scene) -> None:
    server, ann = scene.server, scene.ann
    key = ann.http.get("/api/me/notices").json()["key"]
    assert len(base64.urlsafe_b64decode(key + "=")) == 65
    server.restart()
    for one in (server, server.another()):
        assert one.app.state.services.notices.push.key == key
    for number in range(12):
        answer = again_as(ann).http.post("/api/me/notices/device", json=Receiver(f"ann{number}").data)
        assert answer.status_code == (200 if number < 9 else 429)


def test_without_the_library_devices_are_not_offered(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    ann = serve().visitor("ann")
    assert ann.http.get("/api/me/notices").json()["key"] is None
    assert code(ann.http.post("/api/me/notices/device", json=Receiver("x").data)) == "not-possible"
    assert errors.extra_of("pywebpush") == "notices"


@pytest.mark.parametrize("bound", ["MAX_PENDING", "MAX_PENDING_EACH", "MAX_PER_HOUR"])
def test_notices_are_bounded(serve: Serve, service: PushService, monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    monkeypatch.setattr(notices, bound, 1)
    monkeypatch.setattr(notices, "DELAY_SECONDS", 1.0)
    scene = Scene(serve(), service, Hands())
    cara = scene.server.visitor("cara")
    befriend(scene.ann, cara)
    scene.write()
    cara.http.post(f"/api/messages/{scene.ann.handle}", json={"text": "hello"})
    assert scene.phone.read(scene.told(1)[0][2])["body"] == scene.ben.handle


def test_notices_come_by_mail_to_a_confirmed_address(serve: Serve, service: PushService, mailbox: Mailbox) -> None:
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
    for said, status in ((token[:-1] + "x", 404), (token, 200), (token, 200)):
        assert guest.http.post("/api/notices/stop", json={"token": said}).status_code == status
    assert ann.http.get("/api/me/notices").json()["byMail"] is False
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    choose(ann, mail=True)
    ann.http.post("/api/me/recovery/email", json={"email": "", "password": PASSWORD})
    ben.http.post(f"/api/messages/{ann.handle}", json={"text": "hello"})
    until(lambda: not server.app.state.services.notices._pending)
    assert len(mailbox.letters) == 2


@pytest.mark.online
def test_who_is_connected_to_another_process_gets_no_notice(
    serve: Serve, service: PushService, database: str, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "DELAY_SECONDS", 4.5)  # in a third of which the other process answers
    here, there = (serve(database=database, redis=redis.url) for _ in range(2))
    scene = Scene(here, service, Hands())
    until(lambda: there.app.state.services.notices.reachable)
    wire = listen(there, "/api/me/live", scene.ann.http)
    wire.hear()
    scene.write()
    scene.told()
    wire.close()
    left(there)
    scene.write()
    assert service.notice(0, scene.phone)["body"] == scene.ben.handle
