"""The application: :func:`create_app` puts everything together."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware, GZipResponder

from tercet import __version__
from tercet.browser.site import DeviceFiles
from tercet.errors import TercetError
from tercet.server import errors
from tercet.server.engines.pool import EnginePool, named_engines
from tercet.server.errors import Json
from tercet.server.limits.budgets import ServerLimits
from tercet.server.limits.share import FairShare, WaitingTables
from tercet.server.limits.spenders import ChargedThreads
from tercet.server.lobby import Lobby
from tercet.server.metrics import DAMAGED_TABLES
from tercet.server.pairing import QuickPairing
from tercet.server.people.credentials import Mailer
from tercet.server.people.identity import People, refresh_skeletons
from tercet.server.people.notices import Notices
from tercet.server.people.push import WebPush
from tercet.server.services import Services
from tercet.server.store.database import Database, address, migrate
from tercet.server.store.pubsub import PubSub, checked, connect
from tercet.server.store.tables import Store
from tercet.server.tables.chat import Chat
from tercet.server.tables.registry import Overdue, TableRegistry, settle
from tercet.server.tables.reminders import Reminders
from tercet.server.tables.vacations import Vacations
from tercet.server.tournaments import Director
from tercet.server.web import pages
from tercet.server.web.logs import Requests
from tercet.server.web.middleware import ClientSites, SecurityMiddleware, TranslationMiddleware, named_origins

# isort: off
from tercet.server.api import (
    accounts, analyses, analysis, bots, challenges, embeds, health, lessons, lobby, my_data, notices,
    pictures, profiles, puzzles, routes, social, tables, tournaments, vacations,
)  # fmt: skip

LOG = logging.getLogger("tercet.server")
ANSWERING = (
    analyses, analysis, lessons, puzzles, tables, lobby, challenges, pictures, accounts, my_data, notices, vacations,
    profiles, social, bots, tournaments, embeds, health,
)  # fmt: skip
LEAST_GZIP_BYTES = 1000  # of an answer that is compressed
GZIP_IN_THREAD_BYTES = 32_768  # from which on compressing an answer would keep the event loop for a millisecond


def data_directory() -> Path:
    """Return the directory of the games: ``TERCET_DATA`` if set, else the user's data directory."""
    import platformdirs

    return Path(os.environ.get("TERCET_DATA") or platformdirs.user_data_dir("tercet", appauthor=False))


def create_app(
    data_dir: str | Path | None = None,
    *,
    limits: ServerLimits | None = None,
    origins: Iterable[str] = (),
    page: Path | None = None,
    engines: int | None = None,
    clock: Callable[[], int] | None = None,
    database: str | None = None,
    redis: str | None = None,
    pubsub: Callable[[], PubSub] | None = None,
    device: str | Path | None = None,
    sites: str | None = None,
) -> FastAPI:
    """Return the server's application.

    ``database`` and ``redis`` are addresses (None: ``TERCET_DATABASE`` and ``TERCET_REDIS``, if they are set); without
    the one there is an SQLite database in the folder ``data_dir`` (None: :func:`data_directory`), without the other no
    other process hears from this one. ``origins`` are other web origins that may open sockets here; ``page`` is the
    folder of the built page; ``engines`` how many processes think for tables (0: threads; None: what
    ``TERCET_ENGINES`` says, else half of the processors); ``clock`` tells the time in milliseconds (None: this
    machine's, or the database's); ``pubsub`` makes what carries word between processes, instead of ``redis``.
    ``device`` is a folder that ``tercet site`` wrote: analyses run on the visitors' devices (None: ``TERCET_DEVICE``,
    if it is set; else they run here). ``sites`` are the web origins of sites without a server whose pages are
    clients of this one (None: ``TERCET_CLIENT_SITES``).

    DatabaseError, PubSubError or MailError where an address makes no sense; DeviceFilesError where ``device`` holds
    another version of Tercet.
    """
    where = database or os.environ.get("TERCET_DATABASE") or None
    folder = None if where else Path(data_dir) if data_dir is not None else data_directory()
    redis = checked(redis or os.environ.get("TERCET_REDIS") or None)
    bounds = limits or ServerLimits.read(os.environ.get("TERCET_BOUNDS", ""))
    workers = named_engines(os.environ.get("TERCET_ENGINES")) if engines is None else engines
    named = named_origins(os.environ.get("TERCET_CLIENT_SITES", "") if sites is None else sites, "TERCET_CLIENT_SITES")
    allowed = frozenset(origins) | named_origins(os.environ.get("TERCET_ORIGINS", "")) | named
    services = Services(bounds, allowed, FairShare(bounds, processes=workers != 0))
    url = address(where or (folder or Path()) / "tercet.sqlite")
    make_pubsub = pubsub or (lambda: connect(redis))
    start = functools.partial(_start, services, folder, url, workers, Mailer.read(os.environ), make_pubsub, clock)
    app = FastAPI(
        title="Tercet",
        version=__version__,
        lifespan=lambda _app: _running(services, start),
        docs_url=None,  # its page loads scripts from elsewhere; the description itself is served
        redoc_url=None,
        openapi_url=None,  # tercet.server.api.health serves it
        default_response_class=Json,
    )
    app.state.services = services
    errors.install(app)
    device = device or os.environ.get("TERCET_DEVICE") or None
    pages.install(app, page or pages.PAGE, None if device is None else DeviceFiles.read(Path(device)))
    app.router.routes += routes.routes_of(ANSWERING)
    app.add_middleware(TranslationMiddleware)
    app.add_middleware(Compression)
    app.add_middleware(SecurityMiddleware, limits=bounds, origins=allowed, fair_share=services.fair_share)
    app.add_middleware(ClientSites, sites=named)
    app.add_middleware(Requests)
    return app


