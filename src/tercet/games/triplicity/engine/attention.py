"""How easily actions of Triplicity are seen: taking a king at once, other men next, what goes far hardly."""

from __future__ import annotations

from tercet.core.attention import Glance
from tercet.core.game import Position
from tercet.games.triplicity.kernels import layout

KING, OTHERS, SAVING, QUIET = 1.0, 0.7, 0.55, 0.2  # taking a king, another man; moving one who could be taken; others


def attention(position: Position) -> list[Glance]:
    """Each legal action. What takes the same man is one topic; what the same man does besides is another."""
    game, row = position.game, position.row
    mover = position.mover or 0
    others = [player for player in range(3) if player != mover and row[layout.STATE + player] == layout.ACTIVE]
    afraid: dict[int, bool] = {}
    found = []
    for number in position.legal_actions.ids:
        action = int(number)
        goal = int(game.kernels.target(game.data, action))
        if action >= layout.PURCHASES:
            found.append(Glance(-1, QUIET))
            continue
        source = int(game.kernels.source(game.data, action))
        man = int(row[layout.CELLS + goal])
        if man:
            found.append(Glance(goal, KING if man & 7 == layout.KING else OTHERS))
            continue
        if source not in afraid:
            afraid[source] = any(game.kernels.attacked(game.data, row, source, other, -1) for other in others)
        found.append(Glance(layout.SIZE + source, SAVING if afraid[source] else QUIET))
    return found
