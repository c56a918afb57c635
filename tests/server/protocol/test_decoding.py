"""Messages of clients are checked as they are decoded; the protocol as types, and its schema."""

import json
import re
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NotRequired

import pytest

import tercet
from tercet.answers.errors import AnswerError
from tercet.answers.wire.client_messages import ClientMessage, decode_analysis_message, decode_table_message, legible_id
from tercet.answers.wire.table_messages import ServerMessage
from tercet.server.engines.workers import Worker
from tercet.server.schema import describe, schema
from tests.server.conftest import Serve, Serving
from tests.server.protocol_checks import check_message

ACT = {"type": "act", "id": "a", "ply": 0, "action": "Rd4"}
SAY = {"type": "say", "id": "a", "room": "players", "text": "hello"}
CLAIM = {"type": "claim", "id": "a", "seat": 1, "what": "win"}
GO = {"type": "go", "id": "a", "position": "sanqi/"}
TYPES = (
    "act, takeback, answer, resign, draw, adjourn, continue, rematch, abort, claim, say, snapshot, ping, pong, "
    "thinker, thought"
)


@pytest.mark.parametrize(
    "message",
    [
        ACT,
        {**ACT, "number": 1_000_000},
        {**ACT, "number": None, "more": ["is", "let", "through"]},
        {"type": "act", "id": "a", "ply": 0, "actions": ["Rd4"] * 1600},
        {"type": "takeback", "id": "a"},
        {"type": "takeback", "id": "a", "ply": 0, "at": None},
        {"type": "answer", "id": "a", "what": "draw", "yes": False},
        {"type": "resign", "id": "a", "seat": None},
        {"type": "rematch", "id": "a", "seat": 8},
        {"type": "abort", "id": "a"},
        CLAIM,
        {**SAY, "text": "x" * 500},
        {"type": "snapshot"},
        {"type": "ping"},
        {"type": "ping", "id": "any text"},
        {"type": "pong", "n": 3},
    ],
)
def test_what_makes_sense_is_taken_as_it_is(message: dict[str, Any]) -> None:
    assert decode_table_message(json.dumps(message)) == message


