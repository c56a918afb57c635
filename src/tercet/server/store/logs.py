"""The logs of tables. When :meth:`Logs.append` returns, its events survive a killed process and a power cut (SQLite
with a write-ahead log and ``synchronous=FULL``; PostgreSQL with its defaults).

Each event's row has a digest of its content and of the digest before it; the table's row has the last one. So a reader
notices a row that is damaged, missing or rewritten. Names that players gave themselves are not part of the digests:
they are erased when an account is deleted.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.exc import DBAPIError, IntegrityError

from tercet.play.session import LogEvent, TableSettings
from tercet.server.store.database import Database
from tercet.server.store.schema import EVENTS, SEATS, TABLES

DIGEST_BYTES = 16


@dataclass(frozen=True)
class ChainSegment:
    """Events of a log that are as they were written, and the ``digest`` of the last. ``fault`` says what is wrong with
    the next one (None: nothing)."""

    events: tuple[LogEvent, ...]
    client_ids: tuple[str | None, ...]
    digest: bytes
    fault: str | None = None

    @property
    def acks(self) -> dict[str, int]:
        """Return the event number that each client id was acknowledged with."""
        return {by: event.number for event, by in zip(self.events, self.client_ids, strict=True) if by}


def first_link(table_id: str, setup: Mapping[str, Any]) -> bytes:
    """Return the digest before a table's first event. ``setup`` are its settings as they are stored."""
    seats = [{key: value for key, value in seat.items() if key != "name"} for seat in setup.get("seats", ())]
    content = f"{table_id}\0{json.dumps({**setup, 'seats': seats})}"
    return blake2b(content.encode(), digest_size=DIGEST_BYTES).digest()


def _link(previous: bytes, number: int, kind: str, data: Mapping[str, Any], client_id: str | None, at: float) -> bytes:
    """Return the digest of an event after one whose digest is ``previous``."""
    if kind == "sit":
        data = {key: value for key, value in data.items() if key != "name"}
    content = f"{number}\0{kind}\0{client_id or ''}\0{at!r}\0{json.dumps(data)}"
    return blake2b(content.encode(), key=previous, digest_size=DIGEST_BYTES).digest()


def _event_columns(is_sqlite: bool) -> list[sa.ColumnElement[Any]]:
    """Return the columns of an event that :func:`_follow` reads. SQLite's texts are read as bytes: a damaged one may
    not be UTF-8, and the driver would fail before its digest is compared."""
    kind: sa.types.TypeEngine[Any] = sa.LargeBinary() if is_sqlite else sa.Text()
    texts = {name: sa.cast(EVENTS.c[name], kind).label(name) for name in ("kind", "data", "client_id")}
    return [EVENTS.c.number, *texts.values(), EVENTS.c.at, EVENTS.c.digest]


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _follow(previous: bytes, number: int, rows: Iterable[sa.Row[Any]]) -> ChainSegment:
    """Return the events of ``rows`` (which have :func:`_event_columns`) up to the first that is not as it was written.
    ``number`` and ``previous`` are number and digest of the event before them."""
    events: list[LogEvent] = []
    client_ids: list[str | None] = []
    fault = None
    for row in rows:
        if row.number != number + 1:
            fault = f"event {number + 1} is missing"
            break
        kind, client_id = _text(row.kind), _text(row.client_id)
        try:
            data = json.loads(_text(row.data))
            digest = _link(previous, row.number, kind, data, client_id, row.at)
        except (ValueError, TypeError, AttributeError):  # it is no JSON any more, or not an event's
            digest = None
        if digest is None or digest != row.digest:
            fault = f"event {row.number} is not as it was written"
            break
        previous, number = digest, row.number
        events.append(LogEvent(row.number, kind, data))
        client_ids.append(client_id)
    return ChainSegment(tuple(events), tuple(client_ids), previous, fault)


MAX_BYTES = 1 << 22  # of a file; with the one before it there are always some ten thousand events in it


