"""Whole turns of Sparklies on a line, the original page's long notation, and `deactivate everything`.

A turn on a line is its actions separated by spaces: ``+d4 c2=R c3=R b3=G``. The long notation tells what each ping
changed, ``B2 G->B, B1 R->G``: its first cell is also the one taken, if it was nobody's; else the cell taken stands in
front, ``B3, B2 G->B``. In blank setup the cell taken is always in front, with its colour, ``B3=R``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tercet.errors import IllegalAction, TercetError
from tercet.game import Action, Position
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.notation import COLOUR_NAMES, LETTERS, action_text, decode

__all__ = ["deactivate_everything", "is_turn_start", "long_text", "read_long", "read_turn", "turn_text", "turns"]

MAX_TEXT = 100_000
_CHANGE = re.compile(r"([A-Za-z]+[1-9][0-9]*)(?: +([RGB]) *-> *([RGB])|=([RGB]))?")

Change = tuple[int, int, int]  # cell, colour before, colour after


def is_turn_start(position: Position) -> bool:
    """Whether a turn has just ended or none has begun. Each action of a duel or a handicap is a turn of its own."""
    return not position.turn_is_open


def turn_text(actions: Iterable[Action]) -> str:
    """The actions of a turn on a line."""
    return " ".join(str(action) for action in actions)


def read_turn(position: Position, text: str) -> list[Action]:
    """The actions of a turn, or of a part of one, written on a line; IllegalAction names the one that is not legal."""
    if len(text) > MAX_TEXT:
        raise IllegalAction(text[:40], f"a turn has at most {MAX_TEXT} characters")
    actions: list[Action] = []
    for word in text.split():
        if actions and is_turn_start(position):
            raise IllegalAction(word[:40], "the turn is already over")
        action = position.action(word)
        actions.append(action)
        position = position.play(action)
    return actions


def turns(start: Position, actions: Iterable[Action | str]) -> list[list[Action]]:
    """A game's actions from ``start`` grouped into turns; the last may be incomplete."""
    found: list[list[Action]] = []
    position, fresh = start, True
    for played in actions:
        action = position.action(str(played))
        if fresh:
            found.append([])
        found[-1].append(action)
        position = position.play(action)
        fresh = is_turn_start(position)
    return found


def deactivate_everything(position: Position) -> list[Action]:
    """The pings of the gesture: active cells keep their colour (or turn the forced one), the first in reading order
    first, until none is left or four times the live cells have been resolved."""
    actions: list[Action] = []
    game = position.game
    while position.row[layout.STEP] == layout.PROPAGATE and not position.is_over:
        if len(actions) == 4 * len(game.board):
            break
        row = position.row
        cell = next(cell for cell in range(len(game.board)) if game.kernels.is_active(row, cell))
        forced = int(game.kernels.forced_colour(game.data, row, cell))
        colour = int(game.kernels.colour_at(row, cell)) if forced < 0 else forced
        action = position.action(action_text(game, row, 3 * cell + colour))
        actions.append(action)
        position = position.play(action)
    return actions


def _changes(position: Position, action: Action) -> list[Change]:
    """What the pings of ``action`` change, in order."""
    index = position.game.board.index
    return [
        (index[event.cells[0]], LETTERS.index(event.data["was"]), LETTERS.index(event.data["symbol"]))
        for event in position.events(action)
        if event.kind == "pinged"
    ]


def _refuse_duel(position: Position) -> None:
    if position.game.options["mode"] == "duel":
        raise TercetError("the long notation is for whole turns; a duel has none")


def long_text(position: Position, actions: Sequence[Action | str]) -> str:
    """A turn from ``position`` in the long notation, every ping of a chain of Speed included; TercetError in a duel."""
    _refuse_duel(position)
    game = position.game
    blank = game.options["setup"] == "blank"
    parts: list[str] = []
    taken = -1
    for played in actions:
        action = position.action(str(played))
        kind, cell, colour = decode(game, action.id)
        name = "" if cell < 0 else game.board.names[cell].upper()
        if kind == "control":
            parts.append(f"{name}={LETTERS[colour]}" if blank else name)
            taken = -1 if blank else cell
        elif kind == "ping":
            if taken == cell:
                parts.pop()
            taken = -1
            parts += [
                f"{game.board.names[changed].upper()} {LETTERS[before]}->{LETTERS[after]}"
                for changed, before, after in _changes(position, action)
            ]
        else:
            parts.append(kind)
        position = position.play(action)
    return ", ".join(parts)


def read_long(position: Position, text: str) -> list[Action]:
    """The actions that a turn in the long notation means. In Speed the pings after the first may be left out.

    IllegalAction names the part that does not fit; TercetError in a duel.
    """
    _refuse_duel(position)
    if len(text) > MAX_TEXT:
        raise IllegalAction(text[:40], f"a turn has at most {MAX_TEXT} characters")
    actions: list[Action] = []

    def play(word: str) -> Position:
        action = position.action(word)
        actions.append(action)
        return position.play(action)

    whole = bool(position.game.rules.data[layout.WHOLE])
    parts = [part.strip() for part in text.split(",")]
    for number, part in enumerate(parts):
        if actions and is_turn_start(position):
            raise IllegalAction(part[:40], "the turn is already over")
        if part == "agree":
            position = play(part)
            continue
        name, change, colour = _read_part(position, part)
        if change is None:
            position = play(f"+{name}" + (f"={colour}" if colour else ""))
            continue
        if number == 0 and position.row[layout.STEP] == layout.CONTROL and f"+{name}" in position.legal_actions:
            position = play(f"+{name}")
        before = position
        position = play(f"{name}={LETTERS[change[2]]}")
        if whole:
            _check_chain(before, actions[-1], parts[number + 1 :])
            break
    return actions


def _read_part(position: Position, part: str) -> tuple[str, Change | None, str]:
    """Cell, change of a ping (None for a cell taken) and colour of a cell taken in blank setup."""
    match = _CHANGE.fullmatch(part)
    if not match:
        raise IllegalAction(part[:40], "a part is a cell taken, as in B3, or a cell and its colours, as in B2 G->B")
    name = match[1].lower()
    cell = position.game.board.index.get(name)
    if cell is None:
        raise IllegalAction(part[:40], f"there is no cell {match[1]} on this board")
    if match[2] is None:
        return name, None, match[4] or ""
    change = (cell, LETTERS.index(match[2]), LETTERS.index(match[3]))
    colour = int(position.game.kernels.colour_at(position.row, cell))
    if colour != change[1]:
        shown = "of no colour" if colour == layout.NO_COLOUR else COLOUR_NAMES[colour]
        raise IllegalAction(part[:40], f"{name} is {shown}, not {COLOUR_NAMES[change[1]]}")
    return name, change, ""


def _check_chain(position: Position, action: Action, parts: Sequence[str]) -> None:
    """Whether the parts written after a ping of Speed are those of its chain."""
    if not parts:
        return
    chain = sorted(_changes(position, action)[1:])
    written = []
    for part in parts:
        change = _read_part(position, part)[1]
        if change is None:
            raise IllegalAction(part[:40], "is no ping of the chain")
        written.append(change)
    if sorted(written) != chain:
        odd = next((parts[at] for at, change in enumerate(written) if change not in chain), parts[-1])
        raise IllegalAction(odd[:40], f"the chain has {len(chain)} more pings, and they are not these")
