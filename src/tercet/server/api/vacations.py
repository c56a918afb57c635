"""Vacations: days in which one's clocks in correspondence games stand still."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Request

from tercet.answers.addresses import address
from tercet.answers.fields import Limit
from tercet.server import wire
from tercet.server.api.accounts import account_of
from tercet.server.services import services_of
from tercet.server.tables.vacations import ALLOWANCE, Vacation


def _shown(request: Request, vacation: Vacation) -> Any:
    on = vacation.until > services_of(request).registry.now()
    return {"until": vacation.until if on else None, "left": vacation.left, "allowance": ALLOWANCE}


@address("GET /api/me/vacation", wire.VacationResponse)
async def shown(request: Request) -> Any:
    """Return whether you are on vacation, and how many days you have left this year."""
    person = await account_of(request)
    return _shown(request, await services_of(request).vacations.of(person.id))


@address("POST /api/me/vacation", wire.VacationResponse)
async def take(request: Request, days: Annotated[int, Limit(ALLOWANCE, 0)]) -> Any:
    """Stop your clocks in correspondence games for so many ``days``, or let them run again (0)."""
    person, services = await account_of(request), services_of(request)
    services.notices.changes.check("days", "Too many changes. Try again later.", person.id)
    return _shown(request, await services.vacations.take(person.id, days))
