"""The application: :func:`create_app` puts everything together."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from tercet import __version__
from tercet.errors import TercetError
from tercet.server import tournaments
from tercet.server.bots import routes as bots
from tercet.server.cluster.pubsub import PubSub, checked, connect
from tercet.server.engine_pool.pool import EnginePool, named_engines
from tercet.server.engine_pool.tasks import TaskPool
from tercet.server.fair_share.share import FairShare
from tercet.server.http import errors, pages
from tercet.server.http.errors import Json
from tercet.server.http.limits import ServerLimits
from tercet.server.http.middleware import SecurityMiddleware, named_origins
from tercet.server.lessons import progress
from tercet.server.lessons import routes as lessons
from tercet.server.lobby import challenges, my_games
from tercet.server.lobby import routes as lobby
from tercet.server.lobby.service import Lobby
from tercet.server.operations import health, source
from tercet.server.operations.logs import Requests
from tercet.server.operations.metrics import DAMAGED_TABLES, ENGINE_WAIT
from tercet.server.people import People
from tercet.server.people import routes as people
from tercet.server.people.free_names import refresh_skeletons
from tercet.server.people.mail import Mailer
from tercet.server.protocol import description
from tercet.server.puzzles import routes as puzzles
from tercet.server.services import Services
from tercet.server.store import Database, Store, address, migrate
from tercet.server.study import analysis, printing, records
from tercet.server.study import routes as study
from tercet.server.tables import hints, ratings, seats
from tercet.server.tables import routes as tables
from tercet.server.tables.chat import Chat
from tercet.server.tables.overdue import Overdue
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.waiting import WaitingTables
from tercet.server.tournaments import Director
from tercet.server.translation.middleware import TranslationMiddleware

__all__ = ["create_app", "data_directory"]

LOG = logging.getLogger("tercet.server")
GZIP_IN_THREAD_BYTES = 32_768  # from which on compressing an answer would keep the event loop for a millisecond


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
    limits: ServerLimits | None = None,
    origins: Iterable[str] = (),
    page: Path | None = None,
    engines: int | None = None,
    clock: Callable[[], int] | None = None,
    database: str | None = None,
    redis: str | None = None,
    pubsub: Callable[[], PubSub] | None = None,
) -> FastAPI:
    """The server's application.

    ``database`` and ``redis`` are addresses (None: ``TERCET_DATABASE`` and ``TERCET_REDIS``, if they are set); without
    the one there is an SQLite database in the folder ``data_dir`` (None: :func:`data_directory`), without the other no
    other process hears from this one. ``origins`` are other web origins that may open sockets here; ``page`` is the
    folder of the built page; ``engines`` how many processes think for tables (0: threads; None: what
    ``TERCET_ENGINES`` says, else half of the processors); ``clock`` tells the time in milliseconds (None: this
    machine's, or the database's); ``pubsub`` makes what carries word between processes, instead of ``redis``.

    DatabaseError, PubSubError or MailError where an address makes no sense.
    """
    where = database or os.environ.get("TERCET_DATABASE") or None
    folder = None if where else Path(data_dir) if data_dir is not None else data_directory()
    redis = checked(redis or os.environ.get("TERCET_REDIS") or None)
    bounds = limits or ServerLimits.read(os.environ.get("TERCET_BOUNDS", ""))
    configuration = _Configuration(
        folder,
        address(where or (folder or Path()) / "tercet.sqlite"),
        pubsub or (lambda: connect(redis)),
        bounds,
        frozenset(origins) | named_origins(os.environ.get("TERCET_ORIGINS", "")),
        named_engines(os.environ.get("TERCET_ENGINES")) if engines is None else engines,
        Mailer.read(os.environ),
        clock,
        FairShare(bounds),
    )
    app = FastAPI(
        title="Tercet",
        version=__version__,
        lifespan=lambda app: _noting_failure(app, configuration),
        docs_url=None,  # its page loads scripts from elsewhere; the description itself is served
        redoc_url=None,
        openapi_url=None,  # tercet.server.protocol.description serves it
        default_response_class=Json,
    )
    app.state.failure = None
    errors.install(app)
    pages.install(app, page or pages.PAGE)
    for part in (
        study,
        printing,
        records,
        lessons,
        progress,
        puzzles,
        analysis,
        tables,
        seats,
        hints,
        ratings,
        lobby,
        challenges,
        my_games,
        source,
        description,
    ):
        app.include_router(part.router)
    for part in (people, bots, tournaments):
        app.include_router(part.router)
    health.install(app)
    app.add_middleware(TranslationMiddleware)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5, thread_minimum_size=GZIP_IN_THREAD_BYTES)
    app.add_middleware(
        SecurityMiddleware, limits=bounds, origins=configuration.origins, fair_share=configuration.fair_share
    )
    app.state.fair_share = configuration.fair_share
    app.add_middleware(Requests)
    return app


@dataclass(frozen=True)
class _Configuration:
    """What was settled when the application was made; ``folder`` is that of the SQLite database, if there is one."""

    folder: Path | None
    database: sa.URL
    connect: Callable[[], PubSub]
    limits: ServerLimits
    origins: frozenset[str]
    engines: int | None
    mailer: Mailer | None
    clock: Callable[[], int] | None
    fair_share: FairShare


@contextlib.asynccontextmanager
async def _noting_failure(app: FastAPI, configuration: _Configuration) -> AsyncIterator[None]:
    """As :func:`_running`; an error of ours that keeps it from starting is kept as ``app.state.failure``."""
    try:
        async with _running(app, configuration):
            yield
    except TercetError as error:
        app.state.failure = error
        raise


@contextlib.asynccontextmanager
async def _running(app: FastAPI, configuration: _Configuration) -> AsyncIterator[None]:
    """Everything alive in the process, from its start to its end."""
    limits, fair_share = configuration.limits, configuration.fair_share
    if configuration.folder is not None:
        configuration.folder.mkdir(parents=True, exist_ok=True)
    migrate(configuration.database)
    database = Database(configuration.database)
    app.state.people = persons = await People.open(database, limits, fair_share=fair_share)
    await refresh_skeletons(database)
    persons.mailer = configuration.mailer
    engine_pool = EnginePool(
        configuration.engines,
        limits.analyses,
        limits.analyses_each,
        _waited,
        fair_share.shares.of,
        fair_share.think,
        fair_share.budgets.used,
    )
    tasks = TaskPool(fair_share.budgets, processes=configuration.engines != 0)
    pubsub = configuration.connect()
    store = Store(database)
    for table_id, damage in (await store.compare_heads()).items():
        DAMAGED_TABLES.inc()
        LOG.error("table %s is damaged and cannot be played on: %s", table_id, damage)
    registry = TableRegistry(store, engine_pool, configuration.clock, pubsub, fair_share.budgets)
    chat, lobby_service = Chat(registry, fair_share, limits.lines_per_minute), Lobby(registry, fair_share.shares)
    services = Services(
        registry,
        engine_pool,
        limits,
        configuration.origins,
        fair_share,
        tasks,
        lobby_service,
        chat,
        WaitingTables(database, limits.waiting_per_network, pubsub),
    )
    app.state.services = services
    health.observe(registry)
    await registry.begin()
    await fair_share.exchange.begin(pubsub)
    await fair_share.bans.look(database)
    for endless in (fair_share.exchange.run(), fair_share.bans.run(database)):
        registry.spawn_until_closed(endless)
    await chat.begin()
    await lobby_service.begin()
    await services.waiting.begin()
    await people.settle(registry, persons)
    director = app.state.tournaments = Director(services)
    await director.begin()
    await registry.lease.reachable()
    registry.spawn_until_closed(Overdue(registry).run())
    try:
        yield
    finally:
        fair_share.close()
        tasks.close()
        persons.close()
        await director.close()
        await registry.close()
        await engine_pool.ended()
        await tasks.ended()
        await database.close()


def _waited(what: str, seconds: float) -> None:
    ENGINE_WAIT.labels(what).observe(seconds)
