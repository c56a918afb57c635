"""Endpoints for records: reading one, and writing a tree of moves as one."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from tercet.errors import OptionError, ParseError
from tercet.presentation import table_view
from tercet.record import MAX_NESTING, Node, Record, read
from tercet.server.errors import ApiError, as_text
from tercet.server.services import made
from tercet.server.study.lines import moves_data
from tercet.server.study.start import bad_record, begin, is_long
from tercet.server.wire.requests import RecordRequest, WriteRecordRequest
from tercet.session import Seat, Session, TableSettings

__all__ = ["record_read", "record_written", "router"]

router = APIRouter()


@router.post("/api/record")
async def read_record(ask: RecordRequest, request: Request) -> Response:
    """Read a record, keeping what can be kept; ``error`` says what could not."""
    return await made(request, record_read, ask, is_long(ask.text))


def record_read(asked: dict[str, Any]) -> str:
    """The answer to a :class:`RecordRequest`, given as its fields. Typed errors."""
    return as_text(_record_data(asked["text"]))


def _record_data(text: str) -> dict[str, Any]:
    try:
        records = read(text, lenient=True)
    except (ParseError, OptionError) as error:
        raise bad_record(error) from None
    if not records:
        raise (
            bad_record(records.problems[0])
            if records.problems
            else ApiError("bad-record", "record", "The record has no game.")
        )
    record = records[0]
    seats = (Seat("person"),) * len(record.game.players)
    settings = TableSettings(record.game.name, record.game.options, seats, position=str(record.start), opening=())
    session = Session.open(settings)
    problem = record.problems[0] if record.problems else None
    return {
        "headers": record.headers,
        "table": table_view(record.game),
        "start": str(record.start),
        "moves": [move for move, _ in moves_data(session, record.main())],
        "tree": _tree(record.root),
        "games": len(records),
        "error": bad_record(problem).data if problem else None,
    }


def _tree(root: Any) -> list[dict[str, Any]]:
    """The main line below ``root``, each move with its comment and the lines that could have stood in its place."""
    top: list[dict[str, Any]] = []
    todo = [(root, top)]
    while todo:
        node, line = todo.pop()
        while node.variations:
            first, *others = node.variations
            entry: dict[str, Any] = {"text": first.action_text, "comment": first.comment, "variations": []}
            for other in others:
                branch: list[dict[str, Any]] = [{"text": other.action_text, "comment": other.comment, "variations": []}]
                entry["variations"].append(branch)
                todo.append((other, branch))
            line.append(entry)
            node = first
    return top


@router.post("/api/record/write")
async def write_record(ask: WriteRecordRequest, request: Request) -> Response:
    """A tree of moves from some start, with its comments, as a record."""
    return await made(request, record_written, ask, is_long(ask.record, ask.moves))


def record_written(asked: dict[str, Any]) -> str:
    """The answer to a :class:`WriteRecordRequest`, given as its fields. Typed errors."""
    return as_text({"record": _written(WriteRecordRequest(**asked))})


def _written(ask: WriteRecordRequest) -> str:
    study = begin(ask)
    start = study.game.start(study.seed) if study.position is None else study.game.parse(study.position)
    headers = {"Seed": str(study.seed)} if study.seed else {}
    record = Record(study.game, start, {**ask.headers, **headers}, Node(None, start, ask.comment))
    nodes, depths = [record.root], [0]
    for number, move in enumerate(ask.moves):
        if move.after >= number:
            raise ApiError(
                "bad-message", f"moves.{number}.after", "The field after must be the number of an earlier move, or -1."
            )
        before = nodes[move.after + 1]
        branches = bool(before.variations)
        node = before.play(move.text)
        node.comment = move.comment
        depths.append(depths[move.after + 1] + branches)
        if depths[-1] > MAX_NESTING:
            raise ApiError("too-large", f"moves.{number}", f"Variations must be nested at most {MAX_NESTING} deep.")
        nodes.append(node)
    return record.write()
