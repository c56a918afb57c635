"""Game records: a text format in the manner of PGN, for every game. The format is described in docs/records.md.

>>> import tercet
>>> game = tercet.game(tercet.games()[0])
>>> first = game.start().legal_actions[0]
>>> record = tercet.Record.from_actions(game, game.start(), [first], {"Event": "Friday"})
>>> record.root.variations[0].comment = "a corner"
>>> record.write().splitlines()[-1] == f"1. {first} {{a corner}} *"
True
>>> tercet.read(record.write())[0].moves() == [str(first)]
True

A ParseError of a record has line and column, from 1.
"""

from __future__ import annotations

import functools
import io
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path

from tercet.core.definition import GameDefinition
from tercet.core.execution import usual_execution
from tercet.core.game import Game, Position
from tercet.errors import IllegalAction, OptionError, ParseError, TercetError
from tercet.games import game_definition, names
from tercet.record.annotation import annotate
from tercet.record.tokens import is_token, parted
from tercet.record.tree import Node, Record, Records, date_text, is_seed, result_token, seed_of

__all__ = [
    "MAX_HEADERS",
    "MAX_NESTING",
    "MAX_NODES",
    "MAX_TEXT",
    "FileRecords",
    "Node",
    "Record",
    "Records",
    "annotate",
    "date_text",
    "in_form",
    "is_token",
    "read",
    "read_file",
    "result_token",
]

MAX_TEXT = 4_000_000  # characters of one game

_OPEN = re.compile(r"[^{;]*\{")
_CLOSE = re.compile(r"(?:\\.|[^\\}])*\}", re.S)


