"""Names: chosen names and handles, and which of them imitate others."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from pathlib import Path

import tercet
from tercet.answers.names import BLANKS, DELETED

HANDLE = r"[A-Za-z][A-Za-z0-9_-]{2,19}"
# Words that would pass for the site itself, or for an address of ours; the games' names are such words too.
RESERVED_WORDS = (
    "account admin administrator anonymous api bot deleted engine everybody friend guest help host house me mod "
    "moderator nobody official operator owner people player root security server staff support system tercet "
    "watcher webmaster you"
)
# Words that speak for the site wherever they stand in a name, in the page's languages and in Russian.
OFFICE_WORDS = (
    "admin admins administrator administrators administration mod mods moderator moderators moderation official "
    "operator staff support sysadmin sysop system webmaster tercet "
    "administratorin moderatorin betreiber offiziell team-tercet "
    "\u0430\u0434\u043c\u0438\u043d \u0430\u0434\u043c\u0438\u043d\u0438\u0441\u0442\u0440\u0430\u0442\u043e\u0440 "
    "\u043c\u043e\u0434\u0435\u0440\u0430\u0442\u043e\u0440 \u043f\u043e\u0434\u0434\u0435\u0440\u0436\u043a\u0430"
)
# The same where letters have no spaces between words: whatever has one of them in it is refused.
OFFICE_PARTS = "tercet moderator administrator \u7ba1\u7406\u5458 \u7248\u4e3b \u5b98\u65b9 \u5ba2\u670d \u5f15\u64ce"
RESERVED = frozenset(RESERVED_WORDS.split()) | frozenset(tercet.games())
SKELETON_VERSION = "2, Unicode 17"  # of what :func:`skeletons` makes, with the version of the table
# Scripts that are written together with Latin letters in one word; and those that look too much like them.
WRITTEN_TOGETHER = ({"Latin", "Han", "Hiragana", "Katakana"}, {"Latin", "Han", "Bopomofo"}, {"Latin", "Han", "Hangul"})
NEVER_WITH_LATIN = {"Cyrillic", "Greek", "Cherokee", "Armenian", "Coptic", "Lisu", "Deseret"}
# Scripts by the first words of their letters' names, where those are others.
SCRIPTS = {"Cjk": "Han", "Ideographic": "Han", "Hentaigana": "Hiragana"}
# What each confusable character looks like.
CONFUSABLES = {
    int(character, 16): "".join(chr(int(one, 16)) for one in prototype.split("+"))
    for line in Path(__file__).with_name("confusables.txt").read_text("utf-8").splitlines()
    for prototype, alike in (() if line.startswith("#") else (group.split("=") for group in line.split()))
    for character in alike.split(",")
}


def skeletons(name: str) -> frozenset[str]:
    """Return what ``name`` has in common with the names that a reader may take for it: two names that share one of
    these are confusable.

    The letters are those of UTS 39, and small capitals and the like are Latin letters; without case, accents, width
    and spacing. A capital I counts once as i and once as l, which it looks like.
    """
    plain = unicodedata.normalize("NFKD", name)
    return frozenset(skeleton for text in (plain, plain.casefold()) if (skeleton := _skeleton(text)))


def _skeleton(text: str) -> str:
    for _ in range(2):  # what is confusable only in lower case is found the second time
        text = unicodedata.normalize("NFKD", text.translate(CONFUSABLES).casefold())
    bare = "".join(character for character in text if character.isalnum() and character not in BLANKS)
    return bare.replace("rn", "m").replace("vv", "w")


def _loose(word: str) -> frozenset[str]:
    """Return the skeletons of a word with i read as l: for the few words where that may refuse too much."""
    return frozenset(one.replace("i", "l").replace("cl", "d") for one in skeletons(word))


def _loose_words(words: str) -> frozenset[str]:
    return frozenset(one for word in words.split() for one in _loose(word))


_RESERVED = _loose_words(" ".join(RESERVED)) | _loose(DELETED)
_OFFICE = _loose_words(OFFICE_WORDS)
_PARTS = _loose_words(OFFICE_PARTS)
_ENGINE = re.compile("(englnes?)(level|stufe|stage)?[0-9lo]*")


def is_reserved(name: str) -> bool:
    """Return whether ``name`` reads like the site, its people, one of its engines, or an account that was deleted."""
    whole = _loose(name)
    words = [_loose(word) for word in re.split(r"[\W_]+", unicodedata.normalize("NFKC", name))]
    return (
        not whole.isdisjoint(_RESERVED)
        or any(not word.isdisjoint(_OFFICE) for word in words)
        or any(part in one for part in _PARTS for one in whole)
        or any(_ENGINE.fullmatch(one) for one in whole)
    )


def mixes_scripts(name: str) -> bool:
    """Return whether a word of ``name`` mixes scripts that are not written together (UTS 39: not even moderately
    restrictive)."""
    for word in name.split():
        scripts = {script for letter in word if (script := _script(letter))}
        if len(scripts) < 2 or any(scripts <= together for together in WRITTEN_TOGETHER):
            continue
        if len(scripts) > 2 or "Latin" not in scripts or scripts & NEVER_WITH_LATIN:
            return True
    return False


def _script(letter: str) -> str:
    """Return the script of a letter, with which its name begins; empty for what all scripts share."""
    own = unicodedata.category(letter) in ("Lu", "Ll", "Lt", "Lo") and unicodedata.decomposition(letter)[:1] != "<"
    word = unicodedata.name(letter, "").partition(" ")[0].title() if own else ""
    return SCRIPTS.get(word, word)


def is_handle(text: str) -> bool:
    """Return whether ``text`` looks like a handle, so that other texts need no search."""
    return re.fullmatch(HANDLE, text, re.ASCII) is not None


def handle_of(text: str) -> str | None:
    """Return ``text`` as a handle (3 to 20 letters, digits, ``-`` or ``_``, a letter first; lower case); None if it is
    none, or reserved."""
    if not is_handle(text):
        return None
    handle = text.lower()
    return None if handle in RESERVED or is_reserved(handle) else handle


def tombstone(handle: str) -> str:
    """Return the key that reserves the ``handle`` of a deleted account against imitation."""
    return f"gone {hashlib.sha256(handle.encode()).hexdigest()[:32]}"
