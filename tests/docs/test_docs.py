"""What the documentation says is run."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typing_extensions import is_typeddict

import tercet
from tercet.cli.app import all_commands
from tercet.laboratory import Arm, players, storing
from tercet.laboratory.metrics import METRICS, measured
from tercet.training.data.schema import games_schema, positions_schema

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = ["tercet", *(f"tercet.{module.name}" for module in pkgutil.iter_modules(tercet.__path__))]
BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
OPTION_SETS: dict[str, list[dict[str, Any]]] = {  # whose games have all figures between them
    "sanqi": [{"side": 4, "opening": "swap2"}],
    "triplicity": [{}],
    "sparklies": [{"board": "5x5"}],
}
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_in_pages(page: Path) -> None:
    tried = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert tried.failed == 0
    text = page.read_text(encoding="utf-8")
    assert tried.attempted == text.count(">>> ") - text.count("# doctest: +SKIP")


@pytest.mark.parametrize("name", [name for name in MODULES if name != "tercet.__main__"])
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), optionflags=FLAGS).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_named_in_pages_exist(page: Path) -> None:
    app = all_commands()
    known = {str(each.name or (each.callback and each.callback.__name__)) for each in app.registered_commands}
    known |= {str(group.name) for group in app.registered_groups}
    named = set(re.findall(r"(?:^|`)tercet ([a-z]+)\b", page.read_text(), re.MULTILINE))
    assert named <= known


def test_no_page_names_a_place_on_this_machine() -> None:
    for page in PAGES:
        assert not re.search(r"(?<![\w.])/(?:work|tmp|home|root)/", page.read_text())


def test_every_page_is_found_from_the_first_and_in_the_navigation() -> None:
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    linked = re.findall(r"\]\(([a-z/-]+\.md)", (ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    listed = re.findall(r": ([a-z/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(linked) == pages - {"index.md"}
    assert sorted(listed) == sorted(pages)


def test_records_page_shows_a_record_that_can_be_read() -> None:
    text = (ROOT / "docs" / "records.md").read_text()
    shown = re.search(r"```text\n(\[Game.*?)```", text, re.DOTALL)
    assert shown is not None
    record = tercet.read(shown[1])[0]
    assert record.moves() == ["Rd4", "Yc4", "Bd3"]
    assert tercet.read(record.write())[0].write() == record.write()


@pytest.mark.long  # `make docs` does it too
def test_the_documentation_builds(tmp_path: Path) -> None:
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        pytest.skip("MkDocs Material is not installed")
    made = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    for name in tercet.games():
        page = (tmp_path / "games" / name / "index.html").read_text()
        assert "<svg" in page


def test_the_reference_says_what_the_source_says() -> None:
    """Run `python tools/reference.py` after a change to a docstring, a signature or a command."""
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    assert reference.stale() == []


def test_pictures_in_pages_exist_and_are_kept() -> None:
    kept = subprocess.run(["git", "ls-files", "docs"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    for page in PAGES:
        for name in re.findall(r'(?:src|srcset)="([^":]+)"|!\[[^\]]*\]\(([^):]+)\)', page.read_text(encoding="utf-8")):
            path = (page.parent / (name[0] or name[1])).resolve()
            assert path.is_file(), path
            assert not kept or str(path.relative_to(ROOT)) in kept, f"{path} is ignored by git"


def test_files_named_in_the_architecture_exist() -> None:
    text = (ROOT / "docs" / "concepts" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:[a-z_A-Z]+/)+[a-zA-Z_.]*)`", text)
    assert len(named) > 15
    package = ROOT / "src" / "tercet"
    places = (ROOT, package, package / "server", ROOT / "web" / "src")
    assert [name for name in named if "<" not in name and not any((place / name).exists() for place in places)] == []


SIGNATURES = [
    (home, name, shown)
    for page in sorted((ROOT / "docs" / "reference").glob("*.md"))
    for home, part in re.findall(
        r"^## (tercet[\w.]*)\n(.*?)(?=^## |\Z)", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    for name, shown in re.findall(r"^### (\w+)\n\n```text\n(.*?)\n```", part, re.DOTALL | re.MULTILINE)
]


@pytest.mark.parametrize(("home", "name", "shown"), SIGNATURES, ids=[f"{home}.{name}" for home, name, _ in SIGNATURES])
def test_what_the_reference_prints_can_be_called(home: str, name: str, shown: str) -> None:
    """The same parameters, in the same order, by place or by keyword, and the same ones may be left out."""
    found = getattr(importlib.import_module(home), name)
    given = ast.parse(f"def {shown.removeprefix('async ')}: ...").body[0]
    assert isinstance(given, ast.FunctionDef)
    plain, defaults = [*given.args.posonlyargs, *given.args.args], given.args.defaults
    printed = [(one.arg, place >= len(plain) - len(defaults)) for place, one in enumerate(plain)]
    keywords = {
        one.arg: value is not None for one, value in zip(given.args.kwonlyargs, given.args.kw_defaults, strict=True)
    }
    if is_typeddict(found):
        assert (printed, set(keywords)) == ([], found.__required_keys__)
        return
    real = inspect.signature(found).parameters.values()
    left_out = inspect.Parameter.empty
    assert printed == [(one.name, one.default is not left_out) for one in real if one.kind in BY_PLACE]
    assert keywords == {one.name: one.default is not left_out for one in real if one.kind is one.KEYWORD_ONLY}


def rows_under(heading: str, page: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").split(f"\n{heading}\n")[1]
    table = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert table is not None
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table[0].splitlines()[2:]]


def type_words(kind: Any) -> str:
    if pa.types.is_fixed_size_list(kind):
        return f"{type_words(kind.value_type)} × "
    if pa.types.is_list(kind):
        return f"list of {type_words(kind.value_type)}"
    if pa.types.is_struct(kind):
        return "struct"
    return {"string": "text", "double": "float64", "float": "float32"}.get(str(kind), str(kind))


def columns(fields: Iterable[Any], inside: str = "") -> Iterator[tuple[str, str, bool]]:
    for field in fields:
        yield inside + field.name, type_words(field.type), field.nullable
        if pa.types.is_list(field.type) and pa.types.is_struct(field.type.value_type):
            yield from columns(field.type.value_type, f"{field.name}.")


@pytest.mark.parametrize(
    ("heading", "page", "schema"),
    [
        ("## Columns of positions", "reference/data.md", positions_schema(tercet.game("sanqi", side=4))),
        ("## Columns of records", "reference/data.md", games_schema()),
        ("## The games as data", "laboratory.md", storing.SCHEMA),
    ],
)
def test_every_column_of_a_parquet_file_is_documented(heading: str, page: str, schema: Any) -> None:
    documented, written = rows_under(heading, page), list(columns(schema))
    assert [row[0] for row in documented] == [f"`{name}`" for name, _, _ in written]
    for (_, kind, meaning), (name, wanted, nullable) in zip(documented, written, strict=True):
        assert kind.startswith(wanted), name
        assert kind.endswith(", or null") == nullable, name
        assert meaning, name


async def test_every_habit_of_python_chess_is_done_as_its_table_says() -> None:
    page, command = "coming-from-python-chess.md", f"{sys.executable} -m tercet.engines.ugi"
    names: dict[str, Any] = {}
    for heading in ("## Positions", "## Records", "## Pictures", "## Engines"):
        for habit, row in rows_under(heading, page):
            source = row.strip("`").replace("tercet ugi", command)
            code = compile(source, f"{page}, {habit}", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            made = eval(code, names)
            if inspect.isawaitable(made):
                await made
    assert str(names["nodes"][0].action) == "Rd4"
    assert len(names["info"].lines) == 3


def test_every_metric_and_every_figure_that_a_game_counts_is_documented() -> None:
    metrics = {name for row in rows_under("## Metrics", "laboratory.md") for name in re.findall(r"`(\w+)`", row[0])}
    assert metrics == set(METRICS)
    named: dict[str, set[str]] = {name: set() for name in tercet.games()}
    game = ""
    for row in rows_under("What the games count for `own`:", "laboratory.md"):
        game = row[0].lower() or game
        first, *others = re.findall(r"`([\w.]+)`", row[1])
        before = first.rpartition(".")[0]
        named[game] |= {first, *(before + other if other[0] == "." else other for other in others)}
    for name in tercet.games():
        counted = set()
        for options in OPTION_SETS[name]:
            arm = Arm(name, options, players("random"), name="one")
            counted |= set(measured("own", arm.play(0, 6), arm))
        assert counted == named[name]
