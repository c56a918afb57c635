"""Files of puzzles: one a line, as JSON; compressed where the name ends in ``.gz``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tercet.errors import TercetError
from tercet.games import game_definition

FIELDS = {
    "id": str, "game": str, "options": dict, "position": str, "mover": int, "task": str, "attackers": list,
    "goal": dict, "turns": int, "right": dict, "tags": list, "rating": int, "source": dict,
}  # fmt: skip


class PuzzleError(TercetError, ValueError):
    """A file that holds no puzzles, or a game without any."""


def read(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the puzzles of a file, in order. PuzzleError names the line that is none; OSError."""
    path = Path(path)
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        for number, line in enumerate(_lines(file, path.name), 1):
            try:
                puzzle = json.loads(line)
                missing = [name for name, kind in FIELDS.items() if not isinstance(puzzle[name], kind)]
            except (ValueError, KeyError, TypeError) as error:
                raise PuzzleError(f"{path.name}, line {number}: A line must be a puzzle in JSON ({error}).") from None
            if missing:
                raise PuzzleError(f"{path.name}, line {number}: The field {missing[0]} has a wrong type.")
            yield puzzle


def _lines(file: Iterable[bytes], name: str) -> Iterator[bytes]:
    try:
        yield from file
    except EOFError:
        raise PuzzleError(f"{name} is damaged: its compressed text ends too early.") from None


def write(path: str | Path, puzzles: Iterable[dict[str, Any]]) -> None:
    """Write a file of puzzles."""
    text = "".join(json.dumps(puzzle, ensure_ascii=False, separators=(",", ":")) + "\n" for puzzle in puzzles)
    data = text.encode()
    Path(path).write_bytes(gzip.compress(data, 9, mtime=0) if Path(path).suffix == ".gz" else data)


def shipped(game: str) -> list[Path]:
    """Return the files of puzzles that come with a game; none if it has none."""
    puzzles = game_definition(game).puzzles
    return [] if puzzles is None else sorted(puzzles.folder.glob("*.jsonl*"))
