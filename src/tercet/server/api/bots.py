"""Bots: programs with an account and a token. They hear of challenges and games, and of each game how it goes, as lines
of JSON on answers that do not end, and act by plain requests (docs/bots.md)."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Path, Request
from starlette.responses import StreamingResponse

from tercet.answers.wire.client_messages import CommandMessage, PlayMessage
from tercet.server.api import seats
from tercet.server.api.access import entered
from tercet.server.api.bot_messages import asked_seat
from tercet.server.api.bot_streams import NDJSON, EventStream, game_lines, streamed
from tercet.server.api.commands import perform
from tercet.server.errors import ApiError, Json
from tercet.server.people.identity import Person, person_of
from tercet.server.services import services_of
from tercet.server.wire.bots import ActRequest, AnswerRequest, ChatRequest, ClaimRequest, SeatChoice

router = APIRouter(tags=["bots"])
TableId = Annotated[str, Path(max_length=32, pattern="^[A-Za-z0-9_-]+$")]


async def _bot(request: Request) -> Person:
    person = await person_of(request)
    if person is None:
        raise ApiError(
            "not-signed-in", "authorization", "A bot must send its token in the header Authorization: Bearer TOKEN."
        )
    if person.kind != "bot":
        raise ApiError(
            "not-allowed", "account", "Only bots may do this. Make a new account a bot with POST /api/me/bot."
        )
    return person


# What happens to a bot --------------------------------------------------------------------------------------------


@router.get("/api/bot/stream", response_class=StreamingResponse, responses=NDJSON)
async def events(request: Request) -> StreamingResponse:
    """Challenges and games of this bot, one a line, from those that there are on; never ends."""
    bot, services = await _bot(request), services_of(request)
    return streamed(services, bot, EventStream(services, bot).lines())


@router.post("/api/bot/challenges/{table}/accept")
async def accept(table: TableId, request: Request) -> Json:
    """Accept a challenge: take the seat."""
    bot = await _bot(request)
    async with services_of(request).registry.table(table) as found:
        seat = asked_seat(found, bot)
    if seat is None:
        raise ApiError("not-found", "table", "This challenge does not exist.")
    await seats.sit(table, seat, request)
    await services_of(request).lobby.announce(table, [bot.id])
    return Json({"table": table, "seat": seat})


@router.post("/api/bot/challenges/{table}/decline")
async def decline(table: TableId, request: Request) -> Json:
    """Decline a challenge. The table is closed."""
    bot, services = await _bot(request), services_of(request)
    async with services.registry.table(table) as found:
        if asked_seat(found, bot) is None:
            raise ApiError("not-found", "table", "This challenge does not exist.")
        await found.perform(lambda session, now: session.give_up_waiting("declined", now))
    await services.lobby.announce(table, [bot.id])
    return Json({"table": table})


# One game ---------------------------------------------------------------------------------------------------------


@router.get("/api/bot/games/{table}/stream", response_class=StreamingResponse, responses=NDJSON)
async def game(table: TableId, request: Request) -> StreamingResponse:
    """Stream the states of a game, one a line, until it is over."""
    bot = await _bot(request)
    async with entered(request, table) as entry:
        if not entry.client.held:
            raise ApiError("not-your-seat", "seat", "You do not have a seat in this game.")
    return streamed(services_of(request), bot, game_lines(request, table, bot))


@router.get("/api/bot/games/{table}/legal")
async def legal(table: TableId, request: Request) -> Json:
    """Return the position and the legal actions of the player to move."""
    await _bot(request)
    async with entered(request, table) as entry:
        session = entry.table.session

        def work() -> dict[str, Any]:
            position = session.position
            actions = [] if session.mover is None else [str(action) for action in position.legal_actions]
            return {"position": str(position), "ply": session.ply, "mover": session.mover, "legal": actions}

        return Json(await services_of(request).registry.compute(work))


@router.post("/api/bot/games/{table}/act")
async def act(table: TableId, ask: ActRequest, request: Request) -> Json:
    """Play an action. Sent again with the same ``id``, it is not played again."""
    message: dict[str, Any] = {"type": "act", "id": "", **ask.model_dump(exclude_none=True)}
    return await _perform(request, table, cast("PlayMessage", message))


@router.post("/api/bot/games/{table}/answer")
async def answer(table: TableId, ask: AnswerRequest, request: Request) -> Json:
    """Accept or decline what another player offers."""
    return await _perform(request, table, {"type": "answer", "id": "", "what": ask.what, "yes": ask.yes})


@router.post("/api/bot/games/{table}/claim")
async def claim(table: TableId, ask: ClaimRequest, request: Request) -> Json:
    """Claim the win, or an engine in the seat, against a player who has left."""
    return await _perform(request, table, {"type": "claim", "id": "", "seat": ask.seat, "what": ask.what})


@router.post("/api/bot/games/{table}/talk")
async def talk(table: TableId, ask: ChatRequest, request: Request) -> Json:
    """Write a chat message."""
    bot = await _bot(request)
    async with entered(request, table) as entry:
        line = (ask.room, ask.text, None)
        number = await services_of(request).chat.say(
            entry.table, entry.client, bot, line, f"{bot.id}:{secrets.token_hex(8)}"
        )
        return Json({"number": number})


@router.post("/api/bot/games/{table}/{what}")
async def also(
    table: TableId,
    what: Literal["resign", "draw", "abort", "rematch"],
    request: Request,
    ask: SeatChoice | None = None,
) -> Json:
    """Resign, offer a draw or accept one, call a game off that has hardly begun, offer a rematch or accept one."""
    if what == "abort":
        return await _perform(request, table, {"type": what, "id": ""})
    return await _perform(request, table, {"type": what, "id": "", "seat": None if ask is None else ask.seat})


async def _perform(request: Request, table_id: str, message: CommandMessage) -> Json:
    await _bot(request)
    async with entered(request, table_id) as entry:
        done = await perform(services_of(request), entry, message)
        return Json({"number": done.number, "ply": done.ply})
