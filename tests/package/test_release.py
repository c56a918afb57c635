"""What keeps a version from being released."""

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import tercet

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def release() -> Any:
    spec = importlib.util.spec_from_file_location("release", ROOT / "tools" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small repository of version 1.2.3, all committed."""
    (tmp_path / "src/tercet").mkdir(parents=True)
    (tmp_path / "web").mkdir()
    (tmp_path / "src/tercet/__init__.py").write_text('__version__ = "1.2.3"\n')
    lock = {"version": "1.2.3", "packages": {"": {"version": "1.2.3"}}}
    (tmp_path / "CITATION.cff").write_text("version: 1.2.3\ndate-released: 2026-01-31\n")
    (tmp_path / "web/package.json").write_text(json.dumps({"version": "1.2.3"}))
    (tmp_path / "web/package-lock.json").write_text(json.dumps(lock))
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 - 2026-01-31\n\n## 1.3.0\n")
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def test_all_files_state_the_version_of_the_library(release: Any) -> None:
    assert set(release.versions(ROOT).values()) == {tercet.__version__}


def test_the_changelog_has_a_dated_section_for_this_version(release: Any) -> None:
    assert release.changelog_date(ROOT, tercet.__version__) is not None


def test_a_listed_version_of_a_clean_tree_may_be_released(release: Any, tree: Path) -> None:
    assert release.problems(tree, "1.2.3") == []


def test_a_version_without_a_dated_section_is_refused(release: Any, tree: Path) -> None:
    (tree / "CHANGELOG.md").write_text("## 1.2.3\n")
    assert "CHANGELOG.md has no section '## 1.2.3 - YYYY-MM-DD'." in release.problems(tree, "1.2.3")


def test_another_version_than_the_files_state_is_refused(release: Any, tree: Path) -> None:
    found = release.problems(tree, "1.3.0")
    assert "web/package.json states 1.2.3, not 1.3.0." in found
    assert "CITATION.cff states 1.2.3, not 1.3.0." in found
    assert len(found) == 6


def test_a_citation_of_another_day_is_refused(release: Any, tree: Path) -> None:
    (tree / "CHANGELOG.md").write_text("## 1.2.3 - 2026-02-01\n")
    assert "CITATION.cff does not state date-released: 2026-02-01." in release.problems(tree, "1.2.3")


def test_the_citation_says_what_a_paper_needs(release: Any) -> None:
    cited = yaml.safe_load((ROOT / release.CITATION).read_text("utf-8"))
    assert {"message", "title", "authors", "abstract", "keywords"} <= set(cited)
    assert (cited["cff-version"], cited["type"], cited["license"]) == ("1.2.0", "software", "MIT")
    assert str(cited["version"]) == tercet.__version__
    assert cited["date-released"] == release.changelog_date(ROOT, tercet.__version__)
    for name in tercet.games():
        assert tercet.game(name).definition.title in cited["title"]


def test_a_working_tree_with_changes_is_refused(release: Any, tree: Path) -> None:
    (tree / "new.txt").write_text("new")
    assert release.problems(tree, "1.2.3") == ["The working tree has changes: commit them first."]


@pytest.mark.parametrize("name", tercet.games())
def test_the_documentation_states_the_version_of_each_games_rules(name: str) -> None:
    game, page = tercet.game(name).definition, (ROOT / "docs" / "concepts" / "stability.md").read_text("utf-8")
    rules = f"`{name}-{game.rules_version}`"
    assert f"| {rules} |" in page
    assert f"| `tercet/{name}-v{game.environment_version}` | {rules} | {game.planes_version} |" in page
