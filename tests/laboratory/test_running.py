"""Runs of studies: the same numbers for any number of processes and after any stop, in whole steps; head starts."""

import contextlib
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tercet
from tercet import __version__, record
from tercet.errors import OptionError
from tercet.laboratory import Arm, LaboratoryError, Player, Stop, Study, StudyError, players, read_study, storing
from tercet.laboratory.answers import read_figures
from tercet.laboratory.metrics import figures
from tercet.laboratory.reporting import answer, html_report, record_of, table
from tercet.laboratory.running import LEAST_STEPS, StudyGames, compare, run_study
from tercet.laboratory.storing import made_by
from tercet.training.data import DataError
from tercet.workers import Workers
from tests.laboratory.test_study import read
from tests.support.clusters import dask_cluster, ray_cluster
from tests.support.commands import run_command
from tests.support.present import lacking, present
from tests.support.refusals import refuses

SMALL = Arm("sparklies", {"board": "3x3"}, players("random"), name="3x3")
ARMS = (SMALL, replace(SMALL, options={"board": "4x3"}, name="4x3"))
METRICS = ("share", "draws", "turns", "fired", "branching")
STUDY = Study("small", "Who wins on small boards?", ARMS, METRICS, Stop(games=72, width=0.35))


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_run_stops_at_the_first_step_whose_intervals_are_narrow() -> None:
    for arm in run_study(STUDY).arms:
        assert arm.stopped == "width"
        assert len(arm.rows) % arm.arm.step == 0
        assert [row.number for row in arm.rows] == list(range(len(arm.rows)))
        watched = [figure for figure in arm.figures if figure.name.startswith("share.")]
        assert max(figure.width for figure in watched) <= 0.35
        earlier = figures(["share"], arm.rows[: -arm.arm.step], arm.arm)
        least = LEAST_STEPS * arm.arm.step
        assert len(arm.rows) == least or max(figure.width for figure in earlier) > 0.35, "it could have stopped before"


def test_neither_processes_nor_a_second_run_change_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = run_study(STUDY, tmp_path / "one")
    several = run_study(STUDY, tmp_path / "two", workers=2)
    assert table(alone) == table(several)
    assert [arm.rows for arm in alone.arms] == [arm.rows for arm in several.arms]
    before = files(tmp_path)
    monkeypatch.setattr("tercet.laboratory.running._play_step", None)
    assert table(run_study(STUDY, tmp_path / "one")) == table(alone)
    refuses(DataError, "has seed 1, not 2", run_study, replace(STUDY, arms=(replace(SMALL, seed=2),)), tmp_path / "one")
    assert files(tmp_path) == before


@pytest.mark.online
def test_a_dask_cluster_gives_the_numbers_of_local_processes() -> None:
    with dask_cluster() as address:
        assert table(run_study(STUDY, on=f"dask://{address}")) == table(run_study(STUDY))


@pytest.mark.long
def test_a_ray_cluster_gives_the_numbers_of_local_processes() -> None:
    pytest.importorskip("ray")
    with ray_cluster() as address:
        assert table(run_study(STUDY, on="ray://", workers=2)) == table(run_study(STUDY)), "a cluster of its own"
        assert table(run_study(STUDY, on=f"ray://{address}")) == table(run_study(STUDY))


def test_a_run_that_is_stopped_anywhere_goes_on_to_the_same_numbers(tmp_path: Path) -> None:
    whole = run_study(STUDY, tmp_path / "whole")
    chance, stops = random.Random(4), 0
    for _ in range(10):
        looks = iter([None] * chance.randrange(2))  # StopIteration ends the run
        try:
            run_study(STUDY, tmp_path / "torn", report=lambda _progress, looks=looks: next(looks))  # type: ignore[misc]
        except StopIteration:
            stops += 1
            (tmp_path / "torn" / "games" / "3x3" / ".part-00099.parquet.1.tmp").write_bytes(b"half")
    assert stops >= 3
    assert table(run_study(STUDY, tmp_path / "torn")) == table(whole)