def split_games(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield each game's text and the number of its first line; headers after moves begin another. ParseError."""
    gathered: list[str] = []
    first, size = 1, 0
    moves = comment = False
    for number, text in enumerate(lines, 1):
        line = text.removeprefix("\ufeff")  # a byte order mark, of a file or of one that was appended
        if line.startswith("[") and not comment:
            if moves:
                yield "".join(gathered), first
                gathered, first, size, moves = [], number, 0, False
        elif comment or line.strip():
            moves = True
            comment = _in_comment(line, comment)
        gathered.append(line)
        size += len(line)
        if size > MAX_TEXT:
            raise ParseError("record", f"A game must have at most {MAX_TEXT} characters.", number, 1)
    if "".join(gathered).strip():
        yield "".join(gathered), first


def _in_comment(line: str, inside: bool) -> bool:
    """Return whether a comment is open at the end of ``line``, given whether one was open at its beginning."""
    at = 0
    while True:
        match = (_CLOSE if inside else _OPEN).match(line, at)
        if match is None:
            return inside
        inside, at = not inside, match.end()


def in_form(record: Record, form: str) -> str:
    """``record`` in a form of its game (``definition.saves``, ``definition.turn_forms``), without a newline at the end.
    OptionError where its game has no such form, other errors of Tercet where the form has no room for the position."""
    definition = record.game.definition
    for save in definition.saves:
        if save.name == form:
            return save.write(record.end)
    turns = next((one for one in definition.turn_forms if one.name == form), None)
    if turns is None:
        raise OptionError("form", f"{definition.title} has no notation {form}.")
    position, lines = record.root.position, []
    number, moved = 1, set[int | None]()
    for turn in turns.split(position, record.moves()):
        if position.mover in moved:
            number, moved = number + 1, set()
        moved.add(position.mover)
        lines.append(turns.write(position, turn, number))
        for action in turn:
            position = position.play(str(action))
    return "\n".join(lines)


MAX_NODES = 20_000  # actions of one game, variations included
MAX_NESTING = 100
MAX_HEADERS = 100
MAX_VALUE = 20_000

_HEADER = re.compile(r'\[([A-Za-z][A-Za-z0-9_]{0,63})[ \t]+"((?:[^"\\]|\\.)*)"[ \t]*\][ \t]*')
_TOKEN = re.compile(
    r"(?P<space>\s+|;[^\n]*)|(?P<comment>\{(?:[^\\}]|\\.)*\})|(?P<mark>[()])|(?P<word>[^\s(){};]+)", re.S
)
_NUMBER = re.compile(r"([0-9]{1,6})(?:\.+|…)")
_RESULT = re.compile(r"\*|[01](?:/[1-9])?(?:-[01](?:/[1-9])?)*")


@functools.lru_cache(maxsize=8)  # files hold many records of the same game
def _game(definition: GameDefinition, options: tuple[tuple[str, str], ...], execution: str) -> Game:
    return Game(definition, dict(options), execution)


def read(text: str, lenient: bool = False, *, max_nodes: int = MAX_NODES) -> Records:
    """Return all games of ``text``. ParseError, with line, column and reason, where it is no record.

    With ``lenient`` what can be kept is kept: a line of play ends before an action that is not legal, and
    ``record.problems`` (``records.problems`` for games lost altogether) lists what was left out.
    ``max_nodes`` limits the actions of one game, variations included.
    """
    records = Records()
    records += _games(io.StringIO(text, newline=None), lenient, max_nodes, records.problems)
    return records


class FileRecords(Iterator[Record]):
    """The games of a file, one after another; only one is held in memory. ``problems`` lists, in a lenient reading, the
    games so far of which nothing could be kept."""

    def __init__(self, path: str | Path, lenient: bool) -> None:
        self.problems: list[ParseError] = []
        self._records = self._read(path, lenient)

    def __next__(self) -> Record:
        return next(self._records)

    def _read(self, path: str | Path, lenient: bool) -> Iterator[Record]:
        with Path(path).open(encoding="utf-8", errors="strict") as lines:
            try:
                yield from _games(lines, lenient, MAX_NODES, self.problems)
            except UnicodeDecodeError as error:
                raise ParseError("file", f"{path}: The file must be UTF-8 text ({error.reason}).") from None
            except ParseError as error:
                error.args = (f"{path}: {error}",)
                raise


def read_file(path: str | Path, lenient: bool = False) -> FileRecords:
    """Return an iterator over the games of a file, which holds one at a time. Errors as in :func:`read`, with the
    file's name before them; with ``lenient``, the iterator's ``problems`` lists the games lost altogether."""
    return FileRecords(path, lenient)


def _games(lines: Iterable[str], lenient: bool, max_nodes: int, lost: list[ParseError]) -> Iterator[Record]:
    """Yield the games in ``lines``; a lenient reading puts a game that cannot be kept among the ``lost``."""
    for text, line in split_games(lines):
        try:
            record = _RecordReader(text, line, lenient, max_nodes).record()
        except ParseError as error:
            if not lenient:
                raise
            lost.append(error)
        else:
            yield record


class _RecordReader:
    """Reads one game."""

    def __init__(self, text: str, first_line: int, lenient: bool, max_nodes: int) -> None:
        self.text = text
        self.first_line = first_line
        self.lenient = lenient
        self.left = max_nodes
        self.problems: list[ParseError] = []
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def error(self, at: int, where: str, why: str) -> ParseError:
        """Return an error at place ``at`` of the text."""
        line = bisect_right(self.starts, at) - 1
        return ParseError(where, why, self.first_line + line, at - self.starts[line] + 1)

    def problem(self, at: int, where: str, why: str) -> None:
        """Raise an error, or note it when reading leniently."""
        error = self.error(at, where, why)
        if not self.lenient:
            raise error
        self.problems.append(error)

    def record(self) -> Record:
        """Return the whole game."""
        headers, places, at = self.headers()
        game, start = self.begin(headers, places)
        record = Record(game, start, headers, Node(None, start), self.problems)
        said = headers.pop("Result", None)
        if said is not None and not _is_result(said, game):
            why = f"The header Result must fit {len(game.players)} players, not {said[:20]!r}."
            self.problem(places["Result"], "header Result", why)
            said = None
        token, at = self.moves(record.root, at)
        outcome = record.end.outcome
        if outcome is not None:
            true = result_token(outcome.scores)
            for claim in (said, token):
                if claim not in (None, true):
                    self.problem(at, "result", f"The game as played ends {true}, not {claim}.")
                    break
        elif said is not None and token is not None and said != token:
            self.problem(at, "result", f"The moves end with {token}, but the header Result says {said}.")
        headers["Result"] = token or said or "*"
        return record

    def headers(self) -> tuple[dict[str, str], dict[str, int], int]:
        """Return the headers, where each stands, and where the moves begin."""
        found: dict[str, str] = {}
        places: dict[str, int] = {}
        at = 0
        for line in io.StringIO(self.text):
            bare = line.rstrip("\n")
            if bare.strip() and not bare.startswith("["):
                break
            match = _HEADER.fullmatch(bare)
            if match is not None:
                name, value = match.groups()
                if name in found:
                    self.problem(at, f"header {name}", f"The header {name} is given twice. Give it once.")
                elif len(value) > MAX_VALUE:
                    self.problem(at, f"header {name}", f"A header must have at most {MAX_VALUE} characters.")
                elif len(found) >= MAX_HEADERS:
                    self.problem(at, f"header {name}", f"A game must have at most {MAX_HEADERS} headers.")
                else:
                    found[name], places[name] = re.sub(r"\\(.)", r"\1", value), at
            elif bare.strip():
                self.problem(at, "header", 'A header must be written [Name "value"].')
            at += len(line)
        return found, places, at

    def begin(self, headers: dict[str, str], places: dict[str, int]) -> tuple[Game, Position]:
        """Game and start position by the headers Game, Options, Position and Seed, of which the last three go."""
        name = headers.get("Game")
        position = headers.pop("Position", None)
        if name is None and position is not None:
            name = re.split(r"[/ ]", position, maxsplit=1)[0]
        if name is None:
            raise self.error(0, "header Game", "The header Game is missing.")
        if name not in names():
            why = f"The header Game must be one of {', '.join(names())}, not {name[:20]!r}."
            raise self.error(places.get("Game", 0), "header Game", why)
        headers["Game"] = name
        options = self.options(headers.pop("Options", ""), places.get("Options", 0))
        try:
            game = _game(game_definition(name), tuple(options.items()), usual_execution(name))
        except OptionError as error:
            raise self.error(places.get("Options", 0), "header Options", str(error)) from None
        if position is not None:
            try:
                start = game.parse(position)
            except ParseError as error:
                raise self.error(places["Position"], "header Position", str(error)) from None
            if options and start.game != game:
                why = "The headers Position and Options must name the same options."
                self.problem(places["Position"], "header Position", why)
            return start.game, start
        seed = headers.get("Seed", "0")
        if not is_seed(seed):
            self.problem(places["Seed"], "header Seed", "The header Seed must be a whole number from 0 to 2**62 - 1.")
            del headers["Seed"]
        return game, game.start(seed_of(seed))

    def options(self, text: str, at: int) -> dict[str, str]:
        """Return the header Options as a dictionary."""
        found: dict[str, str] = {}
        for word in text.split():
            name, equals, value = word.partition("=")
            if not equals or name in found:
                why = f"The header Options must have each option once, as name=value, not {word[:40]!r}."
                self.problem(at, "header Options", why)
            else:
                found[name] = value
        return found

    def moves(self, root: Node, at: int) -> tuple[str | None, int]:
        """Hang everything that follows the headers under ``root``; the result token, and where the text ends."""
        walk = _MoveReader(self, root)
        for kind, text, place in self.tokens(at):
            if walk.result is not None:
                self.problem(place, "record", f"Nothing may follow the result {walk.result}, but {text[:20]!r} does.")
                break
            if kind == "comment":
                walk.comment(text)
            elif text == "(":
                walk.open(place)
            elif text == ")":
                walk.close(place)
            else:
                walk.word(text, place)
        walk.must_be_closed()
        end = max(0, len(self.text.rstrip()) - 1)
        if walk.result is None:
            self.problem(end, "record", "A game must end with a result, or with * if it has none.")
        return walk.result, end

    def play(self, node: Node, text: str, place: int) -> Node:
        """Return the node after the action that ``text`` means, with the signs behind it; ParseError."""
        where = f"turn {node.following_turn()[0]}"
        if self.left == 0:
            raise self.error(place, where, "The game has too many actions to be read.")
        try:
            played = node.play(text)
        except TercetError as error:
            plain, nags = (text, ()) if is_token(text) else parted(text)
            if nags:
                return _signed(self.play(node, plain, place), nags)
            why = str(error) if isinstance(error, IllegalAction) else f"{text[:40]}: {error}"
            raise self.error(place, where, why) from None
        self.left -= 1
        return played

    def tokens(self, at: int) -> Iterator[tuple[str, str, int]]:
        """Kind (``comment``, ``mark``, ``word``), text and place of all that follows."""
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                opened = self.text[at] == "{"
                why = "The comment is not closed. Close it with }." if opened else "} closes no comment. Leave it out."
                self.problem(at, "comment", why)
                at = len(self.text) if opened else at + 1
                continue
            kind = match.lastgroup or ""
            if kind == "comment":
                yield kind, re.sub(r"\\(.)", r"\1", match[0][1:-1], flags=re.S).strip(), at
            elif kind != "space":
                yield kind, match[0], at
            at = match.end()


class _MoveReader:
    """The state while a game's moves are read. ``node`` is where the next action hangs; ``fresh`` whether a line of
    play begins there; ``remark`` a comment that stands before the first action of a line; ``saved`` where to go on
    after each open variation, and where that was opened. ``counts`` are the ways in which the numbers so far may have
    been counted: by rounds, as records are written, or by turns, as they once were. In a lenient reading ``lost`` says
    whether the rest of this line is left out, and ``skipped`` how many variations were opened within what is left
    out."""

    def __init__(self, reader: _RecordReader, root: Node) -> None:
        self.reader = reader
        self.root = self.node = root
        self.fresh = True
        self.remark = ""
        self.saved: list[tuple[Node, int]] = []
        self.counts = frozenset({"round", "turn"})
        self.lost = False
        self.skipped = 0
        self.result: str | None = None

    def comment(self, text: str) -> None:
        """A comment, which belongs to the action before it, or to the one that begins the line."""
        if self.lost or self.skipped:
            return
        if self.fresh and self.saved:
            self.remark = f"{self.remark} {text}".strip()
        else:
            self.node.comment = f"{self.node.comment} {text}".strip()

    def open(self, place: int) -> None:
        """A variation begins."""
        if self.lost or self.skipped:
            self.skipped += 1
        elif self.fresh or self.node.parent is None:
            self.reader.problem(place, "variation", "A variation must stand after the action that it replaces.")
            self.skipped += 1
        elif len(self.saved) == MAX_NESTING:
            self.reader.problem(place, "variation", f"Variations must be nested at most {MAX_NESTING} deep.")
            self.skipped += 1
        else:
            self.saved.append((self.node, place))
            self.node, self.fresh = self.node.parent, True

    def close(self, place: int) -> None:
        """A variation ends."""
        if self.skipped:
            self.skipped -= 1
        elif not self.saved:
            self.reader.problem(place, "variation", ") closes no variation. Leave it out.")
        else:
            if self.fresh:
                self.reader.problem(place, "variation", "A variation must have at least one action.")
            self.node, self.fresh, self.lost, self.remark = self.saved.pop()[0], False, False, ""

    def word(self, text: str, place: int) -> None:
        """The number of a turn, a result, an action, or signs of judgement."""
        is_result = _is_result(text, self.root.position.game)
        if self.lost or self.skipped:
            if is_result and not self.saved and not self.skipped:
                self.result = text
        elif number := _NUMBER.match(text):
            self._number(int(number[1]), place)
            if number.end() < len(text):
                self.word(text[number.end() :], place + number.end())
        elif is_result:
            self.must_be_closed()
            self.result = text
        elif text.strip(".…"):
            word, nags = parted(text) if text[0] in "!?$" else (text, ())
            if word:
                self._play(text, place)
            elif self.fresh and self.saved:
                self.reader.problem(place, "sign", f"The sign {text[:20]} must stand behind the action that it judges.")
            else:
                _signed(self.node, nags)

    def _number(self, number: int, place: int) -> None:
        turn, round_, _ = self.node.following_turn()
        fitting = {count for count, right in (("round", round_), ("turn", turn)) if number == right}
        if self.counts & fitting:
            self.counts &= fitting
        else:
            right = round_ if "round" in self.counts else turn
            self.reader.problem(place, f"turn {turn}", f"The number here must be {right}, not {number}.")

    def _play(self, text: str, place: int) -> None:
        self.fresh = False
        try:
            self.node = self.reader.play(self.node, text, place)
        except ParseError as error:
            if not self.reader.lenient:
                raise
            self.reader.problems.append(error)
            self.lost = True
            return
        if self.remark:
            self.node.comment, self.remark = f"{self.remark} {self.node.comment}".strip(), ""

    def must_be_closed(self) -> None:
        """No variation may be open any more."""
        if self.saved:
            self.reader.problem(self.saved[-1][1], "variation", "The variation is not closed. Close it with ).")
            self.saved.clear()


def _signed(node: Node, nags: tuple[int, ...]) -> Node:
    """Return ``node`` with these signs added."""
    node.nags = tuple(dict.fromkeys(node.nags + nags))
    return node


def _is_result(text: str, game: Game) -> bool:
    """Return whether ``text`` is a result token with a share for each player."""
    return text == "*" or (bool(_RESULT.fullmatch(text)) and text.count("-") == len(game.players) - 1)
