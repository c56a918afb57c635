"""The static site: Tercet as files that any web host serves. The games run in the visitor's browser."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tercet
from tercet.browser.backend import Backend, quick_wish
from tercet.browser.building import Built
from tercet.browser.tables import KEY, MemoryStorage
from tercet.errors import TercetError

PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
# Parts of Tercet that need what no browser has, or that only programs ask for.
LEFT_OUT = {
    "batch",
    "browser/building.py",
    "browser/linking.py",
    "browser/site.py",
    "browser/wasmtime_host.py",
    "cli",
    "environments",
    "laboratory",
    "pictures/printing.py",
    "server",
    "testing",
    "training",
    "workers.py",
}
MOTIFS = "motifs.jsonl.gz"


class DeviceFilesError(TercetError):
    """The folder does not hold this version of Tercet; the message says what to do."""


@dataclass(frozen=True)
class DeviceFiles:
    """The ``names`` of the files in ``folder`` that a browser loads, and that of the file ``build``, which lists
    them."""

    folder: Path
    build: str
    names: frozenset[str]

    @classmethod
    def read(cls, folder: Path) -> DeviceFiles:
        """Return the files in ``folder``. Raise DeviceFilesError if it does not hold this version of Tercet."""
        remedy = f"Run `tercet site --out {folder}` again."
        try:
            (build,) = folder.glob("build-*.json")
            said = json.loads(build.read_bytes())
            games = [name for game in said["games"].values() for name in (game["module"], game["table"])]
            pyodide = [f"{said['pyodide']}/{name}" for name in PYODIDE_FILES]
            names, digest = [build.name, said["package"], *games, *pyodide], said["sources"]
        except (OSError, ValueError, KeyError):
            raise DeviceFilesError(f"{folder} does not hold Tercet for browsers. {remedy}") from None
        missing = [name for name in names if not (folder / name).is_file()]
        if missing:
            raise DeviceFilesError(f"{folder} lacks the file {missing[0]}. {remedy}")
        if digest != digest_of(sources()):
            raise DeviceFilesError(f"{folder} holds another version of Tercet. {remedy}")
        return cls(folder, build.name, frozenset(names))


def sources(motifs: bool = False) -> dict[str, bytes]:
    """Return Tercet's own sources and data by their paths, as far as a browser can use them; or (``motifs``) the
    puzzles made for motifs, a fiftieth of a first visit, which are loaded when the trainer is opened."""
    root = Path(tercet.__file__).parent
    return {
        f"tercet/{path.relative_to(root).as_posix()}": path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and (path.name == MOTIFS) == motifs
        and not any(path.is_relative_to(root / part) for part in LEFT_OUT)
        and not {"__pycache__", "studies", "studies.toml"} & set(path.relative_to(root).parts)
    }


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return a digest of these files."""
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]


PLACE = "@TABLE@"  # stands for the id of a recorded table, and for the tokens of its seats
SHARED = ("type", "id", "table")  # the fields of a snapshot that do not depend on the start of the game
STARTS_PER_GAME = 6  # recorded of a game with chance in its start

Recorded = dict[str, dict[str, Any]]  # what the files of one language hold, by their names


def record(language: str) -> Recorded:
    """Return what a visitor with this language asks for first: ``answers`` for the page with the games; ``tables`` for
    the tables that its buttons open, with the answers for these."""
    return asyncio.run(_Recorder(language).all())


