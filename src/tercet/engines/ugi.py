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
from typing import Any, TextIO

import tercet
from tercet.core.game import Game, Position
from tercet.core.streams import open_streams
from tercet.engines.base import Engine, Info, Limits
from tercet.engines.levels import LEVELS, MOST_THREADS, most_threads
from tercet.engines.levels import level as make_level
from tercet.errors import TercetError
from tercet.games import game_definition

MAX_NUMBER = 10**15  # of anything counted
DEFAULT_SETTINGS = {"Level": len(LEVELS), "Threads": 1, "Seed": -1}


class CommandError(TercetError):
    """A command that makes no sense; the text says why."""


def read_number(text: str, what: str, least: int = 1, most: int = MAX_NUMBER) -> int:
    """Return a whole number from ``least`` to ``most``; CommandError says that ``what`` is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise CommandError(f"{what} must be a whole number from {least} to {most}, not {text[:40]!r}.")
    return int(text)


def one_line(text: str) -> str:
    """Return ``text`` without line breaks and characters that cannot be printed."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())


def info_lines(info: Info) -> list[str]:
    """Return ``info`` as lines of the protocol, one for each way to go on."""
    head = f"info depth {info.depth} nodes {info.nodes} nps {info.nps} time {round(1000 * info.seconds)}"
    texts = []
    for number, line in enumerate(info.lines, 1):
        scores = " ".join(f"{score:.4f}" for score in line.scores)
        note = f" note {line.note.replace(' ', '-')}" if line.note else ""
        texts.append(f"{head} multipv {number} score {scores}{note} pv {' '.join(line.pv)}")
    return texts or [head]


def read_setting(text: str, game: Game) -> tuple[str, int]:
    """Name and value that ``setoption`` sets; CommandError where the engines of ``game`` cannot use it."""
    words = text.split()
    if len(words) != 4 or words[0] != "name" or words[2] != "value":
        raise CommandError("Write setoption name N value V.")
    name = {known.lower(): known for known in DEFAULT_SETTINGS}.get(words[1].lower())
    if name is None:
        raise CommandError(f"There is no option {words[1][:40]!r}. Choose from {', '.join(DEFAULT_SETTINGS)}.")
    if name == "Seed" and words[3] == "-1":
        return name, -1
    least, most = {"Level": (1, len(LEVELS)), "Threads": (1, MOST_THREADS), "Seed": (0, 10**9)}[name]
    value = read_number(words[3], name, least, most)
    if name == "Threads" and value > (usable := most_threads(game)):
        raise CommandError(f"The engine of {game.name} can use 1 to {usable} threads, not {value}.")
    return name, value


def read_game(text: str) -> Game:
    """Return the game that ``NAME option=value ...`` means; CommandError, or OptionError from the game itself."""
    words = text.split()
    if not words:
        raise CommandError(f"Name a game: {', '.join(tercet.games())}.")
    options: dict[str, Any] = {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise CommandError(f"An option must be name=value, not {word[:40]!r}.")
        if name in options:
            raise CommandError(f"The option {name[:40]} is given twice. Give it once.")
        options[name] = value
    return Game(game_definition(words[0][:100]), options)


def read_position(text: str, game: Game) -> Position:
    """Return the position that ``start [seed=N]`` (of ``game``) or ``text <position string>``, with or without ``moves
    ...``, leads to; CommandError, ParseError or IllegalAction."""
    head, found, moves = f" {text} ".partition(" moves ")
    words = head.split()
    if words[:1] == ["start"]:
        seed = 0
        if len(words) > 2 or (len(words) == 2 and not words[1].startswith("seed=")):
            raise CommandError("Write position start [seed=N] [moves ...].")
        if len(words) == 2:
            seed = read_number(words[1].removeprefix("seed="), "seed", 0, 2**62 - 1)
        position = game.start(seed)
    elif words[:1] == ["text"]:
        string = " ".join(words[1:])
        if not string:
            raise CommandError("Write position text <position string> [moves ...].")
        name = string.split("/", 1)[0].split(" ", 1)[0]
        position = game.parse(string) if name == game.name else tercet.parse(string)
    else:
        raise CommandError("Write position start ... or position text ....")
    if found:
        for move in moves.split():
            position = position.play(move)
    return position


def read_limits(text: str) -> Limits:
    """Return the limits that follow ``go``; CommandError."""
    words = text.split()
    values: dict[str, int] = {}
    infinite = False
    while words:
        word = words.pop(0)
        if word == "infinite" and not infinite:
            infinite = True
        elif word in ("movetime", "nodes", "depth", "multipv") and word not in values:
            if not words:
                raise CommandError(f"{word} must be followed by a number.")
            values[word] = read_number(words.pop(0), word, 1, 1000 if word == "multipv" else MAX_NUMBER)
        else:
            raise CommandError(
                f"go takes movetime MS, nodes N, depth D, multipv K and infinite, each once, not {word[:40]!r}."
            )
    movetime = values["movetime"] / 1000 if "movetime" in values else None
    return Limits(movetime, values.get("nodes"), values.get("depth"), values.get("multipv", 1), infinite)


MAX_WAITING_COMMANDS = 1000
MAX_LINE_LENGTH = 1_000_000  # characters


class Ugi:
    """One session of the protocol: ``lines`` is read to its end or to ``quit``; ``write`` is called with each line of
    the answers, without its newline. The functions above read the text of commands."""

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
            level, threads, seed = self._settings.values()
            engine = make_level(game, level, None if seed < 0 else seed, threads=threads)
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
