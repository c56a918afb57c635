"""What the server and the games say, in other languages than English.

A catalogue is a file ``<language>.toml``, and beside it, in a folder ``<language>``, any number of files of nothing but
further texts: those of lessons and rules. ``texts`` give the translation of English sentences or whole paragraphs.
``{name}`` in both stands for what differs. It is translated too, and fits the pattern that ``holes.toml`` beside the
catalogue, or ``holes`` in it, has for it, or for its name without digits at the end, or that the server's catalogue
has, as in ``cell = "[a-z]+[0-9]+"``; else anything. The first sentence that fits counts, so special ones come first::

    [texts]
    "Red" = "Rot"
    "{piece} on {cell}." = "{piece} auf {cell}."

A sentence without a translation stays English.

Which strings of a message are texts, its type says (`tercet.core.texts`): the type is read once, and only fields with
texts are visited. A message is translated before it is encoded, and once for all who are sent the same.
"""

from __future__ import annotations

import functools
import itertools
import re
import string
import tomllib
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from tercet.answers.names import is_made
from tercet.core.texts import TextMark
from tercet.errors import ParseError
from tercet.games import game_definition
from tercet.games import names as game_names

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
        self._joints: dict[str, str] = {**(more._joints if more else {}), **joints}
        self._holes: dict[str, str] = {**(more._holes if more else {}), **holes}
        self._whole: dict[str, str] = dict(more._whole) if more else {}
        self._patterns: list[tuple[str, re.Pattern[str], str]] = []
        for english, translated in texts.items():
            places = set(HOLE.findall(english))
            if set(HOLE.findall(translated)) - places:
                raise ParseError("texts", f"{translated!r} has places that {english!r} does not have.")
            if places:
                start = english[: english.index("{")]
                self._patterns.append((start, re.compile(_pattern(english, self._holes), re.DOTALL), translated))
            else:
                self._whole[english] = translated
        if more is not None:
            self._patterns += more._patterns
        self._compared: Callable[[str], str | None] = functools.lru_cache(MAX_CACHED_TRANSLATIONS)(self._compare)

    def translate(self, text: str) -> str | None:
        """Return the text in the language; of several sentences that are no text of the catalogue, one after another.
        None where one of them is not known."""
        whole = self._whole.get(text)
        return self._compared(text) if whole is None and len(text) <= MAX_TEXT_CHARACTERS else whole

    def _compare(self, text: str) -> str | None:
        whole = self._one(text) or self._fragment(text)
        if whole is not None or " " not in text:
            return whole
        parts = SENTENCES.split(text)
        translated = [self._one(part) or self._fragment(part) for part in parts] if len(parts) > 1 else []
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
        if not (text[:1].isupper() and text.endswith(".")):
            return None
        phrase = self._one(text[0].lower() + text[1:-1]) or self._one(text[:-1])
        if phrase is None:
            return None
        start = phrase[0] if NAME.match(phrase) else phrase[0].upper()  # a cell keeps its small letter
        return start + phrase[1:] + self._joints.get(".", ".")

    def _part(self, text: str) -> str:
        """Translate what fills a hole: a sentence of the catalogue or a list of such; anything else stays as it is."""
        whole = self.translate(text)
        if whole is not None:
            return whole
        parts = LISTED.split(text)
        if len(parts) == 1:
            return text
        return "".join(self._joints.get(part, part) if i % 2 else self._part(part) for i, part in enumerate(parts))


def _pattern(english: str, holes: Mapping[str, str]) -> str:
    """Return the regular expression of an English sentence; a place that comes again holds the same again."""
    pattern, seen = [], set()
    for i, part in enumerate(HOLE.split(english)):
        if i % 2 == 0:
            pattern.append(re.escape(part))
        elif part in seen:
            pattern.append(f"(?P={part})")
        else:
            seen.add(part)
            allowed = holes.get(part) or holes.get(part.rstrip(string.digits), ".+?")
            pattern.append(f"(?P<{part}>{allowed})")
    return "".join(pattern)


