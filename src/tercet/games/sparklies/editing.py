"""Sparklies' positions as people set them up by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from tercet.core.abilities.play import Content, Editor
from tercet.core.game import Game
from tercet.core.rules import Option
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.notation import STEP_LETTERS, has_first, has_round, rows_text, step_letters
from tercet.games.sparklies.options import PLAYER_LETTERS
from tercet.games.sparklies.view import SYMBOLS

COLOURS = tuple(Content(symbol.id.lower(), symbol.name, symbol.id) for symbol in SYMBOLS)
NO_COLOUR = Content(".", "no colour", clears=True)
ACTIVE = (Content("", "not active"), Content("*", "active", flag="active"))
FLAG = (Content("", "no flag"), Content("^", "a flag", flag="flag"))
STEPS = {
    "h": "claim a handicap cell",
    "c": "claim a cell",
    "p": "first ping",
    "v": "more pings",
    "a": "activate a cell",
    "d": "resolve a cell",
}


def layers(game: Game) -> tuple[tuple[Content, ...], ...]:
    """Return the colours, the owners, and what a turn may have made of a cell; its texts stand in this order."""
    blank, per_cell = bool(game.data[layout.BLANK]), int(game.data[layout.PER_CELL])
    owners = (Content(str(seat + 1), name, owner=seat) for seat, name in enumerate(game.players))
    pings = tuple(
        Content("'" * count, f"{count} pings", flag="spent" if count == per_cell else "")
        for count in range(1, per_cell + 1)
    )
    return (
        (NO_COLOUR, *COLOURS) if blank else COLOURS,
        (Content("0", "free", clears=not blank), *owners),
        (Content("", "not active"),) if game.data[layout.WHOLE] else ACTIVE,
        (Content("", "0 pings"), *pings),
        FLAG if game.options["flag"] else FLAG[:1],
    )


def fields(game: Game) -> tuple[Option, ...]:
    """Return who is to move, the step of the turn, and what is remembered of the round."""
    letters = PLAYER_LETTERS[: len(game.players)]
    names = dict(zip(letters, game.players, strict=True))
    steps = {letter: STEPS[letter] for letter in step_letters(game)}
    made = [
        Option("player", "choice", "B", "", title="To move", words=names),
        Option("step", "choice", "c", "", title="Step", words=steps),
        Option("pings", "int", 0, "", title="Pings in this turn", low=0, high=999_999_999),
    ]
    if has_round(game):
        orders = {"".join(order): ", ".join(names[letter] for letter in order) for order in permutations(letters)}
        made.append(Option("round", "choice", letters, "", title="Order of the round", words=orders))
    if game.options["order"] == "alternate" and game.options["resolve_order"] == "fewest":
        made.append(Option("first", "choice", "B", "", title="Began the round", words=names))
    if game.data[layout.AGREE] < game.data[layout.ACTIONS]:
        made += (Option(f"agreed.{letter}", "bool", False, "", title=f"{names[letter]} agreed") for letter in letters)
    if game.options["end"] == "agreement":
        made.append(Option("taken", "bool", False, "", title="The last free cell was claimed in this turn"))
    return tuple(made)


def split(game: Game, words: Sequence[str]) -> dict[str, Any]:
    """Return the values of the fields in these words of a position string."""
    player, step, pings, *more = words
    named = dict(word.split("=", 1) for word in more)
    agreed = {f"agreed.{letter}": letter in named.get("agreed", "") for letter in PLAYER_LETTERS}
    usual = {field.name: field.default for field in fields(game)}
    return usual | {"player": player, "step": step, "pings": pings} | named | agreed | {"taken": "taken" in named}


def join(game: Game, values: Mapping[str, Any]) -> list[str]:
    """Return the words of a position string that have these values."""
    words = [values["player"], values["step"], str(values["pings"])]
    words += [f"round={values['round']}"] if "round" in values else []
    words += [f"first={values['first']}"] if has_first(game, STEP_LETTERS.index(values["step"])) else []
    agreed = "".join(letter for letter in PLAYER_LETTERS if values.get(f"agreed.{letter}"))
    words += [f"agreed={agreed}"] if agreed else []
    return [*words, "taken=1"] if values.get("taken") else words


EDITOR = Editor(layers, fields, rows_text, split, join)
