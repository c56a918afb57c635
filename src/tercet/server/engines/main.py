"""What thinks: engines and explorations, asked by messages and answered by messages. One thing at a time.

As a process of its own (:func:`main`) it reads a JSON object a line from stdin, writes them to stdout, and ends when
stdin does. It reads

``{"do": "think", "number", "owner", "game", "options", "row", "level", "movetime", "multipv",
"lengthened"}``
``{"do": "explore", "number", "position", "id", "cell"}``
``{"do": "stop", "number"}``, ``{"do": "forget", "owner"}``

and says ``{"says": "ready"}`` once, then ``begins`` (the engine is made and thinks now),
``info`` (``info``), ``compiling`` (``name``, ``count``), and for each question in the end ``done`` (``found``)
or ``failed`` (``fault``: code, where and why, or null if unexpected).
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import IO, Any

import tercet
from tercet.answers.errors import answer_error
from tercet.answers.positions import explored
from tercet.core.execution import usual_execution
from tercet.core.game import Game, Position
from tercet.core.view import to_json
from tercet.engines import FULL, Engine, Info, Limits, level
from tercet.engines.analysis import Lengthener
from tercet.engines.base import PlannedEngine
from tercet.engines.preparing import QUICK_LEVEL, is_ready
from tercet.games import game_definition

REPORT_SECONDS = 0.25  # between two reports
MAX_THINKING_ENGINES = 4  # engines that keep their trees between moves: large
MAX_PLANNING_ENGINES = 16  # engines that plan whole turns and keep what they have found out

Message = dict[str, Any]
Asker = Callable[[Message], None]


def fingerprint(position: Position) -> str:
    """Return the key of a position among those of one game."""
    return hashlib.blake2b(position.key(), digest_size=16).hexdigest()


def question(
    position: Position, strength: int, seconds: float | None, lines: int, *, lengthened: bool = False
) -> Message:
    """Return the request to think about ``position``; ``lengthened``: lines that end soon are continued."""
    return {
        "do": "think",
        "game": position.game.name,
        "options": dict(position.game.options),
        "row": base64.b64encode(position.key()).decode("ascii"),
        "level": strength,
        "movetime": seconds,
        "multipv": lines,
        "lengthened": lengthened,
    }


@functools.lru_cache(maxsize=64)
def _game(name: str, options: tuple[tuple[str, Any], ...], execution: str) -> Game:
    return Game(game_definition(name), dict(options), execution)


def _execution(name: str, strength: int) -> str:
    """Return how the engine of that strength runs: a weak one interpreted until its kernels have been compiled ahead,
    since it moves sooner than they compile."""
    return "interpreted" if strength <= QUICK_LEVEL and not is_ready(name, "engine") else usual_execution()


def _position(question: Message) -> Position:
    import numpy as np

    name = question["game"]
    game = _game(name, tuple(sorted(question["options"].items())), _execution(name, question["level"]))
    row = np.frombuffer(base64.b64decode(question["row"]), np.int64)
    return Position(game, row.copy() if game.execution == "compiled" else row.tolist())


class EngineStates:
    """The engines that one worker has, and what it does with them."""

    def __init__(self) -> None:
        self._thinking: dict[tuple[str, Game, str, int], Engine] = {}  # by owner, game, execution and strength
        self._planning: dict[tuple[str, Game, str, int], Engine] = {}

    def forget(self, owner: str) -> None:
        """Drop the owner's engines."""
        for engines in (self._thinking, self._planning):
            for key in [key for key in engines if key[0] == owner]:
                del engines[key]

    def _engine(self, owner: str, game: Game, strength: int) -> Engine:
        key = (owner, game, game.execution, strength)
        engine = self._thinking.pop(key, None) or self._planning.pop(key, None) or level(game, strength)
        is_planned = isinstance(engine, PlannedEngine)
        if is_planned or strength >= FULL:  # a weaker one remembers nothing between moves
            engines = self._planning if is_planned else self._thinking
            engines[key] = engine
            if len(engines) > (MAX_PLANNING_ENGINES if is_planned else MAX_THINKING_ENGINES):
                del engines[next(iter(engines))]
        return engine

    def answer(self, question: Message, stop: threading.Event, report: Asker, begins: Callable[[], None]) -> Message:
        """Return ``{"best", "ahead"}`` of an engine (``ahead`` is the rest of the turn that it has planned, by the
        positions' fingerprints), or an exploration's findings. ``begins`` is called when an engine is made and begins
        to think. Raise typed errors."""
        if question["do"] == "explore":
            return explored(question["position"], question["id"], question["cell"])
        position = _position(question)
        engine = self._engine(question["owner"], position.game, question["level"])
        begins()
        reported_at = 0.0
        lengthener = Lengthener(position.game) if question.get("lengthened") else None

        def shown(info: Info) -> Message:
            data: Message = to_json(info if lengthener is None else lengthener.lengthen(position, info))
            return data

        def on_info(info: Info) -> None:
            nonlocal reported_at
            now = time.monotonic()
            if now - reported_at >= REPORT_SECONDS:
                reported_at = now
                report(shown(info))

        limits = Limits(movetime=question["movetime"], multipv=question["multipv"])
        thought = engine.think(position, limits, stop=stop, on_info=on_info)
        report(shown(thought.info))
        ahead = {}
        if isinstance(engine, PlannedEngine):
            for following, action, known in engine.rest(position.play(thought.action)):
                ahead[fingerprint(following)] = (str(action), to_json(known))
        return {"best": str(thought.action), "ahead": ahead}


