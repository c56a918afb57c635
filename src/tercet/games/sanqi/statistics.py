"""Figures of SanQi: how much of a game is replacement, and how often the ko rule matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from tercet.abilities.knowledge import Statistics
from tercet.figures import spread, words
from tercet.game import Game, Position, Transition
from tercet.games.sanqi.kernels import layout

__all__ = ["STATISTICS"]

KINDS = 3


class ReplacementCount:
    """One game. Counted are its ``replacements``, the turns with a ``ko`` (a replacement that only the ko rule
    forbade), and how many of the ``pieces`` played were of each kind."""

    def __init__(self, start: Position) -> None:
        self._replacements = 0
        self._ko = 0
        self._pieces = [0] * KINDS

    def follow(self, before: Position, done: Transition) -> None:
        """Count one action."""
        self._pieces[int(done.action) % 3] += 1
        self._replacements += done.records[0][0] == layout.REPLACED
        free = before.row.copy()
        free[layout.KO] = 0
        self._ko += len(Position(before.game, free).legal_actions) > len(before.legal_actions)

    def end(self, position: Position) -> dict[str, Any]:
        """Return the counts."""
        return {"replacements": self._replacements, "ko": self._ko, "pieces": self._pieces}


def _summary(game: Game, counts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {key: spread([one[key] for one in counts]) for key in ("replacements", "ko")}
    # Which kind is which means nothing: what matters is how much of a game is played with the kind it favours.
    shares = [sorted(one["pieces"], reverse=True) for one in counts]
    found["kinds"] = [round(fmean(one[at] / sum(one) for one in shares), 4) for at in range(KINDS)]
    return found


def _report(game: Game, found: Mapping[str, Any]) -> list[str]:
    kinds = ", ".join(f"{100 * part:.0f} %" for part in found["kinds"])
    return [
        f"{'replacements a game':<20} {words(found['replacements'])}",
        f"{'turns with a ko':<20} {words(found['ko'])}",
        f"{'kinds played':<20} {kinds} of the pieces, the kind that was played most first",
    ]


STATISTICS = Statistics(
    "SanQi: replacements, turns in which the ko rule forbids one, and how evenly the three kinds are played.",
    ReplacementCount,
    _summary,
    _report,
)
