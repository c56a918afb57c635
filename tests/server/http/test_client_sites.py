"""Sites whose pages are clients of a server: which origins may, what they carry, and what they may not do."""

from typing import Any

import httpx
import pytest

from tercet.server.web.middleware import PROTOCOL, SESSION
from tests.server.conftest import Serve, Serving
from tests.server.people.browser import PASSWORD, SMALL, Browser, code

pytestmark = pytest.mark.online

SITE = "https://site.example"
ALLOWED = "access-control-allow-origin"
TABLE = {"game": "sanqi", "options": SMALL, "seats": [{"kind": "me"}, {"kind": "here"}]}


@pytest.fixture
def server(serve: Serve) -> Serving:
    return serve(sites=SITE)


def ask(server: Serving, method: str, path: str, session: str = "", body: Any = None, **headers: str) -> httpx.Response:
    """The answer to a request of the site's page."""
    carried = {SESSION: session} if session else {}
    headers = {"origin": SITE, "sec-fetch-site": "cross-site", **carried, **headers}
    return httpx.request(method, f"http://127.0.0.1:{server.port}{path}", json=body, headers=headers, timeout=60)


def test_a_site_carries_a_session_in_a_header_and_no_cookie(server: Serving) -> None:
    made = ask(server, "POST", "/api/tables", body=TABLE)
    assert (made.status_code, made.headers[ALLOWED]) == (201, SITE)
    assert made.headers["access-control-expose-headers"] == SESSION
    assert "origin" in made.headers["vary"].lower()
    assert not {"set-cookie", "access-control-allow-credentials"} & set(made.headers)
    guest = made.headers[SESSION]
    assert ask(server, "GET", "/api/me", guest).json()["person"]["kind"] == "guest"
    path, protocols = f"/api/tables/{made.json()['id']}/live", [PROTOCOL, f"{PROTOCOL}.{guest}"]
    wire = server.socket(path, {"origin": SITE}, subprotocols=protocols)
    assert (wire.connection.subprotocol, wire.until("snapshot")["state"]["yourSeats"]) == (PROTOCOL, [0])
    up = ask(server, "POST", "/api/accounts", guest, {"handle": "fromsite", "password": PASSWORD})
    account = up.headers[SESSION]
    assert account.startswith("s.")
    assert ask(server, "GET", "/api/me", account).json()["person"]["handle"] == "fromsite"
    assert ask(server, "DELETE", "/api/session", account).headers[SESSION] == ""
    assert ask(server, "GET", "/api/me", account).json() == {"person": None}
    refused = ask(server, "POST", "/api/session", body={"handle": "nobody", "password": PASSWORD})
    assert (refused.status_code, refused.headers[ALLOWED]) == (403, SITE), "it can be read"


def test_a_site_acts_for_no_one_by_cookie(server: Serving) -> None:
    browser = Browser(server, "bycookie")
    cookie = f"tercet={browser.cookie}"
    assert ask(server, "GET", "/api/me", cookie=cookie).json() == {"person": None}
    made = ask(server, "POST", "/api/tables", body=TABLE, cookie=cookie)
    assert made.headers[SESSION].startswith("g."), "a guest, and not the account"
    assert browser.me()["handle"] == "bycookie"


def test_only_named_sites_and_a_browser_asks_first(server: Serving, serve: Serve) -> None:
    for other in (server, serve()):
        for origin in ("https://evil.example", "null", "https://site.example.evil.example", "http://site.example"):
            assert ALLOWED not in ask(other, "GET", "/api/games", origin=origin).headers, origin
            assert code(ask(other, "POST", "/api/tables", body=TABLE, origin=origin))[1] == "foreign-origin"
            asked = {"access-control-request-method": "POST", "origin": origin}
            preflight = ask(other, "OPTIONS", "/api/tables", **asked)
            assert (preflight.status_code, ALLOWED in preflight.headers) == (405, False)
    assert not {ALLOWED, SESSION} & set(ask(serve(), "GET", "/api/games").headers)
    asked = {"access-control-request-method": "POST", "access-control-request-headers": f"content-type,{SESSION}"}
    found = ask(server, "OPTIONS", "/api/tables", **asked)
    assert (found.status_code, found.headers[ALLOWED]) == (200, SITE)
    assert {"content-type", SESSION} <= set(found.headers["access-control-allow-headers"].split(", "))
    assert "POST" in found.headers["access-control-allow-methods"]
    assert ask(server, "OPTIONS", "/api/tables").status_code == 405, "no browser asks so"


POSTED: dict[str, Any] = {"tokens": {"name": "x"}, "me/recovery/code": {"password": PASSWORD}, "me/bot": {}}
POSTED |= {"me/password": {"old": PASSWORD, "new": f"{PASSWORD} too"}}
MANAGING: list[Any] = [("GET", "sessions", None), ("DELETE", "sessions", None), ("GET", "me/export", None)]
MANAGING += [("DELETE", "me", {"password": PASSWORD}), *(("POST", path, body) for path, body in POSTED.items())]


def test_no_site_manages_an_account(server: Serving) -> None:
    made = ask(server, "POST", "/api/accounts", body={"handle": "guarded", "password": PASSWORD})
    session = made.headers[SESSION]
    for method, path, body in MANAGING:
        assert code(ask(server, method, f"/api/{path}", session, body)) == (403, "not-allowed", "origin"), path
        assert ask(server, "GET", "/api/me", session).json()["person"]["handle"] == "guarded"
