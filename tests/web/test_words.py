"""The page knows no game: neither a game's name nor a word of its own stands in its sources.

:data:`WORDS` is the list, in one place; a word with other uses in a page (``line``, ``circle``, ``token``) is left out.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORDS = {
    "sanqi": "sanqi ko trio triplet stalemate pivot",
    "triplicity": "triplicity hoard hoards tribute jeopardy vanquished sacrifice purchase purchases price prices "
    "promotion pawn knight bishop rook queen king kings men frozen gods",
    "sparklies": "sparklies harlequin quadrille kingdom pinged activated deactivated spent captured duel solitaire "
    "subtle cascade",
    "others": "crossway",
}
GENERATED = "protocol.generated.ts"  # tells what the server says, in the server's words


def sources() -> list[Path]:
    """The page's own files."""
    found = [path for path in (ROOT / "web/src").rglob("*") if path.is_file() and path.name != GENERATED]
    assert len(found) > 50
    return found


def words_of(text: str) -> set[str]:
    """The words of ``text``, in small letters; ``pawnMove`` and ``pawn-move`` are two words each."""
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    return set(re.findall(r"[a-z]+", apart.lower()))


@pytest.mark.parametrize("game", WORDS)
def test_the_page_has_no_word_of_a_game(game: str) -> None:
    wanted = set(WORDS[game].split())
    found = {str(path.relative_to(ROOT)): sorted(wanted & words_of(path.read_text())) for path in sources()}
    assert {path: words for path, words in found.items() if words} == {}


def test_words_are_found_wherever_they_hide() -> None:
    assert words_of("pricesOf(Pawn) data-hoard") >= {"prices", "pawn", "hoard"}
