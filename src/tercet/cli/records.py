"""Commands about records of games: checking, converting, drawing, exporting."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tercet import parse
from tercet.cli.app import AnyGame, StartPosition, app
from tercet.core.abilities.play import MendedTurn, SaveForm, TurnForm
from tercet.core.game import Position
from tercet.errors import IllegalAction, OptionError, ParseError, TercetError
from tercet.games import game_definition, names
from tercet.record import FileRecords, Node, Record, Records, in_form, read, read_file
from tercet.record import annotate as annotate_record

FORMS = ("record", "moves", "positions")


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
    convert = "record" if annotate and convert is None else convert
    saves, longs = _saves(), _turn_forms()
    forms = (*FORMS, *saves, *longs)
    if convert is not None and convert not in forms:
        raise OptionError("convert", f"--convert must be one of {', '.join(forms)}, not {convert!r}.")
    if turns is not None and turns not in longs:
        raise OptionError("turns", f"--turns must be one of {', '.join(longs)}, not {turns!r}.")
    if (turns is None) != (position is None):
        raise OptionError("position", "--position says where the turns of --turns begin. Give both or neither.")
    left_out = 0
    for name in files:
        games = actions = flaws = 0
        try:
            found = _read(name, lenient) if turns is None else _turns(name, longs[turns], position or "", lenient)
            for one in found:
                games += 1
                actions += len(one.moves())
                flaws += tell(name, one.problems)
                if annotate:
                    annotate_record(one)
                if convert == "record":
                    print(one.write())
                elif convert == "moves":
                    print(" ".join(one.moves()))
                elif convert == "positions":
                    print(one.end)
                elif convert is not None:
                    print(in_form(one, convert))
        except ParseError as error:
            raise TercetError(str(error) if turns is None and name != "-" else f"{name}: {error}") from None
        flaws += tell(name, found.problems)
        left_out += flaws
        if convert is None:
            print(f"{name}: {games} games, {actions} actions{f', {flaws} problems' if flaws else ''}")
    return 1 if left_out else 0


def _saves() -> dict[str, SaveForm]:
    """Return the other ways to write positions that games know, by name."""
    return {form.name: form for name in names() for form in game_definition(name).saves}


def _turn_forms() -> dict[str, TurnForm]:
    """Return the other ways to write turns that games know, by name."""
    return {form.name: form for name in names() for form in game_definition(name).turn_forms}


def tell(name: object, problems: Sequence[ParseError]) -> int:
    """Print what was left out of a file. Return how many things that were."""
    for problem in problems:
        print(f"{name}: {problem}", file=sys.stderr)
    return len(problems)


def _turns(name: str, form: TurnForm, position: str, lenient: bool) -> Records:
    """Return the one record of a file with a turn a line. Raise ParseError, which names the line, or, if ``lenient``,
    note what was mended or left out among the record's problems."""
    start = parse(position)
    if form not in start.game.definition.turn_forms:
        raise OptionError("turns", f"{start.game.definition.title} has no notation {form.name}.")
    read = form.mend if lenient else lambda position, line: [MendedTurn(form.read(position, line))]
    if read is None:
        raise OptionError("lenient", f"Leave out --lenient: turns in the form {form.name} cannot be repaired.")
    record = Record(start.game, start, {}, Node(None, start))
    node = record.root
    text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
    skipped: list[int] = []  # lines without a turn, one after another
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line:
            continue
        if lenient and node.position.is_over:
            break
        try:
            turns = read(node.position, line)
        except IllegalAction as error:
            raise ParseError(f"line {number}", f"Line {number}: {error}") from None
        if not any(turn.actions for turn in turns):
            skipped.append(number)
            continue
        _note_skipped(record, skipped)
        for turn in turns:
            record.problems += [ParseError(f"line {number}", f"Line {number}: {slip}") for slip in turn.slips]
            for action in turn.actions:
                node = node.play(str(action))
            node.comment = " ".join(filter(None, [node.comment, turn.remark]))
    _note_skipped(record, skipped)
    return Records([record])


def _note_skipped(record: Record, lines: list[int]) -> None:
    """Note that ``lines`` hold no turn, and forget them."""
    if lines:
        where = f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"
        record.problems.append(ParseError(where, f"{where.capitalize()}: No turn here. It was left out."))
        lines.clear()


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
    from tercet.pictures import drawing

    position = _position(what, ply)
    kind = output.suffix.lower() if output else ".svg"
    how: dict[str, Any] = {
        "size": size, "style": style, "dark": dark, "coordinates": coordinates, "marks": marks, "title": title,
    }  # fmt: skip
    if kind == ".svg":
        drawn = drawing.svg(position, **how)
        if output is None:
            print(drawn)
        else:
            output.write_text(drawn + "\n", encoding="utf-8")
    elif kind == ".png" and output is not None:
        output.write_bytes(drawing.png(position, **how))
    else:
        raise OptionError("output", f"--output must end in .svg or .png, not {kind!r}.")


def _read(name: str, lenient: bool = False) -> Records | FileRecords:
    return read(sys.stdin.read(), lenient) if name == "-" else read_file(name, lenient)


def _position(what: str, ply: int | None) -> Position:
    text = (sys.stdin.read() if what == "-" else what).removeprefix("\ufeff").strip()
    named = text.split("/")[0].split(" ")[0] in names() and " " in text
    if what != "-" and (named or any(form.fits(text) for form in _saves().values())):
        return parse(text)
    if what == "-" and not text.startswith("["):
        return parse(text)
    try:
        record = next(iter(read(text) if what == "-" else read_file(what)), None)
    except FileNotFoundError:
        known = ", ".join(names())
        why = f"{what} is neither a file nor a position string, which begins with a game ({known}) and a slash."
        raise OptionError("what", why) from None
    if record is None:
        raise ParseError(what, f"{what} has no game.")
    nodes = [record.root, *record.main()]
    if ply is not None and ply >= len(nodes):
        raise OptionError("ply", f"--ply must be at most {len(nodes) - 1}, the actions of the game.")
    return nodes[-1 if ply is None else ply].position


@app.command()
def samples(
    game: AnyGame = None, sample: Annotated[str | None, typer.Argument(help="A sample, to print its record.")] = None
) -> None:
    """List the games that ship as samples, or print the record of one."""
    from rich.console import Console

    chosen = [game_definition(game)] if game else [game_definition(each) for each in names()]
    if sample is not None:
        found = next((one for one in chosen[0].samples if one.id == sample), None)
        if found is None:
            known = ", ".join(one.id for one in chosen[0].samples) or "none"
            raise OptionError("sample", f"{chosen[0].title} has no sample {sample!r}. Choose from {known}.")
        print(found.text, end="")
        return
    console = Console(highlight=False)
    for each in chosen:
        for one in each.samples:
            console.print(f"[bold]{each.name} {one.id}[/]  {one.title}", soft_wrap=True)


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
