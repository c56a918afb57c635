"""The page's files: served from memory, by the same turns and rates as everything else."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tercet.server.limits.budgets import BURST_MINUTES, NETWORK_FACTOR, ServerLimits, Spender
from tercet.server.limits.share import FairShare
from tercet.server.web.middleware import SecurityMiddleware
from tercet.server.web.pages import PageFile, PageFiles
from tests.server.conftest import Serving


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page that was built."""
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<p>Tercet</p>" * 100)
    (folder / "assets" / "index-D4f.js").write_text("go()\n" * 1000)
    (folder / "assets" / "tone.ogg").write_bytes(b"sound")
    return folder


async def test_files_are_read_once_and_compressed_once(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were read and compressed for everybody who asked."""
    made: list[str] = []
    of = PageFile.of

    def noting(kind: str, *rest: Any) -> PageFile:
        made.append(kind)
        return of(kind, *rest)

    monkeypatch.setattr(PageFile, "of", noting)
    files = PageFiles(page)
    for _ in range(50):
        found = await asyncio.gather(*(files.get(name) for name in ("index.html", "assets/index-D4f.js", "nothing")))
        assert [one is None for one in found] == [False, False, True]
    monkeypatch.setattr("tercet.server.web.pages.LOOK_AGAIN_SECONDS", -1)
    assert (await files.get("index.html")) is found[0]
    assert len(made) == 3


async def test_a_page_that_is_built_anew_is_seen(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = PageFiles(page)
    assert await files.get("index.html")
    (page / "index.html").write_text("new")
    (page / "assets" / "index-D4f.js").unlink()
    monkeypatch.setattr("tercet.server.web.pages.LOOK_AGAIN_SECONDS", -1)
    found = await files.get("index.html")
    assert found is not None
    assert found.body == b"new"
    assert await files.get("assets/index-D4f.js") is None


def test_how_files_are_sent(page: Path, serve: Callable[..., Serving]) -> None:
    server = serve(page=page)
    index = server.http.get("/")
    assert (index.status_code, index.headers["cache-control"]) == (200, "no-cache")
    assert (index.headers["content-encoding"], index.text) == ("gzip", "<p>Tercet</p>" * 100)
    assert server.http.get("/", headers={"if-none-match": index.headers["etag"]}).status_code == 304
    script = server.http.get("/assets/index-D4f.js", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in script.headers
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in script.headers["cache-control"]
    assert server.http.head("/assets/index-D4f.js").status_code == 200
    assert server.http.get("/assets/tone.ogg").headers["cache-control"] == "max-age=3600"
    assert server.http.get("/assets/tone.ogg?name=index.html&cache=no").content == b"sound"
    assert server.http.get("/assets/nothing.js").json()["error"]["code"] == "not-found"
    assert server.http.get("/no/such/page").status_code == 404
    assert server.http.get("/manifest.webmanifest").status_code == 404


PATHS = [
    "/",
    "/health",
    "/ready",
    "/metrics",
    "/pressure",
    "/assets/index-D4f.js",
    "/rules/sanqi",
    "/no/such",
    "/api/games",
]


def scope_of(path: str) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": [],
        "scheme": "http",
        "client": ("203.0.113.5", 1),
    }


async def nothing() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


@pytest.mark.parametrize("path", PATHS)
async def test_one_request_of_a_network_is_begun_in_a_turn_whatever_its_address(path: str) -> None:
    """Thirty connections that asked for what is none of the API's kept everybody else waiting for 0.14 to 0.45 s."""
    begun = 0

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        nonlocal begun
        begun += 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 100})

    async def ignore(_message: Any) -> None:
        pass

    middleware = SecurityMiddleware(app, ServerLimits())
    middleware.fair_share.budgets._now = lambda: 0.0  # so that none of what was used is forgotten meanwhile
    asked = [asyncio.ensure_future(middleware(scope_of(path), nothing, ignore)) for _ in range(30)]
    while begun < 30:
        before = begun
        await asyncio.sleep(0)
        assert begun - before <= 1
    await asyncio.gather(*asked)
    used = middleware.fair_share.budgets._of("network 203.0.113.0/24").amounts[2]
    assert used == 3000


@pytest.mark.parametrize("path", PATHS)
async def test_everything_that_is_asked_for_has_a_rate_and_a_budget(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.server.web.middleware.REFUSAL_SECONDS", 0)
    sent: list[int] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def note(message: Any) -> None:
        sent.extend([message["status"]] if "status" in message else [])

    limits = ServerLimits(files_per_minute=3, requests_per_minute=3)
    middleware = SecurityMiddleware(app, limits)
    for _ in range(4):
        await middleware(scope_of(path), nothing, note)
    assert sent == [200, 200, 200, 429]
    generous = SecurityMiddleware(
        app, ServerLimits(bytes_per_minute=100), fair_share=FairShare(ServerLimits(bytes_per_minute=100))
    )
    generous.fair_share.budgets.spend(Spender("203.0.113.0/24"), size=100 * BURST_MINUTES * NETWORK_FACTOR + 50)
    await generous(scope_of(path), nothing, note)
    assert sent[-1] == 429
