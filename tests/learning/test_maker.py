"""Puzzles: made the same by any number of processes, checked by the rules alone, proved as by trying everything."""

import ast
import copy
import json
import random
import re
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet import Position
from tercet.core.abilities.knowledge import PuzzleIdea, Puzzles, PuzzleSource
from tercet.core.proofs import Claim, Solved, TooMuch, depth, longest, solved, walk, whole_turns
from tercet.games import game_definition, names
from tercet.learning import puzzles as maker
from tercet.learning.puzzles import PuzzleError, Refused, check, checker, key_of, make, read, shipped, write
from tests.support.commands import run_command
from tests.support.play import random_actions
from tests.support.present import lacking, present
from tests.support.refusals import refuses

GAMES = [name for name in names() if shipped(name)]


@pytest.mark.long
@pytest.mark.parametrize(("game", "tags"), [("sanqi", []), ("sparklies", []), ("triplicity", ["three left"])])
def test_a_seed_makes_the_same_bytes_whatever_the_number_of_workers(game: str, tags: list[str], tmp_path: Path) -> None:
    files = {}
    for seed, workers in ((3, 1), (3, 2), (3, 3), (4, 2)):
        path = tmp_path / f"{seed}-{workers}.jsonl"
        write(path, make(game, 3, seed=seed, tags=tags, workers=workers))
        files[seed, workers] = path.read_bytes()
    assert files[3, 1] == files[3, 2] == files[3, 3] != files[4, 2]


# Motifs that are made in seconds, one for each way to look: a start of its own, random play, random play alone.
QUICK_MOTIFS = [("sanqi", "right-kind"), ("sparklies", "stop-fill"), ("triplicity", "queen")]
MOTIFS = [(game, one.key) for game in names() if shipped(game) for one in present(game_definition(game).puzzles).motifs]


@pytest.mark.parametrize(
    ("game", "motif"),
    [case if case in QUICK_MOTIFS else pytest.param(*case, marks=pytest.mark.long) for case in MOTIFS],
)
def test_what_is_made_for_a_motif_has_it(game: str, motif: str) -> None:
    known = {one.key: one for one in present(game_definition(game).puzzles).motifs}[motif]
    found = list(make(game, 2, seed=1, motif=motif, workers=1))
    assert all(known.holds(puzzle) and puzzle["source"]["motif"] == motif for puzzle in found)
    assert all(check(puzzle) for puzzle in found)
    assert len({key_of(puzzle) for puzzle in found}) == 2


def test_a_motif_is_made_the_same_by_any_number_of_processes(tmp_path: Path) -> None:
    refuses(PuzzleError, r"no motif 'tenuki'\. Its motifs: circle, line", next, make("sanqi", 1, motif="tenuki"))
    for workers in (1, 2):
        write(tmp_path / f"{workers}.jsonl.gz", make("sparklies", 2, seed=3, motif="stop-fill", workers=workers))
    assert (tmp_path / "1.jsonl.gz").read_bytes() == (tmp_path / "2.jsonl.gz").read_bytes()


@pytest.mark.parametrize("game", ["sanqi", "triplicity"])
def test_games_for_puzzles_start_from_positions_that_can_be_written(game: str) -> None:
    known = present(game_definition(game).puzzles)
    sources = [source for rare in known.by_tag.values() for source in rare if source.start is not None]
    assert len(sources) >= 6
    for seed, source in enumerate(sources):
        position = present(source.start)(seed)
        assert not position.is_over
        assert tercet.parse(str(position)) == position == present(source.start)(seed)


def test_a_seed_makes_the_same_puzzles_with_tags_and_without_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    known = present(game_definition("sparklies").puzzles)
    usual, rare = ((PuzzleSource({"board": "4x4", "ruleset": name}, "random", 1, 1.0),) for name in ("subtle", "speed"))
    monkeypatch.setattr(maker, "ability", lambda _: replace(known, sources=usual, by_tag={"Speed": rare}))
    first, again = (list(make("sparklies", 2, seed=5, tags=("Speed",), workers=1)) for _ in range(2))
    assert (json.dumps(again), len(first)) == (json.dumps(first), 2)
    assert first[0] != first[1]
    assert all("Speed" in puzzle["tags"] and puzzle["source"]["tags"] == ["Speed"] for puzzle in first)
    assert list(make("sparklies", 1, seed=5, tags=("Speed",), without=first[:1], workers=1)) == first[1:]


def test_what_is_the_same_up_to_symmetry_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    images = tercet.parse(RING).images()

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
    found = [one for number in range(6) for one in maker.find(maker.Task("sanqi", 1, number))]
    assert (len({key for key, _ in found}), len({puzzle["position"] for _, puzzle in found})) == (1, 2)


