"""``tercet record`` and ``tercet draw``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tercet import parse
from tercet.core.abilities.play import MendedTurn, SaveForm, TurnForm
from tercet.core.game import Position
from tercet.errors import IllegalAction, OptionError, ParseError, TercetError
from tercet.games import game_definition, names
from tercet.record import FileRecords, Node, Record, Records, annotate, in_form, read, read_file

FORMS = ("record", "moves", "positions")


def _saves() -> dict[str, SaveForm]:
    """Return the other ways to write positions that games know, by name."""
    return {form.name: form for name in names() for form in game_definition(name).saves}


def _turn_forms() -> dict[str, TurnForm]:
    """Return the other ways to write turns that games know, by name."""
    return {form.name: form for name in names() for form in game_definition(name).turn_forms}


def check(
    files: Sequence[str],
    lenient: bool,
    convert: str | None,
    turns: str | None = None,
    position: str | None = None,
    comments: bool = False,
) -> int:
    """Read all files; one line a file says what was found, or the records go to stdout in the form asked for. Return
    the exit code: 1 where a lenient reading left something out.

    With ``turns`` files hold a turn a line in that form, from ``position`` (a position string or a save) on.
    With ``comments`` records are annotated, and written out if no form is asked for.
    """
    convert = "record" if comments and convert is None else convert
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
            found = _records(name, lenient) if turns is None else _turns(name, longs[turns], position or "", lenient)
            for record in found:
                games += 1
                actions += len(record.moves())
                flaws += tell(name, record.problems)
                if comments:
                    annotate(record)
                if convert == "record":
                    print(record.write())
                elif convert == "moves":
                    print(" ".join(record.moves()))
                elif convert == "positions":
                    print(record.end)
                elif convert is not None:
                    print(in_form(record, convert))
        except ParseError as error:
            raise TercetError(str(error) if turns is None and name != "-" else f"{name}: {error}") from None
        flaws += tell(name, found.problems)
        left_out += flaws
        if convert is None:
            print(f"{name}: {games} games, {actions} actions{f', {flaws} problems' if flaws else ''}")
    return 1 if left_out else 0


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


def _records(name: str, lenient: bool) -> Records | FileRecords:
    return read(sys.stdin.read(), lenient) if name == "-" else read_file(name, lenient)


def picture(what: str, output: Path | None, ply: int | None, how: dict[str, Any]) -> None:
    """Draw a position string, or the last position (or that after ``ply`` actions) of a record file."""
    from tercet.pictures import drawing as draw

    position = _position(what, ply)
    kind = output.suffix.lower() if output else ".svg"
    if kind == ".svg":
        drawn = draw.svg(position, **how)
        if output is None:
            print(drawn)
        else:
            output.write_text(drawn + "\n", encoding="utf-8")
    elif kind == ".png" and output is not None:
        output.write_bytes(draw.png(position, **how))
    else:
        raise OptionError("output", f"--output must end in .svg or .png, not {kind!r}.")


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
