"""The checker of puzzles: it accepts what holds, refuses what does not with its place, and asks the rules alone."""

import ast
import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tercet.cli import main
from tercet.games import names
from tercet.learning.puzzles import Refused, check, checker, key_of, read, shipped

WIN = {
    "id": "one", "game": "sanqi", "options": {"side": 4}, "mover": 0, "task": "", "tags": [], "rating": 0, "source": {},
    "position": "sanqi/4 4/5/2RR2/1R1R3/2R3/5/4 F -", "attackers": [0], "goal": {"win": True}, "turns": 1,
    "right": {}, "wrong": {"*": None},
}  # fmt: skip


def sample(game: str, count: int = 6) -> list[dict[str, Any]]:
    found = [puzzle for path in shipped(game) for puzzle in read(path)]
    return found[:: max(1, len(found) // count)]


def test_the_checker_imports_nothing_but_tercet() -> None:
    tree = ast.parse(Path(checker.__file__).read_text("utf-8"))
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
    assert modules == {"__future__", "collections.abc", "typing", "tercet"}


@pytest.mark.parametrize("game", [name for name in names() if shipped(name)])
def test_a_sample_of_those_that_come_with_the_games_holds(game: str) -> None:
    puzzles = sample(game)
    for puzzle in puzzles:
        assert check(puzzle) > 0


@pytest.mark.long
@pytest.mark.parametrize("game", [name for name in names() if shipped(name)])
def test_all_that_come_with_the_games_hold_and_no_two_are_the_same(game: str) -> None:
    known: dict[str, str] = {}
    for path in shipped(game):
        for number, puzzle in enumerate(read(path), 1):
            assert known.setdefault(key_of(puzzle), puzzle["id"]) == puzzle["id"], "the same up to symmetry"
            try:
                check(puzzle)
            except Refused as refused:
                pytest.fail(f"{path.name}: puzzle {number} ({puzzle['id']}) {refused}")


def damaged(puzzle: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Ways to claim something that is not so."""
    found = []

    def with_(name: str, **changes: Any) -> None:
        found.append((name, {**copy.deepcopy(puzzle), **changes}))

    right = puzzle["right"]
    first = next(iter(right))
    with_("fewer turns", turns=puzzle["turns"] - 1)
    with_("no turn at all", turns=0)
    with_("nothing is right", right={})
    with_("an action that is not legal", right={**right, "Zz99": None})
    if "wrong" in puzzle:
        others = {text: rest for text, rest in right.items() if text != first}
        if others:
            with_("one right action less", right=others)
    if isinstance(right[first], dict) and "*" in right[first]:
        less = {key: rest for key, rest in right[first].items() if key != "*"}
        with_("replies left out", right={**right, first: less})
    if isinstance(right[first], dict):
        blind = dict.fromkeys(right[first])
        with_("answers left out", right={**right, first: blind})
    return found


@pytest.mark.parametrize("game", [name for name in names() if shipped(name)])
def test_damaged_proofs_are_refused_with_their_place(game: str) -> None:
    puzzles = [puzzle for puzzle in sample(game, 60) if puzzle["turns"] > 1 and puzzle["mover"] in puzzle["attackers"]]
    refused = 0
    for puzzle in puzzles[:6]:
        for name, wrong in damaged(puzzle):
            with pytest.raises(Refused) as caught:
                check(wrong)
            assert caught.value.place, name
            refused += 1
    assert refused >= 12


def test_what_the_rules_say_decides() -> None:
    # A ring of six around an empty cell lacks one piece: one first action wins, and no other does.
    won = {**WIN, "position": "sanqi/4 4/5/2RR2/2R1R2/3R2/5/4 F -"}
    with pytest.raises(Refused, match="no first action"):
        check(won)
    assert check({**won, "right": {"Rd3": None}}) > 50
    with pytest.raises(Refused, match="the turns are used up"):
        check({**won, "right": {"Rd3": None, "Ra4": None}})
    assert check({**won, "right": {"Rd3": None}, "wrong": None}) > 50  # null: all are tried
    with pytest.raises(Refused, match="leaves no turn"):
        check({**won, "right": {"Rd3": None}, "turns": 0})
    with pytest.raises(Refused, match="does not say what to play"):  # the others would lose against Second
        check({**won, "right": {"Rd3": None}, "attackers": [1]})


def test_the_command_names_number_and_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = next(name for name in names() if shipped(name))
    puzzles = [puzzle for puzzle in sample(game, 60) if puzzle["turns"] > 1 and puzzle["mover"] in puzzle["attackers"]]
    good, bad = puzzles[0], dict(damaged(puzzles[1]))["fewer turns"]
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(good) + "\n" + json.dumps(bad) + "\n", encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["puzzle", "check", str(path)])
    assert end.value.code == 1
    said = capsys.readouterr().out
    assert f"mine.jsonl: puzzle 2 ({bad['id']}) at " in said
    assert "2 puzzles, 1 that do not hold" in said
    path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["puzzle", "check", str(path)])
    assert end.value.code == 2
