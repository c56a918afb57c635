"""Head starts: turns of the player who begins before the game; and engines whose number of nodes is drawn."""

from dataclasses import replace
from pathlib import Path

import pytest

import tercet
from tercet import record
from tercet.errors import OptionError
from tercet.laboratory import Arm, LaboratoryError, Player, Stop, Study, StudyError, players, read_study, run_study
from tercet.laboratory.reporting import html_report, record_of
from tercet.laboratory.study import published_studies

AHEAD = Arm("sanqi", {"side": 4}, players("level:2"), name="ahead", head_start=3)


def test_the_player_who_begins_has_the_turns_of_a_head_start_and_then_the_move() -> None:
    game = AHEAD.made()
    turns = iter(("Ra4", "Yb5", "Rb4"))
    start, ahead = AHEAD.begin(game.start(), lambda position: position.action(next(turns, "")))
    assert len(ahead) == 3
    assert start.mover == 0
    assert str(start).split()[-2:] == ["F", "-"], "First moves, and ko protects nothing"
    assert str(start).count("R") + str(start).count("Y") == 3
    assert start.play("Bd4").mover == 1


def test_where_second_begins_the_head_start_is_seconds() -> None:
    arm = replace(AHEAD, options={"side": 6, "opening": "book"}, head_start=1)
    start, ahead = arm.begin(arm.start(arm.made(), 0), lambda position: position.legal_actions[0])
    assert len(ahead) == 1
    assert start.mover == 1


def test_games_after_a_head_start_count_only_from_there(tmp_path: Path) -> None:
    study = Study("ahead", "Who wins?", (AHEAD, replace(AHEAD, name="level", head_start=0)), stop=Stop(games=12))
    results = run_study(study, tmp_path)
    rows = results.arms[0].rows
    assert all(len(row.ahead) == 3 and row.turns == row.actions == len(row.moves) for row in rows)
    assert len({row.ahead for row in rows}) > 1, "each game has its own seed"
    assert all(row.ahead == () for row in results.arms[1].rows)
    assert run_study(study, tmp_path).arms[0].rows == rows, "what is stored is what was played"
    assert AHEAD.run(12, workers=2) == list(rows)
    for row in rows:
        (kept,) = record.read(record_of(AHEAD, row).write())
        outcome = kept.last.position.outcome
        assert outcome is not None
        assert outcome.scores == row.scores
        assert kept.start.mover == 0
    assert "A typical game" in html_report(results, "tercet lab run ahead")


def test_a_head_start_that_a_game_does_not_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    text = 'question = "?"\ngame = "GAME"\nplayers = ["random"]\n[options]\nOPTION\n[grid]\nhead_start = [0, TURNS]\n'
    for game, option, turns, why in (
        ("sparklies", "", "1", "sparklies has no head starts"),
        ("sanqi", 'opening = "swap"', "1", "A head start needs the opening “free” or “book”."),
        ("sanqi", "", "21", "must be between 0 and 20, not 21"),
        ("sanqi", "", '"two"', "must be a whole number, not a text"),
    ):
        path.write_text(text.replace("GAME", game).replace("OPTION", option).replace("TURNS", turns), encoding="utf-8")
        with pytest.raises(StudyError, match=why) as caught:
            read_study(path)
        assert (caught.value.line, caught.value.field) == (7, "grid.head_start")
    with pytest.raises(LaboratoryError, match="has no head starts"):
        replace(AHEAD, game="sparklies", options={}).check()
    with pytest.raises(OptionError):
        replace(AHEAD, options={"opening": "swap2"}).check()


def test_an_engine_that_draws_nothing_plays_other_games_with_other_numbers_of_nodes(tmp_path: Path) -> None:
    alike = Arm("sanqi", {"side": 4}, (Player("level:8", nodes=8),))
    varied = replace(alike, players=(replace(alike.players[0], least_nodes=1),))
    assert len({row.moves for row in alike.play(0, 6)}) == 1
    rows = varied.play(0, 6)
    assert len({row.moves for row in rows}) > 1
    assert varied.play(3, 1) == rows[3:4]
    path = tmp_path / "study.toml"
    text = 'question = "?"\ngame = "sanqi"\nplayers = ["p"]\n[player.p]\nengine = "level:8"\nnodes = 8\nleast_nodes = '
    path.write_text(f"{text}2\n", encoding="utf-8")
    assert read_study(path).arms[0].players == (Player("level:8", nodes=8, title="p", least_nodes=2),)
    path.write_text(f"{text}9\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"line 7: player\.p\.least_nodes: .* between 1 and 8, not 9"):
        read_study(path)


def test_the_shipped_study_has_the_cost_between_two_and_three_turns() -> None:
    (study,) = (one for one in published_studies() if one.name == "sanqi/head-start")
    for side in (6, 8, 10):
        two, three = (study.found[f"side={side}, head_start={turns}", "share.First"].estimate for turns in (2, 3))
        assert two.high < 0.5 < three.low


def test_the_games_of_the_laboratory_that_have_head_starts() -> None:
    having = {name for name in tercet.games() if tercet.game(name).definition.move_again}
    assert having == {"sanqi"}, "docs/laboratory.md says so"
