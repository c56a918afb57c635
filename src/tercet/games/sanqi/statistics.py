"""Figures of SanQi: how much of a game is replacement, how often the ko rule matters, and who has the initiative."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from tercet.core.abilities.knowledge import Statistics
from tercet.core.figures import per_turn, percent, spread, words
from tercet.core.game import Game, Position, Transition
from tercet.games.sanqi.engine import completing
from tercet.games.sanqi.kernels import layout

KINDS = 3
TITLES = {
    "replacements": "replacements a game",
    "ko": "turns with a ko",
    "threats": "turns with a threat",
    "swings": "initiative swings",
}


class TurnCount:
    """One game. Counted are its ``replacements``, the turns with a ``ko`` (a replacement that only the ko rule
    forbade), and how many of the ``pieces`` played were of each kind. ``threats`` are the turns after which the player
    would win with another turn at once. ``kept`` tells of each whether that player's next turn won or threatened
    again. ``swings`` is how often a player threatened after a threat of the other one. Where the players choose their
    sides, ``first`` has the points of First, and what they do before the first turn counts nowhere."""

    def __init__(self, start: Position) -> None:
        self._found = dict.fromkeys(TITLES, 0)
        self._pieces = [0] * KINDS
        self._kept: list[float] = []
        self._threatened = [False, False]  # by the side's last turn
        self._latest: int | None = None  # the side of the last threat

    def follow(self, before: Position, done: Transition) -> None:
        """Count one action."""
        if before.row[layout.STAGE] >= layout.CHOOSING:
            return
        found = self._found
        self._pieces[int(done.action) % 3] += 1
        found["replacements"] += done.records[0][0] == layout.REPLACED
        free = before.row.copy()
        free[layout.KO] = 0
        found["ko"] += len(Position(before.game, free).legal_actions) > len(before.legal_actions)
        side, after = int(before.row[layout.MOVER]), done.after
        won = after.is_over and int(after.row[layout.WINNER]) == side
        threatens = not after.is_over and len(completing(after, side)) > 0
        if self._threatened[side]:
            self._kept.append(float(won or threatens))
        self._threatened[side] = threatens
        if threatens:
            found["threats"] += 1
            found["swings"] += self._latest == 1 - side
            self._latest = side

    def end(self, position: Position) -> dict[str, Any]:
        """Return the counts."""
        found = {**self._found, "kept": self._kept, "pieces": self._pieces}
        if position.game.data[layout.OPENING] < layout.SWAPS or position.scores is None:
            return found
        return found | {"first": position.scores[int(position.row[layout.SWAPPED])]}


def _summary(game: Game, counts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    counted = [key for key in TITLES if all(key in one for one in counts)]  # version 0.2 counted no threats
    found: dict[str, Any] = {key: spread([one[key] for one in counts]) for key in counted}
    if kept := [one["kept"] for one in counts if one.get("kept")]:
        found["kept"] = per_turn(kept).as_dict()
    # Which kind is which means nothing: what matters is how much of a game is played with the kind it favours.
    shares = [sorted(one["pieces"], reverse=True) for one in counts]
    found["kinds"] = [round(fmean(one[at] / sum(one) for one in shares), 4) for at in range(KINDS)]
    return found


def _report(game: Game, found: Mapping[str, Any]) -> list[str]:
    kinds = ", ".join(f"{100 * part:.0f} %" for part in found["kinds"])
    lines = [f"{title:<20} {words(found[key])}" for key, title in TITLES.items() if key in found]
    if "kept" in found:
        lines.append(f"{'threats kept up':<20} {percent(found['kept'])} of the threats")
    return [*lines, f"{'kinds played':<20} {kinds} of the pieces, the kind that was played most first"]


STATISTICS = Statistics(
    "SanQi: replacements, turns in which the ko rule forbids one, threats to win and how many are kept up, and how "
    "evenly the three kinds are played.",
    TurnCount,
    _summary,
    _report,
    {**TITLES, "kept": "threats kept up"},
)
