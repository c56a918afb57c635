"""What version 0.2 wrote is read: records, a run of training, and a game of another package. Its database is in
``tests/server/store/test_old_database.py``."""

import gzip
import json
import os
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

import tercet
from tercet.engines import Limits, engine
from tercet.record import read_file
from tercet.training.data.records import write_records
from tests.training.test_training import TINY

TOLD = Path(__file__).parents[1] / "server" / "store" / "data" / "version-0.2.json.gz"
KEPT = Path(__file__).with_name("version-0.2.tar.gz")
# Prints the old names that the game was imported by.
PROGRAM = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import tercet
    from tercet import testing
    testing.check_game("crossway", [{"size": 4}])
    assert tercet.game("crossway", size=4).start().play("b2").play("swap").mover == 0
print(*sorted({str(one.message).split()[0] for one in told if "since version 0.3" in str(one.message)}))
"""


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with what version 0.2 wrote."""
    with tarfile.open(KEPT) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


def test_records_lead_to_the_positions_that_its_server_showed() -> None:
    told = json.loads(gzip.decompress(TOLD.read_bytes()))
    assert len(told["records"]) > 20
    for table, text in told["records"].items():
        (record,) = tercet.read(text)
        assert str(record.end) == told["states"][table]["view"]["position"], table


def test_a_run_s_network_plays_and_its_games_are_records(kept: Path) -> None:
    game = tercet.game("sanqi", side=4, setup=5)
    start = game.start()
    player = engine(f"net:{kept / 'run' / 'round-0' / 'candidate.net'}", game)
    assert player.think(start, Limits(nodes=8)).action in start.legal_actions
    assert write_records(kept / "run" / "round-0" / "games-0" / "games", kept / "games.txt") == 6
    records = list(read_file(kept / "games.txt"))
    assert {record.game for record in records} == {game}
    assert all(record.end.is_over for record in records)


@pytest.mark.train
def test_training_goes_on_from_a_network(kept: Path) -> None:
    start = kept / "run" / "round-0" / "candidate.net"
    assert [one.round for one in replace(TINY, start=str(start)).run(1, kept / "on")][-1] == 0
    assert (kept / "on" / "round-0" / "candidate.net").exists()


def test_a_game_of_another_package_keeps_the_contract_and_is_told_the_new_names(kept: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--target", kept / "site", kept / "crossway"], check=True)
    path = os.pathsep.join([str(kept / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["tercet.boards", "tercet.definition", "tercet.game", "tercet.view"]
