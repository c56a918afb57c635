"""Finding people: by name, and where they have ratings."""

from __future__ import annotations

from typing import Annotated

import sqlalchemy as sa
from fastapi import APIRouter, Query, Request

import tercet
from tercet.ratings import game_of_pool
from tercet.server.errors import Json
from tercet.server.people.identity import people_of
from tercet.server.store.schema import PEOPLE, RATINGS

__all__ = ["router"]

router = APIRouter(tags=["people"])
MAX_PEOPLE_FOUND = 20


@router.get("/api/people")
async def search(request: Request, name: Annotated[str, Query(min_length=2, max_length=40)]) -> Json:
    """Accounts and bots whose handle begins so, or whose name has these letters in it."""
    asked = name.strip().lower().removeprefix("@")
    if len(asked) < 2:
        return Json({"people": []})
    begins = PEOPLE.c.handle.startswith(asked, autoescape=True)
    named = sa.func.lower(PEOPLE.c.name).contains(asked, autoescape=True)
    found = (
        sa.select(PEOPLE.c.handle, PEOPLE.c.name, PEOPLE.c.kind)
        .where(PEOPLE.c.handle.is_not(None) & PEOPLE.c.deleted.is_(None) & (begins | named))
        .order_by(sa.case((begins, 0), else_=1), PEOPLE.c.handle)
        .limit(MAX_PEOPLE_FOUND)
    )
    return Json({"people": [row._asdict() for row in await people_of(request).database.rows(found)]})


@router.get("/api/ratings")
async def boards(request: Request) -> Json:
    """List the leaderboards that have players."""
    count = sa.func.count().label("people")
    found = (
        sa.select(RATINGS.c.game, RATINGS.c.speed, count)
        .join(PEOPLE, PEOPLE.c.id == RATINGS.c.person_id)
        .where(PEOPLE.c.deleted.is_(None))
        .group_by(RATINGS.c.game, RATINGS.c.speed)
        .order_by(count.desc(), RATINGS.c.game, RATINGS.c.speed)
    )
    rows = await people_of(request).database.rows(found)
    boards = []
    for pool, speed, people in rows:
        game, players = game_of_pool(pool)
        if game in tercet.games():
            boards.append({"game": game, "players": players, "speed": speed, "people": people})
    return Json({"boards": boards})
