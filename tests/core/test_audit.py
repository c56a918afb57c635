"""``make audit`` fails for a known weakness, says so where no database could be asked, and names all dependencies."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "audit.py"


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    """The tool, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("audit", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOUND: dict[str, Any] = {"name": "numba", "version": "1", "vulns": []}
WEAK = {"name": "pip", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}
UNKNOWN = {"name": "redis", "skip_reason": "Dependency not found on PyPI"}
PAGE = {"vulnerabilities": {}, "metadata": {"dependencies": {"total": 70}}}


@pytest.mark.parametrize(
    ("dependencies", "page", "usual", "strict", "says"),
    [
        ([SOUND], PAGE, 0, 0, "server: 1 packages audited, 0 known weaknesses"),
        ([SOUND, WEAK], PAGE, 1, 1, "server: pip 1: PYSEC-1, mended in 2"),
        ([UNKNOWN], PAGE, 0, 2, "server: NOT AUDITED"),
        ([], PAGE, 0, 2, "server: NOT AUDITED"),
        ([SOUND], {"error": {"code": "ENOAUDIT"}}, 0, 2, "page: NOT AUDITED"),
        ([SOUND], {"vulnerabilities": {"vite": {"severity": "high"}}}, 1, 1, "page: vite: high"),
        ([WEAK], {}, 1, 1, "page: NOT AUDITED"),
    ],
)
def test_verdicts(
    audit: ModuleType, dependencies: list[Any], page: dict[str, Any], usual: int, strict: int, says: str
) -> None:
    found = {"server": audit.server({"dependencies": dependencies}), "page": audit.page(page)}
    code, lines = audit.verdict(found, False)
    assert code == usual
    assert any(line.startswith(says) for line in lines)
    assert audit.verdict(found, True)[0] == strict


def test_every_direct_dependency_has_its_line(audit: ModuleType) -> None:
    direct = audit.direct()
    assert {"numba", "fastapi", "ruff", "mkdocs-material", "hatchling"} <= set(direct["python"])
    assert {"svelte", "vite"} <= set(direct["npm"])
    for kind, names in direct.items():
        assert names == sorted(audit.PURPOSES[kind]), "tools/dependencies.toml says what each is for"
    days = {"numba": "2026-01-02", "svelte": "2026-03-04"}
    lines = audit.table(lambda _, name: days.get(name, ""))
    known = {line.split()[0]: line for line in lines}
    for name in (*direct["python"], *direct["npm"]):
        assert known[name].endswith(audit.PURPOSES["python" if name in direct["python"] else "npm"][name])
    assert re.search(r"^numba +[0-9.]+ +BSD.* 2026-01-02 ", known["numba"])
    assert re.search(r"^svelte +[0-9.]+ +MIT +2026-03-04 ", known["svelte"])
    assert "not asked" in known["numpy"]
    total = len(direct["python"]) + len(direct["npm"])
    assert lines[-1].startswith(f"{total - 2} of {total} package")
