"""The console: cells of Python that run in a worker of the page, where ``import tercet`` works."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from tercet.core.game import Game, Position
from tercet.games import names
from tercet.pictures.drawing import svg

PIECE = 4096  # characters after which printed text is posted
PIECE_SECONDS = 0.1  # after which it is posted too
PROMPTS = (">>> ", "... ")


class Console:
    """Runs cells one after another, which share their names. ``post`` takes what they print, in pieces."""

    def __init__(self, post: Callable[[str], object]) -> None:
        self._post = post
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._cells = 0

    def run(self, cell: str) -> str:
        """Run a cell and return JSON. ``error`` is the traceback of a cell that failed; ``position`` and ``svg`` are
        the last position that the cell returned or assigned. What does not exist is empty. ``known`` says whether the
        page knows its game: it does not know a rule of the cells' own."""
        self._cells += 1
        name = f"<cell {self._cells}>"
        cell = _without_prompts(cell)
        linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
        printed = _Printed(self._post)
        shown: list[Position] = []
        usual, error = sys.displayhook, ""

        def display(value: object) -> None:
            usual(value)
            shown.extend(_positions(value))

        sys.displayhook = display
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                for statement in ast.parse(cell, name).body:
                    exec(compile(ast.Interactive([statement]), name, "single"), self._names)  # noqa: S102
                    for assigned in _assigned(statement):
                        shown.extend(_positions(self._names.get(assigned)))
        except BaseException as raised:
            error = _readable(raised)
        finally:
            sys.displayhook = usual
        printed.post()
        last = shown[-1] if shown else None
        drawing, known = (svg(last), last.game.name in names()) if last else ("", False)
        return json.dumps({"error": error, "position": str(last or ""), "svg": drawing, "known": known})


class _Printed(io.TextIOBase):
    """Posts what is printed, in pieces that are neither many nor late."""

    def __init__(self, post: Callable[[str], object]) -> None:
        self._post_text = post
        self._parts: list[str] = []
        self._length = 0
        self._posted = time.monotonic()

    def write(self, text: str) -> int:
        self._parts.append(text)
        self._length += len(text)
        if self._length >= PIECE or time.monotonic() - self._posted >= PIECE_SECONDS:
            self.post()
        return len(text)

    def post(self) -> None:
        """Post what has not been posted."""
        text = "".join(self._parts)
        self._parts, self._length, self._posted = [], 0, time.monotonic()
        if text:
            self._post_text(text)


def _without_prompts(cell: str) -> str:
    """Return the code of an example with prompts, as documentation prints it. Other code stays as it is."""
    lines = cell.splitlines()
    if not any(line.startswith(">>>") for line in lines):
        return cell
    return "\n".join(line[4:] for line in lines if f"{line} ".startswith(PROMPTS))


def _assigned(statement: ast.stmt) -> list[str]:
    """Return the names that a statement assigns outside functions and classes."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return []
    return [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _positions(value: object) -> list[Position]:
    """Return the position to draw for a value, if there is one: a game shows its start."""
    if isinstance(value, Game):
        return [value.start()]
    return [value] if isinstance(value, Position) else []


def _readable(raised: BaseException) -> str:
    """Return the traceback of an error, as far as it lies in cells."""
    report = traceback.TracebackException.from_exception(raised)
    one: traceback.TracebackException | None = report
    while one is not None:
        one.stack[:] = [frame for frame in one.stack if frame.filename.startswith("<cell ")]
        one = one.__cause__ or one.__context__
    return "".join(report.format(chain=False))
