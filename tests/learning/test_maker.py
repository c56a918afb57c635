"""Puzzles are made the same whatever the number of processes, and no two are the same."""

import json
import random
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import tercet
from tercet.cli import main
from tercet.core.abilities.knowledge import PuzzleIdea, Puzzles, PuzzleSource
from tercet.games import game_definition, names
from tercet.learning import puzzles as maker
from tercet.learning.puzzles import PuzzleError, check, make, read, shipped, write


@pytest.mark.long
@pytest.mark.parametrize(("game", "tags"), [("sanqi", []), ("sparklies", []), ("triplicity", ["three left"])])
def test_a_seed_makes_the_same_bytes_whatever_the_number_of_workers(game: str, tags: list[str], tmp_path: Path) -> None:
    files = {}
    for seed, workers in ((3, 1), (3, 2), (3, 3), (4, 2)):
        path = tmp_path / f"{seed}-{workers}.jsonl"
        write(path, make(game, 3, seed=seed, tags=tags, workers=workers))
        files[seed, workers] = path.read_bytes()
    assert files[3, 1] == files[3, 2] == files[3, 3] != files[4, 2]


def test_a_seed_makes_the_same_puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    known = game_definition("sparklies").puzzles
    assert known is not None
    small = replace(known, sources=(PuzzleSource({"board": "4x4", "ruleset": "speed"}, "random", 1, 1.0),))
    monkeypatch.setattr(maker, "ability", lambda _: small)
    found = [json.dumps(puzzle) for puzzle in make("sparklies", 2, seed=5, workers=1)]
    assert found == [json.dumps(puzzle) for puzzle in make("sparklies", 2, seed=5, workers=1)]
    assert len(set(found)) == 2


def test_tags_can_be_asked_for_and_known_puzzles_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    known = game_definition("sparklies").puzzles
    assert known is not None
    usual, rare = ((PuzzleSource({"board": "4x4", "ruleset": name}, "random", 1, 1.0),) for name in ("subtle", "speed"))
    monkeypatch.setattr(maker, "ability", lambda _: replace(known, sources=usual, by_tag={"Speed": rare}))
    first = list(make("sparklies", 2, seed=5, tags=("Speed",), workers=1))
    assert all("Speed" in puzzle["tags"] and puzzle["source"]["tags"] == ["Speed"] for puzzle in first)
    others = list(make("sparklies", 1, seed=5, tags=("Speed",), without=first[:1], workers=1))
    assert others == first[1:]


def test_what_is_the_same_up_to_symmetry_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    start = tercet.parse("sanqi/4 4/5/2RR2/2R1R2/3R2/5/4 F -")
    images = start.images()

    def find(positions: object, seed: int) -> list[PuzzleIdea]:
        place = images[seed % 2 * 5]
        wins = [str(action) for action in place.legal_actions if place.play(action).is_over]
        many = dict.fromkeys(map(str, place.legal_actions))
        return [
            PuzzleIdea(place, (0,), {"win": True}, 1, "", many, None, (), 500),
            PuzzleIdea(place, (0,), {"win": True}, 1, "", dict.fromkeys(wins), {"*": None}, (), 500),
        ]

    puzzles = Puzzles((PuzzleSource({"side": 4}, "random", 1, 1.0),), find, Path())
    monkeypatch.setattr(maker, "ability", lambda _: puzzles)
    keys = {key for number in range(6) for key, _ in maker.find(maker.Task("sanqi", 1, number))}
    places = {puzzle["position"] for number in range(6) for _, puzzle in maker.find(maker.Task("sanqi", 1, number))}
    assert len(keys) == 1
    assert len(places) == 2


def test_files_are_written_and_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["puzzle", "make", "sparklies", "--count", "1", "--workers", "1", "-o", str(tmp_path / "mine.jsonl.gz")])
    assert end.value.code == 0
    puzzles = list(read(tmp_path / "mine.jsonl.gz"))
    assert len(puzzles) == 1
    assert all(check(puzzle) for puzzle in puzzles)
    write(tmp_path / "again.jsonl", puzzles)
    assert list(read(tmp_path / "again.jsonl")) == puzzles
    (tmp_path / "bad.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    with pytest.raises(PuzzleError, match="line 1"):
        list(read(tmp_path / "bad.jsonl"))


def test_a_compressed_file_that_ends_too_early_is_named(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl.gz"
    write(path, read(shipped("sanqi")[0]))
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(PuzzleError, match=r"some\.jsonl\.gz is damaged"):
        list(read(path))


@pytest.mark.parametrize("game", [name for name in names() if shipped(name)])
def test_enough_puzzles_come_with_the_games(game: str) -> None:
    puzzles = [puzzle for path in shipped(game) for puzzle in read(path)]
    assert len(puzzles) >= 200
    assert len({puzzle["id"] for puzzle in puzzles}) == len(puzzles)
    for puzzle in puzzles:
        assert 1 <= len(puzzle["right"]) <= 3
        position = tercet.parse(puzzle["position"])
        assert (position.game.name, position.mover) == (game, puzzle["mover"])
        assert position.game.options == position.game.complete(puzzle["options"])
    assert sum(path.stat().st_size for path in shipped(game)) < 2_000_000


@pytest.mark.parametrize("game", [name for name in names() if shipped(name)])
def test_how_the_files_were_made_is_told(game: str) -> None:
    (folder,) = {path.parent for path in shipped(game)}
    runs = tomllib.loads((folder / "made.toml").read_text("utf-8"))["run"]
    told = {(run["file"], run["seed"]): run["count"] for run in runs}
    assert told == Counter((path.name, puzzle["source"]["seed"]) for path in shipped(game) for puzzle in read(path))
    for run in runs:
        assert "commit" in run or "note" in run
        said = f"--count {run['count']} --seed {run['seed']}"
        assert said in run.get("command", said)


def test_the_list_can_be_narrowed(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["list", "sanqi", "--tag", "attack", "--json"], ["list", "sanqi", "--tag", "defence", "--json"]):
        with pytest.raises(SystemExit):
            main(["puzzle", *words])
        found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert found
        assert all(words[3] in puzzle["tags"] for puzzle in found)
    with pytest.raises(SystemExit) as end:
        main(["puzzle", "show", found[0]["id"]])
    assert end.value.code == 0
    assert found[0]["task"] in capsys.readouterr().out


def test_puzzles_are_found_in_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tercet.game("sparklies", board="4x4", ruleset="speed")
    chance = random.Random(4)
    records = []
    for seed in range(3):
        position, actions = game.start(seed), []
        while not position.is_over:
            actions.append(str(chance.choice(position.legal_actions)))
            position = position.play(actions[-1])
        records.append(str(tercet.Record.from_actions(game, game.start(seed), actions)))
    (tmp_path / "games.txt").write_text("\n".join(records), encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["puzzle", "make", "sparklies", "--count", "1", "--records", str(tmp_path / "games.txt")])
    assert end.value.code == 0
    (found,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert found["source"]["record"] == "games.txt"
    assert check(found)
