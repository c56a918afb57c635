"""A search of a space of options keeps the best rules of each kind of game."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tercet.laboratory import LaboratoryError, StudyError
from tercet.laboratory.exploring import explore
from tercet.laboratory.reporting import search_report
from tercet.laboratory.running import Candidate, run_study
from tercet.laboratory.study import Stop, Study, read_study

PAGE = Path(__file__).parents[2] / "docs" / "laboratory.md"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The study that the documentation shows, on small boards."""
    text = re.search(r"Write `kinds\.toml`:\n\n```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert text is not None
    path = tmp_path_factory.mktemp("kinds") / "kinds.toml"
    path.write_text(text[1], encoding="utf-8")
    study = read_study(path)
    return replace(study, space=dict(study.space) | {"board": ["3x3", "4x4", "5x5"]}, stop=Stop(60, tries=20))


def told(found: list[Candidate]) -> list[tuple[object, ...]]:
    return [(one.arm.name, one.games, one.cell, one.is_best, one.figures) for one in found]


def test_each_cell_is_held_by_the_nearest_to_the_goal_after_the_budget(shown: Study) -> None:
    found = explore(shown)
    assert len({one.arm.name for one in found}) == len(found) <= 20
    best = {one.cell: one for one in found if one.is_best}
    assert len(best) > 1
    assert {one.cell for one in found} == set(best)

    def share(one: Candidate) -> float:
        return next(figure.estimate.mean for figure in one.figures if figure.name == "share.White")

    for one in found:
        turns = next(figure.estimate.mean for figure in one.figures if figure.name == "turns")
        assert one.cell == (sum(end <= turns for end in (10, 20, 40)),)
        assert abs(share(best[one.cell]) - 0.5) <= abs(share(one) - 0.5)
    assert all(one.games == 60 for one in best.values())
    report = search_report(shown, found, "tercet lab search kinds.toml")
    assert all(words in report for words in ("turns 10 to 20", "[atlas]", *(one.arm.name for one in best.values())))


def test_a_search_that_goes_on_finds_what_one_in_one_go_finds(shown: Study, tmp_path: Path) -> None:
    whole = explore(shown)
    explore(replace(shown, stop=Stop(24, tries=8)), tmp_path)
    assert told(explore(shown, tmp_path, workers=2)) == told(whole)


def test_a_run_sends_one_to_the_search(shown: Study) -> None:
    with pytest.raises(LaboratoryError, match=r"kinds has a space\. `tercet lab search` looks through it"):
        run_study(shown)


def test_a_search_ends_where_the_whole_space_was_tried(shown: Study) -> None:
    small = replace(shown, space={"board": ["3x3"], "flag": [False, True]})
    assert len(explore(small)) == 2


def test_values_that_go_only_with_others_are_tried_with_them(shown: Study) -> None:
    """`order` needs more than two players."""
    space: dict[str, list[Any]] = {"board": ["3x3"], "players": [2, 3], "order": ["seat", "fewest"]}
    names = {one.arm.name for one in explore(replace(shown, space=space))}
    assert "board=3x3, players=3, order=fewest" in names


def test_a_value_that_the_game_never_takes_is_an_error(shown: Study) -> None:
    with pytest.raises(LaboratoryError, match=r"the space's handicap = 'red\.1': "):
        explore(replace(shown, space=dict(shown.space) | {"handicap": ["", "red.1"]}))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("turns = [10, 20, 40]", "turns = [10, 40, 20]", "atlas.turns: The values must be numbers, each larger"),
        ("turns = [10, 20, 40]", "drama = [1]", "atlas.drama: 'drama' is no figure"),
        ("[atlas]\nturns = [10, 20, 40]", "", "space: A search of a space needs both tables"),
        ("wrap = [false, true]", "wrap = []", "space.wrap: The value must be a list of at least one value"),
    ],
)
def test_a_study_with_a_wrong_space_says_where(shown: Study, tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "kinds.toml"
    assert old in shown.text
    path.write_text(shown.text.replace(old, new), encoding="utf-8")
    with pytest.raises(StudyError, match=re.escape(said)):
        read_study(path)
