"""Records in the other forms that their games know: the last position as a save, or the turns one a line."""

from __future__ import annotations

from tercet.errors import OptionError
from tercet.record.tree import Record

__all__ = ["in_form"]


def in_form(record: Record, form: str) -> str:
    """``record`` in a form of its game (``definition.saves``, ``definition.turn_forms``), without a newline at the end.
    OptionError where its game has no such form, other errors of Tercet where the form has no room for the position."""
    definition = record.game.definition
    for save in definition.saves:
        if save.name == form:
            return save.write(record.end)
    for turns in definition.turn_forms:
        if turns.name == form:
            position, lines = record.root.position, []
            number, moved = 1, set[int | None]()
            for turn in turns.split(position, record.moves()):
                if position.mover in moved:
                    number, moved = number + 1, set()
                moved.add(position.mover)
                lines.append(turns.write(position, turn, number))
                for action in turn:
                    position = position.play(str(action))
            return "\n".join(lines)
    raise OptionError("form", f"{definition.title} has no notation {form}.")
