"""A person's games, counted by what was played in a position."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tercet.core.game import Game, Position
from tercet.record import Record, is_token
from tercet.record.tokens import standing

MAX_STARTS, MAX_LATEST = 20, 5


class PlayedGame:
    """A game as far as it is counted, from the position string ``start``. ``known`` is what clients get of it, its
    ``result`` (a result token) among that. ``record`` returns its record, and is called only when the moves are
    needed."""

    def __init__(self, game: Game, start: str, known: Mapping[str, Any], record: Callable[[], Record]) -> None:
        self.game = game
        self.start = start
        self.known = known
        self.scores = _scores(known["result"])
        self._record = record

    @functools.cached_property
    def places(self) -> Mapping[bytes, tuple[int, Sequence[str]]]:
        """Return the positions of the game by their keys: after how many actions it first stood there, and the actions
        that were played, without turns that were taken back."""
        places: dict[bytes, tuple[int, list[str]]] = {}
        here: list[str] = []
        ply = 0
        for node in standing(self._record().last):
            text = node.action_text
            if text is not None and not is_token(text):
                here.append(text)
                ply += 1
            _, here = places.setdefault(node.position.without_history().key(), (ply, []))
        return places


def _scores(result: str) -> list[float] | None:
    return None if result == "*" else [float(Fraction(share)) for share in result.split("-")]


def starts(games: Iterable[PlayedGame]) -> list[dict[str, Any]]:
    """Return the positions in which games began, those of the most games first."""
    counted: Counter[tuple[Game, str]] = Counter((one.game, one.start) for one in games)
    return [
        {
            "game": game.name,
            "title": game.definition.title,
            "optionText": game.option_text(changed_only=True),
            "position": start,
            "games": count,
        }
        for (game, start), count in counted.most_common(MAX_STARTS)
    ]


def continuations(games: Iterable[PlayedGame], here: Position) -> dict[str, Any]:
    """Return how many of these games, the latest first, came to a position of their game, how they ended, and what was
    played there."""
    key = here.without_history().key()
    through = [one for one in games if key in one.places]
    by_action: dict[str, list[PlayedGame]] = {}
    for one in through:
        for text in dict.fromkeys(one.places[key][1]):
            by_action.setdefault(text, []).append(one)
    return {
        **_counted(through),
        "moves": [
            {"text": text, "short": here.short_text(here.action(text)) or text, **_counted(found)}
            for text, found in sorted(by_action.items(), key=lambda pair: -len(pair[1]))
        ],
        "latest": [{**one.known, "ply": one.places[key][0]} for one in through[:MAX_LATEST]],
    }


def _counted(games: Sequence[PlayedGame]) -> dict[str, Any]:
    """Return how many games there are, how many have a result, and the means of their players' shares of the point."""
    decided = [one.scores for one in games if one.scores is not None]
    means = [sum(shares) / len(decided) for shares in zip(*decided, strict=True)]
    return {"games": len(games), "decided": len(decided), "scores": means or None}
