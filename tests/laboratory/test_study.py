"""Studies and their files: what is read, and what is refused with line, field and reason before anything runs."""

from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

from tercet.laboratory import Arm, ArmResult, LaboratoryError, Player, Results, figures, players, run_study
from tercet.laboratory.reporting import html_report
from tercet.laboratory.study import Stop, Study, StudyError, published_studies, read_study, shipped_studies, study_of
from tests.support.division import online_but
from tests.support.refusals import refuses

GOOD = """question = "Who wins?"
game = "sparklies"
players = ["random"]
metrics = ["share", "turns"]

[options]
mode = "turns"

[grid]
board = ["3x3", "4x4"]

[stop]
games = 24
width = 0.2
"""
ARMS = '[[arm]]\nname = "a"\n\n[[arm]]\noptions = { board = "x" }'
CLAIM, OWN = "= 0.2\n[claim]\nwho = ", '= 0.2\n[player.a]\nengine = "random"\n'


def read(tmp_path: Path, text: str) -> Study:
    """Read a study from a file with this text."""
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    return read_study(path)


def test_a_study_is_read_and_with_several_players_gets_a_null_arm(tmp_path: Path) -> None:
    study = read(tmp_path, GOOD)
    assert [(arm.name, arm.options["board"]) for arm in study.arms] == [("board=3x3", "3x3"), ("board=4x4", "4x4")]
    assert study.stop.width == 0.2
    assert study.all_arms == study.arms, "one player for all seats needs no null arm"
    study = read(tmp_path, GOOD.replace('["random"]', '["level:2", "random"]'))
    null = [arm for arm in study.all_arms if arm.is_null]
    assert [arm.engines for arm in null] == [("level:2", "level:2")] * 2
    assert {arm.seed for arm in null}.isdisjoint(arm.seed for arm in study.arms)
    # It may name events of any of its games.
    other = '\n[[arm]]\nname = "other"\ngame = "sanqi"\n[player.b]\nengine = "random"\nnever = ["placed"]\n'
    study = read(tmp_path, GOOD.replace('["random"]', '["random"]\nfight = "captured"') + other)
    assert [arm.fight for arm in study.arms] == ["captured"] * 3


@pytest.mark.parametrize(
    ("change", "line", "field", "why"),
    [
        (("question =", "questions ="), 1, "question", "This field is missing"),
        (('"Who wins?"', '"Who?"\nanswer = "{5x5 | share.White}"'), 2, "answer", "There is no arm '5x5'"),
        (('"Who wins?"', '"Who?"\nanswer = "{share.White}"'), 2, "answer", "The arms are: board=3x3; board=4x4"),
        (('"Who wins?"', '"Who?"\nanswer = "{board=3x3 | draws}"'), 2, "answer", "no figure of a metric"),
        (('"sparklies"', '"halma"'), 2, "game", "There is no game 'halma'"),
        (('["random"]', '["level:99"]'), 3, "players", "from 1 to 10"),
        (('["random"]', '["random", "random", "random"]'), 3, "players", "must have different names"),
        (('["random"]', '["mcts"]'), 3, "players", "thinks by the clock"),
        (('["random"]', "[3]"), 3, "players", "a list of names"),
        (('"turns"]', '"fun"]'), 4, "metrics", "There is no metric 'fun'"),
        (('"turns"]', '"drama"]'), 4, "metrics", "needs a judge"),
        (('"turns"]', '"styles"]'), 4, "metrics", "styles needs a population"),
        (('mode = "turns"', 'mode = "chess"'), 7, "options.mode", "mode"),
        (('"4x4"]', '"4x"]'), 10, "grid.board", "board"),
        (('["3x3", "4x4"]', '"3x3"'), 10, "grid.board", "must be a list of at least one value"),
        (("games = 24", "games = 0"), 13, "stop.games", "between 1 and"),
        (("games = 24", 'games = "many"'), 13, "stop.games", "must be a whole number, not a text"),
        (("width = 0.2", "wide = 0.2"), 14, "stop.wide", "There is no such field"),
        (("width = 0.2", 'figures = ["draws"]'), 14, "stop.figures", "no figure of a metric"),
        (("= 0.2", f'{CLAIM}[["x", "a > b"]]'), 16, "claim.who.0", "A condition is like"),
        (("= 0.2", f'{CLAIM}[["x"], "y"]'), 16, "claim.who.1", "A claim has lists of a sentence"),
        (("= 0.2", CLAIM + '[["{a | turns}"]]'), 1, "answer", "There is no arm 'a'"),
        (("= 0.2", CLAIM + '[["x", "{board=9* | turns} above 3"]]'), 1, "answer", "There is no arm"),
        (("[stop]", "[stop"), 12, "file", ""),
        (('["random"]', '["random"]\nfight = "capture"'), 4, "fight", "There is no event 'capture'. Choose from"),
        (("= 0.2", f'{OWN}never = ["got"]'), 17, "player.a.never", "no event 'got'"),
        (("= 0.2", f'{OWN}always = ["win"]'), 17, "player.a.always", "no event 'win'"),
        (("= 0.2", OWN + "weights = { jumped = 0.1 }"), 17, "player.a.weights", "no event 'jumped'. Choose from "),
        (("= 0.2", OWN + "weights = { captured = 2 }"), 17, "player.a.weights.captured", "between -1 and 1, not 2"),
        (("= 0.2", OWN + 'weights = { captured = "much" }'), 17, "player.a.weights.captured", "The value must be "),
        (('[grid]\nboard = ["3x3", "4x4"]', ARMS), 13, "arm.1.options", ""),  # at its own line
    ],
)
def test_a_bad_study_is_refused(tmp_path: Path, change: tuple[str, str], line: int, field: str, why: str) -> None:
    assert change[0] in GOOD
    caught = refuses(StudyError, None, read, tmp_path, GOOD.replace(*change))
    assert (caught.line, caught.field) == (line, field), str(caught)
    assert why in caught.why
    assert str(caught).startswith(f"study.toml, line {line}: {field}: ")


