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
from tercet.server.engines.pool import progress
from tercet.server.engines.workers import ThreadWorker
from tercet.server.schema import describe, schema
from tests.server.conftest import Serving, Wire
from tests.server.protocol_checks import check_message

ACT = {"type": "act", "id": "a", "ply": 0, "action": "Rd4"}
SAY = {"type": "say", "id": "a", "room": "players", "text": "hello"}
CLAIM = {"type": "claim", "id": "a", "seat": 1, "what": "win"}
GO = {"type": "go", "id": "a", "position": "sanqi/"}
TYPES = (
    "act, takeback, answer, resign, draw, adjourn, continue, rematch, abort, claim, say, snapshot, ping, pong, "
    "thinker, thought"
)

RESIGN, PONG = {"type": "resign", "id": "a", "seat": 1}, {"type": "pong", "n": 3}
ANSWER = {"type": "answer", "id": "a", "what": "draw", "yes": True}
RIGHT: list[dict[str, Any]] = [
    *({**ACT, **more} for more in ({}, {"number": 1_000_000}, {"number": None, "more": ["is", "let", "through"]})),
    {"type": "act", "id": "a", "ply": 0, "actions": ["Rd4"] * 1600},
    *({"type": "takeback", "id": "a", **more} for more in ({}, {"ply": 0, "at": None})),
    *(CLAIM, {**ANSWER, "yes": False}, {**RESIGN, "seat": None}, {**RESIGN, "type": "rematch", "seat": 8}),
    *({**SAY, "text": "x" * 500}, {"type": "abort", "id": "a"}, {"type": "snapshot"}, PONG),
    *({"type": "ping", **more} for more in ({}, {"id": "any text"})),
]


@pytest.mark.parametrize("message", RIGHT)
def test_what_makes_sense_is_taken_as_it_is(message: dict[str, Any]) -> None:
    assert decode_table_message(json.dumps(message)) == message


NO_ID = "The field id must have 1 to 64 characters: letters, digits, and _ . : or -."
NO_ACTION = "An action must be text in the game's notation."
NO_SEAT = "The field seat must be a whole number from 0 to 8."
# A message, one of its fields, the values that it must not have, and what is said.
WRONG: list[tuple[dict[str, Any], str, list[Any], str]] = [
    (ACT, "id", ["no spaces", None], NO_ID),
    (ACT, "ply", [True, "0", -1, None], "The field ply must be a whole number from 0 to 1000000."),
    (ACT, "number", [1_000_001], "The field number must be a whole number from 0 to 1000000."),
    (ACT, "action", [7, "", "x" * 401], NO_ACTION),
    (ACT, "actions", [[], ["x"] * 1601], "The field actions must be a list of 1 to 1600 actions."),
    (ACT, "actions", [["Rd4", 7]], NO_ACTION),
    (CLAIM, "seat", [9], NO_SEAT),
    (CLAIM, "what", ["draw"], "The field what must be win or engine."),
    (RESIGN, "seat", [9], NO_SEAT),
    (ANSWER, "yes", [1], "The field yes must be true or false."),
    (SAY, "room", [["players"]], "The field room must be players or watchers."),
    (SAY, "text", ["x" * 501], "A chat message must have 1 to 500 characters."),
    (SAY, "seat", [-1], NO_SEAT),
    (PONG, "n", ["3"], "The field n must be a whole number."),
]
NO_OBJECTS: list[Any] = [[], {"type": ["act"]}, {}, 7]
REFUSED: list[tuple[Any, str, str]] = [
    *((found, "message", "A message must be an object with a type.") for found in NO_OBJECTS),
    ({"type": "dance"}, "type", f"There is no message of type 'dance'. Choose from {TYPES}."),
    ({"type": "go", "id": "a"}, "type", f"There is no message of type 'go'. Choose from {TYPES}."),
    *(({**message, where: one}, where, why) for message, where, values, why in WRONG for one in values),
]


@pytest.mark.parametrize(("message", "where", "why"), REFUSED)
def test_what_makes_no_sense_is_refused_with_what_must_hold(message: Any, where: str, why: str) -> None:
    with pytest.raises(AnswerError) as refused:
        decode_table_message(json.dumps(message))
    assert (refused.value.code, refused.value.where, refused.value.why) == ("bad-message", where, why)


def test_what_is_no_json_is_refused_and_the_socket_of_analyses_has_messages_of_its_own() -> None:
    for text in ("", "{", "[" * 100_000, '{"type": "ping"'):
        with pytest.raises(AnswerError, match=r"A message must be JSON\."):
            decode_table_message(text)
        assert legible_id(text) is None
    right = {**GO, "multipv": 8, "movetime": None}
    assert decode_analysis_message(json.dumps(right)) == right
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


CLIENT_SENDS = "The client sends, each with a fresh `id` of 1 to 64 letters, digits or `_.:-`:"


