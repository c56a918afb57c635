"""``tercet match`` and ``tercet book``: resuming, threads, books."""

import json
from pathlib import Path

import pytest

import tercet
from tercet.cli import main

MATCH = ("match", "mcts", "mcts", "--game", "sanqi", "--side", "4", "--nodes", "20", "--seed", "4", "--threads", "2")


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """The exit code, and what is said on stdout and on stderr."""
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    out, err = capsys.readouterr()
    return int(str(end.value.code)), out, err


def test_a_match_goes_on_where_it_was_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, part = tmp_path / "whole.txt", tmp_path / "part.txt"
    code, out, _ = run(capsys, *MATCH, "--games", "6", "--record", whole, "--json")
    assert code == 0
    assert run(capsys, *MATCH, "--games", "3", "--record", part)[0] == 0
    code, resumed, _ = run(capsys, *MATCH, "--games", "6", "--record", part, "--resume", "--json")
    assert code == 0
    assert json.loads(resumed) == json.loads(out)
    games = [tercet.read(file.read_text("utf-8")) for file in (whole, part)]
    assert [record.moves() for record in games[1]] == [record.moves() for record in games[0]]
    assert [record.headers["Round"] for record in games[1]] == ["1", "2", "3", "4", "5", "6"]
    before = part.read_bytes()
    assert json.loads(run(capsys, *MATCH, "--games", "6", "--record", part, "--resume", "--json")[1])["games"] == 6
    assert part.read_bytes() == before, "nothing was left to play"


@pytest.mark.parametrize(
    ("change", "why"),
    [(("--seed", "5"), "has Terms"), (("--nodes", "21"), "has Terms"), (("--side", "5"), "is of <Game sanqi")],
)
def test_another_match_is_not_gone_on_with(
    change: tuple[str, str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.txt"
    run(capsys, *MATCH, "--games", "2", "--record", file)
    before = file.read_bytes()
    words = list(MATCH)
    words[words.index(change[0]) + 1] = change[1]
    code, _, err = run(capsys, *words, "--games", "4", "--record", file, "--resume")
    assert code == 2
    assert "games.txt, record 1" in err
    assert why in err
    assert file.read_bytes() == before
    assert run(capsys, *MATCH, "--resume")[0] == 2, "there is no file to go on with"


def test_a_match_is_played_from_a_book(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book, games = tmp_path / "book.txt", tmp_path / "games.txt"
    code, out, _ = run(
        capsys, "book", book, "--game", "sanqi", "--side", "4", "--count", "3", "--within", "0.3", "--nodes", "30"
    )
    assert code == 0
    assert "3 openings of 4 actions, of " in out
    openings = [record.moves() for record in tercet.read(book.read_text("utf-8"))]
    assert run(capsys, *MATCH, "--games", "6", "--book", book, "--record", games)[0] == 0
    played = [record.moves()[:4] for record in tercet.read(games.read_text("utf-8"))]
    assert sorted(played[::2]) == sorted(openings)
    assert played[::2] == played[1::2]
    book.write_text(book.read_text("utf-8") * 2, encoding="utf-8")
    code, _, err = run(capsys, *MATCH, "--games", "8", "--book", book, "--record", games, "--resume")
    assert code == 2, "another book is another match"
    assert "has Terms" in err


def test_a_book_that_cannot_be_filled_is_given_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--game", "triplicity", "--count", "1", "--within", "0.001", "--nodes", "8", "--plies", "2")
    code, _, err = run(capsys, "book", tmp_path / "book.txt", *words)
    assert code == 2
    assert "Allow more" in err
