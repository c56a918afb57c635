"""Game records: a text format in the manner of PGN, for every game. The format is described in docs/records.md.

>>> import tercet
>>> game = tercet.game("sanqi", side=4)
>>> record = tercet.Record.from_actions(game, game.start(), ["Rd4", "Yc4"], {"First": "Ann"})
>>> record.root.variations[0].comment = "the centre"
>>> print(record.write())
[Game "sanqi"]
[Options "side=4 stalemate=draw"]
[First "Ann"]
[Result "*"]
<BLANKLINE>
1. Rd4 {the centre} 2. Yc4 *
<BLANKLINE>
>>> tercet.read(record.write())[0].moves()
['Rd4', 'Yc4']
"""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from tercet.errors import IllegalAction, OptionError, ParseError, TercetError
from tercet.game import Action, Game, Position
from tercet.games import NAMES, house

__all__ = ["Node", "Record", "Records", "read", "read_file", "result_token"]

MAX_TEXT = 4_000_000  # characters of one game
MAX_NODES = 20_000  # actions of one game, variations included
MAX_NESTING = 100
MAX_HEADERS = 100
MAX_VALUE = 20_000
LINE = 80

_HEADER = re.compile(r'\[([A-Za-z][A-Za-z0-9_]{0,63})[ \t]+"((?:[^"\\]|\\.)*)"[ \t]*\][ \t]*')
_TOKEN = re.compile(
    r"(?P<space>\s+|;[^\n]*)|(?P<comment>\{(?:[^\\}]|\\.)*\})|(?P<mark>[()])|(?P<word>[^\s(){};]+)", re.S
)
_OPEN = re.compile(r"[^{;]*\{")
_CLOSE = re.compile(r"(?:\\.|[^\\}])*\}", re.S)
_RESIGN = re.compile(r"resign(?:=(\w{1,40}))?")
_NUMBER = re.compile(r"([0-9]{1,6})\.(?:\.\.)?")
_RESULT = re.compile(r"\*|[01](?:/[1-9])?(?:-[01](?:/[1-9])?)*")


class Node:
    """A place in a record: the action that led here and what may follow.

    ``action_text`` is the action's canonical notation, None at the root; ``variations`` are the nodes that follow,
    the main line first; ``turn`` is the number of the turn that the action belongs to, from 1 (0 at the root).
    """

    __slots__ = ("action_text", "comment", "parent", "position", "turn", "variations")

    def __init__(
        self,
        action_text: str | None,
        position: Position,
        comment: str = "",
        variations: list[Node] | None = None,
        parent: Node | None = None,
    ) -> None:
        self.action_text = action_text
        self.position = position
        self.comment = comment
        self.variations = [] if variations is None else variations
        self.parent = parent
        self.turn: int = 0 if parent is None else parent.turn + parent.is_turn_end

    @property
    def is_turn_end(self) -> bool:
        """Whether the next action here begins another turn: a turn may be several actions of one player."""
        before = self.parent
        if before is None or before.position.mover != self.position.mover or self.position.is_over:
            return True
        return not self.position.game.house.view.scene(self.position).partial

    def play(self, action: Action | str | int) -> Node:
        """The node after ``action``, added as the last variation if it is not there; IllegalAction says why not.

        Where a game goes on without a player who resigns, ``"resign"`` is the mover's and ``"resign=Red"`` another's.
        """
        if isinstance(action, int):
            following = self.position.play(action)
            text = str(Action(action, self.position))
        elif isinstance(action, str) and (match := _RESIGN.fullmatch(action)):
            following, text = _resign(self.position, match[1])
        else:
            known = action if isinstance(action, Action) else self.position.action(action)
            following = self.position.play(known)
            text = str(known)
        for node in self.variations:
            if node.action_text == text:
                return node
        node = Node(text, following, parent=self)
        self.variations.append(node)
        return node

    def promote(self) -> None:
        """Make this node the main line among its siblings."""
        if self.parent is not None:
            siblings = self.parent.variations
            siblings.remove(self)
            siblings.insert(0, self)

    def line(self) -> Iterator[Node]:
        """The nodes that follow along the first variations."""
        node = self
        while node.variations:
            node = node.variations[0]
            yield node

    def __repr__(self) -> str:
        return f"<Node {self.action_text or 'start'}, {len(self.variations)} variations>"


