"""``docs/adding-a-game.md`` is a whole package: cut out of the page and installed, it keeps the contract."""

import importlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import tercet
from tercet.games import rescan
from tercet.laboratory import Stop, run_study, study_of
from tercet.laboratory.reporting import ladder_of
from tests.fourth_game.gomoku import PAGE, SHOWN, install, write_gomoku
from tests.support.play import play
from tests.support.present import present


@pytest.fixture
def gomoku(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package of the page is installed while a test runs."""
    write_gomoku(tmp_path)
    install(tmp_path, tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    importlib.invalidate_caches()
    rescan()
    yield
    rescan()


def test_the_page_shows_every_file_of_the_package() -> None:
    tree = PAGE.split("```text\n", 1)[1].split("```", 1)[0]
    assert set(re.findall(r"\S+\.(?:py|toml)", tree)) == set(SHOWN) - {"tests"}


@pytest.mark.online
@pytest.mark.usefixtures("gomoku")
def test_the_package_of_the_page_keeps_the_contract() -> None:
    exec(SHOWN["tests"], {})
    outcome = present(play(tercet.game("gomoku", size=3, line=3).start(), "a1", "b1", "a2", "b2", "a3").outcome)
    assert (outcome.winners, outcome.cells) == ((0,), ("a1", "a2", "a3"))


@pytest.mark.thorough  # compiles a search
@pytest.mark.usefixtures("gomoku")
def test_the_ladder_of_tic_tac_toe_runs() -> None:
    study = study_of("sparklies/depth")
    arms = tuple(arm for arm in study.arms if arm.game == "gomoku")
    assert {tuple(arm.options.items()) for arm in arms} == {(("size", 3), ("line", 3))}
    results = run_study(replace(study, arms=arms, stop=Stop(games=2)))
    assert [name for name, _, _ in ladder_of(results)] == [arm.name for arm in arms]
    assert len(arms) == 4
