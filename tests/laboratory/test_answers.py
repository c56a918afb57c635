"""Answers of studies, and the results that are shipped with the games."""

import math
import re
import tomllib
from dataclasses import replace
from html import escape
from pathlib import Path
from types import ModuleType

import pytest

from tercet.answers.translation import LANGUAGES, SENTENCES, game_catalogue
from tercet.core.figures import Estimate
from tercet.games import game_definition
from tercet.laboratory import Arm, Results, Stop, Study, players, run_study, shipped_studies, study_of
from tercet.laboratory.answers import PLACE, fill, holds, places, read_claims, read_figures, words
from tercet.laboratory.metrics import Figure
from tercet.laboratory.reporting import answer, table
from tercet.laboratory.study import PublishedStudy, published_studies
from tests.support.division import online_but
from tests.support.present import lacking, module_at, present

ROOT = Path(__file__).parents[2]
PUBLISHED = {study.name: study for study in published_studies()}


def figure(name: str, unit: str, mean: float, low: float, high: float) -> Figure:
    return Figure(name, unit, Estimate(mean, low, high, 9))


SHARE = figure("share.White", "%", 0.36, 0.33, 0.394)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (SHARE, "36 % (33 to 39)"),
        (figure("turns", "turns", 184.2, 168.4, 199.6), "184 (168 to 200)"),
        (figure("turns", "turns", 12.16, 12.0, 12.34), "12.2 (12.0 to 12.3)"),
        (figure("own.bases", "", 0.583, 0.551, 0.61), "0.58 (0.55 to 0.61)"),
        (figure("politics.hopeless decisions", "", 0.0068, 0.0036, 0.01), "0.007 (0.004 to 0.010)"),
        (figure("turns", "turns", 3, math.nan, math.nan), "3.00"),
    ],
)
def test_a_figure_in_a_sentence(found: Figure, text: str) -> None:
    assert words(found) == text


def test_places_are_filled_by_arm_and_figure() -> None:
    template = "White has {5x5 | share.White}, or {5x5, wrapped|share.White}."
    assert places(template) == [("5x5", "share.White"), ("5x5, wrapped", "share.White")]
    found = {("5x5", "share.White"): SHARE}
    assert fill(template, found, {}) is None, "an arm has no such figure"
    found["5x5, wrapped", "share.White"] = figure("share.White", "%", 0.5, 0.4, 0.6)
    assert fill(template, found, {}) == "White has 36 % (33 to 39), or 50 % (40 to 60)."
    assert fill("White has {share.White}.", {("5x5", "share.White"): SHARE}, {}) == "White has 36 % (33 to 39)."
    assert fill("White has {share.White}.", found, {}) is None, "it does not say of which arm"


OF_ARMS = {
    (name, "share"): figure("share", "%", (low + high) / 2, low, high)
    for name, low, high in (("low", 0.2, 0.3), ("even", 0.47, 0.52), ("wide", 0.29, 0.53), ("high", 0.7, 0.9))
}


@pytest.mark.parametrize(
    ("condition", "true"),
    [
        ("{low | share} below {even | share}", True),
        ("{even | share} above {low | share}", True),
        ("{low | share} below {wide | share}", False),  # the means differ, the intervals do not
        ("{low | share} overlaps {wide | share}", True),
        ("{low | share} overlaps {even | share}", False),
        ("{low | share} below 0.3001", True),
        ("{low | share} below 0.3", False),
        ("{even | share} within 0.031 of 0.5", True),
        ("{even | share} within 0.02 of 0.5", False),
        ("{wide | share} within 0.05 of {even | share}", False),  # equality takes a margin that holds both intervals
        ("{wide | share} within 0.24 of {even | share}", True),
        ("{even | share} nearer 0.5 than {high | share}", True),
        ("{even | share} nearer 0.5 than {low | share}", True),
        ("{wide | share} nearer 0.5 than {high | share}", False),  # 0.29 is farther from it than 0.7
        ("{even | share} nearer 0.5 than {wide | share}", False),
        ("{*w | share} below 0.5", True),  # of each arm with such a name
        ("{* | share} below 0.5", False),
        ("{low | share} below {* | share}", False),  # wide overlaps it
        ("{high | share} above {*w | share}", True),
        ("{even | share} nearer 0.5 than {*e* | share}", False),  # wide; an arm is not compared with itself
        ("{none* | share} above 0.1", False),
    ],
)
def test_a_claim_needs_intervals_that_do_not_overlap(condition: str, true: bool) -> None:
    assert holds(condition, OF_ARMS) is true


