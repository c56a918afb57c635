"""The page: the built files of web/, every address of the single-page app answered by its index.html."""

from __future__ import annotations

import asyncio
import functools
import json
import mimetypes
import re
import time
from collections.abc import Collection, Mapping
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, urlencode

import sqlalchemy as sa
from fastapi import FastAPI, Request
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import compile_path

import tercet
from tercet.answers.errors import AnswerError
from tercet.answers.games import CARD_HEIGHT, CARD_WIDTH
from tercet.answers.lessons import known_lesson
from tercet.answers.puzzles import known_puzzle
from tercet.answers.translation import accepted, teller
from tercet.browser.site import DeviceFiles
from tercet.errors import TercetError
from tercet.games import game_definition
from tercet.play.session import TableSettings
from tercet.play.tournaments import FORMS
from tercet.server.services import PageFile, Services, services_of
from tercet.server.store.schema import PEOPLE, SEATS, TABLES, TOURNAMENTS
from tercet.server.web.middleware import POLICY

# The addresses of the page, each with the part that it shows; the page's router is made of the same file.
PAGES: dict[str, str] = json.loads(Path(__file__).with_name("pages.json").read_text("utf-8"))
BUILT = re.compile(r"assets/(\w+)-[\w-]{8}\.js")  # the name of a script that was built from a module
LOOK_AGAIN_SECONDS = 1.0  # the delay before a rebuilt page is served
TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


