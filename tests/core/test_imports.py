"""Folders are layers: each may import only from the layers above it; no modules import each other in a circle. This
list is the only one; the table in ``docs/concepts/architecture.md`` is compared with it."""

import importlib
import pickle
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import tercet
from tercet.core.old_names import MOVED
from tests.support.sources import FILES, MODULES, ROOT, source

# From the top down. ``__init__`` is what `import tercet` gives, for those below it.
LAYERS_TEXT = (
    "errors, kernel, core, games workers, record, pictures, __init__, play, engines, learning, batch testing, "
    "environments, training, laboratory, answers, browser, server, cli, __main__"
)
LEVEL = {name: level for level, names in enumerate(LAYERS_TEXT.split(", ")) for name in names.split()}
# The same inside ``core``, module by module, and inside the server, folder by folder.
INSIDE_CORE_TEXT = (
    "__init__ old_names streams texts toml boards figures playout view rules execution abilities definition game "
    "variants proofs editing presentation"
)
INSIDE_CORE = INSIDE_CORE_TEXT.split()
SERVER_TEXT = (
    "metrics errors schema wire store migrations limits people engines tables lobby pairing tournaments puzzles "
    "services web api app run"
)
SERVER = SERVER_TEXT.split()
# A game's definition is made of functions that take positions, and a position asks its game's definition. At run time
# these import each other one way only, which `test_imports_go_one_way` checks; for annotations they name each other. It
# is the only circle there is.
CIRCLE = ("abilities.engine", "abilities.play", "abilities.knowledge", "definition", "game")
CORE = {f"tercet.core.{name}" for name in CIRCLE}


def place(path: Path, folder: str = "") -> str:
    """The folder or module directly inside ``folder`` that a file is in, or is."""
    return path.relative_to(ROOT / folder).parts[0].removesuffix(".py")


@pytest.mark.parametrize(
    ("folder", "levels", "for_annotations"),
    [
        ("", LEVEL, False),
        ("core", {name: level for level, name in enumerate(INSIDE_CORE)}, False),
        ("server", {name: level for level, name in enumerate(SERVER)}, True),
    ],
)
def test_imports_go_one_way(folder: str, levels: dict[str, int], for_annotations: bool) -> None:
    """For annotations too: nothing in the server is exempt."""
    files = {path for path in FILES if path.is_relative_to(ROOT / folder)} - {ROOT / "server" / "__init__.py"}
    assert {place(path, folder) for path in files} == set(levels), "each has a place in the order"
    for path in files:
        here = place(path, folder)
        for module in source(path).imports - (set() if for_annotations else source(path).for_annotations):
            if MODULES[module] in files and (there := place(MODULES[module], folder)) != here:
                assert levels[there] < levels[here], f"{folder}/{here} imports {module}; {there} stands below it"


def test_the_first_shelf_is_short() -> None:
    """A newcomer who has read one page names the folder for any task."""
    assert len([name for name in LEVEL if not name.startswith("__")]) <= 19


def test_only_api_has_routes() -> None:
    """The page's files are the one exception: they are no part of the protocol."""
    server = [path for path in FILES if place(path) == "server"]
    assert {place(path, "server") for path in server if "WebSocketRoute" in path.read_text("utf-8")} == {"api"}


def packages_of(module: str) -> set[str]:
    parts = module.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts))}


def loads(name: str) -> set[str]:
    """What ``name`` imports, and the packages that Python loads before."""
    found = set(source(MODULES[name]).imports)
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
        assert source(MODULES[module]).imports <= allowed, module


TOLD = (Path(__file__).parents[2] / "docs" / "concepts" / "architecture.md").read_text("utf-8")
SAME = {"rules", "kernels", "notation", "positions", "findings", "view", "engine", "rulebook"}
SAME |= {"lessons", "puzzles", "statistics"}


@pytest.mark.parametrize("name", tercet.games())
def test_each_game_has_the_same_modules(name: str) -> None:
    folder = ROOT / "games" / name
    found = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert found >= SAME, f"{name} has no {SAME - found}"
    for extra in found - SAME - {"__init__"}:
        assert f"`{extra}`" in TOLD, f"docs/concepts/architecture.md does not say what {name}/{extra} is"


def rows_of(heading: str) -> list[str]:
    """The names in the first column of the table under a heading of the documentation."""
    table = TOLD.split(f"## {heading}")[1].split("\n## ")[0]
    rows = [re.findall(r"`([a-z_]+)[`/]", line.split("|")[1]) for line in table.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in row]


def test_the_documentation_lists_the_same_folders_in_the_same_order() -> None:
    told = rows_of("The folders")
    assert sorted(told) == sorted(name for name in LEVEL if not name.startswith("__"))
    assert [LEVEL[name] for name in told] == sorted(LEVEL[name] for name in told), "the rows stand in another order"
    assert rows_of("The core") == [name for name in INSIDE_CORE if not name.startswith("__")]
    assert rows_of("The server") == SERVER


# Modules deeper inside that other packages imported, and names that pickles of version 0.2 hold.
INSIDE = ("session.clock", "abilities.kernels", "data.schema")


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


MAY_SHARE: dict[str, str] = {}  # a name that several classes have, and the reason


def test_class_names_are_unique() -> None:
    places = defaultdict(list)
    for path in FILES:
        for name, line in source(path).classes:
            places[name].append(f"{path.relative_to(ROOT)}:{line}")
    assert len(places) > 500
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in MAY_SHARE} == {}
    assert [name for name in MAY_SHARE if len(places[name]) < 2] == []
