"""A real server on a port of its own, and real WebSocket clients."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import json
import os
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import pytest
import uvicorn
from argon2 import PasswordHasher
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tercet.server.api import routes
from tercet.server.app import create_app
from tercet.server.people import credentials
from tercet.server.store.database import Database, address, migrate
from tercet.server.store.tables import Store
from tercet.server.web.connections import Connections
from tercet.server.web.middleware import Proxies
from tests.server.protocol_checks import check_answer, check_message
from tests.support import services
from tests.support.limits import OPEN
from tests.support.waiting import until

# Modules whose tests run on PostgreSQL too, and those that do so among the long tests.
ON_BOTH = {"cluster.test_several_processes", "store.test_chain", "store.test_tables", "tournaments.test_storage"}
ON_BOTH |= {"people.test_analyses", "people.test_names", "people.test_rating_updates"}
ON_BOTH |= {"tables.test_clocks", "tables.test_conditional"}
ON_BOTH_LONG = {"lobby.test_lobby", "people.test_accounts"}
ON_BOTH_LONG |= {"tables.test_chat", "tables.test_seats", "tables.test_table"}
CHECKED = {"response": [check_answer]}  # hooks of httpx clients
# Each client of httpx would read all certificates of the machine, which took a quarter of these tests' time.
CLIENT: dict[str, Any] = {"timeout": 240, "verify": ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)}
# Hashes of passwords took nearly as much, and so did the routes of each server, which are always the same.
routes.routes_of = functools.cache(routes.routes_of)  # type: ignore
credentials.PasswordHasher = lambda **how: PasswordHasher(**{**how, "memory_cost": 8})  # type: ignore


@functools.cache
def empty_database() -> bytes:
    """An SQLite database without rows, which half of a server's start would be spent on making."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tercet.sqlite"
        migrate(address(path))
        return path.read_bytes()


