"""Endpoints of the laboratory: what the studies that come with the games have found, and their reports."""

from __future__ import annotations

import functools
import gzip
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

import tercet
from tercet.games import game_definition
from tercet.server.errors import ApiError, Json
from tercet.server.services import services_of

router = APIRouter()
# A report brings its own script and styles. It gets no origin, and so neither cookies nor storage of this site.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; sandbox allow-scripts"
CACHE = "public, max-age=3600"


@router.get("/api/lab")
async def studies(request: Request) -> Json:
    """Return the studies of all games that have any: each with its question, what its games answered, and what an
    engine cannot tell."""
    return Json(await services_of(request).compute(_all))


@router.get("/api/lab/{game}/{study}/report", response_class=Response, responses={200: {"content": {"text/html": {}}}})
async def report(game: str, study: str, request: Request) -> Response:
    """Return the report of a study, in English: an HTML page that needs nothing else."""
    packed = await services_of(request).compute(lambda: _file(game, study, "report").read_bytes(), request)
    headers = {"content-security-policy": POLICY, "cache-control": CACHE, "vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, headers=headers | {"content-encoding": "gzip"}, media_type="text/html")
    return Response(gzip.decompress(packed), headers=headers, media_type="text/html")


@router.get("/api/lab/{game}/{study}/figures", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
async def figures(game: str, study: str, request: Request) -> Response:
    """Return all figures of a study with their intervals, as CSV."""
    text = await services_of(request).compute(lambda: _file(game, study, "figures").read_bytes(), request)
    headers = {"content-disposition": f'attachment; filename="{game}-{study}.csv"', "cache-control": CACHE}
    return Response(text, headers=headers, media_type="text/csv")


@functools.cache
def _published() -> dict[str, Any]:
    from tercet.laboratory.published import published_studies

    return {study.name: study for study in published_studies()}


def _file(game: str, study: str, which: str) -> Path:
    found = _published().get(f"{game}/{study}")
    if found is None:
        raise ApiError("not-found", "study", "This study does not exist. GET /api/lab lists the studies.")
    path: Path = getattr(found, which)
    return path


@functools.cache
def _all() -> list[dict[str, Any]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for name, study in _published().items():
        game, _, ident = name.partition("/")
        found.setdefault(game, []).append(
            {"id": ident, "title": study.question, "result": study.answer, "note": study.cannot, "games": study.games}
        )
    return [
        {"game": game, "title": game_definition(game).title, "studies": found[game]}
        for game in tercet.games()
        if game in found
    ]
