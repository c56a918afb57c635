"""A file of several records is split into games, line by line, so that only one is held in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tercet.errors import ParseError

__all__ = ["MAX_TEXT", "split_games"]

MAX_TEXT = 4_000_000  # characters of one game

_OPEN = re.compile(r"[^{;]*\{")
_CLOSE = re.compile(r"(?:\\.|[^\\}])*\}", re.S)


def split_games(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Split a text before each header that follows moves: each game's text and the number of its first line. ParseError
    where a game is too long."""
    gathered: list[str] = []
    first, size = 1, 0
    moves = comment = False
    for number, text in enumerate(lines, 1):
        line = text.removeprefix("\ufeff")  # a byte order mark, of a file or of one that was appended
        if line.startswith("[") and not comment:
            if moves:
                yield "".join(gathered), first
                gathered, first, size, moves = [], number, 0, False
        elif comment or line.strip():
            moves = True
            comment = _in_comment(line, comment)
        gathered.append(line)
        size += len(line)
        if size > MAX_TEXT:
            raise ParseError("record", f"A game must have at most {MAX_TEXT} characters.", number, 1)
    if "".join(gathered).strip():
        yield "".join(gathered), first


def _in_comment(line: str, inside: bool) -> bool:
    """Return whether a comment is open at the end of ``line``, given whether one was open at its beginning."""
    at = 0
    while True:
        match = (_CLOSE if inside else _OPEN).match(line, at)
        if match is None:
            return inside
        inside, at = not inside, match.end()