class Wire:
    """A client's socket."""

    def __init__(self, address: str, headers: dict[str, str], **how: Any) -> None:
        self._open = contextlib.ExitStack()
        how |= {"max_size": None, "open_timeout": 20, "close_timeout": 1, "additional_headers": headers}
        self.connection: ClientConnection = self._open.enter_context(connect(address, **how))
        self.path = urlsplit(address).path
        self.heard: list[dict[str, Any]] = []
        self._ids = itertools.count()

    def hear(self) -> dict[str, Any]:
        """The next message."""
        message: dict[str, Any] = json.loads(self.connection.recv(timeout=240))
        self.heard.append(message)
        check_message(self.path, message)
        return message

    def until(self, *kinds: str, **fields: Any) -> dict[str, Any]:
        """The next message of one of these types with these fields."""
        while (message := self.hear())["type"] not in kinds or not fields.items() <= message.items():
            pass
        return message

    def now(self) -> Any:
        """Ask for the state as it is now."""
        self.say({"type": "snapshot"})
        return self.until("snapshot")["state"]

    @property
    def state(self) -> dict[str, Any]:
        """The last state that has come."""
        state: dict[str, Any] = next(message["state"] for message in reversed(self.heard) if "state" in message)
        return state

    def last(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        """The last message of a type with these fields that has come, or else the next one."""
        asked = {"type": kind, **fields}.items()
        return next((one for one in reversed(self.heard) if asked <= one.items()), None) or self.until(kind, **fields)

    def say(self, message: dict[str, Any] | str | bytes) -> None:
        self.connection.send(json.dumps(message) if isinstance(message, dict) else message)

    def ask(self, **message: Any) -> dict[str, Any]:
        """Send a message with an id, return its ack or error."""
        message.setdefault("id", f"m{id(self)}.{next(self._ids)}")
        self.say(message)
        while (heard := self.until("ack", "error")).get("id") != message["id"]:
            pass
        if heard["type"] == "ack":
            check_message(self.path, message, "client")
        return heard

    def done(self, **message: Any) -> dict[str, Any]:
        """Send a message with an id, return its ack."""
        heard = self.ask(**message)
        assert heard["type"] == "ack", heard
        return heard

    def act(self, ply: int, action: str, **more: Any) -> dict[str, Any]:
        return self.ask(type="act", ply=ply, action=action, **more)

    def close(self) -> None:
        self._open.close()

    def until_closed(self) -> int:
        """Hear everything until the server hangs up; its code."""
        try:
            while True:
                self.hear()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 1006


def play(wires: Sequence[Wire], actions: str, ply: int = 0) -> None:
    """Play actions, with spaces between, from ``ply`` on, of players by turns; each is acknowledged."""
    for number, action in enumerate(actions.split(), ply):
        wires[number % len(wires)].done(type="act", ply=number, action=action)


LEVELS: dict[str, dict[str, Any]] = {"engine": {"level": 1}}


class Opening:
    """Somebody who opens tables."""

    http: httpx.Client

    def try_to_open(self, *kinds: str | dict[str, Any], **wish: Any) -> httpx.Response:
        """Ask for a table: seats by kind, an engine of level 1, or as they are asked for."""
        seats = [{"kind": kind, **LEVELS.get(kind, {})} if isinstance(kind, str) else kind for kind in kinds]
        if not {"position", "record", "game", "table"} & wish.keys():
            wish |= {"game": "sanqi", "options": {"side": 4}}
        return self.http.post("/api/tables", json={"seats": seats, **wish})

    def open(self, *kinds: str | dict[str, Any], **wish: Any) -> dict[str, Any]:
        """Open a table; returns the answer with ``tokens`` of all people's seats added."""
        answer = self.try_to_open(*kinds, **wish)
        assert answer.status_code == 201, answer.text
        table: dict[str, Any] = answer.json()
        seats = table["seats"]
        table["tokens"] = [seat["token"] or (seat["link"] or "").partition("#seat=")[2] or None for seat in seats]
        return table


class Serving(Opening):
    """A server in a thread."""

    def __init__(self, folder: Path, postgres: services.Postgres | None = None, **options: Any) -> None:
        self.folder = folder
        self.postgres = postgres
        if not folder.exists() and "database" not in options:
            folder.mkdir(parents=True)
            (folder / "tercet.sqlite").write_bytes(empty_database())
        self.send_buffer: int | None = options.pop("send_buffer", None)
        self.options = {"limits": OPEN, **options}
        self.wires: list[Wire] = []
        self.others: list[Serving] = []
        self.start()

    def start(self) -> None:
        listener = socket.socket()
        if self.send_buffer is not None:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.send_buffer)
        listener.bind(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.app = create_app(self.folder, **self.options)
        proxies, fair_share = Proxies(os.environ.get("TERCET_TRUSTED_PROXIES", "")), self.app.state.services.fair_share
        http, sockets = Connections(10_000, proxies, fair_share).protocols()  # as tercet.server.run has it
        config = uvicorn.Config(
            self.app, log_level="error", proxy_headers=False, http=http, ws=sockets, timeout_graceful_shutdown=2
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]}, daemon=True)
        self.thread.start()
        until(lambda: self.server.started or not self.thread.is_alive(), what="the server did not start")
        assert self.server.started
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", event_hooks=CHECKED, **CLIENT)

    def another(self, **options: Any) -> Serving:
        """Another server on the same database, which ends with this one."""
        self.others.append(Serving(self.folder, **{**self.options, **options}))
        return self.others[-1]

    def kept(self) -> bytes:
        """All that is on disk; SQLite's last words are there only when it is stopped."""
        if self.postgres is not None:
            return self.postgres.dump(self.options["database"])
        return b"".join(path.read_bytes() for path in self.folder.iterdir())

    def stop(self) -> None:
        for wire in self.wires:
            wire.close()
        self.wires.clear()
        self.http.close()
        self.server.should_exit = True
        self.thread.join(20)

    def __enter__(self) -> Serving:
        return self

    def __exit__(self, *_: object) -> None:
        for one in (*self.others, self):
            one.stop()

    def restart(self) -> None:
        self.stop()
        self.start()

    def wire(
        self, table: str, *tokens: str, since: int | None = None, cookie: str = "", language: str = "", **how: Any
    ) -> Wire:
        """Follow a table."""
        asked = [*(("seat", token) for token in tokens), ("since", since), ("lang", language or None)]
        query = urlencode([(name, value) for name, value in asked if value is not None])
        return self.socket(f"/api/tables/{table}/live?{query}", {"cookie": cookie} if cookie else {}, **how)

    def socket(self, path: str, headers: dict[str, str] | None = None, **how: Any) -> Wire:
        """A client's socket at ``path``, which is closed when the server stops."""
        self.wires.append(Wire(f"ws://127.0.0.1:{self.port}{path}", headers or {}, **how))
        return self.wires[-1]

    def visitor(self, handle: str | None = None) -> Visitor:
        """Somebody with a browser of his own."""
        return Visitor(self, handle)

    def both(self, *kinds: str | dict[str, Any], **wish: Any) -> tuple[str, Wire]:
        """A new table and a client that holds all its seats, its snapshot heard."""
        table = self.open(*(kinds or ("me", "here")), **wish)
        wire = self.wire(table["id"], *filter(None, table["tokens"]))
        assert wire.hear()["type"] == "snapshot"
        return table["id"], wire

    def friends(self, *kinds: str, **wish: Any) -> tuple[dict[str, Any], list[Wire]]:
        """A new table and a client for each of its people, their snapshots heard."""
        table = self.open(*(kinds or ("me", "friend")), **wish)
        wires = [self.wire(table["id"], token) for token in table["tokens"] if token]
        assert {wire.hear()["type"] for wire in wires} == {"snapshot"}
        return table, wires

    def meeting(self, *handles: str, **wish: Any) -> tuple[str, list[Visitor]]:
        """A table of people with browsers of their own, who sit at it: accounts, where they have ``handles``."""
        people = [self.visitor(handle) for handle in handles or (None, None)]
        table: str = people[0].open("me", *["open"] * (len(people) - 1), **wish)["id"]
        for seat, person in enumerate(people[1:], 1):
            assert person.sit(table, seat).status_code == 201
        return table, people


