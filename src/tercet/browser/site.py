"""The static site: Tercet as files that any web host serves. The games run in the visitor's browser."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import tercet
from tercet.browser.building import Built
from tercet.browser.device_files import PYODIDE_FILES, digest_of, sources
from tercet.browser.recorded import record
from tercet.errors import TercetError

__all__ = ["PYODIDE", "SiteError", "build_docs", "build_site"]

PYODIDE = "314.0.7"  # the version that the site is made for
PAGE = Path(tercet.__file__).parent / "server" / "page"  # as a server serves it
CHECKOUT = Path(tercet.__file__).parents[2]
DOCS = "docs"  # the folder of the documentation in the site
SERVICE = Path(__file__).with_name("service.js")
LOST = Path(__file__).with_name("404.html")  # what many hosts, and the worker, send where there is no file
LANGUAGES = ("en", "de", "zh")
START = "deviceStart-*.js"  # what makes a worker answer the page
IMPORTS = re.compile(r"""(?:from|import)["'`]\./([\w.-]+\.js)["'`]""")  # in a built script
POLICY = (  # the page's first script adds one that leaves this site and the server that it is a client of
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src * data: blob:; font-src 'self'; media-src 'self'; connect-src *; manifest-src 'self'; "
    "worker-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'"
)


class SiteError(TercetError):
    """The site cannot be built; the message says what is missing."""


def build_docs(out: Path) -> str:
    """Build the documentation into the site at ``out``, with boards that are played on in the site. Return "", or a
    sentence that says why the documentation is left out. Raise SiteError where MkDocs fails."""
    shutil.rmtree(out / DOCS, ignore_errors=True)
    if not (CHECKOUT / "mkdocs.yml").is_file():
        return "The site has no documentation: an installed package does not hold it. Build it from the repository."
    if not (find_spec("mkdocs") and find_spec("material")):
        return "The site has no documentation: MkDocs is missing. Run `pip install mkdocs-material` and build again."
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--no-directory-urls", "--site-dir"]
    made = subprocess.run(  # noqa: S603
        [*command, str((out / DOCS).resolve())],
        cwd=CHECKOUT,
        env={**os.environ, "TERCET_PAGE": "../#"},
        capture_output=True,
        text=True,
    )
    if made.returncode:
        raise SiteError(f"MkDocs could not build the documentation: {made.stderr.strip()}")
    (out / DOCS / "404.html").unlink()  # its addresses begin at the host's root, where the site need not be
    return ""


def build_site(out: Path, pyodide: Path, games: Mapping[str, Built]) -> list[Path]:
    """Write the site to ``out`` and return its files. Its page leads to the documentation if that is built already.
    ``pyodide`` is the folder of the npm package of that name, ``games`` are the modules of the games. Raise SiteError
    where the folder holds another version, or where the page is not built."""
    _check_pyodide(pyodide)
    starts = sorted((PAGE / "assets").glob(START))
    if not starts:
        raise SiteError(f"The page is not built: {PAGE} is incomplete. Run `npm ci && npm run build` in web/.")
    out.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(out / "assets", ignore_errors=True)
    shutil.copytree(PAGE / "assets", out / "assets")
    files = [path.relative_to(out) for path in sorted((out / "assets").iterdir())]
    interpreter = f"pyodide-{PYODIDE}"
    (out / interpreter).mkdir(exist_ok=True)
    loaded = [Path(interpreter) / name for name in PYODIDE_FILES]
    for path in loaded:
        shutil.copyfile(pyodide / path.name, out / path)
    package = sources()
    described: dict[str, object] = {
        "sources": digest_of(package),
        "pyodide": interpreter,
        "package": str(_write(out, loaded, "tercet", ".pack", _package(package))),
        "games": {
            name: {
                "module": str(_write(out, loaded, name, ".wasm", built.content)),
                "table": str(_write(out, loaded, name, ".json", json.dumps(built.table).encode())),
            }
            for name, built in games.items()
        },
    }
    described["bytes"] = sum((out / path).stat().st_size for path in loaded if path.suffix != ".mjs")
    build = _write(out, files, "build", ".json", json.dumps(described).encode())
    for language in LANGUAGES:
        for name, recorded in record(language).items():
            for older in out.glob(f"{name}-{language}-*.json"):
                older.unlink()
            files.append(Path(build.name.replace("build", f"{name}-{language}")))
            (out / files[-1]).write_text(json.dumps(recorded, ensure_ascii=False, separators=(",", ":")), "utf-8")
    files += [*loaded, Path("manifest.webmanifest"), Path("index.html")]
    (out / "manifest.webmanifest").write_text(_manifest((PAGE / "manifest.webmanifest").read_text("utf-8")), "utf-8")
    index = _index((PAGE / "index.html").read_text("utf-8"), starts[0], build.name)
    if (out / DOCS / "index.html").is_file():
        index = index.replace("</head>", f'  <meta name="tercet-docs" content="{DOCS}/index.html" />\n  </head>')
    (out / "index.html").write_text(index, "utf-8")
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.as_posix().encode() + (out / path).read_bytes())
    sizes = {path.as_posix(): (out / path).stat().st_size for path in sorted(files)}
    sizes["./"] = sizes.pop("index.html")
    service = SERVICE.read_text("utf-8")
    service = service.replace("@BUILD@", digest.hexdigest()[:16]).replace("@FILES@", json.dumps(sizes))
    lost = LOST.read_text("utf-8").replace("@BUILD@", build.name)
    (out / LOST.name).write_text(lost, "utf-8")
    (out / "service.js").write_text(service.replace('"@LOST@"', json.dumps(lost)), "utf-8")
    return [*files, Path("service.js"), Path(LOST.name)]


