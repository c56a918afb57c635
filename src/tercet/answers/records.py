"""Records of games: one that was sent, for the page, and a tree of moves as a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired

from tercet.answers.addresses import address
from tercet.answers.errors import AnswerError
from tercet.answers.fields import Action, GameField, Limit, Options, PositionText, RecordText, Seed
from tercet.answers.starts import bad_record, is_long, moves_data, start_of
from tercet.answers.wire import TypedDict, game_data
from tercet.core.presentation import table_view
from tercet.errors import OptionError, ParseError
from tercet.play.session import Seat, Session, TableSettings
from tercet.record import MAX_NESTING, Node, Record, read
from tercet.record.tokens import read_signs, signs_text

Comment = Annotated[str, Limit(4000)]
HeaderName = Annotated[str, Limit(pattern="^[A-Za-z][A-Za-z0-9_]{0,63}$")]
Headers = Annotated[Mapping[HeaderName, Annotated[str, Limit(2000)]], Limit(40)]


@address("POST /api/record", game_data.RecordData, apart=is_long)
def record_read(text: RecordText) -> dict[str, Any]:
    """Return the first game of a record, as far as it can be read; ``error`` says what could not."""
    try:
        records = read(text, lenient=True)
    except (ParseError, OptionError) as error:
        raise bad_record(error) from None
    if not records:
        raise (
            bad_record(records.problems[0])
            if records.problems
            else AnswerError("bad-record", "record", "The record has no game.")
        )
    record = records[0]
    seats = (Seat("person"),) * len(record.game.players)
    settings = TableSettings(record.game.name, record.game.options, seats, position=str(record.start), opening=())
    session = Session.open(settings)
    problem = next(iter([*record.problems, *records.problems]), None)
    return {
        "headers": record.headers,
        "table": table_view(record.game),
        "start": str(record.start),
        "comment": " ".join(filter(None, [record.root.comment, signs_text(record.root.nags)])),
        "moves": [move for move, _ in moves_data(session, record.main())],
        "tree": _tree(record.root),
        "games": len(records),
        "error": bad_record(problem).data if problem else None,
    }


def _tree(root: Node) -> list[dict[str, Any]]:
    """Return the main line below ``root``, each move with its comment, its signs of judgement, and the lines that could
    have stood in its place."""
    top: list[dict[str, Any]] = []
    todo = [(root, top)]
    while todo:
        node, line = todo.pop()
        while node.variations:
            first, *others = node.variations
            entry = _entry(first)
            for other in others:
                branch = [_entry(other)]
                entry["variations"].append(branch)
                todo.append((other, branch))
            line.append(entry)
            node = first
    return top


def _entry(node: Node) -> dict[str, Any]:
    return {"text": node.action_text, "comment": node.comment, "signs": signs_text(node.nags), "variations": []}


class TreeMove(TypedDict):
    """A move of a tree: the number (from 0) of the move ``after`` which it stands, -1 for a first move; its notation;
    a comment; signs of judgement such as ``! $10``. Of several after the same one, the first is the main line."""

    after: Annotated[int, Limit(least=-1)]
    text: Action
    comment: NotRequired[Comment]
    signs: NotRequired[Annotated[str, Limit(400, pattern=r"^[!?$0-9 ]*$")]]


@address("POST /api/record/write", game_data.WrittenRecord, apart=is_long)
def record_written(
    game: GameField | None = None,
    options: Options | None = None,
    seed: Seed | None = None,
    position: PositionText | None = None,
    record: RecordText | None = None,
    moves: Annotated[Sequence[TreeMove], Limit(20_000)] = (),
    comment: Comment = "",
    headers: Headers | None = None,
) -> dict[str, Any]:
    """Return a tree of ``moves`` from some start as a record with these ``headers``; ``comment`` stands before the
    first."""
    begun = start_of(game, options, seed, position, record)
    own_headers = {"Seed": str(begun.seed)} if begun.seed else {}
    start = begun.first()
    tree = Record(begun.game, start, {**(headers or {}), **own_headers}, Node(None, start, comment))
    nodes, depths = [tree.root], [0]
    for number, move in enumerate(moves):
        after = move["after"]
        if after >= number:
            raise AnswerError(
                "bad-message", f"moves.{number}.after", "The field after must be the number of an earlier move, or -1."
            )
        before = nodes[after + 1]
        branches = bool(before.variations)
        node = before.play(move["text"])
        node.comment, node.nags = move.get("comment", ""), read_signs(move.get("signs", ""))
        depths.append(depths[after + 1] + branches)
        if depths[-1] > MAX_NESTING:
            raise AnswerError("too-large", f"moves.{number}", f"Variations must be nested at most {MAX_NESTING} deep.")
        nodes.append(node)
    return {"record": tree.write()}
