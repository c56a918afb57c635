"""Learnt weights of patterns: read from the file that comes with the game, and laid out for the kernels.

The file is JSON: ``weights`` holds for each ruleset what each class of patterns is worth to the next player to move,
``card`` what they were learnt from, how, and how strong they made the engine, ``hash`` the SHA-256 of all the rest. Two
patterns are of one class if a symmetry of the window or a rotation of the three colours, which the rules do not tell
apart, makes one of the other; classes are in the order of their least patterns.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tercet.core.game import Game
from tercet.errors import TercetError
from tercet.games.sparklies.engine.kernels import patterns as layout

FILE = Path(__file__).with_name("patterns.json")
SQUARE_SYMMETRIES = tuple(
    tuple((step * place + turn) % 4 for place in range(4)) for step in (1, -1) for turn in range(4)
)
LINE_SYMMETRIES = ((0, 1, 2), (2, 1, 0))
OTHER_HOLDER = (0, 1, 2, 6, 7, 8, 3, 4, 5)  # states with the players exchanged
MOST_WEIGHT = 20_000
AS_USUAL = ("attack", "control", "end", "flag", "mode", "order")  # options that weights were learnt with


class PatternsError(TercetError):
    """A file that holds no weights of patterns, or a damaged one."""


def _digits(number: int, length: int) -> tuple[int, ...]:
    return tuple(number // layout.STATES**place % layout.STATES for place in range(length))


def _number(digits: Sequence[int]) -> int:
    return sum(digit * layout.STATES**place for place, digit in enumerate(digits))


@functools.cache
def classes(length: int) -> tuple[int, ...]:
    """The class of each pattern of four cells or of three."""
    orders = SQUARE_SYMMETRIES if length == 4 else LINE_SYMMETRIES
    found = [-1] * layout.STATES**length
    count = 0
    for least in range(len(found)):
        if found[least] >= 0:
            continue
        digits = _digits(least, length)
        for _ in range(3):
            for order in orders:
                found[_number([digits[place] for place in order])] = count
            digits = tuple(digit // 3 * 3 + (digit % 3 + 1) % 3 for digit in digits)
        count += 1
    return tuple(found)


@functools.cache
def exchanged(length: int) -> tuple[int, ...]:
    """For each pattern the one with the players exchanged."""
    return tuple(
        _number([OTHER_HOLDER[digit] for digit in _digits(pattern, length)]) for pattern in range(layout.STATES**length)
    )


@functools.cache
def is_free(length: int) -> tuple[bool, ...]:
    """For each pattern whether all its cells are free."""
    return tuple(max(_digits(pattern, length)) < 3 for pattern in range(layout.STATES**length))


def read_patterns(path: Path = FILE) -> dict[str, Any]:
    """The file's weights by ruleset; PatternsError says what is wrong with one that cannot be used."""
    try:
        content = json.loads(path.read_bytes())
        known = content.pop("hash")
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise PatternsError(f"{path.name} has no weights of patterns: {error}") from None
    if known != hash_of(content):
        raise PatternsError(f"{path.name} is damaged: its hash does not fit its weights.")
    found: dict[str, Any] = content["weights"]
    sizes = {
        "squares": max(classes(4)) + 1, "lines": max(classes(3)) + 1,
        "lead": layout.PHASES, "tempo": layout.PHASES,
    }  # fmt: skip
    for ruleset, parts in found.items():
        for name, size in sizes.items():
            if len(parts[name]) != size or max(map(abs, parts[name])) > MOST_WEIGHT:
                raise PatternsError(f"{path.name}: {name} of {ruleset} must be {size} small numbers.")
        for length, name in ((4, "squares"), (3, "lines")):
            if any(parts[name][kind] for kind, free in zip(classes(length), is_free(length), strict=True) if free):
                raise PatternsError(f"{path.name}: {name} of {ruleset} without an owner must be worth nothing.")
    return found


def hash_of(content: dict[str, Any]) -> str:
    """The hash of a file's ``weights`` and ``card``."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@functools.cache
def _weights(ruleset: str) -> Any:
    parts = read_patterns().get(ruleset)
    return None if parts is None else weights_of(parts)


def weights_of(parts: dict[str, Any]) -> list[int]:
    """The weights of a ruleset as the kernels have them, 16 bits each."""
    weights = []
    for length, name in ((4, "squares"), (3, "lines")):
        worth = [parts[name][kind] for kind in classes(length)]
        for pattern, other in enumerate(exchanged(length)):
            weights += [worth[pattern], worth[other]]
    return [*weights, *parts["lead"], *parts["tempo"]]


def learnt_for(game: Game) -> Any:
    """The weights for ``game``; None where nothing was learnt for such a game: it is not of two players, its board has
    no squares, its cells have no colours yet, or its rules differ."""
    if len(game.players) != 2 or game.board.degree != 4 or game.options["setup"] == "blank":
        return None
    if any(
        game.options[option.name] != option.default for option in game.definition.options if option.name in AS_USUAL
    ):
        return None
    return _weights(game.options["ruleset"])


def windows_of(game: Game) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The windows of a board of squares: four cells around a corner in their order, and three in a line."""
    size, near = len(game.board), game.board.neighbours
    squares: list[tuple[int, ...]] = []
    lines: list[tuple[int, ...]] = []
    for cell in range(size):
        east, north, west, south = near[cell]
        if east < size and north < size and near[east][1] < size:
            squares.append((cell, east, near[east][1], north))
        lines += [
            (before, cell, after) for before, after in ((west, east), (south, north)) if max(before, after) < size
        ]
    return squares, lines


def links_of(game: Game) -> tuple[list[int], list[int]]:
    """``index`` of an empty board and ``links``: see ``kernels.patterns``; without squares nothing."""
    squares, lines = windows_of(game) if game.board.degree == 4 else ([], [])
    index = [0] * len(squares) + [layout.SQUARES] * len(lines)
    links = [0] * (len(game.board) * layout.LINK)
    for window, cells in enumerate(squares + lines):
        for place, cell in enumerate(cells):
            at = cell * layout.LINK
            count = links[at]
            links[at + 1 + 2 * count : at + 3 + 2 * count] = window, layout.STATES**place
            links[at] = count + 1
    return index, links
