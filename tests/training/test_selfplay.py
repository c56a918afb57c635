"""Self-play: the same files for the same seed, whatever was killed meanwhile, and what they hold is the games."""

import functools
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import tercet
from tercet.laboratory import GameRow
from tercet.laboratory.storing import read_rows, rows_bytes
from tercet.training.data import DataError, SelfPlay, open_dataset, read_records, rules_hash
from tercet.training.data.schema import read_json
from tercet.training.data.selfplay import game_seed
from tests.support.clusters import dask_cluster
from tests.support.refusals import refuses
from tests.support.waiting import until

SMALL = {"sanqi": {"side": 4}, "triplicity": {}, "sparklies": {}}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def ended(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def small(**changes: Any) -> SelfPlay:
    usual: dict[str, Any] = {"game": "sanqi", "options": {"side": 4}, "engine": "random", "part_games": 3, "seed": 5}
    return SelfPlay(**usual | changes)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run")
    list(small().run(8, out, workers=1))
    return out


@pytest.mark.online
def test_the_number_of_workers_changes_nothing(run_folder: Path, tmp_path: Path) -> None:
    assert list(small().run(8, tmp_path, workers=2))[-1][0] == 8
    assert files(tmp_path) == files(run_folder)


def test_a_killed_run_goes_on_where_it_was(run_folder: Path, tmp_path: Path) -> None:
    run = small().run(8, tmp_path, workers=1)
    assert next(run) == (0, 0)
    next(run)
    run.close()  # type: ignore[attr-defined]
    (tmp_path / "games" / ".part-00001.parquet.1.tmp").write_bytes(b"half")
    (tmp_path / "positions" / "part-00001.parquet").write_bytes(b"half")
    steps = list(small().run(8, tmp_path, workers=1))
    assert steps[0][0] == 3
    (tmp_path / "games" / ".part-00001.parquet.1.tmp").unlink()
    assert files(tmp_path) == files(run_folder)


def test_more_games_may_be_asked_for_and_other_settings_need_another_folder(run_folder: Path, tmp_path: Path) -> None:
    list(small().run(4, tmp_path, workers=1))
    list(small().run(8, tmp_path, workers=1))
    assert files(tmp_path) == files(run_folder)
    refuses(DataError, "seed 5, not 6", list, small(seed=6).run(8, run_folder))


@pytest.mark.parametrize("name", tercet.games())
def test_positions_are_those_of_the_records(name: str, tmp_path: Path) -> None:
    play = SelfPlay(name, SMALL[name], "level:1", seed=1, part_games=1, max_actions=60)
    list(play.run(2, tmp_path, workers=1))
    dataset = open_dataset(tmp_path)
    (batch,) = dataset.batches(10_000)
    assert len(dataset) == len(batch["row"])
    at = 0
    for number, record in enumerate(read_records(tmp_path / "games")):
        assert record.headers["Seed"] == str(game_seed(1, number))
        position = record.start
        for node in record.main():
            assert (batch["game"][at], batch["mover"][at]) == (number, position.mover)
            assert (batch["row"][at] == position.row).all()
            assert np.flatnonzero(batch["legal"][at]).tolist() == sorted(position.legal_actions.ids.tolist())
            assert batch["policy"][at].sum() == pytest.approx(1)
            assert not batch["policy"][at][~batch["legal"][at]].any()
            assert str(tercet.Action(int(batch["action"][at]), position)) == node.action_text
            outcome = record.end.outcome
            scores = [np.nan] * len(batch["values"][at]) if outcome is None else outcome.scores
            assert batch["values"][at] == pytest.approx(scores, nan_ok=True)
            position, at = node.position, at + 1
    assert at == len(dataset)


def test_visits_are_the_policy(tmp_path: Path) -> None:
    list(small(engine="mcts", nodes=60, opening=0, sample=4, max_actions=6).run(1, tmp_path, workers=1))
    (batch,) = open_dataset(tmp_path).batches(100)
    policy = batch["policy"][0]
    whole = [n for n in range(31, 61) if policy * n == pytest.approx((policy * n).round(), abs=1e-3)]
    assert whole, "of sixty simulations from the start most went on from an action"
    assert policy.max() < 1
    assert not np.isnan(batch["estimates"]).any()


def test_polars_and_duckdb_see_the_same(run_folder: Path) -> None:
    dataset = open_dataset(run_folder)
    frame = dataset.polars().collect()
    assert len(frame) == len(dataset)
    rows = np.concatenate([batch["row"] for batch in dataset.batches(7, columns=["row"])])
    assert (frame["row"].to_numpy() == rows).all()
    duckdb = pytest.importorskip("duckdb")
    plies = dataset.duckdb(duckdb.connect()).aggregate("game, max(ply)").order("game").fetchall()
    assert plies == sorted(frame.group_by("game").max().select("game", "ply").rows())


def test_batches_are_all_decisions_once(run_folder: Path) -> None:
    dataset = open_dataset(run_folder)
    plain = list(dataset.batches(16, columns=["game", "ply"]))
    assert [len(batch["ply"]) for batch in plain[:-1]] == [16] * (len(plain) - 1)
    mixed = list(dataset.batches(16, columns=["game", "ply"], shuffle=1))
    one, other = (
        [pair for batch in found for pair in zip(batch["game"].tolist(), batch["ply"].tolist(), strict=True)]
        for found in (plain, mixed)
    )
    assert one != other
    assert sorted(one) == sorted(other)
    again = list(dataset.batches(16, columns=["game", "ply"], shuffle=1))
    assert all((a["ply"] == b["ply"]).all() for a, b in zip(mixed, again, strict=True))
    batch = next(dataset.batches(5))
    planes = dataset.observations(batch["row"], batch["mover"])
    assert (planes[0] == next(iter(read_records(run_folder / "games"))).start.observe()).all()


@pytest.mark.train
def test_tensors(run_folder: Path) -> None:
    import torch

    dataset = open_dataset(run_folder)
    loader = torch.utils.data.DataLoader(dataset.torch(32), batch_size=None)
    assert sum(len(batch["mover"]) for batch in loader) == len(dataset)
    batch = next(iter(loader))
    assert batch["observation"].shape[1:] == (len(dataset.game.rules.planes), len(dataset.game.board))


def test_what_makes_no_sense_is_refused(tmp_path: Path, run_folder: Path) -> None:
    for play, why in (
        (small(engine="mcts"), "not a time"),
        (small(engine="level:10"), "not a time"),
        (small(engine="ugi:x"), "An engine of another program"),
        (small(part_games=0), "part_games"),
        (small(max_actions=0), "max_actions"),
        (small(opening=-1), "opening"),
    ):
        refuses(DataError, why, list, play.run(1, tmp_path / "out"))
    refuses(tercet.TercetError, None, list, small(engine="level:11").run(1, tmp_path / "out"))
    assert not (tmp_path / "out").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").touch()
    refuses(DataError, "not empty", list, small().run(1, tmp_path / "full"))
    refuses(DataError, "no column", next, open_dataset(run_folder).batches(1, columns=["colour"]))
    with pytest.raises(DataError, match="must have positions, but it has games"):
        open_dataset(run_folder / "games" / "part-00000.parquet")


def test_the_signature_tells_rules_apart() -> None:
    variants: list[dict[str, Any]] = [{"side": 4}, {"side": 5}, {"side": 6}, {"side": 4, "stalemate": "loss"}]
    first, *others = (rules_hash(tercet.game("sanqi", **options)) for options in variants)
    assert len({first, *others}) == 4
    assert rules_hash(tercet.game("sanqi", side=4, execution="interpreted")) == first


@pytest.mark.online
def test_ctrl_c_leaves_whole_parts_and_no_process(run_folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tercet", "selfplay", "sanqi", "side=4", "--engine", "random", "--seed", "5"]
    command += ["--part-games", "3", "--workers", "2", "--out", str(tmp_path), "--games", "100000"]
    first = ["part-00000.parquet", "part-00001.parquet"]
    hears = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # also where what runs the tests does not
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True, preexec_fn=hears)
    until(lambda: process.poll() is not None or {*first} <= {path.name for path in tmp_path.glob("games/*")})
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".tmp")]
    until(lambda: ended(process.pid), 15)  # the last to go is what multiprocessing itself started
    for name in (f"{kind}/{part}" for part in first for kind in ("games", "positions")):
        assert (tmp_path / name).read_bytes() == (run_folder / name).read_bytes()


