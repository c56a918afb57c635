"""The boards of the documentation: each is legal and drawn, and leads to Tercet's page where there is one."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pytest

import tercet
from tercet.browser import site
from tercet.browser.console import Console
from tercet.browser.site import SiteError, build_docs

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs").rglob("*.md"))


def hooks() -> Any:
    """The hooks of MkDocs."""
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "_hooks.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


HOOKS = hooks()
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


def test_every_fence_is_read() -> None:
    for page in GUIDES:
        text = page.read_text("utf-8")
        assert len(re.findall(r"^ *`{3,}board", text, re.MULTILINE)) == len(HOOKS.BOARD.findall(text)), page
    assert len(BOARDS) > 8


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
    with pytest.raises(ValueError, match=why):
        HOOKS.read(block)


def test_boards_lead_to_the_page_where_there_is_one() -> None:
    assert "<a" not in re.sub(r"```.*?```", "", written("games/sanqi.md", ""), flags=re.DOTALL)
    inside = written("games/sanqi.md", "../#")
    assert 'class="living" href="../../#/analysis?position=sanqi%2F4%204%2F5%2F2RR2' in inside
    assert 'href="../#/console#code=import%20tercet%0A' in written("library.md", "../#")
    outside = written("games/sanqi.md", "https://tercet.example")
    assert "living" not in outside
    assert 'href="https://tercet.example/analysis?position=sanqi%2F4' in outside


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
    with pytest.raises(SiteError, match="MkDocs could not build the documentation: broken"):
        build_docs(tmp_path)
