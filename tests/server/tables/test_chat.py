"""Talk: who hears what, floods, blocks, and that nothing said is ever more than text."""

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest

from tercet.server.limits.budgets import ServerLimits
from tests.server.conftest import Serve, Serving, Visitor, Wire
from tests.support.limits import OPEN
from tests.support.waiting import until


def say(wire: Any, text: str, room: str = "players", **more: Any) -> Any:
    return wire.ask(type="say", room=room, text=text, **more)


def hears(wire: Any) -> list[str]:
    """All lines that have come, up to now."""
    wire.say({"type": "ping", "id": "now"})
    wire.until("pong", id="now")
    found: list[str] = []
    for heard in wire.heard:
        found = [line["text"] for line in heard["lines"]] if heard["type"] == "talked" else found
        found += [heard["text"]] if heard["type"] == "talk" else []
    return found


def guest(server: Serving, name: str, host: str = "127.0.0.1") -> Visitor:
    visitor = server.visitor()
    visitor.http.headers["x-forwarded-for"] = host
    assert visitor.http.post("/api/me", json={"name": name}).status_code == 200
    return visitor


def watcher(server: Serving, table: str, host: str) -> Wire:
    cookie = guest(server, f"Watcher {host}", host).http.cookies["tercet"]
    return server.socket(f"/api/tables/{table}/live", {"x-forwarded-for": host, "cookie": f"tercet={cookie}"})


def test_players_and_watchers_have_rooms_of_their_own(server: Any) -> None:
    ann, bob, eve = server.visitor(), server.visitor(), guest(server, "Eve")
    table = ann.open({"kind": "me", "name": "Ann"}, "open", chat=True)["id"]
    bob.sit(table, 1, name="Bob")
    mine, theirs, watching = ann.wire(table), bob.wire(table), eve.wire(table)
    answer, line = say(mine, "good luck"), theirs.until("talk", room="players", seat=0, name="Ann", text="good luck")
    assert (answer["type"], answer["number"], answer["talk"]) == ("ack", 1, line["number"])
    assert line["at"] > 1_600_000_000_000
    assert watching.until("talk")["text"] == "good luck"  # conferring is open to all
    assert say(watching, "he will lose", "watchers")["type"] == "ack"
    assert watching.last("talk", seat=None, name="Eve", handle=None)["text"] == "he will lose"
    assert hears(mine) == hears(theirs) == ["good luck"]
    assert hears(watching) == ["good luck", "he will lose"]
    assert say(watching, "I too", "players")["code"] == say(theirs, "I am Ann", seat=0)["code"] == "not-your-seat"
    assert say(mine, "what do they say?", "watchers")["code"] == "not-possible"
    assert hears(bob.wire(table)) == ["good luck"]
    mine.done(type="resign")
    assert theirs.until("talked")["lines"][-1]["text"] == "he will lose"
    assert say(theirs, "I did not", "watchers")["type"] == "ack"
    assert hears(ann.wire(table)) == ["good luck", "he will lose", "I did not"]


def test_at_a_table_without_talk_the_players_are_silent(server: Any) -> None:
    ann, eve = server.visitor(), guest(server, "Eve")
    table = ann.open("me", "here")["id"]
    mine, watching, nobody = ann.wire(table), eve.wire(table), server.wire(table)
    assert say(mine, "hello")["code"] == "not-possible"
    assert say(watching, "hello", "watchers")["type"] == "ack"
    assert (say(nobody, "hello", "watchers")["code"], hears(nobody)) == ("not-signed-in", ["hello"])
    assert hears(mine) == []


def test_whoever_comes_later_hears_the_last_fifty(serve: Serve) -> None:
    server = serve()
    table, wire = server.both(chat=True)
    for number in range(53):
        assert say(wire, f"line {number}", seat=number % 2)["type"] == "ack"
    server.restart()
    late = server.wire(table)
    lines = late.until("talked")["lines"]
    assert [line["text"] for line in lines] == [f"line {number}" for number in range(3, 53)]
    assert [line["seat"] for line in lines[:2]] == [1, 0]
    assert late.heard[0]["type"] == "snapshot"


def test_at_a_silent_table_nothing_is_looked_up_until_somebody_speaks(serve: Serve) -> None:
    server = serve()
    ann = server.visitor()
    table = ann.open({"kind": "me", "name": "Ann"}, "open", chat=True)["id"]
    chat = server.app.state.services.chat
    server.wire(table).hear()
    until(lambda: table in chat._silent)
    database = chat.database

    async def refuse(_do: Any) -> Any:
        raise AssertionError

    chat.database = SimpleNamespace(find=refuse)  # not in the database itself, which others read meanwhile
    assert hears(server.wire(table)) == []
    chat.database = database
    assert say(ann.wire(table), "hello")["type"] == "ack"
    assert hears(server.wire(table)) == ["hello"]
    assert table not in chat._silent


def test_what_is_said_is_one_line_of_text_and_said_once(server: Any) -> None:
    _, wire = server.both(chat=True)
    script = "<script>alert('x')</script><img src=x onerror=alert(1)> & \"q\""
    assert say(wire, script)["type"] == "ack"
    assert wire.heard[-2]["text"] == script  # as it is: screens show it as text
    assert say(wire, "two\nlines\tand \x00\x1b[31m\u202eback\u2066 \ud800 e\u0301\u0301\u0301\u0301")["type"] == "ack"
    assert wire.heard[-2]["text"] == "two lines and [31mback \u00e9\u0301\u0301"
    for nothing in ("", "   ", "\x00\x01", "\u200b\u202e"):
        assert wire.ask(type="say", room="players", text=nothing)["code"] == "bad-message"
    assert (say(wire, "x" * 500)["type"], say(wire, "hello", seat=9)["code"]) == ("ack", "bad-message")
    _, (mine, theirs) = server.friends(chat=True)
    first = say(mine, "hello", id="line-1")
    assert say(mine, "hello", id="line-1") == first
    assert say(theirs, "hello", id="line-1")["talk"] != first["talk"]  # ids are a client's own
    assert hears(theirs) == ["hello", "hello"]