def result_token(shares: Iterable[float]) -> str:
    """Each player's share of the point, as in ``1-0``, ``1/2-1/2``, ``1/3-1/3-1/3``."""
    return "-".join(str(Fraction(share).limit_denominator(9)) for share in shares)


@dataclass(eq=False)
class Record:
    """A game from ``start`` with comments and variations; ``headers`` are its tags by name, in order.

    ``problems`` lists what a lenient reading could not keep.
    """

    game: Game
    start: Position
    headers: dict[str, str]
    root: Node
    problems: list[ParseError] = field(default_factory=list)

    @classmethod
    def from_actions(
        cls,
        game: Game,
        start: Position | None = None,
        actions: Iterable[Action | str | int] = (),
        headers: Mapping[str, str] | None = None,
    ) -> Record:
        """The record of a game played from ``start`` (None: the game's start); IllegalAction."""
        start = game.start() if start is None else start
        record = cls(start.game, start, dict(headers or {}), Node(None, start))
        node = record.root
        for action in actions:
            node = node.play(action)
        return record

    def main(self) -> Iterator[Node]:
        """The nodes of the main line, without the root."""
        return self.root.line()

    def moves(self) -> list[str]:
        """The main line in canonical notation, one entry an action."""
        return [node.action_text or "" for node in self.main()]

    @property
    def end(self) -> Position:
        """The last position of the main line."""
        node = self.root
        for node in self.main():  # noqa: B007  (the last one is wanted)
            pass
        return node.position

    @property
    def result(self) -> str:
        """The result token: what the board says if the game is over there, else the header, else ``*``."""
        outcome = self.end.outcome
        return result_token(outcome.scores) if outcome else self.headers.get("Result", "*")

    def write(self) -> str:
        """The record as text that :func:`read` takes."""
        headers = {"Game": self.game.name, "Options": self.game.option_text()}
        for name in ("Event", "Date", *self.game.players):
            if name in self.headers:
                headers[name] = self.headers[name]
        headers["Result"] = self.result
        if self.start != self.game.start(_seed(self.headers.get("Seed", "0"))):
            headers["Position"] = str(self.start)
        for name, value in self.headers.items():
            if name != "Position":
                headers.setdefault(name, value)
        top = "".join(f'[{name} "{_escape(value)}"]\n' for name, value in headers.items())
        return f"{top}\n{_layout(_pieces(self.root), self.result)}\n"

    def __str__(self) -> str:
        return self.write()

    def __repr__(self) -> str:
        return f"<Record of {self.game.name}, {len(self.moves())} actions, {self.result}>"


def _resign(position: Position, name: str | None) -> tuple[Position, str]:
    """``position`` without the player called ``name`` (None: the mover), and how that is written."""
    game, mover = position.game, position.mover
    if not hasattr(game.kernels, "resign"):
        raise IllegalAction("resign", "ends the game here: write the result")
    if name is not None and name not in game.players:
        raise IllegalAction(f"resign={name}", f"the players are {', '.join(game.players)}")
    player = mover if name is None else game.players.index(name)
    if player is None or not game.kernels.may_resign(game.data, position.row, player):
        raise IllegalAction("resign", "whoever is out of the game cannot resign")
    row = position.row.copy()
    game.kernels.resign(game.data, row, player, game.new_events())
    return Position(game, row), "resign" if player == mover else f"resign={game.players[player]}"