def _index(page: str, start: Path, build: str) -> str:
    """Return the server's page with relative addresses, answered by a worker of this ``build``. The script ``start``
    makes it answer, and its parts are loaded with it."""
    page = page.replace('="/', '="')
    parts = [name for name in IMPORTS.findall(start.read_text("utf-8")) if name not in page]
    before = (
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}" />\n'
        f'    <meta name="tercet-build" content="{build}" />\n'
        f'    <meta name="tercet-version" content="{tercet.__version__}" />\n'
        f'    <script type="module" crossorigin src="assets/{start.name}"></script>\n    '
        + "".join(f'<link rel="modulepreload" crossorigin href="assets/{name}">\n    ' for name in parts)
    )
    at = page.index("<script")
    return page[:at] + before + page[at:]


def _manifest(text: str) -> str:
    """Return the server's manifest with relative addresses."""
    manifest = json.loads(text)
    del manifest["id"]
    manifest["start_url"] = manifest["scope"] = "./"
    for icon in manifest["icons"]:
        icon["src"] = icon["src"].removeprefix("/")
    for shortcut in manifest["shortcuts"]:
        shortcut["url"] = f"./#{shortcut['url']}"
    return json.dumps(manifest, ensure_ascii=False)


def _check_pyodide(folder: Path) -> None:
    try:
        version = json.loads((folder / "package.json").read_text("utf-8"))["version"]
    except (OSError, ValueError, KeyError):
        raise SiteError(
            f"{folder} does not hold the npm package pyodide. Run `npm install --prefix FOLDER pyodide@{PYODIDE}` and "
            "name FOLDER/node_modules/pyodide."
        ) from None
    if version != PYODIDE:
        raise SiteError(f"{folder} holds Pyodide {version}. The site is made for Pyodide {PYODIDE}.")


def _write(out: Path, files: list[Path], name: str, ending: str, content: bytes) -> Path:
    """Write a file whose name changes with its content."""
    path = Path(f"{name}-{hashlib.sha256(content).hexdigest()[:12]}{ending}")
    for older in out.glob(f"{name}-*{ending}"):
        older.unlink()
    (out / path).write_bytes(content)
    files.append(path)
    return path


def _package(files: Mapping[str, bytes]) -> bytes:
    """These files by their paths, as compressed JSON, which a browser unpacks faster than Python would unpack an
    archive."""
    texts, data = {}, {}
    for name, content in files.items():
        try:
            texts[name] = content.decode("utf-8")
        except UnicodeDecodeError:
            data[name] = base64.b64encode(content).decode("ascii")
    return gzip.compress(json.dumps({"texts": texts, "data": data}, ensure_ascii=False).encode("utf-8"), mtime=0)
