"""Subcommands of ``tercet puzzle``: making, checking and looking at puzzles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tercet.cli.commands.arguments import Json, Seed, app

puzzle = typer.Typer(help="Make, check and show puzzles, each with a proof of its claim.", no_args_is_help=True)
app.add_typer(puzzle, name="puzzle")


@puzzle.command()
def make(
    game: Annotated[str, typer.Argument(help="The game.")],
    count: Annotated[int, typer.Option(min=1, help="Number of puzzles.")] = 10,
    seed: Seed = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "--out", "-o", help="A .jsonl or .jsonl.gz file; by default stdout.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; by default one for each core.")] = None,
    records: Annotated[
        list[Path] | None, typer.Option(help="Search the games of these record files instead of playing new ones.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Only puzzles with this tag; if repeated, with any of the tags.")
    ] = None,
    without: Annotated[
        list[Path] | None, typer.Option(help="Leave out puzzles that a symmetry maps to one in this file.")
    ] = None,
) -> None:
    """Find puzzles in games that engines play with noise, prove and check them. The same seed makes the same."""
    from tercet.cli.puzzles import make as run

    run(game, count, seed, output, workers, records or [], tag or [], without or [])


@puzzle.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Files of puzzles.")],
    json: Json = False,
) -> None:
    """Check all that the puzzles of these files claim, by the rules alone; exit code 1 if a proof does not hold."""
    from tercet.cli.puzzles import check as run

    raise typer.Exit(run(files, json))


@puzzle.command("list")
def list_puzzles(
    game: Annotated[str | None, typer.Argument(help="The game; by default all.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only puzzles with this tag; repeatable.")] = None,
    json: Json = False,
) -> None:
    """List the puzzles that come with the games."""
    from tercet.cli.puzzles import list_all

    list_all(game, tag or [], json)


@puzzle.command()
def show(name: Annotated[str, typer.Argument(help="The id of a puzzle from `tercet puzzle list`.")]) -> None:
    """Print a puzzle: its position, what is to be done, and what is right."""
    from tercet.cli.puzzles import show as run

    run(name)
