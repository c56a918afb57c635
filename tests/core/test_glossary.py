"""The glossary names modules that there are, in alphabetical order, each word once."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "concepts" / "glossary.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| `([a-z_.]+)` \|$", TEXT, re.MULTILINE)


def test_each_row_is_read() -> None:
    lines = [line for line in TEXT.splitlines() if line.startswith("| ")]
    headings = [line for line in lines if line.startswith(("| word ", "| --- "))]
    assert len(ROWS) == len(lines) - len(headings) > 50
    words = [word for word, _, _ in ROWS]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize(("word", "module"), [(word, module) for word, _, module in ROWS])
def test_module_exists(word: str, module: str) -> None:
    assert importlib.util.find_spec(module) is not None, f"{word}: there is no {module}"
