"""Blocks and reports."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import sqlalchemy as sa
from fastapi import APIRouter, Request
from sqlalchemy.exc import IntegrityError

from tercet.server.errors import ApiError, Json
from tercet.server.people.identity import People, people_of, person_for, person_of, remember
from tercet.server.people.names import is_handle
from tercet.server.store.schema import BLOCKS, FOLLOWS, PEOPLE, REPORTS, TABLES, TALK
from tercet.server.wire.people import HandleRequest, ReportRequest

router = APIRouter(tags=["people"])
MAX_BLOCKS = 500  # people that one person blocks


async def find_person(people: People, handle: str) -> sa.Row[Any]:
    """Return the account or bot with this handle. Raise ApiError if there is none."""
    row = await people.with_handle(handle)
    if row is None:
        raise ApiError("not-found", "handle", "There is no player with this username.")
    return row


async def blocked_by(people: People, person_id: str) -> frozenset[str]:
    """Return the ids of the people whom a person has blocked."""
    return frozenset(await people.database.scalars(sa.select(BLOCKS.c.other_id).where(BLOCKS.c.person_id == person_id)))


async def blocks_between(people: People, person_id: str, others: list[str]) -> bool:
    """Return whether a person has blocked one of ``others`` (ids), or one of them the person."""
    one_way = (BLOCKS.c.person_id == person_id) & BLOCKS.c.other_id.in_(others)
    other_way = (BLOCKS.c.other_id == person_id) & BLOCKS.c.person_id.in_(others)
    return await people.database.first(sa.select(BLOCKS).where(one_way | other_way)) is not None


@router.get("/api/me/blocks")
async def blocks(request: Request) -> Json:
    """List the players whom you have blocked."""
    people, person = people_of(request), await person_of(request)
    if person is None:
        return Json({"blocks": []})
    found = (
        sa.select(PEOPLE.c.handle, PEOPLE.c.name, PEOPLE.c.kind)
        .join(BLOCKS, BLOCKS.c.other_id == PEOPLE.c.id)
        .where(BLOCKS.c.person_id == person.id)
        .order_by(PEOPLE.c.handle)
    )
    return Json({"blocks": [row._asdict() for row in await people.database.rows(found)]})


@router.post("/api/me/blocks")
async def block(ask: HandleRequest, request: Request) -> Json:
    """Block a player: neither can join the other's open games, follow or write to the other, and the blocker no
    longer reads their chat."""
    people = people_of(request)
    other = await find_person(people, ask.handle)
    person = await person_for(request)
    if other.id == person.id:
        raise ApiError("bad-message", "handle", "You cannot block yourself.")
    if len(await blocked_by(people, person.id)) >= MAX_BLOCKS:
        raise ApiError("too-many", "blocks", f"You already block {MAX_BLOCKS} players, the maximum.")
    await remember(request, person)
    both = (person.id, other.id)
    with contextlib.suppress(IntegrityError):  # blocked already
        await people.database.change(
            BLOCKS.insert().values(person_id=person.id, other_id=other.id),
            sa.delete(FOLLOWS).where(FOLLOWS.c.person_id.in_(both) & FOLLOWS.c.other_id.in_(both)),
        )
    return await blocks(request)


@router.delete("/api/me/blocks/{handle}")
async def unblock(handle: str, request: Request) -> Json:
    """Unblock a player."""
    people = people_of(request)
    other = await find_person(people, handle)
    person = await person_of(request)
    if person is not None:
        await people.database.change(
            sa.delete(BLOCKS).where((BLOCKS.c.person_id == person.id) & (BLOCKS.c.other_id == other.id))
        )
    return await blocks(request)


async def report(people: People, request: Request, ask: ReportRequest) -> Json:
    """Note a report for the operator. It says nothing of whether what it names exists."""
    person = await person_for(request)
    people.reports.check("report", "You have sent too many reports. Wait a moment.", person.id)
    why = "".join(character for character in ask.why if character.isprintable() or character == "\n").strip()
    if not why:
        raise ApiError("bad-message", "why", "Describe what is wrong.")
    await remember(request, person)
    database = people.database
    about = talk = table = None
    if ask.handle is not None and is_handle(ask.handle):
        about = await database.scalar(sa.select(PEOPLE.c.id).where(PEOPLE.c.handle == ask.handle.lower()))
    if ask.talk is not None:
        line = await database.first(sa.select(TALK).where(TALK.c.id == ask.talk))
        if line is not None and ask.table in (None, line.table_id):
            talk, table, about = line.id, line.table_id, about or line.person_id
    if ask.table is not None:
        table = table or await database.scalar(sa.select(TABLES.c.id).where(TABLES.c.id == ask.table))
    row = {"person_id": person.id, "table_id": table, "talk_id": talk, "about": about, "why": why, "at": time.time()}
    await database.change(REPORTS.insert().values(**row))
    return Json({"noted": True}, 201)


@router.post("/api/reports", status_code=201)
async def report_something(ask: ReportRequest, request: Request) -> Json:
    """Report a player, a chat message or a table to the operator."""
    if ask.table is None and ask.talk is None and ask.handle is None:
        raise ApiError("bad-message", "handle", "A report must name a game, a chat message or a player.")
    return await report(people_of(request), request, ask)


@router.post("/api/tables/{table_id}/report", status_code=201)
async def report_table(table_id: str, ask: ReportRequest, request: Request) -> Json:
    """Report this table to the operator."""
    if ask.table not in (None, table_id) or not table_id.isalnum() or not table_id.isascii() or len(table_id) > 32:
        raise ApiError("bad-message", "table", "The field table must be the game in the address.")
    return await report(people_of(request), request, ask.model_copy(update={"table": table_id}))
