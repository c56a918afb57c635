"""What must not succeed."""

import asyncio
import contextlib
import dataclasses
import itertools
import json
import socket
import time
from typing import Any
from unittest import mock

import httpx
import pytest
from websockets.exceptions import InvalidStatus

import tercet
from tercet.errors import OptionError
from tercet.server import run
from tercet.server.engines.pool import EnginePool
from tercet.server.engines.workers import Job
from tercet.server.limits.budgets import ServerLimits
from tercet.server.limits.spenders import address_group, network_group
from tercet.server.web.middleware import Proxies, SecurityMiddleware, is_foreign, named_origins
from tests.server.conftest import Serve, Serving, play, scope_of, state_of
from tests.server.people.browser import PASSWORD, SMALL, Browser, code, follow
from tests.support.limits import OPEN

pytestmark = pytest.mark.online

TABLE: dict[str, Any] = {"game": "sanqi", "options": SMALL, "seats": [{"kind": "me"}, {"kind": "here"}]}
START = str(tercet.game("sanqi", side=4).start())
NUMBERS = itertools.count()


def raw(server: Serving, *lines: bytes, body: bytes = b"") -> bytes:
    """What the server answers to just these bytes."""
    heard = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        with contextlib.suppress(OSError):  # it has heard enough
            connection.sendall(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        with contextlib.suppress(OSError):  # it hung up, or has nothing more to say
            while some := connection.recv(65536):
                heard += some
                connection.settimeout(0.5)
    return heard


def seats_of(server: Serving, table: str, **headers: str) -> Any:
    return follow(server, table, **headers).until("snapshot")["state"]["yourSeats"]


# Other sites --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/api/lobby/live", "/api/analysis", "/api/tables/{table}/live"])
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1.evil.test"])
def test_no_page_of_another_site_opens_a_socket(server: Serving, path: str, origin: str) -> None:
    browser = Browser(server)
    path = path.format(table=browser.open("me", "here"))
    wire = server.socket(path, {"origin": origin, "cookie": f"tercet={browser.cookie}"})
    assert wire.until_closed() == 4400
    assert [(one["type"], one["code"]) for one in wire.heard] == [("error", "foreign-origin")]
    own = server.socket(path, {"origin": f"http://127.0.0.1:{server.port}"})
    own.say({"type": "ping"})
    assert own.hear()["type"] != "error"


OTHER_SITES = [("origin", site) for site in ("https://evil.example", "null", "http://127.0.0.1")]  # of another port
OTHER_SITES += [("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site")]


@pytest.mark.parametrize(("header", "site"), OTHER_SITES)
def test_no_page_of_another_site_does_anything(server: Serving, header: str, site: str) -> None:
    browser = Browser(server, f"victim{next(NUMBERS)}")
    for method, path, body in (
        ("POST", "/api/me", {"name": "Pwned"}),
        ("POST", "/api/session", {"handle": "attacker", "password": PASSWORD}),
        ("DELETE", "/api/session", None),
        ("POST", "/api/tables", TABLE),
        ("DELETE", "/api/me", {"password": PASSWORD}),
    ):
        answer = browser.request(method, path, json=body, headers={header: site})
        assert code(answer)[:2] == (403, "foreign-origin")
        assert "set-cookie" not in answer.headers
    assert browser.me()["name"].startswith("victim")
    own = {"origin": f"http://127.0.0.1:{server.port}", "sec-fetch-site": "same-origin"}
    assert browser.post("/api/me", json={"name": f"Mine {next(NUMBERS)}"}, headers=own).status_code == 200


def test_no_form_is_taken_for_json(server: Serving) -> None:
    content = json.dumps({"name": "Formed"}).encode()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        headers = {"content-type": kind} if kind else {}
        answer = httpx.post(f"{server.http.base_url}/api/me", content=content, headers=headers)
        assert code(answer) == (400, "bad-message", "content-type"), kind


def test_named_origins(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERCET_ORIGINS", "https://friends.example, http://other.example:8080")
    server = serve()
    statuses = {"https://friends.example": 200, "http://other.example:8080": 200}
    statuses |= {"http://friends.example": 403, "https://friends.example.evil.example": 403}
    for origin, status in statuses.items():
        answer = server.http.post("/api/me", json={"name": "Ann"}, headers={"origin": origin})
        assert answer.status_code == status, origin
        assert "access-control-allow-origin" not in answer.headers
    for wrong in ("friends.example", "https://a.example/path", "ftp://a.example", "https://"):
        with pytest.raises(OptionError):
            named_origins(wrong)
    # A page without encryption is foreign to an encrypted one; behind a proxy that is not trusted this is not known.
    headers = [(b"host", b"play.example"), (b"origin", b"http://play.example")]
    for scheme in ("https", "http"):
        assert is_foreign({"scheme": scheme, "headers": headers}, frozenset()) == (scheme == "https")


# Who somebody is ----------------------------------------------------------------------------------------------------


def test_a_revoked_token_opens_no_seat_nor_a_replayed_cookie_after_logout(server: Serving) -> None:
    browser = Browser(server, "loggedout")
    token = browser.post("/api/tokens", json={"name": "x"}).json()
    table, bearer = browser.open("me", "here"), {"authorization": f"Bearer {token['token']}"}
    stolen = {"cookie": f"tercet={browser.cookie}"}
    assert [seats_of(server, table, **one) for one in (bearer, stolen)] == [[0], [0]]
    assert browser.delete(f"/api/sessions/{token['id']}").status_code == 200
    assert [seats_of(server, table, **one) for one in (bearer, stolen)] == [[], [0]]
    browser.delete("/api/session")
    assert seats_of(server, table, **stolen) == []
    assert httpx.get(f"{server.http.base_url}/api/me", headers=stolen).json() == {"person": None}
    assert code(httpx.get(f"{server.http.base_url}/api/sessions", headers=stolen))[0] == 401


# What is sent -------------------------------------------------------------------------------------------------------

SCRIPT = "<script>alert(1)</script>"


def test_script_stays_text(server: Serving) -> None:
    headers = dict.fromkeys(("user-agent", "accept-language", "referer"), SCRIPT)
    browser = Browser(server, "scripted", SCRIPT, headers=headers)
    table = browser.open(*({"kind": kind, "name": SCRIPT} for kind in ("me", "here")))
    paths = [f"/api/tables/{table}", f"/api/tables/{table}/record", f"/api/ratings/sanqi?speed={SCRIPT}", f"/{SCRIPT}"]
    paths += [f"/api/{name}" for name in ("me", "sessions", "people/scripted", "me/games", "me/export")]
    paths += [f"/{folder}/{SCRIPT}" for folder in ("api/people", "api/tables", "t", "players")]
    for path in paths:
        answer = browser.get(path)
        assert answer.headers["x-content-type-options"] == "nosniff", path
        assert "script-src 'self';" in answer.headers["content-security-policy"], path
        if "html" in answer.headers.get("content-type", ""):
            assert SCRIPT not in answer.text, path
        else:
            assert answer.headers["content-type"].startswith(("application/json", "text/plain")), path


def test_nothing_is_put_into_headers(server: Serving) -> None:
    browser = Browser(server)
    for text in ("a\r\nset-cookie: session=evil", "a\nx-evil: 1", "a\u2028set-cookie: b=c"):
        answer = browser.post("/api/me", json={"name": text})
        assert "x-evil" not in answer.headers
        assert answer.headers.get("set-cookie", "tercet=g.").startswith("tercet=g.")
        assert "\n" not in answer.json()["person"]["name"]
    heard = raw(server, b"GET /t/x%0d%0ax-evil:%201 HTTP/1.1", b"host: a", b"connection: close")
    assert b"\r\nx-evil" not in heard.lower()
    assert raw(server, b"GET /api/me HTTP/1.1", b"host: a\r\nx-evil: \x00").startswith(b"HTTP/1.1 4")


def test_no_two_lengths(server: Serving) -> None:
    """Nobody hides a second request in the first."""
    smuggled = b"0\r\n\r\nGET /api/me HTTP/1.1\r\nhost: a\r\n\r\n"
    for lengths in (b"5\r\ntransfer-encoding: chunked", b"5\r\ncontent-length: 6", b"+5", b"5, 6"):
        headers = (b"host: a", b"content-type: application/json", b"content-length: " + lengths)
        heard = raw(server, b"POST /api/me HTTP/1.1", *headers, body=smuggled)
        assert (heard[:12], heard.count(b"HTTP/1.1")) == (b"HTTP/1.1 400", 1), lengths


FILES = ["/assets/../../../../../../etc/passwd", "/assets/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd", "/assets/x%00.js"]
FILES += ["/assets/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/assets/..\\..\\..\\etc\\passwd", "/assets//etc/passwd"]
FILES += ["/assets/%2fetc%2fpasswd", "/../../etc/passwd", "/assets/..%252f..%252fetc%252fpasswd"]
FILES += ["/assets/%c0%ae%c0%ae/etc/passwd", "/assets/../../app.py", "/assets/../../../../pyproject.toml"]


@pytest.mark.parametrize("path", FILES)
def test_no_file_but_the_pages_is_served(server: Serving, path: str) -> None:
    heard = raw(server, f"GET {path} HTTP/1.1".encode(), b"host: a", b"connection: close")
    status = int(heard.split(b" ")[1])
    assert status in (400, 404) or (status == 200 and b"<!doctype html>" in heard.lower())
    assert [secret for secret in (b"root:", b"create_app", b"[project]") if secret in heard] == []


# How much -----------------------------------------------------------------------------------------------------------


def test_ten_megabytes(server: Serving) -> None:
    large, kind = b'{"name": "' + b"x" * 10_000_000 + b'"}', {"content-type": "application/json"}
    assert code(server.http.post("/api/me", content=large, headers=kind))[:2] == (413, "too-large")
    pieces = (large[first : first + 100_000] for first in range(0, len(large), 100_000))
    with contextlib.suppress(httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):  # it hung up before the end
        assert server.http.post("/api/me", content=pieces, headers=kind).status_code == 413
    table, wire = server.both()
    wire.say({"type": "act", "id": "a", "ply": 0, "action": "x" * 10_000_000})
    assert wire.until("error")["code"] == "too-large"
    play([wire], "Rd4")  # who plays on may play on
    assert state_of(server, table)["ply"] == 1


@pytest.mark.parametrize(("thousands", "read", "closes"), [(3, 3, False), (70, 0, True)])
async def test_what_is_a_little_too_much_is_read_before_it_is_refused(thousands: int, read: int, closes: bool) -> None:
    """What was left unread of 3,000 bytes, where 2,000 are allowed, could cut the answer off."""
    left = [{"type": "http.request", "body": b"x" * 1000, "more_body": more > 0} for more in reversed(range(thousands))]
    said: list[tuple[int, Any]] = []

    async def receive() -> Any:
        return left.pop(0)

    async def send(message: Any) -> None:
        said.append((thousands - len(left), message))

    app, length = mock.AsyncMock(side_effect=AssertionError), (b"content-length", b"%d" % (1000 * thousands))
    scope = scope_of("/api/record", "127.0.0.1", [(b"content-type", b"application/json"), length], method="POST")
    await SecurityMiddleware(app, dataclasses.replace(OPEN, body=2000))(scope, receive, send)
    before, start = said[0]
    assert (start["status"], before) == (413, read)
    assert ((b"connection", b"close") in start["headers"]) is closes


def test_a_server_as_it_is_run_hangs_up_on_ten_megabytes(tmp_path: Any) -> None:
    with mock.patch("uvicorn.Config", side_effect=KeyboardInterrupt) as config, pytest.raises(KeyboardInterrupt):
        run.serve(port=0, data_dir=tmp_path, warm=False)
    seen = config.call_args.kwargs
    assert seen["ws_max_size"] < 1_000_000
    assert (seen["proxy_headers"], seen["server_header"]) == (False, False)


def test_long_headers_and_addresses(server: Serving) -> None:
    for lines in (
        (b"GET /api/me HTTP/1.1", b"host: a", b"x-long: " + b"x" * 2_000_000),
        (b"GET /api/me HTTP/1.1", b"host: a", *(b"x-%d: y" % number for number in range(100_000))),
        (b"GET /" + b"x" * 2_000_000 + b" HTTP/1.1", b"host: a"),
        (b"GET /api/me HTTP/1.1", b"host: a", b"cookie: tercet=" + b"g." * 30_000),
    ):
        heard = raw(server, *lines)
        assert not heard.startswith(b"HTTP/1.1 5")
        assert b"Traceback" not in heard
    assert server.http.get("/api/me").status_code == 200


def test_a_thousand_games_from_one_address(serve: Serve) -> None:
    server = serve(limits=ServerLimits(requests_per_minute=None, requests_per_person=None))
    began = time.monotonic()
    answers = [server.http.post("/api/tables", json=TABLE) for _ in range(150)]
    allowed = 60 + (time.monotonic() - began) + 1  # 60 at once, one more each second
    assert 60 <= sum(answer.status_code == 201 for answer in answers) <= allowed
    assert {code(answer)[1] for answer in answers if answer.status_code != 201} == {"too-many"}
    nobody = [Browser(server).post("/api/tables", json=TABLE).status_code for _ in range(3)]
    assert 429 in nobody  # not even as somebody new


def test_many_requests_and_sockets_from_one_address_which_a_client_cannot_choose(serve: Serve) -> None:
    server = serve(limits=ServerLimits(sockets_per_address=5, requests_per_minute=5))
    wires = [server.socket("/api/lobby/live") for _ in range(6)]
    assert (wires[5].until_closed(), wires[5].heard[0]["code"]) == (4400, "too-many")
    headers = [{"x-forwarded-for": f"10.1.1.{host}", "forwarded": f"for=10.1.1.{host}"} for host in range(8)]
    assert [server.http.get("/api/me", headers=one).status_code for one in headers] == [200] * 5 + [429] * 3


def test_limits_and_proxies_are_set_by_the_environment() -> None:
    assert ServerLimits.read("") == ServerLimits()
    read = ServerLimits.read("tables_per_minute=5, requests_per_person=none analysis_seconds=2.5")
    assert (read.tables_per_minute, read.requests_per_person, read.analysis_seconds) == (5, None, 2.5)
    for wrong in ("tables=5", "body=none", "body=1.5", "tables_per_minute=-1", "tables_per_minute=0", "body", "body=x"):
        with pytest.raises(OptionError):
            ServerLimits.read(wrong)
    with pytest.raises(OptionError):
        Proxies("10.0.0.0/8 proxy.example")


# Proxies ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "client"),
    [
        ("", "127.0.0.1", b"6.6.6.6", "127.0.0.1"),
        ("10.0.0.0/8", "6.6.6.6", b"1.2.3.4", "6.6.6.6"),
        ("10.0.0.0/8", "10.0.0.1", b"1.2.3.4", "1.2.3.4"),
        ("10.0.0.0/8", "10.0.0.1", b"9.9.9.9, 1.2.3.4", "1.2.3.4"),  # the first is only what the client said
        ("10.0.0.0/8", "10.0.0.1", b"9.9.9.9, 1.2.3.4, 10.0.0.2", "1.2.3.4"),
        ("10.0.0.0/8, ::1", "::1", b"2001:db8::1", "2001:db8::1"),
        ("127.0.0.1", "127.0.0.1", b"", "127.0.0.1"),
        ("127.0.0.1", "127.0.0.1", b"nonsense", "nonsense"),
    ],
)
async def test_only_trusted_proxies_are_believed(proxies: str, peer: str, forwarded: bytes, client: str) -> None:
    app = mock.AsyncMock()
    headers = [(b"x-forwarded-for", forwarded), (b"x-forwarded-proto", b"https")]
    middleware = SecurityMiddleware(app, OPEN, proxies=Proxies(proxies))
    await middleware(scope_of("/", peer, headers), mock.AsyncMock(return_value={}), mock.AsyncMock())
    seen = app.call_args.args[0]
    assert (seen["client"][0], seen["scheme"]) == (client, "https" if proxies and peer != "6.6.6.6" else "http")


def test_under_https_the_cookie_is_secure(proxied: Serving) -> None:
    secure = {"x-forwarded-proto": "https"}
    answer = proxied.http.post("/api/me", json={"name": "Ann"}, headers=secure)
    cookie, *attributes = answer.headers["set-cookie"].split("; ")
    assert cookie.startswith("__Host-tercet=g.")
    assert "Secure" in attributes
    for sent, known in ((cookie.replace("__Host-", ""), False), (cookie, True)):
        person = proxied.http.get("/api/me", headers={"cookie": sent, **secure}).json()["person"]
        assert (person["name"] if person else None) == ("Ann" if known else None)
    assert answer.headers["strict-transport-security"].startswith("max-age=")
    assert "strict-transport-security" not in proxied.http.get("/api/me").headers


def test_a_nul_in_an_address_is_refused(server: Serving) -> None:
    for path in ("/api/tables/a%00b", "/api/people/x?y=%00", "/api/people/%00/games"):
        assert code(server.http.get(path))[:2] == (400, "bad-message")
    with pytest.raises(InvalidStatus):
        server.socket("/api/tables/a%00b/live")


# A share for everybody ------------------------------------------------------------------------------------------------


def test_a_refused_request_makes_no_guest(server: Serving) -> None:
    """A cookie costs a request that succeeds."""
    for body in ({**TABLE, "rated": True}, {**TABLE, "seats": [{"kind": "me", "name": "admin"}, {"kind": "here"}]}):
        refused = httpx.post(f"{server.http.base_url}/api/tables", json=body)
        assert refused.status_code >= 400
        assert "set-cookie" not in refused.headers
    assert "set-cookie" in httpx.post(f"{server.http.base_url}/api/tables", json=TABLE).headers


def test_guests_of_one_network_count_as_one_in_queues(proxied: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many cookies they have; and others are told by proxies that are trusted, and by nobody else."""

    async def ask(_pool: EnginePool, _where: object, _person: str, job: Job) -> Any:
        asked_by.append((job.question["do"], job.person))
        while not job.stop.is_set():
            await asyncio.sleep(0.01)

    asked_by: list[tuple[str, str]] = []
    monkeypatch.setattr(EnginePool, "_ask", ask)

    def analyse(host: str, cookie: str = "") -> dict[str, Any]:
        headers = {"x-forwarded-for": host, **({"cookie": cookie} if cookie else {})}
        wire = proxied.socket("/api/analysis", headers)
        wire.say({"type": "go", "id": "a", "position": START})
        heard = []
        for _ in range(3):  # by the last of these it has begun, or been refused
            wire.say({"type": "ping"})
            heard.append(wire.hear())
        return next((one for one in heard if one["type"] != "pong"), heard[0])

    def cookie_from(host: str) -> str:
        answer = httpx.post(f"{proxied.http.base_url}/api/tables", json=TABLE, headers={"x-forwarded-for": host})
        return str(answer.headers["set-cookie"]).split(";", maxsplit=1)[0]

    for host, maker in (("203.0.113.1", "203.0.113.7"), ("203.0.113.2", "203.0.113.8")):
        assert analyse(host, cookie_from(maker))["type"] == "pong"
    assert analyse("203.0.113.3", cookie_from("203.0.113.9"))["code"] == "too-many"
    assert analyse("203.0.113.4")["code"] == "too-many"
    assert analyse("198.51.100.1")["type"] == "pong"
    assert {share for _, share in asked_by} == {"guests of 203.0.113.0/24", "guests of 198.51.100.0/24"}


def test_what_counts_as_one_network() -> None:
    assert address_group("::ffff:203.0.113.77") == "203.0.113.77"
    assert network_group("203.0.113.77") == network_group("::ffff:203.0.113.1") == "203.0.113.0/24"
    assert network_group("2001:db8:0:1ff::1") == network_group("2001:db8:0:100::9") == "2001:db8:0:100::/56"
    assert network_group("2001:db8:0:200::1") != network_group("2001:db8:0:100::9")
    assert network_group("testclient") == "unknown"
