"""Hints at tables: three strengths of one move, only in unrated games against engines alone. In rated games and at
tables that are played without explorations, all of these are closed."""

from typing import Any

import pytest

from tercet.server.engines import pool
from tercet.server.tables.engine_seats import EngineSeats
from tests.server.conftest import Serving, Wire


def ask(server: Serving, table: dict[str, Any], strength: str = "place", seat: int = 0) -> Any:
    token = table["tokens"][seat]
    query = f"?seat={token}" if token else ""
    return server.http.post(f"/api/tables/{table['id']}/hint{query}", json={"strength": strength}).json()


def test_three_strengths_of_one_move(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "HINT_SECONDS", 0.05)
    table = server.open("me", "engine")
    place, piece, move = (ask(server, table, strength) for strength in ("place", "piece", "move"))
    assert (place["action"], piece["action"], place["ply"]) == (None, None, 0)
    (where,) = move["marks"]
    assert where["cells"][0] in move["action"]
    assert set(where["cells"]) < set(place["marks"][0]["cells"])
    wire = server.wire(table["id"], *filter(None, table["tokens"]))
    wire.hear()
    assert wire.act(0, move["action"])["type"] == "ack"


def test_the_strongest_hint_names_the_rest_of_the_turn(server: Serving) -> None:
    """In Sparklies it named the claim alone, and after another claim nothing could be asked until that was sent."""
    table = server.open("me", "engine", game="sparklies", options={"board": "4x4"})
    claim = ask(server, table, "move")
    ping = claim["then"][0]
    assert claim["says"].startswith("Claim ")
    assert ping["says"].startswith("Ping ")
    assert " p " in ping["position"]
    assert ask(server, table, "place")["then"] == []
    path = f"/api/tables/{table['id']}/hint?seat={table['tokens'][0]}"
    here = server.http.post(path, json={"strength": "move", "moves": [claim["action"]]}).json()
    assert (here["ply"], here["position"], here["says"]) == (1, ping["position"], ping["says"])
    refused = server.http.post(path, json={"strength": "move", "moves": [claim["action"], claim["action"]]}).json()
    assert refused["error"]["code"] == "illegal-action"
    whole = [claim["action"], f"{claim['action'][1:]}=R"]
    over = server.http.post(path, json={"strength": "move", "moves": whole}).json()
    assert over["error"]["why"] == "These moves end your turn."


def test_nobody_is_helped_against_people(server: Serving) -> None:
    table = server.open("me", "here")
    assert ask(server, table)["error"]["code"] == "not-possible"
    table = server.open("me", "friend", "engine", game="triplicity", options={})
    assert ask(server, table)["error"]["code"] == "not-possible"
    stranger = server.visitor().http.post(f"/api/tables/{table['id']}/hint", json={"strength": "place"})
    assert stranger.json()["error"]["code"] == "not-your-seat"
    clock = {"kind": "fischer", "minutes": 5, "increment": 3}
    rated = server.visitor("ann")
    refused = rated.http.post(
        f"/api/tables/{rated.open('me', 'open', rated=True, clock=clock)['id']}/hint", json={"strength": "place"}
    )
    assert refused.json()["error"]["why"] == "Rated games have no hints."


def test_only_who_is_to_move_is_helped(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EngineSeats, "wake", lambda _seats: None)  # it never moves
    table = server.open("engine", "me")
    assert ask(server, table, seat=1)["error"]["code"] == "not-your-turn"
    table = server.open("me", "engine")
    assert ask(server, table, "everything")["error"]["code"] == "bad-message"
    wire = server.wire(table["id"], *filter(None, table["tokens"]))
    assert wire.ask(type="resign", seat=0)["type"] == "ack"
    assert ask(server, table)["error"]["code"] == "over"


def test_all_explorations_are_closed_in_ones_rated_game(server: Serving) -> None:
    ann, bob = server.visitor("ann"), server.visitor("bob")
    clock = {"kind": "fischer", "minutes": 5, "increment": 3}
    table = ann.open("me", "open", rated=True, clock=clock)["id"]
    assert bob.sit(table, 1).status_code == 201
    state = ann.http.get(f"/api/tables/{table}").json()["state"]
    assert state["explore"] is False
    for question in ("one-away", "pivots", "trapped"):
        asked = {"position": state["view"]["position"], "id": question}
        for player in (ann, bob):
            assert player.http.post("/api/explore", json=asked).json()["error"]["code"] == "not-possible"
        assert "marks" in server.visitor().http.post("/api/explore", json=asked).json()


def test_the_engine_is_closed_for_a_position_of_ones_rated_game(server: Serving) -> None:
    """ "Analyse from here" in the menu of a rated game showed the engine's best moves there."""
    ann, bob, guest = server.visitor("ann"), server.visitor("bob"), server.visitor()
    clock = {"kind": "fischer", "minutes": 5, "increment": 3}
    table = ann.open("me", "open", rated=True, clock=clock)["id"]
    assert bob.sit(table, 1).status_code == 201
    position = ann.http.get(f"/api/tables/{table}").json()["state"]["view"]["position"]
    for player, refused in ((ann, True), (bob, True), (guest, False)):
        cookie = "; ".join(f"{name}={value}" for name, value in player.http.cookies.items())
        wire = Wire(f"ws://127.0.0.1:{server.port}/api/analysis", {"cookie": cookie})
        wire.say({"type": "go", "id": "1", "position": position, "movetime": 100})
        answer = wire.hear()
        assert (answer.get("code") == "not-possible") == refused, answer
        wire.close()


def test_a_table_may_be_played_without_explorations(server: Serving) -> None:
    ann, bob = server.visitor("ann"), server.visitor("bob")
    quiet = ann.open("me", "open", game="sanqi", options={"side": 5}, explore=False, public=True)["id"]
    assert bob.sit(quiet, 1).status_code == 201
    state = ann.http.get(f"/api/tables/{quiet}").json()["state"]
    assert state["explore"] is False
    asked = {"position": state["view"]["position"], "id": "one-away"}
    for player in (ann, bob):
        assert player.http.post("/api/explore", json=asked).json()["error"]["code"] == "not-possible"
    assert "marks" in server.visitor().http.post("/api/explore", json=asked).json()

    usual = ann.open("me", "open", game="sanqi", options={"side": 6}, public=True)["id"]
    waiting = {game["id"]: game["explore"] for game in server.visitor().http.get("/api/lobby").json()["open"]}
    assert waiting[usual] is True
    state = ann.http.get(f"/api/tables/{usual}").json()["state"]
    assert state["explore"] is True
    asked = {"position": state["view"]["position"], "id": "one-away"}
    assert "marks" in ann.http.post("/api/explore", json=asked).json()
