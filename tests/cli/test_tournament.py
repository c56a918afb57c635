"""``tercet tournament``."""

import json
from pathlib import Path
from typing import Any

import pytest

from tercet.cli import main
from tercet.record import read


def told(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        main(["tournament", *words, "--json", "--threads", "2"])
    said = capsys.readouterr()
    assert ended.value.code == 0, said.err
    return json.loads(said.out)


def test_a_round_robin_of_engines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kept = tmp_path / "games.txt"
    found = told(capsys, "level:1", "random", "random", "random", "--side", "4", "--cycles", "2", "--record", str(kept))
    assert (found["rounds"], found["games"]) == (6, 12)
    assert sum(line["points"] for line in found["standings"]) == 12
    assert {line["name"] for line in found["standings"]} == {"level:1", "random (1)", "random (2)", "random (3)"}
    records = read(kept.read_text())
    assert len(records) == 12
    assert {record.headers["Event"] for record in records} == {"round-robin of 4"}
    scores = {(tuple(pairing["people"]), pairing["round"]): pairing["scores"] for pairing in found["pairings"]}
    for record in records:
        people = tuple(record.headers[player] for player in ("First", "Second"))
        outcome = record.end.outcome
        assert outcome is not None
        assert list(outcome.scores) == scores[people, int(record.headers["Round"].split(".")[0])]


def test_the_form_by_margins_of_engines(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("random",) * 5
    found = told(capsys, *words, "--game", "sparklies", "--board", "3x3", "--form", "best-margin")
    assert found["games"] == 10 + 4
    assert [line["rank"] for line in found["standings"]] == [1, 2, 3, 4, 5]


def test_three_at_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("random",) * 5
    found = told(capsys, *words, "--game", "sparklies", "--board", "3x3", "--players", "3", "--form", "swiss")
    assert all(len(pairing["people"]) in (1, 3) for pairing in found["pairings"])


def test_an_arena_of_engines(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "random", "random", "random", "--side", "4", "--form", "arena", "--minutes", "0.02")
    assert found["games"] >= 1
    assert sum(line["points"] for line in found["standings"]) == 2 * found["games"]


def test_the_table_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["tournament", "random", "random", "random", "--side", "4", "--form", "swiss", "--rounds", "2"])
    said = capsys.readouterr().out
    assert "Points  Games  Buchholz  Sonneborn-Berger" in said
    assert "Buchholz: the sum of the opponents' points" in said
    assert said.splitlines()[1].startswith("1  random (")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("random",), "at least 2 engines"),
        (("random", "level:11"), "from 1 to 10"),
        (("random", "random", "--form", "cup"), "round-robin, swiss"),
        (("random", "random", "--form", "arena"), "An arena must have minutes"),
        (("random", "random", "--form", "best-margin"), "round-robin, swiss, arena, not best-margin"),
        (
            ("random", "random", "random", "--game", "triplicity", "--form", "best-margin"),
            "Triplicity has tournaments of the form round-robin, swiss, arena, not best-margin",
        ),
        (("random", "random", "--rounds", "3"), "by the number of players"),
        (("random", "random", "--cycles", "9"), "1 to 4"),
        (("random", "random", "--form", "swiss", "--cycles", "2"), "A round robin"),
    ],
)
def test_what_makes_no_sense(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], why: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["tournament", *words])
    assert ended.value.code == 2
    assert why in capsys.readouterr().err
