"""The chat of tables: the players' room and the spectators' room.

Players read the spectators' room only after the game. A client never gets lines of people whom its person has blocked.
A line is plain text, never markup.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from tercet.answers.names import clean
from tercet.answers.tables import badge_of, seats_view
from tercet.answers.wire.client_messages import MAX_LINE
from tercet.answers.wire.table_messages import ChatLine
from tercet.play.session import LogEvent, SessionError
from tercet.server.limits.budgets import Buckets
from tercet.server.limits.share import FairShare
from tercet.server.limits.spenders import Bounded, spender
from tercet.server.people.identity import Person
from tercet.server.store.schema import BLOCKS, PEOPLE, TALK
from tercet.server.tables.clients import Client
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.table import Table

LAST_LINES = 50  # that a new client gets
CHANNEL = "talk"
LINES_AT_ONCE, LINES_PER_MINUTE = 5, 20  # lines of one speaker, and of one network that watches
TABLE_SHARE = 3  # times as many of all who watch one table
MAX_SILENT_TABLES = 10_000  # that are remembered


def rooms_to_read(table: Table, held: frozenset[int]) -> tuple[str, ...]:
    """Return the rooms that a client with these seats may read."""
    players = ("players",) if table.settings.chat else ()
    return (*players, "watchers") if not held or table.session.is_over else players


class Chat:
    """The chat of all tables, as one process knows it."""

    def __init__(
        self, registry: TableRegistry, fair_share: FairShare, per_minute: int | None = LINES_PER_MINUTE
    ) -> None:
        self.registry = registry
        self.database = registry.store.database
        self._speakers = fair_share.rate("lines", Buckets(per_minute, LINES_AT_ONCE))
        self._networks = fair_share.rate("watchers' lines", Buckets(per_minute, LINES_AT_ONCE))
        of_a_table = None if per_minute is None else TABLE_SHARE * per_minute
        self._watched = fair_share.rate("lines of watched tables", Buckets(of_a_table, TABLE_SHARE * LINES_AT_ONCE))
        self._silent: Bounded[str, None] = Bounded(MAX_SILENT_TABLES)  # where nothing was said, if not elsewhere
        self._written = 0  # lines, or twice that

    async def begin(self) -> None:
        """Subscribe to the lines that other processes receive."""
        await self.registry.pubsub.subscribe(CHANNEL, self._hear)
        self.registry.pubsub.returned.append(lambda: self.registry.spawn(self._again()))
        self.registry.observers.append(self._observe)

    async def say(
        self, table: Table, client: Client, person: Person | None, asked: tuple[str, str, int | None], key: str
    ) -> int:
        """Write a line: ``asked`` are room, text and (optional) seat; ``key`` is the client's own for the line,
        which is written once. A spectator must be a person. Return the line's number. Raise SessionError if it is
        refused."""
        room, text, seat = asked
        held = client.held
        if seat is not None and seat not in held:
            raise SessionError("not-your-seat", "seat", "This seat is not yours.")
        if room == "players":
            if not held:
                raise SessionError("not-your-seat", "room", "Only the players can use this chat.")
            if not table.settings.chat:
                raise SessionError("not-possible", "room", "This game has no chat between players.")
        elif held and not table.session.is_over:
            raise SessionError("not-possible", "room", "Players can chat with spectators only after the game.")
        elif not held and person is None:
            raise SessionError("not-signed-in", "room", "Choose a name first.")
        if (known := await self._number_of(table.id, key)) is not None:
            return known
        words = clean(text, MAX_LINE)
        if not words:
            raise SessionError("bad-message", "text", "The message must not be empty.")
        speaks = (min(held) if seat is None else seat) if held else None
        who = person.id if person is not None else f"{table.id} {speaks}"
        # Watchers also have a rate of their network, and a greater one of the table: no network silences the others.
        others = (self._networks, spender().network or "unknown"), (self._watched, table.id)
        rates = [(self._speakers, who), *(others if room == "watchers" else ())]
        if not all(rate.take(whose) for rate, whose in rates):
            raise SessionError("too-many", "text", "You have sent too many messages. Wait a moment.")
        try:
            line, blocked = await self._write(table, room, speaks, person, words, key)
        except IntegrityError:  # it came twice at once
            known = await self._number_of(table.id, key)
            if known is None:
                raise
            return known
        await self.registry.pubsub.publish(CHANNEL, {"table": table.id, "line": line, "not": blocked})
        return line["number"]

    async def _number_of(self, table_id: str, key: str) -> int | None:
        """Return the number of the line with that key, if it has been said, wherever that was."""
        number: int | None = await self.database.scalar(_NUMBER_OF, {"of": table_id, "key": key})
        return number

    async def _write(
        self, table: Table, room: str, seat: int | None, person: Person | None, words: str, key: str
    ) -> tuple[ChatLine, list[str]]:
        """Store the line. Return it as clients get it, and the ids of those who must not get it."""
        name = "" if person is None else person.name
        if seat is not None:
            sits = seats_view(table.session, table.occupants)[seat]
            name = sits["name"] or name or table.session.game.players[seat]
        line = {"room": room, "seat": seat, "name": name[:40], "text": words, "at": time.time()}
        row = {"table_id": table.id, "person_id": None if person is None else person.id, "client_id": key, **line}
        try:
            self._note_written(table)
            made = TALK.insert().values(**row).returning(TALK.c.id)
            number = await self.database.write_alone(lambda connection: connection.execute(made).scalar_one())
        finally:
            self._note_written(table)
        blocked: list[str] = []
        if person is not None:
            blocked = await self.database.scalars(sa.select(BLOCKS.c.person_id).where(BLOCKS.c.other_id == person.id))
        who = {"handle": None, "kind": None} if person is None else person.data
        return _chat_line({**who, **line, "id": number}), blocked

    def _note_written(self, table: Table) -> None:
        """Note that a line is being written at ``table``: a client that looked in between may have missed it."""
        self._written += 1
        self._silent.pop(table.id, None)

    def _hear(self, data: dict[str, Any]) -> None:
        self._silent.pop(data["table"], None)
        table = self.registry.known(data["table"])
        if table is None:
            return
        if "over" in data:
            for client in list(table.clients):
                if client.held:
                    self.registry.spawn(self.replay(table, client))
            return
        line: ChatLine = data["line"]
        for client in list(table.clients):
            if line["room"] in rooms_to_read(table, client.held) and client.person_id not in data["not"]:
                client.tell({"type": "talk", **line})

    async def _again(self) -> None:
        """Word may have been lost: tell everybody the last lines once more."""
        for table in self.registry.tables:
            for client in list(table.clients):
                await self.replay(table, client)

    async def _observe(self, table: Table, events: list[LogEvent]) -> None:
        """The players may read the watchers' room from the end of the game on."""
        if table.session.is_over and not any(event.kind == "rematch" for event in events):
            await self.registry.pubsub.publish(CHANNEL, {"table": table.id, "over": True})

    async def replay(self, table: Table, client: Client) -> None:
        """Send ``client`` the last lines that it may read, if there are any."""
        if table.id in self._silent and self.registry.lease.is_alone:
            return
        query = _last_lines(rooms_to_read(table, client.held), client.person_id is not None)
        given = {"of": table.id, "reader": client.person_id}
        before = self._written

        def find(connection: sa.Connection) -> tuple[Sequence[sa.Row[Any]], bool]:
            rows = connection.execute(query, given).all()
            return rows, not rows and connection.execute(_ANY_LINE, given).first() is None

        rows, is_silent = await self.database.find(find)
        if is_silent and self._written == before:
            self._silent[table.id] = None
        if rows:
            client.tell({"type": "talked", "lines": [_chat_line(row._asdict()) for row in rows[::-1]]})