@pytest.mark.parametrize(
    ("message", "where", "why"),
    [
        ([], "message", "A message must be an object with a type."),
        ({"type": ["act"]}, "message", "A message must be an object with a type."),
        ({}, "message", "A message must be an object with a type."),
        (7, "message", "A message must be an object with a type."),
        ({"type": "dance"}, "type", f"There is no message of type 'dance'. Choose from {TYPES}."),
        ({"type": "go", "id": "a"}, "type", f"There is no message of type 'go'. Choose from {TYPES}."),
        (
            {**ACT, "id": "no spaces"},
            "id",
            "The field id must have 1 to 64 characters: letters, digits, and _ . : or -.",
        ),
        ({**ACT, "id": None}, "id", "The field id must have 1 to 64 characters: letters, digits, and _ . : or -."),
        ({**ACT, "ply": True}, "ply", "The field ply must be a whole number from 0 to 1000000."),
        ({**ACT, "ply": "0"}, "ply", "The field ply must be a whole number from 0 to 1000000."),
        ({**ACT, "ply": -1}, "ply", "The field ply must be a whole number from 0 to 1000000."),
        ({**ACT, "ply": None}, "ply", "The field ply must be a whole number from 0 to 1000000."),
        ({**ACT, "number": 1_000_001}, "number", "The field number must be a whole number from 0 to 1000000."),
        ({**ACT, "action": 7}, "action", "An action must be text in the game's notation."),
        ({**ACT, "action": ""}, "action", "An action must be text in the game's notation."),
        ({**ACT, "action": "x" * 401}, "action", "An action must be text in the game's notation."),
        ({**ACT, "actions": []}, "actions", "The field actions must be a list of 1 to 1600 actions."),
        ({**ACT, "actions": ["x"] * 1601}, "actions", "The field actions must be a list of 1 to 1600 actions."),
        ({**ACT, "actions": ["Rd4", 7]}, "actions", "An action must be text in the game's notation."),
        ({**CLAIM, "seat": 9}, "seat", "The field seat must be a whole number from 0 to 8."),
        ({**CLAIM, "what": "draw"}, "what", "The field what must be win or engine."),
        ({"type": "resign", "id": "a", "seat": 9}, "seat", "The field seat must be a whole number from 0 to 8."),
        ({"type": "answer", "id": "a", "what": "draw", "yes": 1}, "yes", "The field yes must be true or false."),
        ({**SAY, "room": ["players"]}, "room", "The field room must be players or watchers."),
        ({**SAY, "text": "x" * 501}, "text", "A chat message must have 1 to 500 characters."),
        ({**SAY, "seat": -1}, "seat", "The field seat must be a whole number from 0 to 8."),
        ({"type": "pong", "n": "3"}, "n", "The field n must be a whole number."),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_must_hold(message: Any, where: str, why: str) -> None:
    with pytest.raises(AnswerError) as refused:
        decode_table_message(json.dumps(message))
    assert (refused.value.code, refused.value.where, refused.value.why) == ("bad-message", where, why)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"type": "ping"'])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(AnswerError, match=r"A message must be JSON\."):
        decode_table_message(text)
    assert legible_id(text) is None


def test_the_socket_of_analyses_has_messages_of_its_own() -> None:
    assert decode_analysis_message(json.dumps({**GO, "multipv": 8, "movetime": None})) == {
        **GO,
        "multipv": 8,
        "movetime": None,
    }
    for wrong, where in (({**GO, "multipv": 9}, "multipv"), ({**GO, "position": 7}, "position"), (ACT, "type")):
        with pytest.raises(AnswerError) as refused:
            decode_analysis_message(json.dumps(wrong))
        assert refused.value.where == where


def described(heading: str) -> Iterator[tuple[str, set[str], bool]]:
    """Type and fields of each message in the table below a line of docs/server.md, and whether it lists all of them."""
    text = (Path(__file__).parents[3] / "docs" / "server.md").read_text(encoding="utf-8").split(f"\n{heading}\n")[1]
    rows = re.findall(r"^\| (.+?) \|", text.split("\n\n")[0], re.MULTILINE)
    for kind, fields in re.findall(r'\{type: "([^"]+)"(.*?)\}`', "\n".join(rows)):
        names = re.sub(r"\[\{.*?\}\]", "", fields).replace("?", "")
        yield kind, set(re.findall(r"\w+", names)), "..." not in fields


@pytest.mark.parametrize(
    ("heading", "messages"),
    [
        ("The server sends:", ServerMessage),
        ("The client sends, each with a fresh `id` of 1 to 64 letters, digits or `_.:-`:", ClientMessage),
    ],
)
def test_the_messages_of_a_table_are_described_with_their_fields(heading: str, messages: Any) -> None:
    declared = {
        tag: hints
        for kind in typing.get_args(messages)
        for hints in [typing.get_type_hints(kind, include_extras=True)]
        for tag in typing.get_args(hints["type"])
    }
    rows = list(described(heading))
    assert {kind for kind, _, _ in rows} == set(declared)
    for kind, fields, is_whole in rows:
        required = {name for name, hint in declared[kind].items() if typing.get_origin(hint) is not NotRequired}
        assert not is_whole or required - {"type"} <= fields <= set(declared[kind]), kind


LIVE = "/api/tables/abc/live"
COMPONENTS = ("#/$defs/", "#/components/schemas/")


def test_every_described_answer_has_an_address_and_every_named_type_a_description() -> None:
    described = describe()
    for address, answer in schema()["answers"].items():
        method, path = address.split(" ")
        responses = described["paths"][path][method.lower()]["responses"]
        done = next(responses[status] for status in ("201", "200") if status in responses)
        assert json.dumps(done["content"]["application/json"]["schema"]) == json.dumps(answer).replace(*COMPONENTS)
        assert responses["429"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Wrong"}
    described = describe()
    named = set(re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(described)))
    assert named <= set(described["components"]["schemas"])
    found = schema()["$defs"]
    assert set(found["TableStateData"]["required"]) == set(found["TableStateData"]["properties"])
    assert set(found["SceneView"]["required"]) == set(found["SceneView"]["properties"])
    assert "lag" not in found["ActionEvent"]["required"]
    done = subprocess.run(
        [sys.executable, "-m", "tercet.server.schema"], capture_output=True, text=True, check=True, timeout=120
    )
    assert json.loads(done.stdout) == schema()


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
    # A game without numbers has no tallies.
    plain, wire = server.both()
    wire.act(0, str(tercet.parse(wire.heard[0]["start"]).legal_actions[0]))
    assert server.http.get(f"/api/tables/{plain}").json()["tallies"] is None
    # Tallies know of who resigned in between.
    game = next(
        one for one in tercet.games() if (found := tercet.game(one)).definition.tally and len(found.players) > 2
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


def test_only_who_may_watch_may_look_back(serve: Serve) -> None:
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
