"""Folders are layers: each may import only from the layers above it. This list is the only one; the table in
``docs/concepts/architecture.md`` is compared with it. No modules import each other in a circle, not even for
annotations."""

from __future__ import annotations

import ast
import importlib
import pickle
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import tercet
from tercet.core.old_names import MOVED

ROOT = Path(tercet.__file__).parent

LAYERS = (
    ("errors",),
    ("kernel",),
    ("core",),
    ("games", "workers"),
    ("record",),
    ("pictures",),
    ("__init__",),  # what `import tercet` gives, for those below
    ("play",),
    ("engines",),
    ("learning",),
    ("batch", "testing"),
    ("environments",),
    ("training",),
    ("laboratory",),
    ("answers",),
    ("browser",),
    ("server",),
    ("cli",),
    ("__main__",),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# The same inside ``core``, module by module.
INSIDE_CORE_TEXT = (
    "__init__ old_names streams texts toml boards figures playout view rules execution abilities definition game "
    "variants proofs editing presentation"
)
INSIDE_CORE = tuple(INSIDE_CORE_TEXT.split())
# The same inside the server, folder by folder.
SERVER_TEXT = (
    "metrics errors schema wire store migrations limits people engines tables lobby pairing tournaments puzzles "
    "services web api app run"
)
SERVER = tuple(SERVER_TEXT.split())
SERVER_LEVEL = {name: level for level, name in enumerate(SERVER)}
# A game's definition is made of functions that take positions, and a position asks its game's definition. At run time
# these import each other one way only, which `test_imports_go_one_way` checks; for annotations they name each other. It
# is the only circle there is.
CORE = {
    f"tercet.core.{name}"
    for name in ("abilities.engine", "abilities.play", "abilities.knowledge", "definition", "game")
}

FILES = sorted(path for path in ROOT.rglob("*.py") if "page" not in path.relative_to(ROOT).parts)


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES}


def layer(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def modules_in(node: ast.AST, path: Path) -> set[str]:
    """The modules of Tercet that are imported anywhere in ``node``."""
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Import):
            found |= {alias.name for alias in inner.names}
        elif isinstance(inner, ast.ImportFrom):
            assert inner.level == 0, f"{path}: relative import"
            for alias in inner.names:
                whole = f"{inner.module}.{alias.name}"
                found.add(whole if whole in MODULES else inner.module or "")
    return {module for module in found if module in MODULES}


@cache
def imports(path: Path) -> frozenset[str]:
    """The modules of Tercet that a file imports, inside functions and for annotations too."""
    return frozenset(modules_in(ast.parse(path.read_text(encoding="utf-8")), path) - {name_of(path)})


def for_annotations(path: Path) -> set[str]:
    """Those under ``if TYPE_CHECKING``, which bind nobody at run time."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            found |= modules_in(node, path)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    here = layer(path)
    assert here in LEVEL, f"{here} has no place in the layers"
    for module in imports(path) - for_annotations(path):
        other = layer(MODULES[module])
        if other != here:
            assert LEVEL[other] < LEVEL[here], f"{here} imports {other}, which stands below it"


CORE_FILES = [path for path in FILES if layer(path) == "core"]
CORE_LEVEL = {name: level for level, name in enumerate(INSIDE_CORE)}


def core_module(path: Path) -> str:
    return path.relative_to(ROOT / "core").parts[0].removesuffix(".py")


def test_everything_has_a_place_and_the_first_shelf_is_short() -> None:
    assert {core_module(path) for path in CORE_FILES} == set(CORE_LEVEL)
    assert {server_folder(path) for path in SERVER_FILES} == set(SERVER_LEVEL)
    # A newcomer who has read one page names the folder for any task.
    assert len([name for name in LEVEL if not name.startswith("__")]) <= 19


@pytest.mark.parametrize("path", CORE_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_of_core_import_only_from_those_before(path: Path) -> None:
    here = core_module(path)
    for module in imports(path) - for_annotations(path):
        other = MODULES[module]
        if other in CORE_FILES and core_module(other) != here:
            there = core_module(other)
            assert CORE_LEVEL[there] < CORE_LEVEL[here], f"core/{here} imports {module}; {there} stands below it"


SERVER_FILES = [path for path in FILES if layer(path) == "server" and path != ROOT / "server" / "__init__.py"]


def server_folder(path: Path) -> str:
    return path.relative_to(ROOT / "server").parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", SERVER_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_server_folders_import_only_from_those_before(path: Path) -> None:
    """For annotations too: nothing in the server is exempt."""
    here = server_folder(path)
    for module in imports(path):
        other = MODULES[module]
        if other in SERVER_FILES and server_folder(other) != here:
            there = server_folder(other)
            assert SERVER_LEVEL[there] < SERVER_LEVEL[here], f"server/{here} imports {module}; {there} stands below it"


def test_only_api_has_routes() -> None:
    """The page's files are the one exception: they are no part of the protocol."""
    assert {server_folder(path) for path in SERVER_FILES if "WebSocketRoute" in path.read_text("utf-8")} == {"api"}


def packages_of(module: str) -> set[str]:
    """The packages that ``module`` is in."""
    parts = module.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts))}


def loads(name: str) -> set[str]:
    """What ``name`` imports, and the packages that Python loads before."""
    found = set(imports(MODULES[name]))
    packages = {package for module in found for package in packages_of(module)} - packages_of(name) - {name}
    return found | (packages & set(MODULES))


