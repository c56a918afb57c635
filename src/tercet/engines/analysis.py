"""Analysis: of one position by a call, or of many at once by lines of JSON on stdin and stdout.

One request is one line, answered by its ``id`` in whatever order the work is done::

    {"id": "a1", "position": POSITION STRING, "moves": [NOTATION, ...], "nodes": 2000, "multipv": 3}
    {"id": "a2", "game": NAME, "options": {NAME: VALUE, ...}, "moves": [], "movetime": 500, "reports": true}
    {"id": "a3", "stop": "a2"}

``position`` is a position string, or else ``game``, ``options`` and ``seed`` say where to start; ``moves`` are
played from there. Limits are ``movetime`` (milliseconds), ``nodes``, ``depth``, ``multipv`` and ``infinite``;
``level`` (1 to 10) chooses the engine. The answer has ``id``, ``done`` (false for the reports asked for with
``reports``), ``position``, ``mover``, ``depth``, ``nodes``, ``nps``, ``seconds``, ``best`` and ``lines`` (``scores``,
``pv``, ``note``, ``proved``); of a finished game ``outcome`` instead; of anything else ``error``, which says why.
"""

from __future__ import annotations

import json
import os
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import tercet
from tercet.core.game import Game, Position
from tercet.core.view import to_json
from tercet.engines.base import EngineError, Info, Limits
from tercet.engines.levels import FULL
from tercet.engines.levels import level as make_level
from tercet.engines.ugi import on_standard_streams
from tercet.errors import OptionError, ParseError, TercetError
from tercet.games import game_definition

MAX_LINE_LENGTH = 1_000_000  # characters
MAX_WAITING_REQUESTS = 10_000
REPLY_LEVEL = 6  # of what goes on with a line that ends too soon
REPLY_SECONDS = 0.05
REMEMBERED_POSITIONS = 2000


def analyse(
    position: Position,
    limits: Limits | None = None,
    multipv: int | None = None,
    *,
    level: int = FULL,
    seed: int | None = None,
) -> Info:
    """Return the best ``multipv`` lines of ``position`` for this ``level``. EngineError if the game is over."""
    limits = limits or Limits()
    if multipv is not None:
        limits = replace(limits, multipv=multipv)
    return make_level(position.game, level, seed).think(position, limits).info


class Lengthener:
    """Goes on with lines of play that end soon, so that each shows so many ``turns``, unless the game is over before.

    A planner of whole turns tells of no more than its own turn; what follows is then what a quick engine would play.
    The scores stay those of the search. What it has found is remembered; not for two threads at once.
    """

    def __init__(self, game: Game, turns: int = 4) -> None:
        self._engine = make_level(game, REPLY_LEVEL, seed=1)
        self._turns = turns
        self._known: OrderedDict[bytes, str] = OrderedDict()

    def lengthen(self, position: Position, info: Info) -> Info:
        """Return ``info`` on ``position`` with longer lines."""
        return replace(info, lines=tuple(replace(line, pv=self._longer(position, line.pv)) for line in info.lines))

    def _longer(self, position: Position, pv: tuple[str, ...]) -> tuple[str, ...]:
        turns, actions = 0, list(pv)
        for text in pv:
            position, turns = _followed(position, text, turns)
        while turns < self._turns and not position.is_over:
            text = self._reply(position)
            actions.append(text)
            position, turns = _followed(position, text, turns)
        return tuple(actions)

    def _reply(self, position: Position) -> str:
        key = position.key()
        known = self._known.get(key)
        if known is None:
            thought = self._engine.think(position, Limits(movetime=REPLY_SECONDS))
            known = self._known[key] = str(thought.action)
            if len(self._known) > REMEMBERED_POSITIONS:
                self._known.popitem(last=False)
        return known


def _followed(position: Position, action: str, turns: int) -> tuple[Position, int]:
    """Return the position after ``action``, and how many turns are over then."""
    following = position.play(action)
    return following, turns + (not following.turn_is_open or following.mover != position.mover)


@dataclass
class _AnalysisJob:
    id: Any
    position: Position
    limits: Limits
    level: int
    seed: int | None
    reports: bool
    stop: threading.Event = field(default_factory=threading.Event)


_FIELDS = {
    "id", "position", "game", "options", "seed", "moves", "movetime", "nodes", "depth", "multipv", "infinite", "level",
    "reports", "stop",
}  # fmt: skip


