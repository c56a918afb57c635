"""A person's games, counted by what was played in a position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import tercet
from tercet.game import Game
from tercet.record import Record, is_token
from tercet.record.tokens import standing

__all__ = ["MAX_LATEST", "MAX_STARTS", "PlayedGame", "continuations", "starts"]

MAX_STARTS, MAX_LATEST = 20, 5


@dataclass(frozen=True)
class PlayedGame:
    """A game as far as it is counted. ``places`` has its positions by their keys: after how many actions the game
    first stood there, and the actions that were played. ``scores`` are its result, None without one; ``known`` is what
    clients get of it."""

    game: Game
    start: str
    places: Mapping[bytes, tuple[int, Sequence[str]]]
    scores: Sequence[float] | None
    known: Mapping[str, Any]

    @classmethod
    def of_record(cls, record: Record, known: Mapping[str, Any]) -> PlayedGame:
        """Return the game of a record's main line, without turns that were taken back."""
        places: dict[bytes, tuple[int, list[str]]] = {}
        here: list[str] = []
        ply = 0
        for node in standing(record.last):
            text = node.action_text
            if text is not None and not is_token(text):
                here.append(text)
                ply += 1
            _, here = places.setdefault(node.position.without_history().key(), (ply, []))
        return cls(record.game, str(record.start), places, _scores(record.result), known)


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


def continuations(games: Iterable[PlayedGame], position: str) -> dict[str, Any]:
    """Return how many of these games, the latest first, came to a position, how they ended, and what was played
    there."""
    here = tercet.parse(position.strip())
    key = here.without_history().key()
    through = [one for one in games if one.game == here.game and key in one.places]
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
