"""The page: the built files of web/, every address of the single-page app answered by its index.html."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Request
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import compile_path

import tercet
from tercet.server.web.page_files import PageFile, PageFiles
from tercet.server.wire.pages import PAGES

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
    """Addresses that are neither the API's nor an operator's, whose errors are data."""

    regex = "(?!api(?:/|$)|assets/|(?:health|ready|metrics|pressure)$).*"

    def convert(self, value: str) -> str:
        """Return the value as it is in the address."""
        return value

    def to_string(self, value: str) -> str:
        """The same."""
        return value


register_url_convertor("elsewhere", Elsewhere())


def install(app: FastAPI, page: Path) -> None:
    """Serve the page's files from the folder ``page``. These routes stand before those of the endpoints: FastAPI builds
    those when it first looks for one among them, and the first page need not wait for that."""
    files, unbuilt = PageFiles(page), PageFile.of("text/html", UNBUILT.encode())
    patterns = [compile_path(address)[0] for address in PAGES]

    def status(path: str) -> int:
        """404 where the page would only say that there is nothing."""
        found = next((match for match in (pattern.match(path) for pattern in patterns) if match), None)
        return 200 if found and found.groupdict().get("game") in (None, *tercet.games()) else 404

    async def kept(request: Request, name: str, cache: str) -> Response:
        found = await files.get(name)
        if found is None:
            raise HTTPException(404)
        return found.response(request, cache)

    async def address(request: Request) -> Response:
        name = request.path_params["path"]
        if name in ROOT:
            return await kept(request, name, "no-cache")
        return (await files.get("index.html") or unbuilt).response(request, "no-cache", status(f"/{name}"))

    async def asset(request: Request) -> Response:
        name = request.path_params["name"]
        hashed = "-" in Path(name).stem  # its name says what is in it, so it never changes
        return await kept(
            request, f"assets/{name}", "public, max-age=31536000, immutable" if hashed else "max-age=3600"
        )

    app.add_route("/assets/{name:path}", asset, include_in_schema=False)
    app.add_route("/{path:elsewhere}", address, include_in_schema=False)
