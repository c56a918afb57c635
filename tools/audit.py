"""What pip-audit and npm audit found, in words, and how ``make audit`` ends: see tools/audit.sh."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

__all__ = ["page", "server", "verdict"]

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


if __name__ == "__main__":
    heard = {"server": server(_read(Path(sys.argv[1]))), "page": page(_read(Path(sys.argv[2])))}
    answer, said = verdict(heard, os.environ.get("TERCET_AUDIT") == "strict")
    print("\n".join(said))
    sys.exit(answer)
