"""Records through Parquet and back: not a character is lost; and the commands of training."""

import contextlib
import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tercet
from tercet import IllegalAction, Record
from tercet.record import Node
from tercet.training.data import DataError, decisions_of, export_records, read_records
from tercet.training.data.records import games_table, record_row, records_of, write_records
from tests.support.commands import run_command
from tests.support.present import lacking
from tests.support.refusals import refuses


def random_record(name: str, seed: int, plies: int = 30) -> Record:
    """A game with comments, variations and whatever can happen at a table."""
    chance = random.Random(seed)
    game = tercet.game(name)
    headers = {"Event": 'A "cup"', "Seed": str(seed), "Strange": "é 上"}
    record = Record(game, game.start(seed), headers, Node(None, game.start(seed)))
    record.root.nags = (10,)
    record.root.comment = "before \\ it {all"
    node = record.root
    for ply in range(plies):
        if node.position.is_over:
            break
        if chance.random() < 0.1:
            with contextlib.suppress(IllegalAction):
                node = node.play(chance.choice(["resign", "draw?", "retract", "draw"]))
                continue
        for _ in range(1 + (chance.random() < 0.2)):
            following = node.play(chance.choice(node.position.legal_actions))
            if chance.random() < 0.3:
                following.comment = f"ply {ply}\nof }} many"
                following.nags = (1, 14)
        if len(node.variations) > 1 and not node.variations[1].position.is_over:
            node.variations[1].play(node.variations[1].position.legal_actions[0])
        node = node.variations[0]
    return record


@pytest.mark.parametrize("name", tercet.games())
def test_text_is_the_same_after_the_way_there_and_back(name: str, tmp_path: Path) -> None:
    records = [random_record(name, seed) for seed in range(12)]
    text = "\n".join(record.write() for record in records)
    assert name != "triplicity" or not lacking(text, "resign", "draw?", "retract", "(", "{", "$14")
    (tmp_path / "there.txt").write_text(text, encoding="utf-8")
    canonical = "\n".join(record.write() for record in tercet.read(text))
    assert list(export_records(tmp_path / "there.txt", tmp_path / "games.parquet")) == [12]
    assert write_records(tmp_path / "games.parquet", tmp_path / "back.txt") == 12
    assert (tmp_path / "back.txt").read_text(encoding="utf-8") == canonical


def test_records_from_positions_and_from_before_there_were_signs_are_read(tmp_path: Path) -> None:
    position = tercet.parse("sanqi/4 4/5/6/3R3/6/5/4 S d4")
    record = Record.from_actions(position.game, position, ["Yc4"], {"Result": "1-0"})
    (back,) = records_of(games_table([record]), "here")
    assert (back.write(), back.headers) == (record.write(), record.headers)
    table = games_table([random_record("sanqi", 1)])
    old = [{**row, "nodes": [{**node, "nags": None} for node in row["nodes"]]} for row in table.to_pylist()]
    rows = [{name: value for name, value in row.items() if name != "nags"} for row in old]
    (record,) = records_of(pa.Table.from_pylist(rows), "old")
    assert record.moves() == random_record("sanqi", 1).moves()


def test_parts_are_made_once_and_a_second_run_goes_on_and_an_interrupted_file_is_not_there(tmp_path: Path) -> None:
    source, out = tmp_path / "games.txt", tmp_path / "parts"
    source.write_text("\n".join(random_record("sanqi", seed, 8).write() for seed in range(5)), encoding="utf-8")
    run = export_records(source, out, part_games=2)
    assert next(run) == 2
    run.close()  # type: ignore[attr-defined]
    assert [path.name for path in sorted(out.iterdir())] == ["manifest.json", "part-00000.parquet"]
    before = (out / "part-00000.parquet").stat().st_mtime_ns
    assert list(export_records(source, out, part_games=2)) == [2, 4, 5]
    assert (out / "part-00000.parquet").stat().st_mtime_ns == before
    assert "\n".join(record.write() for record in read_records(out)) == source.read_text(encoding="utf-8")
    refuses(DataError, "part_games", list, export_records(source, out, part_games=3))
    run = export_records(source, tmp_path / "games.parquet", part_games=2)
    next(run)
    run.close()  # type: ignore[attr-defined]
    assert {path.name for path in tmp_path.iterdir()} == {"games.txt", "parts"}


