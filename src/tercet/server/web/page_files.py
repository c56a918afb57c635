"""The built page's files, in memory: no request reads from the disk, and each file is compressed once."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import mimetypes
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

LOOK_AGAIN_SECONDS = 1.0  # the delay before a rebuilt page is served
COMPRESSED = ("text/", "application/json", "application/manifest+json", "application/wasm", "image/svg+xml")
TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True)
class PageFile:
    """One file: its bytes, compressed too where that makes it smaller. ``stamp`` tells whether it has changed."""

    stamp: tuple[int, int]
    kind: str
    body: bytes
    packed: bytes | None
    tag: str

    @classmethod
    def of(cls, kind: str, body: bytes, stamp: tuple[int, int] = (0, 0)) -> PageFile:
        """Return ``body`` as a file of that media type."""
        packed = gzip.compress(body, 6, mtime=0) if kind.startswith(COMPRESSED) else body
        tag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
        return cls(stamp, kind, body, packed if len(packed) < len(body) else None, tag)

    def response(self, request: Request, cache: str, status: int = 200) -> Response:
        """Return the answer to ``request``: the file, with leave to keep it as ``cache`` says, or that it has not
        changed since the browser was sent it."""
        headers = {"cache-control": cache, "etag": self.tag, "vary": "Accept-Encoding"}
        if status == 200 and self.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        body = self.body
        if self.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            body = self.packed
            headers["content-encoding"] = "gzip"
        kind = f"{self.kind}; charset=utf-8" if self.kind.startswith("text/") else self.kind
        return Response(body, status, headers, kind)


class PageFiles:
    """The files in ``folder`` (only those with these ``names``, if given). A thread looks at most once a second whether
    they have changed, and only when someone asks for one."""

    def __init__(self, folder: Path, names: Collection[str] | None = None) -> None:
        self._folder = folder
        self._names = names
        self._files: dict[str, PageFile] = {}
        self._looking: asyncio.Future[None] | None = None
        self._looked = 0.0

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
                    known = PageFile.of(_media_type(path), path.read_bytes(), stamp)
            except OSError:  # it has just been deleted, or may not be read
                continue
            found[name] = known
        self._files, self._looked = found, time.monotonic()


def _media_type(path: Path) -> str:
    return TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