@pytest.mark.parametrize("changed", ["the version", "the engines", "a network", "an older folder"])
def test_games_of_other_engines_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str) -> None:
    """Else a run that goes on after an engine has changed would mix the games of two engines."""
    study = replace(STUDY, stop=Stop(games=24))
    whole = run_study(study, tmp_path / "study")
    made_by.cache_clear()
    run_study(study, tmp_path / "study")
    before = files(tmp_path / "study")
    if changed == "the version":
        monkeypatch.setattr("tercet.laboratory.storing.__version__", "9.9")
    elif changed == "the engines":
        (tmp_path / "engine.py").write_text("STRENGTH = 2", encoding="utf-8")
        module = SimpleNamespace(__file__=str(tmp_path / "engine.py"))
        monkeypatch.setattr("tercet.laboratory.storing.PLAYING", (module,))
    elif changed == "a network":
        listed = "tercet.laboratory.storing._files"
        kept = storing._files
        monkeypatch.setattr(listed, lambda module: [path for path in kept(module) if path.suffix != ".net"])
    else:
        for path in (tmp_path / "study").rglob("manifest.json"):
            described = json.loads(path.read_text(encoding="utf-8"))
            del described["made_by"]
            path.write_text(json.dumps(described), encoding="utf-8")
        before = files(tmp_path / "study")
    made_by.cache_clear()
    was = "an earlier version" if changed == "an older folder" else rf"Tercet {re.escape(__version__)} \(\w+\)"
    with pytest.raises(DataError, match=rf"were played by {was}, .* Choose another folder, or .* --afresh"):
        run_study(study, tmp_path / "study")
    assert files(tmp_path / "study") == before
    refuses(DataError, "were played by", compare, study, "3x3", "0.5", ["share.White"], 0.1, tmp_path / "study")
    assert table(run_study(study, tmp_path / "study", afresh=True)) == table(whole)
    monkeypatch.setattr("tercet.laboratory.running._play_step", None)
    assert table(run_study(study, tmp_path / "study")) == table(whole), "they are noted as played by this code now"
    monkeypatch.undo()
    made_by.cache_clear()


def test_a_run_whose_time_is_over_and_the_null_study_hold_whole_steps() -> None:
    results = run_study(replace(STUDY, stop=Stop(games=1200, minutes=1e-9)))
    assert {arm.stopped for arm in results.arms} == {"minutes"}
    assert all(arm.rows == () for arm in results.arms)
    assert answer(results) == "No game was played."
    results = run_study(replace(STUDY, stop=Stop(games=144)))
    null = [figure for arm in results.arms for figure in arm.null]
    assert sum(figure.estimate.low <= 0.5 <= figure.estimate.high for figure in null) >= len(null) - 2
    assert "intervals hold an even share" in html_report(results, "tercet lab run small")


def test_a_report_is_one_file_that_loads_nothing() -> None:
    results = run_study(STUDY)
    page = html_report(results, "tercet lab run small")
    assert not re.search("http|src=|@import", page.replace("http://www.w3.org/2000/svg", ""))
    own = (STUDY.question, escape(answer(results)), "tercet lab run small", "48 games in 2 arms.")
    parts = ("prefers-color-scheme:dark", "width=device", "The shortest game", "Null study", "<svg")
    assert not lacking(page, *own, *parts)
    rows = table(results).splitlines()
    assert rows[0] == "arm,null,figure,unit,mean,low,high,values,games,stopped"
    assert any(row.startswith("3x3,0,share.Black,%,") for row in rows)


TOLD = """
# The board decides.
question = "Who wins, “first” or second?"
game = "sparklies"
players = ["random"]
metrics = ["share", "turns"]
options = { setup = "equal" }
grid = { board = ["3x3", "4x3"] }
stop = { games = 480, width = 0.4 }
"""


def lab_run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[list[int], str]:
    """Run a study; return the games of its arms, and what was said of errors."""
    code, told, error = run_command(capsys, "lab", "run", *words, "--workers", "1", "--json")
    assert code == 0
    return [arm["games"] for arm in json.loads(told)["arms"]], error


