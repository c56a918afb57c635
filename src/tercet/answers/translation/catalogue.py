"""What the server says, in other languages than English: catalogues of sentences, and how one is found.

A catalogue is a file ``<language>.toml``, and beside it, in a folder ``<language>``, any number of files with further
texts: those of lessons and rules. Their ``texts`` give for English sentences, or whole paragraphs, those of the
language. ``{name}`` in both stands for what differs: with a pattern in the ``holes`` of ``<language>.toml`` it is that
alone, else anything; what stands there is looked up too. The first sentence that fits counts, so the special ones
stand before the general ones::

    [holes]
    cell = "[a-z]+[0-9]+"

    [texts]
    "Red" = "Rot"
    "{piece} on {cell}." = "{piece} auf {cell}."

What no sentence of the catalogue fits stays English.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tercet.errors import ParseError
from tercet.games import game_definition

LANGUAGES = ("de", "zh")  # besides English

HOLE = re.compile(r"\{(\w+)\}")
SENTENCES = re.compile(r"(?<=[.!?]) (?=\S)")
NAME = re.compile(r"[a-z]+[0-9]")
LISTED = re.compile(r"(, | and )")
MAX_CACHED_TRANSLATIONS = 1 << 14
# Comparing with sentences that have places takes time, and people may write anything: a sentence is compared up to so
# many characters, and a text of several up to so many. What games say is shorter.
LONGEST_SENTENCE = 600
MAX_TEXT_CHARACTERS = 10_000


class Catalogue:
    """The sentences of one language. ``holes`` are the patterns of places, ``texts`` the sentences by the English
    ones, ``joints`` how ``", "`` and ``" and "`` are written between the parts of a list. What is not among them is
    looked up in ``more``. ParseError where a sentence has other places than its English one."""

    def __init__(
        self,
        holes: Mapping[str, str],
        texts: Mapping[str, str],
        joints: Mapping[str, str],
        more: Catalogue | None = None,
    ) -> None:
        self._joints = joints
        self._whole: dict[str, str] = {} if more is None else dict(more._whole)
        self._patterns: list[tuple[str, re.Pattern[str], str]] = []
        for english, translated in texts.items():
            places = set(HOLE.findall(english))
            if set(HOLE.findall(translated)) - places:
                raise ParseError("texts", f"{translated!r} has places that {english!r} does not have.")
            if places:
                start = english[: english.index("{")]
                self._patterns.append((start, re.compile(_pattern(english, holes), re.DOTALL), translated))
            else:
                self._whole[english] = translated
        if more is not None:
            self._patterns += more._patterns
        self._compared: Callable[[str], str | None] = functools.lru_cache(maxsize=MAX_CACHED_TRANSLATIONS)(
            self._compare
        )

    def translate(self, text: str) -> str | None:
        """Return the text in the language; of several sentences that are no text of the catalogue, one after another.
        None where one of them is not known."""
        whole = self._whole.get(text)
        return self._compared(text) if whole is None and len(text) <= MAX_TEXT_CHARACTERS else whole

    def _compare(self, text: str) -> str | None:
        found = self._one(text) or self._fragment(text)
        if found is not None or " " not in text:
            return found
        parts = SENTENCES.split(text)
        translated = [self._one(part) for part in parts] if len(parts) > 1 else []
        return " ".join(part for part in translated if part) if translated and all(translated) else None

    def _one(self, text: str) -> str | None:
        whole = self._whole.get(text)
        if whole is not None:
            return whole
        for start, pattern, translated in self._patterns if len(text) <= LONGEST_SENTENCE else ():
            if text.startswith(start) and (match := pattern.fullmatch(text)):
                given = {name: self._part(said) for name, said in match.groupdict().items()}
                return HOLE.sub(lambda hole, given=given: given[hole[1]], translated)  # type: ignore[misc]
        return None

    def _fragment(self, text: str) -> str | None:
        """Translate a sentence that is a phrase of the catalogue with a capital and a full stop."""
        found = self._one(text[0].lower() + text[1:-1]) if text[:1].isupper() and text.endswith(".") else None
        if found is None:
            return None
        start = found[0] if NAME.match(found) else found[0].upper()  # a cell keeps its small letter
        return start + found[1:] + self._joints.get(".", ".")

    def _part(self, text: str) -> str:
        """What stands in a place: a sentence of the catalogue, a list of such, or as it is."""
        found = self.translate(text)
        if found is not None:
            return found
        parts = LISTED.split(text)
        if len(parts) == 1:
            return text
        return "".join(self._joints.get(part, part) if i % 2 else self._part(part) for i, part in enumerate(parts))


def _pattern(english: str, holes: Mapping[str, str]) -> str:
    """Return the regular expression of an English sentence; a place that comes again holds the same again."""
    found, seen = [], set()
    for i, part in enumerate(HOLE.split(english)):
        if i % 2 == 0:
            found.append(re.escape(part))
        elif part in seen:
            found.append(f"(?P={part})")
        else:
            seen.add(part)
            found.append(f"(?P<{part}>{holes.get(part, '.+?')})")
    return "".join(found)


def catalogue(folder: Path, language: str, more: Catalogue | None = None) -> Catalogue | None:
    """Return the catalogue of ``language`` in ``folder``, with ``more`` behind it; None where there is none; ParseError
    where it cannot be read."""
    path = folder / f"{language}.toml"
    if not path.is_file():
        return None
    data = _read(path)
    texts = dict(data["texts"])
    for further in sorted((folder / language).glob("*.toml")):
        texts |= _read(further)["texts"]
    try:
        return Catalogue(data.get("holes", {}), texts, data.get("joints", {}), more)
    except (AttributeError, TypeError, re.error) as error:
        raise ParseError(path.name, f"{path.name} is no catalogue: {error}") from None


@functools.cache
def own_catalogue(language: str) -> Catalogue | None:
    """Return the catalogue of what the server says."""
    return catalogue(Path(__file__).parent, language)


@functools.cache
def game_catalogue(game: str, language: str) -> Catalogue | None:
    """Return the catalogue of what ``game`` and the server say."""
    folder = game_definition(game).translations
    return None if folder is None else catalogue(folder, language, own_catalogue(language))


def teller(game: str, language: str) -> Callable[[str], str]:
    """Return what puts the texts of ``game`` into ``language``; texts that no catalogue knows stay English."""
    found = game_catalogue(game, language) or own_catalogue(language)
    return lambda text: (found and found.translate(text)) or text


def accepted(header: str) -> str:
    """Return the first language of an ``Accept-Language`` that there is, ``en`` where there is none."""
    for part in header.split(","):
        tag = part.partition(";")[0].strip().lower().partition("-")[0]
        if tag in LANGUAGES or tag == "en":
            return tag
    return "en"


def _read(path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ParseError(path.name, f"{path.name} is no catalogue: {error}") from None
    if not isinstance(data.get("texts"), dict):
        raise ParseError(path.name, f"{path.name} is no catalogue: it has no texts.")
    return data
