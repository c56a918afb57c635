"""Whole turns of Sparklies: the original page's long notation and save strings, and the designers' own forms.

In the long notation, ``B2 G->B, B1 R->G`` says what each ping changed. Its first cell is also the one claimed, if it
was free; else the claimed cell stands in front, ``B3, B2 G->B``. In blank setup the claimed cell is always in front,
with its colour, ``B3=R``. Columns have letters and rows numbers, counted from the **top**, as on the original page;
hexagonal boards, which that page has not, keep our names. Move lists put number and player before a turn, ``1 (W)  A1
B->B``. The designers' wiki names the row by the letter, ``1b G->G, pings 1a B->R``, with words between the pings.

A save string is ``2:9:2:4:1:<cells>:<n>``: two players, four neighbours, at the start of a turn. A cell is
``colour + 3 * holder``: red 0, green 1, blue 2; free 0, Black 1, White 2; rows from the top. What the fields mean is
our reading. We do not know the meaning of the last one, and keep it as it is.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tercet.core.abilities.play import MendedTurn, NotationStyle, SaveForm, TurnForm
from tercet.core.boards import column_letters
from tercet.core.game import Action, Event, Game, Position
from tercet.errors import IllegalAction, ParseError, TercetError
from tercet.games import game_definition
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.notation import COLOUR_NAMES, LETTERS, action_text, decode
from tercet.games.sparklies.options import MAX_WIDTH, PLAYER_LETTERS, PLAYERS, read_board
from tercet.games.sparklies.rules import pack

MAX_TEXT = 100_000


def turns(start: Position, actions: Iterable[Action | str]) -> list[list[Action]]:
    """A game's actions from ``start`` grouped into turns; the last may be incomplete."""
    found: list[list[Action]] = []
    position, fresh = start, True
    for played in actions:
        action = position.action(str(played))
        if fresh:
            found.append([])
        found[-1].append(action)
        position = position.play(action)
        fresh = not position.turn_is_open
    return found


def deactivate_everything(position: Position) -> list[Action]:
    """The pings of the gesture: active cells keep their colour (or turn the forced one), the first in reading order
    first, until none is left or four times the live cells have been resolved."""
    actions: list[Action] = []
    game = position.game
    while position.row[layout.STEP] == layout.PROPAGATE and not position.is_over:
        if len(actions) == 4 * len(game.board):
            break
        row = position.row
        cell = next(cell for cell in range(len(game.board)) if game.kernels.is_active(row, cell))
        forced = int(game.kernels.forced_colour(game.data, row, cell))
        colour = int(game.kernels.colour_at(row, cell)) if forced < 0 else forced
        action = position.action(action_text(game, row, 3 * cell + colour))
        actions.append(action)
        position = position.play(action)
    return actions


_PAGE_PART = re.compile(r"([A-Za-z]+[1-9][0-9]*)(?: +([RGB]) *-> *([RGB])|=([RGB]))?")
_WIKI_PART = re.compile(r"([1-9][0-9]*[a-z]+)(?: +([RGB]) *->? *([RGB])|=([RGB]))?")
_WIKI_WORDS = re.compile(r"(?<![A-Za-z0-9])(?:[Cc]ontrol|pings?|pinging|my|both|and|then)(?![A-Za-z0-9])|[().]")
_COLOURED = r" +[RGB] *->? *[RGB]|=[RGB]"
_PARTS = {  # in a line with slips and remarks: parts of a turn that cannot be anything else
    wiki: re.compile(
        rf"(?<![A-Za-z0-9])(?P<control>[Cc]ontrol +)?(?P<part>{cell}(?P<change>{_COLOURED})?)(?![A-Za-z0-9])"
    )
    for wiki, cell in ((False, "[A-Za-z]+[1-9][0-9]*"), (True, "[1-9][0-9]*[a-z]+"))
}
_REMARK = re.compile(r"[\s,.!>-]*(?:::\s*)?((?:[^A-Za-z]*[A-Za-z].*?)?)[\s,]*", re.S)
_NUMBERED = re.compile(rf"[1-9][0-9]*\s*\(([{PLAYER_LETTERS}])\)\s+")
_WIKI_NUMBER = re.compile(r"[1-9][0-9]*\.\s*")

Change = tuple[int, int, int]  # cell, colour before, colour after


@dataclass(frozen=True)
class _Part:
    """One part of a turn as it is ``written``: ``cell`` is taken (in blank setup as ``colour``), or pinged and changes
    from ``before`` to ``after`` (both -1 where it is not pinged)."""

    written: str
    cell: int
    before: int
    after: int
    colour: str


