"""``GET /api/source``: the source code of the program that runs here, with its licence."""

from __future__ import annotations

import functools
import io
import zipfile
from importlib import metadata
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from tercet import __version__
from tercet.server.services import services_of

router = APIRouter()
PACKAGE = Path(__file__).parents[2]


@functools.cache
def _source() -> bytes:
    """Return a ZIP file with the Python files of the package, and its licence where it was installed with one."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(PACKAGE.rglob("*.py")):
            archive.write(path, f"tercet-{__version__}/src/tercet/{path.relative_to(PACKAGE).as_posix()}")
        licence = metadata.distribution("tercet").read_text("licenses/LICENSE")
        if licence:
            archive.writestr(f"tercet-{__version__}/LICENSE", licence)
    return found.getvalue()


@router.get("/api/source", response_class=Response, responses={200: {"content": {"application/zip": {}}}})
async def source(request: Request) -> Response:
    """Return the program's Python files and its licence, as a ZIP file."""
    name = f"tercet-{__version__}.zip"
    return Response(
        await services_of(request).compute(_source, request),
        media_type="application/zip",
        headers={"content-disposition": f'attachment; filename="{name}"', "cache-control": "public, max-age=3600"},
    )
