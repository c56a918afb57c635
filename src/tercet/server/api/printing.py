"""Games as PDFs to print and play."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import Request
from starlette.responses import Response

import tercet
from tercet.answers.addresses import address
from tercet.answers.fields import Limit
from tercet.answers.games import can_print
from tercet.answers.translation import teller
from tercet.errors import OptionError
from tercet.pictures.printing import pdf
from tercet.server.errors import ApiError
from tercet.server.services import check_game, services_of


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
    check_game(game)
    if not can_print():
        raise ApiError("unavailable", "print", "This server cannot print: the extra `print` is not installed.")
    services = services_of(request)
    asked = {"game": game, "paper": paper, "size": size, "lang": lang, "options": _options(options)}

    async def make() -> bytes:
        return base64.b64decode(json.loads(await services.compute_apart(printed, asked, request)))

    made = await services.pictures.get(("pdf", game, paper, size, lang, options), make)
    headers = {"Content-Disposition": f'attachment; filename="{game}-{paper}.pdf"', "Cache-Control": "max-age=3600"}
    return Response(made, media_type="application/pdf", headers=headers)
