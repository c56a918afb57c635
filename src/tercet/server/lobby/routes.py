"""Endpoints of the lobby: as it is, and the socket that says so whenever it has changed."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from starlette.websockets import WebSocket

from tercet.server.http.errors import Json
from tercet.server.http.sockets import open_socket, receive_text
from tercet.server.lobby.service import Data, Lobby
from tercet.server.people import person_of
from tercet.server.protocol.other_messages import LobbyData
from tercet.server.services import services_of
from tercet.server.tables.broadcast import encode

__all__ = ["changes", "router"]

router = APIRouter(tags=["lobby"])
PAUSE = 1.0  # seconds between two pushes, where they are short
PUSHED = 20_000  # characters a second, at most, that one follower is pushed


@router.get("/api/lobby", responses={200: {"model": LobbyData}})
async def lobby(request: Request, game: str | None = None) -> Json:
    """The tables that wait for somebody, and the games that may be watched."""
    return Json(await services_of(request).lobby.shown(game))


@router.websocket("/api/lobby/live")
async def lobby_live(socket: WebSocket) -> None:
    """The same, again whenever it has changed; with ``changes=true`` after the first time only what has."""
    async with open_socket(socket) as services:
        person = await person_of(socket)
        changed = asyncio.Event()
        changed.set()
        services.lobby.followers.add(changed)
        if person is not None:
            services.lobby.arrive(person.id)
        game = socket.query_params.get("game")
        push = _push_changes if socket.query_params.get("changes") == "true" else _push
        tasks = [asyncio.ensure_future(work) for work in (push(socket, services.lobby, changed, game), _listen(socket))]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            services.lobby.followers.discard(changed)
            if person is not None:
                services.lobby.leave(person.id)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _push(socket: WebSocket, lobby: Lobby, changed: asyncio.Event, game: str | None) -> None:
    told = ""
    while True:
        await changed.wait()
        changed.clear()
        text = await lobby.told(game)
        if text != told:
            told = text
            async with asyncio.timeout(20):
                await socket.send_text(text)
        await asyncio.sleep(max(PAUSE, len(text) / PUSHED))


async def _push_changes(socket: WebSocket, lobby: Lobby, changed: asyncio.Event, game: str | None) -> None:
    known: Data | None = None
    while True:
        await changed.wait()
        changed.clear()
        now = await lobby.shown(game)
        text = await lobby.told(game) if known is None else changes(known, now)
        known = now
        if text:
            async with asyncio.timeout(20):
                await socket.send_text(text)
        await asyncio.sleep(max(PAUSE, len(text) / PUSHED))


def changes(before: Data, now: Data) -> str:
    """What has changed in the lobby, as a message: the ids that are told now, in their order, and those that are new or
    others than before in full. Empty where nothing has."""
    if before == now:
        return ""
    told: Data = {"type": "lobby-changes"}
    for part in ("open", "live"):
        known = {one["id"]: one for one in before[part]}
        told[part] = [one["id"] for one in now[part]]
        told[f"{part}Changed"] = [one for one in now[part] if known.get(one["id"]) != one]
    return encode(told)


async def _listen(socket: WebSocket) -> None:
    while True:
        text = await receive_text(socket, 1000)
        if '"ping"' in text:
            await socket.send_text(encode({"type": "pong"}))