class Compression(GZipMiddleware):
    """Wraps an application, whose answers it compresses: long ones in threads that charge the client."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            await _Compressing(self.app, LEAST_GZIP_BYTES, compresslevel=5)(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


class _Compressing(GZipResponder):
    async def apply_compression(self, body: bytes, *, more_body: bool) -> bytes:
        if len(body) < GZIP_IN_THREAD_BYTES:
            return self._compress_body(body, more_body)
        return await asyncio.to_thread(self._compress_body, body, more_body)


@contextlib.asynccontextmanager
async def _running(services: Services, start: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Start the services of the process, and stop them at its end. An error that prevents the start is kept as
    ``services.failure``."""
    asyncio.get_running_loop().set_default_executor(ChargedThreads(services.fair_share.budgets.charge))
    try:
        await start()
    except TercetError as error:
        services.failure = error
        raise
    try:
        yield
    finally:
        services.fair_share.close()
        services.people.close()
        await services.notices.close()
        await services.director.close()
        await services.registry.close()
        await services.engine_pool.ended()
        await services.registry.store.database.close()


def _contact(environment: Mapping[str, str]) -> str:
    """Return whom push services may write to: the page, or the sender of e-mails."""
    site, sender = environment.get("TERCET_SITE", ""), environment.get("TERCET_MAIL_FROM", "")
    return f"mailto:{sender}" if sender else site if site.startswith("https://") else "mailto:tercet@localhost"


async def _start(
    services: Services,
    folder: Path | None,  # of the SQLite database, if there is one
    url: sa.URL,
    workers: int | None,
    mailer: Mailer | None,
    make_pubsub: Callable[[], PubSub],
    clock: Callable[[], int] | None,
) -> None:
    limits, fair_share = services.limits, services.fair_share
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    migrate(url)
    database = Database(url, functools.partial(ChargedThreads, fair_share.budgets.charge), fair_share.loop_time.bill)
    services.people = persons = await People.open(database, limits, fair_share=fair_share)
    await refresh_skeletons(database)
    persons.mailer = mailer
    services.engine_pool = engine_pool = EnginePool(fair_share, workers)
    pubsub = make_pubsub()
    store = Store(database)
    for table_id, damage in (await store.compare_heads()).items():
        DAMAGED_TABLES.inc()
        LOG.error("table %s is damaged and cannot be played on: %s", table_id, damage)
    registry = TableRegistry(store, engine_pool, clock, pubsub, fair_share.budgets)
    services.registry = registry
    services.chat = Chat(registry, fair_share, limits.lines_per_minute)
    services.lobby = Lobby(registry, fair_share.spenders, persons.online)
    services.pairing = QuickPairing(services.lobby, limits.waiting_per_network)
    services.waiting = WaitingTables(database, limits.waiting_per_network, pubsub)
    services.notices = notices = Notices(persons, await WebPush.open(database, _contact(os.environ)))
    services.director = director = Director(registry, services.lobby, fair_share, notices)
    await registry.begin()
    await fair_share.exchange.begin(pubsub)
    await fair_share.bans.refresh(database)
    for endless in (fair_share.exchange.run(), fair_share.bans.run(database)):
        registry.spawn_until_closed(endless)
    await services.chat.begin()
    await services.lobby.begin()
    services.pairing.begin()
    await services.waiting.begin()
    await settle(registry, persons)
    await notices.begin(pubsub)
    Reminders(registry, notices).begin()
    services.vacations = Vacations(registry)
    services.vacations.begin()
    await director.begin()
    await registry.lease.reachable()
    registry.spawn_until_closed(Overdue(registry).run())
