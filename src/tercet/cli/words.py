"""Words of a command line that only a game can understand: its name, and its options as in ``--side 6 side=6``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tercet.core.game import Game, Position
from tercet.errors import OptionError, ParseError
from tercet.games import game_definition, names

_TRUTH = ("1", "0", "true", "false", "yes", "no", "on", "off")


def first_game() -> str:
    """Return the game that is meant where none is named, and that examples name."""
    return names()[0]


def name_in(position: str) -> str:
    """Return the name of a game with which a position string begins."""
    return position.replace("/", " ").split(" ")[0]


def split(words: Sequence[str]) -> tuple[list[str], dict[str, str | None]]:
    """Return the positional words, and options given as ``--name value``, ``--name=value`` or ``name=value``.

    The value is None where none follows. An option whose name is not a game's at all is left for :func:`game_of`
    to complain about.
    """
    positional: list[str] = []
    options: dict[str, str | None] = {}
    rest = iter(words)
    ahead: list[str] = []

    def following() -> Iterator[str]:
        while True:
            if ahead:
                yield ahead.pop()
            else:
                word = next(rest, None)
                if word is None:
                    return
                yield word

    for word in following():
        if word.startswith("--") and len(word) > 2:
            name, equals, value = word[2:].partition("=")
            name = name.replace("-", "_")
            given: str | None = value if equals else None
            if not equals:
                given = next(following(), None)
                if given is not None and (given.startswith("--") or (_is_switch(name) and given not in _TRUTH)):
                    ahead.append(given)
                    given = None
        elif "=" in word and word.split("=", 1)[0].isidentifier():
            name, given = word.split("=", 1)
        else:
            positional.append(word)
            continue
        if name in options:
            raise OptionError(name, f"The option {name} is given twice. Give it once.")
        options[name] = given
    return positional, options


def _is_switch(name: str) -> bool:
    """Return whether some game has a yes-or-no option of this name."""
    return any(
        option.name == name and option.kind == "bool" for game in names() for option in game_definition(game).options
    )


def game_of(name: str, options: dict[str, str | None], execution: str | None = None) -> Game:
    """Return the game of this name with these options; OptionError."""
    definition = game_definition(name)
    kinds = {option.name: option.kind for option in definition.options}
    values: dict[str, Any] = {}
    for key, value in options.items():
        if value is None and kinds.get(key, "bool") != "bool":
            raise OptionError(key, f"The option {key} must have a value, as in {key}=VALUE.")
        values[key] = True if value is None else value
    return Game(definition, values, execution)


def start_of(game: Game, position: str | None, seed: int) -> Position:
    """Return the position to begin with: ``position`` if given, else the game's start; ParseError where it is another
    game."""
    if position is None:
        return game.start(seed)
    if not position.startswith(game.name):
        raise ParseError("position", f"A position of {game.definition.title} must begin with {game.name}.")
    return game.parse(position)
