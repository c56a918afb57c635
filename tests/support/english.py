"""Find dialect words and long sentences: ``python -m tests.support.english FOLDER...`` lists them with their places."""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
MAX_WORDS = 40
WORDS = re.compile(r"\b(whoever|whomever|somebody|nobody|anew|of\s+late|told|he|him|his|himself)\b", re.IGNORECASE)
# Other languages, and what is made from other sources: the page that was built, the types of the server's messages.
LEFT_OUT = re.compile(r"(^|/)(de|zh)(/|\.|$)|^src/tercet/server/page/|\.generated\.ts$")
SUFFIXES = (".py", ".ts", ".svelte", ".css", ".html", ".md", ".toml")
CODE_SPAN = re.compile(r"`+[^`]*`+")
# Where one piece of prose ends: a blank line, an item of a list, a heading, a row of a table, an example.
BREAK = re.compile(r"\n\s*\n|\n\s*(?=[-*#|>]|\d+\. )")
SENTENCE = re.compile(r"(?<=[.!?:;])\s+")
SCRIPT_COMMENT = re.compile(r"/\*\*?(.*?)\*/|<!--(.*?)-->|(?:(?<=\s)|^)//([^\n]*)", re.DOTALL | re.MULTILINE)
TOML_TEXT = re.compile(r'^(?!\s*position\b)[^"\n]*"((?:[^"\\\n]|\\.)*)"', re.MULTILINE)
SCRIPT_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


class Finding(NamedTuple):
    """A word or a sentence, with its file (relative to the root) and what it is."""

    path: str
    line: int
    what: str


def files(folder: str) -> list[Path]:
    """Return the files with English in ``folder`` and below."""
    found = (path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES and path.is_file())
    return sorted(path for path in found if not LEFT_OUT.search(str(path.relative_to(ROOT))))


def findings(path: Path) -> Iterator[Finding]:
    """Yield the dialect words and the long sentences of one file."""
    text, name = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
    for match in WORDS.finditer(text):
        yield Finding(name, text.count("\n", 0, match.start()) + 1, match[1].lower())
    for line, prose in _prose(path, text):
        for block in BREAK.split(prose) if len(prose) > 2 * MAX_WORDS else ():  # a word has a letter and a space
            for sentence in SENTENCE.split(block):
                count = len(re.findall(r"[A-Za-z][\w'’-]*", CODE_SPAN.sub("code", sentence)))
                if count > MAX_WORDS:
                    yield Finding(name, line, f"{count} words: {' '.join(sentence.split())[:70]}...")


def _prose(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Yield each piece of prose with its line: docstrings, comments, texts, or the paragraphs of a page."""
    if path.suffix == ".py":
        yield from _python_prose(text)
    elif path.suffix == ".toml":
        for match in TOML_TEXT.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match[1]
    elif path.suffix == ".md":
        yield 1, re.sub(r"^\s*(```|~~~).*?^\s*\1", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    else:
        for pattern in (SCRIPT_COMMENT, SCRIPT_TEXT):
            for match in pattern.finditer(text):
                prose = next((group for group in match.groups() if group), "")
                yield text.count("\n", 0, match.start()) + 1, re.sub(r"^\s*\* ?", "", prose, flags=re.MULTILINE)


def _python_prose(text: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, re.sub(r"^\s*(>>>|\.\.\.) .*$", "", node.value, flags=re.MULTILINE)
        elif isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
            yield node.lineno, "".join(parts)
    first, last, lines = 0, -1, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            if lines and line != last + 1:
                yield first, "\n".join(lines)
                lines = []
            first, last = (first if lines else line), line
            lines.append(token.string.lstrip("# "))
    if lines:
        yield first, "\n".join(lines)


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        for path in [ROOT / folder] if (ROOT / folder).is_file() else files(folder):
            for found in findings(path):
                print(f"{found.path}:{found.line}: {found.what}")
