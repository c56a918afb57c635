"""Subcommands that play: in the terminal, engines against each other, for other programs, as a bot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tercet.cli.commands.arguments import OPEN, Game, Json, Seed, StartPosition, Words, app


@app.command(context_settings=OPEN)
def play(
    words: Words = None,
    vs: Annotated[
        list[str] | None,
        typer.Option(help="Opponent: engine:1 to engine:10, random, mcts, net:FILE, gumbel, ugi:COMMAND; repeatable."),
    ] = None,
    seat: Annotated[str | None, typer.Option(help="Your seat, by name or number; `none` to watch.")] = None,
    position: StartPosition = None,
    load: Annotated[Path | None, typer.Option(help="Continue the first game of this record file.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the record here at the end.")] = None,
    movetime: Annotated[float | None, typer.Option(min=0.01, help="Seconds that an engine may think.")] = None,
    flip: Annotated[bool, typer.Option("--flip", help="Turn the board half round.")] = False,
    seed: Seed = 0,
) -> None:
    """Play in the terminal, against engines or a friend beside you."""
    from tercet.cli.play import run

    run(words or [], vs or [], seat, position, load, save, movetime, flip, seed)


@app.command(context_settings=OPEN)
def match(
    first: Annotated[
        str, typer.Argument(help="An engine: level:1 to level:10, random, mcts, net, net:FILE, gumbel, ugi:COMMAND.")
    ],
    second: Annotated[str, typer.Argument(help="Its opponent.")],
    words: Annotated[
        list[str] | None, typer.Argument(help="The game's options.", metavar="[--OPTION VALUE]...")
    ] = None,
    game: Game = None,
    games: Annotated[int, typer.Option(min=1, help="The largest number of games.")] = 20,
    record: Annotated[Path | None, typer.Option(help="Add the records to this file.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the match in that file.")] = False,
    book: Annotated[
        Path | None, typer.Option(help="Openings from `tercet book`; by default two random actions.")
    ] = None,
    movetime: Annotated[float | None, typer.Option(min=0.001, help="Seconds a move.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Simulations a move.")] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Games at the same time; by default one for each core.")
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="LOW:HIGH", help="Stop when the test has decided between two differences, in normalized Elo."
        ),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let two engines play a match, and print which is stronger and by how much. Each opening is played once with every
    seating."""
    from tercet.cli.contest import run

    run(
        first, second, words or [], game, games, record, resume, book, movetime, nodes, threads, seed, sprt, json
    )  # fmt: skip


@app.command(context_settings=OPEN)
def book(
    out: Annotated[Path, typer.Argument(help="The file of records to write.")],
    words: Annotated[
        list[str] | None, typer.Argument(help="The game's options.", metavar="[--OPTION VALUE]...")
    ] = None,
    game: Game = None,
    count: Annotated[int, typer.Option(min=1, help="Number of openings.")] = 100,
    plies: Annotated[int, typer.Option(min=1, help="Actions in each opening.")] = 4,
    within: Annotated[
        float, typer.Option(min=0.001, max=1, help="How far each player's share may be from an equal one.")
    ] = 0.05,
    judge: Annotated[str, typer.Option(help="The engine that judges them.")] = "mcts",
    nodes: Annotated[int, typer.Option(min=1, help="Its simulations for each opening.")] = 2000,
    seed: Seed = 0,
) -> None:
    """Write a book of balanced openings for matches: random, all different, and even in an engine's judgement."""
    from tercet.cli.contest import make_book

    make_book(words or [], game, out, count, plies, within, judge, nodes, seed)


@app.command(context_settings=OPEN)
def tournament(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="Engines: level:1 to level:10, random, mcts, net, net:FILE, gumbel, ugi:COMMAND; then options.",
            metavar="ENGINE ENGINE... [--OPTION VALUE]...",
        ),
    ] = None,
    game: Game = None,
    form: Annotated[str, typer.Option(help="round-robin, swiss, arena or best-margin.")] = "round-robin",
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds of a Swiss tournament, or before the play-off.")
    ] = None,
    cycles: Annotated[int, typer.Option(min=1, help="How often to play a round robin, with seats changed.")] = 1,
    minutes: Annotated[float | None, typer.Option(min=0.01, help="Length of an arena.")] = None,
    record: Annotated[Path | None, typer.Option(help="Add the records to this file.")] = None,
    movetime: Annotated[float | None, typer.Option(min=0.001, help="Seconds a move.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Simulations a move.")] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Games at the same time; by default one for each core.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let engines play a tournament, on all cores, and print the standings."""
    from tercet.cli.tournament import run

    run(words or [], game, form, rounds, cycles, minutes, record, movetime, nodes, threads, seed, json)


@app.command()
def ugi() -> None:
    """Speak the engine protocol on stdin and stdout (docs/protocol.md)."""
    from tercet.engines.ugi import main

    main()


@app.command()
def analysis() -> None:
    """Analyse positions from JSON lines on stdin, several at a time, and answer by id on stdout."""
    from tercet.engines.analysis import main

    main()


@app.command()
def bot(
    server: Annotated[str, typer.Option(help="The server, such as https://play.example.")],
    engine: Annotated[str, typer.Option(help="The engine: a program that speaks the engine protocol.")],
    token: Annotated[str, typer.Option(envvar="TERCET_TOKEN", help="The bot's token, from POST /api/tokens.")],
    game: Annotated[
        list[str] | None, typer.Option(help="Accept only challenges to this game; by default to any.")
    ] = None,
    games: Annotated[
        int, typer.Option(min=1, max=64, help="Games at the same time, each with an engine process of its own.")
    ] = 4,
    seconds: Annotated[float, typer.Option(min=0.01, max=3600, help="The most seconds for an action.")] = 2.0,
) -> None:
    """Run a bot on a server: accept challenges and play them with an engine."""
    from tercet.cli.bot import run

    run(server, token, engine, game or [], games, seconds)
