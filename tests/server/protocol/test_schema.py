"""The protocol as types: its schema, what of it serves a page that shows earlier positions, and that the tests' clients
notice what is not in it."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import tercet
from tercet.server.engines.workers import Worker
from tercet.server.schema import describe, schema
from tests.server.conftest import Serving
from tests.server.protocol_checks import check_message

LIVE = "/api/tables/abc/live"
COMPONENTS = ("#/$defs/", "#/components/schemas/")


def test_the_schema_is_printed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tercet.server.schema"], capture_output=True, text=True, check=True, timeout=120
    )
    assert json.loads(done.stdout) == schema()


def test_every_described_answer_has_an_address_and_the_same_description() -> None:
    described = describe()
    for address, answer in schema()["answers"].items():
        method, path = address.split(" ")
        responses = described["paths"][path][method.lower()]["responses"]
        done = next(responses[status] for status in ("201", "200") if status in responses)
        assert json.dumps(done["content"]["application/json"]["schema"]) == json.dumps(answer).replace(*COMPONENTS)
        assert responses["429"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Wrong"}


def test_every_type_that_the_description_names_is_described() -> None:
    described = describe()
    named = set(re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(described)))
    assert named <= set(described["components"]["schemas"])


def test_what_is_always_sent_is_required() -> None:
    found = schema()["$defs"]
    assert set(found["TableStateData"]["required"]) == set(found["TableStateData"]["properties"])
    assert set(found["SceneView"]["required"]) == set(found["SceneView"]["properties"])
    assert "lag" not in found["ActionEvent"]["required"]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "pong", "more": 1},
        {"type": "ack", "id": "a"},
        {"type": "ack", "id": "a", "number": "1"},
        {"type": "unheard-of"},
        {"type": "event", "kind": "unheard-of", "number": 1},
    ],
)
def test_the_check_notices_what_is_not_described(message: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        check_message(LIVE, message)


def test_a_snapshot_has_the_start_and_the_tallies_of_all_plies(server: Serving) -> None:
    table = server.open("me", "here", game="sparklies")
    wire = server.wire(table["id"], *table["tokens"])
    snapshot = wire.hear()
    start = tercet.parse(snapshot["start"])
    assert start == tercet.parse(snapshot["state"]["view"]["position"])
    assert snapshot["tallies"] == [list(start.tally or ())]
    expected, position = [list(start.tally or ())], start
    for ply in range(6):
        action = str(position.legal_actions[0])
        position = position.play(action)
        expected.append(list(position.tally or ()))
        assert wire.act(ply, action)["type"] == "ack"
    assert server.http.get(f"/api/tables/{table['id']}").json()["tallies"] == expected
    wire.ask(type="takeback", ply=4)
    position = start
    assert server.http.get(f"/api/tables/{table['id']}").json()["tallies"] == expected[:5]
    snapshot = server.wire(table["id"]).hear()
    assert (snapshot["start"], snapshot["tallies"]) == (str(start), expected[:5])


def test_a_game_without_numbers_has_no_tallies(server: Serving) -> None:
    table, wire = server.both()
    wire.act(0, str(tercet.parse(wire.heard[0]["start"]).legal_actions[0]))
    assert server.http.get(f"/api/tables/{table}").json()["tallies"] is None


def test_tallies_know_of_who_resigned_in_between(server: Serving) -> None:
    game = next(
        name for name in tercet.games() if (found := tercet.game(name)).definition.tally and len(found.players) > 2
    )
    table = server.open("me", "here", "here", game=game)
    wire = server.wire(table["id"], *table["tokens"])
    position = tercet.parse(wire.hear()["start"])
    expected = [list(position.tally or ())]
    for ply in range(2):
        action = str(position.legal_actions[0])
        position = position.play(action)
        expected.append(list(position.tally or ()))
        wire.act(ply, action)
    assert wire.ask(type="resign", seat=2)["type"] == "ack"
    position = position.resign(2)
    expected[-1] = list(position.tally or ())
    assert server.http.get(f"/api/tables/{table['id']}").json()["tallies"] == expected


def test_looking_back(server: Serving) -> None:
    table, wire = server.both()
    position = tercet.parse(wire.heard[0]["start"])
    passed = [position]
    for ply in range(3):
        action = str(position.legal_actions[0])
        position = position.play(action)
        passed.append(position)
        wire.act(ply, action)
    moves = server.http.get(f"/api/tables/{table}").json()["state"]["moves"]
    for ply, before in enumerate(passed):
        found = server.http.get(f"/api/tables/{table}/at/{ply}").json()
        assert found["view"]["position"] == str(before)
        assert (found["view"]["paths"], found["view"]["gestures"]) == ([], [])
        assert found["move"] == (moves[ply - 1] if ply else None)
    assert server.http.get(f"/api/tables/{table}/at/4").status_code == 404
    assert server.http.get(f"/api/tables/{table}/at/-1").status_code == 400
    assert server.http.get("/api/tables/nothere/at/0").status_code == 404


def test_only_who_may_watch_may_look_back(serve: Callable[..., Any]) -> None:
    server = serve()
    owner, stranger = server.visitor(), server.visitor()
    table = owner.open("me", "friend", watch="private")["id"]
    assert owner.http.get(f"/api/tables/{table}/at/0").status_code == 200
    assert stranger.http.get(f"/api/tables/{table}/at/0").json()["error"]["code"] == "unknown-table"


def test_a_worker_that_compiles_says_that_it_gets_ready() -> None:
    class Quiet(Worker):
        async def start(self) -> None: ...

        def _send(self, message: Any) -> None: ...

        def _halt(self) -> None: ...

        def forget(self, owner: str) -> None: ...

        def end(self) -> None: ...

    heard: list[Any] = []
    worker = Quiet()
    worker._report = heard.append
    worker._heard({"says": "compiling", "name": "search", "count": {"done": 2, "of": 18}})
    assert heard == [{"preparing": {"done": 2, "of": 18}}]
