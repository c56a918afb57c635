"""The certificates of what ``docs/research/solved.md`` calls proved hold, and would be refused if they did not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tercet.puzzles import Refused, check

FOLDER = Path(__file__).parents[2] / "docs" / "research" / "solved"


def certificates(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["openings", "solitaires"])
def test_certificates_hold(name: str) -> None:
    for puzzle in certificates(name):
        assert check(puzzle) > 0


def test_whole_games_hold_from_the_start() -> None:
    wholes = [puzzle for puzzle in certificates("whole") if puzzle["options"]["board"] == "2x3"]  # type: ignore[index]
    shortest = min(wholes, key=lambda puzzle: len(json.dumps(puzzle)))
    assert check(shortest) > 20


def test_one_turn_less_is_refused() -> None:
    puzzle = certificates("solitaires")[0]
    with pytest.raises(Refused):
        check(puzzle | {"turns": 1})
