"""Figures in documentation, rules pages and lessons name the command that gives them, and each command runs."""

import re
import shlex
import sys
from pathlib import Path

import pytest

import tercet
from benchmarks import sanqi_openings
from tercet.cli import main

ROOT = Path(__file__).parents[2]
GAMES = ROOT / "src" / "tercet" / "games"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
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


def small(command: str) -> list[str]:
    """Return the words of a command for a few games."""
    return [*shlex.split(re.sub(r" --(games|workers) \d+", "", command))[1:], "--games", "2"]


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


def sections(page: Path) -> list[str]:
    """Return the text between headings of the second level."""
    return re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("command", commands())
def test_a_small_version_of_each_command_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(small(command))
    assert not ended.value.code, capsys.readouterr().err
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2 games of ")
    assert any("% of the points" in line for line in lines)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in OF_THE_SERVER], ids=lambda page: str(page.relative_to(ROOT))
)
def test_sections_with_shares_name_their_command(page: Path) -> None:
    silent = [text.splitlines()[0] for text in sections(page) if SHARE.search(text) and not SOURCE.search(text)]
    assert silent == []


@pytest.mark.parametrize("page", RULES, ids=lambda page: str(page.relative_to(GAMES)))
def test_rules_and_lessons_with_shares_name_their_command(page: Path) -> None:
    for line in page.read_text(encoding="utf-8").replace("\n", " ").split('"""') if page.suffix == ".py" else (
        page.read_text(encoding="utf-8").splitlines()
    ):  # fmt: skip
        assert not SHARE.search(line) or COMMAND.search(line), line[:200]


def test_the_rules_of_sparklies_repeat_the_table_of_handicaps() -> None:
    page = (ROOT / "docs" / "games" / "sparklies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:none|white\.\d) \| (\d+) %.*\| (\d+) % \([^|]*\|$", page, re.MULTILINE)
    assert len(rows) == 4
    texts = [" ".join(path.read_text(encoding="utf-8").split()) for path in RULES]
    told = [part for text in texts for part in re.split(r"[(（]tercet stats sparklies --board 9x9 --h", text)[:-1]]
    assert len(told) == 5, "English, and two languages beside it"
    for part in told:
        figures = re.findall(r"(?<![x\d])(\d+)(?= (?:%|and \d|und \d))", part.rpartition("(ours)")[2])
        assert figures == [share for row in rows for share in row]


def test_the_games_have_commands() -> None:
    assert {command.split()[2] for command in commands()} == set(tercet.games())
