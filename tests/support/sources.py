"""The modules of the library, each parsed once for all tests of a process that look at what it imports or defines."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import tercet

ROOT = Path(tercet.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.py") if "page" not in path.relative_to(ROOT).parts)


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES}


class Source(NamedTuple):
    """What a file has: the modules that it imports, inside functions too; those of Tercet, and of them those under
    ``if TYPE_CHECKING``, which bind nobody at run time; its classes with their lines."""

    imported: set[str]
    imports: set[str]
    for_annotations: set[str]
    classes: list[tuple[str, int]]


def _imported(nodes: Iterable[ast.AST], path: Path) -> set[str]:
    """The modules that ``nodes`` import, a name that is no module with the module that it is of."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in MODULES else node.module or "")
    return found


@cache
def source(path: Path) -> Source:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    imported, annotations = _imported(nodes, path), set[str]()
    for node in nodes:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            annotations |= _imported(ast.walk(node), path)
    classes = [(node.name, node.lineno) for node in nodes if isinstance(node, ast.ClassDef)]
    return Source(imported, imported & set(MODULES) - {name_of(path)}, annotations & set(MODULES), classes)
