"""A search finds the arms nearest to its goals; a search of a space finds the best rules of each kind of game."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tercet.laboratory import Arm, LaboratoryError, StudyError, players
from tercet.laboratory.reporting import search_report
from tercet.laboratory.running import run_study
from tercet.laboratory.searching import Candidate, search
from tercet.laboratory.study import Stop, Study, Target
from tests.laboratory.test_study import read
from tests.support.commands import run_command
from tests.support.present import lacking
from tests.support.refusals import refuses

SMALL = Arm("sparklies", {"board": "3x3"}, players("random"), name="3x3")
WIDE = replace(SMALL, options={"board": "4x3"}, name="4x3")
STUDY = Study("small", "Who wins on small boards?", (SMALL, WIDE), ("share", "turns"), Stop(games=72))
PAGE = Path(__file__).parents[2] / "docs" / "laboratory.md"


def test_a_search_finds_the_arm_that_reaches_its_goals() -> None:
    ahead = (replace(SMALL, options={"board": "3x3", "handicap": name}, name=name) for name in ("white.2", "white.4"))
    study = replace(STUDY, arms=(SMALL, *ahead), stop=Stop(games=96), goals=(Target("share.White", 0.9, 1.0),))
    found = search(study)
    assert (found[0].arm.name, found[0].is_best, found[-1].state) == ("white.4", True, "dropped in round 1")
    assert found[-1].games < found[0].games
    page = search_report(study, found, "tercet lab search small")
    assert not lacking(page, "at least 0.9 and at most 1", "<td>★ white.4</td>", "dropped in round 1")
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    refuses(LaboratoryError, "has no goals", search, STUDY)


def test_an_arm_that_was_dropped_never_carries_the_star() -> None:
    """Its few games may miss each goal by fewer half widths than those of the arms that stayed to the end."""
    arms = tuple(replace(SMALL, seed=seed, name=f"seed {seed}") for seed in range(1, 7))
    goals = (Target("share.White", 0.9, 1.0), Target("turns", 1.0, 9.0))
    found = search(replace(STUDY, arms=arms, stop=Stop(games=96), goals=goals))
    assert any(one.dropped for one in found)
    assert any(one.is_best for one in found)
    assert not any(one.is_best and one.dropped for one in found)


def test_an_arm_whose_interval_lies_outside_its_goal_is_not_said_to_reach_it() -> None:
    """The nearest arm stays to the end, although its interval excluded the goal long before."""
    goals = (Target("turns", 1.0, 2.0),)
    found = search(replace(STUDY, stop=Stop(games=96), goals=goals))
    assert [one.state for one in found] == ["misses a goal", "dropped in round 1"]
    assert all(one.outside for one in found)


def test_the_command_writes_the_report_of_a_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "small.toml", tmp_path / "out"
    text = 'question = "Who wins?"\ngame = "sparklies"\nplayers = ["random"]\n[stop]\ngames = 24\n[grid]\n'
    text += 'board = ["3x3", "4x3"]\n[[goal]]\nfigure = "share.White"\nlow = 0.4\n'
    path.write_text(text, encoding="utf-8")
    code, said, _ = run_command(capsys, "lab", "search", str(path), "--out", str(out), "--workers", "1")
    assert code == 0
    assert f"Report: {out / 'search.html'}" in said
    assert "Pareto front" in (out / "search.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The study that the documentation shows, on small boards."""
    text = re.search(r"Write `kinds\.toml`:\n\n```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert text is not None
    study = read(tmp_path_factory.mktemp("kinds"), text[1])
    return replace(study, space=dict(study.space) | {"board": ["3x3", "4x4", "5x5"]}, stop=Stop(60, tries=20))


def seen(found: list[Candidate]) -> list[tuple[object, ...]]:
    return [(one.arm.name, one.games, one.cell, one.is_best, one.figures) for one in found]


def test_each_cell_is_held_by_the_nearest_to_the_goal_after_the_budget(shown: Study) -> None:
    found = search(shown)
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
    whole = search(shown)
    search(replace(shown, stop=Stop(24, tries=8)), tmp_path)
    assert seen(search(shown, tmp_path, workers=2)) == seen(whole)


def test_a_search_ends_where_all_was_tried_and_tries_values_with_those_that_they_need(shown: Study) -> None:
    """`order` needs more than two players."""
    assert len(search(replace(shown, space={"board": ["3x3"], "flag": [False, True]}))) == 2
    space: dict[str, list[Any]] = {"board": ["3x3"], "players": [2, 3], "order": ["seat", "fewest"]}
    names = {one.arm.name for one in search(replace(shown, space=space))}
    assert "board=3x3, players=3, order=fewest" in names


def test_a_run_sends_one_to_the_search_and_a_value_that_the_game_never_takes_is_an_error(shown: Study) -> None:
    refuses(LaboratoryError, r"study has a space\. `tercet lab search` looks through it", run_study, shown)
    with pytest.raises(LaboratoryError, match=r"the space's handicap = 'red\.1': "):
        search(replace(shown, space=dict(shown.space) | {"handicap": ["", "red.1"]}))


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
    assert old in shown.text
    refuses(StudyError, re.escape(said), read, tmp_path, shown.text.replace(old, new))
