"""The files that run Tercet in a browser, out of a folder that ``tercet site`` wrote."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tercet
from tercet.errors import TercetError

__all__ = ["PYODIDE_FILES", "DeviceFiles", "DeviceFilesError", "digest_of", "sources"]

PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
# Parts of Tercet that need what no browser has, or that only programs ask for.
LEFT_OUT = {
    "batch",
    "cli",
    "environments",
    "laboratory",
    "pictures/printing",
    "server",
    "testing",
    "training",
    "workers.py",
}


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


def sources() -> dict[str, bytes]:
    """Return Tercet's own sources and data by their paths, as far as a browser can use them."""
    root = Path(tercet.__file__).parent
    return {
        f"tercet/{path.relative_to(root).as_posix()}": path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and not any(path.is_relative_to(root / part) for part in LEFT_OUT)
        and not {"__pycache__", "studies"} & set(path.relative_to(root).parts)
    }


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return a digest of these files."""
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]
