"""A designer's own rule in a file: it replaces kernels by name, is checked before it plays, and is a game like any."""

import pickle
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import tercet
from tercet.cli.variants import template
from tercet.core.game import Game
from tercet.core.variants import VARIANTS, files
from tercet.errors import ParseError, VariantError
from tercet.games import _variants, add_variant, game_definition
from tercet.laboratory import LaboratoryError, StudyError, read_study, run_study
from tercet.laboratory.playing import Arm, Player
from tercet.laboratory.reporting import html_report, table
from tercet.laboratory.storing import made_by
from tercet.testing.variants import check_variant
from tests.browser.table import Server
from tests.support.commands import run_command
from tests.support.division import online_but
from tests.support.present import lacking, present
from tests.support.refusals import refuses

LEAD = "around(rules, row, cell, old) + layout.LEAD"
STUDY = """
question = "What does a lead of one change?"
game = "sanqi"
players = ["random"]
metrics = ["turns", "share"]
[options]
side = 4
[[arm]]
name = "two"
[[arm]]
name = "one"
game = "lead_one.py"
[stop]
games = 24
"""


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test knows the files of another."""
    monkeypatch.setenv(VARIANTS, "")
    monkeypatch.chdir(tmp_path)
    _variants.cache_clear()
    yield
    _variants.cache_clear()


def written(name: str, text: str) -> Path:
    Path(f"{name}.py").write_text(text, encoding="utf-8")
    return Path(f"{name}.py")


def lead_one() -> Path:
    text, _ = template("sanqi", "lead_one")
    assert LEAD in text
    return written("lead_one", text.replace(LEAD, LEAD.replace("layout.LEAD", "1")))


@pytest.mark.online
def test_a_template_is_the_game_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(capsys, "new-variant", "sanqi")[0] == 0
    assert sorted(path.name for path in Path().iterdir()) == ["my_sanqi.py", "my_sanqi.toml"]
    game = Game(add_variant(Path("my_sanqi.py")), {"side": 4})
    check_variant("my_sanqi", game.options)
    usual = tercet.game("sanqi", side=4)
    chance = random.Random(1)
    one, other = game.start(), usual.start()
    while not one.is_over:
        assert one.legal_actions.ids.tolist() == other.legal_actions.ids.tolist()
        action = chance.choice(one.legal_actions.ids.tolist())
        one, other = one.play(action), other.play(action)
    assert one.outcome == other.outcome
    study = read_study(Path("my_sanqi.toml"))
    assert [(arm.game, arm.bare) for arm in study.arms] == [("sanqi", True), ("my_sanqi", False)]
    assert run_command(capsys, "new-variant", "sanqi")[0] != 0, "a file is not written over"


@pytest.mark.thorough  # compiles the kernels of two games
@pytest.mark.parametrize("base", ["triplicity", "sparklies"])
def test_the_templates_of_the_other_games_keep_the_contract(base: str) -> None:
    definition = add_variant(written("mine", template(base, "mine")[0]))
    check_variant("mine", Game(definition, definition.quick_start.options).options)


@pytest.mark.online
def test_all_kernels_follow_what_replaces_one() -> None:
    """A piece with one neighbour of another kind more than of its own may be replaced: `allows` says so, so `legal` and
    `sample` follow, compiled as interpreted, and the game that was changed is as before."""
    definition = add_variant(lead_one())
    check_variant("lead_one", Game(definition, {"side": 4}).options)
    position = Game(definition, {"side": 4}).parse("lead_one/4 4/5/2R3/3B3/6/5/4 F -")
    assert position.allows(position.action("Rxd4").id)
    assert "Rxd4" in position.legal_actions
    assert "Rxd4" in Game(definition, {"side": 4}, "interpreted").parse(str(position)).legal_actions
    assert "Rxd4" not in tercet.parse("sanqi/4 4/5/2R3/3B3/6/5/4 F -").legal_actions
    assert tercet.parse(str(position)) == position
    refuses(ParseError, "must begin with lead_one", position.game.parse, "sanqi/4 4/5/2R3/3B3/6/5/4 F -")
    assert pickle.loads(pickle.dumps(position)) == position
    assert "lead_one" in tercet.games()
    (section, *_) = definition.view.rules_page(position.game).sections
    assert section[1][0].startswith("(ours) **A variant of SanQi.**")
    record = tercet.Record.from_actions(position.game, actions=("Rd4", "Bd5"))
    assert tercet.read(str(record))[0].game == position.game


def test_a_study_compares_a_rule_of_one_s_own(tmp_path: Path) -> None:
    lead_one()
    Path("lead.toml").write_text(STUDY, encoding="utf-8")
    study = read_study(Path("lead.toml"))
    assert [(arm.game, arm.bare) for arm in study.arms] == [("sanqi", True), ("lead_one", False)]
    assert [arm.options for arm in study.arms] == [{"side": 4}] * 2, "the options are shared, as what engines know"
    alone, several = run_study(study, tmp_path / "one"), run_study(study, tmp_path / "two", workers=2)
    assert table(alone) == table(several)
    two, one = (present(arm.figure("turns")) for arm in alone.arms)
    assert one.estimate.mean > two.estimate.mean, "more replacements, longer games"
    page = html_report(alone, "tercet lab run lead.toml")
    assert not lacking(page, "lead_one.py", "All engines know nothing of a game but its rules")
    before = made_by("lead_one", ("random",))
    made_by.cache_clear()
    written("lead_one", Path("lead_one.py").read_text(encoding="utf-8") + "# changed\n")
    assert made_by("lead_one", ("random",)) != before, "games of another rule do not go on in the folder"
    made_by.cache_clear()


def test_the_folder_of_a_study_repeats_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lead_one()
    Path("lead.toml").write_text(STUDY, encoding="utf-8")
    for words in (["lead.toml", "--out=kept"], ["kept/figures.csv", "--out=again"]):
        assert run_command(capsys, "lab", "run", *words, "--workers=1", "--json")[0] == 0
        for path in Path().glob("lead*.*"):  # nothing is read from here any more
            path.unlink()
        monkeypatch.setenv(VARIANTS, "")
        _variants.cache_clear()
    for name in ("figures.csv", "report.html", "lead_one.py"):
        assert Path("again", name).read_bytes() == Path("kept", name).read_bytes()


BEGIN = "from tercet.core.variants import variant\nfrom tercet.games import game_definition\n"
BEGIN += "from tercet.kernel import kernel\n\n"
END = '\nDEFINITION = variant(game_definition("sanqi"), "mine", [FUNCTION], title="Mine", summary="Mine.")\n'
UNCHANGED = "@kernel\ndef judge(rules, row):\n    pass\n"


@pytest.mark.parametrize(
    ("function", "end", "place", "why"),
    [
        (UNCHANGED.replace("judge", "jduge"), END, "kernel jduge", "SanQi has no such kernel. Choose from judge"),
        ("@kernel\ndef judge(row):\n    pass\n", END, "kernel judge", r"It must take \(rules, row\), not \(row\)\."),
        ("def judge(rules, row):\n    pass\n", END, "kernel judge", "It is not marked. Write @kernel above it."),
        ("def judge(rules, row:\n    pass\n", END, "line 5", r"SyntaxError: '\(' was never closed$"),
        ("import nothing_like_it\n", END, "line 5", "ModuleNotFoundError"),
        ("", "", "DEFINITION", r'Write DEFINITION = variant\(..., "mine", ...\)'),
        (UNCHANGED, END.replace('"mine"', '"other"'), "DEFINITION", "with the name of the file"),
    ],
    ids=["unknown", "arguments", "unmarked", "syntax", "import", "none", "name"],
)
def test_a_file_that_makes_no_game_is_refused(function: str, end: str, place: str, why: str) -> None:
    name = "jduge" if "jduge" in function else "judge"
    path = written("mine", BEGIN + function + end.replace("FUNCTION", name))
    caught = refuses(VariantError, why, add_variant, path)
    assert (caught.file, caught.where) == ("mine.py", place)
    assert "mine" not in tercet.games(), "and it is forgotten"
    assert not files()


def test_taken_names_and_files_that_are_gone_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, why in (("sanqi", "another game of this name"), ("My-Rule", "small letters")):
        refuses(VariantError, why, add_variant, written(name, ""))
    refuses(VariantError, r"There is no file .* `tercet new-variant` writes one", add_variant, Path("nowhere.py"))
    definition = add_variant(lead_one())
    wider = tuple(replace(option, high=9) if option.name == "line" else option for option in definition.options)
    refuses(tercet.OptionError, "line must be at most 7, not 9", Game, replace(definition, options=wider), {"line": 9})
    assert game_definition("lead_one") is definition
    (tmp_path / "deeper").mkdir()
    other = tmp_path / "deeper" / "lead_one.py"
    other.write_bytes(Path("lead_one.py").read_bytes())
    refuses(VariantError, "another game of this name", add_variant, other)
    monkeypatch.setenv(VARIANTS, "gone.py")
    _variants.cache_clear()
    with pytest.raises(VariantError, match=r"gone\.py, file: There is no file .*gone\.py, which TERCET_VARIANTS names"):
        game_definition("gone")


# Those without row[2] can be compiled.
@pytest.mark.parametrize(
    ("function", "body", "place", "why"),
    online_but(
        lambda case: "row[2]" in case[1],
        [
            ("scores(rules, row, out)", "out[0] = 1.0\n    out[1] = 1.0", "check", "its scores are .* not zeros"),
            ("judge(rules, row)", "row[2] = nothing", "line 7", "NameError: name 'nothing' is not defined"),
            ("judge(rules, row)", "row[2] = sum([0])", "check", "It cannot be compiled: .*sum"),
            ("judge(rules, row)", "pass", "check", "a game going on has no legal action"),
            ("judge(rules, row)", "while row[0] == row[0]:\n        pass", "line 7", "judge does not end"),
        ],
    ),
    ids=["scores", "names", "Python alone", "ends", "a kernel that never ends"],
)
def test_a_game_that_breaks_the_contract_does_not_play(function: str, body: str, place: str, why: str) -> None:
    name = function.partition("(")[0]
    written("mine", f"{BEGIN}@kernel\ndef {function}:\n    {body}\n{END.replace('FUNCTION', name)}")
    text = STUDY.replace("lead_one", "mine")
    Path("study.toml").write_text(text, encoding="utf-8")
    caught = refuses(StudyError, why, read_study, Path("study.toml"))
    assert not lacking(str(caught), f"mine.py, {place}: ", "Correct the kernel; docs/adding-a-game.md")
    assert text.splitlines()[caught.line - 1] == 'game = "mine.py"'


CORNER = """from tercet.games.sanqi.kernels import allows as usual


