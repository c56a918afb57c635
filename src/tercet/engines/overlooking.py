"""An engine that overlooks actions, as weak players do: it plays the best that it has seen of what another engine
thinks of."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tercet.core.attention import Glance, overlooked
from tercet.core.game import Action, Game, Position
from tercet.engines.base import Engine, Limits, Line, OnInfo, Thought

MAX_LINES = 16  # of the best lines, in which something is looked for that was seen
LEAST_CHANCE = 0.02  # how readily something quiet is played where none of them was seen
SEEN_BY_EVENT = 0.15  # how much each thing that an action causes beyond itself is seen


def glances_of(position: Position) -> list[Glance]:
    """Return how easily each legal action is seen, in their order: as the game says, or else by what it causes."""
    attention = position.game.definition.engine.attention
    if attention is not None:
        return list(attention(position))
    found = []
    for action in position.legal_actions:
        done = position.transition(action)
        scores = done.after.scores
        wins = scores is not None and scores[position.mover or 0] == 1
        found.append(Glance(action.id, 1.0 if wins else min(0.8, SEEN_BY_EVENT * (len(done.events) - 1))))
    return found


class OverlookingEngine(Engine):
    """Plays the best of ``engine``'s lines whose first action it does not overlook; ``share`` is how much of what is
    far and quiet it does (see `overlooked`). Where it has seen none of them, it plays something
    else that it sees, the more obvious the likelier."""

    def __init__(self, engine: Engine, share: float, seed: int | None = None) -> None:
        self.name = engine.name
        self.options: dict[str, Any] = engine.options | {"overlooks": share}
        self._engine = engine
        self._share = share
        self._chance = random.Random(seed)

    def _begin(self, seed: int | None) -> None:
        """Begin the random numbers again from ``seed``."""
        self._engine.new_game(seed)
        if seed is not None:
            self._chance = random.Random(seed)

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        thought = self._engine._choose(position, replace(limits, multipv=max(limits.multipv, MAX_LINES)), stop, None)
        chosen = self._seen(position, thought.info.lines)
        lines = (chosen, *(line for line in thought.info.lines if line.pv[0] != chosen.pv[0]))
        info = replace(thought.info, lines=lines[: max(1, limits.multipv)])
        if on_info:
            on_info(info)
        return Thought(position.action(chosen.pv[0]), info)

    def _look_at(self, position: Position, actions: list[Action], limits: Limits, stop: threading.Event) -> list[Line]:
        return self._engine._look_at(position, actions, limits, stop)

    def _seen(self, position: Position, lines: Sequence[Line]) -> Line:
        actions = position.legal_actions.ids
        glances = glances_of(position)
        missed = set(overlooked(glances, self._share, self._chance))
        weights = {
            int(action): glances[place].seen + LEAST_CHANCE
            for place, action in enumerate(actions)
            if place not in missed
        }
        for line in lines:
            if position.action(line.pv[0]).id in weights:
                return line
        action = Action(self._chance.choices(list(weights), list(weights.values()))[0], position)
        return Line(lines[0].scores if not lines[0].note else _even(position.game), (str(action),))


def _even(game: Game) -> tuple[float, ...]:
    return (1 / len(game.players),) * len(game.players)
