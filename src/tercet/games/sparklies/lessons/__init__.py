"""Sparklies' lessons: the files beside this one, and advice for first games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tercet.abilities.knowledge import Advice, LessonParts
from tercet.game import Action, Game, Position
from tercet.games.sparklies.engine.exploration import danger
from tercet.games.sparklies.gestures import harlequins
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.notation import COLOUR_NAMES, decode
from tercet.games.sparklies.position_strings import cell_words
from tercet.games.sparklies.rules import rules_of
from tercet.games.sparklies.view import CIRCLE
from tercet.view import Mark

__all__ = ["PARTS"]

TURN = "Claim a free cell, then ping one of your cells: give it any colour, and capture what it attacks."
TRIED = 400_000  # actions, to see what is in danger
SEEN = 20_000  # of them, while a newcomer plays


def harlequin_count(position: Position, player: int, value: Any) -> bool:
    """``harlequins = 1``: the player has so many squares of four with one colour on each diagonal, or more."""
    if type(value) is not int or value < 1:
        raise ValueError("harlequins: The value must be a number from 1 on.")
    return len({frozenset(one + other) for one, other, _, _ in harlequins(position, player)}) >= value


def design(position: Position, player: int, value: Any) -> bool:
    """``design = ["XXX", "XOX", "XXX"]``: somewhere on the board the player's cells show this pattern of two colours,
    drawn from the top."""
    drawn = isinstance(value, list) and value and all(isinstance(row, str) and row for row in value)
    if not drawn or {*"".join(value)} != {"X", "O"} or len({len(row) for row in value}) > 1:
        raise ValueError("design: The value must be a list of rows of one length, of the letters X and O.")
    board = position.game.board
    words = cell_words(position.row, len(board))
    colours = {
        place: word & 3
        for place, word in zip(board.coordinates, words, strict=True)
        if (word >> 2) & 3 == player + 1 and word & 3 < layout.NO_COLOUR
    }
    height = len(value)
    for left, bottom in board.coordinates:
        shown = {
            (letter, colours.get((left + x, bottom + height - 1 - y)))
            for y, row in enumerate(value)
            for x, letter in enumerate(row)
        }
        if len(shown) == 2 and len(dict(shown)) == 2 and len({colour for _, colour in shown} - {None}) == 2:
            return True
    return False


def in_danger(position: Position, player: int, value: Any) -> bool:
    """``in_danger = 0``: the others could capture so many of the player's cells with their next turns, or fewer."""
    if type(value) is not int or value < 0:
        raise ValueError("in_danger: The value must be a number from 0 on.")
    return len(danger(position, player, TRIED).cells) <= value


def aim(game: Game) -> str:
    """Return what one plays for under the game's rules, and which colour takes which."""
    options = game.options
    if options["players"] == 1:
        ends = "Own the whole board in as few turns as possible."
    else:
        ends = (
            f"Own the most cells when {'all agree to end' if options['end'] == 'agreement' else 'the board is full'}."
        )
        ends += " Or capture another player's flag to win at once." if options["flag"] else ""
    attack = rules_of(game).attack_words
    turn = "" if options["mode"] == "duel" else f"{TURN} "
    return f"{ends} {turn}{CIRCLE} {attack[0].upper()}{attack[1:]}."


def advise(position: Position, player: int) -> Advice:
    """The ping that captures most at once, or a cell to take that makes one possible."""
    said = aim(position.game)
    if position.is_over or position.mover != player:
        return Advice(said)
    gain, kind, name, colour = _best(position)
    if gain:
        says = (
            f"Claim {name}: then one ping can capture {gain}."
            if kind == "control"
            else f"Ping {name} {COLOUR_NAMES[colour]} to capture {gain} at once."
        )
        return Advice(said, says, (Mark("hint", (name,), says),))
    if any(decode(position.game, action.id)[0] == "control" for action in position.legal_actions):
        return Advice(said, "There is nothing to capture now. Claim a cell near your others: they attack together.")
    return Advice(said, "There is nothing more to capture. Leave your cells in colours that are hard to attack.")


def _best(position: Position) -> tuple[int, str, str, int]:
    """Return how many cells the best action captures, or the best ping after a claim; that action's kind, cell and
    colour. Among equal ones, the first whose ping changes no colour: it shows best which pair captures."""
    best, most = (0, "", "", -1), (0, False)
    for action in position.legal_actions:
        kind, cell, colour = decode(position.game, action.id)
        if kind == "control":
            after = position.play(action)
            pings = after.legal_actions if after.turn_is_open else ()
            value = max((_worth(after, then) for then in pings), default=(0, False))
        else:
            value = _worth(position, action)
        if value > most and cell >= 0:
            best, most = (value[0], kind, position.game.board.names[cell], colour), value
    return best


def _to_claim(position: Position, _player: int) -> tuple[str, ...]:
    """The cell to claim after which one ping captures most."""
    gain, kind, name, _ = _best(position)
    return (name,) if gain and kind == "control" else ()


def _to_ping(position: Position, _player: int) -> tuple[str, ...]:
    """The cell whose ping captures most."""
    gain, kind, name, _ = _best(position)
    return (name,) if gain and kind == "ping" else ()


def _pingable(position: Position, _player: int) -> tuple[str, ...]:
    """The cells that may be pinged now."""
    known = [decode(position.game, action.id) for action in position.legal_actions]
    return tuple(dict.fromkeys(position.game.board.names[cell] for kind, cell, _ in known if kind == "ping"))


def _at_risk(position: Position, player: int) -> tuple[str, ...]:
    """Cells of the player's that the others could capture with their next turns."""
    return tuple(danger(position, player, SEEN).cells)


def _worth(position: Position, action: Action) -> tuple[int, bool]:
    """Return how many cells of others, or free ones, an action captures, and whether it leaves all colours."""
    events = position.transition(action).events
    captures = sum(event.kind == "captured" and event.data["from"] != position.mover for event in events)
    return captures, all(event.data["symbol"] == event.data["was"] for event in events if event.kind == "pinged")


PARTS = LessonParts(
    Path(__file__).parent,
    {"harlequins": harlequin_count, "design": design, "in_danger": in_danger},
    advise,
    Path(__file__).parents[1] / "first_game.toml",
    {"to-claim": _to_claim, "to-ping": _to_ping, "pingable": _pingable, "at-risk": _at_risk},
)