@pytest.mark.online
def test_a_line_sent_again_after_a_restart_is_said_once(serve: Serve) -> None:
    """Nobody knows whether what he said before the server died was written: he sends it again, with its id."""
    server = serve()
    table, (mine, _) = server.friends(chat=True)
    first = say(mine, "hello", id="line-1")
    server.restart()
    for process in (server, server.another()):
        mine = process.wire(table["id"], table["tokens"][0])
        assert (say(mine, "hello", id="line-1")["talk"], hears(mine)) == (first["talk"], ["hello"])


def flood(wires: list[Wire], lines: int, room: str) -> int:
    """Say lines at all of these sockets, which are refused in the end; how many were taken."""
    answers = [say(wire, f"line {line}", room) for line in range(lines) for wire in wires]
    refused = [answer for answer in answers if answer["type"] == "error"]
    assert {answer["code"] for answer in refused} == {"too-many"}
    return len(answers) - len(refused)


def test_a_flood_is_stopped(serve: Serve) -> None:
    table, (ann, bob) = serve(limits=ServerLimits()).meeting(chat=True)
    mine, other_tab, theirs = ann.wire(table), ann.wire(table), bob.wire(table)
    assert 5 <= flood([mine, other_tab], 6, "players") <= 7
    assert say(theirs, "hello")["type"] == "ack"
    assert mine.act(0, "Rd4")["type"] == "ack"  # he may go on playing


@pytest.mark.online
def test_watchers_of_one_network_flood_no_table(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many guests one network makes, they say as much as one watcher, and others are still heard."""
    monkeypatch.setenv("TERCET_TRUSTED_PROXIES", "127.0.0.1")
    server = serve(limits=dataclasses.replace(OPEN, lines_per_minute=ServerLimits().lines_per_minute))
    table = server.visitor().open("me", "here", chat=True)["id"]
    assert 5 <= flood([watcher(server, table, f"203.0.113.{number}") for number in range(1, 5)], 5, "watchers") <= 8
    assert say(watcher(server, table, "198.51.100.7"), "well played", "watchers")["type"] == "ack"


@pytest.mark.online
def test_all_watchers_of_a_table_together_say_so_much(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Watchers of many networks do not fill a table's talk without end."""
    monkeypatch.setenv("TERCET_TRUSTED_PROXIES", "127.0.0.1")
    server = serve(limits=dataclasses.replace(OPEN, lines_per_minute=1))
    table = server.visitor().open("me", "here", chat=True)["id"]
    wires = [watcher(server, table, f"203.0.{number}.7") for number in range(1, 6)]
    told = [say(wire, f"line {line}", "watchers")["type"] for wire in wires for line in range(5)]
    assert (told[:15], told[-5:]) == (["ack"] * 15, ["error"] * 5)


def test_who_is_blocked_is_not_heard(server: Any) -> None:
    ann, bob, eve = server.visitor("ann"), server.visitor("bob"), server.visitor()
    table = server.open("me", "here", chat=True)["id"]
    assert ann.http.post("/api/me/blocks", json={"handle": bob.handle}).status_code == 200
    wires = [person.wire(table) for person in (ann, bob, eve)]
    assert say(wires[1], "buy my boat", "watchers")["type"] == "ack"
    assert (say(wires[0], "nice game", "watchers")["type"], hears(wires[0])) == ("ack", ["nice game"])
    assert hears(wires[1]) == hears(wires[2]) == ["buy my boat", "nice game"]
    assert hears(ann.wire(table)) == ["nice game"]
    assert hears(eve.wire(table)) == ["buy my boat", "nice game"]
    assert [heard["handle"] for heard in wires[2].heard if heard["type"] == "talk"] == [bob.handle, ann.handle]


def test_a_line_can_be_reported_and_talk_of_a_private_game_stays_there(server: Any) -> None:
    ann, eve = server.visitor(), server.visitor()
    table = ann.open("me", "here", chat=True)["id"]
    report = {"talk": say(ann.wire(table), "something nasty")["talk"], "table": table, "why": "nasty"}
    assert eve.http.post("/api/reports", json=report).status_code == 201
    table = ann.open("me", "here", chat=True, watch="private")["id"]
    assert say(ann.wire(table), "between us")["type"] == "ack"
    wire = eve.wire(table)
    assert (wire.hear()["code"], wire.until_closed(), len(wire.heard)) == ("unknown-table", 4404, 1)


@pytest.mark.online
def test_talk_reaches_those_at_other_processes(database: str, redis: Any, serve: Serve) -> None:
    """Also what was said while Redis was away, when it is back."""
    servers = [serve(database=database, redis=redis.url) for _ in range(2)]
    table = servers[0].open("me", "friend", chat=True)
    mine, theirs = (server.wire(table["id"], token) for server, token in zip(servers, table["tokens"], strict=True))
    theirs.until("snapshot")
    assert say(mine, "can you hear me?")["type"] == "ack"
    assert (theirs.until("talk")["text"], say(theirs, "well")["type"]) == ("can you hear me?", "ack")
    assert mine.until("talk", text="well", seat=1)["name"] == "Second"
    redis.stop()
    assert say(mine, "two")["type"] == "ack"
    redis.start()
    told = theirs.until("talk", "talked")
    assert (told["lines"][-1] if told["type"] == "talked" else told)["text"] == "two"