def test_an_optional_arm_is_left_out_where_its_game_is_not_installed(tmp_path: Path) -> None:
    said = "Here {board=3x3 | turns}. There {away | turns}. So it is. {more}"
    text = GOOD.replace('"Who wins?"', f'"Who?"\nanswer = "{said}"')
    text += '\n[[arm]]\nname = "away"\ngame = "halma"\noptional = true\n'
    text += '[claim]\nmore = [["There it is longer.", "{away | turns} above 3"]]\n'
    study = read(tmp_path, text)
    assert [arm.name for arm in study.arms] == ["board=3x3", "board=4x4"]
    assert study.answer == "Here {board=3x3 | turns}. So it is. {more}"
    assert study.claims == {"more": ()}, "nothing is said of what is not played"
    refuses(StudyError, "There is no game 'halma'", read, tmp_path, text.replace("true", "false"))
    study = read(tmp_path, text.replace("halma", "sparklies"))
    assert study.answer == said
    assert study.claims["more"]


def test_every_game_ships_studies_and_no_others_are_known() -> None:
    refuses(LaboratoryError, "no shipped study", study_of, "nothing")
    refuses(LaboratoryError, "its arms are: board=5x5", study_of("sparklies/first-move").arm, "board=1x1")
    assert {name.partition("/")[0] for name in shipped_studies()} == {"sanqi", "sparklies", "triplicity"}
    assert set(shipped_studies()) == {study.name for study in published_studies()}, "each has results"


def test_a_study_made_in_python_is_checked_too() -> None:
    arm = Arm("sparklies", {"board": "3x3"}, players("random"), name="small")
    judged = replace(arm, judge=Player("mcts", nodes=9), politics=True)
    for bad, why in (
        (Study("x", "?", (arm, arm)), "its own name"),
        (Study("x", "?", (replace(arm, name=""),)), "its own name"),
        (Study("x", "?", (arm,), ("fun",)), "no metric 'fun'"),
        (Study("x", "?", (arm,), ("drama",)), "needs a judge"),
        (Study("x", "?", (judged,), ("politics",)), "three players"),
        (Study("x", "?", (arm,), ("turns",), Stop(width=0.1)), "no figure of a metric"),
        (Study("x", "?", (replace(arm, fight="fought"),)), "no event 'fought'"),
        (Study("x", "?", (replace(arm, players=players("random", "level:1"), options={"players": 3}),)), "has 3 seats"),
        (Study("x", "?", (replace(arm, players=(Player("random", never=("placed",)),)),)), "no event 'placed'"),
    ):
        refuses(LaboratoryError, why, run_study, bad)


@pytest.mark.parametrize("name", online_but(lambda name: name == "sanqi/swap", shipped_studies()))
def test_a_small_version_of_each_shipped_study_gives_a_report(name: str) -> None:
    """Two games of its first and of its last arm: what the study measures is there, and the report can be written."""
    study = study_of(name)
    results = []
    for arm in dict.fromkeys((study.arms[0].name, study.arms[-1].name)):
        here = study.arm(arm)
        if here.judge is not None:
            here = replace(here, judge=replace(here.judge, nodes=20))
        rows = tuple(here.play(0, 2))
        found = tuple(figures(study.metrics, rows, here))
        named = {figure.name.partition(".")[0] for figure in found}
        seldom = {"politics", "peace"} | ({"players"} if len(here.players) == 1 else set())
        seldom |= {"styles"} if here.is_population else set()  # each pair has to play twice
        assert named >= set(study.metrics) - seldom
        results.append(ArmResult(here, rows, found, (), "games"))
    assert escape(study.question) in html_report(Results(study, tuple(results)), f"tercet lab run {name}")
