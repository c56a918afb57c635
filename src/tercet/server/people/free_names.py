"""Whether a name may be used: nobody passes for the site, for an engine, or for somebody who has an account."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.server.http.errors import ApiError
from tercet.server.people import names
from tercet.server.people.identity import People
from tercet.server.store.schema import PEOPLE

__all__ = ["free_name"]


async def free_name(people: People, text: str, handle: str | None, where: str = "name") -> str:
    """``text`` as a name for whoever has this ``handle`` (None: a guest). ApiError, naming the field ``where``, where
    nothing is left of it, or it is kept, or reads like somebody else's handle."""
    name = names.clean(text)
    bare = names.skeleton(name)
    if not bare:
        raise ApiError("bad-message", where, "must have at least a letter or a digit")
    if names.is_kept(name):
        raise ApiError("taken", where, "is kept for this site; choose another")
    plain = sa.func.replace(sa.func.replace(PEOPLE.c.handle, "-", ""), "_", "")
    others = sa.select(PEOPLE.c.handle).where(plain == bare).limit(9)
    found = await people.database.find(lambda connection: connection.scalars(others).all())
    if any(other != handle for other in found):
        raise ApiError("taken", where, "is somebody's handle; choose another")
    return name
