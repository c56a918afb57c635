"""Anything may be sent: no 500, no stack trace, and the table stays playable."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.server.tables.table import Table
from tests.server.conftest import Serve

pytestmark = pytest.mark.online

CODES = {"bad-option", "bad-position", "bad-record", "illegal-action", "not-your-turn", "not-your-seat", "stale-ply"}
CODES |= {"over", "adjourned", "not-allowed", "not-signed-in", "taken", "unknown-table", "too-large", "bad-message"}
CODES |= {"not-possible", "unavailable", "not-found"}
LENIENT = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=LENIENT)

texts = st.text(st.characters(), max_size=40)  # lone surrogates among them
words = st.sampled_from(
    ["sanqi", "sparklies", "triplicity", "me", "here", "friend", "engine", "Rd4", "sanqi/4 4/5/6/7/6/5/4 F -", "side"]
)
scalars = st.none() | st.booleans() | st.integers() | st.integers(0, 12) | st.floats() | texts | words
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts | words, inner, max_size=4), max_leaves=8
)
PATHS = [f"/api/{path}" for path in ("preview", "tables", "analyse", "record", "draw", "explore", "why")]
POSITIONS = ["sanqi/4 4/5/6/3R3/6/5/4 S d4", "sanqi/4 4/5/2RR2/2R1R2/2RR2/5/4 S -"]
POSITIONS += ["triplicity rBrRrPrP3bPbPbRbB/9 W 10,10,10 a,a,a 0 -"]
POSITIONS += ["sparklies/board=3x3,ruleset=subtle r0r0r0/g0g0g0/b0b0b0 B c 0 9"]


@st.composite
def near_positions(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(POSITIONS))
    at = draw(st.integers(0, len(text) - 1))
    return text[:at] + draw(st.text(max_size=2)) + text[at + 1 :]


def check(answer: Any) -> None:
    assert answer.status_code < 500, answer.text
    assert "Traceback" not in answer.text
    if answer.status_code >= 400:
        error = answer.json()["error"]
        assert error["code"] in CODES
        assert error["why"]


@QUICK
@given(st.sampled_from(PATHS), values)
def test_any_body(server: Any, path: str, body: Any) -> None:
    check(server.http.post(path, content=json.dumps(body), headers={"content-type": "application/json"}))


@QUICK
@given(st.binary(max_size=60), st.sampled_from(["application/json", "text/plain", "multipart/form-data", ""]))
def test_any_bytes(server: Any, body: bytes, kind: str) -> None:
    for path in PATHS[:2]:
        check(server.http.post(path, content=body, headers={"content-type": kind}))


@settings(QUICK, max_examples=30)
@given(st.text(max_size=30))
def test_any_address(server: Any, text: str) -> None:
    name = quote(text.encode("utf-8", "replace"), safe="")
    for path in ("/api/tables/{}", "/api/tables/{}/record", "/api/rules/{}", "/{}", "/assets/{}"):
        assert server.http.get(path.format(name)).status_code < 500


KINDS = ("act", "takeback", "answer", "resign", "draw", "abort", "adjourn", "continue", "rematch", "claim", "say")
kinds = st.sampled_from([*KINDS, "ping", "pong", "snapshot", "go", "stop"])
messages = st.fixed_dictionaries(
    {"type": kinds | values},
    optional={
        "id": st.just("x") | values,
        **dict.fromkeys(("ply", "at", "n"), st.integers(0, 3) | values),
        "action": words | values,
        "actions": st.lists(words | values, max_size=3) | values,
        "what": st.sampled_from(["draw", "takeback", "adjourn", "continue", "rematch", "win", "engine"]) | values,
        "room": st.sampled_from(["players", "watchers"]) | values,
        "text": texts | values,
        "yes": st.booleans() | values,
        "seat": st.integers(0, 2) | values,
        "position": near_positions() | values,
        "multipv": scalars,
        "movetime": st.integers(0, 5) | scalars,
    },
)


HEARD = {"event", "ack", "error", "snapshot", "pong", "ping?", "here", "talk", "talked"}


@pytest.mark.parametrize("holds", [0, 1, 2])
def test_any_messages_on_the_socket(server: Any, holds: int) -> None:
    clock = {"kind": "fischer", "minutes": 60, "increment": 0}
    table = server.open("me", "here", chat=True, clock=clock, takebacks="own")
    wire = server.wire(table["id"], *table["tokens"][:holds])
    wire.hear()

    @QUICK
    @given(st.lists(messages.map(json.dumps) | values.map(json.dumps) | st.text(max_size=30), min_size=1, max_size=6))
    def send(texts: list[str]) -> None:
        for text in texts:
            wire.say(text)
        wire.say({"type": "ping", "id": "end"})
        while (heard := wire.hear()) != {"type": "pong", "id": "end"}:
            assert heard["type"] in HEARD
            if heard["type"] == "error":
                assert heard["code"] in CODES
                assert heard["why"]
                assert "Traceback" not in heard["why"]
            if heard["type"] == "snapshot":
                assert "token" not in json.dumps(heard)

    send()
    for path in ("", "/record"):
        assert server.http.get(f"/api/tables/{table['id']}{path}").status_code == 200


@pytest.mark.server_errors("ZeroDivisionError: a mistake in a handler")
def test_an_exception_in_a_handler_is_noticed(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client is told that the server is unavailable, as when it is busy; what is logged fails a test unless it is
    marked like this one (``tests.support.server_errors``)."""

    async def fail(*_asked: Any, **_more: Any) -> None:
        raise ZeroDivisionError("a mistake in a handler")

    monkeypatch.setattr(Table, "submit", fail)
    _, wire = serve().both()
    answer = wire.act(0, "Rd4")
    assert (answer["type"], answer["code"], answer["where"]) == ("error", "unavailable", "server")
