"""Subcommands that look into games: counting, figures, drawings, records, rules, speed."""

from __future__ import annotations

import json
import time
import zlib
from pathlib import Path
from typing import Annotated

import typer

from tercet.cli.commands.arguments import GAME_WORDS, OPEN, Json, Seed, StartPosition, Words, app
from tercet.errors import OptionError


@app.command(context_settings=OPEN)
def perft(
    words: Annotated[
        list[str] | None,
        typer.Argument(help=GAME_WORDS.replace(",", " and DEPTH,", 1), metavar="GAME DEPTH [--OPTION VALUE]..."),
    ] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Print the count below each action.")] = False,
    position: StartPosition = None,
    execution: Annotated[str | None, typer.Option(help="compiled (the default) or interpreted.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=1024, help="Threads; by default one for each core.")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Count the leaves of the tree of single actions, on all cores."""
    from tercet.cli.count import run

    run(words or [], divide, position, execution, seed, json, threads)


@app.command(context_settings=OPEN)
def stats(
    words: Words = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 100,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays every seat: random (if left out), level:1 to level:10, mcts. Give it once for "
            "each seat to have several engines take turns in the seats."
        ),
    ] = None,
    movetime: Annotated[float | None, typer.Option(min=0.001, help="Seconds a turn.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes a turn.")] = None,
    seed: Seed = 1,
    on: Annotated[str, typer.Option(help="local, dask://host:port or ray://host:port.")] = "local",
    workers: Annotated[int, typer.Option(min=1, max=1024, help="Processes; the figures do not depend on it.")] = 1,
    json: Json = False,
    records: Annotated[
        list[Path] | None, typer.Option(help="Count the games in this record file instead, with the seconds of turns.")
    ] = None,
) -> None:
    """Play many games and print the figures that a game's designers ask for, as `tercet stats GAME`."""
    from tercet.cli.stats import run

    run(words or [], games, engine or ["random"], movetime, nodes, seed, on, workers, json, records or ())


@app.command(context_settings=OPEN)
def solve(
    words: Words = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Stop after this time; by default when the result is proved.")
    ] = None,
    position: StartPosition = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Find the fewest turns of a one-player game, with a line, and whether that is proved, as `tercet solve GAME`."""
    from tercet.cli.solve import run

    run(words or [], seconds, position, seed, json)


@app.command()
def draw(
    what: Annotated[str, typer.Argument(help="A position string or a record file; - reads either from stdin.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "--out", "-o", help="A file ending in .svg or .png; by default SVG on stdout."),
    ] = None,
    size: Annotated[int, typer.Option(help="Pixels along the longer side.")] = 480,
    style: Annotated[str | None, typer.Option(help="character, letter or symbol.")] = None,
    dark: Annotated[bool, typer.Option("--dark", help="Light on dark.")] = False,
    coordinates: Annotated[bool, typer.Option(help="Show coordinates.")] = True,
    marks: Annotated[bool, typer.Option(help="Mark what stands out.")] = True,
    title: Annotated[str | None, typer.Option(help="A caption below the board.")] = None,
    ply: Annotated[int | None, typer.Option(min=0, help="For a record: the position after so many actions.")] = None,
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
    lenient: Annotated[bool, typer.Option("--lenient", help="Keep everything readable and list the errors.")] = False,
    convert: Annotated[
        str | None,
        typer.Option(help="Print as record, moves, positions (the last one of each game), or a format of the game."),
    ] = None,
    turns: Annotated[
        str | None, typer.Option(help="Read turns, one for each line, in this format of the game; needs --position.")
    ] = None,
    position: StartPosition = None,
    annotate: Annotated[
        bool,
        typer.Option("--annotate", help="Comment on each action: what happened, wins missed and threatened, the lead."),
    ] = False,
) -> int:
    """Check game records, or print them in another form. The exit code is 1 if --lenient left something out."""
    from tercet.cli.records import check

    return check(files, lenient, convert, turns, position, annotate)


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


@app.command("print", context_settings=OPEN)
def print_game(
    words: Words = None,
    output: Annotated[
        Path | None, typer.Option("--out", "--output", "-o", help="The PDF file; by default GAME.pdf.")
    ] = None,
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "a4",
    size: Annotated[
        float | None,
        typer.Option(
            help="The longer side of the board in millimetres; fits one page if left out. A larger board is cut into "
            "pages with marks."
        ),
    ] = None,
    language: Annotated[str, typer.Option(help="en, de or zh.")] = "en",
) -> None:
    """Make a PDF to print and play: rules, board and parts to cut out, as `tercet print GAME --out FILE.pdf`."""
    from tercet import parse
    from tercet.answers.translation import LANGUAGES, teller
    from tercet.cli.words import game_of, split
    from tercet.pictures.printing import pdf

    positional, options = split(words or [])
    if len(positional) != 1:
        raise OptionError("game", "Name one game, as in `tercet print GAME --out FILE.pdf`.")
    if language not in ("en", *LANGUAGES):
        raise OptionError("language", f"--language must be one of en, {', '.join(LANGUAGES)}, not {language!r}.")
    game = game_of(positional[0], options)
    target = output or Path(f"{game.name}.pdf")
    if target.suffix.lower() != ".pdf":
        raise OptionError("out", f"--out must name a file that ends in .pdf, not {target.name!r}.")
    translate = teller(game.name, language)
    target.write_bytes(pdf(game, paper=paper, size=size, translate=translate, read=parse))
    print(target)


@app.command()
def lessons(
    words: Annotated[list[str] | None, typer.Argument(help="Games, or files of one game's lessons.")] = None,
) -> None:
    """Check lessons: every goal can be reached, every refutation works, every claim is true."""
    from tercet.cli.lessons import run

    raise typer.Exit(run(words or []))


@app.command()
def samples(
    game: Annotated[str | None, typer.Argument(help="The game; by default all.")] = None,
    sample: Annotated[str | None, typer.Argument(help="A sample, to print its record.")] = None,
) -> None:
    """List the games that ship as samples, or print the record of one."""
    from tercet.cli.listing import samples as show

    show(game, sample)


@app.command()
def levels() -> None:
    """List the strengths of the engines."""
    from tercet.cli.listing import levels as show

    show()


@app.command(context_settings=OPEN)
def bench(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"playouts, mcts, api, perft or envs, then {GAME_WORDS}", metavar="WHAT GAME [--OPTION VALUE]..."
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="Number of threads.")] = 1,
    seconds: Annotated[float, typer.Option(min=0.01, max=3600, help="Seconds to measure.")] = 2.0,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Measure speed: random games in compiled code, tree search, random play through the Python API, perft, or
    environments for training beside other libraries' games.

    For mcts a game is a simulation; for perft it is one count of the tree, and moves are its leaves.
    """
    from tercet.cli.bench import run

    run(words or [], threads, seconds, seed, json)


@app.command()
def wasm(
    games: Annotated[list[str] | None, typer.Argument(help="Games; by default all.")] = None,
    out: Annotated[Path, typer.Option(help="The folder to write the modules to.")] = Path("wasm"),
) -> None:
    """Build each game's kernels as a WebAssembly module, with a table of its entry points."""
    from tercet.browser.building import built_module
    from tercet.games import game_definition, names

    out.mkdir(parents=True, exist_ok=True)
    for name in [game_definition(name).name for name in games or names()]:
        began = time.process_time()
        built = built_module(name)
        (out / f"{name}.wasm").write_bytes(built.content)
        (out / f"{name}.json").write_text(json.dumps(built.table, indent=1) + "\n", "utf-8")
        print(
            f"{out / name}.wasm: {len(built.table['kernels'])} kernels, {len(built.content)} bytes "
            f"({len(zlib.compress(built.content, 9))} compressed), {time.process_time() - began:.1f} processor seconds"
        )


@app.command()
def warm(
    games: Annotated[list[str] | None, typer.Argument(help="Games; by default all.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Delete everything compiled before.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also compile batches, which only training needs.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Print the processor seconds of each kernel.")] = False,
) -> None:
    """Compile now what playing needs, so that nothing has to be compiled later."""
    from tercet.cli.warm import run

    run(games or [], clear, everything, profile)
