"""Tables on one device: people at one screen, and engines. They are kept in the page's storage."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol

from tercet.answers.errors import AnswerError, refusal
from tercet.answers.starts import START_FIELDS, GameStart, check_one_start, chosen_settings, start_of, table_settings
from tercet.answers.tables import (
    Shaper,
    TableInfo,
    check_not_outdated,
    command_of,
    listed_table,
    pong,
    seen_by,
    view_of,
)
from tercet.answers.wire.client_messages import CommandMessage, decode_table_message, legible_id
from tercet.browser.thinking import Engines
from tercet.core.game import Position
from tercet.play.ratings import speed_of
from tercet.play.session import LogEvent, PlayAction, Session, SessionError, Step, TableSettings


class Storage(Protocol):
    """Where the page stores texts: in a browser an IndexedDB."""

    async def get(self, key: str) -> str | None:
        """Return the text of ``key``; None if there is none."""

    async def put(self, key: str, text: str) -> None:
        """Store ``text`` under ``key``."""

    async def list(self, prefix: str) -> Sequence[str]:
        """Return all keys that begin with ``prefix``."""


class MemoryStorage:
    """A storage that lasts as long as the process."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    async def get(self, key: str) -> str | None:
        return self.texts.get(key)

    async def put(self, key: str, text: str) -> None:
        self.texts[key] = text

    async def list(self, prefix: str) -> Sequence[str]:
        return [key for key in self.texts if key.startswith(prefix)]


Send = Callable[[str], None]
Tell = Callable[[Mapping[str, Any]], None]
KEY = "table/"  # what keys of tables begin with
OWNER = "here"  # who opens all tables
DAMAGED = (
    "This version of Tercet cannot read this game. It stays stored on this device, and in the file that "
    "“Your games” saves."
)
NEEDS_SERVER = "Playing with others needs a server. Here you can play on one device or against the computer."


def _now() -> int:
    """Return the time in milliseconds."""
    return round(1000 * time.time())


OWN = "own"  # the beginning of an id that no server gives: the page of a server's client finds the table here by it


def new_table_id() -> str:
    """Return the id of a table of this device."""
    return OWN + secrets.token_hex(8)


def own_id(ident: str) -> str:
    """Return the id of a table that is stored under ``ident``: up to version 0.2 it had no ``OWN``."""
    return ident if ident.startswith(OWN) else OWN + ident


def _info(ident: str, settings: TableSettings, after: str | None) -> TableInfo:
    speed = speed_of(settings.clock, settings.game)
    return TableInfo(ident, settings, speed, OWNER, settings.watch == "public", after=after)