Serve = Callable[..., Serving]
Patch = pytest.MonkeyPatch
NUMBERS = itertools.count(1)
PASSWORD = "a long enough secret"


class Visitor(Opening):
    """Somebody with a browser; a guest, or, with a ``handle``, somebody who has signed up."""

    def __init__(self, server: Serving, handle: str | None = None) -> None:
        self.server = server
        self.http = httpx.Client(base_url=str(server.http.base_url), event_hooks=CHECKED, **CLIENT)
        if handle is not None:
            self.handle = f"{handle}-{next(NUMBERS)}"
            answer = self.http.post("/api/accounts", json={"handle": self.handle, "password": PASSWORD})
            assert answer.status_code < 300, answer.text

    def sit(self, table: str, seat: int, **ask: Any) -> httpx.Response:
        return self.http.post(f"/api/tables/{table}/seats/{seat}", json=ask)

    def wire(self, table: str, *tokens: str, **how: Any) -> Wire:
        """Follow a table in this browser."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        return self.server.wire(table, *tokens, cookie=cookie, **how)


class Hands:
    """A clock that a test sets."""

    now = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


class Lines:
    """The messages, one a line, of an answer that does not end."""

    def __init__(self, http: httpx.Client, path: str, method: str = "GET", **body: Any) -> None:
        self._open = contextlib.ExitStack()
        answer = self._open.enter_context(http.stream(method, path, json=body or None, timeout=60))
        assert answer.status_code == 200, answer.read()
        self.lines = answer.iter_lines()
        self.heard: list[str] = []

    def hear(self) -> dict[str, Any]:
        heard: dict[str, Any] = json.loads(next(filter(None, self.lines)))
        self.heard.append(heard["type"])
        return heard

    def until(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The next message of this type with these fields."""
        while not {"type": kind, **fields}.items() <= (heard := self.hear()).items():
            pass
        return heard

    def close(self) -> None:
        self._open.close()


