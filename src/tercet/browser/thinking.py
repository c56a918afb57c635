"""Engines of the page. A search keeps everything else in its worker waiting, so a second worker does it where there is
one, and long ones are done in slices."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import pickle
import zlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tercet.answers.errors import as_text
from tercet.answers.positions import lines_shown
from tercet.core.game import Game, Position
from tercet.core.view import to_json
from tercet.engines import FULL, Engine, Info, Limits, level
from tercet.engines.analysis import Lengthener
from tercet.engines.base import PlannedEngine

MAX_ENGINES = 6  # that are kept, with what they remember
HINT_SECONDS = 1.0
FIRST_SLICE_SECONDS, MAX_SLICE_SECONDS = 0.2, 1.6  # of analysis between two looks at what the page asks
Report = Callable[[dict[str, Any]], None]
Send = Callable[[str], None]


class Helper:
    """The engines of a second worker, as the first one sees them. ``post`` sends them a text."""

    def __init__(self, post: Send) -> None:
        self._post = post
        self._numbers = itertools.count(1)
        self._asked: dict[int, tuple[asyncio.Future[str | None], Report]] = {}

    async def ask(self, method: str, arguments: tuple[Any, ...], report: Report) -> str | None:
        """Return what a method of their :class:`Engines` does; None if it fails, or if the second worker is lost."""
        number, done = next(self._numbers), asyncio.get_running_loop().create_future()
        self._asked[number] = done, report
        packed = base64.b64encode(pickle.dumps(arguments)).decode("ascii")
        self._post(as_text({"number": number, "method": method, "arguments": packed}))
        try:
            found: str | None = await done
        except asyncio.CancelledError:
            self._post(as_text({"number": number, "method": None}))
            raise
        finally:
            del self._asked[number]
        return found

    def hear(self, text: str) -> None:
        """Take a message of the second worker."""
        message = json.loads(text)
        done, report = self._asked.get(message["number"], (None, None))
        if done is None or report is None or done.done():
            return
        if "info" in message:
            report(message["info"])
        else:
            done.set_result(message["action"])

    def lose(self) -> None:
        """Wait no longer for answers."""
        for done, _ in self._asked.values():
            if not done.done():
                done.set_result(None)


class Helping:
    """The second worker's end of a :class:`Helper`, to which ``post`` sends."""

    def __init__(self, post: Send) -> None:
        self._post = post
        self._engines = Engines()
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def hear(self, text: str) -> None:
        """Start to think, or stop where there is no method."""
        message = json.loads(text)
        number, method = message["number"], message["method"]
        if method is not None:
            thinking = self._think(number, method, message["arguments"])
            self._tasks[number] = asyncio.get_running_loop().create_task(thinking)
            self._tasks[number].add_done_callback(lambda _: self._tasks.pop(number))
        elif number in self._tasks:
            self._tasks[number].cancel()

    async def _think(self, number: int, method: str, packed: str) -> None:
        def report(info: dict[str, Any]) -> None:
            self._post(as_text({"number": number, "info": info}))

        action = None
        try:
            arguments = pickle.loads(base64.b64decode(packed))  # noqa: S301  (from the same page's other worker)
            action = await getattr(self._engines, method)(*arguments, report)
        finally:
            self._post(as_text({"number": number, "action": action}))


class Engines:
    """The engines of one worker. Each ``owner`` has engines of its own, which remember its game. They think in the
    worker of ``helper`` if there is one."""

    def __init__(self) -> None:
        self.helper: Helper | None = None
        self._kept: OrderedDict[tuple[str, Game, int], Engine] = OrderedDict()

    def _engine(self, owner: str, game: Game, strength: int) -> Engine:
        key, seed = (owner, game, strength), zlib.crc32(owner.encode())
        found = self._kept[key] = self._kept.get(key) or level(game, strength, seed)
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_ENGINES:
            self._kept.popitem(last=False)
        return found

    async def _helped(self, method: str, arguments: tuple[Any, ...], report: Report) -> str | None:
        """Return what the helper finds; None where there is none, or where it fails."""
        await asyncio.sleep(0)  # what was just sent goes out first
        helper = self.helper
        found = None if helper is None else await helper.ask(method, arguments, report)
        if found is None and self.helper is helper:
            self.helper = None
        return found

    async def move(self, owner: str, position: Position, strength: int, report: Report) -> str:
        """Return the action that an engine of that level chooses; ``report`` gets its progress."""
        helped = await self._helped("move", (owner, position, strength), report)
        if helped is not None:
            return helped
        engine = self._engine(owner, position.game, strength)
        thought = engine.think(position, Limits(), on_info=lambda info: report(to_json(info)))
        report(to_json(thought.info))
        return str(thought.action)

    async def choose(self, owner: str, position: Position, strength: int, seed: int) -> str:
        """Return the action that a fresh engine of that level and ``seed`` chooses, or what the one before has planned
        for this turn."""
        key = (f"seeded {owner}", position.game, strength)
        before = self._kept.get(key)
        if isinstance(before, PlannedEngine) and (planned := before.planned(position)) is not None:
            return str(planned[0])
        self._kept[key] = level(position.game, strength, seed)
        return str(self._engine(*key).choose(position))

    async def suggest(self, position: Position, report: Report = lambda _: None) -> str:
        """Return the actions of the rest of a turn to hint at, with spaces between them."""
        helped = await self._helped("suggest", (position,), report)
        if helped is not None:
            return helped
        engine = self._engine("hints", position.game, FULL)
        action = engine.think(position, Limits(movetime=HINT_SECONDS)).action
        rest = engine.rest(position.play(action)) if isinstance(engine, PlannedEngine) else ()
        return " ".join([str(action), *(str(then) for _, then, _ in rest)])

    async def analyse(self, position: Position, lines: int, seconds: float, report: Report) -> str:
        """Think about ``position`` at full strength for so many seconds, until the task is cancelled. Return the best
        action; ``report`` gets what is found on the way."""
        lengthener = Lengthener(position.game)
        spent, slice_seconds, best = 0.0, FIRST_SLICE_SECONDS, ""
        while spent < seconds:
            helped = await self._helped("analyse", (position, lines, seconds - spent), report)
            if helped is not None:
                return helped
            slice_seconds = min(slice_seconds, seconds - spent)
            engine = self._engine("analysis", position.game, FULL)
            thought = engine.think(position, Limits(movetime=slice_seconds, multipv=lines))
            spent += max(slice_seconds, thought.info.seconds)
            slice_seconds = min(2 * slice_seconds, MAX_SLICE_SECONDS)
            best = str(thought.action)
            info: Info = lengthener.lengthen(position, replace(thought.info, seconds=spent))
            found = to_json(info)
            report({**found, "lines": lines_shown(position, found["lines"]), "preparing": None})
            if info.lines and all(line.is_proved for line in info.lines):
                break
        return best
