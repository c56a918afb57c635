"""Messages in another language: the texts for people in them, by the catalogue of the game that they are about.

What many are sent alike is translated once: a short message is remembered here, a long one by
:class:`~tercet.server.web.translation.TranslationMiddleware`, a table's view by
:class:`~tercet.server.tables.followers.Followers`.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from typing import Any

try:
    import orjson
except ModuleNotFoundError:  # in a browser
    orjson = None  # type: ignore[assignment]

from tercet.answers.names import is_made
from tercet.games import names as game_names
from tercet.translation.catalogue import LANGUAGES, accepted, game_catalogue, own_catalogue

__all__ = ["LANGUAGES", "SHORT_CHARACTERS", "Translated", "Translator", "accepted"]

# Fields that hold a text for a person, a list of such texts, or texts by ids.
TEXTS = frozenset(
    {"about", "aim", "alerts", "caption", "chapter", "designer", "formTitle", "goal", "grave", "help", "hint", "label"}
    | {"lines", "note", "notes", "player", "players", "prompt", "result", "says", "standing", "summary", "task"}
    | {"title", "titles", "unrated", "victory", "why", "words"}
)
UNTOUCHED = frozenset({"optionText", "record", "headers", "talk"})
GAME = re.compile(r"([a-z_]+)[/ ]")
SHORT_CHARACTERS = 4096  # a message that has no more of them is translated on the event loop, and remembered
SHORT_REMEMBERED = 1024


class Translated(str):
    """A message that is in its client's language already."""

    __slots__ = ()


class Translator:
    """Translates the messages of one connection into ``language``: by the game they are about, which is ``game`` where
    they name none, else the one they were about last."""

    def __init__(self, language: str, game: str | None = None) -> None:
        self.language = language
        self.game = game

    def message(self, text: str) -> Translated:
        """A message as JSON, with its texts in the language; as it is where it is no JSON."""
        if len(text) <= SHORT_CHARACTERS:
            translated, self.game = _short_message(self.language, self.game, text)
            return translated
        data = _read(text)
        return Translated(text if data is None else _write(self.value(data)))

    def value(self, data: Any) -> Any:
        """A message as an object, likewise."""
        return self._walk(data, self.game)

    def say(self, text: str, game: str | None) -> str:
        """One text, by the catalogue of ``game`` (None: of any) and the server's own."""
        translated = self.find(text, game)
        return text if translated is None else translated

    def find(self, text: str, game: str | None) -> str | None:
        """The same; None where no catalogue has it."""
        asked = game_names() if game is None else (game,)
        for found in (*(game_catalogue(name, self.language) for name in asked), own_catalogue(self.language)):
            translated = None if found is None else found.translate(text)
            if translated is not None:
                return translated
        return None

    def _walk(self, value: Any, game: str | None) -> Any:
        if isinstance(value, list):
            return [self._walk(one, game) for one in value]
        if not isinstance(value, dict):
            return value
        game = self._game_of(value) or game
        return {name: self._field(name, one, value, game) for name, one in value.items()}

    def _field(self, name: str, value: Any, whole: dict[str, Any], game: str | None) -> Any:
        if name in UNTOUCHED or (name == "options" and isinstance(value, dict)):
            return value
        if name == "words" and "note" in whole and _by_ids(value):
            return self._skin_words(value, game)
        if name in TEXTS:
            return self._texts(value, game)
        if name == "paths" and _of_three(value):
            return [[action, steps, self.say(says, game)] for action, steps, says in value]
        if name == "sections" and _of_three(value):
            return [[self.say(title, game), self._texts(texts, game), drawn] for title, texts, drawn in value]
        if name == "text" and "marks" in whole and ("complete" in whole or "task" in whole):
            return self._texts(value, game)  # what was found out about a position, or what a step of a lesson explains
        if name == "name" and ("tone" in whole or "task" in whole):  # of a symbol, or of a player
            return self._texts(value, game)
        if name == "name" and isinstance(value, str) and is_made(value):
            return self.say(value, game)
        return self._walk(value, game)

    def _texts(self, value: Any, game: str | None) -> Any:
        say: Callable[[str], str] = functools.partial(self.say, game=game)
        if isinstance(value, str):
            return say(value) if value else value
        if isinstance(value, list):
            return [say(one) if isinstance(one, str) else self._walk(one, game) for one in value]
        if _by_ids(value):
            return {name: say(one) for name, one in value.items()}
        return self._walk(value, game)

    def _skin_words(self, words: dict[str, str], game: str | None) -> dict[str, str]:
        """What a skin puts in the place of which words, as far as both are known: what grammar joins otherwise in the
        language has no translation."""
        found = ((self.find(usual, game), self.find(translated, game)) for usual, translated in words.items())
        return {usual: translated for usual, translated in found if usual is not None and translated is not None}

    def _game_of(self, value: dict[str, Any]) -> str | None:
        """The game that this part of a message is about, where it says so."""
        named = value.get("game") or value.get("name")
        if isinstance(named, str) and named in game_names():
            if "board" in value:  # a table's: what follows is about it too
                self.game = named
            return named
        view = value.get("view")
        position = value.get("position") or (view.get("position") if isinstance(view, dict) else None)
        if isinstance(position, str) and (match := GAME.match(position)) and match[1] in game_names():
            return match[1]
        return None


@functools.lru_cache(maxsize=SHORT_REMEMBERED)
def _short_message(language: str, game: str | None, text: str) -> tuple[Translated, str | None]:
    """A message, and the game that the next one is about if it names none."""
    data = _read(text)
    if data is None:
        return Translated(text), game
    translator = Translator(language, game)
    return Translated(_write(translator.value(data))), translator.game


def _read(text: str) -> Any:
    """What a message says; None where it is no JSON."""
    for loads in (orjson.loads, json.loads) if orjson else (json.loads,):  # the quick one takes no half of a pair
        try:
            return loads(text)
        except ValueError:
            pass
    return None


def _write(data: Any) -> str:
    if orjson:
        try:
            return orjson.dumps(data).decode()
        except TypeError:
            pass
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def _by_ids(value: Any) -> bool:
    """Whether this is texts by ids."""
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _of_three(value: Any) -> bool:
    """Whether this is a list of lists of three."""
    return isinstance(value, list) and all(isinstance(one, list) and len(one) == 3 for one in value)
