"""Subcommands for training: self-play, data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tercet.cli.commands.arguments import OPEN, Json, Seed, Words, app

__all__ = ["export", "selfplay", "train"]


@app.command(context_settings=OPEN)
def selfplay(
    words: Words = None,
    out: Annotated[Path, typer.Option(help="A folder, for games/ and positions/.")] = Path("selfplay"),
    engine: Annotated[
        str, typer.Option(help="The engine for all sides: level:1 to level:9, random, mcts, net, gumbel.")
    ] = "level:3",
    games: Annotated[int, typer.Option(min=1, help="Number of games, including those already there.")] = 1000,
    nodes: Annotated[int | None, typer.Option(min=1, help="Simulations an action; mcts and level:10 need it.")] = None,
    opening: Annotated[int, typer.Option(min=0, help="Random actions at the beginning.")] = 2,
    sample: Annotated[int, typer.Option(min=0, help="Further actions drawn by the engine's visits.")] = 0,
    max_actions: Annotated[int | None, typer.Option(min=1, help="Stop games after so many actions.")] = None,
    part_games: Annotated[int, typer.Option(min=1, help="Games in one file.")] = 64,
    on: Annotated[str, typer.Option(help="local, dask://host:port or ray://host:port.")] = "local",
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Processes; by default one for each core.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let an engine play itself and write the games and positions as Parquet; run again to go on."""
    from tercet.cli.selfplay import run

    run(
        words or [],
        out,
        games,
        on,
        workers,
        json,
        engine=engine,
        seed=seed,
        nodes=nodes,
        opening=opening,
        sample=sample,
        max_actions=max_actions,
        part_games=part_games,
    )


@app.command()
def export(
    source: Annotated[Path, typer.Argument(help="A record file; or a Parquet file or folder of games, to read back.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A .parquet file, a folder of parts, or a record file.")],
    positions: Annotated[bool, typer.Option("--positions", help="Write the decisions, not the games.")] = False,
    part_games: Annotated[int | None, typer.Option(min=1, help="Games in one part; by default 1000.")] = None,
    lenient: Annotated[bool, typer.Option("--lenient", help="Keep everything readable of faulty records.")] = False,
) -> None:
    """Write records as Parquet, or games in Parquet as records, with nothing lost."""
    from tercet.cli.export import run

    run(source, out, positions, part_games, lenient)


@app.command(context_settings=OPEN)
def train(
    words: Words = None,
    out: Annotated[Path, typer.Option(help="A folder, for games, networks, best.net and report.html.")] = Path(
        "training"
    ),
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds, including those already there.")] = 3,
    variant: Annotated[
        list[str] | None, typer.Option(metavar="'NAME=VALUE ...'", help="Options to play with; repeatable.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Games of each variant a round.")] = 400,
    nodes: Annotated[int, typer.Option(min=1, help="Simulations an action in self-play.")] = 200,
    opening: Annotated[int, typer.Option(min=0, help="Random actions at the beginning.")] = 4,
    sample: Annotated[int, typer.Option(min=0, help="Further actions drawn by the search's visits.")] = 8,
    window: Annotated[int, typer.Option(min=1, help="Rounds whose games are used for learning.")] = 3,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over these games.")] = 3,
    batch: Annotated[int, typer.Option(min=1, help="Decisions in a step.")] = 128,
    rate: Annotated[float, typer.Option(min=1e-6, help="Adam's highest learning rate.")] = 0.01,
    gate_games: Annotated[int, typer.Option(min=1, help="Games of each variant in a match.")] = 20,
    gate_nodes: Annotated[int, typer.Option(min=1, help="Simulations an action in a match.")] = 400,
    growth: Annotated[float, typer.Option(help="Factor of simulations from round to round.")] = 1.0,
    full_share: Annotated[
        float, typer.Option(help="Share of decisions that get --nodes; the others get --quick-nodes.")
    ] = 1.0,
    quick_nodes: Annotated[int, typer.Option(min=0, help="Simulations for decisions that teach no policy.")] = 0,
    prune: Annotated[bool, typer.Option("--prune", help="Leave visits due to exploration out of policies.")] = False,
    surprise: Annotated[
        float, typer.Option(help="Share of a decision's weight that depends on its surprise, 0 to 1.")
    ] = 0.0,
    reply: Annotated[float, typer.Option(min=0, help="Weight of the next player's reply in learning.")] = 0.0,
    gumbel: Annotated[bool, typer.Option("--gumbel", help="Choose and learn by Gumbel root search.")] = False,
    start: Annotated[str, typer.Option(help="A network to start from: a file, or `net` for the game's own.")] = "",
    on: Annotated[str, typer.Option(help="local, dask://host:port or ray://host:port, for self-play.")] = "local",
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Processes; by default one for each core.")
    ] = None,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Train a network that evaluates positions, by self-play; run again to go on."""
    from tercet.cli.train import run

    run(
        words or [],
        out,
        rounds,
        variant or [],
        on,
        workers,
        json,
        games=games,
        nodes=nodes,
        opening=opening,
        sample=sample,
        window=window,
        epochs=epochs,
        batch=batch,
        rate=rate,
        gate_games=gate_games,
        gate_nodes=gate_nodes,
        growth=growth,
        full_share=full_share,
        quick_nodes=quick_nodes,
        prune=prune,
        surprise=surprise,
        reply=reply,
        gumbel=gumbel,
        start=start,
        seed=seed,
    )
