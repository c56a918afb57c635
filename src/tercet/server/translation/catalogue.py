"""What the server says, in other languages than English: catalogues of sentences, and how one is found.

A catalogue is a file ``<language>.toml``. Its ``texts`` give for English sentences those of the language. ``{name}``
in both stands for what differs: with a pattern in ``holes`` it is that alone, else anything; what stands there is
looked up too. The first sentence that fits counts, so the special ones stand before the general ones::

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
from collections.abc import Mapping
from pathlib import Path

from tercet.errors import ParseError

__all__ = ["Catalogue", "catalogue"]

HOLE = re.compile(r"\{(\w+)\}")
SENTENCES = re.compile(r"(?<=[.!?]) (?=[A-Z])")
LISTED = re.compile(r"(, | and )")
KEPT = 1 << 14  # translations that are remembered


class Catalogue:
    """The sentences of one language. ``holes`` are the patterns of places, ``texts`` the sentences by the English
    ones, ``joints`` how ``", "`` and ``" and "`` are written between the parts of a list. ParseError where a sentence
    has other places than its English one."""

    def __init__(self, holes: Mapping[str, str], texts: Mapping[str, str], joints: Mapping[str, str]) -> None:
        self._joints = joints
        self._whole = {english: told for english, told in texts.items() if not HOLE.search(english)}
        self._patterns: list[tuple[str, re.Pattern[str], str]] = []
        for english, told in texts.items():
            if set(HOLE.findall(told)) - set(HOLE.findall(english)):
                raise ParseError("texts", f"{told!r} has places that {english!r} has not")
            if english not in self._whole:
                start = english[: english.index("{")]
                self._patterns.append((start, re.compile(_pattern(english, holes), re.DOTALL), told))
        self.translate = functools.lru_cache(maxsize=KEPT)(self._translate)

    def _translate(self, text: str) -> str | None:
        """The sentence, or several one after another; None where one of them is not known."""
        found = self._one(text)
        if found is not None or " " not in text:
            return found
        parts = SENTENCES.split(text)
        told = [self._one(part) for part in parts] if len(parts) > 1 else []
        return " ".join(part for part in told if part) if told and all(told) else None

    def _one(self, text: str) -> str | None:
        whole = self._whole.get(text)
        if whole is not None:
            return whole
        for start, pattern, told in self._patterns:
            if text.startswith(start) and (match := pattern.fullmatch(text)):
                given = {name: self._part(said) for name, said in match.groupdict().items()}
                return HOLE.sub(lambda hole, given=given: given[hole[1]], told)  # type: ignore[misc]
        return None

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
    """The regular expression of an English sentence; a place that comes again holds the same again."""
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


@functools.cache
def catalogue(folder: Path, language: str) -> Catalogue | None:
    """The catalogue of ``language`` in ``folder``, None where there is none; ParseError where it cannot be read."""
    path = folder / f"{language}.toml"
    if not path.is_file():
        return None
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return Catalogue(data.get("holes", {}), data["texts"], data.get("joints", {}))
    except (tomllib.TOMLDecodeError, KeyError, AttributeError, TypeError, re.error) as error:
        raise ParseError(path.name, f"is no catalogue: {error}") from None
