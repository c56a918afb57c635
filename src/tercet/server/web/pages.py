"""The page: the built files of web/, every address of the single-page app answered by its index.html."""

from __future__ import annotations

import functools
from pathlib import Path
from urllib.parse import quote

from fastapi import FastAPI, Request
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import compile_path

import tercet
from tercet.answers.translation.catalogue import accepted
from tercet.browser.device_files import DeviceFiles
from tercet.server.services import services_of
from tercet.server.web.middleware import POLICY
from tercet.server.web.page_files import PageFile, PageFiles
from tercet.server.web.previews import preview_of, with_preview
from tercet.server.wire.pages import PAGES

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
    """Addresses that are neither the API's nor an operator's, whose errors are data."""

    regex = "(?!api(?:/|$)|assets/|(?:health|ready|metrics|pressure)$).*"


register_url_convertor("elsewhere", Elsewhere())


def install(app: FastAPI, page: Path, device: DeviceFiles | None = None) -> None:
    """Serve the page's files from the folder ``page``, and those of the ``device``, on which the page then lets engines
    think. These routes stand before those of the endpoints: FastAPI builds
    those when it first looks for one among them, and the first page need not wait for that."""
    files, unbuilt = PageFiles(page), PageFile.of("text/html", UNBUILT.encode())
    device_files = None if device is None else PageFiles(device.folder, device.names)
    patterns = [(compile_path(address)[0], name) for address, name in PAGES.items()]

    def shown(path: str) -> tuple[str, dict[str, str]] | None:
        """Return the name of the page at this address and what the address says; None where it would show nothing."""
        for pattern, name in patterns:
            if match := pattern.match(path):
                return (name, match.groupdict()) if match.groupdict().get("game") in (None, *tercet.games()) else None
        return None

    async def previewed(request: Request, index: PageFile, name: str, given: dict[str, str]) -> PageFile:
        """Return the page with what previews of links to this address show."""
        services, language = services_of(request), accepted(request.headers.get("accept-language", ""))
        preview = await preview_of(services, name, given, request.query_params, language)
        if preview is None:
            return index
        url = request.url
        address = quote(url.path) + (f"?{url.query}" if url.query else "")
        body = with_preview(index.body, preview, f"{url.scheme}://{url.netloc}", address, language)
        return PageFile.of(index.kind, body, index.stamp)

    @functools.lru_cache(maxsize=1)
    def with_device(index: PageFile) -> PageFile:
        """Return the page, which names the file that lists those of the device."""
        if device is None:
            return index
        said = f'<meta name="tercet-build" content="device/{device.build}" />\n    '.encode()
        return PageFile.of(index.kind, index.body.replace(b"<title>", said + b"<title>", 1), index.stamp)

    async def kept(request: Request, name: str, cache: str, where: PageFiles = files) -> Response:
        found = await where.get(name)
        if found is None:
            raise HTTPException(404)
        return found.response(request, cache)

    async def address(request: Request) -> Response:
        name = request.path_params["path"]
        if name in ROOT:
            return await kept(request, name, "no-cache")
        index, found = await files.get("index.html"), shown(f"/{name}")
        if index is not None and found is not None:
            index = await previewed(request, with_device(index), *found)
        return (index or unbuilt).response(request, "no-cache", 404 if found is None else 200)

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