def read_catalogue(folder: Path, language: str, more: Catalogue | None = None) -> Catalogue | None:
    """Return the catalogue of ``language`` in ``folder``, with ``more`` behind it; None where there is none; ParseError
    where it cannot be read."""
    path = folder / f"{language}.toml"
    if not path.is_file():
        return None
    data, holes = _read(path), folder / "holes.toml"
    patterns = _read(holes) if holes.is_file() else {}
    texts = dict(_texts(path, data))
    for further in sorted((folder / language).glob("*.toml")):
        texts |= _texts(further, _read(further))
    try:
        return Catalogue(patterns | data.get("holes", {}), texts, data.get("joints", {}), more)
    except (AttributeError, TypeError, re.error) as error:
        raise ParseError(path.name, f"{path.name} is no catalogue: {error}") from None


@functools.cache
def own_catalogue(language: str) -> Catalogue | None:
    """Return the catalogue of what the server says."""
    return read_catalogue(Path(__file__).parent, language)


@functools.cache
def game_catalogue(game: str, language: str) -> Catalogue | None:
    """Return the catalogue of what ``game`` and the server say."""
    folder = game_definition(game).translations
    return None if folder is None else read_catalogue(folder, language, own_catalogue(language))


def teller(game: str, language: str) -> Callable[[str], str]:
    """Return what puts the texts of ``game`` into ``language``; texts that no catalogue knows stay English."""
    known = game_catalogue(game, language) or own_catalogue(language)
    return lambda text: (known and known.translate(text)) or text


def accepted(header: str) -> str:
    """Return the first language of an ``Accept-Language`` that there is, ``en`` where there is none."""
    for part in header.split(","):
        tag = part.partition(";")[0].strip().lower().partition("-")[0]
        if tag in LANGUAGES or tag == "en":
            return tag
    return "en"


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ParseError(path.name, f"{path.name} is no catalogue: {error}") from None


def _texts(path: Path, data: dict[str, Any]) -> dict[str, str]:
    """Return the texts of a file: the table of that name, or all that is in it."""
    texts = data.get("texts", data)
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise ParseError(path.name, f"{path.name} is no catalogue: it has no texts.")
    return texts


TAGS = ("type", "kind")  # the fields by which the messages of a union differ


class Translator:
    """Translates messages into ``language``: by the game they are about, which is ``game`` where they name none (None:
    the first of all games that knows a text)."""

    def __init__(self, language: str, game: str | None = None) -> None:
        self.language = language
        self.game = game

    def value(self, data: Any, kind: Any) -> Any:
        """Return ``data``, which is of the type ``kind``, with its texts in the language. Parts that are written
        already stay as they are."""
        translation = _translation(kind)
        return data if translation is None else translation(data, self, self.game)

    def say(self, text: str, game: str | None) -> str:
        """Translate a text by the catalogue of ``game`` (None: of any game) and the server's own."""
        translated = self.find(text, game)
        return text if translated is None else translated

    def find(self, text: str, game: str | None) -> str | None:
        """Return ``text`` in the language, or None if no catalogue has it."""
        asked = game_names() if game is None else (game,)
        for known in (*(game_catalogue(name, self.language) for name in asked), own_catalogue(self.language)):
            translated = None if known is None else known.translate(text)
            if translated is not None:
                return translated
        return None


Translation = Callable[[Any, Translator, str | None], Any]


def _text(text: str, translator: Translator, game: str | None) -> str:
    return translator.say(text, game) if text else text


def _name(name: str, translator: Translator, game: str | None) -> str:
    return translator.say(name, game) if is_made(name) else name


def _skin_words(words: Mapping[str, str], translator: Translator, game: str | None) -> dict[str, str]:
    """What a skin puts in the place of which words, as far as both are known: what grammar joins otherwise in the
    language has no translation."""
    pairs = ((translator.find(usual, game), translator.find(skin, game)) for usual, skin in words.items())
    return {usual: skin for usual, skin in pairs if usual is not None and skin is not None}


MARKED: dict[TextMark, Translation] = {TextMark.TEXT: _text, TextMark.NAME: _name, TextMark.SKIN: _skin_words}


def _is_object(kind: Any) -> bool:
    return isinstance(kind, type) and hasattr(kind, "__annotations__")