def damaged(kind: str, path: Path) -> None:
    """Damage a part in one of the ways in which parts are damaged."""
    data = path.read_bytes()
    if kind == "missing column":
        table = pq.read_table(path)
        pq.write_table(table.drop_columns(table.column_names[-1]), path)
    elif kind == "torn page":  # the end, where the columns are named, is there
        path.write_bytes(data[:4] + bytes(len(data) // 2) + data[4 + len(data) // 2 :])
    else:
        path.write_bytes({"truncated": data[:-100], "empty": b"", "text": b"no"}[kind])


@pytest.mark.parametrize("kind", ["truncated", "empty", "text", "missing column", "torn page"])
def test_a_damaged_part_is_named(kind: str, run_folder: Path, tmp_path: Path) -> None:
    """Of positions, of games, and of a study."""
    readers: dict[str, Callable[[Path], Iterable[object]]] = {
        "positions": lambda path: open_dataset(path).batches(4), "games": read_records,
        "rows": lambda path: read_rows(path / "part-00000.parquet"),
    }  # fmt: skip
    for part, (folder, read) in itertools.product((0, 1), readers.items()):
        run = tmp_path / f"{folder}-{part}"
        if folder == "rows":
            run.mkdir()
            (run / "part-00000.parquet").write_bytes(rows_bytes([GameRow(0, (0, 1), (1.0, 0.0), 20, "circle")]))
            part = 0
        else:
            shutil.copytree(run_folder / folder, run)
        assert list(read(run))
        damaged(kind, path := run / f"part-{part:05d}.parquet")
        with pytest.raises(DataError, match=re.escape(str(path))):
            list(read(run))


def test_files_beside_the_parts_are_named_where_they_are_damaged(run_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(run_folder, tmp_path / "run")
    (tmp_path / "run" / "positions" / "part-00000 (1).parquet").touch()
    refuses(DataError, r"positions has a part without a number", open_dataset, tmp_path / "run")
    gate = tmp_path / "gate.json"
    for content in (b"", b"{", b"[]", b"\xff"):
        gate.write_bytes(content)
        refuses(DataError, r"gate\.json is missing or damaged", read_json, gate)


@pytest.mark.online
def test_a_dask_cluster_that_loses_a_worker_plays_the_same_games(run_folder: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with dask_cluster() as address:
        with distributed.Client(address) as client:
            victim = next(iter(client.run(os.getpid).values()))
        run = small().run(8, tmp_path, on=f"dask://{address}")
        next(run)
        next(run)
        os.kill(victim, signal.SIGKILL)
        list(run)
    assert files(tmp_path) == files(run_folder)


@pytest.mark.long
def test_a_ray_cluster_that_loses_a_worker_plays_the_same_games(run_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    psutil = pytest.importorskip("psutil")
    run = small().run(8, tmp_path, on="ray://", workers=2)
    next(run)
    next(run)
    named = ("ray::_attempt", "ray::IDLE")  # what else is called ray:: belongs to the node itself, which dies with it
    workers = [child for child in psutil.Process().children(recursive=True) if child.name().startswith(named)]
    workers[0].kill()
    list(run)
    assert files(tmp_path) == files(run_folder)
