"""The services that endpoints share: one process's registry, engines and limits, and its workers."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import threading
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from tercet.answers.addresses import Queue
from tercet.errors import TercetError
from tercet.server.engines.pool import EnginePool
from tercet.server.errors import TRANSLATOR, ApiError
from tercet.server.limits.budgets import ServerLimits
from tercet.server.limits.share import FairShare, WaitingTables
from tercet.server.limits.spenders import Metered, Spender, address_group, network_group, spender
from tercet.server.lobby import Lobby
from tercet.server.pairing import QuickPairing
from tercet.server.people.identity import People, host_of
from tercet.server.people.notices import Notices
from tercet.server.tables.chat import Chat
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.vacations import Vacations
from tercet.server.tournaments import Director

T = TypeVar("T")


COMPRESSED = (
    "text/",
    "application/json",
    "application/x-ndjson",
    "application/manifest+json",
    "application/wasm",
    "image/svg+xml",
)


@dataclass(frozen=True)
class PageFile:
    """One file: its bytes, compressed too where that makes it smaller. ``stamp`` tells whether it has changed;
    ``headers`` are sent with it."""

    stamp: tuple[int, int]
    kind: str
    body: bytes
    packed: bytes | None
    tag: str
    headers: Mapping[str, str] = field(compare=False)

    @classmethod
    def of(
        cls, kind: str, body: bytes, stamp: tuple[int, int] = (0, 0), headers: Mapping[str, str] | None = None
    ) -> PageFile:
        """Return ``body`` as a file of that media type."""
        packed = gzip.compress(body, 6, mtime=0) if kind.startswith(COMPRESSED) else body
        tag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
        return cls(stamp, kind, body, packed if len(packed) < len(body) else None, tag, headers or {})

    @property
    def size(self) -> int:
        """Return how many bytes of memory the file takes."""
        return len(self.body) + len(self.packed or b"")

    def response(self, request: Request, cache: str, status: int = 200) -> Response:
        """Return the answer to ``request``: the file, with leave to keep it as ``cache`` says, or that it has not
        changed since the browser was sent it."""
        headers = {"cache-control": cache, "etag": self.tag, "vary": "Accept-Encoding", **self.headers}
        if status == 200 and self.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        body = self.body
        if self.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            body = self.packed
            headers["content-encoding"] = "gzip"
        kind = f"{self.kind}; charset=utf-8" if self.kind.startswith("text/") else self.kind
        return Response(body, status, headers, kind)


MAX_KEPT_BYTES = 24_000_000
Steps = Generator[None, None, PageFile]


class _Making:
    """A file that is being made: any client that waits for it takes the next of the ``steps`` in its turn."""

    def __init__(self, steps: Steps) -> None:
        self.clients = 0
        self._steps = steps
        self._lock = threading.Lock()
        self._made: PageFile | None = None
        self._failure: Exception | None = None

    def step(self) -> PageFile | None:
        """Take a step. Return the file if it was the last."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._made is None:
                try:
                    next(self._steps)
                except StopIteration as done:
                    self._made = done.value
                except Exception as error:
                    self._failure = error
                    raise
            return self._made


class FileCache:
    """The latest pictures and files, by keys that say all that they show."""

    def __init__(self, most: int = MAX_KEPT_BYTES) -> None:
        self.most = most
        self._kept: OrderedDict[tuple[Any, ...], PageFile] = OrderedDict()
        self._size = 0
        self._drawing: dict[tuple[Any, ...], asyncio.Lock] = {}
        self._making: dict[tuple[Any, ...], _Making] = {}

    async def made(
        self,
        key: tuple[Any, ...],
        steps: Callable[[], Steps],
        run: Callable[[Callable[[], PageFile | None]], Awaitable[PageFile | None]],
    ) -> PageFile:
        """Return the file of that key, made once in ``steps``, each of which ``run`` does in the turn of the client: so
        others have theirs between, and no client waits for the turns of another that has asked for the same."""
        if key not in self._kept:
            making = self._making.setdefault(key, _Making(steps()))
            making.clients += 1
            try:
                while (file := await run(making.step)) is None:
                    pass
            finally:
                making.clients -= 1
                if not making.clients:
                    del self._making[key]
            if key not in self._kept:
                self._keep(key, file)
        self._kept.move_to_end(key)
        return self._kept[key]

    async def get(self, key: tuple[Any, ...], draw: Callable[[], Awaitable[PageFile]]) -> PageFile:
        """Return the file of that key, made once however many clients ask for it at the same time."""
        lock = self._drawing.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                if key not in self._kept:
                    self._keep(key, await draw())
                self._kept.move_to_end(key)
                return self._kept[key]
        finally:
            if not lock.locked():
                self._drawing.pop(key, None)

    def _keep(self, key: tuple[Any, ...], file: PageFile) -> None:
        self._kept[key] = file
        self._size += file.size
        while self._size > self.most and len(self._kept) > 1:
            self._size -= self._kept.popitem(last=False)[1].size


