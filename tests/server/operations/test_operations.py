"""What whoever runs the server sees: health, metrics, logs."""

import contextlib
import json
import logging
import os
import re
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import httpx
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from websockets.sync.client import connect

from tercet.errors import OptionError
from tercet.server.api import health
from tercet.server.app import create_app
from tercet.server.metrics import REQUESTS
from tercet.server.run import _listen
from tercet.server.store.database import address, migrate
from tercet.server.store.pubsub import PubSub
from tercet.server.web import logs
from tests.server.conftest import Serve, Serving
from tests.server.store.test_old_database import mark
from tests.support import serve as serve_script
from tests.support.present import lacking
from tests.support.services import free_port
from tests.support.waiting import until

pytestmark = pytest.mark.online

ROOT = Path(__file__).parents[3]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text("utf-8")
NGINX = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
SERVE = [sys.executable, "-m", "tercet", "serve", "--port", "0", "--no-browser"]
SETTING = re.compile(r"TERCET_[A-Z_]+")


def measured(text: str) -> dict[str, float]:
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}"] = sample.value
    return found


def test_a_server_is_ready_unless_it_leaves_or_cannot_write(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve()
    other = sqlite3.connect(server.folder / "tercet.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # as where the disk is full, or the file may only be read: it can read
    assert (server.http.get("/ready").status_code, server.http.get("/api/tournaments").status_code) == (503, 200)
    other.execute("ROLLBACK")
    other.close()
    until(lambda: server.http.get("/ready").status_code == 200)
    with monkeypatch.context() as patch:  # play goes on while Redis is away: a balancer must not drop the whole site
        patch.setattr(PubSub, "answers", AsyncMock(return_value=False))
        answer = server.http.get("/ready")
        assert answer.status_code == 200
        assert answer.json() == {"ready": True, "database": True, "bus": False, "leaving": False}
    with monkeypatch.context() as patch:
        patch.setattr(health, "_can_write", AsyncMock(return_value=False))
        lost = server.http.get("/ready")
    server.app.state.services.registry.leaving = True
    leaving = server.http.get("/ready")
    assert (lost.status_code, lost.json()["database"]) == (503, False)
    assert (leaving.status_code, leaving.json()["leaving"]) == (503, True)
    assert server.http.get("/health").status_code == 200


def test_silent_connections_take_no_descriptor_from_others(tmp_path: Path) -> None:
    """At a limit of 256 file descriptors 400 connections that say nothing kept everybody out, and filled the log."""
    port = free_port()
    script = Path(serve_script.__file__)
    limited = ["sh", "-c", 'ulimit -n 256 && exec "$@"', "sh", sys.executable, str(script), str(port)]
    environment = {**os.environ, "TERCET_DATA": str(tmp_path), "TERCET_ENGINES": "0"}
    with (tmp_path / "log").open("wb") as log, contextlib.ExitStack() as opened:
        server = subprocess.Popen(limited, env=environment, stdout=log, stderr=log)
        opened.callback(server.wait)
        opened.callback(server.terminate)
        health_page = f"http://127.0.0.1:{port}/health"

        def answers() -> bool:
            with contextlib.suppress(httpx.HTTPError):
                return httpx.get(health_page, timeout=1).status_code == 200
            return False

        until(answers, 60)
        for _ in range(400):
            silent = opened.enter_context(socket.socket())
            silent.settimeout(5)
            with contextlib.suppress(OSError):
                silent.connect(("127.0.0.1", port))
        with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.2"), timeout=10) as innocent:
            for path in ("/health", "/api/lobby", "/ready"):
                assert innocent.get(f"http://127.0.0.1:{port}{path}").status_code == 200
    assert (tmp_path / "log").stat().st_size < 20_000


def test_connections_that_cannot_be_accepted_are_told_of_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("tercet.server.web.logs.time.monotonic", lambda: now[0])
    passes = logs.AcceptFailures()

    def written(words: str) -> bool:
        return bool(passes.filter(logging.LogRecord("asyncio", logging.ERROR, "", 0, words, (), None)))

    assert [written("socket.accept() out of system resource") for _ in range(5)] == [True, *[False] * 4]
    assert written("something else")
    now[0] += 61
    assert written("socket.accept() out of system resource")


def test_a_server_that_cannot_start_says_why_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "tercet.sqlite"
    migrate(address(file))
    mark(str(file), "9999")
    command = [*SERVE, "--data-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    (line,) = done.stderr.strip().splitlines()
    assert (done.returncode != 0, "Traceback" in line) == (True, False)
    assert f"The database {file} was written by a newer version of Tercet. Update Tercet." in line


def test_metrics_count_what_happens(serve: Serve) -> None:
    server = serve(engines=1)
    before = measured(server.http.get("/metrics").text)
    table = server.open("me", "engine")
    wire = server.wire(table["id"], table["tokens"][0])
    watcher = server.wire(table["id"])
    assert wire.hear()["type"] == watcher.hear()["type"] == "snapshot"
    wire.act(0, "Rd4")
    wire.until("event", number=2)
    assert wire.act(0, "Rd4")["code"] == "stale-ply"
    after = measured(server.http.get("/metrics").text)

    gained = {name: value - before.get(name, 0) for name, value in after.items()}
    assert gained["tercet_actions_total{game=sanqi}"] == 2
    assert gained["tercet_errors_total{code=stale-ply}"] == 1
    assert gained["tercet_ack_seconds_count{}"] == 2
    assert gained["tercet_engine_wait_seconds_count{what=move}"] == 1
    assert gained["tercet_database_seconds_count{what=write}"] >= 2
    assert gained["tercet_request_seconds_count{method=POST,route=/api/tables,status=201}"] == 1
    assert after["tercet_clients{role=player}"] == after["tercet_clients{role=watcher}"] == 1
    assert (after["tercet_tables{state=followed}"], after["tercet_engine_waiting{what=move}"]) == (1, 0)
    assert after["process_resident_memory_bytes{}"] > 1e7
    assert table["id"] not in str(after)


def test_metrics_are_for_those_who_may_look(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(**headers: str) -> int:
        return server.http.get("/metrics", headers=headers).status_code

    elsewhere = {"x-forwarded-for": "203.0.113.7"}
    assert asked(**elsewhere) == 404
    monkeypatch.setenv("TERCET_METRICS_TOKEN", "token of the tests")
    assert (asked(), asked(authorization="Bearer wrong")) == (404, 404)
    assert asked(authorization="Bearer token of the tests", **elsewhere) == 200


OF_PROXIES = [(name, "203.0.113.7") for name in ("cf-connecting-ip", "x-real-ip", "true-client-ip")]
OF_PROXIES += [("via", "1.1 proxy"), ("forwarded", "for=203.0.113.7"), ("x-forwarded-host", "play.example")]
OF_PROXIES += [("host", "play.example"), ("host", "203.0.113.7:8000")]


@pytest.mark.parametrize(("name", "value"), OF_PROXIES)
def test_clients_of_a_proxy_learn_nothing_of_operations(server: Serving, name: str, value: str) -> None:
    """A proxy on this machine passes on what its clients ask, whatever little it says of them."""
    for path in ("/metrics", "/pressure"):
        assert server.http.get(path).status_code == 200
        assert server.http.get(path, headers={name: value}).status_code == 404, path
    assert server.http.get("/ready", headers={name: value}).json() == {"ready": True}


def test_the_old_protocol_of_plain_proxies_learns_nothing_of_operations(server: Serving) -> None:
    """nginx that is told nothing but ``proxy_pass`` asks in HTTP/1.0, with an address of this machine as its Host."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain:
        plain.sendall(f"GET /metrics HTTP/1.0\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        assert b" 404 " in plain.makefile("rb").readline()


def test_every_answer_names_its_request_and_every_measure_is_documented(server: Serving) -> None:
    assert len({server.http.get("/api/games").headers["x-request-id"] for _ in range(2)}) == 2
    given = server.http.get("/api/games", headers={"x-request-id": "from-the-proxy-1"})
    assert given.headers["x-request-id"] == "from-the-proxy-1"
    odd = server.http.get("/api/games", headers={"x-request-id": "two words"})
    assert re.fullmatch("[0-9a-f]{16}", odd.headers["x-request-id"])
    names = {name.partition("{")[0] for name in measured(server.http.get("/metrics").text) if name.startswith("tercet")}
    assert lacking(OPERATIONS, *(re.sub("_(created|bucket|sum|count)$", "", name) for name in names)) == []
    assert server.http.get("/health").json()["alive"] is True
    assert server.http.get("/ready").json() == {"ready": True, "database": True, "bus": True, "leaving": False}


def record(message: str, **extra: Any) -> logging.LogRecord:
    told = {"name": "tercet.server", "levelno": 30, "levelname": "WARNING", "msg": message, **extra}
    return logging.makeLogRecord(told)


def test_a_log_line_is_an_object_and_its_form_is_checked() -> None:
    logs.REQUEST.set("abc")
    error = ValueError("seat=secret")
    made = record("two\nlines", route="/x", status=200, exc_info=(ValueError, error, None))
    line = logs.JsonFormatter().format(made)
    data = json.loads(line)
    assert ("\n" in line, data["message"]) == (False, "two\nlines")
    assert (data["level"], data["request"], data["route"], data["status"]) == ("warning", "abc", "/x", 200)
    assert "ValueError: seat=***" in data["error"]
    with pytest.raises(OptionError):
        logs.configure("xml")


def test_the_proxy_writes_no_query_and_no_page_that_led_here() -> None:
    """Seats' tokens stood in the access log, in the addresses of private tables."""
    redirect = OPERATIONS.split("```nginx\n")[2].split("```")[0]
    ((kind, form),) = re.findall(r"log_format (\w+) ([^;]+);", NGINX)
    written = set(re.findall(r"\$\w+", form))
    assert {"$uri", "$status"} <= written
    assert not {"$request", "$request_uri", "$args", "$query_string", "$http_referer", "$http_cookie"} & written
    for block, log in ((NGINX.partition("server {")[2], f"/var/log/nginx/access.log {kind}"), (redirect, "off")):
        assert re.findall(r"^    access_log ([^;]+);", block, re.M) == [log]
    assert re.findall(r"error_log \S+ (\w+);", NGINX) == ["crit"]


SECRETS = """GET /api/tables/1/live?seat=SECRET&since=4
/t/0123#seat=SECRET
postgresql://tercet:SECRET@db/tercet
Authorization: Bearer SECRET
tercet_SECRETSECRETSECRETSECRETSECRET
cookie s.SECRETSECRETSECRETSECRETSECRETSECRET
{"password": "SECRET"}"""


@pytest.mark.parametrize("text", SECRETS.splitlines())
def test_secrets_are_not_written(text: str) -> None:
    for formatter in (logs.JsonFormatter(), logs.TextFormatter()):
        assert "SECRET" not in formatter.format(record(text))


def test_the_server_says_what_it_does(tmp_path: Path) -> None:
    command = [*SERVE, "--log", "json", "--data-dir", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split()[-1]
        for path in ("/api/tables/0123456789abcdef", "/api/games?seat=SECRET", "/health"):
            httpx.get(address.rstrip("/") + path, headers={"x-request-id": "asked-by-test"})
        live = f"{address.replace('http', 'ws')}api/tables/0123456789abcdef/live?seat=SECRET"
        with connect(live, additional_headers={"x-request-id": "asked-by-test"}) as opened:
            assert json.loads(opened.recv(timeout=60))["code"] == "unknown-table"
    finally:
        process.terminate()
        _, written = process.communicate(timeout=30)
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    asked = [line for line in lines if line["logger"] == "tercet.requests"]
    routes = {"/api/tables/{table_id}": 404, "/api/games": 200, "/api/tables/{table_id}/live": 4404}
    assert [(line["route"], line["status"]) for line in asked] == [*routes.items()]
    assert {line["request"] for line in asked} == {"asked-by-test"}
    assert not [secret for secret in ("SECRET", "0123456789abcdef", "127.0.0.1") if secret in written]


async def test_an_application_that_fails_is_noted_all_the_same() -> None:
    broken, never = AsyncMock(side_effect=RuntimeError("oh")), AsyncMock(side_effect=AssertionError)
    before = REQUESTS.labels("OTHER", "page", "0")._sum.get()
    with pytest.raises(RuntimeError):
        await logs.Requests(broken)({"type": "http", "method": "ODD", "headers": []}, never, never)
    assert REQUESTS.labels("OTHER", "page", "0")._sum.get() > before


def test_every_setting_is_documented_and_the_large_form_holds_together() -> None:
    used = {name for path in (ROOT / "src").rglob("*.py") for name in SETTING.findall(path.read_text("utf-8"))}
    told = set(SETTING.findall(OPERATIONS))
    # of the library; of `tercet bot`; of mkdocs.yml; of designers' files
    elsewhere = {"TERCET_EXECUTION", "TERCET_TOKEN", "TERCET_PAGE", "TERCET_VARIANTS"}
    assert used - told <= elsewhere
    assert told <= used
    for name in ("compose.yaml", "Dockerfile"):
        assert set(SETTING.findall((ROOT / name).read_text("utf-8"))) <= used
    proxied = re.findall(r"server ([\w-]+):8000", NGINX)
    assert sorted(proxied) == sorted(name for name in SERVICES if name.startswith("tercet"))
    for name in proxied:
        environment = SERVICES[name]["environment"]
        assert environment["TERCET_DATABASE"].endswith("@postgres/tercet")
        assert environment["TERCET_REDIS"].startswith("redis://redis:")
        assert environment == SERVICES[proxied[0]]["environment"]


def test_memory_is_limited_in_the_unit_and_in_compose() -> None:
    unit = OPERATIONS.split("```ini")[1].split("```")[0]
    limits = {name: int(number) for name, number in re.findall(r"^Memory(\w+)=(\d+)G?$", unit, re.MULTILINE)}
    assert limits["SwapMax"] == 0 < limits["High"] < limits["Max"]
    for name, service in SERVICES.items():
        if name.startswith("tercet"):
            assert service["mem_limit"] == service["memswap_limit"] == f"{limits['Max']}g", name


def test_small_messages_are_sent_at_once_and_a_flood_waits_at_its_sender() -> None:
    """Without its protocol said, asyncio leaves a socket waiting up to 40 ms for more to send."""
    with _listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()) as sender:
        assert listener.proto == socket.IPPROTO_TCP
        # The system grew its buffer to megabytes for each flooding connection, and behind nginx that held up everyone.
        accepted, _ = listener.accept()
        with accepted:
            size = accepted.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
            for _ in range(200):
                sender.sendall(bytes(1 << 16))
                accepted.recv(1 << 16, socket.MSG_WAITALL)
            assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) == size


def test_routes_are_built_before_anybody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first request of each is answered as soon as the others, and nobody waits for it."""
    app = create_app(tmp_path)
    monkeypatch.setattr("fastapi.routing._populate_api_route_state", late := Mock())
    for path in ("/api/tournaments", "/api/tables/abc/seats/1"):
        for route in app.routes:
            route.matches({"type": "http", "method": "POST", "path": path, "root_path": "", "headers": []})
    late.assert_not_called()
