"""Subcommands of ``tercet lab``: running, comparing and searching studies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tercet.cli.commands.arguments import Json, app

lab = typer.Typer(help="Run studies, which measure what a rule does to a game.", no_args_is_help=True)
app.add_typer(lab, name="lab")

StudyName = Annotated[
    str, typer.Argument(help="A study file, or a study that `tercet lab list` lists.", metavar="STUDY")
]
On = Annotated[str, typer.Option(help="local, dask://host:port or ray://host:port.")]
Workers = Annotated[
    int | None,
    typer.Option(min=1, max=1024, help="Processes; by default one for each core. The figures do not depend on it."),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "--output", "-o", help="A folder for the games; a second run continues there."),
]
Games = Annotated[int | None, typer.Option(min=1, help="The most games of each arm, instead of the study's number.")]


@lab.command()
def run(
    study: StudyName,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "--output", "-o", help="The folder, by default NAME-study; a second run continues there."
        ),
    ] = None,
    games: Games = None,
    width: Annotated[
        float | None,
        typer.Option(min=1e-6, help="Stop an arm when its intervals are this narrow, instead of the study's width."),
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0.01, help="Stop after so many minutes.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="A seed instead of the study's, for other games.")] = None,
    on: On = "local",
    workers: Workers = None,
    afresh: Annotated[
        bool, typer.Option("--afresh", help="Play again the games in the folder that other engines played.")
    ] = False,
    json: Json = False,
) -> None:
    """Play the games of a study until its intervals are as narrow as asked, and write report.html and figures.csv."""
    from tercet.cli.lab import run as run_

    run_(study, out, games, width, minutes, seed, on, workers, afresh, json)


@lab.command()
def compare(
    study: StudyName,
    a: Annotated[str, typer.Argument(help="An arm of the study, by its name.", metavar="A")],
    b: Annotated[str, typer.Argument(help="Another arm, or a number.", metavar="B")],
    figure: Annotated[list[str], typer.Option(help="The figure to compare, such as share.White; repeatable.")],
    margin: Annotated[
        float, typer.Option(min=0.0001, max=0.9999, help="The smallest difference that matters; fix it beforehand.")
    ] = 0.05,
    out: Out = None,
    games: Games = None,
    on: On = "local",
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Print whether A is higher, lower or equivalent to B. You may look at the verdict after every step, because its
    intervals hold at all times."""
    from tercet.cli.lab import compare_arms

    compare_arms(study, a, b, figure, margin, out, games, on, workers, json)


@lab.command()
def search(
    study: StudyName,
    out: Out = None,
    games: Games = None,
    on: On = "local",
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Find the arms of a study that reach its goals, by successive halving."""
    from tercet.cli.lab import search_options

    search_options(study, out, games, on, workers, json)


@lab.command("list")
def list_studies(json: Json = False) -> None:
    """List the studies that come with the games, with what they have found."""
    from tercet.cli.lab import list_studies as run_

    run_(json)