def circles() -> list[set[str]]:
    """Modules that import each other, directly or through others: all that reach each other."""
    reached = {name: loads(name) for name in MODULES}
    while True:
        more = {name: set().union(*(reached[other] for other in others), others) for name, others in reached.items()}
        if more == reached:
            break
        reached = more
    found = {frozenset(other for other in reached[name] if name in reached[other]) for name in reached}
    return [set(circle) for circle in found if circle]


def test_no_circles() -> None:
    assert [sorted(circle) for circle in circles()] == [sorted(CORE)]


@pytest.mark.parametrize("name", tercet.games())
def test_no_game_knows_another(name: str) -> None:
    for path in (ROOT / "games" / name).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for other in tercet.games():
            assert other == name or f"games.{other}" not in text


@pytest.mark.parametrize("name", tercet.games())
def test_kernels_import_only_kernels(name: str) -> None:
    """The rules ask nothing but each other; a game's engine kernels ask the rules too."""
    home = f"tercet.games.{name}"
    kernels = {module for module in MODULES if re.match(rf"{home}(\.engine)?\.kernels(\.|$)", module)}
    assert any(module.startswith(f"{home}.kernels") for module in kernels), "no kernels are looked at"
    for module in kernels:
        rules = {"tercet.kernel", *(other for other in kernels if other.startswith(f"{home}.kernels"))}
        allowed = kernels | rules if module.startswith(f"{home}.engine") else rules
        assert imports(MODULES[module]) <= allowed, module


SAME = {"rules", "kernels", "notation", "positions", "findings", "view", "engine", "rulebook"}
SAME |= {"lessons", "puzzles", "statistics"}


@pytest.mark.parametrize("name", tercet.games())
def test_each_game_has_the_same_modules(name: str) -> None:
    folder = ROOT / "games" / name
    found = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert found >= SAME, f"{name} has no {SAME - found}"
    told = (Path(__file__).parents[2] / "docs" / "concepts" / "architecture.md").read_text("utf-8")
    for extra in found - SAME - {"__init__"}:
        assert f"`{extra}`" in told, f"docs/concepts/architecture.md does not say what {name}/{extra} is"


def test_the_documentation_lists_the_same_layers() -> None:
    text = (Path(__file__).parents[2] / "docs" / "concepts" / "architecture.md").read_text("utf-8")
    table = text.split("## The folders")[1].split("\n## ")[0]
    rows = [re.findall(r"`([a-z_]+)[`/]", line.split("|")[1]) for line in table.splitlines() if line.startswith("| `")]
    told = [name for row in rows for name in row]
    assert sorted(told) == sorted(name for name in LEVEL if not name.startswith("__"))
    levels = [LEVEL[name] for name in told]
    assert levels == sorted(levels), "the rows stand in another order"


def test_the_documentation_lists_the_same_modules_of_core() -> None:
    text = (Path(__file__).parents[2] / "docs" / "concepts" / "architecture.md").read_text("utf-8")
    table = text.split("## The core")[1].split("\n## ")[0]
    rows = [re.findall(r"`([a-z_]+)[`/]", line.split("|")[1]) for line in table.splitlines() if line.startswith("| `")]
    assert [name for row in rows for name in row] == [name for name in INSIDE_CORE if not name.startswith("__")]


def test_the_documentation_lists_the_same_folders_of_the_server() -> None:
    text = (Path(__file__).parents[2] / "docs" / "concepts" / "architecture.md").read_text("utf-8")
    table = text.split("## The server")[1].split("\n## ")[0]
    rows = [re.findall(r"`([a-z_]+)[`/]", line.split("|")[1]) for line in table.splitlines() if line.startswith("| `")]
    assert [name for row in rows for name in row] == list(SERVER)


# Modules deeper inside that other packages imported, and names that pickles of version 0.2 hold.
INSIDE = ("session.clock", "abilities.kernels", "data.schema")
OPTIONAL = {"data", "data.schema"}  # need PyArrow


def new_name(old: str) -> str:
    first, dot, below = old.partition(".")
    return MOVED.get(old) or MOVED[first] + dot + below


@pytest.mark.parametrize("old", [name for name in (*MOVED, *INSIDE) if name != "game"])
def test_an_old_name_is_the_same_module(old: str) -> None:
    sys.modules.pop(f"tercet.{old}", None)
    parent = importlib.import_module(new_name(old.rpartition(".")[0]) if "." in old else "tercet")
    before = vars(parent).get(old.rpartition(".")[2])
    with pytest.warns(DeprecationWarning, match=new_name(old)):
        module = importlib.import_module(f"tercet.{old}")
    assert module is importlib.import_module(new_name(old))
    assert before in (None, module), "the import of an old name replaced what its package calls so today"


def test_a_pickle_and_the_function_of_an_old_module_still_work() -> None:
    with pytest.warns(DeprecationWarning, match=r"tercet\.core\.game"):
        from tercet.game import Position  # type: ignore[attr-defined,import-not-found,unused-ignore]
    assert Position is tercet.Position  # type: ignore[comparison-overlap,unused-ignore]
    assert tercet.game("sanqi", side=4).name == "sanqi"
    claims = importlib.import_module("tercet.core.boards")
    text = pickle.dumps(claims.Board, protocol=0).replace(b"tercet.core.boards", b"tercet.boards")
    sys.modules.pop("tercet.boards", None)
    with pytest.warns(DeprecationWarning, match="boards"):
        assert pickle.loads(text) is claims.Board


def test_nothing_of_tercet_uses_an_old_name() -> None:
    program = "import warnings; warnings.simplefilter('error'); import tercet.server.app; from tercet.cli import app"
    program += "; app.all_commands()"
    subprocess.run([sys.executable, "-c", program], check=True)


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
