"""Figures that Triplicity's designer asks for: tribute, purchases, and who profits when a player falls."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from tercet.core.abilities.knowledge import Statistics
from tercet.core.figures import points, share, spread, words
from tercet.core.game import Game, Position, Transition
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.positions import still_playing, values

TITLES = {
    "turns": "turns a game",
    "captures": "captures a game",
    "tribute": "coins of tribute",
    "sacrifices": "sacrifices a game",
    "purchases": "purchases a game",
    "promotions": "promotions a game",
    "jeopardy": "turns with jeopardy",
}
_COUNTED = {
    layout.CAPTURED: "captures",
    layout.SACRIFICED: "sacrifices",
    layout.BOUGHT: "purchases",
    layout.PROMOTED: "promotions",
}


class TributeCount:
    """One game. Counted are its ``turns`` (a sacrifice is none), ``captures``, ``sacrifices``, ``purchases`` and
    ``promotions``, the tokens paid as ``tribute``, and the turns in which the rule of ``jeopardy`` forbade a capture.
    ``fall`` has the turn in which the first player fell, with the points that the ``captor`` and the ``bystander`` had
    at the end; None where that player resigned, or no king fell. ``against`` has, of each capture by one of the two
    weaker of three players, whether it hit the leader: the one whose pieces and coins are worth the most."""

    def __init__(self, start: Position) -> None:
        self._found: dict[str, Any] = dict.fromkeys(TITLES, 0)
        self._free = start.game if start.game.options["jeopardy"] == "off" else _without_jeopardy(start.game)
        self._whole = len(still_playing(start.row)) == 3
        self._fall: tuple[int, int, int] | None = None
        self._against: list[bool] = []

    def follow(self, before: Position, done: Transition) -> None:
        """Count one action."""
        found = self._found
        found["turns"] += not before.row[layout.PENDING]
        if self._whole and self._free is not before.game:
            found["jeopardy"] += len(Position(self._free, before.row).legal_actions) > len(before.legal_actions)
        for kind, first, second, third in done.records:
            if kind in _COUNTED:
                found[_COUNTED[kind]] += 1
                if kind == layout.CAPTURED and self._whole:
                    self._note_capture(values(before), int(before.row[layout.TURN]), third)
            elif kind == layout.KING_VANQUISHED and self._whole:
                self._fall = (found["turns"], second, 3 - first - second)
            elif kind == layout.TRIBUTE:
                found["tribute"] += third
        self._whole = self._whole and len(still_playing(done.after.row)) == 3

    def _note_capture(self, worth: Sequence[float], captor: int, victim: int) -> None:
        leaders = [player for player in range(3) if worth[player] == max(worth)]
        if len(leaders) == 1 and captor != leaders[0]:
            self._against.append(victim == leaders[0])

    def end(self, position: Position) -> dict[str, Any]:
        """Return the counts."""
        outcome = position.outcome
        assert outcome is not None
        self._found["against"] = self._against
        if self._fall is None:
            return self._found | {"fall": None}
        turn, captor, bystander = self._fall
        fall = {"turn": turn, "captor": outcome.scores[captor], "bystander": outcome.scores[bystander]}
        return self._found | {"fall": fall}


@functools.cache
def _without_jeopardy(game: Game) -> Game:
    return Game(game.definition, {**game.options, "jeopardy": "off"})


def _summary(game: Game, counts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {key: spread([one[key] for one in counts]) for key in TITLES}
    against = [float(hit) for one in counts for hit in one["against"]]
    found["against"] = share(against).as_dict() if against else None
    falls = [one["fall"] for one in counts if one["fall"] is not None]
    if not falls:
        return found | {"fall": None}
    fall: dict[str, Any] = {"games": len(falls), "turn": spread([one["turn"] for one in falls])}
    fall |= {who: share([one[who] for one in falls]).as_dict() for who in ("captor", "bystander")}
    return found | {"fall": fall}


def _report(game: Game, found: Mapping[str, Any]) -> list[str]:
    lines = [f"{title:<20} {words(found[key])}" for key, title in TITLES.items()]
    if found["against"] is not None:
        lines.append(f"{'against the leader':<20} {points(found['against'])}")
    fall = found["fall"]
    if fall is not None:
        lines.append(f"{'first king to fall':<20} in {fall['games']} games, turn {words(fall['turn'])}")
        lines += [f"{who + ' of it':<20} {points(fall[who])}" for who in ("captor", "bystander")]
    return lines


STATISTICS = Statistics(
    "Triplicity: turns, captures, tribute, sacrifices, purchases, promotions and turns with jeopardy; the "
    "points of the captor and of the bystander of the first king to fall; captures by the two weaker that hit the "
    "leader.",
    TributeCount,
    _summary,
    _report,
    {
        **TITLES,
        "against": "captures by the two weaker that hit the leader",
        "fall": "share of the point after the first king falls",
        "fall.turn": "turn of the first king's fall",
    },
)
