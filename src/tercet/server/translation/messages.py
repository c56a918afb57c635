"""Messages in another language: the texts for people in them, by the catalogue of the game that they are about."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tercet.games import game_definition
from tercet.games import names as game_names
from tercet.server.translation.catalogue import Catalogue, catalogue

__all__ = ["LANGUAGES", "Translator", "accepted"]

LANGUAGES = ("de", "zh")  # besides English
OWN = Path(__file__).parent
# Fields that hold a text for a person, a list of such texts, or texts by ids.
TEXTS = frozenset(
    {
        "about",
        "aim",
        "alerts",
        "caption",
        "chapter",
        "formTitle",
        "goal",
        "grave",
        "help",
        "hint",
        "label",
        "lines",
        "note",
    }
    | {"notes", "player", "players", "prompt", "result", "says", "standing", "summary", "task", "title", "why", "words"}
)
UNTOUCHED = frozenset({"skins", "optionText", "record", "headers", "talk"})
GAME = re.compile(r"([a-z_]+)[/ ]")


def accepted(header: str) -> str:
    """The first language of an ``Accept-Language`` that there is, ``en`` where there is none."""
    for part in header.split(","):
        tag = part.partition(";")[0].strip().lower().partition("-")[0]
        if tag in LANGUAGES or tag == "en":
            return tag
    return "en"


@functools.cache
def _own(language: str) -> Catalogue | None:
    return catalogue(OWN, language)


@functools.cache
def _of_game(game: str, language: str) -> Catalogue | None:
    folder = game_definition(game).translations
    return None if folder is None else catalogue(folder, language)


class Translator:
    """Translates the messages of one connection into ``language``; it remembers the game they were about last."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._game: str | None = None

    def message(self, text: str) -> str:
        """A message as JSON, with its texts in the language; as it is where it is no JSON."""
        try:
            data = json.loads(text)
        except ValueError:
            return text
        return json.dumps(self.value(data), separators=(",", ":"), allow_nan=False)

    def value(self, data: Any) -> Any:
        """A message as an object, likewise."""
        return self._walk(data, self._game)

    def say(self, text: str, game: str | None) -> str:
        """One text, by the catalogue of ``game`` (None: of any), else by the server's own."""
        asked = game_names() if game is None else (game,)
        for found in (*(_of_game(name, self.language) for name in asked), _own(self.language)):
            told = None if found is None else found.translate(text)
            if told is not None:
                return told
        return text

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
        if name in TEXTS:
            return self._texts(value, game)
        if name == "paths" and _of_three(value):
            return [[action, steps, self.say(says, game)] for action, steps, says in value]
        if name == "sections" and _of_three(value):
            return [[self.say(title, game), self._texts(texts, game), drawn] for title, texts, drawn in value]
        if name == "text" and "complete" in whole and "marks" in whole:  # what was found out about a position
            return self._texts(value, game)
        if name == "name" and "tone" in whole:  # of a symbol or of a player as he is drawn
            return self._texts(value, game)
        return self._walk(value, game)

    def _texts(self, value: Any, game: str | None) -> Any:
        say: Callable[[str], str] = functools.partial(self.say, game=game)
        if isinstance(value, str):
            return say(value) if value else value
        if isinstance(value, list):
            return [say(one) if isinstance(one, str) else self._walk(one, game) for one in value]
        if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
            return {name: say(one) for name, one in value.items()}
        return self._walk(value, game)

    def _game_of(self, value: dict[str, Any]) -> str | None:
        """The game that this part of a message is about, where it says so."""
        named = value.get("game") or value.get("name")
        if isinstance(named, str) and named in game_names():
            if "board" in value:  # a table's: what follows is about it too
                self._game = named
            return named
        position = value.get("position")
        if isinstance(position, str) and (match := GAME.match(position)) and match[1] in game_names():
            return match[1]
        return None


def _of_three(value: Any) -> bool:
    """Whether this is a list of lists of three."""
    return isinstance(value, list) and all(isinstance(one, list) and len(one) == 3 for one in value)