def test_what_was_taken_back_is_no_decision_and_decisions_stop_at_no_resignation() -> None:
    game = tercet.game("triplicity")
    first = str(game.start().legal_actions[0])
    answers = game.start().play(first).legal_actions
    taken = Record.from_actions(game, None, [first, str(answers[0]), "retract", str(answers[-1])])
    plain = Record.from_actions(game, None, [first, str(answers[-1])])
    one, other = ([str(each.position.legal_actions.ids) for each in decisions_of(record)] for record in (taken, plain))
    assert one == other
    record = Record.from_actions(game)
    node = record.root
    for text in (None, "resign", None, None):
        node = node.play(node.position.legal_actions[0] if text is None else text)
    decisions = decisions_of(record)
    assert [decision.ply for decision in decisions] == [0, 1, 2]
    assert decisions[1].position == record.root.variations[0].variations[0].position


def test_bad_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("no", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    pq.write_table(games_table([]).replace_schema_metadata({}), tmp_path / "other.parquet")
    named = (("text.parquet", "no Parquet file"), ("none.parquet", "There is no file"), ("empty", "no parts"))
    for name, why in (*named, ("other.parquet", "was not written by Tercet")):
        refuses(DataError, why, list, read_records(tmp_path / name))


def test_a_table_that_cannot_be_played_is_refused() -> None:
    record = Record.from_actions(tercet.game("sanqi", side=4), None, ["Rd4", "Yc4"])
    for change, why in (
        ({"name": "chess"}, "not installed"),
        ({"rules_hash": "0" * 32}, "other rules"),
        ({"options": "side=99"}, "side"),
        ({"nodes": [{"parent": 5, "action": 0, "text": "Rd4", "comment": ""}]}, "after its parent"),
        ({"nodes": [{"parent": -1, "action": 0, "text": "Zz9", "comment": ""}]}, "game 0"),
    ):
        row = record_row(record) | change
        table = games_table([record]).from_pylist([row], schema=games_table([record]).schema)
        refuses(DataError, why, list, records_of(table, "here"))


def test_selfplay_and_export(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    command = ["selfplay", "sanqi", "side=4", "--engine", "random", "--out", out, "--workers", "1", "--part-games", "2"]
    code, said, _ = run_command(capsys, *command, "--games", "3", "--json")
    assert (code, json.loads(said)["games"]) == (0, 3)
    code, said, _ = run_command(capsys, *command, "--games", "4")
    assert (code, said.split(": ")[1].split(",")[0]) == (0, "4 games")
    text = tmp_path / "games.txt"
    assert run_command(capsys, "export", f"{out}/games", "--out", str(text))[:2] == (0, f"{text}: 4 games\n")
    assert len(tercet.read(text.read_text(encoding="utf-8"))) == 4
    parts = tmp_path / "parts"
    code, said, _ = run_command(capsys, "export", str(text), "--out", str(parts), "--positions", "--part-games", "3")
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
        code, out, err = run_command(capsys, *arguments)
        assert (code, out, err.partition(" ")[0], err.count("\n")) == (2, "", "tercet:", 1)
    assert list(tmp_path.iterdir()) == []  # a refusal leaves nothing behind


@pytest.mark.train  # OpenSpiel is among them
def test_bench_envs_measures_each_environment(capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = run_command(capsys, "bench", "envs", "sanqi", "side=4", "--seconds", "0.03", "--json")
    assert code == 0
    rates = json.loads(said)["steps_per_s"]
    assert all(rate > 0 for rate in rates.values())
    assert not lacking("\n".join(rates), "Batch", "Gymnasium vector", "PettingZoo AEC", "OpenSpiel", "PufferLib")
