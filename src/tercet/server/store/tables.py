"""Tables and their logs. When :meth:`Store.append` returns, its events survive a killed process and a power cut (SQLite
with a write-ahead log and ``synchronous=FULL``; PostgreSQL with its defaults)."""

from __future__ import annotations

import functools
import hashlib
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.exc import DBAPIError, IntegrityError

from tercet.answers.tables import Occupant, TableInfo
from tercet.play.ratings import pool_of, read_rating, shown
from tercet.play.session import LogEvent, TableSettings
from tercet.server.store import chain
from tercet.server.store.chain import Heads
from tercet.server.store.database import Database
from tercet.server.store.schema import CHALLENGES, CONDITIONAL_MOVES, EVENTS, PAIRINGS, PEOPLE, RATINGS, SEATS, TABLES

Lines = tuple[tuple[str, ...], ...]  # of actions
AlsoWrite = Callable[[sa.Connection, Sequence[LogEvent]], None]  # writes more with the events


class Conflict(Exception):  # noqa: N818  (it reports a state, not a fault)
    """The log has gone on, or another process owns the table."""


class Outdated(Exception):  # noqa: N818  (it reports a state, not a fault)
    """The conditional moves of a seat have changed."""


@dataclass(frozen=True)
class ConditionalLines:
    """The conditional moves of ``seat``: ``lines`` from ``ply`` on, set after the event ``number``. They get another
    ``version`` each time."""

    seat: int
    number: int
    ply: int
    lines: Lines
    version: str = field(default_factory=lambda: secrets.token_hex(8))


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


@dataclass(frozen=True)
class StoredTable:
    """A table as it is on disk. ``opened`` is when (seconds), ``tokens`` are the hashes of the seats' tokens,
    ``occupants`` the known people in the seats. ``acks`` has the event number that each client id was acknowledged
    with. ``owner`` is the process that lets flags fall and runs engines. ``digest`` is the last event's; ``damage``
    says why the log cannot be trusted after that event (None: it can)."""

    info: TableInfo
    opened: float
    tokens: Mapping[int, str]
    log: tuple[LogEvent, ...]
    acks: Mapping[str, int]
    occupants: Mapping[int, Occupant] = field(default_factory=dict)
    owner: int | None = None
    digest: bytes = b""
    damage: str | None = None


