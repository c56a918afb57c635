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
    out: Annotated[Path, typer.Option(help="A folder: games/ and positions/ in it.")] = Path("selfplay"),
    engine: Annotated[
        str, typer.Option(help="Who plays all sides: level:1 to level:9, random, mcts, net, gumbel.")
    ] = "level:3",
    games: Annotated[int, typer.Option(min=1, help="How many games, those included that are there.")] = 1000,
    nodes: Annotated[int | None, typer.Option(min=1, help="Simulations an action; mcts and level:10 need it.")] = None,
    opening: Annotated[int, typer.Option(min=0, help="So many random actions first.")] = 2,
    sample: Annotated[int, typer.Option(min=0, help="So many more are drawn by the engine's visits.")] = 0,
    max_actions: Annotated[int | None, typer.Option(min=1, help="Games are cut off there.")] = None,
    part_games: Annotated[int, typer.Option(min=1, help="Games in one file.")] = 64,
    on: Annotated[str, typer.Option(help="local, dask://host:port or ray://host:port.")] = "local",
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Processes; as many as cores.")] = None,
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
    part_games: Annotated[int | None, typer.Option(min=1, help="Games in one part; 1000 if left out.")] = None,
    lenient: Annotated[bool, typer.Option("--lenient", help="Keep what can be kept of faulty records.")] = False,
) -> None:
    """Write records as Parquet, or games in Parquet as records, with nothing lost."""
    from tercet.cli.export import run

    run(source, out, positions, part_games, lenient)


@app.command(context_settings=OPEN)
def train(
    words: Words = None,
    out: Annotated[Path, typer.Option(help="A folder: games, networks, best.net and report.html.")] = Path("training"),
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds, those included that are there.")] = 3,
    variant: Annotated[
        list[str] | None, typer.Option(metavar="'NAME=VALUE ...'", help="Options to play with; repeatable.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Games of each variant a round.")] = 400,
    nodes: Annotated[int, typer.Option(min=1, help="Simulations an action in self-play.")] = 200,
    opening: Annotated[int, typer.Option(min=0, help="So many random actions first.")] = 4,
    sample: Annotated[int, typer.Option(min=0, help="So many more are drawn by the search's visits.")] = 8,
    window: Annotated[int, typer.Option(min=1, help="Rounds whose games are learnt from.")] = 3,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over them.")] = 3,
    batch: Annotated[int, typer.Option(min=1, help="Decisions in a step.")] = 128,
    rate: Annotated[float, typer.Option(min=1e-6, help="Adam's highest learning rate.")] = 0.01,
    gate_games: Annotated[int, typer.Option(min=1, help="Games of each variant in a match.")] = 20,
    gate_nodes: Annotated[int, typer.Option(min=1, help="Simulations an action in a match.")] = 400,
    growth: Annotated[float, typer.Option(help="So many times the simulations of the round before.")] = 1.0,
    full_share: Annotated[float, typer.Option(help="Of decisions that get --nodes; others get --quick-nodes.")] = 1.0,
    quick_nodes: Annotated[int, typer.Option(min=0, help="Simulations for decisions that teach no policy.")] = 0,
    prune: Annotated[bool, typer.Option("--prune", help="Leave exploration's visits out of policies.")] = False,
    surprise: Annotated[float, typer.Option(help="Share of a decision's weight by how it surprised, 0 to 1.")] = 0.0,
    reply: Annotated[float, typer.Option(min=0, help="Weight of learning the next player's reply, too.")] = 0.0,
    gumbel: Annotated[bool, typer.Option("--gumbel", help="Choose and learn by Gumbel root search.")] = False,
    start: Annotated[str, typer.Option(help="A network to go on from: a file, or net, the game's own.")] = "",
    on: Annotated[str, typer.Option(help="local, dask://host:port or ray://host:port, for self-play.")] = "local",
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Processes; as many as cores.")] = None,
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
