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
from tercet.server import analysis, bots, faults, health, lobby, pages, people, seats, studies, tables, yours
from tercet.server.bounds import Bounds, Buckets
from tercet.server.bus import checked, connect
from tercet.server.faults import Json
from tercet.server.guard import Guard, named_origins
from tercet.server.hub import Hub
from tercet.server.lobby import Lobby
from tercet.server.logs import Requests
from tercet.server.metrics import ENGINE_WAIT
from tercet.server.people import People
from tercet.server.room import Room
from tercet.server.store import Database, Store, address, migrate
from tercet.server.sweep import Sweep
from tercet.server.talk import Talk
from tercet.server.thinking import Thinking, named_engines
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
    bounds: Bounds | None = None,
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

    DatabaseError or BusError where an address makes no sense.
    """
    where = database or os.environ.get("TERCET_DATABASE") or None
    folder = None if where else Path(data_dir) if data_dir is not None else data_directory()
    url = address(where or (folder or Path()) / "tercet.sqlite")
    word = checked(redis or os.environ.get("TERCET_REDIS") or None)
    limits = bounds or Bounds.read(os.environ.get("TERCET_BOUNDS", ""))
    known = frozenset(origins) | named_origins(os.environ.get("TERCET_ORIGINS", ""))
    workers = named_engines(os.environ.get("TERCET_ENGINES")) if engines is None else engines

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        migrate(url)
        database = Database(url)
        store = Store(database)
        thinking = Thinking(workers, limits.analyses, limits.analyses_each, _waited)
        hub = Hub(store, thinking, clock, connect(word))
        talk, waiting = Talk(hub, limits.lines_per_minute), Lobby(hub)
        room = Room(hub, thinking, limits, known, Buckets(limits.tables_per_minute), waiting, talk)
        app.state.room = room
        app.state.people = persons = await People.open(database, limits)
        health.observe(hub)
        await hub.begin()
        await talk.begin()
        await waiting.begin()
        await people.settle(hub, persons)
        director = app.state.tournaments = Director(room)
        await director.begin()
        await hub.alive.reachable()
        hub.spawn_until_closed(Sweep(hub).run())
        try:
            yield
        finally:
            room.close()
            persons.close()
            await director.close()
            await hub.close()
            await thinking.ended()
            await database.close()

    app = FastAPI(
        title="Tercet",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # its page loads scripts from elsewhere; the description itself is served
        redoc_url=None,
        openapi_url="/api/openapi.json",
        default_response_class=Json,
        responses=faults.REFUSALS,
    )
    faults.install(app)
    app.include_router(studies.router)
    app.include_router(tables.router)
    app.include_router(seats.router)
    app.include_router(lobby.router)
    app.include_router(yours.router)
    app.include_router(analysis.router)
    app.include_router(people.router)
    app.include_router(bots.router)
    app.include_router(tournaments)
    health.install(app)
    pages.install(app, page or pages.PAGE)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, bounds=limits, origins=known)
    app.add_middleware(Requests)
    return app


def _waited(what: str, seconds: float) -> None:
    ENGINE_WAIT.labels(what).observe(seconds)