def _page_names(game: Game) -> dict[str, int]:
    """Each cell by its name on the original page, small letters."""
    shape, _, height = read_board(game.options["board"])
    if shape == "hexagon":
        return game.board.index
    return {f"{column_letters(x)}{height - y}": cell for cell, (x, y) in enumerate(game.board.coordinates)}


def _wiki_names(game: Game) -> dict[str, int]:
    """Each cell by its name in the designers' wiki: the number of the column, the letter of the row from the top."""
    shape, _, height = read_board(game.options["board"])
    if shape == "hexagon":
        return {}
    return {f"{x + 1}{column_letters(height - 1 - y)}": cell for cell, (x, y) in enumerate(game.board.coordinates)}


def _changes(position: Position, action: Action) -> list[Change]:
    """Return what the pings of ``action`` change, in order."""
    index = position.game.board.index
    return [
        (index[event.cells[0]], LETTERS.index(event.data["was"]), LETTERS.index(event.data["symbol"]))
        for event in position.transition(action).events
        if event.kind == "pinged"
    ]


def _refuse_duel(position: Position) -> None:
    if position.game.options["mode"] == "duel":
        raise TercetError("The long notation is for whole turns, and a duel has none.")


def long_text(position: Position, actions: Sequence[Action | str], _number: int = 0) -> str:
    """A turn from ``position`` in the long notation, every ping of a chain of Speed included; TercetError in a duel."""
    _refuse_duel(position)
    game = position.game
    blank = game.options["setup"] == "blank"
    names = {cell: name.upper() for name, cell in _page_names(game).items()}
    parts: list[str] = []
    taken = -1
    for played in actions:
        action = position.action(str(played))
        kind, cell, colour = decode(game, action.id)
        if kind == "control":
            parts.append(f"{names[cell]}={LETTERS[colour]}" if blank else names[cell])
            taken = -1 if blank else cell
        elif kind == "ping":
            if taken == cell:
                parts.pop()
            taken = -1
            parts += [
                f"{names[changed]} {LETTERS[before]}->{LETTERS[after]}"
                for changed, before, after in _changes(position, action)
            ]
        else:
            parts.append(kind)
        position = position.play(action)
    return ", ".join(parts)


def numbered_text(position: Position, actions: Sequence[Action | str], number: int) -> str:
    """A turn as in the original page's move list: with the number of its round and the player's letter, as in
    ``1 (W)  A1 B->B``, then ``1 (B)``, then ``2 (W)``. TercetError in a duel."""
    player = PLAYER_LETTERS[int(position.row[layout.MOVER])]
    return f"{number} ({player})  {long_text(position, actions)}"


@functools.lru_cache(maxsize=64)
def _cells(game: Game) -> dict[str, str]:
    """Each cell's name on the original page."""
    return {game.board.names[cell]: name.upper() for name, cell in _page_names(game).items()}


def _labels(game: Game) -> dict[str, str]:
    """The labels beside the board as the original page has them: capital letters, and rows counted from the top."""
    shape, width, height = read_board(game.options["board"])
    if shape == "hexagon":
        return {}
    columns = {column_letters(x): column_letters(x).upper() for x in range(width)}
    return columns | {str(y + 1): str(height - y) for y in range(height)}


def _styled(game: Game, text: str, events: Sequence[Event]) -> str:
    """An action as the original page's move list writes it; an activation in a duel is ``!A1`` (ours)."""
    names = _cells(game)
    pings = [(names[event.cells[0]], event.data) for event in events if event.kind == "pinged"]
    if pings:
        return ", ".join(f"{name} {data['was']}->{data['symbol']}" for name, data in pings)
    sign, name, colour = text[:1], text.lstrip("+!").partition("=")[0], text.partition("=")[1:]
    if name not in names:
        return text
    return ("!" if sign == "!" else "") + names[name] + "".join(colour)


STYLE = NotationStyle("original", "As on the original page: rows from the top, B2 G->B", _cells, _labels, _styled)


def read_long(position: Position, text: str) -> list[Action]:
    """The actions that a turn means: in the long notation, as in a move list with number and player, or as in the
    designers' wiki. In Speed the pings after the first may be left out; in the wiki's form active cells that are not
    named at the end are resolved in their own colour.

    IllegalAction names the part that does not fit; TercetError in a duel.
    """
    _refuse_duel(position)
    if len(text) > MAX_TEXT:
        raise IllegalAction(text[:40], f"A turn must have at most {MAX_TEXT} characters.")
    written = _without_number(position, text.strip())
    wiki = _wiki_parts(written)
    if wiki is None:
        return _play(position, [part.strip() for part in written.split(",")], _PAGE_PART, _page_names(position.game))
    actions = _play(position, wiki, _WIKI_PART, _wiki_names(position.game))
    for action in actions:
        position = position.play(action)
    return actions + deactivate_everything(position) if position.turn_is_open else actions


