"""Commands about puzzles and lessons: making, checking and showing them."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

import tercet
from tercet.cli.app import AnyGame, Json, Seed, app, print_answer
from tercet.cli.terminal import board_text
from tercet.errors import OptionError, TercetError
from tercet.games import game_definition, names
from tercet.record import read_file

if TYPE_CHECKING:
    from tercet.core.game import Position
    from tercet.learning.lessons import Lesson, LessonError

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
    position: Annotated[
        list[str] | None, typer.Option(help="Search this position, such as one of the board editor; may be repeated.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Only puzzles with this tag; if repeated, with any of the tags.")
    ] = None,
    motif: Annotated[str, typer.Option(help="Only puzzles with this motif of the game's.")] = "",
    without: Annotated[
        list[Path] | None, typer.Option(help="Leave out puzzles that a symmetry maps to one in this file.")
    ] = None,
) -> None:
    """Find puzzles in games that engines play with noise, prove and check them. The same seed makes the same."""
    from rich.console import Console

    from tercet.learning.puzzles import make as make_puzzles
    from tercet.learning.puzzles import read, wanted, write

    there, tags = [puzzle for path in without or [] for puzzle in read(path)], tag or []
    console = Console(stderr=True, highlight=False)

    def tell(made: int, played: int) -> None:
        console.print(f"{made} puzzles in {played} games", style="dim", end="\r" if console.is_terminal else "\n")

    if records or position:
        given = _given(records or [], position or [])
        found = _from_given(game, given, count, seed, wanted(game, tags, motif), there)
    else:
        found = make_puzzles(game, count, seed, tags=tags, motif=motif, without=there, workers=workers, progress=tell)
    if output is not None:
        write(output, found)
        return
    for puzzle in found:
        print(json_module.dumps(puzzle, ensure_ascii=False), flush=True)


Given: TypeAlias = "tuple[list[Position], dict[str, Any]]"  # positions of a game, and where they are from


def _given(files: Sequence[Path], texts: Sequence[str]) -> Iterator[Given]:
    """Yield the positions of the games in ``files``, then those that ``texts`` describe."""
    for file in files:
        for number, record in enumerate(read_file(file)):
            positions = [record.start, *(node.position for node in record.main())]
            yield positions, {"record": file.name, "game": number}
    for text in texts:
        yield [tercet.parse(text.strip())], {"position": text.strip()}


def _from_given(
    game: str,
    given: Iterator[Given],
    count: int,
    seed: int,
    fits: Callable[[Mapping[str, Any]], bool],
    without: Sequence[dict[str, Any]],
) -> Iterator[dict[str, Any]]:
    from tercet.learning.puzzles import from_positions, key_of

    known = {key_of(puzzle) for puzzle in without}
    made = 0
    for all_positions, origin in given:
        positions = [position for position in all_positions if not position.is_over]
        if not positions or positions[0].game.name != game:
            continue
        for key, puzzle in from_positions(positions, seed, origin):
            if key not in known and fits(puzzle):
                known.add(key)
                made += 1
                yield puzzle
                if made == count:
                    return


@puzzle.command()
def check(files: Annotated[list[Path], typer.Argument(help="Files of puzzles.")], json: Json = False) -> int:
    """Check all that the puzzles of these files claim, by the rules alone; exit code 1 if a proof does not hold."""
    from tercet.learning.puzzles import Refused, read
    from tercet.learning.puzzles import check as check_puzzle

    problems: list[dict[str, Any]] = []
    count = played = refuted = 0
    for file in files:
        for number, puzzle in enumerate(read(file), 1):
            count += 1
            refuted += "wrong" in puzzle
            try:
                played += check_puzzle(puzzle)
            except (TercetError, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
                place = error.place if isinstance(error, Refused) else ""
                reason = error.reason if isinstance(error, Refused) else f"cannot be read ({error})"
                where = {"file": file.name, "number": number, "id": puzzle["id"], "place": place}
                problems.append(where | {"reason": reason})
            if sys.stderr.isatty():
                print(f"\r{count} puzzles", end="", file=sys.stderr)
    lines = []
    for problem in problems:
        place = f" at {problem['place']}" if problem["place"] else ""
        lines.append(f"{problem['file']}: puzzle {problem['number']} ({problem['id']}){place}: {problem['reason']}")
    said = f"{count} puzzles, {len(problems)} that do not hold; all other first actions are refuted in {refuted}"
    lines.append(f"{said}; {played:,} actions played")
    data = {"puzzles": count, "refuted": refuted, "actions": played, "problems": problems}
    print_answer(json, data, lines)
    return 1 if problems else 0


@puzzle.command("list")
def list_puzzles(
    game: AnyGame = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only puzzles with this tag; repeatable.")] = None,
    json: Json = False,
) -> None:
    """List the puzzles that come with the games."""
    for puzzle in _all(game):
        if not set(tag or []) <= set(puzzle["tags"]):
            continue
        if json:
            print(json_module.dumps(puzzle, ensure_ascii=False))
        else:
            print(f"{puzzle['id']}  {puzzle['rating']:>4}  {', '.join(puzzle['tags'])}")


@puzzle.command()
def show(name: Annotated[str, typer.Argument(help="The id of a puzzle from `tercet puzzle list`.")]) -> None:
    """Print a puzzle: its position, what is to be done, and what is right."""
    from rich.console import Console

    from tercet.learning.puzzles import PuzzleError

    for puzzle in _all(None):
        if puzzle["id"] == name:
            print(puzzle["task"])
            print(puzzle["position"])
            Console(highlight=False).print(board_text(tercet.parse(puzzle["position"])))
            print(f"right: {', '.join(puzzle['right'])}")
            print(f"tags: {', '.join(puzzle['tags'])}; rating {puzzle['rating']}")
            return
    raise PuzzleError(f"There is no puzzle {name[:40]!r}. `tercet puzzle list` lists them.")


def _all(game: str | None) -> Iterator[dict[str, Any]]:
    from tercet.learning.puzzles import read, shipped

    for name in [game] if game is not None else names():
        for file in shipped(name):
            yield from read(file)


@app.command()
def lessons(
    words: Annotated[list[str] | None, typer.Argument(help="Games, or files of one game's lessons.")] = None,
) -> int:
    """Check lessons: every goal can be reached, every refutation works, every claim is true."""
    from rich.console import Console

    from tercet.learning.lessons import check as check_lesson
    from tercet.learning.lessons import check_first_game, first_game_of

    console = Console(highlight=False)
    steps, count = 0, 0
    problems: list[LessonError] = []
    for lesson in _wanted(words or []):
        problems += check_lesson(lesson)
        steps += len(lesson.steps)
        count += 1
    for game in (word for word in words or names() if word in names()):
        first = first_game_of(game)
        problems += [] if first is None else check_first_game(first)
    for problem in problems:
        console.print(str(problem), markup=False)
    console.print(f"{count} lessons, {steps} steps, {len(problems)} problems")
    return 1 if problems else 0


def _wanted(words: Sequence[str]) -> Iterator[Lesson]:
    from tercet.learning.lessons import lessons_of, read_lesson

    known = names()
    files = [word for word in words if word not in known]
    games = [word for word in words if word in known] or list(known)
    if not files:
        for game in games:
            yield from lessons_of(game)
        return
    if len(games) != 1:
        raise OptionError("words", f"Name the game of the files first: {', '.join(known)}.")
    for file in files:
        yield read_lesson(game_definition(games[0]), Path(file))
