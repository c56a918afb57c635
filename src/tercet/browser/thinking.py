"""Engines that think in the worker itself. A search keeps everything else waiting, so long ones are done in slices."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tercet.answers.positions import lines_shown
from tercet.engines import FULL, Engine, Info, Limits, level
from tercet.engines.analysis import Lengthener
from tercet.game import Game, Position
from tercet.view import to_json

__all__ = ["Engines"]

MAX_ENGINES = 6  # that are kept, with what they remember
HINT_SECONDS = 1.0
FIRST_SLICE, LONGEST_SLICE = 0.2, 1.6  # seconds of analysis between two looks at what the page asks
Report = Callable[[dict[str, Any]], None]


class Engines:
    """The engines of one worker. Each ``owner`` has engines of its own, which remember its game."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, Game, int], Engine] = OrderedDict()

    def _engine(self, owner: str, game: Game, strength: int) -> Engine:
        key = owner, game, strength
        found = self._kept[key] = self._kept.get(key) or level(game, strength)
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_ENGINES:
            self._kept.popitem(last=False)
        return found

    async def move(self, owner: str, position: Position, strength: int, report: Report) -> str:
        """Return the action that an engine of that level chooses; ``report`` gets its progress."""
        await asyncio.sleep(0)  # what was just sent goes out first
        engine = self._engine(owner, position.game, strength)
        thought = engine.think(position, Limits(), on_info=lambda info: report(to_json(info)))
        report(to_json(thought.info))
        return str(thought.action)

    async def suggest(self, position: Position) -> str:
        """Return an action to hint at."""
        await asyncio.sleep(0)
        return str(self._engine("hints", position.game, FULL).think(position, Limits(movetime=HINT_SECONDS)).action)

    async def analyse(self, position: Position, lines: int, seconds: float, report: Report) -> str:
        """Think about ``position`` at full strength for so many seconds, until the task is cancelled. Return the best
        action; ``report`` gets what is found on the way."""
        engine = self._engine("analysis", position.game, FULL)
        lengthener = Lengthener(position.game)
        spent, slice_seconds, best = 0.0, FIRST_SLICE, ""
        while spent < seconds:
            await asyncio.sleep(0)
            slice_seconds = min(slice_seconds, seconds - spent)
            thought = engine.think(position, Limits(movetime=slice_seconds, multipv=lines))
            spent += max(slice_seconds, thought.info.seconds)
            slice_seconds = min(2 * slice_seconds, LONGEST_SLICE)
            best = str(thought.action)
            info: Info = lengthener.lengthen(position, replace(thought.info, seconds=spent))
            found = to_json(info)
            report({**found, "lines": lines_shown(position, found["lines"]), "preparing": None})
            if info.lines and all(line.is_proved for line in info.lines):
                break
        return best
