"""Every endpoint, asked anything that schemathesis thinks of, answers as /api/openapi.json describes it."""

import itertools
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi import checks

import tercet
from tercet.server.schema import describe
from tests.server.conftest import Serving
from tests.server.people.browser import Browser

EXAMPLES = 2  # of each endpoint, for each who asks
SECRETS = re.compile(
    r'(?i)Traceback|File "|/site-packages/|sqlalchemy|sqlite3|psycopg|(token|password)_hash|argon2|\$m='
)
pytestmark = pytest.mark.online

SCHEMA = schemathesis.openapi.from_dict(describe())
CHECKS = [checks.status_code_conformance, checks.content_type_conformance]
CHECKS += [checks.response_headers_conformance, checks.response_schema_conformance]
NUMBERS = itertools.count()


class Member(Browser):
    """Somebody signed in, whatever was done to his account."""

    is_bot = False

    def sends(self) -> dict[str, str]:
        if "tercet" not in self.cookies or self.me() is None:
            self.cookies.clear()
            assert self.sign_up(f"member-{os.getpid()}-{next(NUMBERS)}").status_code == 201
            if self.is_bot:
                assert self.post("/api/me/bot").status_code == 200
        return {"cookie": f"tercet={self.cookie}"}

    def opened(self, second: str = "friend", **more: Any) -> str:
        self.sends()
        return self.open("me", second, **more)


class World:
    """A server where something goes on, so that addresses lead somewhere."""

    def __init__(self, server: Serving) -> None:
        self.address = f"http://127.0.0.1:{server.port}"
        self.members = {who: Member(server) for who in ("member", "bot")}
        member, bot = self.members.values()
        bot.is_bot = True
        self.private = member.opened(watch="private")
        tables = [member.opened(), member.opened("open"), bot.opened("here"), self.private, "0" * 16]
        event = {"name": "Cup", "form": "swiss", "game": "sanqi", "rated": False}
        made = member.post("/api/tournaments", json=event)
        events = [made.json()["id"]] if made.status_code == 201 else []
        self.known: dict[str, list[Any]] = {"table_id": tables, "table": tables, "seat": [0, 1, 7]}
        self.known |= {"handle": [member.me()["handle"], "unknown-one"], "tournament_id": [*events, "0" * 16]}
        self.known |= {"game": [*tercet.games()], "what": ["resign", "draw", "takeback", "abort"]}


@pytest.fixture(scope="module")
def world(server: Serving) -> Iterator[World]:
    made = World(server)
    yield made
    for member in made.members.values():
        member.close()


def check(case: schemathesis.Case[Any], world: World, data: st.DataObject, who: str) -> None:
    """Ask, and look at the answer."""
    for name, values in world.known.items():
        if name in (case.path_parameters or {}) and data.draw(st.booleans(), f"a {name} that there is"):
            case.path_parameters[name] = data.draw(st.sampled_from(values), name)
    headers = world.members[who].sends() if who in world.members else {}
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


LIMITED = settings(deadline=None, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("who", ["nobody", "member", "bot"])
@SCHEMA.given(data=st.data())
@SCHEMA.parametrize()
@settings(LIMITED, max_examples=EXAMPLES)
def test_every_endpoint(case: schemathesis.Case[Any], world: World, data: st.DataObject, who: str) -> None:
    check(case, world, data, who)


@pytest.mark.long
@pytest.mark.parametrize("who", ["nobody", "member", "bot"])
@SCHEMA.given(data=st.data())
@SCHEMA.parametrize()
@settings(LIMITED, max_examples=int(os.environ.get("TERCET_EXAMPLES", "100")))
def test_every_endpoint_for_long(case: schemathesis.Case[Any], world: World, data: st.DataObject, who: str) -> None:
    check(case, world, data, who)