class Analysis:
    """Reads requests from ``lines`` and gives each answer to ``write`` as one line; ``workers`` think at a time."""

    def __init__(self, lines: Iterable[str], write: Callable[[str], None], workers: int | None = None) -> None:
        self._lines = lines
        self._write = write
        self._writing = threading.Lock()
        self._jobs: queue.Queue[_AnalysisJob | None] = queue.Queue()
        self._running: dict[str, _AnalysisJob] = {}
        self._lock = threading.Lock()
        self._workers = workers or max(1, os.cpu_count() or 1)

    def run(self) -> None:
        """Answer everything until the lines end; what is endless is stopped then."""
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self._workers)]
        for thread in threads:
            thread.start()
        for line in self._lines:
            if line.strip():
                self._take(line)
        with self._lock:
            for job in self._running.values():
                if job.limits.infinite:
                    job.stop.set()
        for _ in threads:
            self._jobs.put(None)
        for thread in threads:
            thread.join()

    def _say(self, answer: dict[str, Any]) -> None:
        text = json.dumps(answer, ensure_ascii=False)
        with self._writing:
            self._write(text)

    def _take(self, line: str) -> None:
        name: Any = None
        try:
            if len(line) > MAX_LINE_LENGTH:
                raise ParseError("request", f"A request must have at most {MAX_LINE_LENGTH} characters.")
            try:
                request = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ParseError("request", f"A request must be JSON: {error}.") from None
            if not isinstance(request, dict):
                raise ParseError("request", "A request must be a JSON object.")
            name = request.get("id")
            if not isinstance(name, str | int) or isinstance(name, bool):
                name = None
                raise ParseError("id", "The field id must be text or a whole number.")
            unknown = sorted(set(request) - _FIELDS)
            if unknown:
                raise ParseError(
                    str(unknown[0])[:40],
                    f"The request has the unknown field {str(unknown[0])[:40]!r}. Use {', '.join(sorted(_FIELDS))}.",
                )
            if "stop" in request:
                self._stop(name, request["stop"])
                return
            job = self._read(name, request)
            if (outcome := job.position.outcome) is not None:
                self._say({"id": name, "done": True, "position": str(job.position), "outcome": to_json(outcome)})
                return
            with self._lock:
                if json.dumps(name) in self._running:
                    why = f"A search is still running under the id {name!r}. Use another id, or stop it."
                    raise ParseError("id", why)
                if len(self._running) >= MAX_WAITING_REQUESTS:
                    why = f"{MAX_WAITING_REQUESTS} requests are already waiting. Wait for an answer first."
                    raise ParseError("request", why)
                self._running[json.dumps(name)] = job
            self._jobs.put(job)
        except TercetError as error:
            self._say({"id": name, "error": str(error)})
        except Exception as error:
            self._say({"id": name, "error": f"This is a fault ({type(error).__name__}: {error}). Please report it."})

    def _stop(self, name: Any, which: Any) -> None:
        with self._lock:
            job = self._running.get(json.dumps(which))
            if job is not None:
                job.stop.set()
        if job is None:
            raise ParseError("stop", f"No search is running under the id {str(which)[:40]!r}.")
        self._say({"id": name, "done": True})

    def _read(self, name: Any, request: dict[str, Any]) -> _AnalysisJob:
        def number(key: str, least: int, most: int) -> int | None:
            value = request.get(key)
            if value is None:
                return None
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ParseError(
                    key, f"The field {key} must be a whole number from {least} to {most}, not {str(value)[:40]}."
                )
            return value

        def flag(key: str) -> bool:
            value = request.get(key, False)
            if not isinstance(value, bool):
                raise ParseError(key, f"The field {key} must be true or false.")
            return value

        seed = number("seed", 0, 2**62 - 1)
        if "position" in request:
            if not isinstance(request["position"], str):
                raise ParseError("position", "The field position must be a position string.")
            if "game" in request or "options" in request:
                raise ParseError("position", "A position already names the game and its options. Leave them out.")
            position = tercet.parse(request["position"])
        else:
            game_name, options = request.get("game"), request.get("options", {})
            if not isinstance(game_name, str):
                raise ParseError("game", f"Give a position, or name a game: {', '.join(tercet.games())}.")
            if not isinstance(options, dict) or any(isinstance(value, dict | list) for value in options.values()):
                raise OptionError("options", "The field options must be an object of names and values.")
            position = Game(game_definition(game_name), options).start(seed or 0)
        moves = request.get("moves", [])
        if not isinstance(moves, list) or any(not isinstance(move, str) for move in moves):
            raise ParseError("moves", "The field moves must be a list of actions in notation.")
        for move in moves:
            position = position.play(move)
        movetime = number("movetime", 1, 10**9)
        limits = Limits(
            None if movetime is None else movetime / 1000,
            number("nodes", 1, 10**12),
            number("depth", 1, 10**6),
            number("multipv", 1, 1000) or 1,
            flag("infinite"),
        )
        return _AnalysisJob(name, position, limits, number("level", 1, FULL) or FULL, seed, flag("reports"))

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._finish(job)

    def _finish(self, job: _AnalysisJob) -> None:
        def report(info: Info, done: bool = False) -> dict[str, Any]:
            lines = [
                {"scores": line.scores, "pv": line.pv, "note": line.note, "proved": line.is_proved}
                for line in info.lines
            ]
            return {
                "id": job.id, "done": done, "position": str(job.position), "mover": job.position.mover,
                "depth": info.depth, "nodes": info.nodes, "nps": info.nps, "seconds": round(info.seconds, 3),
                "lines": lines,
            }  # fmt: skip

        answer: dict[str, Any]
        try:
            engine = make_level(job.position.game, job.level, job.seed)
            on_info = (lambda info: self._say(report(info))) if job.reports else None
            thought = engine.think(job.position, job.limits, stop=job.stop, on_info=on_info)
            answer = {**report(thought.info, done=True), "best": str(thought.action)}
        except EngineError as error:
            answer = {"id": job.id, "error": str(error)}
        except Exception as error:
            answer = {"id": job.id, "error": f"This is a fault ({type(error).__name__}: {error}). Please report it."}
        with self._lock:
            self._running.pop(json.dumps(job.id), None)
        self._say(answer)


def main(workers: int | None = None) -> None:
    """Answer requests on stdin until it ends."""
    on_standard_streams(lambda lines, write: Analysis(lines, write, workers).run())


if __name__ == "__main__":
    main()