def test_a_run_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing but figures.csv is needed: it has the study's text, and with what seed and budget it was run."""
    monkeypatch.chdir(tmp_path)
    Path("boards.toml").write_text(TOLD, encoding="utf-8")
    assert lab_run(capsys, "boards.toml", "--games=36", "--seed=5", "--out=first") == ([24, 24], "")
    Path("boards.toml").unlink()
    monkeypatch.chdir(tmp_path / "first")
    assert lab_run(capsys, "figures.csv", "--out", str(tmp_path / "again")) == ([24, 24], "")
    for name in ("figures.csv", "report.html"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "first" / name).read_bytes()
    assert files(tmp_path / "again" / "games") == files(tmp_path / "first" / "games")
    page = Path("report.html").read_text(encoding="utf-8")
    run = ("Seed 5.", f"Tercet {__version__}", "lab run boards.toml --games=36 --seed=5", "tercet lab run figures.csv")
    text = ("<td>random</td>", "sparklies (rules ", "setup=equal", escape("# The board decides."))
    assert not lacking(page, *run, *text)
    lines = Path("figures.csv").read_text(encoding="utf-8").splitlines()
    assert {'# options = { setup = "equal" }', "# seed = 5"} <= set(lines)
    found, games = read_figures(Path("figures.csv"))
    assert set(games) == {"board=3x3", "board=4x3"}
    bare = "\n".join(line for line in lines if not line.startswith("#"))
    Path("bare.csv").write_text(f"{bare}\n", encoding="utf-8")  # as an earlier version wrote it
    assert read_figures(Path("bare.csv")) == (found, games)
    refuses(StudyError, "This file has figures and no study", read_study, Path("bare.csv"))
    # Figures of other code are repeated with a warning.
    older = Path("figures.csv").read_text(encoding="utf-8").replace(f'["Tercet {__version__}', '["Tercet 0.1')
    Path("old.csv").write_text(older, encoding="utf-8")
    assert "old.csv was made by Tercet 0.1" in lab_run(capsys, "old.csv", "--out=old")[1]
    assert table(run_study(read_study(Path("old.csv")))) == Path("old/figures.csv").read_text(encoding="utf-8")
    Path("small.toml").write_text("question = 3\n", encoding="utf-8")
    code, _, refused = run_command(capsys, "lab", "run", "small.toml")
    assert (code, "small.toml, line 1: question: The value must be a text, not a whole number." in refused) == (2, True)


def test_comparing_arms(tmp_path: Path) -> None:
    same = compare(STUDY, "3x3", "3x3", ["share.White"], 0.1, tmp_path, games=120)
    assert same.verdicts[0].verdict == "equivalent"
    for figure, why in (("turns", "cannot be compared"), ("share.Green", r"has no figure 'share\.Green'")):
        refuses(LaboratoryError, why, compare, STUDY, "3x3", "0.5", [figure], 0.05)


def test_several_figures_at_once_are_corrected() -> None:
    study = replace(STUDY, arms=(replace(SMALL, players=players("random", "level:6"), name="uneven"),))
    found = compare(study, "uneven", "0.5", ["players.level:6", "share.White", "draws"], 0.05, games=96)
    verdicts = {one.figure: one.verdict for one in found.verdicts}
    assert verdicts.pop("share.White") in ("inconclusive", "lower")
    assert verdicts == {"players.level:6": "higher", "draws": "lower"}, "no game on nine cells is drawn"
    (alone,) = compare(study, "uneven", "0.5", ["players.level:6"], 0.05, games=96).verdicts
    assert (alone.verdict, alone.low > 0) == ("higher", True)
    assert alone.games <= next(one.games for one in found.verdicts if one.figure == "players.level:6")


