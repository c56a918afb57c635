"""``tercet selfplay``, ``tercet export`` and ``tercet bench envs``."""

import json
from pathlib import Path

import pytest

import tercet
from tercet.batch.host import core_count
from tercet.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert isinstance(left.value.code, int)
    return left.value.code, out, err


def test_selfplay_and_export(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    command = ["selfplay", "sanqi", "side=4", "--engine", "random", "--out", out, "--workers", "1", "--part-games", "2"]
    code, said, _ = run(capsys, *command, "--games", "3", "--json")
    assert code == 0
    assert json.loads(said)["games"] == 3
    code, said, _ = run(capsys, *command, "--games", "4")
    assert (code, said.split(": ")[1].split(",")[0]) == (0, "4 games")
    text = tmp_path / "games.txt"
    assert run(capsys, "export", f"{out}/games", "--out", str(text))[:2] == (0, f"{text}: 4 games\n")
    assert len(tercet.read(text.read_text(encoding="utf-8"))) == 4
    parts = tmp_path / "parts"
    code, said, _ = run(capsys, "export", str(text), "--out", str(parts), "--positions", "--part-games", "3")
    assert (code, said) == (0, f"{parts}: 4 games\n")
    assert len(list(parts.glob("part-*.parquet"))) == 2


def test_what_makes_no_sense_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.txt")
    for arguments in (
        ["selfplay"],
        ["selfplay", "sanqi", "side=99"],
        ["selfplay", "sanqi", "--engine", "level:99", "--out", str(tmp_path / "a")],
        ["selfplay", "sanqi", "--engine", "mcts", "--out", str(tmp_path / "b")],
        ["selfplay", "sanqi", "--on", "moon://1", "--out", str(tmp_path / "c")],
        ["export", missing, "--out", str(tmp_path / "d.parquet")],
        ["export", str(tmp_path), "--out", str(tmp_path / "e.txt")],
        ["export", str(tmp_path), "--out", str(tmp_path / "e.txt"), "--positions"],
        ["bench", "envs"],
        ["bench", "envs", "chess"],
    ):
        code, out, err = run(capsys, *arguments)
        assert (code, out) == (2, "")
        assert err.startswith("tercet: ")
        assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []  # a refusal leaves nothing behind


@pytest.mark.train  # OpenSpiel is among them
def test_bench_envs_measures_ours_and_peers(capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = run(capsys, "bench", "envs", "sanqi", "side=4", "--seconds", "0.03", "--json")
    assert code == 0
    rates = json.loads(said)["steps_per_s"]
    assert all(rate > 0 for rate in rates.values())
    for name in ("Batch", "Gymnasium vector", "PettingZoo AEC", "OpenSpiel", "PufferLib", "python_tic_tac_toe"):
        assert any(name in each for each in rates)
    growth = json.loads(said)["growth"]
    assert [int(games) for games in growth][::6] == [1, 65536]
    assert all(rate > 0 for by_threads in growth.values() for rate in by_threads.values())
    assert {"1", str(core_count())} <= set(growth["1"])