def test_figures_choose_among_the_sentences_of_a_claim() -> None:
    """The first whose conditions all hold; its figures are filled; without any, nothing is said."""
    claims = read_claims({"who": [
        ["Low is better.", "{low | share} above 0.5"],
        ["Low is worse.", "{low | share} below 0.5", "{low | share} below {wide | share}"],
        ["These games do not tell,\nwith {low | share}."]],
        "more": [["Never.", "{high | share} below 0.5"]]})  # fmt: skip
    told = fill("{who} {more} So it is.", OF_ARMS, claims)
    assert told == "These games do not tell, with 25 % (20 to 30). So it is."
    narrow = OF_ARMS | {("wide", "share"): figure("share", "%", 0.4, 0.38, 0.42)}
    assert fill("{who}", narrow, claims) == "Low is worse."
    assert fill("{who}", {("low", "share"): SHARE}, claims) is None, "a figure of a condition is missing"


SENTENCES_OF = {
    name: (data["answer"], read_claims(data.get("claim", {})))
    for name, path in shipped_studies().items()
    for data in [tomllib.loads(path.read_text(encoding="utf-8"))]
}
COMPARES = re.compile(
    r"\b(more|most|less|least|few\w*|\w+er than|longer|longest|shorter|better|worse|nearer|nearest|even|fair|equal|"
    r"same|apart|hardly|almost|nothing|none|no|not|much|cures|profits|advantage|instead|about|larger|wilder)\b"
)
FACTS = (  # words of that kind that compare no figures
    "in the same order", "the same player", "not the one who did last", "most of the central ninth", "with fewer cells",
    "can no longer win", "looks no further than the end of the turn", "fewest cells first", "hardly anything to find",
    "equal colours", "fights least", "no coins", "with none, nothing can ever be bought", "may not follow",
    "no ping leaves", "has no centre", "where it does not", "where 1 means even",
    "A third of the points would be even.", "The same ladder in other games says what that means.",
)  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_comparison_is_chosen_by_the_figures(name: str) -> None:
    """Outside its claims an answer says figures alone: no sentence without any, and no word that compares."""
    answer, claims = SENTENCES_OF[name]
    for place, sentences in claims.items():
        assert f"{{{place}}}" in answer
        assert all(conditions for conditions, _ in sentences[:-1]), "no sentence after one that always holds"
    said = PLACE.sub(lambda one: "" if one[0][1:-1] in claims else "0 %", " ".join(answer.split()))
    for sentence in SENTENCES.split(said.strip()):
        left = sentence
        for part in FACTS:
            left = left.replace(part, "")
        assert not COMPARES.search(left), sentence
        assert "0 %" in sentence or sentence in FACTS, sentence
    # Charts show each of its figures once.
    published = PUBLISHED[name]
    rows = [row for chart in published.charts for row in chart["rows"]]
    figures = re.findall(r"-?[\d.]+(?: %)? \([^a-z)]* to [^a-z)]*\)", published.answer)
    assert {row["says"] for row in rows} == set(figures)
    for row in rows:
        assert row["low"] <= row["mean"] <= row["high"]
    for chart in published.charts:
        names = [tuple(row["name"]) for row in chart["rows"]]
        assert len(set(names)) == len(names), chart["title"]
        assert all(names) or len(names) == 1, chart["title"]