def _has_texts(kind: Any, within: tuple[Any, ...] = ()) -> bool:
    """Return whether there are texts in values of a type, which is a part of those types."""
    if _is_object(kind) and kind not in within:
        hints = typing.get_type_hints(kind, include_extras=True).values()
        return any(_has_texts(field, (*within, kind)) for field in hints)
    return kind in MARKED or any(_has_texts(part, within) for part in typing.get_args(kind))


@functools.cache
def _translation(kind: Any) -> Translation | None:
    """Return what translates values of a type; None where there are no texts in them."""
    if not _has_texts(kind):
        return None
    if _is_object(kind):
        return _Object(kind)
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        return next((MARKED[mark] for mark in parts if mark in MARKED), None) or _translation(parts[0])
    if origin is NotRequired:
        return _translation(parts[0])
    if origin in (typing.Union, types.UnionType):
        return _of_union([part for part in parts if part is not types.NoneType])
    if origin is tuple and parts[-1] is not Ellipsis:
        return _of_row([_translation(part) for part in parts])
    return _of_many(_translation(parts[-1 if origin in (dict, Mapping) else 0]))


def _of_many(one: Any) -> Translation:
    """Return what translates a list, or an object with texts by ids."""

    def translate(value: Any, translator: Translator, game: str | None) -> Any:
        if isinstance(value, list | tuple):
            return [one(item, translator, game) for item in value]
        if isinstance(value, Mapping):
            return {name: one(item, translator, game) for name, item in value.items()}
        return value

    return translate


def _of_row(row: list[Translation | None]) -> Translation:
    """Return what translates a list whose items have different types."""
    return lambda value, translator, game: [
        item if one is None else one(item, translator, game) for one, item in zip(row, value, strict=True)
    ]


def _of_union(kinds: list[Any]) -> Translation | None:
    """Return what translates a type that may be None, or messages that differ by their tags."""
    if len(kinds) == 1:
        return _translation(kinds[0])
    tagged = {tags: _translation(kind) for kind in kinds for tags in _tags(kind)}

    def translate(value: Any, translator: Translator, game: str | None) -> Any:
        translation = tagged[value["type"], value.get("kind")]
        return value if translation is None else translation(value, translator, game)

    return translate


def _tags(kind: Any) -> itertools.product[Any]:
    """Return the tags that a message of a type may have."""
    hints = typing.get_type_hints(kind)
    return itertools.product(
        *(typing.get_args(hints[tag]) if typing.get_origin(hints.get(tag)) is Literal else (None,) for tag in TAGS)
    )


class _Object:
    """Translates the fields of an object in which there are texts. They are about the game that a field of it names, by
    its name or by a position, or a field of such a field; else about the one that it is part of."""

    def __init__(self, kind: Any) -> None:
        hints = typing.get_type_hints(kind, include_extras=True)
        self._names = [name for name, field in hints.items() if TextMark.GAME in typing.get_args(field)]
        self._positions = [name for name, field in hints.items() if TextMark.POSITION in typing.get_args(field)]
        self._texts = {name: found for name, field in hints.items() if (found := _translation(field)) is not None}
        self._parts = [(name, found) for name, found in self._texts.items() if isinstance(found, _Object)]

    def __call__(self, value: Any, translator: Translator, game: str | None) -> Any:
        if not isinstance(value, dict):
            if not is_dataclass(value) or isinstance(value, type):
                return value
            value = vars(value)
        game = self.game_of(value) or game
        said = ((name, translate, value.get(name)) for name, translate in self._texts.items())
        return value | {name: translate(part, translator, game) for name, translate, part in said if part is not None}

    def game_of(self, value: Mapping[str, Any], deep: bool = True) -> str | None:
        """Return the game that an object is about, where it says so."""
        for name in (*self._names, *self._positions):
            if name in value:
                return re.split("[/ ]", value[name], maxsplit=1)[0]
        for name, part in self._parts if deep else ():
            inner = value.get(name)
            game = part.game_of(inner, deep=False) if isinstance(inner, dict) else None
            if game is not None:
                return game
        return None
