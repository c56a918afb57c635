"""Messages in another language: the texts for people in them, by the catalogue of the game that they are about.

Which strings of a message are texts, its type says (`tercet.core.texts`): the type is read once, and what comes of it
goes only where there are texts. A message is translated before it is encoded. What many are sent alike is translated
once, as it is written once.
"""

from __future__ import annotations

import functools
import itertools
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Annotated, Any, Literal, NotRequired

from tercet.answers.names import is_made
from tercet.answers.translation.catalogue import LANGUAGES, accepted, game_catalogue, own_catalogue
from tercet.core.texts import TextMark
from tercet.core.view import fields_of
from tercet.games import names as game_names

__all__ = ["LANGUAGES", "Translator", "accepted"]

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
        found = _translation(kind)
        return data if found is None else found(data, self, self.game)

    def say(self, text: str, game: str | None) -> str:
        """One text, by the catalogue of ``game`` (None: of any) and the server's own."""
        translated = self.find(text, game)
        return text if translated is None else translated

    def find(self, text: str, game: str | None) -> str | None:
        """Return ``text`` in the language, or None if no catalogue has it."""
        asked = game_names() if game is None else (game,)
        for found in (*(game_catalogue(name, self.language) for name in asked), own_catalogue(self.language)):
            translated = None if found is None else found.translate(text)
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
    found = ((translator.find(usual, game), translator.find(skin, game)) for usual, skin in words.items())
    return {usual: skin for usual, skin in found if usual is not None and skin is not None}


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
    """Of a list, or an object with texts by ids."""

    def translate(value: Any, translator: Translator, game: str | None) -> Any:
        if isinstance(value, list | tuple):
            return [one(item, translator, game) for item in value]
        if isinstance(value, Mapping):
            return {name: one(item, translator, game) for name, item in value.items()}
        return value

    return translate


def _of_row(row: list[Translation | None]) -> Translation:
    """Of a list with a type for each place."""
    return lambda value, translator, game: [
        item if one is None else one(item, translator, game) for one, item in zip(row, value, strict=True)
    ]


def _of_union(kinds: list[Any]) -> Translation | None:
    """Of a type that may be None, or of messages that differ by their tags."""
    if len(kinds) == 1:
        return _translation(kinds[0])
    tagged = {tags: _translation(kind) for kind in kinds for tags in _tags(kind)}

    def translate(value: Any, translator: Translator, game: str | None) -> Any:
        found = tagged[value["type"], value.get("kind")]
        return value if found is None else found(value, translator, game)

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
            value = fields_of(value)
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
            found = part.game_of(inner, deep=False) if isinstance(inner, dict) else None
            if found is not None:
                return found
        return None
