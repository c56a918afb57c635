"""The page: the built files of web/, every address of the single-page app answered by its index.html."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, FastAPI
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

__all__ = ["PAGE", "install"]

PAGE = Path(__file__).parent.with_name("page")

# What a browser looks for at the root: how the page is installed, and the worker that keeps its files for later.
ROOT = {"manifest.webmanifest": "application/manifest+json", "worker.js": "text/javascript"}

UNBUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Tercet: the page is not built</title>
<body><h1>Tercet</h1>
<p id="how">The server runs, but its page has not been built. In a clone of the repository, build it
with <code>make play</code>, or with <code>npm ci &amp;&amp; npm run build</code> in <code>web/</code>, and load this
again.</p>
<script type="application/json" id="state">{"built": false}</script>
</body></html>
"""


class Assets(StaticFiles):
    """Built files; their names carry a hash of what is in them, so they never change."""

    def file_response(self, *args: object, **named: object) -> Response:
        """A file with leave to keep it."""
        response = super().file_response(*args, **named)  # type: ignore[arg-type]
        hashed = "-" in Path(str(args[0])).stem
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if hashed else "max-age=3600"
        return response


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

    def shell(status: int) -> Response:
        try:
            text = (page / "index.html").read_text("utf-8")
        except OSError:
            text = UNBUILT
        return HTMLResponse(text, status, headers={"cache-control": "no-cache"})

    @router.get("/")
    @router.get("/t/{name}")
    @router.get("/analysis")
    @router.get("/rules/{name}")
    @router.get("/about")
    @router.get("/account")
    @router.get("/games")
    @router.get("/players")
    @router.get("/players/{name}")
    @router.get("/tournaments")
    @router.get("/tournaments/{name}")
    @router.get("/@{name}")
    @router.get("/rules")
    async def index(name: str = "") -> Response:  # noqa: ARG001  (the page reads its own address)
        return shell(200)

    def kept(name: str, kind: str) -> None:
        @router.get(f"/{name}")
        async def root() -> Response:
            try:
                return Response((page / name).read_bytes(), media_type=kind, headers={"cache-control": "no-cache"})
            except OSError:
                raise HTTPException(404) from None

    for name, kind in ROOT.items():
        kept(name, kind)
    app.include_router(router)
    app.mount("/assets", Assets(directory=page / "assets", check_dir=False), name="assets")

    @app.get("/{path:elsewhere}", include_in_schema=False)
    async def nowhere(path: str) -> Response:  # noqa: ARG001  (the page says that there is nothing)
        return shell(404)