class LocalTable:
    """A table in memory, and who follows it."""

    def __init__(self, tables: LocalTables, info: TableInfo, opened: float, log: Sequence[LogEvent] = ()) -> None:
        self.info = info
        self.opened = opened
        self.log = list(log)
        self.session = Session.replay(info.settings, self.log)
        self.followers: dict[int, Tell] = {}
        self._tables = tables
        self._shaper = Shaper(info)
        self._acknowledged: dict[str, int] = {}
        self._lock = asyncio.Lock()
        self._thinking: asyncio.Task[None] | None = None
        self._searched: Position | None = None  # by an engine, now
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def held(self) -> frozenset[int]:
        """Return the seats of people: all of them sit at this screen."""
        return frozenset(number for number, seat in enumerate(self.session.seats) if seat.kind == "person")

    def data(self) -> dict[str, Any]:
        """Return the table as JSON-able data; :meth:`LocalTables.get` reads it."""
        log = [[event.kind, event.data] for event in self.log]
        settings, after = self.info.settings.data(), self.info.after
        return {"settings": settings, "after": after, "opened": self.opened, "log": log, "over": self.session.is_over}

    def listed(self) -> dict[str, Any]:
        """Return the game as the list of played games shows it: by its result for the first seat of a person."""
        session, seat = self.session, min(self.held, default=0)
        result, outcome = session.result, "off" if session.is_over else "playing"
        if result is not None:
            winners = result.outcome.winners
            outcome = "lost" if seat not in winners else "won" if len(winners) == 1 else "drawn"
        ended = {"ended": None, "seat": seat, "result": outcome, "says": "" if result is None else result.says}
        opened = round(1000 * self.opened)
        return {**listed_table(self.info, session, {}), "opened": opened, **ended, "rated": False}

    # What followers are sent ----------------------------------------------------------------------------------------

    def snapshot(self, held: frozenset[int]) -> dict[str, Any]:
        """Return everything that is needed to show the table, for a client with these seats."""
        session, shaper = self.session, self._shaper
        whole = shaper.snapshot(session, view_of(session, paths=True), shaper.game(session), _now())
        return seen_by(whole, held, bool(held))

    def join(self, ident: int, tell: Tell) -> None:
        """Let a client follow."""
        self.followers[ident] = tell
        self.tell(self.snapshot(self.held), ident)
        self.wake()

    def leave(self, ident: int) -> None:
        """Forget a client."""
        self.followers.pop(ident, None)

    def tell(self, message: Mapping[str, Any], ident: int | None = None) -> None:
        """Send a message to one client, or to all."""
        for number, tell in list(self.followers.items()):
            if ident in (None, number):
                tell(message)

    # What they ask for ----------------------------------------------------------------------------------------------

    async def take(self, ident: int, text: str) -> None:
        """Do what a client's message asks, and answer it."""
        try:
            message = decode_table_message(text)
            if message["type"] == "ping":
                self.tell(pong(message), ident)
            elif message["type"] == "snapshot":
                self.tell(self.snapshot(self.held), ident)
            elif message["type"] == "say":
                raise AnswerError("needs-server", "room", NEEDS_SERVER)
            elif message["type"] == "thinker" or message["type"] == "thought" or message["type"] == "pong":
                pass  # it is for a server
            else:
                number = await self._submit(message)
                self.tell({"type": "ack", "id": message["id"], "number": number}, ident)
        except Exception as error:
            self.tell(refusal(error).message(legible_id(text)), ident)
        self.wake()

    async def _submit(self, message: CommandMessage) -> int:
        """Execute the command of a message. Return the number of its last event, which is stored by then."""
        client_id, rematch = message["id"], new_table_id()
        async with self._lock:
            if client_id in self._acknowledged:
                return self._acknowledged[client_id]
            command = command_of(message, self.held, table=rematch)
            check_not_outdated(message, command, self.log)
            await self._commit(self.session.apply(command, _now()))
            if self.session.rematch == rematch:
                settings = self.session.rematch_settings(secrets.randbits(53))
                await self._tables.add(rematch, settings, after=self.info.id)
            self._acknowledged[client_id] = self.session.number
            return self.session.number

    async def _commit(self, steps: Sequence[Step]) -> None:
        """Store what happened, then tell it. Under the lock."""
        if not steps:
            return
        self.log += [step.event for step in steps]
        self.session = steps[-1].after
        await self._tables.save(self)
        for number, (event, after) in enumerate(steps, 1):
            view = view_of(after, paths=number == len(steps))
            self.tell(seen_by(self._shaper.event(event, after, view, _now()), self.held, True))
        self._set_alarm()

    # Engines and clocks ---------------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Let the engine whose decision it is think, as long as there is a follower. Thinking about a position that the
        table has left ends."""
        mover = self.session.mover
        if self._thinking is not None and self._searched not in (None, self.session.position):
            self._thinking.cancel()
            self._thinking = self._searched = None
        busy = self._thinking is not None and not self._thinking.done()
        if mover is not None and self.session.seats[mover].kind == "engine" and self.followers and not busy:
            self._thinking = self._tables.spawn(self._think())

    async def _think(self) -> None:
        while self.followers:
            session = self.session
            seat = session.mover
            if seat is None or session.seats[seat].kind != "engine":
                return

            def report(info: dict[str, Any], seat: int = seat) -> None:
                self.tell({"type": "thinking", "seat": seat, "info": info, "preparing": None})

            owner = f"{self.info.id} {seat}"
            self._searched = session.position
            chosen = await self._tables.engines.move(owner, session.position, session.seats[seat].level, report)
            self._searched = None
            async with self._lock:
                if self.session.position is session.position and self.session.mover == seat:
                    action = PlayAction(frozenset({seat}), session.ply, chosen)
                    await self._commit(self.session.apply(action, _now()))

    def _set_alarm(self) -> None:
        """See to it that the clock's flag falls in time."""
        if self._alarm is not None:
            self._alarm.cancel()
        deadline = None if self.session.clock is None or self.session.is_over else self.session.clock.deadline
        if deadline is not None:
            wait = max(0, deadline - _now()) / 1000
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(wait, lambda: self._tables.spawn(self._check_time()))

    async def _check_time(self) -> None:
        """End the game of a player whose time is up."""
        async with self._lock:
            await self._commit(self.session.check_time(_now()))

    async def resume(self) -> None:
        """Go on with a game whose page was closed: its clocks stood still meanwhile."""
        clock = self.session.clock
        if clock is not None:
            now = _now()
            async with self._lock:
                await self._commit(self.session.resume(now, now - clock.at))


