"""What a server offers to browsers that let engines think on their own devices."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tercet.browser.site import PYODIDE_FILES, DeviceFiles, DeviceFilesError, digest_of, sources
from tercet.server.web.pages import PAGE
from tests.server.conftest import Serving


def write(folder: Path, digest: str) -> Path:
    """Write a folder as ``tercet site`` does, with nothing in its files."""
    (folder / "pyodide-1").mkdir(parents=True)
    games = {"sanqi": {"module": "sanqi-1.wasm", "table": "sanqi-1.json"}}
    build = {"sources": digest, "pyodide": "pyodide-1", "package": "tercet-1.pack", "games": games}
    (folder / "build-1.json").write_text(json.dumps(build))
    for name in ("sanqi-1.wasm", "sanqi-1.json", "tercet-1.pack", *(f"pyodide-1/{name}" for name in PYODIDE_FILES)):
        (folder / name).write_text("{}")
    (folder / "index.html").write_text("a page of the site")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "site", digest_of(sources()))


def test_a_server_names_and_serves_the_files_of_the_device_and_no_others(tmp_path: Path, folder: Path) -> None:
    page = tmp_path / "page"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<head><title>Tercet</title></head>")
    for name in ("deviceWorker-1.js", "index-1.js"):
        (page / "assets" / name).write_text("")
    server = Serving(tmp_path / "games", page=page, device=folder)
    try:
        get = server.http.get
        assert '<meta name="tercet-build" content="device/build-1.json" />' in get("/analysis").text
        module = get("/device/sanqi-1.wasm")
        assert module.headers["content-type"] == "application/wasm"
        assert "immutable" in module.headers["cache-control"]
        assert get("/device/pyodide-1/pyodide.mjs").headers["content-type"] == "text/javascript; charset=utf-8"
        assert get("/device/index.html").status_code == 404
        assert get("/device/../build-1.json").status_code == 404
        policies = [
            get(path).headers["content-security-policy"] for path in ("/assets/deviceWorker-1.js", "/assets/index-1.js")
        ]
        assert ["'wasm-unsafe-eval'" in policy for policy in policies] == [True, False]
        assert all("script-src 'self'" in policy for policy in policies)
    finally:
        server.stop()


def test_without_the_files_the_page_names_none(tmp_path: Path) -> None:
    server = Serving(tmp_path / "games", page=PAGE)
    try:
        assert "tercet-build" not in server.http.get("/").text
        assert server.http.get("/device/build-1.json").status_code == 404
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda folder: (folder / "build-1.json").unlink(), "does not hold Tercet for browsers"),
        (lambda folder: (folder / "build-1.json").write_text("{}"), "does not hold Tercet for browsers"),
        (lambda folder: (folder / "sanqi-1.wasm").unlink(), r"lacks the file sanqi-1\.wasm"),
    ],
)
def test_a_folder_that_is_not_whole_is_refused(folder: Path, damage: Callable[[Path], object], why: str) -> None:
    damage(folder)
    with pytest.raises(DeviceFilesError, match=why):
        DeviceFiles.read(folder)


def test_another_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeviceFilesError, match=r"another version of Tercet\. Run `tercet site --out"):
        DeviceFiles.read(write(tmp_path / "site", "0"))
