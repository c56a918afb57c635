"""What the rows of a study mean: figures with intervals, and lines for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tercet.core.figures import points, share, spread, words
from tercet.core.game import Game
from tercet.laboratory.playing import GameRow


def summary(game: Game, rows: Sequence[GameRow], engines: Sequence[str] = ()) -> dict[str, Any]:
    """Return what all games of ``rows`` give, made of JSON's types: their number, ``actions`` a game, ``reasons`` why
    they ended, ``shares`` of the point by seat and, of ``engines`` that took turns in the seats, by engine; then the
    game's own figures."""
    found: dict[str, Any] = {
        "games": len(rows),
        "actions": spread([row.actions for row in rows]),
        "reasons": dict(Counter(row.reason for row in rows).most_common()),
        "shares": {
            player: share([row.scores[seat] for row in rows]).as_dict() for seat, player in enumerate(game.players)
        },
    }
    if len(engines) > 1:
        found["engines"] = {
            f"{name} ({entrant + 1})" if engines.count(name) > 1 else name: share(
                [row.scores[row.entrants.index(entrant)] for row in rows]
            ).as_dict()
            for entrant, name in enumerate(engines)
        }
    statistics = game.definition.statistics
    return found if statistics is None else found | statistics.summary(game, [row.counts for row in rows])


def report(game: Game, found: Mapping[str, Any]) -> list[str]:
    """Return the lines that show a summary to a person."""
    ends = ", ".join(f"{reason} {100 * count / found['games']:.1f} %" for reason, count in found["reasons"].items())
    lines = [f"{'actions a game':<20} {words(found['actions'])}", f"{'how games end':<20} {ends}"]
    shares = {**found["shares"], **found.get("engines", {})}
    lines += [f"{name:<20} {points(shares[name])}" for name in shares]
    statistics = game.definition.statistics
    return lines if statistics is None else lines + statistics.report(game, found)