def _without_number(position: Position, text: str) -> str:
    """``text`` without the number and the player before it; IllegalAction where that is not the player to move."""
    match = _NUMBERED.match(text)
    if match is None:
        return text
    mover = int(position.row[layout.MOVER])
    if match[1] != PLAYER_LETTERS[mover]:
        written = PLAYERS[PLAYER_LETTERS.index(match[1])]
        raise IllegalAction(text[:40], f"This is a turn of {written}, but {PLAYERS[mover]} is to move.")
    return text[match.end() :]


def _wiki_parts(text: str) -> list[str] | None:
    """The parts of a turn in the wiki's form, without its words; None where it has another form."""
    text = _WIKI_NUMBER.sub("", text, count=1) if _WIKI_NUMBER.match(text) else text
    parts = [part.strip() for part in _WIKI_WORDS.sub(",", text).split(",")]
    parts = [part for part in parts if part]
    return parts if parts and parts[0][0] in "123456789" else None


def _play(
    position: Position, parts: Sequence[str], form: re.Pattern[str], names: dict[str, int], first: bool = True
) -> list[Action]:
    """The actions that the parts of a turn mean, ``first`` where they begin it; IllegalAction."""
    actions: list[Action] = []

    def play(word: str) -> Position:
        action = position.action(word)
        actions.append(action)
        return position.play(action)

    whole = bool(position.game.rules.data[layout.WHOLE])
    for number, written in enumerate(parts):
        if actions and not position.turn_is_open:
            raise IllegalAction(written[:40], "The turn is already over.")
        if written == "agree":
            position = play(written)
            continue
        part = _read_part(position, written, form, names)
        name = position.game.board.names[part.cell]
        if part.after < 0:
            position = play(f"+{name}" + (f"={part.colour}" if part.colour else ""))
            continue
        if (
            first
            and number == 0
            and position.row[layout.STEP] == layout.CONTROL
            and f"+{name}" in position.legal_actions
        ):
            position = play(f"+{name}")
        before = position
        position = play(f"{name}={LETTERS[part.after]}")
        if whole:
            rest = [_read_part(before, other, form, names) for other in parts[number + 1 :]]
            _check_chain(before, actions[-1], rest)
            break
    return actions


def _read_part(position: Position, written: str, form: re.Pattern[str], names: dict[str, int]) -> _Part:
    """IllegalAction where it is no part of a turn, or tells of another colour than the cell has in ``position``."""
    match = form.fullmatch(written)
    if not match:
        raise IllegalAction(written[:40], "Write a claimed cell, as in B3, or a cell and its colours, as in B2 G->B.")
    cell = names.get(match[1].lower())
    if cell is None:
        raise IllegalAction(written[:40], f"This board has no cell {match[1]}.")
    if match[2] is None:
        return _Part(written, cell, -1, -1, match[4] or "")
    before, after = LETTERS.index(match[2]), LETTERS.index(match[3])
    colour = int(position.game.kernels.colour_at(position.row, cell))
    if colour != before:
        shown = "of no colour" if colour == layout.NO_COLOUR else COLOUR_NAMES[colour]
        raise IllegalAction(written[:40], f"{match[1]} is {shown}, not {COLOUR_NAMES[before]}.")
    return _Part(written, cell, before, after, "")


def _check_chain(position: Position, action: Action, parts: Sequence[_Part]) -> None:
    """Refuse a ping of Speed if the parts written after it are not those of its chain."""
    if not parts:
        return
    chain = sorted(_changes(position, action)[1:])
    written = []
    for part in parts:
        if part.after < 0:
            raise IllegalAction(part.written[:40], "This is no ping of the chain.")
        written.append((part.cell, part.before, part.after))
    if sorted(written) != chain:
        odd = next((parts[at] for at, change in enumerate(written) if change not in chain), parts[-1])
        raise IllegalAction(odd.written[:40], f"The chain has {len(chain)} more pings, and they are not these.")


