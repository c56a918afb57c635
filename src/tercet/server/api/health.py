"""Endpoints for operators: ``/health`` (the process lives), ``/ready`` (it can serve now), ``/metrics``."""

from __future__ import annotations

import asyncio
import io
import ipaddress
import os
import re
import secrets
import time
import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from fastapi import Request
from prometheus_client import REGISTRY, CollectorRegistry, Gauge, generate_latest
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response

from tercet import __version__
from tercet.answers import home
from tercet.answers.addresses import address, answers
from tercet.server.errors import ApiError, Json, Unreachable
from tercet.server.schema import describe
from tercet.server.services import PageFile, Services, services_of
from tercet.server.store.schema import PEOPLE, RUNS
from tercet.server.tables.registry import TableRegistry


@address("GET /api/openapi.json", fixed=True)
def description() -> Any:
    """Return the description of all endpoints."""
    return describe()


PACKAGE = Path(__file__).parents[2]


@address("GET /api/source", media="application/zip", fixed=True)
def source() -> PageFile:
    """Return the program's Python files and its licence, as a ZIP file."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(PACKAGE.rglob("*.py")):
            archive.write(path, f"tercet-{__version__}/src/tercet/{path.relative_to(PACKAGE).as_posix()}")
        licence = metadata.distribution("tercet").read_text("licenses/LICENSE")
        if licence:
            archive.writestr(f"tercet-{__version__}/LICENSE", licence)
    headers = {"content-disposition": f'attachment; filename="tercet-{__version__}.zip"'}
    return PageFile.of("application/zip", found.getvalue(), headers=headers)


WRITE_SECONDS = 2.0  # that the database has to write in
FRESH_SECONDS = 1.0  # that an answer is good for
_ASKED: WeakKeyDictionary[TableRegistry, tuple[float, asyncio.Future[bool]]] = WeakKeyDictionary()
# Headers by which proxies and content networks say for whom they ask: one of them is enough to know a proxy by.
PROXY_HEADERS = re.compile(
    r"forwarded|via|x-forwarded.*|x-original-.*|x-real-ip|x-envoy-.*|cf-.*|cdn-loop|x-amz.*|x-azure-.*|"
    r"(true|x|x-cluster|fastly|fly|do|appengine|x-appengine)-(client|user|connecting|remote)-(ip|addr)|x-varnish"
)


@answers(home.health)
async def health() -> Any:
    return {"alive": True, "version": __version__}


@address("GET /ready")
async def ready(request: Request) -> Any:
    """Return whether this process can serve: it can write and is not stopping. The operator also learns why not, and
    whether the pubsub answers: without it play goes on, a little slower between processes."""
    registry = services_of(request).registry
    database, pubsub = await asyncio.gather(_can_write(registry), registry.pubsub.answers())
    state = {"database": database, "bus": pubsub, "leaving": registry.leaving}
    is_ready = database and not registry.leaving
    answer = Json({"ready": is_ready, **(state if _may_look(request) else {})})
    answer.status_code = 200 if is_ready else 503
    return answer


async def _can_write(registry: TableRegistry) -> bool:
    """Return whether the database can be written, as of the last second: asking more often costs no more."""
    asked = _ASKED.get(registry)
    if asked is None or (asked[1].done() and time.monotonic() - asked[0] > FRESH_SECONDS):
        asked = _ASKED[registry] = time.monotonic(), asyncio.ensure_future(_writes(registry))
    return await asyncio.shield(asked[1])


async def _writes(registry: TableRegistry) -> bool:
    """Return whether something is on disk in time, written as actions are."""
    change = RUNS.update().where(RUNS.c.id == registry.lease.process_id).values(seen=RUNS.c.seen)
    try:
        async with asyncio.timeout(WRITE_SECONDS):
            await registry.store.database.change(change, order="runs")
    except (Unreachable, SQLAlchemyError, TimeoutError):
        return False
    return True


@address("GET /metrics")
async def metrics(request: Request) -> Response:
    """Return all metrics in the format of Prometheus."""
    _must_be_operator(request)
    text = generate_latest(REGISTRY) + generate_latest(_gauges(services_of(request)))
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


@address("GET /pressure")
async def pressure(request: Request) -> Any:
    """Who has used most of what is scarce, in all processes as far as this one knows, for ``tercet people pressure``:
    networks by their addresses, people by their handles (guests by their ids)."""
    _must_be_operator(request)
    services = services_of(request)
    found = services.fair_share.budgets.pressure()
    people = [one["who"] for one in found if one["of"] == "person"]
    asked = sa.select(PEOPLE.c.id, PEOPLE.c.handle).where(PEOPLE.c.id.in_(people))
    handles = {row.id: row.handle for row in await services.registry.store.database.rows(asked) if row.handle}
    named = [{**one, "who": handles.get(one["who"], one["who"])} for one in found]
    return {"pressure": named, "waiting": {**services.fair_share.waiting, **services.engine_pool.waiting}}


def _must_be_operator(request: Request) -> None:
    if not _may_look(request):
        raise ApiError("not-found", "request", "This address does not exist.")


def _may_look(request: Request) -> bool:
    """Return whether the operator asks: with the token where one is set, else directly from this machine.

    Directly means by an address of this machine (any ``Host`` else may be a proxy's, or a page's that has its name
    point here), in HTTP/1.1 or later and with nothing that a proxy adds.
    """
    token = os.environ.get("TERCET_METRICS_TOKEN", "")
    if token:
        said = request.headers.get("authorization", "")
        return secrets.compare_digest(said.encode("utf-8", "replace"), f"Bearer {token}".encode())
    if any(PROXY_HEADERS.fullmatch(name) for name in request.headers) or request.scope["http_version"] == "1.0":
        return False
    return _is_this_machine(request.client.host if request.client else "") and _is_this_machine(request.url.hostname)


def _is_this_machine(host: str | None) -> bool:
    """Return whether ``host`` is an address of this machine's own network, or its name."""
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def _gauges(services: Services) -> CollectorRegistry:
    """Return the metrics that are counted only at a request."""
    registry, engine_pool, found = services.registry, services.engine_pool, CollectorRegistry()
    tables = registry.tables

    def gauge(name: str, text: str, label: str, values: Mapping[str, int]) -> None:
        made = Gauge(f"tercet_{name}", text, [label] if label else [], registry=found)
        for value, number in values.items():
            (made.labels(value) if label else made).set(number)

    followed = sum(bool(table.clients) for table in tables)
    gauge("tables", "Tables in memory.", "state", {"followed": followed, "unfollowed": len(tables) - followed})
    owned = sum(table.owned for table in tables)
    gauge("tables_owned", "Tables whose clocks and engines this process runs.", "", {"": owned})
    players = sum(bool(client.held) for table in tables for client in table.clients)
    everybody = sum(len(table.clients) for table in tables)
    gauge("clients", "Who follows a table.", "role", {"player": players, "watcher": everybody - players})
    gauge("engine_waiting", "What waits for an engine's worker.", "what", engine_pool.waiting)
    gauge("engine_working", "Engines' workers at work.", "what", engine_pool.working)
    gauge("waiting", "What waits for its turn.", "what", {**services.fair_share.waiting, **engine_pool.waiting})
    share = Gauge("tercet_budget_used", "The greatest share of a budget.", ["of", "resource"], registry=found)
    for labels, used in services.fair_share.budgets.greatest().items():
        share.labels(*labels).set(used)
    gauge("leaving", "1 where the server is stopping.", "", {"": int(registry.leaving)})
    return found
