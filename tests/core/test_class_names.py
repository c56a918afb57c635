"""A class has its name for itself: no two classes of the source share one, so that a name says which is meant."""

import ast
from collections import defaultdict
from pathlib import Path

import tercet

PACKAGE = Path(tercet.__file__).parent
MAY_SHARE: dict[str, str] = {}  # a name that several classes have, and the reason


def test_class_names_are_unique() -> None:
    places = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert len(places) > 500
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in MAY_SHARE} == {}
    assert [name for name in MAY_SHARE if len(places[name]) < 2] == []
