"""Hints for a player against engines: unrated, with no other person at the table."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from tercet.hints import hint
from tercet.server.api.access import Entry, entered
from tercet.server.errors import ApiError, Json
from tercet.server.limits.spender import spender
from tercet.server.services import services_of, share_of, until_gone
from tercet.server.wire.tables import HintRequest
from tercet.session import Session
from tercet.view import to_json

__all__ = ["router"]

router = APIRouter(tags=["tables"])


@router.post("/api/tables/{table_id}/hint")
async def table_hint(table_id: str, ask: HintRequest, request: Request) -> Json:
    """Return a hint for the player to move, in an unrated game against engines only (``seat``: the player's token)."""
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
        action_shown = action if ask.strength == "move" else None
        return {"ply": session.ply, "says": says, "marks": to_json(marks), "action": action_shown}

    return Json(await services.study(work, request))


def _may_be_helped(entry: Entry, session: Session) -> None:
    """Raise ApiError unless the client is to move, in an unrated game in which all others are engines."""
    held = entry.client.held
    if not held:
        raise ApiError("not-your-seat", "seat", "Only players get hints.")
    if entry.table.info.rated:
        raise ApiError("not-possible", "table", "Rated games have no hints.")
    others = [seat.kind for number, seat in enumerate(session.seats) if number not in held]
    if len(held) > 1 or not others or any(kind != "engine" for kind in others):
        raise ApiError("not-possible", "table", "You get hints only against engines.")
    if session.is_over:
        raise ApiError("over", "table", "The game is over.")
    if session.mover not in held:
        raise ApiError("not-your-turn", "seat", "You get hints only on your turn.")
