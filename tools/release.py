#!/usr/bin/env python3
"""Build a release: the wheel and the source distribution, with the page inside, into dist/.

    .venv/bin/python tools/release.py 0.2.0

Refuses a version that is not everywhere the same or has no dated section in CHANGELOG.md, and a working tree with
changes. Needs hatchling (`pip install hatchling`, or `make test`); the page needs Node or a package index.
"""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CITATION = "CITATION.cff"
PAGE = "tercet/server/page/index.html"


def versions(root: Path) -> dict[str, str]:
    """Return the version that each file states."""
    source = (root / "src/tercet/__init__.py").read_text("utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', source, re.MULTILINE)
    lock = json.loads((root / "web/package-lock.json").read_text("utf-8"))
    cited = re.search(r"^version: (\S+)$", (root / CITATION).read_text("utf-8"), re.MULTILINE)
    return {
        "src/tercet/__init__.py": found[1] if found else "none",
        CITATION: cited[1] if cited else "none",
        "web/package.json": json.loads((root / "web/package.json").read_text("utf-8"))["version"],
        "web/package-lock.json": lock["version"],
        "web/package-lock.json, packages": lock["packages"][""]["version"],
    }


def changelog_date(root: Path, version: str) -> datetime.date | None:
    """Return the date of the version's section in CHANGELOG.md, or None where there is no such section."""
    text = (root / "CHANGELOG.md").read_text("utf-8")
    found = re.search(rf"^## {re.escape(version)} - (\d{{4}}-\d{{2}}-\d{{2}})$", text, re.MULTILINE)
    return datetime.date.fromisoformat(found[1]) if found else None


def problems(root: Path, version: str) -> list[str]:
    """Return what keeps ``version`` from being released, as whole sentences."""
    found = [f"{name} states {stated}, not {version}." for name, stated in versions(root).items() if stated != version]
    date = changelog_date(root, version)
    if date is None:
        found.append(f"CHANGELOG.md has no section '## {version} - YYYY-MM-DD'.")
    elif f"\ndate-released: {date}\n" not in (root / CITATION).read_text("utf-8"):
        found.append(f"{CITATION} does not state date-released: {date}.")
    status = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=True)
    if status.stdout:
        found.append("The working tree has changes: commit them first.")
    return found


def build(root: Path, out: Path) -> tuple[Path, Path]:
    """Build the source distribution, and the wheel from it, into ``out``; return both paths."""
    out.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", out], cwd=root, check=True)
    (source,) = out.glob("tercet-*.tar.gz")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out, source]
    subprocess.run(command, check=True)
    (wheel,) = out.glob("tercet-*.whl")
    return source, wheel


def without_page(source: Path, wheel: Path) -> list[str]:
    """Return the names of those of the two files in which the page is missing."""
    with tarfile.open(source) as archive:
        in_source = any(name.endswith(f"/src/{PAGE}") for name in archive.getnames())
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = PAGE in archive.namelist()
    return [path.name for path, there in ((source, in_source), (wheel, in_wheel)) if not there]


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("Name the version to release: tools/release.py 0.2.0", file=sys.stderr)
        return 2
    (version,) = arguments
    refused = problems(ROOT, version)
    out = ROOT / "dist" / version
    if out.exists():
        refused.append(f"dist/{version} exists already: delete it first.")
    if refused:
        print(f"Version {version} is not released.", *refused, sep="\n", file=sys.stderr)
        return 1
    source, wheel = build(ROOT, out)
    lacking = without_page(source, wheel)
    if lacking:
        print(f"The page is missing in {' and '.join(lacking)}.", file=sys.stderr)
        return 1
    print(source, wheel, f"Next: git tag v{version}", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