def _prepared(kernel: str) -> Message:
    """Return how many kernels of that game are ready, ``of`` how many that its engine needs (0: unknown)."""
    from tercet.kernel.compiled import count_ready

    name = kernel.partition(".")[0]
    needed = game_definition(name).engine.kernels if name in tercet.games() else 0
    return {"done": min(count_ready(name), max(0, needed - 1)), "of": needed}


def work(states: EngineStates, question: Message, stop: threading.Event, say: Asker) -> None:
    """Answer one question, with an error if need be, and with the processor seconds that it took."""
    number, began = question["number"], time.thread_time()
    try:
        answer = states.answer(
            question,
            stop,
            lambda info: say({"says": "info", "number": number, "info": info}),
            lambda: say({"says": "begins", "number": number}),
        )
        say({"says": "done", "number": number, "found": answer, "cpu": time.thread_time() - began})
    except Exception as error:
        found_wrong = answer_error(error)
        if found_wrong is None:
            traceback.print_exc()
        fault = None if found_wrong is None else (found_wrong.code, found_wrong.where, found_wrong.why)
        say({"says": "failed", "number": number, "fault": fault, "cpu": time.thread_time() - began})


def _listen(lines: IO[str], questions: queue.SimpleQueue[Message], stops: dict[int, threading.Event]) -> None:
    """Pass on what is asked; end the process with its asker."""
    for line in lines:
        message = json.loads(line)
        if message["do"] == "stop":
            stops.get(message["number"], threading.Event()).set()
            continue
        if message["do"] != "forget":
            stops[message["number"]] = threading.Event()
        questions.put(message)
    os._exit(0)


def main() -> None:
    """Answer questions until stdin ends."""
    from tercet.kernel import on_compile

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # its parent ends it
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # nothing but answers may come out where they do
    writing = threading.Lock()

    def say(message: Message) -> None:
        with writing:
            answers.write(json.dumps(message, separators=(",", ":")) + "\n")
            answers.flush()

    on_compile(lambda name: say({"says": "compiling", "name": name, "count": _prepared(name)}))
    questions: queue.SimpleQueue[Message] = queue.SimpleQueue()
    stops: dict[int, threading.Event] = {}
    threading.Thread(target=_listen, args=(sys.stdin, questions, stops), daemon=True).start()
    import numba  # noqa: F401  (so that a worker that is ready has loaded it)

    states = EngineStates()
    with contextlib.suppress(BrokenPipeError):
        say({"says": "ready"})
        while True:
            question = questions.get()
            if question["do"] == "forget":
                states.forget(question["owner"])
            else:
                work(states, question, stops[question["number"]], say)
                del stops[question["number"]]