def test_files_are_written_and_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.jsonl.gz"
    assert run_command(capsys, "puzzle", "make", "sparklies", "--count", "1", "--workers", "1", "-o", str(mine))[0] == 0
    puzzles = list(read(mine))
    assert len(puzzles) == 1
    assert all(check(puzzle) for puzzle in puzzles)
    write(tmp_path / "again.jsonl", puzzles)
    assert list(read(tmp_path / "again.jsonl")) == puzzles
    (tmp_path / "bad.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    refuses(PuzzleError, "line 1", list, read(tmp_path / "bad.jsonl"))
    # A compressed file that ends too early is named.
    path = tmp_path / "some.jsonl.gz"
    write(path, read(shipped("sanqi")[0]))
    path.write_bytes(path.read_bytes()[:-400])
    refuses(PuzzleError, r"some\.jsonl\.gz is damaged", list, read(path))


@pytest.mark.parametrize("game", GAMES)
def test_enough_puzzles_come_with_the_games_and_how_they_were_made_is_told(game: str) -> None:
    by_file = {path: list(read(path)) for path in shipped(game)}
    puzzles = [puzzle for found in by_file.values() for puzzle in found]
    assert len(puzzles) == len({puzzle["id"] for puzzle in puzzles}) >= 200
    for puzzle in puzzles:
        assert 1 <= len(puzzle["right"]) <= 3
        position = tercet.parse(puzzle["position"])
        assert (position.game.name, position.mover) == (game, puzzle["mover"])
        assert position.game.options == position.game.complete(puzzle["options"])
    assert sum(path.stat().st_size for path in by_file) < 2_000_000
    motifs = present(game_definition(game).puzzles).motifs
    tags = {tag for puzzle in puzzles for tag in puzzle["tags"]}
    assert len({motif.key for motif in motifs}) == len({motif.title for motif in motifs}) == len(motifs) >= 5
    for motif in motifs:
        assert (motif.key and motif.title and motif.says)[-1] == "."
        assert set(motif.tags) <= tags
        assert sum(map(motif.holds, puzzles)) >= 100, motif.key
    (folder,) = {path.parent for path in by_file}
    runs = tomllib.loads((folder / "made.toml").read_text("utf-8"))["run"]
    told = {}
    for run in runs:
        assert "commit" in run or "note" in run
        command = run.get("command") or "--count {count} --seed {seed}".format(**run)
        count, seed = map(int, present(re.search(r"--count (\d+) --seed (\d+)", command)).groups())
        told[run["file"], seed] = count
    assert told == Counter((path.name, one["source"]["seed"]) for path, found in by_file.items() for one in found)


def test_the_list_can_be_narrowed(capsys: pytest.CaptureFixture[str]) -> None:
    for tag in ("attack", "defence"):
        _, listed, _ = run_command(capsys, "puzzle", "list", "sanqi", "--tag", tag, "--json")
        found = [json.loads(line) for line in listed.splitlines()]
        assert found
        assert all(tag in puzzle["tags"] for puzzle in found)
    code, shown, _ = run_command(capsys, "puzzle", "show", found[0]["id"])
    assert (code, found[0]["task"] in shown) == (0, True)


def test_puzzles_are_found_in_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tercet.game("sparklies", board="4x4", ruleset="speed")
    chance, starts = random.Random(4), [game.start(seed) for seed in range(3)]
    records = [str(tercet.Record.from_actions(game, start, random_actions(start, chance))) for start in starts]
    path = tmp_path / "games.txt"
    path.write_text("\n".join(records), encoding="utf-8")
    code, made, _ = run_command(capsys, "puzzle", "make", "sparklies", "--count", "1", "--records", str(path))
    assert code == 0
    (found,) = map(json.loads, made.splitlines())
    assert found["source"]["record"] == "games.txt"
    assert check(found)


RING = "sanqi/4 4/5/2RR2/2R1R2/3R2/5/4 F -"
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


@pytest.mark.parametrize("game", GAMES)
def test_a_sample_of_those_that_come_with_the_games_holds(game: str) -> None:
    for puzzle in sample(game):
        assert check(puzzle) > 0


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_all_that_come_with_the_games_hold_and_no_two_are_the_same(game: str) -> None:
    known: dict[str, str] = {}
    for path in shipped(game):
        for number, puzzle in enumerate(read(path), 1):
            assert known.setdefault(key_of(puzzle), puzzle["id"]) == puzzle["id"], "the same up to symmetry"
            try:
                check(puzzle)
            except Refused as refused:
                pytest.fail(f"{path.name}: puzzle {number} ({puzzle['id']}) {refused}")


def damaged(puzzle: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Ways to claim something that is not so."""
    right = puzzle["right"]
    first = next(iter(right))
    changes: dict[str, dict[str, Any]] = {"fewer turns": {"turns": puzzle["turns"] - 1}, "no turn at all": {"turns": 0}}
    changes |= {"nothing is right": {"right": {}}, "an action that is not legal": {"right": {**right, "Zz99": None}}}
    if "wrong" in puzzle and len(right) > 1:
        changes["one right action less"] = {"right": {text: rest for text, rest in right.items() if text != first}}
    if isinstance(right[first], dict):
        changes["answers left out"] = {"right": {**right, first: dict.fromkeys(right[first])}}
        if "*" in right[first]:
            less = {key: rest for key, rest in right[first].items() if key != "*"}
            changes["replies left out"] = {"right": {**right, first: less}}
    return {name: {**copy.deepcopy(puzzle), **change} for name, change in changes.items()}


@pytest.mark.parametrize("game", GAMES)
def test_damaged_proofs_are_refused_with_their_place(game: str) -> None:
    puzzles = [puzzle for puzzle in sample(game, 60) if puzzle["turns"] > 1 and puzzle["mover"] in puzzle["attackers"]]
    refused = 0
    for puzzle in puzzles[:6]:
        for name, wrong in damaged(puzzle).items():
            assert refuses(Refused, None, check, wrong).place, name
            refused += 1
    assert refused >= 12


def test_what_the_rules_say_decides() -> None:
    # A ring of six around an empty cell lacks one piece: one first action wins, and no other does.
    won = {**WIN, "position": RING, "right": {"Rd3": None}}
    for more in ({}, {"wrong": None}):  # null: all are tried
        assert check({**won, **more}) > 50
    wrong: list[tuple[dict[str, Any], str]] = [({"right": {}}, "no first action"), ({"turns": 0}, "leaves no turn")]
    wrong += [({"right": {"Rd3": None, "Ra4": None}}, "the turns are used up")]
    wrong += [({"attackers": [1]}, "does not say what to play")]  # the others would lose against Second
    for more, why in wrong:
        refuses(Refused, why, check, {**won, **more})


def test_the_command_names_number_and_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    puzzles = [
        puzzle for puzzle in sample(GAMES[0], 60) if puzzle["turns"] > 1 and puzzle["mover"] in puzzle["attackers"]
    ]
    good, bad = puzzles[0], damaged(puzzles[1])["fewer turns"]
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(good) + "\n" + json.dumps(bad) + "\n", encoding="utf-8")
    code, said, _ = run_command(capsys, "puzzle", "check", str(path))
    assert code == 1
    assert not lacking(said, f"mine.jsonl: puzzle 2 ({bad['id']}) at ", "2 puzzles, 1 that do not hold")
    path.write_text("{}\n", encoding="utf-8")
    assert run_command(capsys, "puzzle", "check", str(path))[0] == 2


def test_the_main_line_is_the_longest_and_a_win_in_one_has_its_first_actions() -> None:
    position = tercet.parse(RING)
    found = solved(position, Claim((0,), {"win": True}, 1), most=3, budget=10_000)
    assert isinstance(found, Solved)
    assert list(found.right) == [str(action) for action in position.legal_actions if position.play(action).is_over]
    assert found.wrong == {"*": None}
    position = tercet.parse("sanqi/4 4/5/6/3R3/6/5/4 S -")
    tree = {"Ra1 Rb1": ["Ye4"], "Rc1": ["Ye4", {"*": ["Yd5"]}], "*": ["Ye4"]}
    assert longest(position, tree) == ("Rc1", ["Ye4", {"*": ["Yd5"]}])
    assert depth(tree) == 2
    steps = list(walk(tercet.parse(RING), Claim((0,), {"win": True}, 1), "Rd3", None))
    assert [step.reached for step in steps] == [True]


def test_a_win_in_one_turn_becomes_a_puzzle_now_and_then() -> None:
    """The first one ended the program."""
    known = present(game_definition("sanqi").puzzles)
    found = [idea for seed in range(40) for idea in known.find([tercet.parse(RING)], seed)]
    assert 1 <= len(found) < 20
    assert {(idea.turns, idea.task) for idea in found} == {(1, "First to move: win this turn.")}


def test_the_defender_is_asked_too() -> None:
    position = tercet.parse(RING.replace(" F ", " S "))
    found = present(solved(position, Claim((0,), {"win": True}, 1), most=300, budget=200_000))

    def stops(after: Position) -> bool:
        return not any(after.play(action).is_over for action in after.legal_actions)

    assert set(found.right) == {str(action) for action in position.legal_actions if stops(position.play(action))}


def test_whole_turns_are_all_ways_to_play_one() -> None:
    position = tercet.parse("sparklies/board=3x3,ruleset=speed r1g0b0/g0r0g0/b0g0r0 B c 0")
    found = list(whole_turns(position, 1_000))
    assert all(not turn.after.turn_is_open or turn.after.is_over for turn in found)
    assert len({turn.actions for turn in found}) == len(found)
    assert {turn.actions[0] for turn in found} == {str(action) for action in position.legal_actions}
    for turn in found:
        after = position
        for action in turn.actions:
            after = after.play(action)
        assert after == turn.after
    assert {len(turn.actions) for turn in whole_turns(position, 1_000, longest=1)} == {1}
    refuses(TooMuch, None, list, whole_turns(position, 5))


def test_puzzles_are_made_of_a_position_that_was_set_up(capsys: pytest.CaptureFixture[str]) -> None:
    """One of the board editor: the position of a puzzle that comes with the game gives that puzzle again."""
    known = next(read(shipped("sanqi")[0]))
    code, line, _ = run_command(capsys, "puzzle", "make", "sanqi", "--count", "1", "--position", known["position"])
    assert code == 0
    puzzle = json.loads(line)
    assert (puzzle["position"], puzzle["id"]) == (known["position"], known["id"])
    check(puzzle)