class PageFiles:
    """The files in ``folder`` (only those with these ``names``, if given). A thread looks at most once a second whether
    they have changed, and only when someone asks for one."""

    def __init__(self, folder: Path, names: Collection[str] | None = None) -> None:
        self._folder = folder
        self._names = names
        self._files: dict[str, PageFile] = {}
        self._scripts: dict[str, str] = {}
        self._looking: asyncio.Future[None] | None = None
        self._looked = 0.0

    def script(self, name: str) -> str:
        """Return the address of the script that is built from the module ``name``, such as ``en`` or ``table``; empty
        where it has none of its own."""
        return self._scripts.get(name, "")

    async def get(self, name: str) -> PageFile | None:
        """Return the file of that name (``index.html``, ``assets/index-D4f.js``), if there is one."""
        if self._looking is None or (self._looking.done() and time.monotonic() - self._looked > LOOK_AGAIN_SECONDS):
            self._looking = asyncio.ensure_future(asyncio.to_thread(self._look))
        if not self._looking.done():
            await asyncio.shield(self._looking)
        return self._files.get(name)

    def _look(self) -> None:
        found: dict[str, PageFile] = {}
        listed = self._folder.rglob("*") if self._names is None else map(self._folder.joinpath, self._names)
        for path in listed:
            name = path.relative_to(self._folder).as_posix()
            try:
                if not path.is_file():
                    continue
                state = path.stat()
                stamp, known = (state.st_mtime_ns, state.st_size), self._files.get(name)
                if known is None or known.stamp != stamp:
                    kind = TYPES.get(path.suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
                    known = PageFile.of(kind, path.read_bytes(), stamp)
            except OSError:  # it has just been deleted, or may not be read
                continue
            found[name] = known
        built = ((BUILT.fullmatch(name), name) for name in found)
        self._scripts = {match[1].lower(): f"/{name}" for match, name in built if match}
        self._files, self._looked = found, time.monotonic()


PAGE = Path(__file__).parent.with_name("page")

# What a browser looks for at the root: how the page is installed, and the worker that keeps its files for later.
ROOT = ("manifest.webmanifest", "worker.js")
FOREVER = "public, max-age=31536000, immutable"
WORKER = "deviceWorker-"  # the script that runs WebAssembly, under a policy of its own
WORKER_POLICY = POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")

UNBUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Tercet: the page is not built</title>
<body><h1>Tercet</h1>
<p id="how">The server runs, but its page has not been built. In a clone of the repository, build it
with <code>make play</code>, or with <code>npm ci &amp;&amp; npm run build</code> in <code>web/</code>, and load this
again.</p>
<script type="application/json" id="state">{"built": false}</script>
</body></html>
"""


class Elsewhere(PathConvertor):
    """Addresses that are neither the API's nor an operator's, whose errors are data, nor those of frames."""

    regex = "(?!api(?:/|$)|assets/|embed/|(?:health|ready|metrics|pressure)$).*"


register_url_convertor("elsewhere", Elsewhere())


def install(app: FastAPI, page: Path, device: DeviceFiles | None = None) -> None:
    """Serve the page's files from the folder ``page``, and those with which engines think on the ``device``."""
    files, unbuilt = PageFiles(page), PageFile.of("text/html", UNBUILT.encode())
    device_files = None if device is None else PageFiles(device.folder, device.names)
    patterns = [(compile_path(address)[0], name) for address, name in PAGES.items()]

    def shown(path: str) -> tuple[str, dict[str, str]] | None:
        """Return the name of the page at this address and what the address says; None where it would show nothing."""
        for pattern, name in patterns:
            if match := pattern.match(path):
                return (name, match.groupdict()) if match.groupdict().get("game") in (None, *tercet.games()) else None
        return None

    async def previewed(request: Request, index: PageFile, name: str, given: dict[str, str], language: str) -> PageFile:
        """Return the page with what previews of links to this address show."""
        services = services_of(request)
        preview = await preview_of(services, name, given, request.query_params, language)
        if preview is None:
            return index
        url = request.url
        address = quote(url.path) + (f"?{url.query}" if url.query else "")
        body = with_preview(index.body, preview, f"{url.scheme}://{url.netloc}", address, language)
        return PageFile.of(index.kind, body, index.stamp, index.headers)

    @functools.lru_cache(maxsize=128)
    def prepared(index: PageFile, scripts: tuple[str, ...]) -> PageFile:
        """Return the page, which names the ``scripts`` that it will ask for, so that they are loaded with the first
        ones, and the file that lists those of the device."""
        lines = [f'<link rel="modulepreload" crossorigin href="{script}">' for script in scripts if script]
        lines += [] if device is None else [f'<meta name="tercet-build" content="device/{device.build}" />']
        said = "".join(f"{line}\n    " for line in lines).encode()
        body = index.body.replace(b"<title>", said + b"<title>", 1)
        return PageFile.of(index.kind, body, index.stamp, {"vary": "Accept-Encoding, Accept-Language"})

    async def kept(request: Request, name: str, cache: str, where: PageFiles = files) -> Response:
        found = await where.get(name)
        if found is None:
            raise HTTPException(404)
        return found.response(request, cache)

    async def address(request: Request) -> Response:
        name = request.path_params["path"]
        if name in ROOT:
            return await kept(request, name, "no-cache")
        index, part = await files.get("index.html"), shown(f"/{name}")
        if index is not None:
            language = accepted(request.headers.get("accept-language", ""))
            index = prepared(index, (files.script(language), files.script(part[0]) if part else ""))
            index = await previewed(request, index, *part, language) if part else index
        return (index or unbuilt).response(request, "no-cache", 404 if part is None else 200)

    async def asset(request: Request) -> Response:
        name = request.path_params["name"]
        hashed = "-" in Path(name).stem  # its name says what is in it, so it never changes
        found = await kept(request, f"assets/{name}", FOREVER if hashed else "max-age=3600")
        if device is not None and name.startswith(WORKER):
            found.headers["content-security-policy"] = WORKER_POLICY
        return found

    async def for_device(request: Request) -> Response:
        assert device_files is not None
        return await kept(request, request.path_params["name"], FOREVER, device_files)

    app.add_route("/assets/{name:path}", asset, include_in_schema=False)
    if device_files is not None:
        app.add_route("/device/{name:path}", for_device, include_in_schema=False)
    app.add_route("/{path:elsewhere}", address, include_in_schema=False)


MAX_POSITION = 2000  # characters of a position in an address that is drawn
LOCALES = {"en": "en_GB", "de": "de_DE", "zh": "zh_CN"}


class LinkPreview(NamedTuple):
    """A preview of a page; ``picture`` is the address of a picture on this server."""

    title: str
    description: str
    picture: str


def embed_address(path: str, query: str) -> str | None:
    """Return the address that shows the page at this ``path`` in a frame of another site; None where none does."""
    if re.fullmatch("/t/[0-9A-Za-z]{1,32}", path):
        return f"/embed{path}"
    position = parse_qs(query).get("position", [""])[-1] if path == "/analysis" else ""
    return f"/embed/position?{urlencode({'position': position})}" if 0 < len(position) <= MAX_POSITION else None


async def preview_of(
    services: Services, page: str, given: Mapping[str, str | None], query: Mapping[str, str], language: str
) -> LinkPreview | None:
    """Return the preview of a ``page`` (its name in :data:`PAGES`) at an address that has these parts ``given``; None
    where it has nothing of its own to show, or nothing that everyone may see."""
    game, found_id = given.get("game"), given.get("id") or ""
    try:
        if page in ("table", "moments"):
            return await _of_table(services, found_id, language)
        if page == "tournament":
            return await _of_tournament(services, found_id, language)
        return await asyncio.to_thread(_of_game, page, game, found_id, query.get("position", ""), language)
    except (TercetError, AnswerError):
        return None


async def _of_table(services: Services, table_id: str, language: str) -> LinkPreview | None:
    columns = (TABLES.c.setup, TABLES.c.waiting, TABLES.c.over, TABLES.c.result, TABLES.c.number)
    sitting = sa.select(SEATS.c.seat, PEOPLE.c.name).join(PEOPLE, PEOPLE.c.id == SEATS.c.person_id)

    def read(connection: sa.Connection) -> tuple[Any, dict[int, str]]:
        row = connection.execute(sa.select(*columns).where(TABLES.c.id == table_id)).first()
        people = connection.execute(sitting.where(SEATS.c.table_id == table_id))
        return row, {one.seat: one.name for one in people}

    row, names = await services.registry.store.database.find(read)
    if row is None:
        return None
    settings = TableSettings.read(row.setup)
    if settings.watch == "private":
        return None
    say, players = teller(settings.game, language), []
    for number, seat in enumerate(settings.seats):
        if seat.kind == "engine":
            players.append(say(f"engine, level {seat.level}"))
        elif number in names or seat.name:
            players.append(say(names.get(number) or seat.name))
    title = game_definition(settings.game).title
    text = "Play this game: a seat is free." if row.waiting else "Watch this game live."
    if row.over:
        text = (row.result or {}).get("says") or "The game was aborted."
    picture = f"/api/pictures/table/{quote(table_id)}.png?{urlencode({'event': row.number})}"
    return LinkPreview(": ".join([title, " – ".join(players)] if players else [title]), say(text), picture)


async def _of_tournament(services: Services, tournament_id: str, language: str) -> LinkPreview | None:
    asked = sa.select(TOURNAMENTS.c.name, TOURNAMENTS.c.setup).where(TOURNAMENTS.c.id == tournament_id)
    row = await services.registry.store.database.first(asked)
    if row is None:
        return None
    game = row.setup["plan"]["game"]
    text = teller(game, language)(FORMS[row.setup["form"]["kind"]])
    return LinkPreview(f"{game_definition(game).title}: {row.name}", text, f"/api/pictures/game/{quote(game)}.png")


def _of_game(page: str, game: str | None, found_id: str, position: str, language: str) -> LinkPreview | None:
    """Return the preview of a page about a game: of a puzzle, a lesson, a position, or the game itself."""
    if page == "puzzles" and found_id:
        puzzle = known_puzzle(found_id)
        game, part, about = puzzle["game"], "Puzzle", puzzle["task"]
        picture = f"puzzle/{quote(found_id)}.png"
    elif page == "lesson" and game:
        lesson = known_lesson(game, found_id)
        part, about, picture = lesson.title, lesson.about, f"lesson/{quote(game)}/{quote(found_id)}.png"
    elif page == "analysis" and 0 < len(position) <= MAX_POSITION:
        game, part, about = tercet.parse(position).game.name, "Analysis", "Look at this position and its moves."
        picture = f"position.png?{urlencode({'position': position})}"
    elif game is not None:
        part = {"rules": "Rules", "learn": "Lessons", "puzzles": "Puzzles", "players": "Best players"}.get(page, "")
        about, picture = game_definition(game).summary, f"game/{quote(game)}.png"
    else:
        return None
    say, title = teller(game, language), game_definition(game).title
    return LinkPreview(f"{title}: {say(part)}" if part else title, say(about), f"/api/pictures/{picture}")


@functools.lru_cache(maxsize=64)
def with_preview(page: bytes, preview: LinkPreview, site: str, address: str, language: str) -> bytes:
    """Return the ``page`` with the tags of ``preview``; ``site`` is the server's origin, ``address`` the page's."""
    title, description = f"{preview.title} · Tercet", preview.description
    tags = {
        "og:title": preview.title,
        "og:description": description,
        "og:type": "website",
        "og:site_name": "Tercet",
        "og:url": f"{site}{address}",
        "og:locale": LOCALES[language],
        "og:image": f"{site}{preview.picture}",
        "og:image:width": str(CARD_WIDTH),
        "og:image:height": str(CARD_HEIGHT),
        "og:image:alt": preview.title,
    }
    lines = [f'<meta property="{name}" content="{escape(text)}" />' for name, text in tags.items()]
    path, _, query = address.partition("?")
    if embed_address(path, query):
        described = f"{site}/api/oembed?{urlencode({'url': f'{site}{address}'})}"
        lines.append(f'<link rel="alternate" type="application/json+oembed" href="{escape(described)}" />')
    lines += ['<meta name="twitter:card" content="summary_large_image" />']
    lines += [f'<meta name="description" content="{escape(description)}" />', f"<title>{escape(title)}</title>"]
    html = re.sub(r'<meta\s+name="description"[^>]*>|<title>[^<]*</title>', "", page.decode())
    return html.replace("</head>", "\n    ".join(["", *lines]) + "\n  </head>", 1).encode()
