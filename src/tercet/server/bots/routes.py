"""Bots: programs with an account and a token. They hear of challenges and games, and of each game how it goes, as lines
of JSON on answers that do not end, and act by plain requests (docs/bots.md).

One route after another, each the counterpart of a message that the page sends on a socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import StreamingResponse

from tercet.server.http.errors import ApiError, Json
from tercet.server.http.requests import RequestBody, command_of
from tercet.server.operations.metrics import ACKS
from tercet.server.people import Person, person_of
from tercet.server.services import Services, services_of
from tercet.server.store import Unreachable
from tercet.server.store.schema import SEATS, TABLES
from tercet.server.tables import seats
from tercet.server.tables.access import entered
from tercet.server.tables.broadcast import Client
from tercet.server.tables.messages import seats_view
from tercet.server.tables.opening import call_out, rematch
from tercet.server.tables.table import Table
from tercet.session import Command, PlayAction, Session, SessionError
from tercet.view import to_json

__all__ = ["router"]

router = APIRouter(tags=["bots"])
ALIVE_EVERY = 6.0  # seconds between two lines, if only empty ones
LOOK_EVERY = 2.0  # seconds between looks at which games there are, where nobody told of one
LEAVING_WITHIN = 0.5  # seconds in which a stream sees that the server stops
STREAMS = 100  # of one bot
FEW = 8  # actions that are played at once
LINES = {"content-encoding": "identity", "x-accel-buffering": "no", "cache-control": "no-store"}
NDJSON: dict[int | str, dict[str, Any]] = {200: {"content": {"application/x-ndjson": {}}}}
TableId = Annotated[str, Path(max_length=32, pattern="^[A-Za-z0-9_-]+$")]
Action = Annotated[str, Field(min_length=1, max_length=400)]
ClientId = Annotated[str, Field(pattern="^[A-Za-z0-9_.:-]{1,64}$")]

Line = dict[str, Any] | None

_streams: Counter[str] = Counter()  # how many each bot listens to


class ActRequest(RequestBody):
    """An ``action``, or several ``actions`` of one's own, after ``ply`` actions."""

    ply: int = Field(ge=0, le=1_000_000)
    action: Action | None = None
    actions: list[Action] | None = Field(default=None, min_length=1, max_length=1600)
    id: ClientId | None = None


class SeatRequest(RequestBody):
    """Which of one's seats, where there are several."""

    seat: int | None = Field(default=None, ge=0, le=8)


class AnswerRequest(RequestBody):
    """Yes or no to an offer."""

    what: Literal["takeback", "draw", "adjourn", "continue", "rematch"]
    yes: bool


class ClaimRequest(RequestBody):
    """What is claimed against ``seat``, whose player has gone."""

    seat: int = Field(ge=0, le=8)
    what: Literal["win", "engine"]


class ChatRequest(RequestBody):
    """Something to say."""

    text: str = Field(min_length=1, max_length=500)
    room: Literal["players", "watchers"] = "players"


async def _bot(request: Request) -> Person:
    person = await person_of(request)
    if person is None:
        raise ApiError("not-signed-in", "authorization", "a bot says who it is by its token: Authorization: Bearer ...")
    if person.kind != "bot":
        raise ApiError("not-allowed", "account", "this is for bots; POST /api/me/bot makes one of a new account")
    return person


# What happens to a bot --------------------------------------------------------------------------------------------


@router.get("/api/bot/stream", response_class=StreamingResponse, responses=NDJSON)
async def events(request: Request) -> StreamingResponse:
    """Challenges and games of this bot, one a line, from those that there are on; never ends."""
    bot, services = await _bot(request), services_of(request)
    return _streamed(request, bot, _Events(services, bot).lines())


class _Events:
    """What one bot hears about its games as a whole."""

    def __init__(self, services: Services, bot: Person) -> None:
        self.services = services
        self.bot = bot
        self.known: dict[str, str] = {}  # what was told last of each table
        self.news = asyncio.Event()

    async def lines(self) -> AsyncGenerator[Line, None]:
        channel = f"person:{self.bot.id}"
        pubsub = self.services.registry.pubsub

        def hear(_said: dict[str, Any]) -> None:
            self.news.set()

        await pubsub.subscribe(channel, hear)
        try:
            while True:
                self.news.clear()
                with contextlib.suppress(Unreachable):
                    async for line in self.look():
                        yield line
                yield None
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_EVERY):
                        await self.news.wait()
        finally:
            await pubsub.unsubscribe(channel, hear)

    async def look(self) -> AsyncIterator[dict[str, Any]]:
        """What is new."""
        mine = sa.select(SEATS.c.table_id).where(SEATS.c.person_id == self.bot.id)
        found = sa.select(TABLES.c.id, TABLES.c.waiting).where(TABLES.c.id.in_(mine) & ~TABLES.c.over)
        async with self.services.registry.store.database.read() as connection:
            rows = (await connection.execute(found.order_by(TABLES.c.opened).limit(200))).all()
        for gone in self.known.keys() - {row.id for row in rows}:
            was = self.known.pop(gone)
            yield {"type": "challengeCanceled" if was == "challenge" else "gameFinish", "table": gone}
        for row in rows:
            if self.known.get(row.id) == "game" or (row.id in self.known and row.waiting):
                continue
            try:
                async with self.services.registry.table(row.id) as table:
                    seat = asked_seat(table, self.bot)
                    held, _ = table.seats_of((), self.bot.id)
                    now = "challenge" if seat is not None else "waiting" if table.session.waiting else "game"
                    if self.known.get(row.id) == now or table.session.is_over:
                        continue
                    self.known[row.id] = now
                    if now == "waiting":
                        continue
                    told = about(table)
                    told["seat"] = min(held, default=0) if seat is None else seat
                    yield {"type": "challenge" if now == "challenge" else "gameStart", **told}
            except SessionError:
                continue


