"""The lobby: what waits, what is played, and what is given up."""

from __future__ import annotations

import dataclasses
import json
import time
from typing import Any
from unittest import mock

import pytest
from redis import Redis

from tercet.server import lobby
from tests.server.conftest import Patch, Serve, Serving, state_of
from tests.server.lobby.conftest import Board
from tests.support.limits import OPEN
from tests.support.waiting import until

BLITZ = {"kind": "fischer", "minutes": 3, "increment": 2}


@pytest.fixture
def looks(monkeypatch: Patch) -> Any:
    """Counts how often a server has looked for tables at which no one waits."""
    looks = mock.create_autospec(lobby.Lobby._give_up, side_effect=lobby.Lobby._give_up)
    monkeypatch.setattr(lobby.Lobby, "_give_up", looks)
    return looks


def open_at(server: Serving, game: str = "") -> dict[str, dict[str, Any]]:
    told = server.http.get("/api/lobby" + (f"?game={game}" if game else "")).json()
    return {one["id"]: one for one in told["open"]}


def test_open_tables_are_listed_until_they_begin(server: Serving) -> None:
    ann, bob = server.visitor("ann"), server.visitor()
    table = ann.open("me", "open", clock=BLITZ, chat=True)["id"]
    told = open_at(server)[table]
    assert (told["game"], told["title"], told["clock"], told["speed"]) == ("sanqi", "SanQi", BLITZ, "blitz")
    assert (told["rated"], told["chat"], told["fromPosition"]) == (False, True, False)
    assert "side=4" in told["optionText"]
    assert [(seat["player"], seat["kind"]) for seat in told["seats"]] == [("First", "person"), ("Second", "open")]
    assert told["seats"][0]["handle"] == ann.handle
    assert table in open_at(server, "sanqi")
    assert table not in open_at(server, "triplicity")
    unlisted = ann.open("me", "open", watch="link")["id"]
    assert not {unlisted, ann.open("me", "friend")["id"]} & open_at(server).keys()
    bob.sit(table, 1)
    assert table not in open_at(server)
    bob.http.post("/api/me", json={"name": "Bob"})
    three = ann.open("me", "open", "open", game="triplicity", options={})["id"]
    bob.sit(three, 2)
    seats = open_at(server)[three]["seats"]
    assert [(seat["kind"], seat["name"]) for seat in seats[1:]] == [("open", None), ("person", "Bob")]
    bob.http.delete(f"/api/tables/{three}/seats/2")
    assert [seat["kind"] for seat in open_at(server)[three]["seats"]] == ["person", "open", "open"]
    aborted = ann.open("me", "open")["id"]
    assert ann.wire(aborted).ask(type="abort")["type"] == "ack"
    assert aborted not in open_at(server)


def test_ratings_stand_beside_the_names(server: Serving) -> None:
    ann, bob = server.visitor("ann"), server.visitor("bob")
    two = {"game": "sparklies", "options": {"board": "5x5"}, "clock": BLITZ}
    table = ann.open("me", "open", rated=True, **two)["id"]
    assert [seat["rating"] for seat in open_at(server)[table]["seats"]] == [None, None]
    drawn = bob.sit(table, 1).json()["seat"]
    wires = [who.wire(table) for who in ((bob, ann) if drawn == 0 else (ann, bob))]
    state, _ = (wire.until("snapshot")["state"] for wire in wires)
    turns = [state["mover"]]
    while len(turns) < 5:  # a rated game counts once both have had two turns
        wire = wires[state["mover"]]
        wire.say({"type": "snapshot"})
        wire.done(type="act", ply=state["ply"], action=wire.until("snapshot")["state"]["view"]["paths"][0][0])
        state = state_of(server, table)
        turns += [state["mover"]] * (state["mover"] != turns[-1])
    assert wires[drawn].ask(type="resign")["type"] == "ack"
    ratings = until(lambda: server.http.get(f"/api/people/{ann.handle}").json()["ratings"])
    again = ann.open("me", "open", **two)["id"]
    shown = {name: ratings[0][name] for name in ("rating", "low", "high", "provisional")}
    assert shown["low"] < 1500 < shown["rating"] < shown["high"]
    assert open_at(server)[again]["seats"][0]["rating"] == shown
    assert state_of(server, again)["seats"][0]["rating"] == shown
    of_three = {"game": "sparklies", "options": {"board": "hex3", "players": 3}, "clock": BLITZ}
    for other in (of_three, {"game": "sanqi", "options": {"side": 4}, "clock": BLITZ}):
        table = ann.open("me", "open", *(["open"] if other is of_three else []), **other)["id"]
        assert open_at(server)[table]["seats"][0]["rating"] is None  # in such games she has none
        assert state_of(server, table)["seats"][0]["rating"] is None