class LocalTables:
    """All tables of this device."""

    def __init__(self, storage: Storage, engines: Engines) -> None:
        self.engines = engines
        self._storage = storage
        self._loaded: dict[str, LocalTable] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that goes on by itself."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def open(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Open the table that a request asks for. Return its id, and the tokens of its seats."""
        seats = asked["seats"]
        if asked.get("rated") or any(seat["kind"] not in ("me", "here", "engine") for seat in seats):
            raise AnswerError("needs-server", "seats", NEEDS_SERVER)
        check_one_start(asked)
        ply = asked.get("ply")
        if asked.get("table") is not None:
            start = GameStart.after((await self.get(asked["table"])).session, ply)
        else:
            where = {name: asked.get(name) for name in START_FIELDS}
            start = start_of(**where, drawn=secrets.randbits(53)).up_to(ply)
        table = await self.add(new_table_id(), table_settings(start, seats, **chosen_settings(asked)))
        tokens = {seat: secrets.token_urlsafe(24) for seat in table.held}
        return {
            "id": table.info.id,
            "seats": [{"seat": seat, "token": tokens.get(seat), "link": None} for seat in range(len(seats))],
            "watch": f"/t/{table.info.id}",
        }

    async def add(self, ident: str, settings: TableSettings, after: str | None = None) -> LocalTable:
        """Open a table with these settings. Raise SessionError if they make no sense."""
        Session.open(settings)
        table = LocalTable(self, _info(ident, settings, after), time.time())
        self._loaded[ident] = table
        await self.save(table)
        return table

    async def get(self, ident: str) -> LocalTable:
        """Return the table of that id. Raise SessionError if there is none."""
        ident = own_id(ident)
        if ident not in self._loaded:
            text = await self._storage.get(KEY + ident) or await self._storage.get(KEY + ident.removeprefix(OWN))
            if text is None:
                raise SessionError("unknown-table", "table", "Game not found.")
            try:
                table = self._read(ident, text)
            except Exception:  # damaged in any way, or written by another version
                raise SessionError("damaged", "table", DAMAGED) from None
            table = self._loaded.setdefault(ident, table)
            await table.resume()
        return self._loaded[ident]

    def _read(self, ident: str, text: str) -> LocalTable:
        data = json.loads(text)
        settings = TableSettings.read(data["settings"])
        log = [LogEvent(number, kind, fields) for number, (kind, fields) in enumerate(data["log"], 1)]
        return LocalTable(self, _info(ident, settings, data["after"]), data["opened"], log)

    async def save(self, table: LocalTable) -> None:
        """Store a table."""
        await self._storage.put(KEY + table.info.id, json.dumps(table.data(), separators=(",", ":")))

    async def all(self) -> list[LocalTable]:
        """Return all tables that this version can read, the latest first."""
        tables = []
        for ident in sorted({own_id(key.removeprefix(KEY)) for key in await self._storage.list(KEY)}):
            with contextlib.suppress(SessionError):
                tables.append(await self.get(ident))
        return sorted(tables, key=lambda table: table.opened, reverse=True)
