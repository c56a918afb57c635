"""The subcommands of ``tercet``: what they take. What they do is in the modules that they import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    help="SanQi, Triplicity and Sparklies: three games of three, to play, study and program.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

# Options that only a game knows pass as words: see tercet.cli.words.
OPEN: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True}
GAME_WORDS = "GAME, then the game's options as --name value or name=value (`tercet games GAME` lists them)."

Words = Annotated[list[str] | None, typer.Argument(help=GAME_WORDS, metavar="GAME [--OPTION VALUE]...")]
Seed = Annotated[int, typer.Option(min=0, help="Settles whatever chance there is.")]
Where = Annotated[str | None, typer.Option("--position", help="Begin with this position string.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@app.callback(invoke_without_command=True)
def top(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        from tercet import __version__

        print(f"tercet {__version__}")
        raise typer.Exit


@app.command(context_settings=OPEN)
def play(
    words: Words = None,
    vs: Annotated[
        list[str] | None, typer.Option(help="Opponent: engine:1 to engine:8, random, mcts, ugi:COMMAND; repeatable.")
    ] = None,
    seat: Annotated[str | None, typer.Option(help="Your seat, by name or number; `none` to watch.")] = None,
    position: Where = None,
    load: Annotated[Path | None, typer.Option(help="Go on with the first game of this record file.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the record here at the end.")] = None,
    movetime: Annotated[float | None, typer.Option(min=0.01, help="Seconds an engine may think.")] = None,
    flip: Annotated[bool, typer.Option("--flip", help="Turn the board by half.")] = False,
    seed: Seed = 0,
) -> None:
    """Play in the terminal, against engines or a friend beside you."""
    from tercet.cli.play import run

    run(words or [], vs or [], seat, position, load, save, movetime, flip, seed)


@app.command()
def ugi() -> None:
    """Speak the engine protocol on stdin and stdout (docs/protocol.md)."""
    from tercet.engines.ugi import main

    main()


@app.command()
def analysis() -> None:
    """Analyse positions given as JSON lines on stdin, many at a time, answered by id on stdout."""
    from tercet.engines.analysis import main

    main()


@app.command(context_settings=OPEN)
def perft(
    words: Annotated[
        list[str] | None, typer.Argument(help=f"DEPTH and {GAME_WORDS}", metavar="GAME DEPTH [--OPTION VALUE]...")
    ] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Print the count below each action.")] = False,
    position: Where = None,
    execution: Annotated[str | None, typer.Option(help="compiled (if not said otherwise) or interpreted.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=1024, help="Threads; as many as cores if left out.")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Count the leaves of the tree of single actions, on all cores."""
    from tercet.cli.count import run

    run(words or [], divide, position, execution, seed, json, threads)


