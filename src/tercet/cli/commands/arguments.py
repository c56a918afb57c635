"""The application, and the arguments that several subcommands share."""

from __future__ import annotations

from typing import Annotated, Any

import typer

app = typer.Typer(
    help="Board games to play, study and program; `tercet games` lists them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

# Options that only a game knows pass as words: see tercet.cli.words.
OPEN: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True}
GAME_WORDS = "GAME, then the game's options as --name value or name=value (`tercet games GAME` lists them)."

Words = Annotated[list[str] | None, typer.Argument(help=GAME_WORDS, metavar="GAME [--OPTION VALUE]...")]
Game = Annotated[str | None, typer.Option(help="The game; by default the first that `tercet games` lists.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random.")]
StartPosition = Annotated[str | None, typer.Option("--position", help="Start from this position string.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@app.callback(invoke_without_command=True)
def top(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        from tercet import __version__

        print(f"tercet {__version__}")
        raise typer.Exit