def mend_long(position: Position, line: str) -> list[MendedTurn]:
    """Read a line of turns, separated by semicolons, with slips of the pen and remarks.

    A turn that `read_long` reads is taken as it stands. In any other turn, a part whose cell can be pinged keeps the
    cell and gets the colour that the cell has. A part whose cell cannot be pinged is read as the one ping that has its
    colours. A part that fits nothing is left out. Active cells not named at the end keep their colour."""
    _refuse_duel(position)
    if len(line) > MAX_TEXT:
        raise IllegalAction(line[:40], f"A turn must have at most {MAX_TEXT} characters.")
    turns: list[MendedTurn] = []
    for text in filter(None, map(str.strip, line.split(";"))):
        try:
            turn = MendedTurn(read_long(position, text))
        except IllegalAction:
            turn = _mend_turn(position, text)
        turns.append(turn)
        for action in turn.actions:
            position = position.play(action)
    return turns


def _mend_turn(position: Position, text: str) -> MendedTurn:
    """Return what `mend_long` makes of a single turn that `read_long` does not read."""
    try:
        written = _WIKI_NUMBER.sub("", _without_number(position, text), count=1)
    except IllegalAction:
        return MendedTurn((), (), text)
    wiki = any(match["change"] for match in _PARTS[True].finditer(written))
    names = (_wiki_names if wiki else _page_names)(position.game)
    actions: list[Action] = []
    slips: list[str] = []
    remarks: list[str] = []
    end = 0
    for match in _PARTS[wiki].finditer(written):
        named = match["change"] or match["control"] or not (actions or written[: match.start()].strip())
        if not named or match["part"].rstrip("=RGB ->").lower() not in names:
            continue
        if actions and not position.turn_is_open:
            if not position.game.rules.data[layout.WHOLE]:
                slips.append(f"{match['part']}: The turn is already over. It was left out.")
        else:
            played, slip = _mend_part(position, match["part"], wiki, names, not actions)
            slips += filter(None, [slip])
            for action in played:
                position = position.play(action)
            actions += played
        remarks.append(written[end : match.start()])
        end = match.end()
    if not actions:
        return MendedTurn((), (), text)
    if position.turn_is_open:
        actions += deactivate_everything(position)
    remarks.append(written[end:])
    said = (_REMARK.fullmatch(_WIKI_WORDS.sub("", remark)) for remark in remarks)
    return MendedTurn(actions, slips, " ".join(remark[1] for remark in said if remark and remark[1]))


def _mend_part(
    position: Position, written: str, wiki: bool, names: dict[str, int], first: bool
) -> tuple[list[Action], str]:
    """The actions that one part means, or nothing, and what was mended or left out."""
    form = _WIKI_PART if wiki else _PAGE_PART
    try:
        return _play(position, [written], form, names, first), ""
    except IllegalAction as error:
        why = str(error)
    match = form.fullmatch(written)
    if match is None or match[2] is None:
        return [], f"{why} It was left out."
    printed = {cell: name if wiki else name.upper() for name, cell in names.items()}
    cell = names[match[1].lower()]
    colour = int(position.game.kernels.colour_at(position.row, cell))
    readings = [f"{match[1]} {LETTERS[colour]}->{match[3]}"] if colour != layout.NO_COLOUR else []
    before = LETTERS.index(match[2])
    other = {
        each
        for kind, each, after in (decode(position.game, action.id) for action in position.legal_actions)
        if kind == "ping"
        and LETTERS[after] == match[3]
        and position.game.kernels.colour_at(position.row, each) == before
    }
    readings += [f"{printed[each]} {match[2]}->{match[3]}" for each in other if len(other) == 1]
    for reading in readings:
        try:
            return _play(position, [reading], form, names, first), f"{why} It was read as {reading}."
        except IllegalAction:
            continue
    return [], f"{why} It was left out."


FIELDS = ("players", "board size", "ruleset", "neighbours", "player to move", "cells", "last number")
RULESETS = {"1": "speed", "2": "subtle"}
MAX_LAST = 40
BESIDE = ("setup", "handicap", "max_pings")  # options that say nothing of a position that stands


@dataclass(frozen=True)
class Save:
    """What a save string holds: the position, and the last number as it was written."""

    position: Position
    last: str = "0"

    def __str__(self) -> str:
        return write_save(self.position, self.last)


