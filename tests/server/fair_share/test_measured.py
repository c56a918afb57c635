"""For each address, socket and message, clients are charged the processor time that the server's threads use."""

import functools
import itertools
import threading
import time
from collections.abc import Callable
from typing import Any, get_args, get_type_hints

import httpx
import pytest

import tercet
from tercet.answers.wire.client_messages import ClientMessage
from tercet.learning.lessons import lessons_of
from tercet.server.limits import spenders
from tercet.server.limits.budgets import Budgets
from tercet.server.limits.spenders import Spender
from tercet.server.schema import SOCKETS, served
from tests.server.conftest import Serve, Serving
from tests.server.people.browser import Browser

USED_SECONDS = 0.03  # of each, until the figures are compared
MOST = 400  # requests until then
FIFTH, LITTLE_SECONDS = 0.2, 0.003  # of what was used; the server's own work, which is not the same in each second
ATTEMPTS = 4  # until the figures agree: what others do on the machine disturbs both
SETTLE_SECONDS = 0.02
SMALL = {"game": "sanqi", "options": {"side": 6}}
POSITION = str(tercet.game("sanqi", side=6).start())
BODIES: dict[str, Any] = {  # of requests that are served; the others are refused, which costs, too
    "POST /api/analyses": {"name": "a", "chapter": "b", "start": POSITION},
    "POST /api/analyses/{analysis}/chapters/{number}": {"changes": [{"path": ["Rd4"]}]},
    "POST /api/dial": {"game": "sanqi", "options": {"side": 4}},
    "POST /api/draw": {"position": POSITION},
    "POST /api/me/follows": {"handle": "dorothea"},
    "POST /api/position": {"position": POSITION},
    "POST /api/preview": SMALL,
    "POST /api/record": {"text": '[Game "sanqi"]\n[Options "side=6"]\n\n1. Rd4 Yd5 *'},
    "POST /api/tables": {**SMALL, "seats": [{"kind": "me"}, {"kind": "here"}]},
}
ENDLESS = {"POST /api/pairing", "GET /api/bot/stream", "GET /api/bot/games/{table}/stream"}
OF_STRANGERS = ("/api/me", "/api/session", "/api/sessions", "/api/me/bot", "/api/accounts")  # a session begins or ends


class Meter:
    """The processor time of a server's threads, and what its clients were charged."""

    def __init__(self, server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
        self.server = server
        self.charged = 0.0
        spend = Budgets.spend

        def noted(shared: Budgets, who: Spender, **used: Any) -> None:
            if who.network == "127.0.0.0/24":
                self.charged += used.get("cpu", 0.0) + used.get("engine", 0.0)
            spend(shared, who, **used)

        monkeypatch.setattr(Budgets, "spend", noted)
        monkeypatch.setattr(spenders, "SETTLE_SECONDS", SETTLE_SECONDS)
        began, before = time.monotonic(), self._used()
        time.sleep(1)
        self._own = (self._used() - before) / (time.monotonic() - began)  # for itself, in a second

    def _used(self) -> float:
        """The seconds that the server's threads have used."""
        threads = [one for one in threading.enumerate() if one is self.server.thread or one.name.startswith("tercet-")]
        clocks = [time.pthread_getcpuclockid(one.ident) for one in threads if one.ident is not None]
        return sum(map(time.clock_gettime, clocks))

    def _compare(self, ask: Callable[[], object]) -> tuple[float, float]:
        """Ask again and again. Return the seconds that were used and those that were charged."""
        time.sleep(3 * SETTLE_SECONDS)
        self.charged, began, before = 0.0, time.monotonic(), self._used()
        for _ in range(MOST):
            ask()
            if self._used() - before > USED_SECONDS:
                break
        time.sleep(3 * SETTLE_SECONDS)
        return self._used() - before - self._own * (time.monotonic() - began), self.charged

    def wrong(self, what: str, ask: Callable[[], object]) -> str | None:
        """Return what is wrong with the charge; None if nothing is."""
        ask()  # what is done once is done
        ratios = []
        for _ in range(ATTEMPTS):
            used, charged = self._compare(ask)
            if abs(charged - used) <= FIFTH * used + LITTLE_SECONDS:
                return None
            ratios.append(round(charged / used, 2))
        return f"{what}: {ratios}"


def test_each_address_charges_what_it_used(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The downloads of all puzzles cost 150 to 200 milliseconds, and were charged to no one."""
    server = serve(engines=0)
    meter = Meter(server, monkeypatch)
    member, _ = Browser(server, "charlotte"), Browser(server, "dorothea")
    table = member.post("/api/tables", json=BODIES["POST /api/tables"]).json()["id"]
    values = {"game": "sanqi", "lesson": lessons_of("sanqi")[0].id, "handle": "dorothea", "form": "svg"}
    values |= {"analysis": member.post("/api/analyses", json=BODIES["POST /api/analyses"]).json()["id"], "number": "1"}
    values |= {"table_id": table, "table": table, "ply": "0", "seat": "1", "step": "0", "what": "resign"}
    values |= dict.fromkeys(("study", "ident", "puzzle", "session_id", "tournament_id"), "none")
    wrong = []
    for asked, one in served().items():
        if asked in ENDLESS:
            continue
        client: httpx.Client = member
        if one.method != "GET" and one.path in OF_STRANGERS:
            client = httpx.Client(base_url=str(server.http.base_url), timeout=240)

        def ask(client: httpx.Client = client, asked: str = asked, one: Any = one) -> None:
            body = {"json": BODIES.get(asked, {})} if one.has_body else {}
            assert client.request(one.method, one.path.format(**values), **body).status_code < 500, asked

        wrong.append(meter.wrong(asked, ask))
    assert not [one for one in wrong if one]


def test_each_socket_and_each_message_charges_what_it_used(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were charged by estimates: 4 ms for a socket, 0.1 ms for a frame."""
    server = serve(engines=0)
    meter = Meter(server, monkeypatch)
    table, wire = server.both()
    action, ids = wire.heard[-1]["state"]["view"]["paths"][0][0], itertools.count()
    fields: dict[str, dict[str, Any]] = {"act": {"ply": 9, "action": action}, "takeback": {"ply": 9}, "pong": {"n": 0}}
    fields |= {"answer": {"what": "draw", "yes": False}, "claim": {"seat": 0, "what": "win"}, "thought": {"n": 0}}
    fields |= {"say": {"room": "watchers", "text": "no"}, "thinker": {"can": False}}

    def say(kind: str) -> None:
        for _ in range(4):
            wire.say({"type": kind, "id": f"m{next(ids)}", **fields.get(kind, {})})
        wire.say({"type": "ping"})
        wire.until("pong")

    def play() -> None:
        assert wire.act(0, action)["type"] == wire.ask(type="takeback", ply=0)["type"] == "ack"

    def ping() -> None:
        for answered in [wire.connection.ping() for _ in range(50)][-1:]:
            assert answered.wait(60)

    def visit(path: str) -> None:
        server.socket(path.format(table_id=table, tournament_id="none", analysis="none")).close()

    kinds = {kind for one in get_args(ClientMessage) for kind in get_args(get_type_hints(one)["type"])}
    works: dict[str, Callable[[], object]] = {"an action taken back": play, "pings": ping}
    works |= {kind: functools.partial(say, kind) for kind in sorted(kinds - {"abort", "resign"})}
    works |= {path: functools.partial(visit, path) for path in SOCKETS}
    wrong = [meter.wrong(what, work) for what, work in works.items()]
    assert not [one for one in wrong if one]
