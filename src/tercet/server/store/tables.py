"""Tables in a database: their seats, who owns them, conditional moves. Their logs are in :mod:`.logs`."""

from __future__ import annotations

import functools
import hashlib
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa

from tercet.answers.tables import Occupant, TableInfo
from tercet.play.ratings import pool_of, read_rating, shown
from tercet.play.session import LogEvent, TableSettings
from tercet.server.store.logs import IDS, AlsoWrite, Logs, SeatAccess, first_link, open_seat
from tercet.server.store.schema import CHALLENGES, CONDITIONAL_MOVES, PAIRINGS, PEOPLE, RATINGS, SEATS, TABLES

Lines = tuple[tuple[str, ...], ...]  # of actions


class Outdated(Exception):  # noqa: N818  (it reports a state, not a fault)
    """The conditional moves of a seat, or a person's vacation, have changed."""


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


DAY_SECONDS = 86_400
_TOKENS = sa.select(SEATS).where(SEATS.c.table_id.in_(IDS) & SEATS.c.token_hash.is_not(None))
_CONDITIONAL = sa.select(CONDITIONAL_MOVES).where(CONDITIONAL_MOVES.c.table_id.in_(IDS))
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


_THEIRS = (RATINGS.c.person_id == SEATS.c.person_id) & (RATINGS.c.game == sa.bindparam("pool"))
_OCCUPANTS = (
    sa.select(SEATS, PEOPLE.c.name, PEOPLE.c.handle, PEOPLE.c.kind, RATINGS.c["values"].label("strength"), RATINGS.c.at)
    .outerjoin(PEOPLE, PEOPLE.c.id == SEATS.c.person_id)
    .outerjoin(RATINGS, _THEIRS & (RATINGS.c.speed == sa.bindparam("of_speed")))
    .where(SEATS.c.table_id == sa.bindparam("table"))
)
_ABOUT = sa.select(TABLES.c.setup, TABLES.c.speed).where(TABLES.c.id == sa.bindparam("table"))
_STORED = (
    sa.select(TABLES, PAIRINGS.c.tournament_id)
    .outerjoin(PAIRINGS, PAIRINGS.c.table_id == TABLES.c.id)
    .where(TABLES.c.id == sa.bindparam("table"))
)


def _read_seats(
    connection: sa.Connection, table_id: str, settings: TableSettings, speed: str
) -> tuple[dict[int, str], dict[int, Occupant]]:
    now, pool = time.time(), pool_of(settings.game, len(settings.seats))
    rows = connection.execute(_OCCUPANTS, {"table": table_id, "pool": pool, "of_speed": speed}).all()
    occupants = {}
    for row in rows:
        if row.person_id:
            days = 0.0 if row.at is None else max(0.0, now - row.at) / DAY_SECONDS
            rating = None if row.at is None else shown(read_rating(row.strength), days)
            occupants[row.seat] = Occupant(row.person_id, row.name, row.handle, row.kind, rating)
    return {row.seat: row.token_hash for row in rows if row.token_hash}, occupants


class Store(Logs):
    """Tables in a database, with their logs."""

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
            digest=first_link(info.id, setup),
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
        row = connection.execute(_STORED, {"table": table_id}).first()
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

        def find(connection: sa.Connection) -> tuple[dict[int, str], dict[int, Occupant]]:
            row = connection.execute(_ABOUT, {"table": table_id}).one()
            return _read_seats(connection, table_id, TableSettings.read(row.setup), row.speed)

        return await self.database.find(find)

    async def seat_tokens(self, tables: Sequence[str]) -> dict[str, dict[int, str]]:
        """Return the hashes of the seats' tokens, by table and seat."""
        tokens: dict[str, dict[int, str]] = {}
        for row in await self.database.rows_of(_TOKENS, tables):
            tokens.setdefault(row.table_id, {})[row.seat] = row.token_hash
        return tokens

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

    async def left(self) -> set[tuple[str, int | None, str]]:
        """Return the seats (table, seat, person) of people who are gone, in games in progress, if no token opens them
        either. With None for the seat: tables that wait for such a person's answer to a challenge."""
        rows = [row for query in (_LEFT_SEATS, _LEFT_CHALLENGES) for row in await self.database.rows(query)]
        return {(row[0], row[1], row[2]) for row in rows}

    async def open_seat(self, table_id: str, seat: int, access: SeatAccess) -> None:
        """Give ``seat`` a new token or person: nothing else opens it from now on."""
        await self.database.write_together(table_id, lambda connection: open_seat(connection, table_id, seat, access))

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