class Heads:
    """A file beside an SQLite database that names the events written last, so that a database that has lost some is
    noticed. It is written without waiting for the disk: after a power cut it may name fewer events than the database
    has, never more. Several processes may write to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._older = path.with_name(f"{path.name}.1")
        self._file: io.FileIO | None = None

    @classmethod
    def beside(cls, database: Database) -> Heads | None:
        """Return the file beside ``database``; None if the database is not a file."""
        name = database.url.database if database.is_sqlite else None
        return None if name in (None, "", ":memory:") else cls(Path(f"{name}-heads"))

    def note(self, table_id: str, number: int, digest: bytes) -> None:
        """Add an event that was written. On a full disk it is left out, and play goes on."""
        with contextlib.suppress(OSError):
            if self._file is None:
                self._file = io.FileIO(self.path, "a")
            self._file.write(b"%s %d %s\n" % (table_id.encode(), number, digest.hex().encode()))
            if self._file.tell() > MAX_BYTES:
                self._file = None
                self.path.replace(self._older)

    def forget(self, table_id: str) -> None:
        """Let the file name no event of this table that was written until now."""
        self.note(table_id, 0, b"")

    def read(self) -> dict[str, tuple[int, bytes]]:
        """Return number and digest of the last event of each table in the file."""
        heads: dict[str, tuple[int, bytes]] = {}
        for path in (self._older, self.path):
            with contextlib.suppress(OSError):
                for line in path.read_bytes().splitlines():
                    with contextlib.suppress(ValueError):  # cut off by a power failure
                        table_id, number, digest = line.decode().split(" ")
                        if not table_id.isalnum():  # which may leave zero bytes, too
                            continue
                        if number == "0":
                            heads.pop(table_id, None)
                        elif len(digest) == 32 and int(number) >= heads.get(table_id, (0, b""))[0]:
                            heads[table_id] = (int(number), bytes.fromhex(digest))
        return heads

    def clear(self) -> None:
        """Empty the file."""
        with contextlib.suppress(OSError):
            os.truncate(self.path, 0)
            self._older.unlink(missing_ok=True)


AlsoWrite = Callable[[sa.Connection, Sequence[LogEvent]], None]  # writes more with the events


class Conflict(Exception):  # noqa: N818  (it reports a state, not a fault)
    """The log has gone on, or another process owns the table."""


@dataclass(frozen=True)
class SeatAccess:
    """What opens a seat: the token with this hash, and this person wherever they are signed in."""

    token_hash: str | None = None
    person_id: str | None = None


@dataclass(frozen=True)
class TableSummary:
    """What follows from a log and is stored beside it for queries: when a flag falls (milliseconds), how many seats
    wait for a player, whether the game is over, and how it ended."""

    deadline: int | None = None
    waiting: int = 0
    over: bool = False
    result: Mapping[str, Any] | None = None


# A statement as one driver takes it: its text, the names of its parameters, whether these are given in order (the text
# has question marks), and functions that convert the values of some of them.
DriverStatement = tuple[str, tuple[str, ...], bool, Mapping[str, Callable[[Any], Any]]]


class Prepared:
    """A ``statement`` that is compiled once: that takes longer than to execute it."""

    def __init__(self, statement: sa.Insert | sa.Update) -> None:
        self._statement = statement
        self._made: dict[str, DriverStatement] = {}

    def execute(self, connection: sa.Connection, values: Mapping[str, Any]) -> int:
        """Execute it with ``values`` for all its parameters. Return the number of rows that it concerned."""
        dialect = connection.dialect
        if dialect.name not in self._made:
            self._made[dialect.name] = self._make(dialect)
        text, names, is_ordered, convert = self._made[dialect.name]
        given = {name: convert[name](values[name]) if name in convert else values[name] for name in names}
        if not is_ordered:
            return connection.exec_driver_sql(text, given).rowcount
        # SQLite's driver itself: what SQLAlchemy does around a statement takes several times as long as the statement.
        ordered = tuple(given.values())
        cursor = connection.connection.cursor()
        try:
            cursor.execute(text, ordered)
            return cursor.rowcount
        except sqlite3.Error as error:
            raise DBAPIError.instance(text, ordered, error, sqlite3.Error, dialect=dialect) from error
        finally:
            cursor.close()

    def _make(self, dialect: Dialect) -> DriverStatement:
        compiled = self._statement.compile(dialect=dialect)
        names = tuple(compiled.params if compiled.positiontup is None else compiled.positiontup)
        processors = {name: compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect) for name in names}
        convert = {name: process for name, process in processors.items() if process is not None}
        return str(compiled), names, compiled.positiontup is not None, convert


_WRITE_EVENT = Prepared(EVENTS.insert())
IDS: sa.BindParameter[Any] = sa.bindparam("ids", expanding=True)
_HEAD_COLUMNS = TABLES.c.id, TABLES.c.number, TABLES.c.digest, TABLES.c.damage
_HEAD: sa.Select[Any] = sa.select(*_HEAD_COLUMNS).where(TABLES.c.id == sa.bindparam("table"))
_LATER = (EVENTS.c.table_id == sa.bindparam("table")) & (EVENTS.c.number > sa.bindparam("after"))
_HEADS = sa.select(TABLES.c.id, TABLES.c.number, TABLES.c.owner).where(TABLES.c.id.in_(IDS))


def open_seat(connection: sa.Connection, table_id: str, seat: int, access: SeatAccess) -> None:
    """Give ``seat`` a new token or person."""
    this = (SEATS.c.table_id == table_id) & (SEATS.c.seat == seat)
    if not connection.execute(SEATS.update().where(this).values(**vars(access))).rowcount:
        connection.execute(SEATS.insert().values(table_id=table_id, seat=seat, **vars(access)))


@functools.cache
def _change(owned: bool, over: bool) -> Prepared:
    """Return the statement that brings a table's row up to date with new events of its log. It changes no row if the
    log has gone on meanwhile, nor (with ``owned``) if another process owns the table. ``over``: the game is over."""
    known = (TABLES.c.id == sa.bindparam("of")) & (TABLES.c.number == sa.bindparam("before"))
    known &= TABLES.c.digest == sa.bindparam("after")
    if owned:
        known &= TABLES.c.owner == sa.bindparam("by")
    ends = sa.bindparam("ends", type_=TABLES.c.ended.type)
    change = TABLES.update().values(
        number=sa.bindparam("to"),
        digest=sa.bindparam("head"),
        deadline=sa.bindparam("falls"),
        waiting=sa.bindparam("open"),
        over=sa.true() if over else sa.false(),
        ended=sa.case((TABLES.c.over, TABLES.c.ended), else_=ends) if over else sa.null(),
        result=sa.bindparam("ending", type_=TABLES.c.result.type),
    )
    return Prepared(change.where(known))


def _fault(links: ChainSegment, number: int, head_number: int, head: bytes | None) -> str | None:
    """Return why a log cannot be trusted after its event ``number``, the last of ``links``; None if it can. The table's
    row says that its last event has the number ``head_number`` and the digest ``head``."""
    if links.fault is not None:
        return links.fault
    if number < head_number:
        return f"event {number + 1} is missing"
    if number > head_number:
        return f"event {head_number + 1} is missing from the database, though it was written"
    return None if links.digest == head else f"event {number} is not as it was written"


class Logs:
    """The logs of tables in a database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._events = sa.select(*_event_columns(database.is_sqlite)).where(_LATER).order_by(EVENTS.c.number)
        self.heads_file = Heads.beside(database)
        self.lost: dict[str, str] = {}  # tables that the database does not have, though it had; and what is missing

    async def since(self, table_id: str, number: int, digest: bytes) -> ChainSegment:
        """Return the events after the one with this ``number`` and ``digest``. They have a fault if the log on disk
        does not go on from there, or not up to its last event."""

        def find(connection: sa.Connection) -> ChainSegment:
            head = connection.execute(_HEAD, {"table": table_id}).one()
            if (head.number, head.digest) == (number, digest):
                return ChainSegment((), (), digest, head.damage)
            links, fault = self._read_log(connection, head, number, digest)
            return replace(links, fault=fault)

        return await self.database.find(find)

    async def note_damage(self, table_id: str, damage: str) -> bool:
        """Write that the log of this table cannot be trusted: no process acts at it from now on. Return whether that is
        new."""
        sound = (TABLES.c.id == table_id) & TABLES.c.damage.is_(None)
        change = TABLES.update().where(sound).values(damage=damage[:200])
        return await self.database.change(change, order=table_id) > 0

    async def compare_heads(self) -> dict[str, str]:
        """Find tables whose last event is in the file of :class:`Heads` and not in the database, and write that they
        are damaged. Return those of which this is new, and all :attr:`lost` ones. Empty the file if there are none."""
        missing = await self._missing()
        if self.heads_file is not None and not missing:
            self.heads_file.clear()
        lost, note = self.lost, self.note_damage
        return {one: damage for one, damage in missing.items() if one in lost or await note(one, damage)}

    async def _missing(self) -> dict[str, str]:
        named = {} if self.heads_file is None else self.heads_file.read()
        query = sa.select(EVENTS.c.table_id, EVENTS.c.number, EVENTS.c.digest)
        keys = sa.tuple_(EVENTS.c.table_id, EVENTS.c.number).in_(IDS)
        heads = [(table_id, number) for table_id, (number, _) in named.items()]
        rows = await self.database.rows_of(query.where(keys), heads)
        have = {(row.table_id, row.number): row.digest for row in rows}
        missing = {
            table_id: f"event {number} is missing from the database, though it was written"
            for table_id, (number, digest) in named.items()
            if have.get((table_id, number)) != digest
        }
        there = {row.id for row in await self.database.rows_of(_HEADS, missing)}
        self.lost = {table_id: damage for table_id, damage in missing.items() if table_id not in there}
        return missing

    async def damaged(self) -> dict[str, tuple[int, str]]:
        """Read every log in the database. Return the tables whose logs cannot be trusted, each with the number of the
        last event that can, and what is wrong after it."""

        def find(connection: sa.Connection) -> dict[str, tuple[int, str]]:
            damaged: dict[str, tuple[int, str]] = {}
            for table_id in connection.scalars(sa.select(TABLES.c.id).order_by(TABLES.c.id)).all():
                table = connection.execute(sa.select(TABLES).where(TABLES.c.id == table_id)).one()
                links, fault = self._read_log(connection, table)
                if fault is not None:
                    damaged[table_id] = len(links.events), fault
            return damaged

        await self._missing()
        return await self.database.find(find) | {table_id: (0, damage) for table_id, damage in self.lost.items()}

    def _read_log(
        self, connection: sa.Connection, table: sa.Row[Any], number: int = 0, digest: bytes | None = None
    ) -> tuple[ChainSegment, str | None]:
        """Return the events of a table (its row) that can be trusted, and why the rest cannot: all events, or those
        after the one with this ``number`` and ``digest``."""
        rows = connection.execute(self._events, {"table": table.id, "after": number})
        known = [row for row in rows if row.number <= table.number]  # later ones came since then
        links = _follow(first_link(table.id, table.setup) if digest is None else digest, number, known)
        return links, table.damage or _fault(links, number + len(links.events), table.number, table.digest)

    async def cut(self, table_id: str, summary: Callable[[TableSettings, Sequence[LogEvent]], TableSummary]) -> int:
        """Delete the events of a damaged table that cannot be trusted, so that its game can go on. Return the number of
        the last event. ``summary`` makes the summary of the events left. No server may have the table in memory."""

        def write(connection: sa.Connection) -> int:
            table = connection.execute(sa.select(TABLES).where(TABLES.c.id == table_id)).first()
            if table is None:  # all of it is lost
                return 0
            links, fault = self._read_log(connection, table)
            number = len(links.events)
            if fault is not None:
                leads_to = summary(TableSettings.read(table.setup), links.events)
                later = (EVENTS.c.table_id == table_id) & (EVENTS.c.number > number)
                connection.execute(EVENTS.delete().where(later))
                now = {**vars(leads_to), "number": number, "digest": links.digest, "damage": None, "owner": None}
                ended = TABLES.c.ended if leads_to.over else None
                connection.execute(TABLES.update().where(TABLES.c.id == table_id).values(**now, ended=ended))
            return number

        number = await self.database.write_together(table_id, write)
        if self.heads_file is not None:
            self.heads_file.forget(table_id)
        return number

    async def heads(self, tables: Sequence[str]) -> dict[str, tuple[int, int | None]]:
        """Return, by table, the number of its last event and the process that owns it."""
        return {row.id: (row.number, row.owner) for row in await self.database.rows_of(_HEADS, tables)}

    async def append(
        self,
        table_id: str,
        events: Sequence[LogEvent],
        client_id: str | None,
        summary: TableSummary | None = None,
        *,
        owner: int | None = None,
        seats: Mapping[int, SeatAccess] | None = None,
        also: AlsoWrite | None = None,
        previous: bytes | None = None,
    ) -> bytes:
        """Write ``events`` in one transaction, which is on disk when this returns the digest of the last of them.

        ``client_id`` belongs to the last of them. ``summary`` is what they lead to. ``previous`` is the digest of the
        event before them (None: it is read). In the same transaction ``seats`` get new keys, and ``also`` writes more.
        Raise Conflict if the log has gone on or knows the client id, or if ``owner`` is given and owns the table no
        longer.
        """
        now = time.time()
        summary = summary or TableSummary()
        change = _change(owner is not None, summary.over)
        to = {
            "of": table_id,
            "before": events[0].number - 1,
            "to": events[-1].number,
            "falls": summary.deadline,
            "open": summary.waiting,
            "ending": None if summary.result is None else dict(summary.result),
            **({} if owner is None else {"by": owner}),
            **({"ends": now} if summary.over else {}),
        }

        def write(connection: sa.Connection) -> bytes:
            before = previous
            if before is None:
                before = connection.scalar(sa.select(TABLES.c.digest).where(TABLES.c.id == table_id)) or b""
            rows, digest = [], before
            for event in events:
                data, by = dict(event.data), client_id if event is events[-1] else None
                digest = _link(digest, event.number, event.kind, data, by, now)
                row = {"table_id": table_id, "number": event.number, "kind": event.kind, "data": data, "client_id": by}
                rows.append({**row, "at": now, "digest": digest})
            if change.execute(connection, {**to, "after": before, "head": digest}) != 1:
                raise Conflict
            for row in rows:
                _WRITE_EVENT.execute(connection, row)
            for seat, access in (seats or {}).items():
                open_seat(connection, table_id, seat, access)
            if also is not None:
                also(connection, events)
            return digest

        try:
            digest = await self.database.write_together(table_id, write)
        except IntegrityError:
            raise Conflict from None
        if self.heads_file is not None:
            self.heads_file.note(table_id, events[-1].number, digest)
        return digest