def test_an_arm_that_its_width_can_end_plays_little_before_the_first_look(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    run = Workers.run

    def counted(crew: Workers, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        asked.append(len(tasks))
        return run(crew, function, tasks)

    monkeypatch.setattr(Workers, "run", counted)
    run_study(replace(STUDY, stop=Stop(games=144)))
    assert asked == [24], "without a width there is nothing to look at meanwhile"
    run_study(STUDY)
    assert asked[1] == 2 * LEAST_STEPS


@pytest.mark.online
def test_a_run_keeps_its_processes_from_round_to_round(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[set[int | None]] = []
    fill = StudyGames.fill

    def watched(bench: StudyGames, *given: Any) -> bool:
        whole = fill(bench, *given)
        rounds.append({process.pid for process in multiprocessing.active_children()} - before)
        return whole

    before = {process.pid for process in multiprocessing.active_children()}
    monkeypatch.setattr(StudyGames, "fill", watched)
    run_study(replace(STUDY, stop=Stop(games=360, width=0.15)), workers=2)
    assert len(rounds) > 1
    assert len(rounds[0]) == 2
    assert rounds == [rounds[0]] * len(rounds)
    assert {process.pid for process in multiprocessing.active_children()} == before


def kill_a_worker(command: int, chance: random.Random) -> bool:
    """Kill one of the processes that play for a command, and say whether there was one."""
    found = []
    for child in Path(f"/proc/{command}/task/{command}/children").read_text().split():
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(int(child))
    with contextlib.suppress(ProcessLookupError):
        if found:
            os.kill(chance.choice(found), signal.SIGKILL)
            return True
    return False


@pytest.mark.online
@pytest.mark.skipif(sys.platform != "linux", reason="finds the workers in /proc")
@pytest.mark.parametrize(("games", "kills"), [(48, 1), pytest.param(96, 10, marks=pytest.mark.long)])
def test_kills_of_the_command_and_of_workers_change_no_number(tmp_path: Path, games: int, kills: int) -> None:
    path, torn, whole = (tmp_path / name for name in ("kills.toml", "torn", "whole"))
    text = 'question = "Who wins?"\ngame = "sparklies"\nplayers = ["level:2"]\ngrid = { board = ["4x4", "5x5"] }\n'
    path.write_text(f"{text}stop = {{ games = {games} }}\n", encoding="utf-8")
    steps = 2 * games // 12
    command = [sys.executable, "-m", "tercet", "lab", "run", str(path), "--workers", "2", "--out"]
    subprocess.run([*command, str(whole)], check=True, stdout=subprocess.DEVNULL)
    chance = random.Random(6)
    killed = workers = 0
    for there in sorted(chance.sample(range(1, steps - 4), kills)):
        running = subprocess.Popen([*command, str(torn)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lost = False
        while running.poll() is None and len(list(torn.rglob("part-*.parquet"))) < there:
            lost = lost or kill_a_worker(running.pid, chance)
            time.sleep(0.01)
        workers += lost
        killed += running.poll() is None
        running.send_signal(signal.SIGKILL)
        running.wait()
    assert (killed, workers) == (kills, kills)
    subprocess.run([*command, str(torn)], check=True, stdout=subprocess.DEVNULL)
    assert (torn / "figures.csv").read_bytes() == (whole / "figures.csv").read_bytes()
    kept = {name: data for name, data in files(torn / "games").items() if ".tmp" not in name}
    assert kept == files(whole / "games")


AHEAD = Arm("sanqi", {"side": 4}, players("level:2"), name="ahead", head_start=3)


def test_the_player_who_begins_has_the_turns_of_a_head_start_and_then_the_move() -> None:
    game = AHEAD.made()
    turns = iter(("Ra4", "Yb5", "Rb4"))
    start, ahead = AHEAD.begin(game.start(), lambda position: position.action(next(turns, "")))
    assert (len(ahead), start.mover) == (3, 0)
    assert str(start).split()[-2:] == ["F", "-"], "First moves, and ko protects nothing"
    assert str(start).count("R") + str(start).count("Y") == 3
    assert start.play("Bd4").mover == 1
    # Where Second begins, the head start is Second's.
    arm = replace(AHEAD, options={"side": 6, "opening": "book"}, head_start=1)
    start, ahead = arm.begin(arm.start(arm.made(), 0), lambda position: position.legal_actions[0])
    assert (len(ahead), start.mover) == (1, 1)


@pytest.mark.online
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
        assert (present(kept.last.position.outcome).scores, kept.start.mover) == (row.scores, 0)
    assert "A typical game" in html_report(results, "tercet lab run ahead")


def test_a_head_start_that_a_game_does_not_have_is_refused(tmp_path: Path) -> None:
    text = 'question = "?"\ngame = "GAME"\nplayers = ["random"]\n[options]\nOPTION\n[grid]\nhead_start = [0, TURNS]\n'
    for game, option, turns, why in (
        ("sparklies", "", "1", "sparklies has no head starts"),
        ("sanqi", 'opening = "swap"', "1", "A head start needs the opening “free” or “book”."),
        ("sanqi", "", "21", "must be between 0 and 20, not 21"),
        ("sanqi", "", '"two"', "must be a whole number, not a text"),
    ):
        asked = text.replace("GAME", game).replace("OPTION", option).replace("TURNS", turns)
        caught = refuses(StudyError, why, read, tmp_path, asked)
        assert (caught.line, caught.field) == (7, "grid.head_start")
    having = {name for name in tercet.games() if tercet.game(name).definition.move_again}
    assert having == {"sanqi"}, "docs/laboratory.md says so"
    refuses(LaboratoryError, "has no head starts", replace(AHEAD, game="sparklies", options={}).check)
    refuses(OptionError, None, replace(AHEAD, options={"opening": "swap2"}).check)


def test_an_engine_that_draws_nothing_plays_other_games_with_other_numbers_of_nodes(tmp_path: Path) -> None:
    alike = Arm("sanqi", {"side": 4}, (Player("level:8", nodes=8),))
    varied = replace(alike, players=(replace(alike.players[0], least_nodes=1),))
    assert len({row.moves for row in alike.play(0, 6)}) == 1
    rows = varied.play(0, 6)
    assert len({row.moves for row in rows}) > 1
    assert varied.play(3, 1) == rows[3:4]
    text = 'question = "?"\ngame = "sanqi"\nplayers = ["p"]\n[player.p]\nengine = "level:8"\nnodes = 8\nleast_nodes = '
    assert read(tmp_path, f"{text}2\n").arms[0].players == (Player("level:8", nodes=8, title="p", least_nodes=2),)
    refuses(StudyError, r"line 7: player\.p\.least_nodes: .* between 1 and 8, not 9", read, tmp_path, f"{text}9\n")
