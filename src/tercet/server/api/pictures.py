"""Endpoints of pictures: the boards that previews of links show, a board that follows a game, and finished games that
move."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal

from fastapi import Request
from starlette.responses import Response

import tercet
from tercet.answers.addresses import address
from tercet.answers.fields import PositionText
from tercet.answers.games import animated, card
from tercet.answers.puzzles import all_puzzles
from tercet.answers.records import record_text
from tercet.games import game_definition
from tercet.learning.lessons import lessons_of
from tercet.pictures.drawing import svg
from tercet.server.api.access import entered
from tercet.server.errors import ApiError
from tercet.server.services import check_game, services_of

BOARD_SIZE = 480  # pixels of a board that follows a game
FIXED, CHANGING = "public, max-age=86400", "public, max-age=60"
TYPES = {"png": "image/png", "gif": "image/gif", "svg": "image/svg+xml"}


@address("GET /api/pictures/table/{table_id}.{form}", media="image/png")
async def of_table(table_id: str, form: Literal["png", "svg", "gif"], request: Request, dark: bool = False) -> Response:
    """Return the board of a table as it is now, as ``png`` or ``svg``; as ``gif`` the whole of a finished game."""
    async with entered(request, table_id) as entry:
        table, session = entry.table, entry.table.session
        log, occupants = tuple(table.log), dict(table.occupants)
        cache = "private, no-store" if table.settings.watch == "private" else CHANGING
    if form == "gif":
        if not session.is_over:
            raise ApiError("not-possible", "table", "Only a finished game has an animated picture.")
        record = functools.partial(record_text, session, table.opened, log, occupants, retracted=False)
        made = await _drawn(request, ("gif", table_id, session.number), lambda: animated(record()))
    elif form == "svg":
        draw = functools.partial(svg, session.position, size=BOARD_SIZE, coordinates=False, dark=dark)
        made = await _drawn(request, ("svg", table_id, session.number, dark), lambda: draw().encode())
    else:
        made = await _card(request, str(session.position))
    return Response(made, media_type=TYPES[form], headers={"cache-control": cache})


@address("GET /api/pictures/puzzle/{puzzle}.png", media="image/png")
async def of_puzzle(puzzle: str, request: Request) -> Response:
    """Return the position of a puzzle."""
    found = (await services_of(request).compute(all_puzzles, request)).get(puzzle)
    if found is None:
        raise ApiError("not-found", "puzzle", "This puzzle does not exist.")
    return _png(await _card(request, found["position"]))


@address("GET /api/pictures/lesson/{game}/{lesson}.png", media="image/png")
async def of_lesson(game: str, lesson: str, request: Request) -> Response:
    """Return the first position of a lesson."""
    check_game(game)

    def find() -> str:
        found = next((one for one in lessons_of(game) if one.id == lesson), None)
        if found is None:
            raise ApiError("not-found", "lesson", "This lesson does not exist.")
        return str(found.steps[0].position)

    return _png(await _card(request, await services_of(request).compute(find, request)))


@address("GET /api/pictures/game/{game}.png", media="image/png")
async def of_game(game: str, request: Request) -> Response:
    """Return the board that introduces a game."""
    check_game(game)
    quick = game_definition(game).quick_start

    def find() -> str:
        position = tercet.parse(quick.picture) if quick.picture else tercet.game(game, **quick.options).start(0)
        for move in quick.moves:
            position = position.play(move)
        return str(position)

    return _png(await _card(request, await services_of(request).compute(find, request)))


@address("GET /api/pictures/position.png", media="image/png")
async def of_position(request: Request, position: PositionText) -> Response:
    """Return a given position."""
    text = await services_of(request).compute(lambda: str(tercet.parse(position.strip())), request)
    return _png(await _card(request, text))


async def _card(request: Request, position: str) -> bytes:
    return await _drawn(request, ("card", position), lambda: card(position))


async def _drawn(request: Request, key: tuple[Any, ...], draw: Callable[[], bytes]) -> bytes:
    """What ``draw`` draws in a thread, unless the picture of that key was drawn lately."""
    services = services_of(request)
    return await services.pictures.get(key, lambda: services.compute(draw, request, "drawing"))


def _png(picture: bytes) -> Response:
    return Response(picture, media_type="image/png", headers={"cache-control": FIXED})