@app.command(context_settings=OPEN)
def match(
    first: Annotated[str, typer.Argument(help="An engine: level:1 to level:8, random, mcts, ugi:COMMAND.")],
    second: Annotated[str, typer.Argument(help="Its opponent.")],
    words: Annotated[
        list[str] | None, typer.Argument(help="The game's options.", metavar="[--OPTION VALUE]...")
    ] = None,
    game: Annotated[str, typer.Option(help="The game.")] = "sanqi",
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 20,
    record: Annotated[Path | None, typer.Option(help="Add the records to this file.")] = None,
    movetime: Annotated[float | None, typer.Option(min=0.001, help="Seconds a move.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Simulations a move.")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let two engines play a match, seats alternating, and say which is stronger by how much."""
    from tercet.cli.contest import run

    run(first, second, words or [], game, games, record, movetime, nodes, seed, json)


@app.command(context_settings=OPEN)
def tournament(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="Engines: level:1 to level:8, random, mcts, ugi:COMMAND; then the game's options.",
            metavar="ENGINE ENGINE... [--OPTION VALUE]...",
        ),
    ] = None,
    game: Annotated[str, typer.Option(help="The game.")] = "sanqi",
    form: Annotated[str, typer.Option(help="round-robin, swiss, arena or sparklies.")] = "round-robin",
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds of a Swiss, or before Sparklies' play-off.")] = None,
    cycles: Annotated[int, typer.Option(min=1, help="How often a round robin is played, seats changed.")] = 1,
    minutes: Annotated[float | None, typer.Option(min=0.01, help="How long an arena lasts.")] = None,
    record: Annotated[Path | None, typer.Option(help="Add the records to this file.")] = None,
    movetime: Annotated[float | None, typer.Option(min=0.001, help="Seconds a move.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Simulations a move.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=1024, help="Games at once; as many as cores.")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let engines play a tournament, on all cores, and print the standings."""
    from tercet.cli.tournament import run

    run(words or [], game, form, rounds, cycles, minutes, record, movetime, nodes, threads, seed, json)


@app.command(context_settings=OPEN)
def stats(
    words: Words = None,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 100,
    engine: Annotated[str, typer.Option(help="Who plays all sides: random, level:1 to level:8, mcts.")] = "random",
    movetime: Annotated[float | None, typer.Option(min=0.001, help="Seconds a turn.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes a turn.")] = None,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Figures over many games that a game's designers ask for, as `tercet stats GAME`."""
    from tercet.cli.stats import run

    run(words or [], games, engine, movetime, nodes, seed, json)


@app.command(context_settings=OPEN)
def solve(
    words: Words = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Stop after this; until it is proven if left out.")
    ] = None,
    position: Where = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """The fewest turns of a game for one, with a line and whether that is proven, as `tercet solve GAME`."""
    from tercet.cli.solve import run

    run(words or [], seconds, position, seed, json)


@app.command()
def draw(
    what: Annotated[
        str, typer.Argument(help="A position string, the name of a record file, or - for either on stdin.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "--out", "-o", help="A file ending in .svg or .png; stdout if left out.")
    ] = None,
    size: Annotated[int, typer.Option(help="Pixels along the longer side.")] = 480,
    style: Annotated[str | None, typer.Option(help="character, letter or symbol.")] = None,
    dark: Annotated[bool, typer.Option("--dark", help="Light on dark.")] = False,
    coordinates: Annotated[bool, typer.Option(help="With coordinates at the rim.")] = True,
    marks: Annotated[bool, typer.Option(help="With what stands out marked.")] = True,
    title: Annotated[str | None, typer.Option(help="Written below the board.")] = None,
    ply: Annotated[int | None, typer.Option(min=0, help="Of a record: after so many actions.")] = None,
) -> None:
    """Draw a position as SVG or PNG."""
    from tercet.cli.records import picture

    picture(
        what,
        output,
        ply,
        {"size": size, "style": style, "dark": dark, "coordinates": coordinates, "marks": marks, "title": title},
    )


@app.command()
def record(
    files: Annotated[list[str], typer.Argument(help="Record files; - is stdin.")],
    lenient: Annotated[bool, typer.Option("--lenient", help="Keep what can be kept and list the rest.")] = False,
    convert: Annotated[
        str | None,
        typer.Option(
            help="Print as: record (as we write it), moves, positions (the last of each), save or long (Sparklies')."
        ),
    ] = None,
    turns: Annotated[
        str | None, typer.Option(help="Read turns, one a line, in this form: long (Sparklies'); needs --position.")
    ] = None,
    position: Where = None,
) -> None:
    """Check game records, or print them in another form."""
    from tercet.cli.records import check

    check(files, lenient, convert, turns, position)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    data_dir: Annotated[Path | None, typer.Option(help="Where games are kept.")] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    database: Annotated[
        str | None,
        typer.Option(
            envvar="TERCET_DATABASE",
            help="postgresql://... where several servers share their games; SQLite if left out.",
        ),
    ] = None,
    redis: Annotated[
        str | None,
        typer.Option(envvar="TERCET_REDIS", help="redis://... by which several servers hear from each other at once."),
    ] = None,
    engines: Annotated[
        int | None,
        typer.Option(
            envvar="TERCET_ENGINES",
            min=0,
            max=256,
            help="Processes in which engines think: half of the processors if left out, 0: threads of the server.",
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(envvar="TERCET_LOG", help="text or json: say on stderr what is done, not only what goes wrong."),
    ] = None,
) -> None:
    """Serve the page, for this machine or others."""
    from tercet.server.run import serve as run

    run(
        host=host,
        port=port,
        data_dir=data_dir,
        open_browser=browser,
        database=database,
        redis=redis,
        engines=engines,
        log=log,
    )


@app.command()
def people(
    action: Annotated[
        str,
        typer.Argument(
            help="reports (list them), handled REPORT, hide LINE (something said), close HANDLE, delete HANDLE, or "
            "reset HANDLE (prints a password that is good once)."
        ),
    ],
    what: Annotated[str | None, typer.Argument(help="Which one.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Where games are kept.")] = None,
    database: Annotated[
        str | None, typer.Option(envvar="TERCET_DATABASE", help="postgresql://..., as for `tercet serve`.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Reports that have been looked at, too.")] = False,
    json: Json = False,
) -> None:
    """Look after a server's people: reports, what was said, accounts. It may run meanwhile."""
    from tercet.cli.people import run

    run(action, what, data_dir, database, everything, json)


@app.command()
def bot(
    server: Annotated[str, typer.Option(help="Where to play: https://play.example")],
    engine: Annotated[str, typer.Option(help="What to start: a program that speaks the engine protocol.")],
    token: Annotated[str, typer.Option(envvar="TERCET_TOKEN", help="The bot's token, from POST /api/tokens.")],
    game: Annotated[list[str] | None, typer.Option(help="A game whose challenges are taken; all if left out.")] = None,
    games: Annotated[int, typer.Option(min=1, max=64, help="Games at once, an engine's process for each.")] = 4,
    seconds: Annotated[float, typer.Option(min=0.01, max=3600, help="The longest to think about an action.")] = 2.0,
) -> None:
    """Be a bot on a server: take challenges and play them with an engine."""
    from tercet.cli.bot import run

    run(server, token, engine, game or [], games, seconds)


@app.command(context_settings=OPEN)
def bench(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"playouts, mcts, api or perft, then {GAME_WORDS}", metavar="WHAT GAME [--OPTION VALUE]..."
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="Threads side by side.")] = 1,
    seconds: Annotated[float, typer.Option(min=0.01, max=3600, help="How long to measure.")] = 2.0,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Measure speed: random games in compiled code, tree search, random play through the Python API, or perft.

    For mcts a game is a simulation; for perft it is one count of the tree, and moves are its leaves.
    """
    from tercet.cli.bench import run

    run(words or [], threads, seconds, seed, json)


@app.command()
def warm(
    games: Annotated[list[str] | None, typer.Argument(help="Games; all if left out.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Throw away what was compiled before.")] = False,
) -> None:
    """Compile everything now, so that nothing has to be compiled later."""
    from tercet.cli.warm import run

    run(games or [], clear)


@app.command("games")
def list_games(
    game: Annotated[str | None, typer.Argument(help="A game, to list its options.")] = None, json: Json = False
) -> None:
    """List the games, or a game's options."""
    from tercet.cli.listing import games

    games(game, json)


@app.command()
def rules(game: Annotated[str, typer.Argument(help="The game.")]) -> None:
    """Print the rules of a game."""
    from tercet.cli.listing import rules_page

    rules_page(game)


@app.command()
def levels() -> None:
    """List the strengths of the engines."""
    from tercet.cli.listing import levels as show

    show()