class Records(list[Record]):
    """Records read from one text. ``problems`` lists, after a lenient reading, games of which nothing could be kept."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        super().__init__(records)
        self.problems: list[ParseError] = []


def _escape(value: str) -> str:
    return re.sub(r"\s+", " ", value).replace("\\", "\\\\").replace('"', '\\"')


def _comment(text: str) -> str:
    return "{" + re.sub(r"\r\n?", "\n", text).strip().replace("\\", "\\\\").replace("}", "\\}") + "}"


def _steps(root: Node) -> Iterator[Node | str]:
    """The nodes below ``root`` in the order in which they are written, variations in parentheses after the action
    that they replace. Not recursive: records can be deep."""
    todo: list[tuple[Node | str, bool]] = [(root, True)]  # last first; whether what follows a node is meant, or it
    while todo:
        item, following = todo.pop()
        if isinstance(item, str) or not following:
            yield item
        elif item.variations:
            main, *others = item.variations
            todo.append((main, True))
            for other in reversed(others):
                todo += [(")", False), (other, True), (other, False), ("(", False)]
            todo.append((main, False))


def _pieces(root: Node) -> Iterator[tuple[str, bool]]:
    """What follows the headers in pieces not to be broken, each with whether it wants a line of its own.

    A piece is a turn, or as much of it as no variation interrupts, with number, comments and parentheses.
    """
    if root.comment.strip():
        yield _comment(root.comment), False
    words: list[str] = []
    actions = 0
    opened, broken = "", False
    for step in _steps(root):
        if step == "(":
            opened, broken = "(", True
        elif step == ")":
            words[-1] += ")"
            broken = True
        elif isinstance(step, Node):
            begins = step.parent is None or step.turn != step.parent.turn
            if begins or broken:
                if words:
                    yield " ".join(words), actions > 1
                words = [f"{opened}{step.turn}{'.' if begins else '...'}"]
                actions = 0
                opened, broken = "", False
            words.append(step.action_text or "")
            actions += 1
            if step.comment.strip():
                words.append(_comment(step.comment))
    if words:
        yield " ".join(words), actions > 1


def _layout(pieces: Iterable[tuple[str, bool]], result: str) -> str:
    """Fill lines with pieces."""
    lines = [""]
    alone = False
    for piece, wants_line in [*pieces, (result, False)]:
        if lines[-1] and (alone or wants_line or len(lines[-1]) + 1 + len(piece) > LINE):
            lines.append(piece)
        else:
            lines[-1] += f" {piece}" if lines[-1] else piece
        alone = wants_line
    return "\n".join(lines)


def read(text: str, lenient: bool = False, *, max_nodes: int = MAX_NODES) -> Records:
    """All games of ``text``. ParseError names line, column and reason.

    With ``lenient`` what can be kept is kept: a line of play ends before an action that is not legal, and
    ``record.problems`` (``records.problems`` for games lost altogether) lists what was left out.
    ``max_nodes`` limits the actions of one game, variations included.
    """
    records = Records()
    for game, line in _games(io.StringIO(text, newline=None)):
        record = _keep(game, line, lenient, max_nodes, records.problems)
        if record is not None:
            records.append(record)
    return records


def read_file(path: str | Path, lenient: bool = False) -> Iterator[Record]:
    """The games of a file, one after another; only one is held in memory. Errors as in :func:`read`."""
    with Path(path).open(encoding="utf-8", errors="strict") as lines:
        try:
            for text, line in _games(lines):
                record = _keep(text, line, lenient, MAX_NODES, [])
                if record is not None:
                    yield record
        except UnicodeDecodeError as error:
            raise ParseError("file", f"is not UTF-8 text ({error.reason})") from None


def _keep(text: str, line: int, lenient: bool, max_nodes: int, lost: list[ParseError]) -> Record | None:
    """The game that ``text`` holds; a lenient reading puts a game that cannot be kept among the ``lost``."""
    reader = _Reader(text, line, lenient, max_nodes)
    try:
        return reader.record()
    except ParseError as error:
        if not lenient:
            raise
        lost.append(error)
        return None


def _games(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Split a text before each header that follows moves: each game's text and the number of its first line."""
    gathered: list[str] = []
    first, size = 1, 0
    moves = comment = False
    for number, line in enumerate(lines, 1):
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
            raise ParseError("record", f"a game is longer than {MAX_TEXT} characters", number, 1)
    if "".join(gathered).strip():
        yield "".join(gathered), first


def _in_comment(line: str, inside: bool) -> bool:
    """Whether a comment is open at the end of ``line``, given whether one was at its beginning."""
    at = 0
    while True:
        match = (_CLOSE if inside else _OPEN).match(line, at)
        if match is None:
            return inside
        inside, at = not inside, match.end()