@dataclass
class Services:
    """The services of one server process. The first exist from the beginning, the others once it runs; ``failure`` is
    the error that prevented the start."""

    limits: ServerLimits
    origins: frozenset[str]
    fair_share: FairShare
    failure: TercetError | None = None
    sockets: Counter[str] = field(default_factory=Counter)
    people: People = field(init=False)
    registry: TableRegistry = field(init=False)
    engine_pool: EnginePool = field(init=False)
    lobby: Lobby = field(init=False)
    pairing: QuickPairing = field(init=False)
    chat: Chat = field(init=False)
    waiting: WaitingTables = field(init=False)
    pictures: FileCache = field(default_factory=FileCache)
    fixed: FileCache = field(default_factory=FileCache)  # the answers of fixed addresses
    director: Director = field(init=False)
    notices: Notices = field(init=False)
    vacations: Vacations = field(init=False)
    puzzles_stored: bool = False  # those that Tercet ships

    def __post_init__(self) -> None:
        self.fair_share.exchange.show("sockets", self.sockets)

    async def compute(self, work: Callable[[], T], asker: HTTPConnection | None = None, queue: Queue = "reading") -> T:
        """Return the result of ``work``, done in a thread of that ``queue`` by turns, and charged to the client of the
        current task. It is dropped if the ``asker`` leaves before it begins. Raise ApiError if the client's budget is
        used up, or too much waits."""
        return await until_gone(asker, self.fair_share.compute(work, queue))

    async def compute_apart(
        self,
        work: Callable[..., Any],
        fields: dict[str, Any],
        asker: HTTPConnection | None = None,
        queue: Queue = "reading",
    ) -> str:
        """Return what ``work``, a function of a module, answers to ``fields``, as JSON. It runs in another process,
        since it may take long, one for ``reading`` and one for everything else; otherwise as :meth:`compute`."""
        self.fair_share.budgets.check(spender(), "cpu", "bytes")
        apart = self.fair_share.apart if queue == "reading" else self.fair_share.playing
        return await until_gone(asker, apart.run(work, fields, spender()))


async def until_gone(asker: HTTPConnection | None, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of ``work``. It is cancelled if a request's ``asker`` hangs up."""
    if not isinstance(asker, Request):
        return await work
    working = asyncio.ensure_future(Metered(work))

    async def leave() -> None:
        while (await asker.receive())["type"] != "http.disconnect":
            pass

    leaving = asyncio.ensure_future(leave())
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ApiError("not-possible", "request", "The client has left.")
    finally:
        leaving.cancel()
        working.cancel()


def written(text: str, request: Request) -> Response:
    """Return an answer that is JSON already, in the language of the request."""
    language = language_of(request)
    headers = {} if language == "en" else {"content-language": language}
    return Response(text, media_type="application/json", headers=headers)


def language_of(connection: HTTPConnection) -> str:
    """Return the language that a client reads."""
    translator = connection.scope.get(TRANSLATOR)
    return "en" if translator is None else str(translator.language)


def services_of(connection: HTTPConnection) -> Services:
    """Return the services of the application that serves ``connection``."""
    services = connection.app.state.services
    assert isinstance(services, Services)
    return services


def address_of(connection: HTTPConnection) -> str:
    """Return the address that limits count for."""
    return address_group(host_of(connection))


def share_of(connection: HTTPConnection) -> str:
    """Return the share of an unknown client."""
    return Spender(network_of(connection)).share


def network_of(connection: HTTPConnection) -> str:
    """Return the network whose people share what is scarce."""
    return network_group(host_of(connection))
