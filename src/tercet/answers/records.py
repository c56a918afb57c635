"""Records of games: one that was sent, for the page, and a tree of moves as a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tercet.answers.errors import AnswerError
from tercet.answers.starts import bad_record, moves_data, start_of
from tercet.core.presentation import table_view
from tercet.errors import OptionError, ParseError
from tercet.play.session import Seat, Session, TableSettings
from tercet.record import MAX_NESTING, Node, Record, read
from tercet.record.tokens import read_signs, signs_text


def record_read(text: str) -> dict[str, Any]:
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


def record_written(
    game: str | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    position: str | None = None,
    record: str | None = None,
    moves: Sequence[Mapping[str, Any]] = (),
    comment: str = "",
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a tree of ``moves`` from some start as a record with these ``headers``; ``comment`` stands before the
    first. A move has its ``text``, the number of the one ``after`` which it stands (-1: a first move), a ``comment``
    and ``signs`` such as ``!``; of several after the same one, the first is the main line."""
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
