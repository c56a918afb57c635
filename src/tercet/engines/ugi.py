"""The engine protocol: lines of text in, lines of text out. The table of commands is in ``docs/protocol.md``.

Commands are answered in order. While the engine thinks or counts, ``stop``, ``isready``, ``ugi`` and ``quit`` are
answered at once and everything else waits its turn.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import TextIO

import tercet
from tercet.core.game import Game, Position
from tercet.core.streams import open_streams
from tercet.engines.base import Engine, Info
from tercet.engines.levels import LEVELS, MOST_THREADS
from tercet.engines.levels import level as make_level
from tercet.engines.ugi_text import (
    DEFAULT_SETTINGS,
    CommandError,
    info_lines,
    one_line,
    read_game,
    read_limits,
    read_number,
    read_position,
    read_setting,
)
from tercet.errors import TercetError

__all__ = ["Ugi", "main", "on_standard_streams"]

MAX_WAITING_COMMANDS = 1000
MAX_LINE_LENGTH = 1_000_000  # characters


class Ugi:
    """One session of the protocol: ``lines`` is read to its end or to ``quit``; ``write`` is called with each line of
    the answers, without its newline. How the text of commands is read is in :mod:`tercet.engines.ugi_text`."""

    def __init__(self, lines: Iterable[str], write: Callable[[str], None]) -> None:
        self._lines = lines
        self._write = write
        self._writing = threading.Lock()
        self._state = threading.RLock()
        self._idle = threading.Event()
        self._idle.set()
        self._stop = threading.Event()
        self._thinking = False
        self._waiting: deque[str] = deque()
        self._quitting = False
        self._settings = dict(DEFAULT_SETTINGS)
        self._game: Game | None = None
        self._position: Position | None = None
        self._engine: Engine | None = None
        self._engine_game: Game | None = None  # for which it was made
        self._commands: dict[str, Callable[[str], None]] = {
            "ugi": self._ugi,
            "isready": self._isready,
            "setoption": self._setoption,
            "game": self._choose_game,
            "position": self._choose_position,
            "show": self._show,
            "legal": self._legal,
            "status": self._status,
            "perft": self._perft,
            "go": self._go,
            "stop": self._halt,
            "quit": self._quit,
        }

    def run(self) -> None:
        """Answer until ``quit`` or the end of the lines; what was begun is finished, unless it is endless."""
        for line in self._lines:
            self._take(line)
            if self._quitting:
                break
        with self._state:
            self._quitting = True
            if self._thinking and self._endless:
                self._stop.set()
        self._idle.wait()

    _endless = False

    def say(self, text: str) -> None:
        """Write one line to the other program."""
        with self._writing:
            self._write(text)

    def _take(self, line: str) -> None:
        line = " ".join(line.split())
        word = line.partition(" ")[0]
        with self._state:
            if not word:
                return
            if self._idle.is_set() or word in ("stop", "isready", "ugi", "quit"):
                self._obey(line)
            elif len(self._waiting) >= MAX_WAITING_COMMANDS:
                self.say(f"error At most {MAX_WAITING_COMMANDS} commands may wait. Wait for an answer first.")
            else:
                self._waiting.append(line)

    def _obey(self, line: str) -> None:
        try:
            if len(line) > MAX_LINE_LENGTH:
                raise CommandError(f"A line must have at most {MAX_LINE_LENGTH} characters.")
            word, _, rest = line.partition(" ")
            command = self._commands.get(word)
            if command is None:
                raise CommandError(f"There is no command {word[:40]!r}.")
            command(rest)
        except TercetError as error:
            self.say("error " + one_line(str(error)))
        except Exception as error:
            self.say("error " + one_line(f"This is a fault ({type(error).__name__}: {error}). Please report it."))

    def _work(self, job: Callable[[], str], thinking: bool) -> None:
        """Run ``job`` in a thread of its own and say what it returns, then run the commands that waited for it."""
        self._stop.clear()
        self._thinking = thinking
        if thinking and self._quitting:
            self._stop.set()
        self._idle.clear()

        def run() -> None:
            try:
                answer = job()
            except TercetError as error:
                answer = "error " + one_line(str(error))
            except Exception as error:
                answer = "error " + one_line(f"This is a fault ({type(error).__name__}: {error}). Please report it.")
            with self._state:
                self.say(answer)  # no command that follows this answer finds the engine at work
                self._thinking = self._endless = False
                while self._waiting and not self._busy_again:
                    self._obey(self._waiting.popleft())
                if not self._busy_again:
                    self._idle.set()
                self._busy_again = False

        if threading.current_thread() is self._worker:
            # A command that waited starts the next job: go on in a thread of its own, without ever being idle.
            self._busy_again = True
        self._worker = threading.Thread(target=run, daemon=True)
        self._worker.start()

    _worker: threading.Thread | None = None
    _busy_again = False

    @property
    def game(self) -> Game:
        """Return the game in force: the first of all until another is chosen."""
        if self._game is None:
            self._game = tercet.game(tercet.games()[0])
        return self._game

    @property
    def position(self) -> Position:
        """Return the position in force: the start until another is chosen."""
        if self._position is None:
            self._position = self.game.start()
        return self._position

    def _takes_nothing(self, rest: str, command: str) -> None:
        if rest:
            raise CommandError(f"The command {command} takes no arguments, but got {rest[:40]!r}.")

    def _ugi(self, rest: str) -> None:
        self._takes_nothing(rest, "ugi")
        self.say(f"id name Tercet {tercet.__version__}")
        self.say("id author the Tercet founders")
        self.say(f"option name Level type spin default {len(LEVELS)} min 1 max {len(LEVELS)}")
        self.say(f"option name Threads type spin default 1 min 1 max {MOST_THREADS}")
        self.say("option name Seed type spin default -1 min -1 max 1000000000")
        self.say("ugiok")

    def _isready(self, rest: str) -> None:
        self._takes_nothing(rest, "isready")
        if self._game is not None and self._idle.is_set():
            with contextlib.suppress(TercetError):  # of settings that do not fit the game: `go` tells of them
                self._ready_engine(self.position.game)
        self.say("readyok")

    def _setoption(self, rest: str) -> None:
        name, value = read_setting(rest, self.game)
        self._settings[name] = value
        self._engine = None

    def _choose_game(self, rest: str) -> None:
        game = read_game(rest)
        self._game, self._position, self._engine = game, game.start(), None
        self.say(f"game {game.name} {game.option_text()}".rstrip())

    def _choose_position(self, rest: str) -> None:
        self._position = read_position(rest, self.game)

    def _show(self, rest: str) -> None:
        self._takes_nothing(rest, "show")
        self.say(f"position {self.position}")

    def _legal(self, rest: str) -> None:
        self._takes_nothing(rest, "legal")
        actions = [str(action) for action in self.position.legal_actions]
        self.say(" ".join(["legal", str(len(actions)), *actions]))

    def _status(self, rest: str) -> None:
        self._takes_nothing(rest, "status")
        outcome = self.position.outcome
        if outcome is None:
            players = self.position.game.players
            assert self.position.mover is not None
            self.say(f"playing {players[self.position.mover]}")
        else:
            self.say(f"over {' '.join(f'{score:g}' for score in outcome.scores)} {outcome.reason}")

    def _perft(self, rest: str) -> None:
        depth = read_number(rest, "depth", 0, 1000)
        position = self.position

        def count(here: Position, deep: int) -> int:
            if deep <= 2:
                return here.game.perft(here, deep)
            leaves = 0
            for action in here.legal_actions:
                if self._stop.is_set():
                    raise CommandError("The count was stopped.")
                leaves += count(here.play(action), deep - 1)
            return leaves

        self._work(lambda: f"nodes {count(position, depth)}", thinking=False)

    def _go(self, rest: str) -> None:
        limits = read_limits(rest)
        position = self.position
        if position.is_over:
            raise CommandError("The game is over.")

        def think() -> str:
            engine = self._ready_engine(position.game)
            last: list[Info] = []

            def report(info: Info) -> None:
                last[:] = [info]
                for line in info_lines(info):
                    self.say(line)

            thought = engine.think(position, limits, stop=self._stop, on_info=report)
            if last != [thought.info]:
                report(thought.info)
            if limits.infinite:
                self._stop.wait()
            return f"bestmove {thought.action}"

        self._endless = limits.infinite
        self._work(think, thinking=True)

    def _ready_engine(self, game: Game) -> Engine:
        engine = self._engine
        if engine is None or self._engine_game != game:
            seed = self._settings["Seed"]
            engine = make_level(
                game, self._settings["Level"], None if seed < 0 else seed, threads=self._settings["Threads"]
            )
            self._engine, self._engine_game = engine, game
        return engine

    def _halt(self, rest: str) -> None:
        self._takes_nothing(rest, "stop")
        self._stop.set()

    def _quit(self, rest: str) -> None:
        self._takes_nothing(rest, "quit")
        self._quitting = True
        if self._thinking:
            self._stop.set()


def on_standard_streams(serve: Callable[[TextIO, Callable[[str], None]], object]) -> None:
    """Call ``serve`` with stdin and a function that writes a line to stdout, both in UTF-8. An interruption and a
    reader that goes away end it quietly."""
    open_streams("replace")

    def write(text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        serve(sys.stdin, write)


def main() -> None:
    """Speak the protocol on stdin and stdout."""
    on_standard_streams(lambda lines, write: Ugi(lines, write).run())


if __name__ == "__main__":
    main()