FIRST = "{{sanqi/first-share: side={}, {} | share.First}}".format
CENTRE = "{{sparklies/spaces: {} | own.centre}}".format
PINGS = "{{sparklies/playtests: {} | own.pings}}".format
HANDICAP = "{{sparklies/handicap: board={}, handicap={} | share.White}}".format
HEAD_START = "{{sanqi/head-start: side={}, head_start={} | share.First}}".format
GOALS = "{{sanqi/goals: side={}, line={}, triangle={} | share.First}}".format
BOOK = "{{sanqi/book: side={}, opening=book | share.First}}".format
HOPELESS = "{{triplicity/{} | politics.hopeless decisions}}".format
FILLED = "{{sparklies/playtests: ruleset=subtle | own.filled.{}}}".format
QUESTIONS = "research/designers-questions.md"
PROSE = [  # what pages say beside the answers, and the conditions of it
    (QUESTIONS, "So what the boards with edges show", [
        f"{CENTRE(board)} above {CENTRE('6x6, wrapped')}"
        for board in ("5x5", "5x5 with a hole", "6x6", "7x7", "9x9")]),
    (QUESTIONS, "With two of six they do: the first player wins most games within a few turns.", [
        "{sparklies/for-three: side 4, two of six | share.Black} above 0.8",
        "{sparklies/for-three: side 4, two of six | turns} below 6"]),
    (QUESTIONS, "In Subtle, engines fill the board fastest in the middle of a game", [
        f"{FILLED('middle')} above {FILLED(part)}" for part in ("first", "last")]),
    (QUESTIONS, "Random play puts their counts in the same order, and is below each of them.", [
        f"{PINGS('random play in Playtest 2')} above {PINGS('random play in Speed')}",
        f"{PINGS('random play in Speed')} above {PINGS('random play in Subtle')}",
        *(f"{PINGS(f'random play in {rules}')} below {count}"
          for rules, count in (("Speed", 5), ("Playtest 2", 20), ("Subtle", 3)))]),
    (QUESTIONS, "A judge that counts the pieces instead calls more players hopeless", [
        f"{HOPELESS('drama: level:4')} above {HOPELESS('politics: level:3')}"]),
    (QUESTIONS, "strong engines win as Second at every side", [
        f"{FIRST(side, 'strong')} below 0.5" for side in range(4, 11)]),
    (QUESTIONS, "From the positions of a book First comes within ten points of even", [
        f"{BOOK(side)} within 0.1 of 0.5" for side in (6, 8, 10)]),
    (QUESTIONS, "keep the designer's goals and come nearer to even", [
        f"{BOOK(side)} nearer 0.5 than {GOALS(side, 7, 'both')}" for side in (6, 10)]),
    (QUESTIONS, "on side 8 with a slight advantage for Second", [
        f"{BOOK(8)} below 0.5", f"{BOOK(8)} within 0.1 of 0.5"]),
    (QUESTIONS, "on side 6, engines a little below level 9 win less often as First", [
        f"{FIRST(6, 'strong')} below {GOALS(6, 6, 'both')}"]),
    ("games/sanqi.md", "finds `line=7` less even than its positions, and `triangle=first` won for First", [
        *(f"{BOOK(side)} nearer 0.5 than {GOALS(side, 7, 'both')}" for side in (6, 10)),
        *(f"{GOALS(side, line, 'first')} above 0.9" for side in (6, 10) for line in (6, 7))]),
    ("research/solved.md", "Weak engines come within ten points of even on the smallest board.", [
        f"{FIRST(4, level)} within 0.1 of 0.5" for level in ("level:3", "level:7")]),
    ("research/solved.md", "Engines that see strings of threats win few games as First from side 6 on", [
        f"{FIRST(side, 'strong')} below 0.2" for side in range(6, 11)]),
    ("games/sanqi.md", "no whole number of them evens the game", [
        f"{HEAD_START(side, turns)} {'below' if turns < 3 else 'above'} 0.5"
        for side in (6, 8, 10) for turns in range(5)]),
    ("games/sparklies.md", "To go first is worth less on 9x9 than on 5x5 and 7x7.", [
        f"{HANDICAP('9x9', '')} above {HANDICAP(board, '')}" for board in ("5x5", "7x7")]),
    ("games/sparklies.md", "With two or four cells White has more of the points on 5x5 than on 9x9.", [
        f"{HANDICAP('5x5', cells)} above {HANDICAP('9x9', cells)}" for cells in ("white.2", "white.4")]),
    ("games/sparklies.md", "One cell more than makes up for the advantage on 5x5.", [
        f"{HANDICAP('5x5', 'white.1')} above 0.5"]),
    ("games/sparklies.md", "On 7x7 and 9x9 it brings the players within ten points of even.", [
        f"{HANDICAP(board, 'white.1')} within 0.1 of 0.5" for board in ("7x7", "9x9")]),
]  # fmt: skip


@pytest.mark.parametrize(("page", "sentence", "conditions"), PROSE, ids=[sentence for _, sentence, _ in PROSE])
def test_what_pages_say_beside_the_answers_holds(page: str, sentence: str, conditions: list[str]) -> None:
    assert sentence in " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())
    every = {(f"{name}: {arm}", one): found
             for name, study in PUBLISHED.items() for (arm, one), found in study.found.items()}  # fmt: skip
    for condition in conditions:
        assert holds(condition, every), condition