def asked_seat(table: Table, bot: Person) -> int | None:
    """The seat that ``bot`` is asked to take."""
    waiting = (seat for seat in table.session.waiting if table.session.seats[seat].kind == "bot")
    return next(
        (seat for seat in waiting if seat in table.occupants and table.occupants[seat].person_id == bot.id), None
    )


def about(table: Table) -> dict[str, Any]:
    """What does not change in a game."""
    session, setup = table.session, table.session.settings
    game = session.game
    return {
        "table": table.id,
        "game": setup.game,
        "options": to_json(game.options),
        "optionText": game.option_text(),
        "players": list(game.players),
        "start": str(session.start),
        "control": None if setup.clock is None else dict(setup.clock),
        "speed": table.about.speed,
        "rated": table.about.rated,
        "takebacks": setup.takebacks,
        "seats": [
            {name: shown[name] for name in ("kind", "level", "name", "handle", "rating")}
            for shown in seats_view(session, table.occupants, frozenset())
        ],
    }


@router.post("/api/bot/challenges/{table}/accept")
async def accept(table: TableId, request: Request) -> Json:
    """Take the seat that one is asked to take."""
    bot = await _bot(request)
    async with services_of(request).registry.table(table) as found:
        seat = asked_seat(found, bot)
    if seat is None:
        raise ApiError("not-found", "table", "there is no such challenge")
    await seats.sit(table, seat, request)
    await call_out(services_of(request), table, [bot.id])
    return Json({"table": table, "seat": seat})


@router.post("/api/bot/challenges/{table}/decline")
async def decline(table: TableId, request: Request) -> Json:
    """Refuse to play: the table is given up."""
    bot, services = await _bot(request), services_of(request)
    async with services.registry.table(table) as found:
        if asked_seat(found, bot) is None:
            raise ApiError("not-found", "table", "there is no such challenge")
        now = services.registry.now()
        await found.consider(lambda session: session.give_up_waiting("declined", now))
    await call_out(services, table, [bot.id])
    return Json({"table": table})


# One game ---------------------------------------------------------------------------------------------------------


class _StreamClient(Client):
    """A client that needs no messages, only to know that there is something new; and what is said."""

    reads = False

    def __init__(self, held: frozenset[int], person: Person) -> None:
        super().__init__(held, (), person.id)
        self.news = asyncio.Event()
        self.said: list[dict[str, Any]] = []

    def tell(self, *messages: Any) -> None:
        """Note them."""
        for message in messages:
            if isinstance(message, dict) and message["type"] == "talk":
                self.said.append(message)
            elif isinstance(message, str) and message.startswith('{"type":"talk",'):
                self.said.append(json.loads(message))
        self.said = self.said[-100:]
        self.news.set()


@router.get("/api/bot/games/{table}/stream", response_class=StreamingResponse, responses=NDJSON)
async def game(table: TableId, request: Request) -> StreamingResponse:
    """How a game stands and goes on, one state a line; ends with the game."""
    bot = await _bot(request)
    async with entered(request, table) as entry:
        if not entry.client.held:
            raise ApiError("not-your-seat", "seat", "you do not sit at this table")
    return _streamed(request, bot, _game(request, table, bot))


async def _game(request: Request, table_id: str, bot: Person) -> AsyncGenerator[Line, None]:
    registry = services_of(request).registry
    async with entered(request, table_id) as entry:
        table = entry.table
        ear = _StreamClient(entry.client.held, bot)
        await table.join(ear, None)
        try:
            session = table.session
            told = await registry.compute(lambda: game_state(session, None, ear.held, registry.now()))
            full = await registry.compute(lambda: about(table))
            yield {"type": "gameFull", **full, "yourSeats": sorted(ear.held), "state": told}
            while True:
                ear.news.clear()
                said, ear.said = ear.said, []
                for line in said:
                    yield line
                if table.session is not session:
                    before, session = session, table.session
                    told = await registry.compute(lambda: game_state(session, before, ear.held, registry.now()))  # noqa: B023
                    yield told
                if session.is_over:
                    return
                yield None
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(ALIVE_EVERY):
                        await ear.news.wait()
        finally:
            table.leave(ear)


