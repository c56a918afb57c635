"""Hints for whoever plays engines: unrated, and with nobody else at the table."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from tercet.hints import Strength, hint
from tercet.server.fair_share.spender import spender
from tercet.server.http.errors import ApiError, Json
from tercet.server.http.requests import RequestBody
from tercet.server.services import services_of, share_of, until_gone
from tercet.server.tables.access import Entry, entered
from tercet.session import Session
from tercet.view import to_json

__all__ = ["router"]

router = APIRouter(tags=["tables"])


class HintRequest(RequestBody):
    """How much the hint tells: where to look (``place``), with which piece (``piece``), or the ``move``."""

    strength: Strength


@router.post("/api/tables/{table_id}/hint")
async def table_hint(table_id: str, ask: HintRequest, request: Request) -> Json:
    """A hint for whoever is to move, where he plays engines alone and the game is not rated (``seat``: his token)."""
    services = services_of(request)
    async with entered(request, table_id) as entry:
        session = entry.table.session
        _may_be_helped(entry, session)
        services.fair_share.budgets.check(spender(), "engine")
        person = share_of(request) if entry.person is None else entry.person.id
        position = session.position
        action = await until_gone(request, services.suggested.best(position, person))

    def work() -> dict[str, Any]:
        says, marks = hint(position, action, ask.strength)
        told = action if ask.strength == "move" else None
        return {"ply": session.ply, "says": says, "marks": to_json(marks), "action": told}

    return Json(await services.study(work, request))


def _may_be_helped(entry: Entry, session: Session) -> None:
    """ApiError unless whoever asks is to move, in an unrated game in which all others are engines."""
    held = entry.client.held
    if not held:
        raise ApiError("not-your-seat", "seat", "hints are for whoever plays")
    if entry.table.info.rated:
        raise ApiError("not-possible", "table", "there are no hints in rated games")
    others = [seat.kind for number, seat in enumerate(session.seats) if number not in held]
    if len(held) > 1 or not others or any(kind != "engine" for kind in others):
        raise ApiError("not-possible", "table", "there are hints only against engines")
    if session.is_over:
        raise ApiError("over", "table", "the game is over")
    if session.mover not in held:
        raise ApiError("not-your-turn", "seat", "hints are given when it is your turn")
