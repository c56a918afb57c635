"""The direct dependencies, what pip-audit and npm audit found, in words, and how ``make audit`` ends: see
tools/audit.sh."""

from __future__ import annotations

import http.client
import importlib.metadata
import json
import os
import re
import sys
import tomllib
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

__all__ = ["PURPOSES", "direct", "page", "server", "table", "verdict"]

ROOT = Path(__file__).parents[1]
PURPOSES: dict[str, dict[str, str]] = tomllib.loads((ROOT / "tools/dependencies.toml").read_text("utf-8"))
INDEXES = {"python": "https://pypi.org/pypi/{}/json", "npm": "https://registry.npmjs.org/{}"}
Found = tuple[int, list[str]]  # how many packages the database knows of, and their weaknesses


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def server(told: Any) -> Found:
    """Of pip-audit's answer. A package that the database does not know has been skipped."""
    known = [one for one in told.get("dependencies", []) if "skip_reason" not in one]
    return len(known), [
        f"{one['name']} {one['version']}: {weakness['id']}, mended in {', '.join(weakness['fix_versions']) or 'none'}"
        for one in known
        for weakness in one["vulns"]
    ]


def page(told: Any) -> Found:
    """Of npm's answer, which is an error where nobody answered it."""
    if "vulnerabilities" not in told:
        return 0, []
    counted = int(told.get("metadata", {}).get("dependencies", {}).get("total", 0))
    return max(1, counted), [f"{name}: {one['severity']}" for name, one in told["vulnerabilities"].items()]


def verdict(found: dict[str, Found], strict: bool) -> tuple[int, list[str]]:
    """How to exit, and what to say."""
    lines, code = [], 0
    for where, (known, weaknesses) in found.items():
        if weaknesses:
            code = 1
        elif not known and strict and code == 0:
            code = 2
        lines += [f"{where}: {one}" for one in weaknesses]
        lines.append(
            f"{where}: {known} packages audited, {len(weaknesses)} known weaknesses"
            if known
            else f"{where}: NOT AUDITED, no advisory database could be asked from here"
        )
    return code, lines


def direct() -> dict[str, list[str]]:
    """The names of all direct dependencies, of pyproject.toml and of web/package.json."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = told["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values(), *told["dependency-groups"].values()]
    asked = [one for each in [*lists, told["build-system"]["requires"]] for one in each if isinstance(one, str)]
    names = {re.split(r"[^\w.-]", one)[0].lower().replace("_", "-") for one in asked} - {"tercet"}
    packages = _read(ROOT / "web/package.json")
    theirs = {**packages.get("dependencies", {}), **packages["devDependencies"]}
    return {"python": sorted(names), "npm": sorted(theirs)}


def _installed(kind: str, name: str) -> tuple[str, str]:
    """The version and the licence of a package as it is installed (of npm: locked) here."""
    if kind == "npm":
        locked = _read(ROOT / "web/package-lock.json")["packages"][f"node_modules/{name}"]
        return locked["version"], locked.get("license", "unknown")
    try:
        about = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed", ""
    classified = [
        one.rpartition(" :: ")[2] for one in about.get_all("Classifier") or () if one.startswith("License ::")
    ]
    files = [one for one in importlib.metadata.files(name) or () if "licenses" in one.parts]
    text = (about["License"] or "".join(one.read_text() for one in files[:1])).strip().partition("\n")[0]
    return about["Version"], about["License-Expression"] or ", ".join(classified) or text[:40] or "not in its metadata"


def last_release(kind: str, name: str) -> str:
    """The day of the last release, as the package index says; empty where it cannot be asked."""
    try:
        with urllib.request.urlopen(INDEXES[kind].format(urllib.parse.quote(name, "@")), timeout=20) as answer:
            told = json.load(answer)
        if kind == "npm":
            return str(told["time"][told["dist-tags"]["latest"]])[:10]
        return max(str(file["upload_time"])[:10] for file in told["urls"])
    except (OSError, ValueError, KeyError, http.client.HTTPException):  # the last: an answer that breaks off
        return ""


def table(ask: Callable[[str, str], str] = last_release) -> list[str]:
    """The direct dependencies: version, licence, last release and purpose."""
    wanted = [(kind, name) for kind, names in direct().items() for name in names]
    with ThreadPoolExecutor(8) as threads:
        days = list(threads.map(lambda one: ask(*one), wanted))
    purposes: Mapping[str, Mapping[str, str]] = PURPOSES
    rows = [("package", "installed", "licence", "last release", "what for")]
    for (kind, name), day in zip(wanted, days, strict=True):
        rows.append((name, *_installed(kind, name), day or "not asked", purposes[kind].get(name, "")))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[4]]) for row in rows
    ]
    missing = days.count("")
    if missing:
        lines.append(
            f"{missing} of {len(days)} package indexes' pages could not be read: those last releases are not known."
        )
    return lines


if __name__ == "__main__":
    print("\n".join([*table(), ""]))
    heard = {"server": server(_read(Path(sys.argv[1]))), "page": page(_read(Path(sys.argv[2])))}
    answer, said = verdict(heard, os.environ.get("TERCET_AUDIT") == "strict")
    print("\n".join(said))
    sys.exit(answer)
