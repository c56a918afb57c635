"""Endpoints that need no table: the games, boards to look at, rules, analysis, drawings, records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tercet.answers import dial, games, positions
from tercet.answers.records import record_read, record_written
from tercet.server.api.printing import can_print
from tercet.server.errors import ApiError, Json
from tercet.server.limits.budgets import spender
from tercet.server.people.identity import person_of
from tercet.server.services import answered, is_long, services_of, share_of, until_gone
from tercet.server.tables.table import Table
from tercet.server.wire.requests import (
    AnalyseRequest,
    CompareRequest,
    DialRequest,
    DrawRequest,
    ExploreRequest,
    PoliticsRequest,
    PositionRequest,
    PreviewRequest,
    RecordRequest,
    WhyRequest,
    WriteRecordRequest,
)

router = APIRouter()


@router.get("/api/games")
async def all_games(request: Request) -> Json:
    """Return the games, their options and the engine's levels."""
    return Json(await services_of(request).compute(games.games, request))


@router.get("/api/presets/{game}")
async def presets(game: str, request: Request) -> Json:
    """Return the start boards of the game's presets."""
    return Json(await services_of(request).compute(lambda: games.presets(game), request))


@router.get("/api/rules/{game}")
async def rules(game: str, request: Request, skin: Annotated[str, Query(max_length=40)] = "") -> Json:
    """Return a game's rules, with drawn examples; ``skin`` asks for them as a skin tells them."""
    found = await services_of(request).compute(lambda: games.rules(game, skin), request)
    return Json({**found, "printable": can_print()})


@router.post("/api/preview")
async def preview(ask: PreviewRequest, request: Request) -> Response:
    """Return the board and the start of a game with these options, or the position that is given."""
    return await answered(request, games.preview, ask)


@router.post("/api/analyse")
async def analyse(ask: AnalyseRequest, request: Request) -> Response:
    """Play moves from somewhere: what each did, the last position with its legal actions, and all of it as a record."""
    return await answered(request, positions.analysed, ask, is_long(ask.record, ask.moves))


@router.post("/api/position")
async def reach(ask: PositionRequest, request: Request) -> Response:
    """Play moves from a position. Return each move's effect, and the last position with its legal actions, without
    drawing."""
    return await answered(request, positions.reached, ask, is_long(moves=ask.moves))


@router.post("/api/explore")
async def explore(ask: ExploreRequest, request: Request) -> Json:
    """Answer an exploration of a position with marks for the board, lines and a sentence."""
    services = services_of(request)
    person = await person_of(request)
    if person is not None:
        may_explore(services.registry.tables, person.id, ask.position.strip())
    services.fair_share.budgets.check(spender(), "engine")
    who = share_of(request) if person is None else person.id
    return Json(await until_gone(request, services.engine_pool.explore(ask.position, ask.id, ask.cell, who)))


def may_explore(tables: Iterable[Table], person_id: str, position: str) -> None:
    """ApiError where the person plays a rated game, or one without explorations, that stands at ``position``."""
    for table in tables:
        if (table.settings.explore and not table.info.rated) or table.session.is_over:
            continue
        if person_id in {one.person_id for one in table.occupants.values()} and str(table.session.position) == position:
            raise ApiError("not-possible", "id", "Engines and explorations are off in the game that you are playing.")


@router.post("/api/why")
async def why(ask: WhyRequest, request: Request) -> Response:
    """Return whether an action is legal, and which rule forbids it where it is not."""
    return await answered(request, positions.why, ask)


@router.post("/api/politics")
async def measure_politics(ask: PoliticsRequest, request: Request) -> Response:
    """Return the political meter of a game of three whose decisions an engine has looked at."""
    return await answered(request, positions.measured, ask)


@router.post("/api/dial")
async def play_lots(ask: DialRequest, request: Request) -> Response:
    """Games of one set of options, from their seeds."""
    return await answered(request, dial.played, ask, apart=True)


@router.post("/api/dial/compare")
async def compare_lots(ask: CompareRequest, request: Request) -> Response:
    """What changes between two sets of options, with intervals that hold at all times."""
    return await answered(request, dial.compared, ask, apart=True)


@router.post("/api/draw", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
async def draw(ask: DrawRequest, request: Request) -> Response:
    """Return a picture of a position."""
    text = await services_of(request).compute(lambda: positions.drawn(**ask.model_dump()), request, "drawing")
    return Response(text.encode("utf-8", "replace"), media_type="image/svg+xml")


@router.post("/api/record")
async def read_record(ask: RecordRequest, request: Request) -> Response:
    """Read a record, keeping what can be kept; ``error`` says what could not."""
    return await answered(request, record_read, ask, is_long(ask.text))


@router.post("/api/record/write")
async def write_record(ask: WriteRecordRequest, request: Request) -> Response:
    """Return a tree of moves from some start, with its comments, as a record."""
    return await answered(request, record_written, ask, is_long(ask.record, ask.moves))
