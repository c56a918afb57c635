"""Folders are layers: each may import only from the layers above it. The list is DESIGN's, top first."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import tercet

ROOT = Path(tercet.__file__).parent

LAYERS = (
    ("errors",),
    ("kernel",),
    ("boards", "playout", "options"),
    ("abilities",),
    ("definition",),
    ("game",),
    ("view",),
    ("games",),
    ("pickling",),
    ("testing",),
    ("__init__",),  # what `import tercet` gives, for those below
    ("record",),
    ("draw",),
    ("batch",),
    ("session",),
    ("ratings",),
    ("tournaments",),
    ("engines",),
    ("server",),
    ("cli",),
    ("__main__",),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# `import tercet` offers these from further down under one roof, and a notebook draws a position.
ALLOWED = {("__init__", "record"), ("game", "draw")}


def layer(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            modules = [node.module or ""]
            if node.module == "tercet":
                modules = [f"tercet.{alias.name}" for alias in node.names]
        for module in modules:
            parts = module.split(".")
            if parts[0] == "tercet":
                name = parts[1] if len(parts) > 1 else "__init__"
                found.add(name if name in LEVEL or (ROOT / name).exists() else "__init__")
    return found


def guarded(path: Path) -> set[str]:
    """Imports under ``if TYPE_CHECKING``: for annotations only, they bind nobody at run time."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for inner in ast.walk(node):
                if isinstance(inner, ast.ImportFrom) and (inner.module or "").startswith("tercet."):
                    found.add((inner.module or "").split(".")[1])
    return found


FILES = sorted(path for path in ROOT.rglob("*.py") if "page" not in path.relative_to(ROOT).parts)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    here = layer(path)
    assert here in LEVEL, f"{here} has no place in the layers"
    for other in imports(path) - guarded(path):
        if other != here and (here, other) not in ALLOWED:
            assert LEVEL[other] < LEVEL[here], f"{here} imports {other}, which stands below it"


@pytest.mark.parametrize("name", tercet.games())
def test_no_game_knows_another(name: str) -> None:
    for path in (ROOT / "games" / name).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for other in tercet.games():
            assert other == name or f"games.{other}" not in text


def test_kernels_import_only_the_kernel_module() -> None:
    for path in ROOT.glob("games/*/kernels.py"):
        assert imports(path) <= {"kernel"}, path