@pytest.mark.parametrize(("heading", "messages"), [("The server sends:", ServerMessage), (CLIENT_SENDS, ClientMessage)])
def test_the_messages_of_a_table_are_described_with_their_fields(heading: str, messages: Any) -> None:
    kinds = [typing.get_type_hints(kind, include_extras=True) for kind in typing.get_args(messages)]
    declared = {tag: hints for hints in kinds for tag in typing.get_args(hints["type"])}
    rows = list(described(heading))
    assert {kind for kind, _, _ in rows} == set(declared)
    for kind, fields, is_whole in rows:
        required = {name for name, hint in declared[kind].items() if typing.get_origin(hint) is not NotRequired}
        assert not is_whole or required - {"type"} <= fields <= set(declared[kind]), kind


LIVE = "/api/tables/abc/live"
COMPONENTS = ("#/$defs/", "#/components/schemas/")


def test_every_described_answer_has_an_address_and_every_named_type_a_description() -> None:
    described, known = describe(), schema()
    for address, answer in known["answers"].items():
        method, path = address.split(" ")
        responses = described["paths"][path][method.lower()]["responses"]
        done = next(responses[status] for status in ("201", "200") if status in responses)
        assert json.dumps(done["content"]["application/json"]["schema"]) == json.dumps(answer).replace(*COMPONENTS)
        assert responses["429"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Wrong"}
    named = set(re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(described)))
    assert named <= set(described["components"]["schemas"])
    for name in ("TableStateData", "SceneView"):
        assert set(known["$defs"][name]["required"]) == set(known["$defs"][name]["properties"])
    assert "lag" not in known["$defs"]["ActionEvent"]["required"]
    printed = subprocess.check_output([sys.executable, "-m", "tercet.server.schema"], timeout=120)
    assert json.loads(printed) == known


UNDESCRIBED: list[dict[str, Any]] = [{"type": "pong", "more": 1}, {"type": "ack", "id": "a"}, {"type": "unheard-of"}]
UNDESCRIBED += [{"type": "ack", "id": "a", "number": "1"}, {"type": "event", "kind": "unheard-of", "number": 1}]


@pytest.mark.parametrize("message", UNDESCRIBED)
def test_the_check_notices_what_is_not_described(message: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        check_message(LIVE, message)


def tallies(positions: list[Any]) -> list[list[int]]:
    return [list(position.tally or ()) for position in positions]


def played(wire: Wire, plies: int) -> list[Any]:
    """The positions of a game of which so many actions are played, each the first that is legal."""
    positions: list[Any] = [tercet.parse(wire.heard[0]["start"])]
    for ply in range(plies):
        action = str(positions[-1].legal_actions[0])
        positions.append(positions[-1].play(action))
        assert wire.act(ply, action)["type"] == "ack"
    return positions


def test_a_snapshot_has_the_start_and_the_tallies_of_all_plies(server: Serving) -> None:
    def told(table: str) -> Any:
        return server.http.get(f"/api/tables/{table}").json()["tallies"]

    table = server.open("me", "here", game="sparklies")
    wire = server.wire(table["id"], *table["tokens"])
    snapshot = wire.hear()
    passed = played(wire, 6)
    assert passed[0] == tercet.parse(snapshot["state"]["view"]["position"])
    assert snapshot["tallies"] == tallies(passed[:1])
    assert told(table["id"]) == tallies(passed)
    wire.ask(type="takeback", ply=4)
    assert told(table["id"]) == tallies(passed[:5])
    snapshot = server.wire(table["id"]).hear()
    assert (snapshot["start"], snapshot["tallies"]) == (str(passed[0]), tallies(passed[:5]))
    # A game without numbers has no tallies.
    plain, wire = server.both()
    played(wire, 1)
    assert told(plain) is None
    # Tallies know of who resigned in between.
    kinds = map(tercet.game, tercet.games())
    game = next(one.name for one in kinds if one.definition.tally and len(one.players) > 2)
    table = server.open("me", "here", "here", game=game)
    wire = server.wire(table["id"], *table["tokens"])
    wire.hear()
    passed = played(wire, 2)
    assert wire.ask(type="resign", seat=2)["type"] == "ack"
    assert told(table["id"]) == tallies([*passed[:2], passed[2].resign(2)])


def test_looking_back(server: Serving) -> None:
    table, wire = server.both()
    passed = played(wire, 3)
    moves = server.http.get(f"/api/tables/{table}").json()["state"]["moves"]
    for ply, before in enumerate(passed):
        found = server.http.get(f"/api/tables/{table}/at/{ply}").json()
        assert found["view"]["position"] == str(before)
        assert (found["view"]["paths"], found["view"]["gestures"]) == ([], [])
        assert found["move"] == (moves[ply - 1] if ply else None)
    private = server.visitor().open("me", "friend", watch="private")  # only who may watch may look back
    paths = ((f"{table}/at/4", 404), (f"{table}/at/-1", 400), ("nothere/at/0", 404), (f"{private['id']}/at/0", 404))
    for there, status in (*paths, (f"{private['id']}/at/0?seat={private['tokens'][0]}", 200)):
        assert server.http.get(f"/api/tables/{there}").status_code == status, there


def test_a_client_hears_how_many_kernels_are_ready() -> None:
    worker, heard, count = ThreadWorker(), list[Any](), {"done": 3, "of": 18}
    worker._report = heard.append
    worker._heard({"says": "compiling", "name": "sanqi.search", "count": count})
    assert (heard, progress(heard[0])[1]) == ([{"preparing": count}], count)