def test_games_that_may_be_watched(server: Serving) -> None:
    ann, bob = server.visitor(), server.visitor()
    table = ann.open("me", "open", clock=BLITZ)["id"]
    private = ann.open("me", "here", watch="private")["id"]
    plain = ann.open("me", "here")["id"]
    bob.sit(table, 1)
    wires = [ann.wire(one) for one in (table, private, plain)]
    wires[0].act(0, "Rd4")
    server.wire(table).hear()
    board = Board(server)
    found = board.shows(lambda told: any(one["watchers"] for one in told["live"] if one["id"] == table))
    told = next(one for one in found["live"] if one["id"] == table)
    assert (told["ply"], told["watchers"], told["speed"]) == (1, 1, "blitz")
    assert [seat["player"] for seat in told["seats"]] == ["First", "Second"]
    assert not {private, plain} & {one["id"] for one in found["live"]}
    wires[0].ask(type="resign")
    board.shows(lambda told: table not in {one["id"] for one in told["live"]})


@pytest.mark.online
def test_tables_that_nobody_waits_at_are_given_up(serve: Serve, looks: Any, monkeypatch: Patch) -> None:
    monkeypatch.setattr(lobby, "AWAY_SECONDS", 3.0)  # longer than a busy machine is silent
    monkeypatch.setattr(lobby, "PULSE_SECONDS", 0.1)
    server = serve()
    ann, bob, cyd = (server.visitor() for _ in range(3))
    kept = ann.open("me", "open", clock=BLITZ)["id"]
    left = bob.open("me", "open", clock=BLITZ)["id"]
    post = bob.open("me", "open", clock={"kind": "correspondence", "days": 3})["id"]
    unlisted = bob.open("me", "open", watch="link")["id"]
    waits = cyd.open("me", "open")["id"]
    ann.wire(kept).hear()
    hers = Board(server, person=cyd)  # she waits in the lobby
    until(lambda: state_of(server, left)["over"])
    looks.reset_mock()
    until(lambda: looks.await_count > 40)
    assert open_at(server).keys() == {kept, post, waits}
    assert not state_of(server, unlisted)["over"]
    hers.close()
    state = state_of(server, left)
    assert (state["aborted"], state["result"]) == (True, "The game was aborted.")
    answer = cyd.sit(left, 1)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "over")
    until(lambda: state_of(server, waits)["over"])  # she has gone


def test_after_two_weeks_any_table_is_given_up(serve: Serve, looks: Any, monkeypatch: Patch) -> None:
    monkeypatch.setattr(lobby, "AWAY_SECONDS", 0.9)
    monkeypatch.setattr(lobby, "PULSE_SECONDS", 0.1)
    later = [0]
    server = serve(clock=lambda: round(1000 * time.time()) + later[0])
    table = server.visitor().open("me", "open", clock={"kind": "correspondence", "days": 3})["id"]
    looks.reset_mock()
    until(lambda: looks.await_count > 10)
    assert table in open_at(server)
    later[0] = 15 * 86_400_000
    until(lambda: table not in open_at(server))
    assert state_of(server, table)["aborted"]


