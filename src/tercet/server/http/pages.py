"""The page: the built files of web/, every address of the single-page app answered by its index.html."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, FastAPI, Request
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.responses import Response

import tercet
from tercet.server.http.page_files import PageFile, PageFiles
from tercet.server.protocol.pages import PAGES

__all__ = ["PAGE", "install"]

PAGE = Path(__file__).parent.with_name("page")

# What a browser looks for at the root: how the page is installed, and the worker that keeps its files for later.
ROOT = ("manifest.webmanifest", "worker.js")

UNBUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Tercet: the page is not built</title>
<body><h1>Tercet</h1>
<p id="how">The server runs, but its page has not been built. In a clone of the repository, build it
with <code>make play</code>, or with <code>npm ci &amp;&amp; npm run build</code> in <code>web/</code>, and load this
again.</p>
<script type="application/json" id="state">{"built": false}</script>
</body></html>
"""


class Elsewhere(Convertor[str]):
    """Addresses that are none of the API's, whose faults are told as data."""

    regex = "(?!api(?:/|$)|assets/).*"

    def convert(self, value: str) -> str:
        """As it stands in the address."""
        return value

    def to_string(self, value: str) -> str:
        """The same."""
        return value


register_url_convertor("elsewhere", Elsewhere())


def install(app: FastAPI, page: Path) -> None:
    """Serve the page's files from the folder ``page``."""
    router = APIRouter(include_in_schema=False)
    files, unbuilt = PageFiles(page), PageFile.of("text/html", UNBUILT.encode())

    async def shell(request: Request, status: int) -> Response:
        return (await files.get("index.html") or unbuilt).response(request, "no-cache", status)

    async def index(request: Request) -> Response:
        game = request.path_params.get("game")
        return await shell(request, 200 if game is None or game in tercet.games() else 404)

    for address in PAGES:
        router.add_api_route(address, index)

    async def kept(request: Request, name: str, cache: str) -> Response:
        found = await files.get(name)
        if found is None:
            raise HTTPException(404)
        return found.response(request, cache)

    def at_root(name: str) -> None:
        @router.get(f"/{name}")
        async def root(request: Request) -> Response:
            return await kept(request, name, "no-cache")

    for name in ROOT:
        at_root(name)

    @router.get("/assets/{name:path}")
    @router.head("/assets/{name:path}")
    async def asset(request: Request, name: str) -> Response:
        hashed = "-" in Path(name).stem  # its name says what is in it, so it never changes
        return await kept(
            request, f"assets/{name}", "public, max-age=31536000, immutable" if hashed else "max-age=3600"
        )

    app.include_router(router)

    @app.get("/{path:elsewhere}", include_in_schema=False)
    async def nowhere(request: Request, path: str) -> Response:  # noqa: ARG001  (the page says that there is nothing)
        return await shell(request, 404)
