"""Endpoints of the lobby: as it is, the socket that says so whenever it has changed, one for a person's news, and quick
pairing."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import Annotated

from fastapi import Request
from starlette.responses import Response, StreamingResponse
from starlette.websockets import WebSocket

from tercet.answers.addresses import address
from tercet.answers.fields import GameField, Limit
from tercet.answers.starts import known_game
from tercet.server import wire
from tercet.server.api.bots import NDJSON, streamed
from tercet.server.api.connection import open_socket, receive_text, until_first
from tercet.server.api.opening import check_account, check_opening_rate
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import counted
from tercet.server.limits.spenders import spender
from tercet.server.lobby import MAX_PAGE_TABLES, Asked, Lobby
from tercet.server.pairing import Pool
from tercet.server.people.identity import person_for, person_of, remember
from tercet.server.schema import socket
from tercet.server.services import language_of, services_of, written
from tercet.server.store.pubsub import news_of
from tercet.server.tables.clients import encode

PUSH_PAUSE_SECONDS = 1.0  # between two pushes, where they are short
PUSHED_CHARACTERS_PER_SECOND = 20_000  # to one follower, at most
MAX_PAGES = 1000  # of open games


@address("GET /api/lobby", wire.LobbyData)
async def lobby(
    request: Request,
    game: GameField | None = None,
    page: Annotated[int, Limit(MAX_PAGES, 0)] = 0,
    size: Annotated[int, Limit(MAX_PAGE_TABLES, 1)] = MAX_PAGE_TABLES,
) -> Response:
    """Return a page of the tables that wait for players, and the games that may be watched."""
    listing = await services_of(request).lobby.listing(Asked(game, page, size))
    return written(listing.text(language_of(request), "answer"), request)


def _asked(socket: WebSocket) -> Asked:
    """Return what a socket's address asks for. A value that makes no sense counts as left out."""
    query = socket.query_params

    def number(name: str, usual: int, least: int, most: int) -> int:
        said = query.get(name, "")
        return max(least, min(most, int(said))) if said.isascii() and said.isdigit() and len(said) < 8 else usual

    size = number("size", MAX_PAGE_TABLES, 1, MAX_PAGE_TABLES)
    return Asked(query.get("game"), number("page", 0, 0, MAX_PAGES), size)


@socket("/api/lobby/live", wire.LobbyServerMessage, wire.LobbyClientMessage)
async def lobby_live(socket: WebSocket) -> None:
    """Send the lobby's list now and after each change; with ``changes=true`` send only the changes from then on."""
    async with open_socket(socket) as services:
        person = await person_of(socket)
        changed = asyncio.Event()
        changed.set()
        services.lobby.followers.add(changed)
        in_part = socket.query_params.get("changes") == "true"
        try:
            with counted(services.lobby.people, person.id) if person else nullcontext():
                await until_first(_push(socket, services.lobby, changed, _asked(socket), in_part), listen(socket))
        finally:
            services.lobby.followers.discard(changed)


@socket("/api/me/live", wire.NewsServerMessage, wire.LobbyClientMessage)
async def me_live(socket: WebSocket) -> None:
    """Say ``news`` at first, whenever a challenge or a game of the person's comes or goes, and when one may have."""
    async with open_socket(socket) as services:
        person = await person_of(socket)
        if person is None or person.kind == "guest":
            raise ApiError("not-signed-in", "session", "Sign in first.")
        async with news_of(services.registry.pubsub, f"person:{person.id}") as news:
            news.set()
            await until_first(push_news(socket, news), listen(socket))


async def push_news(socket: WebSocket, news: asyncio.Event) -> None:
    """Say ``news`` whenever there are any, at most once a second."""
    while True:
        await news.wait()
        news.clear()
        async with asyncio.timeout(20):
            await socket.send_text(encode({"type": "news"}))
        await asyncio.sleep(PUSH_PAUSE_SECONDS)


async def _push(socket: WebSocket, lobby: Lobby, changed: asyncio.Event, asked: Asked, in_part: bool) -> None:
    known, language = None, language_of(socket)
    while True:
        await changed.wait()
        changed.clear()
        now = await lobby.listing(asked)
        if known is not None and in_part:
            text = now.since(known, language)
        else:
            text = "" if known is not None and now.data == known.data else now.text(language)
        known = now
        if text:
            async with asyncio.timeout(20):
                await socket.send_text(text)
        await asyncio.sleep(max(PUSH_PAUSE_SECONDS, len(text) / PUSHED_CHARACTERS_PER_SECOND))


async def listen(socket: WebSocket) -> None:
    """Answer the client's pings until it hangs up."""
    while True:
        text = await receive_text(socket, 1000)
        if '"ping"' in text:
            await socket.send_text(encode({"type": "pong"}))


# Quick pairing ------------------------------------------------------------------------------------------------------


@address("POST /api/pairing", media=NDJSON)
async def pair(request: Request, game: GameField, time: wire.PairingTime, rated: bool = False) -> StreamingResponse:
    """Wait to be paired for a quick game (``time``: minutes, and seconds for each turn), a line for each message:
    ``waiting``, then ``paired`` with the ``table``, or ``replaced`` where you ask again elsewhere. You wait until you
    close the connection."""
    services = services_of(request)
    check_opening_rate(request)
    known_game(game)
    person = await person_for(request)
    if person.kind == "bot":
        raise ApiError("not-allowed", "session", "Bots are not paired. They play when they are invited.")
    if rated:
        check_account(person)
    services.fair_share.budgets.check(spender(), "cpu", "rows")
    services.fair_share.budgets.spend(spender(), rows=3)
    await remember(request, person)
    await services.pairing.check_network(person)
    return streamed(services, person, services.pairing.wait(person, Pool(game, time, rated)))