@kernel
def allows(rules, row, action):
    return action < 9 and usual(rules, row, action)
"""


def test_an_action_that_only_the_own_rule_forbids_is_refused_with_it_and_a_game_needs_legal_actions() -> None:
    """Pieces go on the first three cells alone, though the game still sees vacant ones."""
    definition = add_variant(written("mine", f"{BEGIN}{CORNER}{END.replace('FUNCTION', 'allows')}"))
    position = Game(definition, {"side": 4}).start()
    refuses(tercet.IllegalAction, r"Mine does not allow it: Mine\.", position.play, "Rd4")
    position = position.play("Ra7")
    refuses(tercet.IllegalAction, "Red is already on a7", position.play, "Rxa7")
    arm = Arm(definition.name, {"side": 4}, (Player("random"),), name="my rule")
    refuses(LaboratoryError, r"Game 0 of my rule goes on after 3 actions, though .* Your own rule", arm.play, 0, 1)


def test_a_files_error_leads_to_its_check(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    body = "@kernel\ndef judge(rules, row):\n    row[2] = nothing\n"
    path = written("mine", f"{BEGIN}{body}{END.replace('FUNCTION', 'judge')}")
    monkeypatch.setenv(VARIANTS, str(path))
    _variants.cache_clear()
    code, _, err = run_command(capsys, "stats", "mine", "--games", "1", "--workers", "1")
    assert code == 2
    assert "`tercet lab run` with the file that TERCET_VARIANTS names" in err.strip().splitlines()[-1]


def test_the_server_plays_it(tmp_path: Path) -> None:
    server = Server(tmp_path / "data", more=["--game", str(lead_one())])
    try:
        assert "lead_one" in {game["name"] for game in server.get("/api/games")}
        seats = [{"kind": "engine", "level": 1}, {"kind": "engine", "level": 1}]
        made = server.post("/api/tables", {"game": "lead_one", "options": {"side": 4}, "seats": seats})
        assert server.get(f"/api/tables/{made['id']}")["table"]["game"] == "lead_one"
    finally:
        server.stop()
