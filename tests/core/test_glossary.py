"""One word, one meaning: ``glossary.toml`` says what words may mean in the source, where, and how often at most."""

import importlib.util
import io
import re
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "concepts" / "glossary.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| `([a-z_.]+)` \|$", TEXT, re.MULTILINE)
GLOSSARY: dict[str, Any] = tomllib.loads(Path(__file__).with_name("glossary.toml").read_text(encoding="utf-8"))
MODULES: dict[str, list[str]] = GLOSSARY.pop("modules")
NO_CODE = re.compile(
    r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`""", re.DOTALL
)  # comments and texts of TypeScript


def test_each_row_is_read() -> None:
    lines = [line for line in TEXT.splitlines() if line.startswith("| ")]
    headings = [line for line in lines if line.startswith(("| word ", "| --- "))]
    assert len(ROWS) == len(lines) - len(headings) > 50
    words = [word for word, _, _ in ROWS]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize(("word", "module"), [(word, module) for word, _, module in ROWS])
def test_module_exists(word: str, module: str) -> None:
    assert importlib.util.find_spec(module) is not None, f"{word}: there is no {module}"


def sources() -> Iterator[Path]:
    yield from (ROOT / "src" / "tercet").rglob("*.py")
    for path in (ROOT / "web" / "src").rglob("*"):
        if path.suffix in (".ts", ".svelte") and "words" not in path.parts and ".generated." not in path.name:
            yield path


def identifiers(path: Path) -> Iterator[str]:
    """Yield the identifiers of Python, TypeScript, or the script of a Svelte component."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        yield from (token.string for token in tokens if token.type == tokenize.NAME)
        return
    if path.suffix == ".svelte":
        text = "\n".join(re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL))
    yield from re.findall(r"[A-Za-z_$][\w$]*", NO_CODE.sub(" ", text))


@cache
def counts() -> dict[str, Counter[str]]:
    """Return how often each word of the glossary is an identifier, by folder: three names deep."""
    found = {word: Counter[str]() for word in GLOSSARY}
    for path in sources():
        folder = "/".join(path.relative_to(ROOT).parts[:3])
        for name, times in Counter(identifiers(path)).items():
            if name in found:
                found[name][folder] += times
    return found


@pytest.mark.parametrize("word", GLOSSARY)
def test_a_word_means_what_the_glossary_says_where_it_says(word: str) -> None:
    allowed = {folder: most for meaning in GLOSSARY[word] for folder, most in meaning["where"].items()}
    assert len(allowed) == sum(len(meaning["where"]) for meaning in GLOSSARY[word]), "one folder, one meaning"
    too_often = {folder: times for folder, times in counts()[word].items() if times > allowed.get(folder, 0)}
    meanings = "; ".join(meaning["means"] for meaning in GLOSSARY[word])
    assert not too_often, f"{word!r} means: {meanings}. Give what it means there another name."


def test_a_name_of_a_module_stands_where_the_glossary_says() -> None:
    for name, folders in MODULES.items():
        there = {str(path.parent.relative_to(ROOT)) for path in sources() if path.stem == name}
        assert there <= set(folders), f"There is another {name}.py. Give it a name that says what it holds."


if __name__ == "__main__":
    for each, folders_of in counts().items():
        print(each, ", ".join(f'"{folder}" = {times}' for folder, times in folders_of.most_common()))
