"""The certificates of what ``docs/research/solved.md`` calls proved hold, and would be refused if they did not."""

import json
from pathlib import Path

import pytest

from tercet.learning.puzzles import Refused, check

pytestmark = pytest.mark.thorough

FOLDER = Path(__file__).parents[2] / "docs" / "research" / "solved"


def certificates(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_solitaires_hold_but_in_one_turn_less() -> None:
    for puzzle in certificates("solitaires"):
        assert check(puzzle) > 0
    puzzle = certificates("solitaires")[0]
    with pytest.raises(Refused):
        check(puzzle | {"turns": 1})


@pytest.mark.parametrize("side", [4, 5, 6, *(pytest.param(side, marks=pytest.mark.long) for side in (8, 10))])
def test_openings_hold(side: int) -> None:
    (puzzle,) = (one for one in certificates("openings") if one["options"]["side"] == side)  # type: ignore[index]
    assert check(puzzle) > 0


def test_whole_games_hold_from_the_start() -> None:
    wholes = [puzzle for puzzle in certificates("whole") if puzzle["options"]["board"] == "2x3"]  # type: ignore[index]
    assert check(min(wholes, key=lambda puzzle: len(json.dumps(puzzle)))) > 20