@functools.cache
def _last_lines(rooms: tuple[str, ...], is_known: bool) -> sa.Select[Any]:
    """Return the query for the last lines ``of`` a table in ``rooms``; for a ``reader`` who ``is_known``, without
    those of people whom the reader has blocked."""
    readable = (TALK.c.table_id == sa.bindparam("of")) & TALK.c.room.in_(rooms) & TALK.c.hidden.is_(False)
    if is_known:
        unread = sa.select(BLOCKS.c.other_id).where(BLOCKS.c.person_id == sa.bindparam("reader"))
        readable &= TALK.c.person_id.is_(None) | TALK.c.person_id.not_in(unread)
    lines = sa.select(TALK, PEOPLE.c.handle, PEOPLE.c.kind).outerjoin(PEOPLE, PEOPLE.c.id == TALK.c.person_id)
    return lines.where(readable).order_by(TALK.c.id.desc()).limit(LAST_LINES)


_NUMBER_OF = sa.select(TALK.c.id).where(
    (TALK.c.table_id == sa.bindparam("of")) & (TALK.c.client_id == sa.bindparam("key"))
)
_ANY_LINE = sa.select(TALK.c.id).where(TALK.c.table_id == sa.bindparam("of")).limit(1)


def _chat_line(line: Mapping[str, Any]) -> ChatLine:
    """Return a line as clients get it; ``at`` is in milliseconds."""
    return {
        "number": line["id"],
        "room": line["room"],
        "seat": line["seat"],
        "name": line["name"],
        "handle": line["handle"],
        "badge": badge_of(line["kind"]),
        "text": line["text"],
        "at": round(1000 * line["at"]),
    }
