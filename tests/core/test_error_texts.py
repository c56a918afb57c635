"""Errors are whole sentences that stand alone: subject, rule, remedy."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tercet
from tercet.errors import BatchError, OptionError, ParseError
from tercet.session import SessionError

ROOT = Path(tercet.__file__).parent
# Where the text of an error stands among its arguments; else it is the last one.
RAISED = re.compile(r"^[A-Z]\w*(Error|Action)$")
PREDICATE = re.compile(r"^(is|are|has|have|must|can|cannot|may|needs?|names?|says?|holds?|takes?|belongs?|was|were)\b")
WRAPPED = re.compile(
    r"\{x\}(: \{x\})*|.*: \{x\}|.*`[^`]*`|.*\{x\}|.*\[[^\]]*\]"
)  # another error's own sentence ends it


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of the errors that a file raises, with {x} where a value stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        name = getattr(node, "func", None)
        if isinstance(node, ast.Call) and RAISED.match(getattr(name, "id", "")) and node.args:
            why = node.args[-1]
            if isinstance(why, ast.Constant) and isinstance(why.value, str):
                yield node.lineno, why.value
            elif isinstance(why, ast.JoinedStr):
                parts = (str(part.value) if isinstance(part, ast.Constant) else "{x}" for part in why.values)
                yield node.lineno, "".join(parts)


def wrong(text: str) -> bool:
    whole = " " in text and (text[-1] in ".?!" or WRAPPED.fullmatch(text) is not None)
    return not whole or PREDICATE.match(text) is not None


def test_errors_are_whole_sentences() -> None:
    paths = sorted(ROOT.rglob("*.py"))
    found = [(path, line, text) for path in paths for line, text in texts(path)]
    assert len(found) > 500
    bad = [f"{path.relative_to(ROOT)}:{line}: {text}" for path, line, text in found if wrong(text)]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            OptionError("side", "The option side must be at least 3, not 2."),
            "The option side must be at least 3, not 2.",
        ),
        (BatchError("games", "`games` must be at least 1, not 0."), "`games` must be at least 1, not 0."),
        (ParseError("row 2", "Row 2 ends before d4."), "Row 2 ends before d4."),
        (ParseError("move", "There is no such cell.", 3, 7), "line 3, column 7: There is no such cell."),
        (SessionError("taken", "seat", "This seat is taken."), "This seat is taken."),
    ],
)
def test_an_error_reads_as_its_sentence(error: Exception, text: str) -> None:
    assert str(error) == text
