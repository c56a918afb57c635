"""``tercet stats --records``: figures of games that were played, and how long their turns took."""

import json
from pathlib import Path

import pytest

import tercet
from tercet.cli import main
from tercet.games import game_definition

SAMPLE = next(one for one in game_definition("sparklies").samples if one.id == "first-game")


def figures(*words: str) -> object:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return ended.value.code


def test_a_real_game_is_counted_with_its_seconds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (record,) = tercet.read(SAMPLE.text)
    record.headers["Seconds"] = "10.0 20.5 5.5"
    file = tmp_path / "games.txt"
    file.write_text(record.write(), encoding="utf-8")
    assert figures("stats", "sparklies", "--board", "5x5", "--records", str(file), "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["games"] == 1
    assert answer["turns"]["mean"] == 17
    assert answer["held"]["Black"]["mean"] == 16
    assert answer["seconds"] == {"mean": 12.0, "median": 10.0, "most": 20.5}
    assert figures("stats", "sparklies", "--board", "5x5", "--records", str(file)) == 0
    assert "seconds a turn" in capsys.readouterr().out
    assert figures("stats", "sparklies", "--records", str(file)) == 2, "no game on 9x9 is in the file"
