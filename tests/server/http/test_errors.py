"""What becomes of a request that is refused."""

import gc
import logging
import socket

import pytest
from starlette.requests import Request

from tests.server.conftest import Serving
from tests.support.division import online_but
from tests.support.waiting import until

BODIES = {
    "too deep": b"[" * 100_000,
    "no JSON": b"{" + b" " * 100_000,
    "no request": b'{"seats": "' + b"x" * 100_000 + b'"}',
    "no game": b'{"game": "none", "seats": [{"kind": "me"}], "record": "' + b"x" * 3000 + b'"}',
}


@pytest.mark.parametrize("body", online_but(lambda body: body == BODIES["no game"], BODIES.values()), ids=BODIES)
def test_what_it_sent_is_let_go_at_once(server: Serving, body: bytes) -> None:
    """And not when the garbage collector comes, which is seldom: hundreds of megabytes would be kept till then."""

    def remembered(more: int) -> int:
        """Send it so many times more. Return how many requests are remembered."""
        for _ in range(more):
            asked = server.http.post("/api/tables", content=body, headers={"content-type": "application/json"})
            assert asked.status_code == 400
        return sum(type(one) is Request for one in gc.get_objects())

    remembered(1)
    gc.collect()
    gc.disable()
    try:
        before = remembered(0)
        assert remembered(8) <= before + 2
    finally:
        gc.enable()


def test_a_client_that_leaves_while_it_sends_is_no_error(server: Serving, caplog: pytest.LogCaptureFixture) -> None:
    """A stack trace of two hundred lines was logged for each."""
    asked = b"POST /api/record HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
    tasks = server.server.server_state.tasks
    before = set(tasks)
    with caplog.at_level(logging.ERROR), socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(asked)
        begun = until(lambda: set(tasks) - before, what="the request was not begun")
        client.close()
        until(lambda: not begun & set(tasks), what="the request did not end")
    assert not caplog.records


def test_a_field_that_makes_no_sense(server: Serving) -> None:
    for method, path, body, why in (
        ("POST", "tables", {"game": "sanqi", "seats": []}, "The field seats must not be empty."),
        ("POST", "tables", {"game": "sanqi", "seats": 3}, "The field seats must be a list."),
        ("POST", "tables", {"game": "sanqi"}, "The field seats is missing."),
        ("POST", "record", {"text": 3}, "The text must be a string."),
        ("GET", "puzzles/daily?game=sanqi&day=x", None, "The field day must be a date, as in 2026-01-31."),
    ):
        answer = server.http.request(method, f"/api/{path}", json=body)
        assert (answer.status_code, answer.json()["error"]["why"]) == (400, why)
