"""Outside programs that speak the engine protocol, as engines; and engines for asyncio.
``docs/protocol.md`` has an example."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import queue
import shlex
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from tercet.core.game import Game, Position
from tercet.engines.base import Engine, EngineError, Info, Limits, Line, OnInfo, Thought
from tercet.errors import IllegalAction

ANSWER_SECONDS = 10.0  # seconds to wait for an answer that needs no thought ...
LOADING_SECONDS = 300.0  # ... and before the first action of a game, for which a program may have to compile


class RemoteEngine(Engine):
    """Starts ``command`` (split as a shell would, but run without one) and plays the moves that it answers with.

    It must answer within ``patience`` seconds, and ``loading`` seconds before the first action of a game. ``settings``
    are sent as ``setoption``. EngineError where it does not start, answer, or play a legal action.
    """

    def __init__(self, game: Game | None, command: str, patience: float = ANSWER_SECONDS, **settings: Any) -> None:
        self.game = game
        self.options: dict[str, Any] = {}
        self.name = f"ugi:{command}"
        self._patience, self.loading = patience, max(patience, LOADING_SECONDS)
        self._current_game: Game | None = None
        self._loaded: Game | None = None  # for which it has answered with an action
        self._takes_seed = False
        self._answers: queue.Queue[str | None] = queue.Queue()
        try:
            words = shlex.split(command)
            self._process = subprocess.Popen(  # noqa: S603  (running the program named is what is asked for)
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
            )
        except (OSError, ValueError, IndexError) as error:
            why = getattr(error, "strerror", None) or error
            raise EngineError(f"The engine {command!r} cannot be started: {why}.") from None
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            self._send("ugi")
            for line in self._until("ugiok"):
                if line.startswith("id name "):
                    self.name = line.removeprefix("id name ").strip()[:80] or self.name
                self._takes_seed |= line.startswith("option name Seed ")
            self.configure(**settings)
        except EngineError:
            self.close()
            raise

    def configure(self, **settings: Any) -> None:
        """Set options of the program by their names. EngineError where it refuses one or does not answer."""
        for name, value in settings.items():
            self._send(f"setoption name {name} value {value}")
        self._ready(self._patience)
        self.options |= settings

    def _ready(self, wait: float) -> None:
        self._send("isready")
        for line in self._until("readyok", wait):
            if line.startswith("error"):
                raise EngineError(f"{self.name}: {line}")

    def kill(self) -> EngineError:
        """End a program that is late: its answer would be taken for one to the next question. Return what to raise."""
        self._process.kill()
        return self._failed("does not answer")

    def _failed(self, what: str) -> EngineError:
        return EngineError(f"The engine {self.name} {what}. Run its command in a terminal to see why.")

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self._process.stdout:
                self._answers.put(" ".join(line.split()))
        self._answers.put(None)

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._failed("has stopped") from None

    def _line(self, wait: float | None) -> str:
        try:
            return self._heard(wait)
        except queue.Empty:
            raise self.kill() from None

    def _heard(self, wait: float | None) -> str:
        """Return the program's next line; queue.Empty where there is none within ``wait`` seconds."""
        line = self._answers.get(timeout=wait)
        if line is None:
            self._answers.put(None)
            raise self._failed("has stopped")
        return line

    def _until(self, last: str, wait: float | None = None) -> list[str]:
        lines: list[str] = []
        ends = time.monotonic() + (wait or self._patience)
        while True:
            line = self._line(max(0.0, ends - time.monotonic()))
            if line.split(" ", 1)[0] == last:
                return lines
            lines.append(line)

    def _choose_game(self, game: Game, wait: float) -> None:
        """Send the game with the options that are not as usual, so that a program that does not know all of them plays
        it too. EngineError where it refuses, or says that it plays with others."""
        self._send(f"game {game.name} {game.option_text(changed_only=True)}".rstrip())
        ends = time.monotonic() + wait
        line = ""
        while line.split(" ", 1)[0] != "game":
            line = self._line(max(0.0, ends - time.monotonic()))
            if line.startswith("error"):
                raise EngineError(f"{self.name}: {line}")
        settings = dict(word.split("=", 1) for word in line.split() if "=" in word)
        for option in game.definition.options:
            wanted = option.write(game.options[option.name])
            said = settings.get(option.name, wanted)
            if said != wanted:
                raise EngineError(f"The engine {self.name} plays with {option.name}={said}, not {wanted}.")

    def _begin(self, seed: int | None) -> None:
        """Send the game again before the next position, so that the program forgets what it has learnt; before that
        the option ``Seed`` where the program has it."""
        self._current_game = None
        if seed is not None and self._takes_seed:
            self._send(f"setoption name Seed value {seed % 1_000_000_000}")

    def close(self) -> None:
        """Ask the program to quit, and kill it if it does not."""
        with contextlib.suppress(EngineError):
            self._send("quit")
        with contextlib.suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        wait = self._patience if self._loaded == position.game else self.loading
        if self._current_game != position.game:
            self._choose_game(position.game, wait)
            self._current_game = position.game
        self._send(f"position text {position}")
        self._ready(wait)
        movetime = None if limits.movetime is None else max(1, round(1000 * limits.movetime))
        asked = {"movetime": movetime, "nodes": limits.nodes, "depth": limits.depth, "multipv": limits.multipv or None}
        words = [f"{name} {value}" for name, value in asked.items() if value is not None]
        self._send(" ".join(["go", *words, *(["infinite"] if limits.infinite else [])]))
        thought = self._follow(position, limits, wait, stop, on_info)
        self._loaded = position.game
        return thought

    def _follow(
        self, position: Position, limits: Limits, wait: float, stop: threading.Event, on_info: OnInfo | None
    ) -> Thought:
        lines: list[Line] = []
        head = Info()
        stopped = False
        # Within a time limit it must answer; without one it may take any time.
        ends = None if limits.movetime is None else time.monotonic() + limits.movetime + wait
        while True:
            if stop.is_set() and not stopped:
                stopped = True
                ends = time.monotonic() + self._patience
                self._send("stop")
            if ends is not None and time.monotonic() > ends:
                raise self.kill()
            try:
                line = self._heard(0.05)
            except queue.Empty:
                continue
            words = line.split()
            if words[:1] == ["info"]:
                number, head, found = read_info(words[1:], len(position.game.players))
                del lines[number - 1 :]
                if found is not None:
                    lines.append(found)
                if on_info:
                    on_info(Info(head.depth, head.nodes, head.nps, head.seconds, tuple(lines)))
            elif words[:1] == ["error"]:
                raise EngineError(f"{self.name}: {line}")
            elif words[:1] == ["bestmove"]:
                try:
                    action = position.action(words[1] if len(words) > 1 else "")
                except IllegalAction as error:
                    raise EngineError(f"The engine {self.name} played an illegal action: {error}") from None
                return Thought(action, Info(head.depth, head.nodes, head.nps, head.seconds, tuple(lines)))


