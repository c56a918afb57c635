"""Which games are rated: with the options that the game's definition lists, and long enough to count."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from tercet.core.game import Game
from tercet.core.rules import Option

__all__ = ["is_long_enough", "why_unrated"]

MIN_TURNS = 2  # of each player: a game that ends before is not rated


def is_long_enough(seats: Iterable[int], players: int) -> bool:
    """Return whether a game counts in which the actions were made by these seats, in this order. Actions of one seat
    that follow each other are one turn."""
    return sum(1 for _ in itertools.groupby(seats)) >= MIN_TURNS * players


def why_unrated(game: Game) -> str | None:
    """Return the sentence that says why games with these options are never rated; None where they may be."""
    definition = game.definition
    if definition.rated is None:
        return f"{definition.title} has no rated games."
    for option in definition.options:
        value, allowed = game.options[option.name], definition.rated.get(option.name, ())
        if value == option.default or value in allowed:
            continue
        title = option.title or option.name
        if isinstance(allowed, range):
            return f"In a rated game of {definition.title}, {title} must be from {allowed[0]} to {allowed[-1]}."
        if allowed:
            choices = ", ".join(_words(option, one) for one in allowed)
            return f"In a rated game of {definition.title}, {title} must be one of these: {choices}."
        return f"In a rated game of {definition.title}, {title} must keep its usual value."
    return None


def _words(option: Option, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value == "":
        return "none"
    return option.words.get(str(value), str(value)) if option.kind == "choice" else str(value)
