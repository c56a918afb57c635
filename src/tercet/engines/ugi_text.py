"""The text of the engine protocol's commands and answers: read and written here, carried out in
:mod:`tercet.engines.ugi`. Nothing here keeps anything."""

from __future__ import annotations

from typing import Any

import tercet
from tercet.core.game import Game, Position
from tercet.engines.base import Info, Limits
from tercet.engines.levels import LEVELS, MOST_THREADS, most_threads
from tercet.errors import TercetError
from tercet.games import game_definition

__all__ = [
    "DEFAULT_SETTINGS",
    "CommandError",
    "info_lines",
    "one_line",
    "read_game",
    "read_limits",
    "read_number",
    "read_position",
    "read_setting",
]

MAX_NUMBER = 10**15  # of anything counted
DEFAULT_SETTINGS = {"Level": len(LEVELS), "Threads": 1, "Seed": -1}


class CommandError(TercetError):
    """A command that makes no sense; the text says why."""


def read_number(text: str, what: str, least: int = 1, most: int = MAX_NUMBER) -> int:
    """Return a whole number from ``least`` to ``most``; CommandError says that ``what`` is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise CommandError(f"{what} must be a whole number from {least} to {most}, not {text[:40]!r}.")
    return int(text)


def one_line(text: str) -> str:
    """Return ``text`` without line breaks and characters that cannot be printed."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())


def info_lines(info: Info) -> list[str]:
    """Return ``info`` as lines of the protocol, one for each way to go on."""
    head = f"info depth {info.depth} nodes {info.nodes} nps {info.nps} time {round(1000 * info.seconds)}"
    texts = []
    for number, line in enumerate(info.lines, 1):
        scores = " ".join(f"{score:.4f}" for score in line.scores)
        note = f" note {line.note.replace(' ', '-')}" if line.note else ""
        texts.append(f"{head} multipv {number} score {scores}{note} pv {' '.join(line.pv)}")
    return texts or [head]


def read_setting(text: str, game: Game) -> tuple[str, int]:
    """Name and value that ``setoption`` sets; CommandError where the engines of ``game`` cannot use it."""
    words = text.split()
    if len(words) != 4 or words[0] != "name" or words[2] != "value":
        raise CommandError("Write setoption name N value V.")
    name = {known.lower(): known for known in DEFAULT_SETTINGS}.get(words[1].lower())
    if name is None:
        raise CommandError(f"There is no option {words[1][:40]!r}. Choose from {', '.join(DEFAULT_SETTINGS)}.")
    if name == "Seed" and words[3] == "-1":
        return name, -1
    least, most = {"Level": (1, len(LEVELS)), "Threads": (1, MOST_THREADS), "Seed": (0, 10**9)}[name]
    value = read_number(words[3], name, least, most)
    if name == "Threads" and value > (usable := most_threads(game)):
        raise CommandError(f"The engine of {game.name} can use 1 to {usable} threads, not {value}.")
    return name, value


def read_game(text: str) -> Game:
    """Return the game that ``NAME option=value ...`` means; CommandError, or OptionError from the game itself."""
    words = text.split()
    if not words:
        raise CommandError(f"Name a game: {', '.join(tercet.games())}.")
    options: dict[str, Any] = {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise CommandError(f"An option must be name=value, not {word[:40]!r}.")
        if name in options:
            raise CommandError(f"The option {name[:40]} is given twice. Give it once.")
        options[name] = value
    return Game(game_definition(words[0][:100]), options)


def read_position(text: str, game: Game) -> Position:
    """Return the position that ``start [seed=N]`` (of ``game``) or ``text <position string>``, with or without ``moves
    ...``, leads to; CommandError, ParseError or IllegalAction."""
    head, found, moves = f" {text} ".partition(" moves ")
    words = head.split()
    if words[:1] == ["start"]:
        seed = 0
        if len(words) > 2 or (len(words) == 2 and not words[1].startswith("seed=")):
            raise CommandError("Write position start [seed=N] [moves ...].")
        if len(words) == 2:
            seed = read_number(words[1].removeprefix("seed="), "seed", 0, 2**62 - 1)
        position = game.start(seed)
    elif words[:1] == ["text"]:
        string = " ".join(words[1:])
        if not string:
            raise CommandError("Write position text <position string> [moves ...].")
        name = string.split("/", 1)[0].split(" ", 1)[0]
        position = game.parse(string) if name == game.name else tercet.parse(string)
    else:
        raise CommandError("Write position start ... or position text ....")
    if found:
        for move in moves.split():
            position = position.play(move)
    return position


def read_limits(text: str) -> Limits:
    """Return the limits that follow ``go``; CommandError."""
    words = text.split()
    values: dict[str, int] = {}
    infinite = False
    while words:
        word = words.pop(0)
        if word == "infinite" and not infinite:
            infinite = True
        elif word in ("movetime", "nodes", "depth", "multipv") and word not in values:
            if not words:
                raise CommandError(f"{word} must be followed by a number.")
            values[word] = read_number(words.pop(0), word, 1, 1000 if word == "multipv" else MAX_NUMBER)
        else:
            raise CommandError(
                f"go takes movetime MS, nodes N, depth D, multipv K and infinite, each once, not {word[:40]!r}."
            )
    movetime = values.get("movetime")
    return Limits(
        None if movetime is None else movetime / 1000,
        values.get("nodes"),
        values.get("depth"),
        values.get("multipv", 1),
        infinite,
    )