def code(answer: Any) -> str:
    """The code of an error."""
    found: str = answer.json()["error"]["code"]
    assert answer.json()["error"]["why"]
    return found


def until_alive(lease: Any, seconds: float = 0.0) -> None:
    """Wait until a process says that it lives, that many seconds after it has last said so."""
    noted = lease._noted + seconds
    until(lambda: lease._noted > noted, what="the process does not say that it lives")


def scope_of(path: str, peer: str, headers: Sequence[Any] = (), method: str = "GET") -> dict[str, Any]:
    """A request as an ASGI server describes it to an application."""
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "scheme": "http"}
    return {**scope, "headers": [*headers], "client": (peer, 1)}


def state_of(server: Any, table: str) -> dict[str, Any]:
    """The state of a table as anybody sees it, who may."""
    state: dict[str, Any] = server.http.get(f"/api/tables/{table}").json()["state"]
    return state


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Some modules' tests run on both databases."""
    if "backend" in metafunc.fixturenames:
        module = metafunc.module.__name__.removeprefix("tests.server.")
        marks = [pytest.mark.online] if module in ON_BOTH else [pytest.mark.long] if module in ON_BOTH_LONG else None
        found = ["sqlite"] if marks is None else ["sqlite", pytest.param("postgresql", marks=marks)]
        metafunc.parametrize("backend", found, indirect=True, scope="session")


@pytest.fixture(scope="session")
def backend(request: pytest.FixtureRequest) -> str:
    """The kind of database: sqlite or postgresql."""
    kind: str = request.param
    if kind == "postgresql" and services.missing():
        pytest.skip(services.missing())
    return kind


def _started(kind: Callable[[], Any]) -> Iterator[Any]:
    if services.missing():
        pytest.skip(services.missing())
    with contextlib.closing(kind()) as started:
        yield started


@pytest.fixture(scope="session")
def postgres() -> Iterator[services.Postgres]:
    """A PostgreSQL of the tests' own."""
    yield from _started(services.Postgres)


@pytest.fixture
def redis() -> Iterator[services.Redis]:
    """A Redis of a test's own."""
    yield from _started(services.Redis)


def _where(backend: str, request: pytest.FixtureRequest) -> dict[str, Any]:
    """Where a server keeps its games, as options."""
    if backend == "sqlite":
        return {}
    postgres: services.Postgres = request.getfixturevalue("postgres")
    return {"postgres": postgres, "database": postgres.create()}


@pytest.fixture
def database(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new database."""
    found: str = _where(backend, request).get("database", str(tmp_path / "tercet.sqlite"))
    return found


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Database]:
    """A new database in a file, opened."""
    migrate(address(tmp_path / "some.sqlite"))
    made = Database(address(tmp_path / "some.sqlite"))
    yield made
    asyncio.run(made.close())


@pytest.fixture
def kept(database: str) -> Iterator[Store]:
    """A store of a new database of either kind."""
    migrate(address(database))
    made = Store(Database(address(database)))
    yield made
    asyncio.run(made.database.close())


@pytest.fixture(scope="session")
def server(backend: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server that many tests share."""
    with Serving(tmp_path_factory.mktemp("server"), **_where(backend, request)) as serving:
        yield serving


@pytest.fixture
def proxied(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Serving:
    """A server of a test's own that believes where a request says it comes from."""
    monkeypatch.setenv("TERCET_TRUSTED_PROXIES", "127.0.0.1")
    return serve()


@pytest.fixture
def serve(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Serve]:
    """Starts servers of a test's own."""
    numbers = itertools.count()
    with contextlib.ExitStack() as started:
        yield lambda **options: started.enter_context(
            Serving(tmp_path / f"data{next(numbers)}", **{**_where(backend, request), **options})
        )
