"""A record in memory as a tree of nodes, how it is written as text, and comments that anybody can check.

The comments say what happened besides the move, which wins at once were missed, left or threatened, and who leads.
Nothing here judges: every sentence follows from the rules.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tercet.core.game import Action, Game, Position
from tercet.errors import OptionError, ParseError
from tercet.record.tokens import effective_line, is_token, play_token

NAMED = 3  # actions that are listed by name, before only their number is given
FEW = 10  # a threat is noted where at most one answer of so many stops it: some answers nearly always lose at once


def annotate(record: Record) -> None:
    """Comment on each action of the main line, behind what stands there already.

    In a game for two whose turns are single actions, it is also tried out which actions win at once, and which answers
    stop such a win.
    """
    position = record.start
    tries = len(position.game.players) == 2 and position.game.definition.turn_is_open is None
    leader = _leader(position)
    for node in record.main():
        before, after = position, node.position
        position = after
        if node.action_text is None or node.action_text not in before.legal_actions:
            continue  # a resignation, an offer or a retraction
        said = [event.says for event in before.transition(node.action_text).events[1:]]
        if tries:
            said += _about_wins(before, node)
        if not after.turn_is_open:
            now = _leader(after)
            if now is not None and now != leader:
                said.append(_about_lead(after, now))
                leader = now
        node.comment = " ".join([node.comment, *said]).strip()


def _wins(position: Position) -> list[Action]:
    """Return the actions that win for the mover at once."""
    mover = position.mover
    found = []
    for action in position.legal_actions:
        following = position.play(action)
        if following.is_over and following.outcome is not None and following.outcome.winners == (mover,):
            found.append(action)
    return found


def _about_wins(before: Position, node: Node) -> list[str]:
    """Wins at once: those that the mover missed, those left to the other, and the mover's threats."""
    after = node.position
    said = []
    missed = _wins(before)
    if missed and node.action_text not in [str(action) for action in missed]:
        said.append(f"Misses a win at once: {_list(missed)}.")
    if after.is_over or after.mover == before.mover:
        return said
    left = _wins(after)
    if left:
        return [*said, f"Leaves a win at once: {_list(left)}."]
    mover, other = (after.game.players[player or 0] for player in (before.mover, after.mover))
    answers = after.legal_actions
    safe = [answer for answer in answers if not _wins_next(after, answer, before.mover)]
    if not safe:
        said.append(f"Whatever {other} answers, {mover} wins on the next turn.")
    elif FEW * len(safe) <= len(answers):
        which = f": {_list(safe)}" if len(safe) <= NAMED else ""
        verb = "keeps" if len(safe) == 1 else "keep"
        said.append(f"Of {len(answers)} answers {len(safe)} {verb} {mover} from winning at once{which}.")
    return said


def _wins_next(position: Position, answer: Action, player: int | None) -> bool:
    """Return whether ``player`` can win at once after ``answer``."""
    following = position.play(answer)
    if following.is_over or following.mover != player:
        return following.outcome is not None and following.outcome.winners == (player,)
    return bool(_wins(following))


def _list(actions: Sequence[Action]) -> str:
    named = ", ".join(str(action) for action in actions[:NAMED])
    return named if len(actions) <= NAMED else f"{named} and {len(actions) - NAMED} more"


def _leader(position: Position) -> int | None:
    """Return the player who alone has the most by the game's tally, or None."""
    tally = position.tally
    if tally is None or list(tally).count(max(tally)) > 1:
        return None
    return list(tally).index(max(tally))


def _about_lead(position: Position, leader: int) -> str:
    game, tally = position.game, position.tally or ()
    title = game.definition.tally.title if game.definition.tally is not None else ""
    counts = ", ".join(f"{name} {count:g}" for name, count in zip(game.players, tally, strict=True))
    return f"{game.players[leader]} now leads in {title}: {counts}."


LINE = 80


class Node:
    """A place in a record: the action that led here and what may follow.

    ``action_text`` is the action's canonical notation, None at the root; ``nags`` are the numbers of the signs of
    judgement behind it (1 is ``!``, as in PGN); ``variations`` are the nodes that follow, the main line first; ``turn``
    is the number of the turn that the action belongs to, from 1 (0 at the root), and ``player`` whose turn it is (None
    at the root). ``round`` is the number that records write: it goes up when a player moves who does not come after the
    one before.
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
            following, text = play_token(self, action)
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
        return effective_line(self)

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
        start = game.start() if start is None else start
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
            written.append(
                (-1 if node.parent is None else places[node.parent], node.action_text, node.comment, node.nags)
            )
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
        node = self.root
        for node in self.main():  # noqa: B007  (the last one is wanted)
            pass
        return node

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


def _signs(node: Node) -> list[str]:
    return [f"${number}" for number in node.nags]  # never glued: an offer of a draw ends with a question mark


def _is_long_turn(node: Node) -> bool:
    """Return whether the turn of ``node`` has several actions, before or after it on its line."""
    before, after = node.parent, node.variations[:1]
    return (before is not None and before.turn == node.turn) or any(one.turn == node.turn for one in after)


def _pieces(root: Node, notes: bool) -> Iterator[tuple[str, bool]]:
    """Yield the parts of the text after the headers, which must not be broken, each with whether it needs a line of its
    own.

    A piece is a round, a turn of several actions, or as much of these as no comment and no variation interrupts, with
    number, comments and parentheses.
    """
    before_all = [_comment(root.comment)] if root.comment.strip() else []
    for word in [*before_all, *_signs(root)]:
        yield word, False
    words: list[str] = []
    opened, broken, remarked, wants_line = "", False, False, False
    for step in _steps(root):
        if step == "(":
            opened, broken = "(", True
        elif step == ")":
            words[-1] += ")"
            broken = True
        elif isinstance(step, Node):
            before = step.parent
            begins_turn = before is None or step.turn != before.turn
            begins_round = before is None or step.round != before.round
            stands_alone = begins_turn and (
                remarked or _is_long_turn(step) or (before is not None and _is_long_turn(before))
            )
            if begins_round or broken or stands_alone:
                if words:
                    yield " ".join(words), wants_line
                words = [f"{opened}{step.round}{'.' if begins_round else '...'}"]
                opened, broken, wants_line = "", False, False
            elif not begins_turn:
                wants_line = True
            words += [step.action_text or "", *_signs(step)]
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
