"""Addresses of pictures: the boards that previews of links show, a board that follows a game, finished games that move,
and games as PDFs to print and play."""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import Request
from starlette.responses import Response

import tercet
from tercet.answers.addresses import address
from tercet.answers.fields import Limit, PositionText
from tercet.answers.games import animated, can_print, card
from tercet.answers.lessons import known_lesson
from tercet.answers.puzzles import known_puzzle
from tercet.answers.records import record_text
from tercet.answers.starts import known_game
from tercet.answers.translation import teller
from tercet.errors import OptionError
from tercet.games import game_definition
from tercet.pictures.drawing import svg
from tercet.pictures.printing import pdf
from tercet.server.api.access import entered
from tercet.server.errors import ApiError
from tercet.server.services import PageFile, Steps, services_of

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

        def steps() -> Steps:
            return PageFile.of(TYPES["gif"], (yield from animated(record())))

        made = await _made(request, ("gif", table_id, session.number), steps)
    elif form == "svg":
        draw = functools.partial(svg, session.position, size=BOARD_SIZE, coordinates=False, dark=dark)
        made = await _drawn(request, form, ("svg", table_id, session.number, dark), lambda: draw().encode())
    else:
        return await _card(request, str(session.position), cache)
    return made.response(request, cache)


@address("GET /api/pictures/puzzle/{puzzle}.png", media="image/png")
async def of_puzzle(puzzle: str, request: Request) -> Response:
    """Return the position of a puzzle."""
    found = await services_of(request).compute(lambda: known_puzzle(puzzle), request)
    return await _card(request, found["position"])


@address("GET /api/pictures/lesson/{game}/{lesson}.png", media="image/png")
async def of_lesson(game: str, lesson: str, request: Request) -> Response:
    """Return the first position of a lesson."""
    found = await services_of(request).compute(lambda: known_lesson(game, lesson), request)
    return await _card(request, str(found.steps[0].position))


@address("GET /api/pictures/game/{game}.png", media="image/png")
async def of_game(game: str, request: Request) -> Response:
    """Return the board that introduces a game."""
    known_game(game)
    quick = game_definition(game).quick_start

    def find() -> str:
        position = tercet.parse(quick.picture) if quick.picture else tercet.game(game, **quick.options).start(0)
        for move in quick.moves:
            position = position.play(move)
        return str(position)

    return await _card(request, await services_of(request).compute(find, request))


@address("GET /api/pictures/position.png", media="image/png")
async def of_position(request: Request, position: PositionText) -> Response:
    """Return a given position."""
    found = await services_of(request).compute(lambda: str(tercet.parse(position.strip())), request)
    return await _card(request, found)


async def _card(request: Request, position: str, cache: str = FIXED) -> Response:
    """Return a picture of a position, as previews of links show it."""
    return (await _drawn(request, "png", ("card", position), lambda: card(position))).response(request, cache)


async def _drawn(request: Request, form: str, key: tuple[Any, ...], draw: Callable[[], bytes]) -> PageFile:
    """What ``draw`` draws in a thread, unless the picture of that key was drawn lately."""

    def steps() -> Steps:
        yield from ()
        return PageFile.of(TYPES[form], draw())

    return await _made(request, key, steps)


async def _made(request: Request, key: tuple[Any, ...], steps: Callable[[], Steps]) -> PageFile:
    services = services_of(request)
    return await services.pictures.made(key, steps, lambda step: services.compute(step, request, "drawing"))


def printed(game: str, options: Mapping[str, Any], paper: str, size: float | None, lang: str) -> str:
    """Return the PDF of a game, in base64."""
    found = tercet.game(game, **options)
    made = pdf(found, paper=paper, size=size, translate=teller(game, lang), read=tercet.parse)
    return base64.b64encode(made).decode("ascii")


MAX_BOARD_MM = 1000.0  # larger boards are for the command line


def _options(words: str) -> dict[str, str]:
    found = {}
    for word in words.split():
        name, equals, value = word.partition("=")
        if not equals:
            raise OptionError("options", f"Options must be written name=value, not {word!r}.")
        found[name] = value
    return found


@address("GET /api/games/{game}/print", media="application/pdf")
async def print_game(
    request: Request,
    game: str,
    paper: Literal["a4", "letter"] = "a4",
    size: Annotated[float, Limit(MAX_BOARD_MM, 50)] | None = None,
    lang: Literal["en", "de", "zh"] = "en",
    options: Annotated[str, Limit(400)] = "",
) -> Response:
    """Return a game to print and play: rules, board and parts to cut out. ``size`` is the longer side of the board in
    millimetres; ``options`` are the game's, as ``name=value`` words."""
    known_game(game)
    if not can_print():
        raise ApiError("unavailable", "print", "This server cannot print: the extra `print` is not installed.")
    services = services_of(request)
    asked = {"game": game, "paper": paper, "size": size, "lang": lang, "options": _options(options)}

    async def make() -> PageFile:
        body = base64.b64decode(json.loads(await services.compute_apart(printed, asked, request, "drawing")))
        headers = {"content-disposition": f'attachment; filename="{game}-{paper}.pdf"'}
        return PageFile.of("application/pdf", body, headers=headers)

    made = await services.pictures.get(("pdf", game, paper, size, lang, options), make)
    return made.response(request, "max-age=3600")