def game_state(session: Session, before: Session | None, held: frozenset[int], now: int) -> dict[str, Any]:
    """How it stands: ``moves`` are the actions from the ``since``-th on, all that ``before`` did not have."""
    since = 0
    if before is not None:
        for mine, theirs in zip(session.played, before.played, strict=False):
            if mine is not theirs and mine.text != theirs.text:
                break
            since += 1
    outcome = session.result.outcome if session.result else None
    return {
        "type": "gameState",
        "number": session.number,
        "ply": session.ply,
        "since": since,
        "moves": [one.text for one in session.played[since:]],
        "position": str(session.position),
        "mover": session.mover,
        "yourTurn": session.mover is not None and session.mover in held,
        "clock": None if session.clock is None else session.clock.shown(now),
        "offers": [
            {"seat": offer.seat, "what": offer.what, "ply": offer.ply, "awaited": list(session.awaited(offer))}
            for offer in session.offers
        ],
        "waiting": list(session.waiting),
        "adjourned": session.adjourned and not session.is_over,
        "over": session.is_over,
        "aborted": session.aborted,
        "outcome": None if outcome is None else to_json(outcome),
        "result": session.result.says if session.result else "",
        "rematch": session.rematch,
    }


@router.get("/api/bot/games/{table}/legal")
async def legal(table: TableId, request: Request) -> Json:
    """The position and the legal actions of whoever decides."""
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
    """Play. Sent again with the same ``id``, it is not played again."""
    if (ask.action is None) == (ask.actions is None):
        raise ApiError("bad-message", "action", "give an action, or actions")
    return await _do(request, table, {"type": "act", **ask.model_dump(exclude_none=True)})


@router.post("/api/bot/games/{table}/answer")
async def answer(table: TableId, ask: AnswerRequest, request: Request) -> Json:
    """Yes or no to what another player offers."""
    return await _do(request, table, {"type": "answer", "what": ask.what, "yes": ask.yes})


@router.post("/api/bot/games/{table}/claim")
async def claim(table: TableId, ask: ClaimRequest, request: Request) -> Json:
    """Claim against a player who has gone."""
    return await _do(request, table, {"type": "claim", "seat": ask.seat, "what": ask.what})


@router.post("/api/bot/games/{table}/talk")
async def talk(table: TableId, ask: ChatRequest, request: Request) -> Json:
    """Say something."""
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
    ask: SeatRequest | None = None,
) -> Json:
    """Resign, offer a draw or accept one, call a game off that has hardly begun, offer a rematch or accept one."""
    message: dict[str, Any] = {"type": what}
    if ask is not None and ask.seat is not None:
        message["seat"] = ask.seat
    return await _do(request, table, message)


async def _do(request: Request, table_id: str, message: dict[str, Any]) -> Json:
    await _bot(request)
    services = services_of(request)
    async with entered(request, table_id) as entry:
        table, client = entry.table, entry.client
        new_id = secrets.token_hex(8)

        def away(seat: int) -> int | None:
            since = table.presence.left(seat)
            return None if since is None else max(0, services.registry.now() - since)

        def command() -> Command:
            held, _ = table.seats_of(client.tokens, client.person_id)
            return command_of(message, held, away=away, table=new_id)

        made = command()
        scoped = f"{min(client.held, default=0)}:{message['id']}" if "id" in message else None
        short = isinstance(made, PlayAction) and len(made.more) < FEW
        with ACKS.time():
            number = await table.command(command, scoped, also=rematch(table, new_id), short=short)
        if table.session.rematch == new_id:
            await call_out(services, new_id, [occupant.person_id for occupant in table.occupants.values()])
        return Json({"number": number, "ply": table.session.ply})


# Lines that do not end --------------------------------------------------------------------------------------------


def _streamed(request: Request, bot: Person, lines: AsyncGenerator[Line, None]) -> StreamingResponse:
    """``lines`` as they come, with empty ones in between (None: nothing new for now)."""
    if _streams[bot.id] >= STREAMS:
        raise ApiError("too-many", "streams", f"a bot listens to {STREAMS} streams at most")
    registry = services_of(request).registry

    async def text() -> AsyncIterator[bytes]:
        _streams[bot.id] += 1
        loop = asyncio.get_running_loop()
        last = loop.time()
        following: asyncio.Future[Line] | None = None
        try:
            while not registry.leaving:
                if following is None:
                    following = asyncio.ensure_future(anext(lines))
                await asyncio.wait([following], timeout=LEAVING_WITHIN)
                line = None
                if following.done():
                    try:
                        line = following.result()
                    except StopAsyncIteration:
                        return
                    following = None
                if line is not None:
                    yield json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n"
                elif loop.time() - last < ALIVE_EVERY:
                    continue
                else:
                    yield b"\n"
                last = loop.time()
        finally:
            _streams[bot.id] -= 1
            registry.spawn(_end(lines, following))  # whoever is cancelled here may wait for nothing

    return StreamingResponse(text(), media_type="application/x-ndjson", headers=LINES)


async def _end(lines: AsyncGenerator[Line, None], following: asyncio.Future[Line] | None) -> None:
    if following is not None:
        following.cancel()
        await asyncio.wait([following])
    await lines.aclose()
