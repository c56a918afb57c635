"""Messages of clients: to decode them is to check them, and a refusal says what must hold."""

import json
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NotRequired

import pytest

from tercet.answers.errors import AnswerError
from tercet.answers.wire.client_messages import ClientMessage, decode_analysis_message, decode_table_message, legible_id
from tercet.answers.wire.table_messages import ServerMessage

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
