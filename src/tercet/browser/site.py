"""The static site: Tercet as files that any web host serves. The games run in the visitor's browser."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

import tercet
from tercet.browser.building import Built
from tercet.errors import TercetError

__all__ = ["PYODIDE", "SiteError", "build_site"]

PYODIDE = "314.0.7"  # the version that the site is made for
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
PAGE = Path(__file__).with_name("page")
# Parts of Tercet that need what no browser has, or that only programs ask for.
LEFT_OUT = {"batch", "cli", "data", "environments", "printing", "server", "testing", "training", "workers.py"}
OLDEST = (1980, 1, 1, 0, 0, 0)  # the date of all files in an archive, so that equal sources give equal archives


class SiteError(TercetError):
    """The site cannot be built; the message says what is missing."""


def build_site(out: Path, pyodide: Path, games: Mapping[str, Built]) -> list[Path]:
    """Write the site to ``out`` and return its files. ``pyodide`` is the folder of the npm package of that name,
    ``games`` are the modules of the games. Raise SiteError where the folder holds another version."""
    _check_pyodide(pyodide)
    out.mkdir(parents=True, exist_ok=True)
    interpreter = f"pyodide-{PYODIDE}"
    (out / interpreter).mkdir(exist_ok=True)
    files = [Path(interpreter) / name for name in PYODIDE_FILES]
    for path in files:
        shutil.copyfile(pyodide / path.name, out / path)
    described: dict[str, object] = {
        "tercet": tercet.__version__,
        "pyodide": interpreter,
        "package": str(_write(out, files, "tercet", ".zip", _package())),
        "games": {
            name: {
                "module": str(_write(out, files, name, ".wasm", built.content)),
                "table": str(_write(out, files, name, ".json", json.dumps(built.table).encode())),
            }
            for name, built in games.items()
        },
    }
    (out / "build.json").write_text(json.dumps(described, indent=1) + "\n", "utf-8")
    files.append(Path("build.json"))
    for path in sorted(PAGE.iterdir()):
        if path.name != "service.js":
            shutil.copyfile(path, out / path.name)
            files.append(Path(path.name))
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.as_posix().encode() + (out / path).read_bytes())
    service = (PAGE / "service.js").read_text("utf-8")
    service = service.replace("@BUILD@", f"tercet-{digest.hexdigest()[:16]}")
    service = service.replace("@FILES@", json.dumps(["./", *sorted(path.as_posix() for path in files)]))
    (out / "service.js").write_text(service, "utf-8")
    return [*files, Path("service.js")]


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


def _package() -> bytes:
    """Tercet's own sources and data, as far as a browser can use them."""
    root = Path(tercet.__file__).parent
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(root.rglob("*")):
            inside = path.relative_to(root)
            if path.is_file() and inside.parts[0] not in LEFT_OUT and "__pycache__" not in inside.parts:
                if inside.parts[:2] == ("browser", "page"):
                    continue
                entry = zipfile.ZipInfo(str(Path("tercet") / inside), OLDEST)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes())
    return content.getvalue()