class _Recorder:
    def __init__(self, language: str) -> None:
        self._language = language
        self._storage = MemoryStorage()
        self._backend = Backend(self._storage)

    async def _ask(self, answers: dict[str, str], method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Record the answer to a request, which the page writes in just this way. Return it."""
        asked = "" if body is None else _text(body)
        _, answer = await self._backend.request(method, path, asked or None, self._language)
        answers[f"{method} {path} {asked}"] = answer
        return json.loads(answer)

    async def all(self) -> Recorded:
        answers: dict[str, str] = {}
        games = await self._ask(answers, "GET", "/api/games")
        await self._ask(answers, "GET", "/api/me")
        for game in games:
            quick = game["quickStart"]
            shown = {"position": quick["picture"], "moves": quick["moves"]}
            body = {"game": game["name"], "options": quick["options"], "seed": 0}
            await self._ask(answers, "POST", "/api/preview", {**body, **{k: v for k, v in shown.items() if v}})
        ideas: dict[str, str] = {}
        tables: dict[str, Any] = {}
        for game in games:
            for wish in _wishes(game):
                tables[f"POST /api/tables {_text(wish)}"] = opening = await self._opening(wish)
                if wish["options"] == game["quickStart"]["options"]:
                    for start in opening["starts"]:
                        guided = {"position": start["shown"]["state"]["view"]["position"], "moves": [], "seen": []}
                        await self._ask(ideas, "POST", "/api/first-game", guided)
        return {"answers": {"answers": answers}, "tables": {"answers": ideas, "tables": tables}}

    async def _opening(self, wish: Mapping[str, Any]) -> dict[str, Any]:
        """Return how a table opens: the ``answer`` to the request, the fields of its first snapshot that all starts
        have in common (``shared``), and for each start what is ``stored``, and ``shown`` besides."""
        starts: list[dict[str, Any]] = []
        for seed in range(STARTS_PER_GAME):
            _, text = await self._backend.request("POST", "/api/tables", _text({**wish, "seed": seed}), self._language)
            made = json.loads(text)
            snapshot = await self._first_snapshot(made["id"])
            stored = json.loads(self._storage.texts[KEY + made["id"]])
            shown = {name: value for name, value in snapshot.items() if name not in SHARED}
            start = {"stored": {**stored, "opened": 0}, "shown": shown}
            if start not in starts:
                starts.append(start)
        seats = [{**seat, "token": seat["token"] and PLACE} for seat in made["seats"]]
        answer = _placed({**made, "seats": seats}, made["id"])
        return {"answer": _text(answer), "shared": {name: snapshot[name] for name in SHARED}, "starts": starts}

    async def _first_snapshot(self, table: str) -> dict[str, Any]:
        heard: asyncio.Queue[str] = asyncio.Queue()
        socket = self._backend.connect(f"/api/tables/{table}/live?lang={self._language}", heard.put_nowait)
        found: dict[str, Any] = _placed(json.loads(await heard.get()), table)
        self._backend.close(socket)
        return found


def _wishes(game: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what the button of a game asks for: its quick start, and after the first win the next board."""
    wish = quick_wish(game)
    yield wish
    for step in game["quickStart"]["ladder"][:1]:
        yield {**wish, "options": step["options"]}


def _text(content: Any) -> str:
    """Return ``content`` as the page writes it."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _placed(content: Any, table: str) -> Any:
    return json.loads(_text(content).replace(table, PLACE))


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
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--no-directory-urls"]
    command += ["--site-dir", str((out / DOCS).resolve())]
    environment = {**os.environ, "TERCET_PAGE": "../#"}
    made = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True)  # noqa: S603
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
    packed = str(_write(out, loaded, "tercet", ".pack", _package(package)))
    modules = {}
    for name, built in games.items():
        table = json.dumps(built.table).encode()
        written = (_write(out, loaded, name, *how) for how in ((".wasm", built.content), (".json", table)))
        modules[name] = dict(zip(("module", "table"), map(str, written), strict=True))
    described: dict[str, object] = {"sources": digest_of(package), "pyodide": interpreter, "package": packed}
    described["games"] = modules
    described["motifs"] = str(_write(out, files, "motifs", ".pack", _package(sources(motifs=True))))
    described["bytes"] = sum((out / path).stat().st_size for path in loaded if path.suffix != ".mjs")
    build = _write(out, files, "build", ".json", json.dumps(described).encode())
    for language in LANGUAGES:
        for name, recorded in record(language).items():
            for older in out.glob(f"{name}-{language}-*.json"):
                older.unlink()
            files.append(Path(build.name.replace("build", f"{name}-{language}")))
            (out / files[-1]).write_text(_text(recorded), "utf-8")
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
        remedy = f"Run `npm install --prefix FOLDER pyodide@{PYODIDE}` and name FOLDER/node_modules/pyodide."
        raise SiteError(f"{folder} does not hold the npm package pyodide. {remedy}") from None
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
