"""Sparklies' lessons: the files beside this one, and advice for first games."""

from __future__ import annotations

from pathlib import Path

from tercet.definition import Advice, LessonParts
from tercet.game import Action, Position
from tercet.games.sparklies.notation import COLOUR_NAMES, decode
from tercet.view import Mark

__all__ = ["PARTS"]

AIM = "To hold most cells when the board is full. Red takes green, green takes blue, blue takes red."


def advise(position: Position, player: int) -> Advice:
    """The ping that captures most at once, or a cell to take that makes one possible."""
    if position.is_over or position.mover != player:
        return Advice(AIM)
    best: tuple[int, str, str] = (0, "", "")
    for action in position.legal_actions:
        transition = position.transition(action)
        kind, cell, colour = decode(position.game, action.id)
        name = position.game.board.names[cell] if cell >= 0 else ""
        if kind == "control" and transition.after.turn_is_open:
            gain = max((_captures(transition.after, then) for then in transition.after.legal_actions), default=0)
            says = f"Take {name}: then a ping can capture {gain} at once."
        else:
            gain = _captures(position, action)
            says = f"Ping {name} {COLOUR_NAMES[colour]}: that captures {gain} at once."
        if gain > best[0] and name:
            best = (gain, says, name)
    if best[0]:
        return Advice(AIM, best[1], (Mark("hint", (best[2],), best[1]),))
    if any(decode(position.game, action.id)[0] == "control" for action in position.legal_actions):
        return Advice(AIM, "Nothing can be captured now. Take a cell near your others: they attack together.")
    return Advice(AIM, "Nothing more can be captured. Leave your cells in colours that are hard to attack.")


def _captures(position: Position, action: Action) -> int:
    """How many cells of others or of nobody an action captures."""
    mover = position.mover
    return sum(event.kind == "captured" and event.data["from"] != mover for event in position.events(action))


PARTS = LessonParts(Path(__file__).parent, {}, advise)