class _Reader:
    """Reads one game."""

    def __init__(self, text: str, first_line: int, lenient: bool, max_nodes: int) -> None:
        self.text = text
        self.first_line = first_line
        self.lenient = lenient
        self.left = max_nodes
        self.problems: list[ParseError] = []
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def error(self, at: int, where: str, why: str) -> ParseError:
        """An error at place ``at`` of the text."""
        line = bisect_right(self.starts, at) - 1
        return ParseError(where, why, self.first_line + line, at - self.starts[line] + 1)

    def problem(self, at: int, where: str, why: str) -> None:
        """Raise an error, or note it when reading leniently."""
        error = self.error(at, where, why)
        if not self.lenient:
            raise error
        self.problems.append(error)

    def record(self) -> Record:
        """The whole game."""
        headers, places, at = self.headers()
        game, start = self.begin(headers, places)
        record = Record(game, start, headers, Node(None, start), self.problems)
        said = headers.pop("Result", None)
        if said is not None and not _is_result(said, game):
            self.problem(places["Result"], "header Result", f"{said[:20]!r} is no result of {_count(game)}")
            said = None
        token, at = self.moves(record.root, at)
        outcome = record.end.outcome
        if outcome is not None:
            true = result_token(outcome.scores)
            for claim in (said, token):
                if claim not in (None, true):
                    self.problem(at, "result", f"the game as played ends {true}, not {claim}")
                    break
        elif said is not None and token is not None and said != token:
            self.problem(at, "result", f"the moves end with {token}, the header says {said}")
        headers["Result"] = token or said or "*"
        return record

    def headers(self) -> tuple[dict[str, str], dict[str, int], int]:
        """The headers, where each stands, and where the moves begin."""
        found: dict[str, str] = {}
        places: dict[str, int] = {}
        at = 0
        for line in io.StringIO(self.text):
            bare = line.rstrip("\n")
            if bare.strip() and not bare.startswith("["):
                break
            match = _HEADER.fullmatch(bare)
            if match is None:
                if bare.strip():
                    self.problem(at, "header", 'is written [Name "value"]')
            elif match[1] in found:
                self.problem(at, f"header {match[1]}", "stands twice")
            elif len(match[2]) > MAX_VALUE or len(found) >= MAX_HEADERS:
                self.problem(at, f"header {match[1]}", "is too long, or one header too many")
            else:
                found[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
                places[match[1]] = at
            at += len(line)
        return found, places, at

    def begin(self, headers: dict[str, str], places: dict[str, int]) -> tuple[Game, Position]:
        """Game and start position by the headers Game, Options, Position and Seed, of which the last three go."""
        name = headers.get("Game")
        position = headers.pop("Position", None)
        if name is None and position is not None:
            name = re.split(r"[/ ]", position, maxsplit=1)[0]
        if name is None:
            raise self.error(0, "header Game", "is missing")
        if name not in NAMES:
            raise self.error(places.get("Game", 0), "header Game", f"is one of {', '.join(NAMES)}, not {name[:20]!r}")
        headers["Game"] = name
        options = self.options(headers.pop("Options", ""), places.get("Options", 0))
        try:
            game = Game(house(name), options)
        except OptionError as error:
            raise self.error(places.get("Options", 0), "header Options", str(error)) from None
        if position is not None:
            try:
                start = game.parse(position)
            except ParseError as error:
                raise self.error(places["Position"], "header Position", str(error)) from None
            if options and start.game != game:
                self.problem(places["Position"], "header Position", "names other options than the header Options")
            return start.game, start
        seed = headers.get("Seed", "0")
        if not _is_seed(seed):
            self.problem(places["Seed"], "header Seed", "is a number from 0 to 2**62 - 1")
            del headers["Seed"]
        return game, game.start(_seed(seed))

    def options(self, text: str, at: int) -> dict[str, str]:
        """The header Options as a dictionary."""
        found: dict[str, str] = {}
        for word in text.split():
            name, equals, value = word.partition("=")
            if not equals or name in found:
                self.problem(at, "header Options", f"has each option once as name=value, not {word[:40]!r}")
            else:
                found[name] = value
        return found

    def moves(self, root: Node, at: int) -> tuple[str | None, int]:
        """Hang everything that follows the headers under ``root``; the result token, and where the text ends."""
        node = root
        remark = ""  # a comment that stands before the first action of a line
        saved: list[tuple[Node, int]] = []  # where to go on after each open variation, and where that was opened
        lost = False  # in a lenient reading: whether the rest of this line is left out
        skipped = 0  # variations opened within what is left out
        result: str | None = None
        fresh = True  # whether a line begins here
        for kind, text, place in self.tokens(at):
            if result is not None:
                self.problem(place, "record", f"ends with the result {result}, but {text[:20]!r} follows")
                break
            if kind == "comment":
                if lost or skipped:
                    continue
                if fresh and node is not root:
                    remark = f"{remark} {text}".strip()
                else:
                    node.comment = f"{node.comment} {text}".strip()
            elif text == "(":
                if lost or skipped:
                    skipped += 1
                elif fresh or node.parent is None:
                    self.problem(place, "variation", "stands after the action that it replaces")
                    skipped += 1
                elif len(saved) == MAX_NESTING:
                    self.problem(place, "variation", f"is nested more than {MAX_NESTING} deep")
                    skipped += 1
                else:
                    saved.append((node, place))
                    node, fresh = node.parent, True
            elif text == ")":
                if skipped:
                    skipped -= 1
                elif not saved:
                    self.problem(place, "variation", "is closed but none is open")
                else:
                    if fresh:
                        self.problem(place, "variation", "is empty")
                    node, fresh, lost, remark = saved.pop()[0], False, False, ""
            elif lost or skipped:
                if not saved and not skipped and _is_result(text, root.position.game):
                    result = text
            elif number := _NUMBER.fullmatch(text):
                turn = node.turn + node.is_turn_end
                if int(number[1]) != turn:
                    self.problem(place, f"turn {turn}", f"is numbered {number[1]}")
            elif _is_result(text, root.position.game):
                if saved:
                    self.problem(saved[-1][1], "variation", "is not closed")
                    saved.clear()
                result = text
            else:
                try:
                    after = self.play(node, text, place)
                except ParseError as error:
                    if not self.lenient:
                        raise
                    self.problems.append(error)
                    lost, fresh = True, False
                    continue
                node, fresh = after, False
                if remark:
                    node.comment, remark = f"{remark} {node.comment}".strip(), ""
        if saved:
            self.problem(saved[-1][1], "variation", "is not closed")
        if result is None:
            self.problem(max(0, len(self.text.rstrip()) - 1), "record", "has no result at its end (* if there is none)")
        return result, max(0, len(self.text.rstrip()) - 1)

    def play(self, node: Node, text: str, place: int) -> Node:
        """The node after the action that ``text`` means; ParseError."""
        where = f"turn {node.turn + node.is_turn_end}"
        if self.left == 0:
            raise self.error(place, where, "the game has too many actions")
        self.left -= 1
        try:
            return node.play(text)
        except IllegalAction as error:
            raise self.error(place, where, str(error)) from None
        except TercetError as error:
            raise self.error(place, where, f"{text[:40]}: {error}") from None

    def tokens(self, at: int) -> Iterator[tuple[str, str, int]]:
        """Kind (``comment``, ``mark``, ``word``), text and place of all that follows."""
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                opened = self.text[at] == "{"
                self.problem(at, "comment", "is not closed" if opened else "is closed but none is open")
                at = len(self.text) if opened else at + 1
                continue
            kind = match.lastgroup or ""
            if kind == "comment":
                yield kind, re.sub(r"\\(.)", r"\1", match[0][1:-1], flags=re.S).strip(), at
            elif kind != "space":
                yield kind, match[0], at
            at = match.end()


def _is_seed(text: str) -> bool:
    return bool(re.fullmatch(r"[0-9]{1,19}", text)) and int(text) < 1 << 62


def _seed(text: str) -> int:
    return int(text) if _is_seed(text) else 0


def _is_result(text: str, game: Game) -> bool:
    """Whether ``text`` is a result token with a share for each player."""
    return text == "*" or (bool(_RESULT.fullmatch(text)) and text.count("-") == len(game.players) - 1)


def _count(game: Game) -> str:
    return f"a game of {len(game.players)}"
