"""A record in memory as a tree of nodes, what tokens do in it, and how it is written as text."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tercet.core.game import Action, Game, Position
from tercet.errors import IllegalAction, OptionError, ParseError
from tercet.record.tokens import is_token, token_parts

LINE = 80


class Node:
    """A place in a record: the action that led here and what may follow.

    ``action_text`` is the action's canonical notation, None at the root; ``nags`` are the numbers of the signs of
    judgement behind it (1 is ``!``, as in PGN); ``variations`` are the nodes that follow, the main line first; ``turn``
    is the number of the turn, from 1 (0 at the root), and ``player`` whose it is (None at the root). ``round`` is the
    number that records write: it goes up when a player moves who does not come after the one before.
    """

    __slots__ = ("action_text", "comment", "nags", "parent", "player", "position", "round", "turn", "variations")

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
        self.nags: tuple[int, ...] = ()
        self.variations = [] if variations is None else variations
        self.parent = parent
        self.player: int | None = None
        self.turn = self.round = 0
        if parent is not None:
            self.turn, self.round, self.player = parent.following_turn()

    @property
    def action(self) -> Action | None:
        """Return the action that led here; None at the root, and for what is no action, such as a resignation."""
        text = self.action_text
        return None if self.parent is None or is_token(text) else self.parent.position.action(text or "")

    @property
    def is_turn_end(self) -> bool:
        """Return whether the next action here begins another turn: a turn may be several actions of one player."""
        before = self.parent
        if self.action_text is not None and self.action_text.startswith("draw?"):
            return False
        if before is None or before.position.mover != self.position.mover or self.position.is_over:
            return True
        return not self.position.turn_is_open

    def following_turn(self) -> tuple[int, int, int | None]:
        """Return the numbers of turn and round of an action that follows here, and whose turn it is."""
        if not self.is_turn_end:
            return self.turn, self.round, self.player
        player = self.position.mover
        goes_on = self.player is not None and player is not None and player > self.player
        return self.turn + 1, self.round + (not goes_on), player

    def play(self, action: Action | str | int) -> Node:
        """Return the node after ``action``, added as the last variation if it is not there; IllegalAction says why not.

        Where a game goes on without a player who resigns, ``"resign"`` is the mover's and ``"resign=Red"`` another's;
        ``"retract"`` takes back the last turn and ``"retract=Red"`` Red's last one with what followed; where the game
        knows a draw by agreement, ``"draw?"`` offers one and ``"draw"`` agrees to it.
        """
        if isinstance(action, str) and is_token(action):
            following, text = _play_token(self, action)
        else:
            known = self.position.action(action)
            text, following = str(known), self.position.play(known)
        for node in self.variations:
            if node.action_text == text:
                return node
        node = Node(text, following, parent=self)
        self.variations.append(node)
        return node

    def effective_line(self) -> tuple[Position, list[str]]:
        """Return a position and the actions that lead from it to this one: turns retracted are left out, and it begins
        after the last resignation, since a resignation is no action."""
        stands = in_force(self)
        first = max((at for at, node in enumerate(stands) if is_token(node.action_text)), default=0)
        return stands[first].position, [node.action_text or "" for node in stands[first + 1 :]]

    def promote(self) -> None:
        """Make this node the main line among its siblings."""
        if self.parent is not None:
            siblings = self.parent.variations
            siblings.remove(self)
            siblings.insert(0, self)

    def line(self) -> Iterator[Node]:
        """Yield the nodes that follow along the first variations."""
        node = self
        while node.variations:
            node = node.variations[0]
            yield node

    mainline = line  # as python-chess calls it

    def __repr__(self) -> str:
        return f"<Node {self.action_text or 'start'}, {len(self.variations)} variations>"


def in_force(node: Node) -> list[Node]:
    """Return the root and the actions, resignations and agreed draws up to ``node``, without turns taken back."""
    return _walk(node)[0]


def _walk(node: Node) -> tuple[list[Node], list[int]]:
    """Return what :func:`in_force` does, and who has retracted on the way."""
    path = [node]
    while (before := path[-1].parent) is not None:
        path.append(before)
    stands, retracted = [path.pop()], []
    for here in reversed(path):
        word, name = token_parts(here.action_text) or ("", None)
        if word == "retract":
            player = None if name is None else here.position.game.players.index(name)
            begun, player = _last_turn(stands, here.action_text or "", player)
            retracted.append(player)
            del stands[begun:]
        elif word != "draw?":
            stands.append(here)
    return stands, retracted


def _seat(node: Node) -> int | None:
    """Return the player of the action that led to ``node``."""
    return None if node.parent is None else node.parent.position.mover


def _last_turn(stands: Sequence[Node], text: str, player: int | None) -> tuple[int, int]:
    """Return where in ``stands`` the last turn of ``player`` (None: of the last to move) begins, and whose it is."""
    for at in range(len(stands) - 1, 0, -1):
        if is_token(stands[at].action_text):
            raise IllegalAction(text, "Resignations and agreed draws cannot be taken back.")
        seat = _seat(stands[at])
        if seat is not None and player in (None, seat):
            while at > 1 and not stands[at - 1].is_turn_end and _seat(stands[at - 1]) == seat:
                at -= 1
            return at, seat
    raise IllegalAction(text, "There is no turn to take back.")


def _play_token(node: Node, text: str) -> tuple[Position, str]:
    """Return the position after the token ``text``, and how it is written; IllegalAction."""
    word, name = token_parts(text) or ("", None)
    position, definition = node.position, node.position.game.definition
    players, usual = position.game.players, position.mover
    if name is not None and name not in players:
        raise IllegalAction(text, f"The player must be one of {', '.join(players)}.")
    player = None if name is None else players.index(name)
    if word == "retract":
        stands, retracted = _walk(node)
        usual = _last_turn(stands, text, None)[1]
        begun, player = _last_turn(stands, text, player)
        if retracted.count(player) >= definition.retractions:
            raise IllegalAction(text, f"{players[player]} has already taken back {definition.retractions} times.")
        position = stands[begun - 1].position
    elif position.is_over:
        raise IllegalAction(text, "The game is over.")
    elif word == "resign" and definition.resignation is None:
        raise IllegalAction(text, "This would end the game. Write the result instead.")
    elif word != "resign" and definition.agreement is None:
        raise IllegalAction(text, "This game has no draw by agreement. Write the result instead.")
    elif word == "draw":
        if player is not None:
            raise IllegalAction(text, "All players who are left agree. Write draw.")
        position = position.agree_draw()
    else:
        player = usual if player is None else player
        if player is None or not position.may_resign(player):
            what = "resign" if word == "resign" else "offer a draw"
            raise IllegalAction(text, f"A player who is out of the game cannot {what}")
        if word == "resign":
            position = position.resign(player)
    return position, word if player is None or player == usual else f"{word}={players[player]}"


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
        """Return the record of a game played from ``start`` (None: the game's start); IllegalAction, and OptionError
        for a start of another game."""
        start = start or game.start()
        if start.game != game:
            raise OptionError("start", f"The start must be a position of {game!r}, not of {start.game!r}.")
        record = cls(start.game, start, dict(headers or {}), Node(None, start))
        node = record.root
        for action in actions:
            node = node.play(action)
        return record

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as a flat list of nodes, each after the one before it: records are deep."""
        nodes = [self.root]
        places: dict[Node, int] = {}
        written = []
        for index, node in enumerate(nodes):  # grows while it is walked through
            places[node] = index
            before = -1 if node.parent is None else places[node.parent]
            written.append((before, node.action_text, node.comment, node.nags))
            nodes += node.variations
        return _restored, (self.game, self.start, self.headers, written, self.problems)

    def main(self) -> Iterator[Node]:
        """Return the nodes of the main line, without the root."""
        return self.root.line()

    mainline = main  # as python-chess calls it

    def moves(self) -> list[str]:
        """Return the main line in canonical notation, one entry an action."""
        return [node.action_text or "" for node in self.main()]

    @property
    def end(self) -> Position:
        """Return the last position of the main line."""
        return self.last.position

    @property
    def last(self) -> Node:
        """Return the last node of the main line."""
        return [self.root, *self.main()][-1]

    @property
    def result(self) -> str:
        """Return the result token: what the board says if the game is over there, else the header, else ``*``."""
        outcome = self.end.outcome
        return result_token(outcome.scores) if outcome else self.headers.get("Result", "*")

    def write(self, notes: bool = False) -> str:
        """Return the record as text that :func:`tercet.read` takes, in lines of at most 80 characters where nothing is
        longer. ``notes`` adds the game's notes (``position.note``) as comments wherever they change."""
        headers = {"Game": self.game.name, "Options": self.game.option_text()}
        for name in ("Event", "Date", *self.game.players):
            if name in self.headers:
                headers[name] = self.headers[name]
        headers["Result"] = self.result
        if self.start != self.game.start(seed_of(self.headers.get("Seed", "0"))):
            headers["Position"] = str(self.start)
        for name, value in self.headers.items():
            if name != "Position":
                headers.setdefault(name, value)
        top = "".join(f'[{name} "{_escape(value)}"]\n' for name, value in headers.items())
        return f"{top}\n{_layout(_pieces(self.root, notes), self.result)}\n"

    def __str__(self) -> str:
        return self.write()

    def __repr__(self) -> str:
        return f"<Record of {self.game.name}, {len(self.moves())} actions, {self.result}>"


def _restored(
    game: Game,
    start: Position,
    headers: dict[str, str],
    written: list[tuple[int, str | None, str, tuple[int, ...]]],
    problems: list[ParseError],
) -> Record:
    """Return the record whose nodes are ``written``: the place of the node before, the action, the comment, signs."""
    nodes: list[Node] = []
    for parent, text, comment, nags in written:
        node = Node(None, start) if text is None else nodes[parent].play(text)
        node.comment, node.nags = comment, nags
        nodes.append(node)
    return Record(game, start, headers, nodes[0], problems)


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
    """Yield the nodes below ``root`` in the order in which they are written, variations in parentheses after the action
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


def _remark(node: Node, notes: bool) -> str:
    """Return the comment behind ``node``, with the game's note where notes are wanted and it has changed."""
    if not notes or node.parent is None:
        return node.comment
    now, before = node.position.note, node.parent.position.note
    return node.comment if now == before else f"{node.comment} {now}".strip()


def _is_long_turn(node: Node) -> bool:
    """Return whether the turn of ``node`` has several actions, before or after it on its line."""
    before, after = node.parent, node.variations[:1]
    return (before is not None and before.turn == node.turn) or any(one.turn == node.turn for one in after)


def _pieces(root: Node, notes: bool) -> Iterator[tuple[str, bool]]:
    """Yield the parts of the text after the headers, not to be broken, each with whether it needs its own line.

    A piece is a round, a turn of several actions, or as much of these as no comment and no variation interrupts, with
    number, comments and parentheses.
    """
    before_all = [_comment(root.comment)] if root.comment.strip() else []
    yield from ((word, False) for word in [*before_all, *(f"${number}" for number in root.nags)])
    words: list[str] = []
    opened, broken, remarked, wants_line = "", False, False, False
    for step in _steps(root):
        if step == "(":
            opened, broken = "(", True
        elif step == ")":
            words[-1] += ")"
            broken = True
        elif isinstance(step, Node):
            before = step.parent or root
            begins_turn, begins_round = step.turn != before.turn, step.round != before.round
            stands_alone = begins_turn and (remarked or _is_long_turn(step) or _is_long_turn(before))
            if begins_round or broken or stands_alone:
                if words:
                    yield " ".join(words), wants_line
                words = [f"{opened}{step.round}{'.' if begins_round else '...'}"]
                opened, broken, wants_line = "", False, False
            elif not begins_turn:
                wants_line = True
            # Signs are never glued: an offer of a draw ends with a question mark.
            words += [step.action_text or "", *(f"${number}" for number in step.nags)]
            remark = _remark(step, notes)
            remarked = bool(remark.strip())
            if remarked:
                words.append(_comment(remark))
    if words:
        yield " ".join(words), wants_line


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


def date_text(when: datetime.datetime | float) -> str:
    """Return a day as records write it, as in ``2026.11.21``; ``when`` is a datetime, or seconds since 1970 (UTC)."""
    if not isinstance(when, datetime.datetime):
        when = datetime.datetime.fromtimestamp(when, datetime.UTC)
    return when.strftime("%Y.%m.%d")


def is_seed(text: str) -> bool:
    """Return whether ``text`` is a seed that ``Game.start`` takes: 0 to 2**62 - 1."""
    return bool(re.fullmatch(r"[0-9]{1,19}", text)) and int(text) < 1 << 62


def seed_of(text: str) -> int:
    """``text`` as a seed; 0 where it is none."""
    return int(text) if is_seed(text) else 0
