"""What a rated game did to the ratings of those who played it."""

from __future__ import annotations

import sqlalchemy as sa
from fastapi import APIRouter, Request

from tercet.ratings import read_rating, shown
from tercet.server.api.access import entered
from tercet.server.errors import Json
from tercet.server.people import people_of
from tercet.server.store.schema import HISTORY

__all__ = ["router"]

router = APIRouter(tags=["tables"])


@router.get("/api/tables/{table_id}/ratings")
async def rating_changes(table_id: str, request: Request) -> Json:
    """Return how the game changed the players' ratings."""
    async with entered(request, table_id) as entry:
        rated = entry.table.info.rated and entry.table.session.is_over
    if not rated:
        return Json({"counted": False, "seats": []})
    found = sa.select(HISTORY).where(HISTORY.c.table_id == table_id).order_by(HISTORY.c.seat)
    rows, seats = await people_of(request).database.rows(found), []
    for row in rows:
        before, after = (shown(read_rating(rating), 0.0) for rating in (row.before, row.after))
        change = {"before": before["rating"], "after": after["rating"], "provisional": after["provisional"]}
        seats.append({"seat": row.seat, **change})
    return Json({"counted": bool(rows), "seats": seats})
