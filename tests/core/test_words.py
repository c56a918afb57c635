"""No game is known outside ``games/``, by name or by a word of its own, but in examples of docstrings (``>>>``)."""

import re
from pathlib import Path

import tercet
from tercet.games import BUILT_IN

ROOT = Path(tercet.__file__).parents[2]
# Words that only one of the games has. Words that boards and pages share with them (circle, line, ping) are not here.
OWN_WORDS = {
    "sanqi": "shang zhong replaceable ko triplets? stalemates?",
    "triplicity": "hoards? tributes? purchases? jeopardy vanquish\\w* pawns? promotions? knights? bishops? queens? "
    "kings? sacrifices?",
    "sparklies": "harlequins? quadrilles? takers? prey playtest\\w* deactivat\\w* chain\\sreactions? kingdoms? pinged "
    "solitaires?",
}
# Words that the page has none of either; elsewhere they mean other things too (frozen dataclasses, time that is spent).
PAGE_WORDS = ("prices?", "rooks?", "coins?", "frozen", "captured", "activated", "spent")
GENERATED = "protocol.generated.ts"  # the server's own docstrings
EXAMPLE = re.compile(r"^\s*(>>>|\.\.\.) .*(\n(?!\s*(>>>|\"\"\"))\s*\S.*)*", re.MULTILINE)


def sources() -> list[Path]:
    found = [path for path in (ROOT / "src" / "tercet").rglob("*.py") if "games" not in path.relative_to(ROOT).parts]
    return found + [path for path in (ROOT / "web" / "src").rglob("*") if path.suffix in (".ts", ".svelte", ".css")]


def test_no_game_is_known_here() -> None:
    assert set(OWN_WORDS) == set(BUILT_IN)
    words = [*OWN_WORDS, *(rf"\b{word}\b" for own in OWN_WORDS.values() for word in own.split())]
    pattern = re.compile("|".join(words), re.IGNORECASE)
    for path in sources():
        text = path.read_text(encoding="utf-8")
        assert pattern.findall(EXAMPLE.sub("", text) if ">>>" in text else text) == [], path


def test_the_page_has_none_of_these_words_either() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in sources() if path.suffix != ".py"}
    assert len(found) > 50
    pattern = re.compile(rf"\b(?:{'|'.join(PAGE_WORDS)})\b", re.IGNORECASE)
    said = {name: pattern.findall(text) for name, text in found.items() if name != GENERATED}
    assert {name: words for name, words in said.items() if words} == {}
