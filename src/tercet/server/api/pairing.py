"""The endpoint of quick pairing."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import StreamingResponse

import tercet
from tercet.server.api.bot_streams import NDJSON, streamed
from tercet.server.api.opening import check_opening_rate
from tercet.server.errors import ApiError
from tercet.server.limits.spender import spender
from tercet.server.lobby.seeks import Pool
from tercet.server.people import person_for, remember
from tercet.server.services import services_of
from tercet.server.wire.lobby import PairingRequest

__all__ = ["router"]

router = APIRouter(tags=["lobby"])


@router.post("/api/pairing", response_class=StreamingResponse, responses=NDJSON)
async def pair(ask: PairingRequest, request: Request) -> StreamingResponse:
    """Wait to be paired for a quick game, a line for each message: ``waiting``, then ``paired`` with the ``table``, or
    ``replaced`` where you ask again elsewhere. You wait until you close the connection."""
    services = services_of(request)
    check_opening_rate(request)
    if ask.game not in tercet.games():
        raise ApiError("not-found", "game", f"There is no such game. Choose from {', '.join(tercet.games())}.")
    person = await person_for(request)
    if person.kind == "bot":
        raise ApiError("not-allowed", "session", "Bots are not paired. They play when they are invited.")
    if ask.rated and person.kind == "guest":
        raise ApiError("not-signed-in", "rated", "You need an account for rated games. Sign in first.")
    services.fair_share.budgets.check(spender(), "cpu", "rows")
    services.fair_share.budgets.spend(spender(), rows=3)
    await remember(request, person)
    await services.pairing.check_network(person)
    return streamed(services, person, services.pairing.wait(person, Pool(ask.game, ask.time, ask.rated)))
