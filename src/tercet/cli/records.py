"""``tercet record`` and ``tercet draw``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tercet.errors import OptionError, ParseError, TercetError
from tercet.game import Position
from tercet.games import NAMES
from tercet.record import Record, read, read_file

__all__ = ["check", "picture"]

FORMS = ("record", "moves", "positions")


def check(files: Sequence[str], lenient: bool, convert: str | None) -> None:
    """Read all files; one line a file says what was found, or the records go to stdout in the form asked for."""
    if convert is not None and convert not in FORMS:
        raise OptionError("convert", f"is one of {', '.join(FORMS)}, not {convert!r}")
    for name in files:
        games = actions = flaws = 0
        try:
            for record in _records(name, lenient):
                games += 1
                actions += len(record.moves())
                flaws += len(record.problems)
                for problem in record.problems:
                    print(f"{name}: {problem}", file=sys.stderr)
                if convert == "record":
                    print(record.write())
                elif convert == "moves":
                    print(" ".join(record.moves()))
                elif convert == "positions":
                    print(record.end)
        except ParseError as error:
            raise TercetError(f"{name}: {error}") from None
        if convert is None:
            left_out = f", {flaws} problems" if flaws else ""
            print(f"{name}: {games} games, {actions} actions{left_out}")


def _records(name: str, lenient: bool) -> Iterator[Record]:
    if name == "-":
        found = read(sys.stdin.read(), lenient)
        for problem in found.problems:
            print(f"stdin: {problem}", file=sys.stderr)
        return iter(found)
    return read_file(name, lenient)


def picture(what: str, output: Path | None, ply: int | None, how: dict[str, Any]) -> None:
    """Draw a position string, or the last position (or that after ``ply`` actions) of a record file."""
    from tercet import draw

    position = _position(what, ply)
    kind = output.suffix.lower() if output else ".svg"
    if kind == ".svg":
        drawn = draw.svg(position, **how)
        if output is None:
            print(drawn)
        else:
            output.write_text(drawn + "\n", encoding="utf-8")
    elif kind == ".png" and output is not None:
        output.write_bytes(draw.png(position, **how))
    else:
        raise OptionError("output", f"ends in .svg or .png, not {kind!r}")


def _position(what: str, ply: int | None) -> Position:
    from tercet import parse

    text = sys.stdin.read().strip() if what == "-" else what
    if what != "-" and text.split("/")[0].split(" ")[0] in NAMES and " " in text:
        return parse(text)
    if what == "-" and not text.startswith("["):
        return parse(text)
    record = next(iter(read(text) if what == "-" else read_file(what)), None)
    if record is None:
        raise ParseError(what, "holds no game")
    nodes = [record.root, *record.main()]
    if ply is not None and ply >= len(nodes):
        raise OptionError("ply", f"the game has {len(nodes) - 1} actions")
    return nodes[-1 if ply is None else ply].position
