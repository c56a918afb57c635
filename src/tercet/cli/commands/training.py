"""Subcommands for training: self-play, data."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from tercet.cli.commands.arguments import OPEN, Json, Seed, Words, app
from tercet.errors import OptionError, ParseError

ONE_GAME = "Name a game and its options, as in GAME OPTION=VALUE."


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
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from tercet.cli.words import game_of, split
    from tercet.training.data import SelfPlay

    positional, options = split(words or [])
    if len(positional) != 1:
        raise OptionError("words", ONE_GAME)
    game = game_of(positional[0], options)
    play = SelfPlay(
        game.name,
        game.options,
        engine=engine,
        seed=seed,
        nodes=nodes,
        opening=opening,
        sample=sample,
        max_actions=max_actions,
        part_games=part_games,
    )
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True, highlight=False)
    finished = decisions = 0
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("games", total=games)
        for finished, decisions in play.run(games, out, on=on, workers=workers):  # noqa: B007  (the last are said)
            progress.update(task, completed=finished)
    if json:
        print(json_module.dumps({"games": finished, "positions": decisions, "out": str(out)}))
    else:
        print(f"{out}: {finished} games, {decisions} positions")


@app.command()
def export(
    source: Annotated[Path, typer.Argument(help="A record file; or a Parquet file or folder of games, to read back.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A .parquet file, a folder of parts, or a record file.")],
    positions: Annotated[bool, typer.Option("--positions", help="Write the decisions, not the games.")] = False,
    part_games: Annotated[int | None, typer.Option(min=1, help="Games in one part; by default 1000.")] = None,
    lenient: Annotated[bool, typer.Option("--lenient", help="Keep everything readable of faulty records.")] = False,
) -> int:
    """Write records as Parquet, or games in Parquet as records, with nothing lost. The exit code is 1 if --lenient
    left something out."""
    from rich.console import Console

    from tercet.cli.records import tell
    from tercet.training.data import export_records
    from tercet.training.data.records import PART_GAMES, write_records

    problems: list[ParseError] = []
    if source.is_dir() or source.suffix == ".parquet":
        if positions or lenient or part_games is not None:
            why = "--positions, --lenient and --part-games need records that are written as Parquet."
            raise OptionError("export", why)
        count = write_records(source, out)
    else:
        count = 0
        games = part_games or PART_GAMES
        try:
            with Console(stderr=True, highlight=False).status("reading") as status:
                for count in export_records(
                    source, out, positions=positions, part_games=games, lenient=lenient, problems=problems
                ):
                    status.update(f"{count} games")
        finally:
            tell(source, problems)
    print(f"{out}: {count} games{f', {len(problems)} problems' if problems else ''}")
    return 1 if problems else 0


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
    from tercet.cli.words import game_of, split
    from tercet.training import Training

    positional, options = split(words or [])
    if len(positional) != 1:
        raise OptionError("words", ONE_GAME)
    (name,) = positional
    chosen = [game_of(name, split(text.split())[1] | options).options for text in variant or []]
    if options and not variant:
        chosen = [game_of(name, options).options]
    training = Training(
        game_of(name, {}).name,
        tuple(dict(each) for each in chosen),
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
    for progress in training.run(rounds, out, on=on, workers=workers):
        if not json:
            print(f"round {progress.round}: {progress.what}", flush=True)
    best = out / "best.net"
    if json:
        print(json_module.dumps({"net": str(best) if best.exists() else None, "report": str(out / "report.html")}))
    else:
        print(f"{best if best.exists() else 'no network was kept'}; curves in {out / 'report.html'}")
