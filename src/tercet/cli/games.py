"""Commands about games: listing them, their rules, a PDF to print, counting their tree, solving them."""

from __future__ import annotations

import json as json_module
import os
import sys
import textwrap
import time
from pathlib import Path
from typing import Annotated

import typer

from tercet.cli import app as cli
from tercet.core.abilities.knowledge import Solution
from tercet.core.game import Game
from tercet.core.rules import Option
from tercet.errors import OptionError
from tercet.games import game_definition, names


@cli.app.command("games")
def list_games(
    game: Annotated[str | None, typer.Argument(help="A game, to list its options.")] = None, json: cli.Json = False
) -> None:
    """List the games, or a game's options."""
    from rich.console import Console
    from rich.table import Table

    from tercet.core.view import to_json

    chosen = [game_definition(game)] if game else [game_definition(each) for each in names()]
    if json:
        shown = ("name", "title", "designer", "year", "summary", "options", "presets")
        found = [{name: to_json(getattr(each, name)) for name in shown} for each in chosen]
        print(json_module.dumps(found, ensure_ascii=False))
        return
    console = Console(highlight=False)
    for each in chosen:
        console.print(f"[bold]{each.name}[/]  {each.title}, {each.designer} {each.year}")
        console.print(f"  {each.summary}")
        if game:
            table = Table(box=None, padding=(0, 2), header_style="dim")
            for head in ("option", "values", "default", "meaning"):
                table.add_column(head)
            for option in each.options:
                table.add_row(option.name, _range(option), option.write(option.default), option.explanation)
            console.print(table)
            for preset in each.presets:
                words = " ".join(f"{option}={value}" for option, value in preset.options.items())
                console.print(f"  preset [bold]{preset.id}[/]{words and f' ({words})'}: {preset.help}", soft_wrap=True)
            for what, forms in (("positions", each.saves), ("turns", each.turn_forms)):
                for form in forms:
                    console.print(f"  {what} also as [bold]{form.name}[/]: {form.title}")


def _range(option: Option) -> str:
    if option.kind == "choice":
        return " | ".join(option.choices)
    if option.kind == "bool":
        return "true | false"
    if option.kind == "int" and option.low is not None:
        return f"{option.low} to {option.high}" if option.high is not None else f"at least {option.low}"
    return option.kind


@cli.app.command()
def rules(game: Annotated[str, typer.Argument(help="The game.")]) -> None:
    """Print the rules of a game."""
    from rich.console import Console

    definition = game_definition(game)
    page = definition.view.rules_page(Game(definition, {}))
    console = Console(highlight=False)
    width = min(console.width, 96)
    console.print(f"[bold]{page.title}[/]\n")
    for title, paragraphs, _ in page.sections:
        console.print(f"[bold]{title}[/]")
        for paragraph in paragraphs:
            own = paragraph.startswith("(ours)")
            text = paragraph.removeprefix("(ours)").strip().replace("**", "")
            console.print(textwrap.fill(f"{text} (our decision)" if own else text, width), markup=False)
        console.print()


