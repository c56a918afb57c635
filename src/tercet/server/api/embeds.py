"""Games and positions in a frame on pages of other sites: the drawn board, links that step through the game, one to the
page here. An embed has no script, knows no visitor, and nothing in it acts, so a site that frames it gains nothing.
oEmbed tells other sites how to show an address of this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, urlencode, urlsplit

from fastapi import Request
from starlette.responses import HTMLResponse, Response

import tercet
from tercet.answers.addresses import address
from tercet.answers.fields import Limit, Ply, PositionText
from tercet.answers.games import CARD_HEIGHT, CARD_WIDTH
from tercet.answers.tables import past_position
from tercet.answers.translation import Translator, accepted, teller
from tercet.core.game import Position
from tercet.errors import TercetError
from tercet.pictures.drawing import DAY, NIGHT, svg
from tercet.server import wire
from tercet.server.errors import ApiError
from tercet.server.services import services_of
from tercet.server.web.middleware import EMBED_POLICY
from tercet.server.web.pages import embed_address, preview_of

HEADERS = {"content-security-policy": EMBED_POLICY, "cross-origin-resource-policy": "cross-origin"}
BOARD_SIZE = 480  # pixels of the drawing, which is scaled to the frame
WIDTH, HEIGHT = 480, 600  # pixels of a frame
STEPS = (("First position", "«"), ("Back", "‹"), ("Forward", "›"), ("Last position", "»"))
COLOURS = "".join(
    f"--{light}-{name}: {colours[name]}; "
    for light, colours in (("day", DAY), ("night", NIGHT))
    for name in ("paper", "ink")
)
STYLE = f":root {{ {COLOURS}}}\n" + Path(__file__).with_name("embed.css").read_text("utf-8")

Say = Callable[[str], str]


@address("GET /embed/t/{table_id}", media="text/html")
async def embedded_table(request: Request, table_id: str, ply: Ply | None = None) -> Response:
    """Return the game of a table that all may watch, as it is or after ``ply`` actions, for a frame on another site."""
    services, language = services_of(request), accepted(request.headers.get("accept-language", ""))
    preview = await preview_of(services, "table", {"id": table_id}, {}, language)  # None for a private table
    if preview is None:
        return _refused(request, "Game not found.")
    async with services.registry.table(table_id) as table:
        session = table.session
    at = session.ply if ply is None else min(ply, session.ply)

    def draw(say: Say) -> str:
        shown = past_position(table_id, session, at)
        scene, move = shown["view"]["scene"], shown["move"]
        said = [f"{at}/{session.ply}", f"{move['short']}: {say(move['says'])}" if move else "", say(scene["result"])]
        words = " · ".join(filter(None, said))
        steps = _steps(at, session.ply, session.is_over, say)
        return Embed(session.at(at), preview.title, f"/t/{table_id}", words, steps).written(say)

    return await _drawn(request, session.game.name, draw, "public, max-age=10")


@address("GET /embed/position", media="text/html")
async def embedded_position(request: Request, position: PositionText) -> Response:
    """Return a position, for a frame on another site."""
    try:
        shown = await services_of(request).compute(lambda: tercet.parse(position.strip()), request)
    except TercetError as error:
        return _refused(request, str(error))

    def draw(say: Say) -> str:
        scene = shown.game.definition.view.scene(shown)
        where = f"/analysis?{urlencode({'position': str(shown)})}"
        return Embed(shown, shown.game.definition.title, where, say(scene.result or scene.prompt)).written(say)

    return await _drawn(request, shown.game.name, draw, "public, max-age=86400")


def _steps(at: int, last: int, is_over: bool, say: Say) -> str:
    """Return links to the positions before and after that of ply ``at``. The last one looks again at a game that goes
    on: a frame that did so by itself would interrupt people who have it read to them."""
    back, forward = (at - 1 if at else None), (at + 1 if at < last else None)
    aims = (0 if at else None, back, forward, last if at < last else "" if not is_over else None)
    names = [*STEPS[:3], STEPS[3] if at < last or is_over else ("Look again", "↻")]
    links = []
    for (title, sign), aim in zip(names, aims, strict=True):
        leads = 'role="link" aria-disabled="true"' if aim is None else f'href="?{aim if aim == "" else f"ply={aim}"}"'
        links.append(f'<a {leads} aria-label="{escape(say(title))}">{sign}</a>')
    return f'<nav aria-label="{escape(say("Moves"))}">{"".join(links)}</nav>'


@dataclass(frozen=True)
class Embed:
    """What a frame shows: a ``position``, its ``title`` with a link to the page ``where`` it is here, ``words`` about
    it, and links to other positions in ``steps``."""

    position: Position
    title: str
    where: str
    words: str
    steps: str = ""

    def written(self, say: Say) -> str:
        """Return the document."""
        boards = [
            f'<div class="{light}" role="img" aria-label="{escape(self.words)}">{drawn}</div>'
            for light, drawn in (
                (light, svg(self.position, size=BOARD_SIZE, dark=light == "night")) for light in ("day", "night")
            )
        ]
        title, where = escape(self.title), escape(self.where)
        link = f'<a href="{where}" target="_blank" rel="noopener" title="{escape(say("Open on Tercet"))}">{title}</a>'
        return (
            f'<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>{title} · Tercet</title><style>{STYLE}</style>"
            f"<h1>{link}</h1><main>{''.join(boards)}</main><p>{escape(self.words)}</p>{self.steps}"
        )


async def _drawn(request: Request, game: str, draw: Callable[[Say], str], cache: str) -> Response:
    """Return what ``draw`` writes in the language of the visitor."""
    language = accepted(request.headers.get("accept-language", ""))
    say = teller(game, language)
    body = await services_of(request).compute(lambda: draw(say), request, "drawing")
    return _document(body, language, 200, cache)


def _document(body: str, language: str, status: int, cache: str) -> Response:
    headers = {**HEADERS, "cache-control": cache, "vary": "Accept-Language"}
    return HTMLResponse(f'<!doctype html><html lang="{language}">{body}', status, headers)


def _refused(request: Request, why: str) -> Response:
    """Say in the frame why there is nothing to show."""
    language = accepted(request.headers.get("accept-language", ""))
    words = escape(Translator(language).say(why, None) if language != "en" else why)
    return _document(f"<title>Tercet</title><style>{STYLE}</style><p>{words}</p>", language, 404, "no-store")


@address("GET /api/oembed", wire.OEmbed)
async def oembed(
    request: Request,
    url: Annotated[str, Limit(4000)],
    format_: Literal["json", "xml"] = "json",
    maxwidth: Annotated[int, Limit(10_000, 1)] = WIDTH,
    maxheight: Annotated[int, Limit(10_000, 1)] = HEIGHT,
) -> Any:
    """Return how another site shows an address of this one (``url``: of a table or of an analysis) in a frame of at
    most this size, as oEmbed has it; JSON alone."""
    if format_ != "json":
        raise ApiError("needs-server", "format", "This server answers in JSON only.")
    site, asked = f"{request.url.scheme}://{request.url.netloc}", urlsplit(url)
    framed = embed_address(asked.path, asked.query) if f"{asked.scheme}://{asked.netloc}" == site else None
    if framed is None:
        raise ApiError("not-found", "url", "There is nothing to embed at this address.")
    table_id, query = asked.path.removeprefix("/t/"), {key: said[-1] for key, said in parse_qs(asked.query).items()}
    page = "table" if asked.path.startswith("/t/") else "analysis"
    preview = await preview_of(services_of(request), page, {"id": table_id}, query, "en")
    if preview is None:
        raise ApiError("not-found", "url", "There is nothing to embed at this address.")
    width, height = min(maxwidth, WIDTH), min(maxheight, HEIGHT)
    source = escape(f"{site}{framed}")
    return {
        "version": "1.0",
        "type": "rich",
        "title": preview.title,
        "provider_name": "Tercet",
        "provider_url": site,
        "html": f'<iframe src="{source}" width="{width}" height="{height}" title="{escape(preview.title)}" '
        'style="border:0" loading="lazy"></iframe>',
        "width": width,
        "height": height,
        "thumbnail_url": f"{site}{preview.picture}",
        "thumbnail_width": CARD_WIDTH,
        "thumbnail_height": CARD_HEIGHT,
    }
