"""What the documentation says is run, its boards are drawn, and its figures name the command that gives them."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pytest
from typing_extensions import is_typeddict

import tercet
from benchmarks import sanqi_openings
from tercet.browser import site
from tercet.browser.console import Console
from tercet.browser.site import SiteError, build_docs
from tercet.cli.app import all_commands
from tercet.laboratory import Arm, players, storing
from tercet.laboratory.metrics import METRICS, measured
from tercet.training.data.schema import games_schema, positions_schema
from tests.support.commands import run_command
from tests.support.division import online_but
from tests.support.present import module_at, present
from tests.support.refusals import refuses

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = ["tercet", *(f"tercet.{module.name}" for module in pkgutil.iter_modules(tercet.__path__))]
BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
OPTIONS: dict[str, dict[str, Any]] = {  # of games that have all figures
    "sanqi": {"side": 4, "opening": "swap2"}, "triplicity": {}, "sparklies": {"board": "5x5"},
}  # fmt: skip
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


RUN = online_but(lambda page: page.name not in ("README.md", "batch.md"), PAGES)


@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_in_pages(page: Path) -> None:
    tried = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert tried.failed == 0
    text = page.read_text(encoding="utf-8")
    assert tried.attempted == text.count(">>> ") - text.count("# doctest: +SKIP")


@pytest.mark.parametrize("name", [name for name in MODULES if name != "tercet.__main__"])
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), optionflags=FLAGS).failed == 0


def test_every_page_is_found_and_names_commands_that_exist_and_no_place_on_this_machine() -> None:
    app = all_commands()
    known = {str(each.name or (each.callback and each.callback.__name__)) for each in app.registered_commands}
    known |= {str(group.name) for group in app.registered_groups}
    pages = {str(page.relative_to(ROOT / "docs")) for page in PAGES[1:]}
    linked = re.findall(r"\]\(([a-z/-]+\.md)", (ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    listed = re.findall(r": ([a-z/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(linked) == pages - {"index.md"}
    assert sorted(listed) == sorted(pages)
    shown = present(re.search(r"```text\n(\[Game.*?)```", (ROOT / "docs" / "records.md").read_text(), re.DOTALL))
    record = tercet.read(shown[1])[0]
    assert record.moves() == ["Rd4", "Yc4", "Bd3"]
    assert tercet.read(record.write())[0].write() == record.write()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"(?<![\w.])/(?:work|tmp|home|root)/", text), page
        assert set(re.findall(r"(?:^|`)tercet ([a-z][a-z-]*)", text, re.MULTILINE)) <= known, page


@pytest.mark.long  # `make docs` does it too
def test_the_documentation_builds(tmp_path: Path) -> None:
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        pytest.skip("MkDocs Material is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    for name in tercet.games():
        assert "<svg" in (tmp_path / "games" / name / "index.html").read_text()


def test_the_reference_says_what_the_source_says() -> None:
    """Run `python tools/reference.py` after a change to a docstring, a signature or a command."""
    assert module_at(ROOT / "tools" / "reference.py").stale() == []


def test_pictures_and_files_named_in_pages_exist() -> None:
    kept = subprocess.run(["git", "ls-files", "docs"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    for page in PAGES:
        for name in re.findall(r'(?:src|srcset)="([^":]+)"|!\[[^\]]*\]\(([^):]+)\)', page.read_text(encoding="utf-8")):
            path = (page.parent / (name[0] or name[1])).resolve()
            assert path.is_file(), path
            assert not kept or str(path.relative_to(ROOT)) in kept, f"{path} is ignored by git"
    text = (ROOT / "docs" / "concepts" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:[a-z_A-Z]+/)+[a-zA-Z_.]*)`", text)
    assert len(named) > 15
    package = ROOT / "src" / "tercet"
    places = (ROOT, package, package / "server", ROOT / "web" / "src")
    assert [name for name in named if "<" not in name and not any((place / name).exists() for place in places)] == []


SIGNATURES = [
    (home, name, shown)
    for page in sorted((ROOT / "docs" / "reference").glob("*.md"))
    for home, part in re.findall(r"^## (tercet[\w.]*)\n(.*?)(?=^## |\Z)", page.read_text("utf-8"), re.DOTALL | re.M)
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
    named = zip(given.args.kwonlyargs, given.args.kw_defaults, strict=True)
    keywords = {one.arg: value is not None for one, value in named}
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
    table = present(re.search(r"(?:^\|.*\n)+", text, re.MULTILINE))
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
            made = eval(compile(source, f"{page}, {habit}", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
            if inspect.isawaitable(made):
                await made
    assert (str(names["nodes"][0].action), len(names["info"].lines)) == ("Rd4", 3)


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
        arm = Arm(name, OPTIONS[name], players("random"), name="one")
        assert set(measured("own", arm.play(0, 6), arm)) == named[name]


GUIDES = PAGES[1:]
HOOKS = module_at(ROOT / "docs" / "_hooks.py")
BOARDS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in GUIDES
    for number, block in enumerate(HOOKS.BOARD.findall(page.read_text("utf-8")), 1)
]


def written(source: str, address: str) -> str:
    """Return the Markdown that MkDocs makes into a page of the documentation."""
    text = (ROOT / "docs" / source).read_text("utf-8")
    page = SimpleNamespace(file=SimpleNamespace(src_uri=source), url=source.replace(".md", ".html"))
    return str(HOOKS.on_page_markdown(text, page=page, config={"extra": {"page": address}}))


@pytest.mark.parametrize("block", BOARDS)
def test_each_board_is_legal_and_drawn(block: str) -> None:
    position, caption = HOOKS.read(block)
    assert not position.is_over, "there is nothing to play on"
    assert tercet.parse(str(position)) == position
    assert caption[-1] == "."
    assert HOOKS.figure(position, caption, "../#").count("<svg") == 2


def test_every_fence_is_read_and_boards_lead_to_the_page() -> None:
    for page in GUIDES:
        text = page.read_text("utf-8")
        assert len(re.findall(r"^ *`{3,}board", text, re.MULTILINE)) == len(HOOKS.BOARD.findall(text)), page
    assert len(BOARDS) > 8
    assert "<a" not in re.sub(r"```.*?```", "", written("games/sanqi.md", ""), flags=re.DOTALL)
    inside = written("games/sanqi.md", "../#")
    assert 'class="living" href="../../#/analysis?position=sanqi%2F4%204%2F5%2F2RR2' in inside
    assert 'href="../#/console#code=import%20tercet%0A' in written("library.md", "../#")
    outside = written("games/sanqi.md", "https://tercet.example")
    assert "living" not in outside
    assert 'href="https://tercet.example/analysis?position=sanqi%2F4' in outside


def test_the_documentation_has_the_colours_and_the_fonts_of_the_page() -> None:
    style, fonts = HOOKS.page_style()
    day, night = style.split('[data-md-color-scheme="slate"] {')
    assert day.startswith(":root {")
    source = (ROOT / "web" / "src" / "app.css").read_text("utf-8")
    papers = re.findall(r"--paper: (#\w+);", source)
    assert [*re.findall(r"--paper: (#\w+);", day), *re.findall(r"--paper: (#\w+);", night)] == papers
    assert len(papers) == 2
    assert [path.name for path in fonts] == re.findall(r"url\(\./([^)]*)\)", style)
    assert all(path.is_file() for path in fonts)
    assert 'class="living" href="../#/"' in written("index.md", "../#")
    assert "Play now" not in written("index.md", "")


@pytest.mark.parametrize(
    ("block", "why"),
    [
        ("game: sanqi side=4\nmoves: Rd4 Rd4\ncaption: Twice.", "d4 is taken by Red"),
        ("position: sanqi/4 4/5 F -\ncaption: Cut.", "has 7 rows, not 2"),
        ("game: sanqi\nposition: sanqi/4 4/5/6/7/6/5/4 F -\ncaption: Both.", "either a game or a position"),
        ("game: sanqi", "needs a caption"),
        ("game: sanqi\nmove: Rd4\ncaption: A wrong field.", "needs a caption"),
    ],
)
def test_a_wrong_board_is_refused(block: str, why: str) -> None:
    refuses(ValueError, why, HOOKS.read, block)


@pytest.mark.parametrize("source", ["library.md", "getting-started.md"])
def test_examples_run_in_the_console(source: str) -> None:
    codes = [unquote(found) for found in re.findall(r'href="[^"]*#code=([^"]+)"', written(source, "../#"))]
    assert codes
    for code in codes:
        assert ">>>" not in code
        assert '"error": ""' in Console(lambda _: None).run(code)


def test_a_site_without_mkdocs_or_repository_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(site, "find_spec", lambda _: None)
    assert build_docs(tmp_path).endswith("MkDocs is missing. Run `pip install mkdocs-material` and build again.")
    assert not (tmp_path / "docs").exists(), "an older documentation"
    monkeypatch.setattr(site, "CHECKOUT", tmp_path)
    assert "an installed package does not hold it" in build_docs(tmp_path)
    (tmp_path / "mkdocs.yml").write_text("nonsense")
    monkeypatch.setattr(site, "find_spec", lambda name: name)
    failed = subprocess.CompletedProcess([sys.executable], 1, "", "broken")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    refuses(SiteError, "MkDocs could not build the documentation: broken", build_docs, tmp_path)


GAMES = ROOT / "src" / "tercet" / "games"
STUDIES = {*GAMES.rglob("studies/*.toml"), *GAMES.rglob("studies.toml")}  # tests/laboratory compares them with games
RULES = [*sorted(GAMES.rglob("rulebook.py")), *sorted({*GAMES.rglob("*.toml")} - STUDIES)]
COMMAND = re.compile(r"tercet stats (?:sanqi|triplicity|sparklies)(?: --[a-z-]+(?: [\w.:,=-]+)?)*")
SHARE = re.compile(r"\d(?:\.\d)? ?%")
SOURCE = re.compile(r"tercet (?:stats|lab|match|solve|bench|book|train|puzzles|selfplay)\b|benchmarks[./]\w+")
OF_THE_SERVER = ("operations.md", "server.md", "load.md")  # shares there are of a machine's time


def commands() -> list[str]:
    """Return the commands of `tercet stats` that any page names."""
    texts = (" ".join(page.read_text(encoding="utf-8").split()) for page in PAGES + RULES)
    found = {command for text in texts for command in COMMAND.findall(text)}
    return sorted(command for command in found if "--records" not in command)


OPENINGS = re.compile(r"python -m benchmarks\.sanqi_openings (\w+(?: --(?!out|games|setups|seed)[a-z]+ \d+)*)")


@pytest.mark.parametrize(
    "command", sorted(set(OPENINGS.findall((ROOT / "docs" / "games" / "sanqi.md").read_text(encoding="utf-8"))))
)
def test_the_openings_of_sanqi_are_measured_on_a_small_scale(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = [*shlex.split(command), "--games", "1", "--setups", "1", "--out", str(tmp_path / "out.jsonl")]
    monkeypatch.setattr(sys, "argv", ["sanqi_openings", *words])
    sanqi_openings.main()
    told = r"^(First: [\d.]+ of 1 games, |Split: [01] of 1 set-ups of \d pieces)"
    assert re.search(told, capsys.readouterr().out, flags=re.MULTILINE)


@pytest.mark.parametrize("command", commands())
def test_a_small_version_of_each_command_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(re.sub(r" --(games|workers) \d+", "", command))[1:]
    code, out, err = run_command(capsys, *words, "--games", "2")
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("2 games of ")
    assert any("% of the points" in line for line in lines)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in OF_THE_SERVER], ids=lambda page: str(page.relative_to(ROOT))
)
def test_sections_with_shares_name_their_command(page: Path) -> None:
    sections = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    silent = [text.splitlines()[0] for text in sections if SHARE.search(text) and not SOURCE.search(text)]
    assert silent == []


@pytest.mark.parametrize("page", RULES, ids=lambda page: str(page.relative_to(GAMES)))
def test_rules_and_lessons_with_shares_name_their_command(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for line in text.replace("\n", " ").split('"""') if page.suffix == ".py" else text.splitlines():
        assert not SHARE.search(line) or COMMAND.search(line), line[:200]


def test_the_games_have_commands_and_repeat_the_table_of_handicaps() -> None:
    assert {command.split()[2] for command in commands()} == set(tercet.games())
    page = (ROOT / "docs" / "games" / "sparklies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:none|white\.\d) \| (\d+) %.*\| (\d+) % \([^|]*\|$", page, re.MULTILINE)
    assert len(rows) == 4
    texts = [" ".join(path.read_text(encoding="utf-8").split()) for path in RULES]
    told = [part for text in texts for part in re.split(r"[(（]tercet stats sparklies --board 9x9 --h", text)[:-1]]
    assert len(told) == 5, "English, and two languages beside it"
    for part in told:
        figures = re.findall(r"(?<![x\d])(\d+)(?= (?:%|and \d|und \d))", part.rpartition("(ours)")[2])
        assert figures == [share for row in rows for share in row]