@functools.lru_cache(maxsize=1 << 14)
def hash_token(token: str) -> str:
    """Return the stored hash of a seat's token. Tokens carry 192 random bits, so a plain hash is enough."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


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


DAY_SECONDS = 86_400
_WRITE_EVENT = Prepared(EVENTS.insert())
_IDS: sa.BindParameter[Any] = sa.bindparam("ids", expanding=True)
_HEADS = sa.select(TABLES.c.id, TABLES.c.number, TABLES.c.owner).where(TABLES.c.id.in_(_IDS))
_TOKENS = sa.select(SEATS).where(SEATS.c.table_id.in_(_IDS) & SEATS.c.token_hash.is_not(None))
_CONDITIONAL = sa.select(CONDITIONAL_MOVES).where(CONDITIONAL_MOVES.c.table_id.in_(_IDS))
_FORGET = CONDITIONAL_MOVES.delete().where(
    (CONDITIONAL_MOVES.c.table_id == sa.bindparam("table")) & (CONDITIONAL_MOVES.c.seat == sa.bindparam("planner"))
)
_PLANNED = sa.exists().where(CONDITIONAL_MOVES.c.table_id == TABLES.c.id)  # an answer may be due
_OWNERS = sa.select(TABLES.c.owner).where(TABLES.c.owner.is_not(None)).distinct()
_OVERDUE = (
    sa.select(TABLES.c.id)
    .where((TABLES.c.deadline <= sa.bindparam("now")) & TABLES.c.over.is_(False))
    .where(TABLES.c.owner.is_(None) & TABLES.c.damage.is_(None))
    .order_by(TABLES.c.deadline)
    .limit(sa.bindparam("most", type_=sa.Integer))
)

_GONE = PEOPLE.c.deleted.is_not(None) & TABLES.c.over.is_(False) & TABLES.c.damage.is_(None)
_LEFT_SEATS = (
    sa.select(SEATS.c.table_id, SEATS.c.seat, SEATS.c.person_id)
    .join(TABLES, TABLES.c.id == SEATS.c.table_id)
    .join(PEOPLE, PEOPLE.c.id == SEATS.c.person_id)
    .where(_GONE & SEATS.c.token_hash.is_(None))
)
_LEFT_CHALLENGES = (
    sa.select(CHALLENGES.c.table_id, sa.literal(None), CHALLENGES.c.to_id)
    .join(TABLES, TABLES.c.id == CHALLENGES.c.table_id)
    .join(PEOPLE, PEOPLE.c.id == CHALLENGES.c.to_id)
    .where(_GONE & (TABLES.c.waiting > 0))
)


def _open_seat(connection: sa.Connection, table_id: str, seat: int, access: SeatAccess) -> None:
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


def _read_seats(
    connection: sa.Connection, table_id: str, settings: TableSettings, speed: str
) -> tuple[dict[int, str], dict[int, Occupant]]:
    now = time.time()
    rated = (
        (RATINGS.c.person_id == SEATS.c.person_id)
        & (RATINGS.c.game == pool_of(settings.game, len(settings.seats)))
        & (RATINGS.c.speed == speed)
    )
    who = (PEOPLE.c.name, PEOPLE.c.handle, PEOPLE.c.kind)
    rows = connection.execute(
        sa.select(SEATS, *who, RATINGS.c["values"].label("strength"), RATINGS.c.at)
        .outerjoin(PEOPLE, PEOPLE.c.id == SEATS.c.person_id)
        .outerjoin(RATINGS, rated)
        .where(SEATS.c.table_id == table_id)
    ).all()
    occupants = {}
    for row in rows:
        if row.person_id:
            days = 0.0 if row.at is None else max(0.0, now - row.at) / DAY_SECONDS
            rating = None if row.at is None else shown(read_rating(row.strength), days)
            occupants[row.seat] = Occupant(row.person_id, row.name, row.handle, row.kind, rating)
    return {row.seat: row.token_hash for row in rows if row.token_hash}, occupants


def _fault(links: chain.ChainSegment, number: int, head_number: int, head: bytes | None) -> str | None:
    """Return why a log cannot be trusted after its event ``number``, the last of ``links``; None if it can. The table's
    row says that its last event has the number ``head_number`` and the digest ``head``."""
    if links.fault is not None:
        return links.fault
    if number < head_number:
        return f"event {number + 1} is missing"
    if number > head_number:
        return f"event {head_number + 1} is missing from the database, though it was written"
    return None if links.digest == head else f"event {number} is not as it was written"


class Store:
    """Tables in a database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._columns = chain.columns(database.is_sqlite)
        self.heads_file = Heads.beside(database)
        self.lost: dict[str, str] = {}  # tables that the database does not have, though it had; and what is missing

    async def open_table(self, info: TableInfo, accesses: Mapping[int, SeatAccess]) -> None:
        """Write a new table with its seats, and what opens them."""
        await self.database.write_together(info.id, self.opening(info, accesses))

    @staticmethod
    def opening(info: TableInfo, accesses: Mapping[int, SeatAccess]) -> Callable[[sa.Connection], None]:
        """Return the function that writes a new table with its seats."""
        setup = info.settings.data()
        table = TABLES.insert().values(
            id=info.id,
            setup=setup,
            digest=chain.first_link(info.id, setup),
            opened=time.time(),
            game=info.settings.game,
            speed=info.speed,
            creator=info.creator,
            public=info.public,
            rated=info.rated,
            waiting=info.waiting,
            after=info.after,
        )
        seats = [{"table_id": info.id, "seat": seat, **vars(access)} for seat, access in accesses.items()]

        def write(connection: sa.Connection) -> None:
            connection.execute(table)
            if seats:
                connection.execute(SEATS.insert(), seats)

        return write

    async def load(self, table_id: str) -> StoredTable | None:
        """Return the table as it is on disk; None if there is none."""
        return await self.database.find(lambda connection: self._load(connection, table_id))

    def _load(self, connection: sa.Connection, table_id: str) -> StoredTable | None:
        row = connection.execute(
            sa.select(TABLES, PAIRINGS.c.tournament_id)
            .outerjoin(PAIRINGS, PAIRINGS.c.table_id == TABLES.c.id)
            .where(TABLES.c.id == table_id)
        ).first()
        if row is None:
            return None
        settings, after = TableSettings.read(row.setup), (row.after, row.tournament_id)
        info = TableInfo(table_id, settings, row.speed, row.creator, row.public, row.rated, *after)
        tokens, occupants = _read_seats(connection, table_id, settings, row.speed)
        links, damage = self._read_log(connection, row)
        log = (links.events, links.acks)
        return StoredTable(info, row.opened, tokens, *log, occupants, row.owner, links.digest, damage)

    async def read_seats(self, table_id: str) -> tuple[dict[int, str], dict[int, Occupant]]:
        """Return the hashes of the seats' tokens, and the known people in them."""
        about = sa.select(TABLES.c.setup, TABLES.c.speed).where(TABLES.c.id == table_id)

        def find(connection: sa.Connection) -> tuple[dict[int, str], dict[int, Occupant]]:
            row = connection.execute(about).one()
            return _read_seats(connection, table_id, TableSettings.read(row.setup), row.speed)

        return await self.database.find(find)

    async def seat_tokens(self, tables: Sequence[str]) -> dict[str, dict[int, str]]:
        """Return the hashes of the seats' tokens, by table and seat."""
        tokens: dict[str, dict[int, str]] = {}
        for row in await self.database.rows_of(_TOKENS, tables):
            tokens.setdefault(row.table_id, {})[row.seat] = row.token_hash
        return tokens

    async def since(self, table_id: str, number: int, digest: bytes) -> chain.ChainSegment:
        """Return the events after the one with this ``number`` and ``digest``. They have a fault if the log on disk
        does not go on from there, or not up to its last event."""
        columns = [TABLES.c.id, TABLES.c.number, TABLES.c.digest, TABLES.c.damage]
        head = sa.select(*columns).where(TABLES.c.id == table_id)

        def find(connection: sa.Connection) -> chain.ChainSegment:
            links, fault = self._read_log(connection, connection.execute(head).one(), number, digest)
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
        keys = sa.tuple_(EVENTS.c.table_id, EVENTS.c.number).in_(_IDS)
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
    ) -> tuple[chain.ChainSegment, str | None]:
        """Return the events of a table (its row) that can be trusted, and why the rest cannot: all events, or those
        after the one with this ``number`` and ``digest``."""
        later = (EVENTS.c.table_id == table.id) & (EVENTS.c.number > number)
        rows = connection.execute(sa.select(*self._columns).where(later).order_by(EVENTS.c.number))
        known = [row for row in rows if row.number <= table.number]  # later ones came since then
        links = chain.follow(chain.first_link(table.id, table.setup) if digest is None else digest, number, known)
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

    async def overdue(self, now: int, most: int) -> list[str]:
        """Return tables without an owner where a flag should have fallen by ``now`` (milliseconds), the most overdue
        first."""
        return await self.database.scalars(_OVERDUE, {"now": now, "most": most})

    async def owners(self) -> list[int]:
        """Return the ids of the processes that own tables."""
        return await self.database.scalars(_OWNERS)

    async def clocks_of(self, process_id: int, most: int) -> list[str]:
        """Return tables that ``process_id`` owns where a clock runs, or a conditional move may be due."""
        running = (TABLES.c.owner == process_id) & (TABLES.c.deadline.is_not(None) | _PLANNED)
        running &= TABLES.c.over.is_(False)
        running &= TABLES.c.damage.is_(None)
        return await self.database.scalars(sa.select(TABLES.c.id).where(running).limit(most))

    async def forget_idle(self, process_id: int) -> None:
        """Release the tables of the dead ``process_id`` where no clock runs and no conditional move may be due."""
        idle = (TABLES.c.deadline.is_(None) & ~_PLANNED) | TABLES.c.over | TABLES.c.damage.is_not(None)
        await self.database.change(TABLES.update().where((TABLES.c.owner == process_id) & idle).values(owner=None))

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
                digest = chain.link(digest, event.number, event.kind, data, by, now)
                row = {"table_id": table_id, "number": event.number, "kind": event.kind, "data": data, "client_id": by}
                rows.append({**row, "at": now, "digest": digest})
            if change.execute(connection, {**to, "after": before, "head": digest}) != 1:
                raise Conflict
            for row in rows:
                _WRITE_EVENT.execute(connection, row)
            for seat, access in (seats or {}).items():
                _open_seat(connection, table_id, seat, access)
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

    async def left(self) -> set[tuple[str, int | None, str]]:
        """Return the seats (table, seat, person) of people who are gone, in games in progress, if no token opens them
        either. With None for the seat: tables that wait for such a person's answer to a challenge."""
        rows = [row for query in (_LEFT_SEATS, _LEFT_CHALLENGES) for row in await self.database.rows(query)]
        return {(row[0], row[1], row[2]) for row in rows}

    async def open_seat(self, table_id: str, seat: int, access: SeatAccess) -> None:
        """Give ``seat`` a new token or person: nothing else opens it from now on."""
        await self.database.write_together(table_id, lambda connection: _open_seat(connection, table_id, seat, access))

    async def conditional(self, tables: Sequence[str]) -> dict[str, dict[int, ConditionalLines]]:
        """Return the conditional moves, by table and seat."""
        kept: dict[str, dict[int, ConditionalLines]] = {}
        for row in await self.database.rows_of(_CONDITIONAL, tables):
            lines = tuple(map(tuple, row.lines))
            one = ConditionalLines(row.seat, row.number, row.ply, lines, row.version)
            kept.setdefault(row.table_id, {})[row.seat] = one
        return kept

    async def keep_conditional(
        self, table_id: str, seat: int, kept: ConditionalLines | None, instead_of: ConditionalLines | None = None
    ) -> None:
        """Write the conditional moves of ``seat`` (None: it has none) in place of others (``instead_of``: of these)."""
        forget = _FORGET
        if instead_of is not None:
            forget = forget.where(CONDITIONAL_MOVES.c.version == instead_of.version)

        def write(connection: sa.Connection) -> None:
            connection.execute(forget, {"table": table_id, "planner": seat})
            if kept is not None:
                connection.execute(CONDITIONAL_MOVES.insert(), {"table_id": table_id, **vars(kept)})

        await self.database.write_together(table_id, write)

    @staticmethod
    def still_kept(table_id: str, kept: ConditionalLines) -> AlsoWrite:
        """Return what raises Outdated, in the transaction that plays one of them, if they have changed meanwhile."""
        this = (CONDITIONAL_MOVES.c.table_id == table_id) & (CONDITIONAL_MOVES.c.seat == kept.seat)
        version = sa.select(CONDITIONAL_MOVES.c.version).where(this).with_for_update()

        def check(connection: sa.Connection, _events: Sequence[LogEvent]) -> None:
            if connection.scalar(version) != kept.version:
                raise Outdated

        return check

    async def own(self, tables: Sequence[str], process_id: int, instead_of: int | None) -> dict[str, int]:
        """Let ``process_id`` own those of ``tables`` (some hundred at most) that the dead process ``instead_of`` owned
        (None: no process did). Return these, with the numbers of their last events; another process took the rest."""
        before = TABLES.c.owner.is_(None) if instead_of is None else TABLES.c.owner == instead_of
        theirs = TABLES.c.id.in_(tables) & before
        change = TABLES.update().where(theirs).values(owner=process_id).returning(TABLES.c.id, TABLES.c.number)

        def write_one(connection: sa.Connection) -> dict[str, int]:
            return {row.id: row.number for row in connection.execute(change)}

        if len(tables) == 1:
            return await self.database.write_together(tables[0], write_one)

        def write_many(connection: sa.Connection) -> dict[str, int]:
            # In one order everywhere, so that no two processes ever wait for each other's rows.
            connection.execute(sa.select(TABLES.c.id).where(theirs).order_by(TABLES.c.id).with_for_update())
            return write_one(connection)

        return await self.database.write_alone(write_many)

    async def disown(self, process_id: int, tables: Iterable[str] | None = None) -> None:
        """Release ``tables`` that ``process_id`` owns (None: all but those where a conditional move may be due: the
        next process looks at them)."""
        theirs = TABLES.c.owner == process_id
        theirs &= ~_PLANNED | TABLES.c.over if tables is None else TABLES.c.id.in_(list(tables))
        await self.database.change(TABLES.update().where(theirs).values(owner=None))


def draw_lots(seats: int) -> tuple[int, ...]:
    """Return a random order: for each seat, the one to which its player moves."""
    return tuple(secrets.SystemRandom().sample(range(seats), seats))


def move_seats(connection: sa.Connection, table_id: str, events: Sequence[LogEvent]) -> None:
    """Write that players move to the seats that were drawn by lot, if that is among ``events``."""
    for event in events:
        if event.kind != "lots":
            continue
        theirs = SEATS.c.table_id == table_id
        rows = {row["seat"]: row for row in connection.execute(sa.select(SEATS).where(theirs)).mappings()}
        connection.execute(sa.delete(SEATS).where(theirs))
        moved = [{**rows[seat], "seat": to} for seat, to in enumerate(event.data["seats"]) if seat in rows]
        if moved:
            connection.execute(SEATS.insert(), moved)
