"""Every endpoint as the description at /api/openapi.json tells of it, asked anything that schemathesis thinks of, by
nobody, by somebody signed in and by a bot, on a real server: it answers as described, in the one form, and tells
nothing that is not to be told."""

import itertools
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tercet.server.schema import describe
from tests.server.conftest import Serving

EXAMPLES = 2  # of each endpoint, for each who asks
PASSWORD = "correct horse battery"
SECRETS = re.compile(
    r"Traceback|File \"|/site-packages/|sqlalchemy|sqlite3|psycopg|token_hash|password_hash|argon2|\$m=", re.I
)
pytestmark = pytest.mark.online

SCHEMA = schemathesis.openapi.from_dict(describe())
CHECKS = [status_code_conformance, content_type_conformance, response_headers_conformance, response_schema_conformance]
NUMBERS = itertools.count()


class Member:
    """Somebody signed in, whatever was done to his account."""

    def __init__(self, server: Serving, is_bot: bool) -> None:
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60)
        self.is_bot = is_bot
        self.cookie = ""

    def headers(self) -> dict[str, str]:
        """What his browser sends."""
        if not self.cookie or self.http.get("/api/me", headers=self._sent()).json()["person"] is None:
            self.http.cookies.clear()
            handle = f"member-{os.getpid()}-{next(NUMBERS)}"
            assert self.http.post("/api/accounts", json={"handle": handle, "password": PASSWORD}).status_code == 201
            if self.is_bot:
                assert self.http.post("/api/me/bot").status_code == 200
            self.cookie = self.http.cookies["tercet"]
            self.http.cookies.clear()
        return self._sent()

    def _sent(self) -> dict[str, str]:
        return {"cookie": f"tercet={self.cookie}"}

    def open(self, **more: Any) -> str:
        """A new table of his."""
        body = {"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "me"}, {"kind": "friend"}], **more}
        answer = self.http.post("/api/tables", json=body, headers=self.headers())
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])


class World:
    """A server where something goes on, so that addresses lead somewhere."""

    def __init__(self, server: Serving) -> None:
        self.address = f"http://127.0.0.1:{server.port}"
        self.members = {who: Member(server, who == "bot") for who in ("member", "bot")}
        member, bot = self.members.values()
        self.private = member.open(watch="private")
        tables = [
            member.open(),
            member.open(seats=[{"kind": "me"}, {"kind": "open"}]),
            bot.open(seats=[{"kind": "me"}, {"kind": "here"}]),
            self.private,
            "0" * 16,
        ]
        handle = member.http.get("/api/me", headers=member.headers()).json()["person"]["handle"]
        event = {"name": "Cup", "form": "swiss", "game": "sanqi", "rated": False}
        made = member.http.post("/api/tournaments", json=event, headers=member.headers())
        events = [made.json()["id"]] if made.status_code == 201 else []
        self.known = {
            "table_id": tables,
            "table": tables,
            "handle": [handle, "nobody-here"],
            "game": ["sanqi", "sparklies", "triplicity"],
            "seat": [0, 1, 7],
            "what": ["resign", "draw", "takeback", "abort"],
            "tournament_id": [*events, "0" * 16],
        }


@pytest.fixture(scope="module")
def world(server: Serving) -> Iterator[World]:
    """The world that the examples of this module share."""
    made = World(server)
    yield made
    for member in made.members.values():
        member.http.close()


def check(case: schemathesis.Case[Any], world: World, data: st.DataObject, who: str) -> None:
    """Ask, and look at the answer."""
    for name, values in world.known.items():
        if name in (case.path_parameters or {}) and data.draw(st.booleans(), f"a {name} that there is"):
            case.path_parameters[name] = data.draw(st.sampled_from(values), name)
    headers = world.members[who].headers() if who in world.members else {}
    if case.operation.path.endswith("/stream"):
        sent = case.as_transport_kwargs(base_url=world.address, headers=headers)
        with requests.request(stream=True, timeout=60, **sent) as streamed:
            if streamed.status_code == 200:  # it goes on until somebody hangs up
                assert streamed.headers["content-type"].startswith("application/x-ndjson")
                return
    response = case.call(base_url=world.address, headers=headers, timeout=60)
    case.validate_response(response, checks=CHECKS)
    text = response.content.decode("utf-8", "replace")
    if b"\0" not in response.content:  # in what is packed, three letters stand somewhere by chance
        assert not SECRETS.search(text), text[:500]
    if response.status_code >= 400:
        error = json.loads(text)
        assert response.status_code < 500 or error["error"]["where"] not in ("server", "database", "engine"), text
        assert (set(error), set(error["error"])) == ({"error"}, {"code", "where", "why"})
        assert "<" not in response.headers.get("content-type", "")
    if who == "nobody":
        assert world.private not in text or response.status_code >= 400


def limited(examples: int) -> settings:
    """So many examples of each endpoint."""
    return settings(
        max_examples=examples,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("who", ["nobody", "member", "bot"])
@SCHEMA.given(data=st.data())
@SCHEMA.parametrize()
@limited(EXAMPLES)
def test_every_endpoint(case: schemathesis.Case[Any], world: World, data: st.DataObject, who: str) -> None:
    check(case, world, data, who)


@pytest.mark.long
@pytest.mark.parametrize("who", ["nobody", "member", "bot"])
@SCHEMA.given(data=st.data())
@SCHEMA.parametrize()
@limited(int(os.environ.get("TERCET_EXAMPLES", "100")))
def test_every_endpoint_for_long(case: schemathesis.Case[Any], world: World, data: st.DataObject, who: str) -> None:
    check(case, world, data, who)
