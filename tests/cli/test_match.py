"""``tercet match``, ``tercet book``, ``tercet tournament``, and ``tercet stats --records`` of games played."""

import json
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.games import game_definition
from tercet.record import read
from tests.cli.conftest import Run
from tests.support.present import lacking, present

MATCH = ("match", "mcts", "mcts", "--game", "sanqi", "--side", "4", "--nodes", "20", "--seed", "4", "--threads", "2")


def test_a_match_goes_on_where_it_was_left(run: Run, tmp_path: Path) -> None:
    whole, part = tmp_path / "whole.txt", tmp_path / "part.txt"
    code, out, _ = run(*MATCH, "--games", "6", "--record", whole, "--json")
    answer = json.loads(out)
    assert (code, answer["wins"] + answer["draws"] + answer["losses"]) == (0, 6)
    code, said, _ = run(*MATCH, "--games", "3", "--record", part)
    assert (code, lacking(said, "of 3", "Elo difference")) == (0, [])
    code, resumed, _ = run(*MATCH, "--games", "6", "--record", part, "--resume", "--json")
    assert (code, json.loads(resumed)) == (0, answer)
    games = [tercet.read(file.read_text("utf-8")) for file in (whole, part)]
    assert all(record.end.is_over for record in games[0])
    assert [record.moves() for record in games[1]] == [record.moves() for record in games[0]]
    assert [record.headers["Round"] for record in games[1]] == ["1", "2", "3", "4", "5", "6"]
    before = part.read_bytes()
    assert json.loads(run(*MATCH, "--games", "6", "--record", part, "--resume", "--json")[1])["games"] == 6
    assert part.read_bytes() == before, "nothing was left to play"


@pytest.mark.parametrize(
    ("change", "why"),
    [(("--seed", "5"), "has Terms"), (("--nodes", "21"), "has Terms"), (("--side", "5"), "is of <Game sanqi")],
)
def test_another_match_is_not_gone_on_with(run: Run, change: tuple[str, str], why: str, tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    run(*MATCH, "--games", "2", "--record", file)
    before = file.read_bytes()
    words = list(MATCH)
    words[words.index(change[0]) + 1] = change[1]
    code, _, err = run(*words, "--games", "4", "--record", file, "--resume")
    assert (code, lacking(err, "games.txt, record 1", why)) == (2, [])
    assert file.read_bytes() == before
    assert run(*MATCH, "--resume")[0] == 2, "there is no file to go on with"


def test_a_match_is_played_from_a_book(run: Run, tmp_path: Path) -> None:
    book, games = tmp_path / "book.txt", tmp_path / "games.txt"
    words = ("--game", "sanqi", "--side", "4", "--count", "3", "--within", "0.3", "--nodes", "30")
    code, out, _ = run("book", book, *words)
    assert (code, "3 openings of 4 actions, of " in out) == (0, True)
    openings = [record.moves() for record in tercet.read(book.read_text("utf-8"))]
    assert run(*MATCH, "--games", "6", "--book", book, "--record", games)[0] == 0
    played = [record.moves()[:4] for record in tercet.read(games.read_text("utf-8"))]
    assert sorted(played[::2]) == sorted(openings)
    assert played[::2] == played[1::2]
    book.write_text(book.read_text("utf-8") * 2, encoding="utf-8")
    code, _, err = run(*MATCH, "--games", "8", "--book", book, "--record", games, "--resume")
    assert (code, "has Terms" in err) == (2, True), "another book is another match"


@pytest.mark.online  # compiles a search of Triplicity
def test_a_book_that_cannot_be_filled_is_given_up(run: Run, tmp_path: Path) -> None:
    words = ("--game", "triplicity", "--count", "1", "--within", "0.001", "--nodes", "8", "--plies", "2")
    code, _, err = run("book", tmp_path / "book.txt", *words)
    assert (code, "Allow more" in err) == (2, True)


def told(run: Run, *words: str | Path) -> Any:
    code, out, err = run("tournament", *words, "--json", "--threads", "2")
    assert code == 0, err
    return json.loads(out)


def test_a_round_robin_of_engines(run: Run, tmp_path: Path) -> None:
    kept = tmp_path / "games.txt"
    found = told(run, "level:1", "random", "random", "random", "--side", "4", "--cycles", "2", "--record", kept)
    assert (found["rounds"], found["games"]) == (6, 12)
    assert sum(line["points"] for line in found["standings"]) == 12
    assert {line["name"] for line in found["standings"]} == {"level:1", "random (1)", "random (2)", "random (3)"}
    records = read(kept.read_text())
    assert len(records) == 12
    assert {record.headers["Event"] for record in records} == {"round-robin of 4"}
    scores = {(tuple(pairing["people"]), pairing["round"]): pairing["scores"] for pairing in found["pairings"]}
    for record in records:
        people = tuple(record.headers[player] for player in ("First", "Second"))
        assert list(present(record.end.outcome).scores) == scores[people, int(record.headers["Round"].split(".")[0])]


def test_three_at_a_table_and_an_arena(run: Run) -> None:
    five, three = ("random",) * 5, ("random",) * 3
    found = told(run, *five, "--game", "sparklies", "--board", "3x3", "--players", "3", "--form", "swiss")
    assert all(len(pairing["people"]) in (1, 3) for pairing in found["pairings"])
    found = told(run, *three, "--side", "4", "--form", "arena", "--minutes", "0.02")
    assert found["games"] >= 1
    assert sum(line["points"] for line in found["standings"]) == 2 * found["games"]
    found = told(run, *five, "--game", "sparklies", "--board", "3x3", "--form", "best-margin")
    assert found["games"] == 10 + 4
    assert [line["rank"] for line in found["standings"]] == [1, 2, 3, 4, 5]
    _, said, _ = run("tournament", *three, "--side", "4", "--form", "swiss", "--rounds", "2")
    assert "Points  Games  Buchholz  Sonneborn-Berger" in said
    assert "Buchholz: the sum of the opponents' points" in said
    assert said.splitlines()[1].startswith("1  random (")


SAMPLE = next(one for one in game_definition("sparklies").samples if one.id == "first-game")


def test_a_real_game_is_counted_with_its_seconds(run: Run, tmp_path: Path) -> None:
    (record,) = tercet.read(SAMPLE.text)
    record.headers["Seconds"] = "10.0 20.5 5.5"
    file = tmp_path / "games.txt"
    file.write_text(record.write(), encoding="utf-8")
    code, out, _ = run("stats", "sparklies", "--board", "5x5", "--records", file, "--json")
    answer = json.loads(out)
    assert (code, answer["games"], answer["turns"]["mean"], answer["held"]["Black"]["mean"]) == (0, 1, 17, 16)
    assert answer["seconds"] == {"mean": 12.0, "median": 10.0, "most": 20.5}
    code, out, _ = run("stats", "sparklies", "--board", "5x5", "--records", file)
    assert (code, "seconds a turn" in out) == (0, True)
    assert run("stats", "sparklies", "--records", file)[0] == 2, "no game on 9x9 is in the file"
