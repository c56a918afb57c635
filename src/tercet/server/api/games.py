"""Explorations of positions, which an engine's process makes, and to whom they are closed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastapi import Request

from tercet.answers import positions
from tercet.answers.addresses import answers
from tercet.server.errors import ApiError
from tercet.server.people.identity import person_of
from tercet.server.services import services_of, share_of, until_gone
from tercet.server.tables.table import Table


@answers(positions.explored)
async def explore(request: Request, position: str, id_: str, cell: str | None = None) -> Any:
    services = services_of(request)
    person = await person_of(request)
    if person is not None:
        may_explore(services.registry.tables, person.id, position.strip())
    who = share_of(request) if person is None else person.id
    return await until_gone(request, services.engine_pool.explore(position, id_, cell, who))


def may_explore(tables: Iterable[Table], person_id: str, position: str) -> None:
    """ApiError where the person plays a rated game, or one without explorations, that stands at ``position``."""
    for table in tables:
        if (table.settings.explore and not table.info.rated) or table.session.is_over:
            continue
        if person_id in {one.person_id for one in table.occupants.values()} and str(table.session.position) == position:
            raise ApiError("not-possible", "id", "Engines and explorations are off in the game that you are playing.")