def read_info(words: list[str], players: int) -> tuple[int, Info, Line | None]:
    """Return an ``info`` line without its first word: the line's number, the figures, and the way to go on, if any.

    Unknown words are passed over, as the protocol's relatives do.
    """
    figures = {"depth": 0, "nodes": 0, "nps": 0, "time": 0, "multipv": 1}
    scores: tuple[float, ...] = (1 / players,) * players
    note = ""
    pv: tuple[str, ...] | None = None
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "pv":
            pv = tuple(words[at:])
            break
        if word in figures and at < len(words) and words[at].isascii() and words[at].isdigit():
            figures[word] = int(words[at][:18])
            at += 1
        elif word == "score":
            with contextlib.suppress(ValueError):
                read = tuple(float(text) for text in words[at : at + players])
                if len(read) == players:
                    scores = read
                    at += players
        elif word == "note" and at < len(words):
            note = words[at].replace("-", " ")
            at += 1
    info = Info(figures["depth"], figures["nodes"], figures["nps"], figures["time"] / 1000)
    return max(1, figures["multipv"]), info, None if pv is None else Line(scores, pv, note)


ENDLESS = Limits(infinite=True)
T = TypeVar("T")


class AsyncEngine(contextlib.AbstractAsyncContextManager["AsyncEngine"]):
    """An ``engine`` whose thinking is awaited. It thinks in a thread of its own, about one position after the other.

    A task that is cancelled while it waits ends the search. Used with ``async with``, the engine quits at the end.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.name = engine.name
        self._lock = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1)

    async def play(
        self, position: Position, limits: Limits, *, stop: threading.Event | None = None, on_info: OnInfo | None = None
    ) -> Thought:
        """Return the action that the engine chooses, and its last report. EngineError where the game is over, and where
        a program stops, does not answer in time, or plays what is not legal."""
        stop = stop or threading.Event()
        async with self._lock:
            thinking = asyncio.ensure_future(self._run(self.engine.think, position, limits, stop=stop, on_info=on_info))
            try:
                return await asyncio.shield(thinking)
            except asyncio.CancelledError:
                stop.set()
                outside = self.engine if isinstance(self.engine, RemoteEngine) else None
                await asyncio.wait({thinking}, timeout=ANSWER_SECONDS if outside else None)
                if outside and not thinking.done():
                    outside.kill()
                await asyncio.gather(thinking, return_exceptions=True)
                raise

    async def analyse(self, position: Position, limits: Limits, *, multipv: int = 1) -> Info:
        """Return what the engine thinks of ``position``, with its best ``multipv`` lines. EngineError as for
        :meth:`play`."""
        return (await self.play(position, replace(limits, multipv=multipv))).info

    @contextlib.asynccontextmanager
    async def analysis(
        self, position: Position, limits: Limits = ENDLESS, *, multipv: int = 1
    ) -> AsyncIterator[AsyncIterator[Info]]:
        """Search while a block runs: in ``async with engine.analysis(position) as reports`` each ``async for info in
        reports`` is a report. A program sends its lines one by one, so a report may have fewer than the one before. The
        search ends with the block. EngineError as for :meth:`play`."""
        reports: asyncio.Queue[Info | None] = asyncio.Queue()
        stop = threading.Event()
        loop, wanted = asyncio.get_running_loop(), replace(limits, multipv=multipv)

        def report(info: Info) -> None:
            loop.call_soon_threadsafe(reports.put_nowait, info)

        search = asyncio.ensure_future(self.play(position, wanted, stop=stop, on_info=report))
        search.add_done_callback(lambda _: reports.put_nowait(None))

        async def read() -> AsyncIterator[Info]:
            while (info := await reports.get()) is not None:
                yield info
            await search

        try:
            yield read()
        finally:
            stop.set()
            with contextlib.suppress(EngineError):  # a reader of the reports gets it
                await search

    async def configure(self, **settings: Any) -> None:
        """Set options of the program by their names. EngineError where it refuses one, or where this is no program."""
        if not isinstance(self.engine, RemoteEngine):
            raise EngineError(f"Give the options of the engine {self.name} where you make it.")
        async with self._lock:
            await self._run(self.engine.configure, **settings)

    async def quit(self) -> None:
        """Ask the program to quit, and kill it if it does not."""
        async with self._lock:
            await self._run(self.engine.close)
        self._thread.shutdown(wait=False)

    async def __aexit__(self, *_: object) -> None:
        await self.quit()

    async def _run(self, job: Callable[..., T], *given: Any, **more: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, functools.partial(job, *given, **more))


async def popen_ugi(command: str, *, timeout: float | None = None, **settings: Any) -> AsyncEngine:
    """Start ``command`` (split as a shell would, but run without one) as an engine; ``settings`` are its options.

    It must answer within ``timeout`` seconds, and a search with a ``movetime`` so many seconds after that (None: 10,
    and 300 before the first action of a game, for which it may have to compile). EngineError where it does not start or
    answer, or refuses an option.
    """
    started = asyncio.to_thread(RemoteEngine, None, command, timeout or ANSWER_SECONDS, **settings)
    starting = asyncio.ensure_future(started)
    try:
        engine = await asyncio.shield(starting)
    except asyncio.CancelledError:
        starting.add_done_callback(lambda done: done.exception() or done.result().kill())
        raise
    engine.loading = timeout or engine.loading
    return AsyncEngine(engine)
