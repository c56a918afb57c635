"""Endpoints for records: reading one, and writing a tree of moves as one."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from tercet.answers.records import record_read, record_written
from tercet.server.services import answered, is_long
from tercet.server.wire.requests import RecordRequest, WriteRecordRequest

__all__ = ["router"]

router = APIRouter()


@router.post("/api/record")
async def read_record(ask: RecordRequest, request: Request) -> Response:
    """Read a record, keeping what can be kept; ``error`` says what could not."""
    return await answered(request, record_read, ask, is_long(ask.text))


@router.post("/api/record/write")
async def write_record(ask: WriteRecordRequest, request: Request) -> Response:
    """Return a tree of moves from some start, with its comments, as a record."""
    return await answered(request, record_written, ask, is_long(ask.record, ask.moves))