def test_a_study_answers_with_its_own_sentence_and_its_figures_can_be_read_again(tmp_path: Path) -> None:
    arm = Arm("sparklies", {"board": "3x3"}, players("random"), name="3x3")
    study = Study("small", "Who wins?", (arm,), ("share",), Stop(games=24), answer="Black has {share.Black}.")
    results = run_study(study)
    (tmp_path / "figures.csv").write_text(table(results), encoding="utf-8")
    found, games = read_figures(tmp_path / "figures.csv")
    assert games == {"3x3": 24}
    assert found["3x3", "share.Black"] == results.arms[0].figure("share.Black")
    assert answer(results) == fill(study.answer, found, {})


@pytest.mark.parametrize("name", online_but(lambda it: it not in ("triplicity/politics", "sparklies/duel"), PUBLISHED))
def test_the_results_are_those_of_the_study(name: str) -> None:
    study, published = study_of(name), PUBLISHED[name]
    data = tomllib.loads(shipped_studies()[name].read_text(encoding="utf-8"))
    optional = {arm["name"] for arm in data.get("arm", ()) if arm.get("optional")}
    assert {arm for arm, _ in published.found} == {arm.name for arm in study.arms} | optional
    assert published.answer, "each figure of the answer is among the results"
    assert published.cannot == study.cannot != ""
    page = published.html().decode()
    assert page.startswith("<!doctype html>")
    parts = (study.question, published.answer, study.cannot, f"tercet lab run {name}")
    assert not lacking(page, *map(escape, parts))
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_page_has_the_results_and_the_names_of_charts_in_each_language(name: str, language: str) -> None:
    game, published = name.partition("/")[0], PUBLISHED[name]
    assert game_definition(game).translations
    catalogue = present(game_catalogue(game, language))
    claimed = [PLACE.sub("36 % (33 to 39)", one) for said in SENTENCES_OF[name][1].values() for _, one in said]
    for text in (published.question, published.answer, published.cannot, *claimed):
        translated = catalogue.translate(text)
        assert translated is not None, text
        assert " to " not in translated
    for chart in published.charts:
        parts = [*chart["shared"], *(part for row in chart["rows"] for part in row["name"])]
        for text in (chart["title"], *(text for part in parts for text in part)):
            plain = re.fullmatch(r"[\dx]+|2x2|SanQi|Crossway", text)
            assert plain or catalogue.translate(text) is not None, text


def test_charts_group_what_compares() -> None:
    """Each seat beside the others, each figure of the game's own by itself; what all arms have stands above."""
    seats = {chart["title"]: chart for chart in PUBLISHED["triplicity/three-powers"].charts}
    points = seats["share of the points"]
    assert [row["name"] for row in points["rows"]] == [[("White",)], [("Black",)], [("Red",)]]
    assert (points["shared"], points["even"], points["share"]) == ([("level 4",)], 1 / 3, True)
    fallen = seats["share of the point after the first king falls"]
    assert [row["name"] for row in fallen["rows"][::2]] == [[("captor",), ("level 4",)], [("captor",), ("level 2",)]]
    assert (fallen["even"], seats["coins of tribute"]["share"]) == (None, False)
    (ladder, *_) = PUBLISHED["sparklies/depth"].charts
    rung = ("n50 against n25",)
    assert [row["name"] for row in ladder["rows"][::3][:2]] == [[rung], [("2x2",), rung]]
    (swap,) = PUBLISHED["sanqi/swap"].charts
    assert swap["rows"][0]["name"] == [("Side", "6"), ("Opening", "one player sets up, the other chooses a side")]


@pytest.fixture
def tool() -> ModuleType:
    studies: ModuleType = module_at(ROOT / "tools" / "studies.py")
    return studies


@pytest.mark.online
def test_the_pages_say_what_the_results_say(tool: ModuleType) -> None:
    """Run `python tools/studies.py --pages` after a change of a study's answer or results."""
    assert tool.stale() == []
    named = ("research/designers-questions", "research/solved", "games/sanqi", "games/sparklies", "laboratory")
    assert set(tool.pages()) == {ROOT / "docs" / f"{name}.md" for name in named}


