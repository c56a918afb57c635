"""Hints for a player against engines: unrated, with no other person at the table."""

from __future__ import annotations

from fastapi import APIRouter, Request

from tercet.answers.positions import check_hint_allowed, hinted
from tercet.server.api.access import entered
from tercet.server.errors import Json
from tercet.server.limits.spender import spender
from tercet.server.services import services_of, share_of, until_gone
from tercet.server.wire.tables import HintRequest

__all__ = ["router"]

router = APIRouter(tags=["tables"])


@router.post("/api/tables/{table_id}/hint")
async def table_hint(table_id: str, ask: HintRequest, request: Request) -> Json:
    """Return a hint for the player to move, in an unrated game against engines only (``seat``: the player's token)."""
    services = services_of(request)
    async with entered(request, table_id) as entry:
        session = entry.table.session
        check_hint_allowed(session, entry.client.held, entry.table.info.rated)
        services.fair_share.budgets.check(spender(), "engine")
        person = share_of(request) if entry.person is None else entry.person.id
        position = session.position
        action = await until_gone(request, services.suggested.best(position, person))
    return Json(await services.compute(lambda: hinted(position, session.ply, action, ask.strength), request))