@pytest.mark.online
def test_the_lobby_spans_processes(database: str, redis: Any, serve: Serve, monkeypatch: Patch) -> None:
    monkeypatch.setattr(lobby, "PULSE_SECONDS", 0.2)
    monkeypatch.setattr(lobby, "FRESH_SECONDS", 1.5)
    here, there = (serve(database=database, redis=redis.url) for _ in range(2))
    ann, bob = here.visitor(), there.visitor()
    board = Board(there)
    board.hear()
    table = ann.open("me", "open")["id"]
    board.shows_open(table)
    bob.sit(table, 1)
    assert ann.wire(table).act(0, "Rd4")["type"] == "ack"
    told = board.shows(lambda told: told["live"])
    assert (told["live"][0]["id"], told["open"]) == (table, [])
    here.stop()
    assert board.shows(lambda told: not told["live"])["open"] == []
    here.start()


def test_what_a_dead_process_said_is_forgotten(database: str, redis: Any, serve: Serve, monkeypatch: Patch) -> None:
    monkeypatch.setattr(lobby, "PULSE_SECONDS", 0.2)
    monkeypatch.setattr(lobby, "FRESH_SECONDS", 1.5)
    server = serve(database=database, redis=redis.url)
    table = {"id": "0" * 16, "game": "sanqi", "title": "SanQi", "seats": [], "optionText": "side=4"}
    game = {**table, "watchers": 3, "ply": 9, "speed": "blitz", "rated": False}
    board = Board(server)
    assert board.hear()["live"] == []
    word = {"from": "elsewhere", "data": {"run": "999", "live": [game]}}
    with Redis.from_url(redis.url) as other:
        other.publish("tercet:lobby", json.dumps(word))
    assert board.shows(lambda told: told["live"])["live"] == [game]
    assert board.shows(lambda told: not told["live"])


def test_what_was_not_heard_of_is_seen_later(serve: Serve, monkeypatch: Patch) -> None:
    monkeypatch.setattr(lobby, "AWAY_SECONDS", 9.0)
    monkeypatch.setattr(lobby, "PULSE_SECONDS", 0.1)
    server = serve()
    monkeypatch.setattr(lobby.Lobby, "changed", mock.AsyncMock())  # a word that does not arrive
    board = Board(server)
    assert board.hear()["open"] == []
    table = server.visitor().open("me", "open")["id"]
    assert board.shows(lambda told: told["open"])["open"][0]["id"] == table


def test_a_network_does_not_fill_the_lobby(serve: Serve) -> None:
    """However many guests it has."""
    server = serve(limits=dataclasses.replace(OPEN, waiting_per_network=3))
    first, *others = [server.visitor() for _ in range(4)]
    table = first.open("me", "open")["id"]
    for visitor in others[:2]:
        visitor.open("me", "open")
    refused = others[2].try_to_open("me", "open")
    assert (refused.status_code, refused.json()["error"]["where"]) == (429, "network")
    others[2].open("me", "engine")  # it has no open seat
    assert others[2].sit(table, 1).status_code == 201
    others[2].open("me", "open")


@pytest.mark.online
def test_a_network_does_not_fill_the_lobby_by_several_processes(database: str, redis: Any, serve: Serve) -> None:
    here = serve(database=database, redis=redis.url, limits=dataclasses.replace(OPEN, waiting_per_network=3))
    there = here.another()
    for server in (here, there, here):
        server.visitor().open("me", "open")
    until(lambda: there.visitor().try_to_open("me", "open").status_code == 429)
    until(lambda: here.visitor().try_to_open("me", "open").status_code == 429)  # once it has heard of the other's
    there.stop()


@pytest.mark.online
def test_the_lobby_is_read_once_for_all_who_follow_it(serve: Serve, monkeypatch: Any) -> None:
    server = serve()
    boards = [Board(server) for _ in range(20)]
    for board in boards:
        board.hear()
    shown: Any = mock.create_autospec(lobby.Lobby.shown, side_effect=lobby.Lobby.shown)
    monkeypatch.setattr(lobby.Lobby, "shown", shown)
    table = server.visitor().open("me", "open")["id"]
    for board in boards:
        board.shows_open(table)
    assert shown.call_count < 10