def test_a_small_version_of_the_tutorial_gives_its_figures(tool: ModuleType) -> None:
    page = tool.TUTORIAL.read_text(encoding="utf-8")
    small = page.replace("games = 480", "games = 24").replace("--games 1200", "--games 24")
    made = tool.tutorial(small, workers=1)
    shown = re.findall(r"```text\n(.*?)```", made, re.DOTALL)
    assert shown[0].startswith("Expected: ")
    ended = "24 games, ended by games"
    told = [f"wrap=false: {ended}", f"wrap=true: {ended}", "Report: wrap-study/report.html"]
    assert not lacking(shown[0], *(f"\n{line}\n" for line in told))
    assert len(re.findall(r"^  (?:share\.Black|share\.White|turns|\.\.\.)", shown[0], re.MULTILINE)) == 8
    assert re.match(r"share\.Black: .* 24 games of each, ", shown[1])
    left = re.compile(r"```text\n.*?```", re.DOTALL)
    assert left.sub("", made) == left.sub("", small), "nothing else changes"


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        ("sideways=1", None),
        ('"board=5x5, handicap=white.1",', r"lack: board=5x5, handicap=white\.1\. Play the study with `python"),
        ('"board=5x5, handicap=white.1",0,share.White', r"lack: board=5x5, handicap=white\.1 \| share\.White\."),
        ("", "lack: board=5x5, handicap=; board=5x5, handicap=white"),
    ],
    ids=["nothing", "an arm", "a figure", "all"],
)
def test_pages_are_refused_where_results_lack_what_they_show(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str, told: str | None
) -> None:
    """An answer with a figure that is missing would be empty, and a table would have holes."""
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "page.md"
    before = "<!-- study sparklies/handicap -->\n<!-- end of study -->\n"
    before += "<!-- table sparklies/handicap share.White: handicap by board -->\n<!-- end of table -->\n"
    page.write_text(before, encoding="utf-8")
    whole = PUBLISHED["sparklies/handicap"].figures.read_text(encoding="utf-8").splitlines(keepends=True)
    results = tmp_path / "results.csv"
    kept = [line for line in whole[1:] if not line.startswith(lost)]
    results.write_text("".join([whole[0], *kept]), encoding="utf-8")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "reword", lambda _study: None)
    monkeypatch.setattr("tercet.laboratory.study.result_files", lambda _study: (results, results))
    if told is None:
        tool.main(["--pages"])
        assert "One cell more than" in page.read_text(encoding="utf-8")
        return
    with pytest.raises(SystemExit, match=told):
        tool.main(["--pages"])
    assert page.read_text(encoding="utf-8") == before, "nothing is written"


def small_study(folder: Path, name: str, option: str, only: object, games: int) -> tuple[PublishedStudy, Results]:
    """Play few games of the arms of a shipped study that have ``only`` this ``option``, as if they were published."""
    study = study_of(name)
    arms = tuple(arm for arm in study.arms if arm.options[option] == only)
    results = run_study(replace(study, arms=arms, stop=Stop(games=games)))
    (folder / "figures.csv").write_text(table(results), encoding="utf-8")
    return PublishedStudy(name, study.question, "", "", len(arms) * games, folder, folder / "figures.csv"), results


def test_a_table_is_made_from_its_study(tool: ModuleType, tmp_path: Path) -> None:
    small, results = small_study(tmp_path, "sparklies/handicap", "board", "5x5", 24)
    made = tool.grid_table(small, "share.White", "handicap", "board").splitlines()
    assert made[:2] == ["| handicap | 5x5 |", "| --- | --- |"]
    shares = [present(arm.figure("share.White")) for arm in results.arms]
    rows = zip(("none", "white.1", "white.2", "white.4"), shares, strict=True)
    assert made[2:6] == [f"| {name} | {words(share)} |" for name, share in rows]
    assert made[-1] == "24 games each: `tercet lab run sparklies/handicap`"
    assert shares[0].estimate.mean < shares[-1].estimate.mean, "four cells are worth something"
    # The players of a grid are an option like others.
    small, _ = small_study(tmp_path, "sanqi/first-share", "side", 4, 12)
    made = tool.grid_table(small, "share.First", "side", "players").splitlines()
    assert made[0] == "| side | level:3 | level:7 | strong |"
    assert made[2].startswith("| 4 | ")
