"""``tercet puzzle``: making, checking and looking at puzzles."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

import tercet
from tercet.cli.play import board_text
from tercet.errors import TercetError
from tercet.games import names
from tercet.learning.puzzles import PuzzleError, Refused, from_positions, key_of, read, shipped, write
from tercet.learning.puzzles import check as check_puzzle
from tercet.learning.puzzles import make as make_puzzles
from tercet.record import read_file


def make(
    game: str,
    count: int,
    seed: int,
    output: Path | None,
    workers: int | None,
    records: Sequence[Path],
    tags: Sequence[str] = (),
    without: Sequence[Path] = (),
) -> None:
    """Make puzzles and write them, telling on stderr how far it is."""
    there = [puzzle for path in without for puzzle in read(path)]
    console = Console(stderr=True, highlight=False)

    def tell(made: int, played: int) -> None:
        console.print(f"{made} puzzles in {played} games", style="dim", end="\r" if console.is_terminal else "\n")

    if records:
        found = _from_records(game, records, count, seed, tags, there)
    else:
        found = make_puzzles(game, count, seed, tags=tags, without=there, workers=workers, progress=tell)
    if output is not None:
        write(output, found)
        return
    for puzzle in found:
        print(json_module.dumps(puzzle, ensure_ascii=False), flush=True)


def _from_records(
    game: str, files: Sequence[Path], count: int, seed: int, tags: Sequence[str], without: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    known = {key_of(puzzle) for puzzle in without}
    made = 0
    for file in files:
        for number, record in enumerate(read_file(file)):
            positions = [record.start, *(node.position for node in record.main())]
            positions = [position for position in positions if not position.is_over]
            if not positions or positions[0].game.name != game:
                continue
            for key, puzzle in from_positions(positions, seed, {"record": file.name, "game": number}):
                if key not in known and (not tags or set(tags) & set(puzzle["tags"])):
                    known.add(key)
                    made += 1
                    yield puzzle
                    if made == count:
                        return


def check(files: Sequence[Path], json: bool) -> int:
    """Check files of puzzles. Return the exit code."""
    problems: list[dict[str, Any]] = []
    count = played = refuted = 0
    for file in files:
        for number, puzzle in enumerate(read(file), 1):
            count += 1
            refuted += "wrong" in puzzle
            try:
                played += check_puzzle(puzzle)
            except (TercetError, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
                place = error.place if isinstance(error, Refused) else ""
                reason = error.reason if isinstance(error, Refused) else f"cannot be read ({error})"
                problems.append(
                    {"file": file.name, "number": number, "id": puzzle["id"], "place": place, "reason": reason}
                )
            if sys.stderr.isatty():
                print(f"\r{count} puzzles", end="", file=sys.stderr)
    if json:
        print(json_module.dumps({"puzzles": count, "refuted": refuted, "actions": played, "problems": problems}))
        return 1 if problems else 0
    for problem in problems:
        place = f" at {problem['place']}" if problem["place"] else ""
        print(f"{problem['file']}: puzzle {problem['number']} ({problem['id']}){place}: {problem['reason']}")
    print(
        f"{count} puzzles, {len(problems)} that do not hold; all other first actions are refuted in {refuted}; "
        f"{played:,} actions played"
    )
    return 1 if problems else 0


def _all(game: str | None) -> Iterator[dict[str, Any]]:
    for name in [game] if game is not None else names():
        for file in shipped(name):
            yield from read(file)


def list_all(game: str | None, tags: Sequence[str], json: bool) -> None:
    """List puzzles that come with the games."""
    for puzzle in _all(game):
        if not set(tags) <= set(puzzle["tags"]):
            continue
        if json:
            print(json_module.dumps(puzzle, ensure_ascii=False))
        else:
            print(f"{puzzle['id']}  {puzzle['rating']:>4}  {', '.join(puzzle['tags'])}")


def show(name: str) -> None:
    """Print a puzzle; PuzzleError if there is none of this name."""
    for puzzle in _all(None):
        if puzzle["id"] == name:
            print(puzzle["task"])
            print(puzzle["position"])
            Console(highlight=False).print(board_text(tercet.parse(puzzle["position"])))
            print(f"right: {', '.join(puzzle['right'])}")
            print(f"tags: {', '.join(puzzle['tags'])}; rating {puzzle['rating']}")
            return
    raise PuzzleError(f"There is no puzzle {name[:40]!r}. `tercet puzzle list` lists them.")
