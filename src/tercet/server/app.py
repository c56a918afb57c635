"""The application: :func:`create_app` puts everything together."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from tercet import __version__
from tercet.server import people
from tercet.server.bots import routes as bots
from tercet.server.cluster.pubsub import checked, connect
from tercet.server.engine_pool import EnginePool, named_engines
from tercet.server.http import errors, pages
from tercet.server.http.errors import Json
from tercet.server.http.limits import Buckets, Limits
from tercet.server.http.middleware import SecurityMiddleware, named_origins
from tercet.server.lobby import routes as lobby
from tercet.server.lobby.service import Lobby
from tercet.server.operations import health
from tercet.server.operations.logs import Requests
from tercet.server.operations.metrics import ENGINE_WAIT
from tercet.server.people import People
from tercet.server.services import Services
from tercet.server.store import Database, Store, address, migrate
from tercet.server.study import analysis
from tercet.server.study import routes as study
from tercet.server.tables import my_games, seats
from tercet.server.tables import routes as tables
from tercet.server.tables.chat import Chat
from tercet.server.tables.overdue import Overdue
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.waiting import WaitingTables
from tercet.server.tournaments import Director
from tercet.server.tournaments import router as tournaments

__all__ = ["create_app", "data_directory"]

LOG = logging.getLogger("tercet.server")


def data_directory() -> Path:
    """Where games are kept: ``TERCET_DATA`` if set, else the user's data directory."""
    chosen = os.environ.get("TERCET_DATA")
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_data_dir("tercet", appauthor=False))


def create_app(
    data_dir: str | Path | None = None,
    *,
    limits: Limits | None = None,
    origins: Iterable[str] = (),
    page: Path | None = None,
    engines: int | None = None,
    clock: Callable[[], int] | None = None,
    database: str | None = None,
    redis: str | None = None,
) -> FastAPI:
    """The server's application.

    ``database`` and ``redis`` are addresses (None: ``TERCET_DATABASE`` and ``TERCET_REDIS``, if they are set); without
    the one there is an SQLite database in the folder ``data_dir`` (None: :func:`data_directory`), without the other no
    other process hears from this one. ``origins`` are other web origins that may open sockets here; ``page`` is the
    folder of the built page; ``engines`` how many processes think for tables (0: threads; None: what
    ``TERCET_ENGINES`` says, else half of the processors); ``clock`` tells the time in milliseconds (None: this
    machine's, or the database's).

    DatabaseError or PubSubError where an address makes no sense.
    """
    where = database or os.environ.get("TERCET_DATABASE") or None
    folder = None if where else Path(data_dir) if data_dir is not None else data_directory()
    url = address(where or (folder or Path()) / "tercet.sqlite")
    word = checked(redis or os.environ.get("TERCET_REDIS") or None)
    bounds = limits or Limits.read(os.environ.get("TERCET_BOUNDS", ""))
    known = frozenset(origins) | named_origins(os.environ.get("TERCET_ORIGINS", ""))
    workers = named_engines(os.environ.get("TERCET_ENGINES")) if engines is None else engines

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        migrate(url)
        database = Database(url)
        store = Store(database)
        app.state.people = persons = await People.open(database, bounds)
        engine_pool = EnginePool(workers, bounds.analyses, bounds.analyses_each, _waited, persons.shares.of)
        registry = TableRegistry(store, engine_pool, clock, connect(word))
        chat, lobby_service = Chat(registry, bounds.lines_per_minute), Lobby(registry)
        tables_opened, waiting = Buckets(bounds.tables_per_minute), WaitingTables(database, bounds.waiting_per_network)
        services = Services(registry, engine_pool, bounds, known, tables_opened, lobby_service, chat, waiting)
        app.state.services = services
        health.observe(registry)
        await registry.begin()
        await chat.begin()
        await lobby_service.begin()
        await people.settle(registry, persons)
        director = app.state.tournaments = Director(services)
        await director.begin()
        await registry.lease.reachable()
        registry.spawn_until_closed(Overdue(registry).run())
        try:
            yield
        finally:
            services.close()
            persons.close()
            await director.close()
            await registry.close()
            await engine_pool.ended()
            await database.close()

    app = FastAPI(
        title="Tercet",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # its page loads scripts from elsewhere; the description itself is served
        redoc_url=None,
        openapi_url="/api/openapi.json",
        default_response_class=Json,
        responses=errors.ERROR_RESPONSES,
    )
    errors.install(app)
    app.include_router(study.router)
    app.include_router(tables.router)
    app.include_router(seats.router)
    app.include_router(lobby.router)
    app.include_router(my_games.router)
    app.include_router(analysis.router)
    app.include_router(people.router)
    app.include_router(bots.router)
    app.include_router(tournaments)
    health.install(app)
    pages.install(app, page or pages.PAGE)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(SecurityMiddleware, limits=bounds, origins=known)
    app.add_middleware(Requests)
    return app


def _waited(what: str, seconds: float) -> None:
    ENGINE_WAIT.labels(what).observe(seconds)
