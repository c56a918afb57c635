"""The application, the arguments that several commands share, and words that only a game can understand: its name,
and its options as in ``--side 6 side=6``."""

from __future__ import annotations

import contextlib
import json as json_module
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

import tercet
from tercet.core.game import Game, Position
from tercet.errors import OptionError, ParseError
from tercet.games import game_definition, names

app = typer.Typer(
    help="Board games to play, study and program; `tercet games` lists them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

# Files with commands, in the order of `tercet --help`.
FILES = (
    *("terminal", "matches", "tournaments", "engines", "games", "records", "puzzles", "studies", "variants"),
    *("training", "server", "people", "speed"),
)

# Options that only a game knows pass as words.
OPEN: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True}
GAME_WORDS = "GAME, then the game's options as --name value or name=value (`tercet games GAME` lists them)."
TRUTH = ("1", "0", "true", "false", "yes", "no", "on", "off")

Words = Annotated[list[str] | None, typer.Argument(help=GAME_WORDS, metavar="GAME [--OPTION VALUE]...")]
OptionWords = Annotated[list[str] | None, typer.Argument(help="The game's options.", metavar="[--OPTION VALUE]...")]
GameName = Annotated[str | None, typer.Option(help="The game; by default the first that `tercet games` lists.")]
AnyGame = Annotated[str | None, typer.Argument(help="The game; by default all.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random.")]
StartPosition = Annotated[str | None, typer.Option("--position", help="Start from this position string.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
MoveTime = Annotated[float | None, typer.Option(min=0.001, help="Seconds a move.")]
MoveNodes = Annotated[int | None, typer.Option(min=1, help="Simulations a move.")]
RecordFile = Annotated[Path | None, typer.Option(help="Add the records to this file.")]
GameThreads = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Games at the same time; by default one for each core.")
]
On = Annotated[str, typer.Option(help="local, dask://host:port or ray://host:port.")]
Workers = Annotated[int | None, typer.Option(min=1, max=1024, help="Processes; by default one for each core.")]
DataDirectory = Annotated[Path | None, typer.Option("--data-dir", help="The folder of the games.")]
DatabaseUrl = Annotated[
    str | None, typer.Option("--database", envvar="TERCET_DATABASE", help="postgresql://..., as for `tercet serve`.")
]


def all_commands() -> typer.Typer:
    """Return the application with the commands of all files, in the order of the files."""
    for file in FILES:
        import_module(f"tercet.cli.{file}")
    app.registered_commands.sort(key=_file_of)  # a program may have imported some files before
    app.registered_groups.sort(key=_file_of)
    return app


def _file_of(given: Any) -> int:
    """Return where the file of a command, or of the first command of a group, stands among the files."""
    command = given.typer_instance.registered_commands[0] if hasattr(given, "typer_instance") else given
    return FILES.index(command.callback.__module__.rpartition(".")[2])


@app.callback(invoke_without_command=True)
def top(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(f"tercet {tercet.__version__}")
        raise typer.Exit


def print_answer(json: bool, data: Any, lines: Iterable[str]) -> None:
    """Print what a command found as one JSON object, or else as ``lines``."""
    for line in [json_module.dumps(data)] if json else lines:
        print(line)


def first_game() -> str:
    """Return the game that is meant where none is named, and that examples name."""
    return names()[0]


def name_in(position: str) -> str:
    """Return the name of a game with which a position string begins."""
    return position.replace("/", " ").split(" ")[0]


def split(words: Sequence[str] | None) -> tuple[list[str], dict[str, str | None]]:
    """Return the positional words, and options given as ``--name value``, ``--name=value`` or ``name=value``.

    The value is None where none follows. An option that no game has is left for :func:`game_of` to complain about.
    """
    positional: list[str] = []
    options: dict[str, str | None] = {}
    rest = list(reversed(words or []))
    while rest:
        word = rest.pop()
        if word.startswith("--") and len(word) > 2:
            name, equals, value = word[2:].partition("=")
            name = name.replace("-", "_")
            given: str | None = value if equals else None
            if not equals and rest and not rest[-1].startswith("--") and (rest[-1] in TRUTH or not _is_switch(name)):
                given = rest.pop()
        elif "=" in word and word.split("=", 1)[0].isidentifier():
            name, given = word.split("=", 1)
        else:
            positional.append(word)
            continue
        if name in options:
            raise OptionError(name, f"The option {name} is given twice. Give it once.")
        options[name] = given
    return positional, options


def _is_switch(name: str) -> bool:
    """Return whether some game has a yes-or-no option of this name."""
    return any(one.name == name and one.kind == "bool" for game in names() for one in game_definition(game).options)


def game_of(name: str, options: dict[str, str | None], execution: str | None = None) -> Game:
    """Return the game of this name with these options; OptionError."""
    definition = game_definition(name)
    kinds = {option.name: option.kind for option in definition.options}
    values: dict[str, Any] = {}
    for key, value in options.items():
        if value is None and kinds.get(key, "bool") != "bool":
            raise OptionError(key, f"The option {key} must have a value, as in {key}=VALUE.")
        values[key] = True if value is None else value
    return Game(definition, values, execution)


def options_only(words: Sequence[str] | None, name: str | None) -> Game:
    """Return the game that ``--game`` names with the options in ``words``; OptionError for a word that is none."""
    positional, options = split(words)
    if positional:
        raise OptionError("words", f"{positional[0][:40]!r} is no option of the game. Name the game with --game.")
    return game_of(name or first_game(), options)


def start_of(game: Game, position: str | None, seed: int) -> Position:
    """Return ``position`` if given, else the game's start; ParseError if it is another game's."""
    if position is None:
        return game.start(seed)
    if not position.startswith(game.name):
        raise ParseError("position", f"A position of {game.definition.title} must begin with {game.name}.")
    return game.parse(position)


@contextlib.contextmanager
def progress_bar(
    text: str, total: int | None, completed: int = 0, last: str = "remaining"
) -> Iterator[Callable[..., None]]:
    """Show on a terminal how far the work is. Yield a function that takes what changes: ``advance``, ``completed``,
    ``total``, ``description``. ``last`` is the last column: the time ``remaining`` or ``elapsed``, or ``none``."""
    from rich import progress as bar
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    parts: list[bar.ProgressColumn] = [bar.TextColumn("{task.description}"), bar.BarColumn(), bar.MofNCompleteColumn()]
    if last != "none":
        parts.append(bar.TimeElapsedColumn() if last == "elapsed" else bar.TimeRemainingColumn())
    with bar.Progress(*parts, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(text, total=total, completed=completed)
        yield lambda **changes: progress.update(task, **changes)