def read_save(text: str) -> Save:
    """The position that a save string describes; ParseError names the field that is wrong."""
    fields = text.split(":", len(FIELDS))
    for index, name in enumerate(FIELDS):
        if index >= len(fields):
            raise ParseError(name, f"The {name} is missing.")
        _check_field(name, fields[index], fields)
    if len(fields) > len(FIELDS):
        why = f"The save string must end after its last number, not with {fields[-1][:20]!r}."
        raise ParseError("last number", why)
    _, size, ruleset, _, player, cells, last = fields
    game = Game(game_definition("sparklies"), {"board": f"{size}x{size}", "ruleset": RULESETS[ruleset]})
    row = game.new_row()
    game.kernels.setup(game.data, row, 0)
    for cell, digit in enumerate(cells):
        holder, colour = divmod(int(digit), 3)
        row[layout.PLACES + cell] = colour | holder << 2
    row[layout.MOVER] = int(player) - 1
    game.kernels.refresh(game.data, row)
    return Save(Position(game, row), last)


def _check_field(name: str, value: str, fields: list[str]) -> None:
    shown = repr(value[:20])
    if name == "players" and value != "2":
        raise ParseError(name, f"A save string is of 2 players, not of {shown}.")
    if name == "board size" and not (re.fullmatch(r"[1-9][0-9]?", value) and 2 <= int(value) <= MAX_WIDTH):
        raise ParseError(name, f"The {name} must be a number from 2 to {MAX_WIDTH}, not {shown}.")
    if name == "ruleset" and value not in RULESETS:
        raise ParseError(name, f"The {name} must be 1 (Speed) or 2 (Subtle), not {shown}.")
    if name == "neighbours" and value != "4":
        raise ParseError(name, f"The {name} must be 4, not {shown}.")
    if name == "player to move" and value not in ("1", "2"):
        raise ParseError(name, f"The {name} must be 1 (Black) or 2 (White), not {shown}.")
    if name == "cells":
        side, wrong = int(fields[1]), re.search(r"[^0-8]", value)
        if wrong:
            why = f"must be digits from 0 to 8, but number {wrong.start() + 1} is {wrong[0]!r}."
            raise ParseError(name, f"The {name} {why}")
        if len(value) != side**2:
            raise ParseError(name, f"The {name} of a board of {side} by {side} must be {side**2}, not {len(value)}.")
    if name == "last number" and not re.fullmatch(rf"[0-9]{{1,{MAX_LAST}}}", value):
        raise ParseError(name, f"The {name} must be a number of at most {MAX_LAST} digits, not {shown}.")


def write_save(position: Position, last: str = "0") -> str:
    """Return the save string of ``position``; ``last`` is the number at the end. Raise TercetError where the form has
    no room. How the board was set up, a handicap already taken and the bound on pings are not written: the form has no
    field for them, and the position is the same without them."""
    game, row = position.game, position.row
    _check_rules(game)
    codes = {ruleset: code for code, ruleset in RULESETS.items()}
    if game.options["ruleset"] not in codes:
        raise TercetError("Save strings exist only for Speed and Subtle.")
    width, _, height = game.options["board"].partition("x")
    if width != height:
        raise TercetError("Save strings exist only for square boards.")
    if row[layout.STEP] != layout.CONTROL:
        raise TercetError("Save strings exist only at the start of a turn.")
    if any(int(game.kernels.colour_at(row, cell)) == layout.NO_COLOUR for cell in range(len(game.board))):
        raise TercetError("A save string gives every cell a colour, but this board has cells without one.")
    _check_field("last number", last, [])
    cells = "".join(
        str(int(game.kernels.colour_at(row, cell)) + 3 * int(game.kernels.holder_at(row, cell)))
        for cell in range(len(game.board))
    )
    return f"2:{width}:{codes[game.options['ruleset']]}:4:{int(row[layout.MOVER]) + 1}:{cells}:{last}"


def _check_rules(game: Game) -> None:
    """Raise TercetError if the game is played by other rules than a save string can name."""
    options = game.options
    plain = game.complete({"board": options["board"], "ruleset": options["ruleset"]})
    same = pack({**options, **{name: plain[name] for name in BESIDE}})
    if same.data == pack(plain).data:
        return
    for name, value in plain.items():
        if options[name] != value and name not in BESIDE:
            raise TercetError(f"Save strings have no {name}={options[name]}.")


SAVES = (
    SaveForm(
        "save",
        "the original page's save string",
        lambda text: re.match(r"[0-9]+:", text) is not None,
        lambda text: read_save(text).position,
        write_save,
    ),
)
TURN_FORMS = (
    TurnForm("long", "the original page's long notation", read_long, long_text, turns, mend_long),
    TurnForm(
        "numbered",
        "the original page's move list, the long notation with number and player",
        *(read_long, numbered_text, turns, mend_long),
    ),
)
