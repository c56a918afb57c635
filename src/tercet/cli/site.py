"""``tercet site``: write Tercet as static files, which any web host serves."""

from __future__ import annotations

from pathlib import Path

from tercet.browser.building import built_module
from tercet.browser.site import build_site
from tercet.games import BUILT_IN

__all__ = ["run"]


def run(out: Path, pyodide: Path) -> None:
    """Build the games' modules and write the site to the folder ``out``."""
    files = build_site(out, pyodide, {name: built_module(name) for name in BUILT_IN})
    size = sum((out / path).stat().st_size for path in files)
    print(f"{out}: {len(files)} files, {size / 1e6:.1f} MB. Any web server can serve this folder.")