@cli.app.command("print", context_settings=cli.OPEN)
def print_game(
    words: cli.Words = None,
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
    from tercet.pictures.printing import pdf

    positional, options = cli.split(words)
    if len(positional) != 1:
        raise OptionError("game", "Name one game, as in `tercet print GAME --out FILE.pdf`.")
    if language not in ("en", *LANGUAGES):
        raise OptionError("language", f"--language must be one of en, {', '.join(LANGUAGES)}, not {language!r}.")
    game = cli.game_of(positional[0], options)
    target = output or Path(f"{game.name}.pdf")
    if target.suffix.lower() != ".pdf":
        raise OptionError("out", f"--out must name a file that ends in .pdf, not {target.name!r}.")
    translate = teller(game.name, language)
    target.write_bytes(pdf(game, paper=paper, size=size, translate=translate, read=parse))
    print(target)


MAX_DEPTH = 100  # actions


def _split(words: list[str] | None, position: str | None) -> tuple[list[str], dict[str, str | None]]:
    """Return the words of a command and its options; the game may be left out where a position names it."""
    positional, options = cli.split(words)
    if position is not None and (not positional or positional[0].isdigit()):
        positional.insert(0, cli.name_in(position))
    return positional, options


@cli.app.command(context_settings=cli.OPEN)
def perft(
    words: Annotated[
        list[str] | None,
        typer.Argument(help=cli.GAME_WORDS.replace(",", " and DEPTH,", 1), metavar="GAME DEPTH [--OPTION VALUE]..."),
    ] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Print the count below each action.")] = False,
    position: cli.StartPosition = None,
    execution: Annotated[str | None, typer.Option(help="compiled (the default) or interpreted.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=1024, help="Threads; by default one for each core.")] = None,
    seed: cli.Seed = 0,
    json: cli.Json = False,
) -> None:
    """Count the leaves of the tree of single actions, on all cores."""
    from concurrent.futures import ThreadPoolExecutor

    from rich.console import Console
    from rich.progress import track

    positional, options = _split(words, position)
    if len(positional) != 2:
        raise OptionError("words", f"Name a game and a depth, as in `tercet perft {cli.first_game()} 3`.")
    if not (positional[1].isascii() and positional[1].isdigit() and int(positional[1]) <= MAX_DEPTH):
        raise OptionError("depth", f"The depth must be a number from 0 to {MAX_DEPTH}, not {positional[1][:20]!r}.")
    depth = int(positional[1])
    start = cli.start_of(cli.game_of(positional[0], options, execution), position, seed)
    game = start.game
    begun = time.perf_counter()
    below: dict[str, int] = {}
    if depth == 0:
        nodes = 1
    else:
        console = Console(stderr=True)
        actions = [str(action) for action in start.legal_actions]
        with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
            counts = pool.map(lambda text: game.perft(start.play(text), depth - 1), actions)
            shown = track(counts, "counting", len(actions), console=console, disable=not console.is_terminal)
            below = dict(zip(actions, shown, strict=True))
        nodes = sum(below.values())
    seconds = time.perf_counter() - begun
    if json:
        answer: dict[str, object] = {"nodes": nodes, "depth": depth, "seconds": round(seconds, 3)}
        if divide:
            answer["divide"] = below
        print(json_module.dumps(answer, ensure_ascii=False))
        return
    if divide:
        for text, count in below.items():
            print(f"{text} {count}")
    print(f"nodes {nodes}")
    rate = nodes / seconds if seconds > 0 else 0.0
    print(f"{seconds:.3f} s, {rate:,.0f} nodes/s, {game.execution}", file=sys.stderr)


@cli.app.command(context_settings=cli.OPEN)
def solve(
    words: cli.Words = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Stop after this time; by default when the result is proved.")
    ] = None,
    position: cli.StartPosition = None,
    seed: cli.Seed = 0,
    json: cli.Json = False,
) -> None:
    """Find the fewest turns of a one-player game, with a line, and whether that is proved, as `tercet solve GAME`."""
    from rich.console import Console

    positional, options = _split(words, position)
    solvers = {name: solver for name in names() if (solver := game_definition(name).solver) is not None}
    if len(positional) != 1 or positional[0] not in solvers:
        example = next(iter(solvers))
        known = " or ".join(solvers)
        raise OptionError("words", f"Name a game that can be solved: {known}, as in `tercet solve {example}`.")
    solver = solvers[positional[0]]
    wanted: dict[str, str | None] = {name: str(value) for name, value in solver.options.items()}
    start = cli.start_of(cli.game_of(positional[0], wanted | options), position, seed)
    console = Console(stderr=True, highlight=False)

    def tell(solution: Solution) -> None:
        if console.is_terminal:
            tried = f"{solution.tried:,} actions tried, {solution.seconds:.1f} s"
            console.print(f"at least {solution.low}, at most {solution.high} turns; {tried}", style="dim")

    solution = solver.solve(start, seconds, tell)
    data = {"low": solution.low, "high": solution.high, "proven": solution.is_proven, "line": solution.line}
    data |= {"tried": solution.tried, "seconds": round(solution.seconds, 3), "position": str(start)}
    turns = (f"{number}. {' '.join(turn)}" for number, turn in enumerate(solution.line, 1))
    open_question = f"whether {solution.low} to {solution.high - 1} can do it was not settled in time"
    proved = f"{solution.high} turns: {'no fewer can do it' if solution.is_proven else open_question}"
    spent = f"{solution.tried:,} actions tried in {solution.seconds:.2f} s"
    cli.print_answer(json, data, [str(start), *turns, proved, spent])
