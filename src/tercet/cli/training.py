"""Commands for training: self-play and networks."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from tercet.cli.app import OPEN, Json, On, Seed, Words, Workers, app, game_of, print_answer, progress_bar, split
from tercet.errors import OptionError

ONE_GAME = "Name a game and its options, as in GAME OPTION=VALUE."


def _settings(kind: type[Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a command that are fields of a dataclass."""
    return {field.name: given[field.name] for field in fields(kind) if field.name in given}


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
    on: On = "local",
    workers: Workers = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let an engine play itself and write the games and positions as Parquet; run again to go on."""
    from tercet.training.data import SelfPlay

    given = locals()
    positional, options = split(words)
    if len(positional) != 1:
        raise OptionError("words", ONE_GAME)
    game = game_of(positional[0], options)
    play = SelfPlay(game.name, game.options, **_settings(SelfPlay, given))
    finished = decisions = 0
    with progress_bar("games", games) as update:
        for finished, decisions in play.run(games, out, on=on, workers=workers):  # noqa: B007  (the last are said)
            update(completed=finished)
    data = {"games": finished, "positions": decisions, "out": str(out)}
    print_answer(json, data, [f"{out}: {finished} games, {decisions} positions"])


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
    workers: Workers = None,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Train a network that evaluates positions, by self-play; run again to go on."""
    from tercet.training import Training

    given = locals()
    positional, options = split(words)
    if len(positional) != 1:
        raise OptionError("words", ONE_GAME)
    (name,) = positional
    chosen = [game_of(name, split(text.split())[1] | options).options for text in variant or []]
    if options and not variant:
        chosen = [game_of(name, options).options]
    training = Training(game_of(name, {}).name, tuple(map(dict, chosen)), **_settings(Training, given))
    for progress in training.run(rounds, out, on=on, workers=workers):
        if not json:
            print(f"round {progress.round}: {progress.what}", flush=True)
    best = str(out / "best.net") if (out / "best.net").exists() else None
    line = f"{best or 'no network was kept'}; curves in {out / 'report.html'}"
    print_answer(json, {"net": best, "report": str(out / "report.html")}, [line])
