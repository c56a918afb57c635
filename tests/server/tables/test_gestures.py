"""Several actions in one message, gestures, explorations and reasons over the wire."""

from typing import Any

import pytest

import tercet

HARLEQUIN = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"


def test_a_gesture_is_one_message_and_one_ack(server: Any) -> None:
    table = server.open("me", "here", position=HARLEQUIN)
    wire = server.wire(table["id"], *table["tokens"])
    watcher = server.wire(table["id"])
    assert watcher.hear()["state"]["view"]["gestures"] == []
    (gesture,) = wire.hear()["state"]["view"]["gestures"]
    assert wire.ask(type="act", ply=0, actions=gesture["actions"])["number"] == 1
    (step, button) = wire.heard[-2]["state"]["view"]["gestures"]
    assert (step["trigger"], button["trigger"]) == ("spot", "button")
    answer = wire.ask(type="act", ply=1, actions=step["actions"], id="dance")
    assert answer == {"type": "ack", "id": "dance", "number": 3}
    first, last = (heard for heard in wire.heard[-3:-1])
    assert (first["number"], last["number"], first["kind"], last["kind"]) == (2, 3, "action", "action")
    assert first["state"]["view"]["paths"] == []
    assert last["state"]["view"]["paths"]
    assert [watcher.until("event")["number"] for _ in range(3)] == [1, 2, 3]
    assert wire.ask(type="act", ply=1, actions=step["actions"], id="dance") == answer
    assert wire.ask(type="act", ply=3, actions=["b3=R", "a1=R"])["code"] == "illegal-action"
    assert server.http.get(f"/api/tables/{table['id']}").json()["state"]["ply"] == 3


def test_a_long_gesture_cuts_nobody_off(server: Any) -> None:
    table = server.open("me", "here", position=HARLEQUIN)
    wire = server.wire(table["id"], *table["tokens"])
    watcher = server.wire(table["id"])
    colours = ["c3=B", "b2=B", "b3=G", "c2=G", "c3=R", "b2=R", "b3=B", "c2=B", "c3=G", "b2=G", "b3=R", "c2=R"]
    dance = ["b3=R", *colours * 8]
    assert wire.ask(type="act", ply=0, actions=dance)["number"] == len(dance)
    watcher.hear()
    shown = watcher.until("event", "snapshot")  # too much to be shown one by one
    assert (shown["type"], shown["state"]["ply"], shown["state"]["number"]) == ("snapshot", len(dance), len(dance))
    assert len(shown["state"]["moves"]) == len(dance)
    more = colours * 2
    assert wire.ask(type="act", ply=len(dance), actions=more)["number"] == len(dance) + len(more)
    assert [watcher.until("event", "snapshot").get("number") for _ in more] == [
        len(dance) + 1 + number for number in range(len(more))
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"actions": []},
        {"actions": ["b3=R"] * 1601},
        {"actions": "b3=R"},
        {"actions": [3]},
        {"actions": ["b3=R"], "action": "b3=R"},
        {},
    ],
)
def test_batches_that_make_no_sense(server: Any, message: dict[str, Any]) -> None:
    _table, wire = server.both()
    assert wire.ask(type="act", ply=0, **message)["code"] == "bad-message"


def test_games_tell_what_can_be_explored(server: Any) -> None:
    games = {game["name"]: game for game in server.http.get("/api/games").json()}
    assert [one["id"] for one in games["sparklies"]["explorations"]] == ["danger", "cascade"]
    assert games["sparklies"]["skins"][0]["id"] == "kingdom"
    assert games["sparklies"]["standing"] == "cells owned"
    assert [one["id"] for one in games["sanqi"]["explorations"]] == [
        "one-away",
        "two-away",
        "pivots",
        "replaceable",
        "trapped",
    ]
    assert games["sanqi"]["standing"] is None


def test_explorations(server: Any) -> None:
    started = HARLEQUIN.replace("g1g0/g0g1", "g1*g0/g0g1*").replace(" p 0", " v 1")
    found = server.http.post("/api/explore", json={"position": started, "id": "cascade"}).json()
    assert found["lines"]
    assert found["lines"][0]["value"] == max(line["value"] for line in found["lines"])
    danger = server.http.post("/api/explore", json={"position": HARLEQUIN, "id": "danger"}).json()
    assert danger["text"].startswith("At risk: Black")
    for wrong, where in (
        ({"position": HARLEQUIN, "id": "luck"}, "id"),
        ({"position": HARLEQUIN, "id": "danger", "cell": "b3"}, "cell"),
        ({"position": "sanqi/4 4/5/6/7/6/5/4 F -", "id": "danger"}, "id"),
    ):
        answer = server.http.post("/api/explore", json=wrong)
        assert answer.status_code == 400
        assert answer.json()["error"]["where"] == where


@pytest.mark.parametrize(
    ("position", "asked", "arrow"),
    [
        ("sanqi/4 RR2/R1R2/1R4/7/6/5/4 S -", "one-away", ["a7", "c5"]),
        (tercet.game("triplicity").definition.quick_start.picture, "threats", ["g6", "g7"]),
        ("sparklies/board=4x4,ruleset=subtle g0r0b0g0/r1g1b0b0/b0g2r1r0/b0b0r2r0 W c 0", "danger", ["b3", "b2"]),
    ],
    ids=["sanqi", "triplicity", "sparklies"],
)
def test_analysis_is_told_of_threats(server: Any, position: str, asked: str, arrow: list[str]) -> None:
    """What the page draws as arrows beside the engine's lines: where from, where to, whose, and why."""
    parsed = tercet.parse(position)
    games = {game["name"]: game for game in server.http.get("/api/games").json()}
    assert asked in [one["id"] for one in games[parsed.game.name]["explorations"] if one["threatens"]]
    found = server.http.post("/api/explore", json={"position": position, "id": asked}).json()["threats"]
    assert arrow in [threat["cells"] for threat in found]
    assert all(set(threat) == {"player", "cells", "says"} and threat["says"].endswith(".") for threat in found)
    mine = [threat["player"] == parsed.mover for threat in found]
    assert mine == sorted(mine), "what threatens the mover comes first"


def test_why_an_action_is_forbidden(server: Any) -> None:
    ask = {"position": HARLEQUIN, "action": "b4=R"}
    answer = server.http.post("/api/why", json=ask).json()
    assert answer["legal"] is False
    assert answer["why"]
    assert server.http.post("/api/why", json={**ask, "action": "b3=R"}).json() == {"legal": True, "why": None}
    assert server.http.post("/api/why", json={**ask, "position": "nonsense"}).json()["error"]["code"] == "bad-position"
