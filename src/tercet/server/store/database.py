"""A database, by its address: SQLite in a file, or PostgreSQL. Works that wait at the same time are written in one
transaction, so that one wait for the disk serves many. All processes on a database share a clock, :class:`Now`."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from tercet.errors import needs_extra
from tercet.server.errors import DatabaseError, Unreachable
from tercet.server.metrics import DATABASE
from tercet.server.store.schema import METADATA

HEAD = "0017"  # the newest migration; a test holds it to migrations/versions
VERSION = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000")
SETTINGS = (
    "statement_timeout = 20000",
    "idle_in_transaction_session_timeout = 10000",
    # A process that is cut off keeps its locks no longer than that: no one closes such a connection.
    "tcp_keepalives_idle = 4",
    "tcp_keepalives_interval = 2",
    "tcp_keepalives_count = 3",
    "tcp_user_timeout = 10000",
)
# This process gives a connection up when the other processes hold it for dead, so that its works go on over a new one
# when the database can be reached again. By itself the kernel would wait for a quarter of an hour.
LINE = {
    "connect_timeout": 5,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "tcp_user_timeout": 4_000,
}
SCHEMA_LOCK = 7_265_743  # of PostgreSQL, held during a migration
MAX_WORKS = 64  # in one transaction
WRITER_CONNECTIONS = 4  # with PostgreSQL
READER_THREADS = 8
IDS_AT_ONCE = 500  # in one statement
# Seconds between the starts of two transactions of a writer: works that come meanwhile join the next. Waiting for a
# disk takes processor time too. So a slow disk gets fewer transactions (each after twice the time of the last one), and
# so does a crowd: the pause is the shortest up to 80 works a second, and the longest from 240 on.
PACE_SECONDS, SLOWEST_PACE_SECONDS = 0.01, 0.03
CROWD_WORKS = 8000  # a second, for each second of the pace
T = TypeVar("T")
Given = Mapping[str, Any] | None  # the values of a statement's parameters
_READS, _WRITES = DATABASE.labels("read"), DATABASE.labels("write")


def address(where: str | Path) -> URL:
    """Return the address of the database: a ``sqlite:`` or ``postgresql:`` URL, or the path of a file (SQLite)."""
    if isinstance(where, Path) or "://" not in where:
        return URL.create(DRIVERS["sqlite"], database=str(where))
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        raise DatabaseError("The address of the database cannot be read. Write postgresql://user@host/name.") from None
    name = url.drivername.split("+")[0]
    if name not in DRIVERS:
        raise DatabaseError(f"The database must be SQLite or PostgreSQL, not {name[:20]}.")
    return url.set(drivername=DRIVERS[name])


def migrate(url: URL) -> None:
    """Bring the database to the newest schema; create it if there is none. Several processes may call this at once.

    Raise DatabaseError, which names the database, if it cannot be reached, or if it was written by a version of Tercet
    from which no migration leads here.
    """
    is_sqlite = url.drivername.startswith("sqlite")
    name = url.database if is_sqlite else url.render_as_string(hide_password=True)
    try:
        engine = sa.create_engine(url)
        if is_sqlite:
            _settle(engine, is_sqlite)
            _begin_immediately(engine)
            _wait_until_created(engine)
        with engine.begin() as connection:
            if not is_sqlite:
                connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({SCHEMA_LOCK})"))
            VERSION.create(connection, checkfirst=True)
            revision = connection.execute(sa.select(VERSION)).scalar()
            if revision is None:
                METADATA.create_all(connection)
                connection.execute(VERSION.insert().values(version_num=HEAD))
            elif revision != HEAD:
                _upgrade(connection, f"The database {name}", revision)
        engine.dispose()
    except ImportError:
        raise DatabaseError(needs_extra("PostgreSQL", "psycopg")) from None
    except DBAPIError as error:
        raise DatabaseError(f"The database {name} cannot be used: {str(error.orig).strip().splitlines()[0]}.") from None


def _upgrade(connection: sa.Connection, database: str, revision: str) -> None:
    """Run the migrations from ``revision`` to the newest."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent.with_name("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError:
        if revision > HEAD:
            raise DatabaseError(f"{database} was written by a newer version of Tercet. Update Tercet.") from None
        why = "was written by a development version before Tercet 0.2, which no later version can read."
        remedy = "Move it away, or name another place with --data-dir or --database."
        raise DatabaseError(f"{database} {why} {remedy}") from None


def _wait_until_created(engine: sa.Engine) -> None:
    """Connect; try for ten seconds if another process is just creating the file. SQLite does not wait by itself when
    the journal's mode changes."""
    end = time.monotonic() + 10
    while True:
        try:
            engine.connect().close()
            return
        except OperationalError as error:
            if "locked" not in str(error.orig) or time.monotonic() > end:
                raise
            time.sleep(0.02)


def _begin_immediately(engine: sa.Engine) -> None:
    """Have every transaction of SQLite's ``engine`` begin with the right to write. The driver would begin transactions
    by itself, but neither for a change of schema nor at a savepoint."""

    @sa.event.listens_for(engine, "connect")
    def leave(connection: Any, _record: Any) -> None:
        connection.isolation_level = None

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        try:  # by the driver itself, which takes a fifth of the time
            connection.connection.cursor().execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise OperationalError("BEGIN IMMEDIATE", None, error) from error


def _settle(engine: sa.Engine, is_sqlite: bool) -> None:
    """Give every new connection of ``engine`` the settings above."""

    @sa.event.listens_for(engine, "connect")
    def settle(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        for said in (f"PRAGMA {pragma}" for pragma in PRAGMAS) if is_sqlite else (f"SET {one}" for one in SETTINGS):
            cursor.execute(said)
        cursor.close()
        if not is_sqlite:
            connection.commit()


@contextlib.contextmanager
def _as_unreachable() -> Any:
    """Turn what drivers raise while the database does not answer into Unreachable."""
    try:
        yield
    except (OperationalError, InterfaceError, NoConnection, OSError) as error:
        raise Unreachable(str(error).strip().splitlines()[0]) from error
    except DBAPIError as error:
        if error.connection_invalidated or type(error) is sa.exc.DatabaseError:  # the latter: the file is damaged
            raise Unreachable(str(error).strip().splitlines()[0]) from error
        raise


@dataclass
class _Work:
    """Something to write, and who waits for it."""

    do: Callable[[sa.Connection], Any]
    order: str
    done: asyncio.Future[Any]
    charge: Callable[[float], None]


class _Turn:
    """Lets one writer at a time write to SQLite's file. A writer that goes ``first`` waits only for the present one."""

    def __init__(self) -> None:
        self._is_taken = False
        self._first: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    @contextlib.asynccontextmanager
    async def take(self, first: bool = False) -> AsyncIterator[None]:
        """Wait for a turn, and have it while this lasts."""
        if self._is_taken:
            turn = asyncio.get_running_loop().create_future()
            (self._first if first else self._others).append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if not turn.cancelled():  # it had just come
                    self._pass_on()
                raise
        self._is_taken = True
        try:
            yield
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        while self._first or self._others:
            turn = (self._first or self._others).popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._is_taken = False


class _Lane:
    """Works that wait for the next transaction of one writer."""

    def __init__(self) -> None:
        self.waiting: list[_Work] = []
        self.writing: asyncio.Task[None] | None = None
        self.next = 0.0  # when a transaction may begin
        self._rate = 0.0  # recent works a second
        self._began = 0.0

    def note(self, works: int, began: float, took: float) -> None:
        """Note a transaction: how many works it had, when it began, and how many seconds it took."""
        since, self._began = began - self._began, began
        self._rate += 0.3 * (works / max(since, PACE_SECONDS) - self._rate)
        self.next = began + max(PACE_SECONDS, min(max(2 * took, self._rate / CROWD_WORKS), SLOWEST_PACE_SECONDS))


class Database:
    """Connections to a database. With SQLite writers take turns; readers never wait for them. All methods raise
    Unreachable while the database does not answer."""

    def __init__(
        self,
        url: URL,
        threads: Callable[[int, str], ThreadPoolExecutor] = ThreadPoolExecutor,
        bill: Callable[[], Callable[[float], None]] = lambda: lambda _: None,
    ) -> None:
        """``threads`` makes those that read and write, ``bill`` what charges a client for seconds of writing."""
        self.url = url
        self._bill = bill
        self.is_sqlite = url.drivername.startswith("sqlite")
        how: dict[str, Any] = {"hide_parameters": True}  # an error in the log may be about what is private
        how |= {} if self.is_sqlite else {"connect_args": dict(LINE), "pool_pre_ping": True}
        self._turn = _Turn() if self.is_sqlite else None
        writers = 1 if self.is_sqlite else WRITER_CONNECTIONS
        self._writer = sa.create_engine(url, pool_size=writers, max_overflow=0, **how)
        _settle(self._writer, self.is_sqlite)
        how |= {"isolation_level": "AUTOCOMMIT", "skip_autocommit_rollback": True}
        self._reader = sa.create_engine(url, pool_size=READER_THREADS, max_overflow=0, **how)
        _settle(self._reader, self.is_sqlite)
        if self.is_sqlite:
            _begin_immediately(self._writer)
        self._kept: sa.Connection | None = None  # of SQLite's writer, until something fails
        self._threads = threads(writers, "tercet-database")
        self._lanes = [_Lane() for _ in range(writers)]
        self._reading = threads(READER_THREADS, "tercet-reading")

    async def write_alone(self, do: Callable[[sa.Connection], T]) -> T:
        """Return the result of ``do`` on a connection, run in a thread, in a transaction of its own. Its writes are
        then on disk; if it raises, nothing is written. With SQLite no other work is written meanwhile."""

        def write() -> T:
            with self._transaction() as connection:
                return do(connection)

        with _WRITES.time():
            async with self._own_turn():
                return await asyncio.get_running_loop().run_in_executor(self._threads, write)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        """Yield a connection in a transaction. SQLite's one writer keeps its connection: the pool would take a third of
        a small transaction's time."""
        with _as_unreachable():
            connection, self._kept = self._kept or self._writer.connect(), None
            try:
                with connection.begin():
                    yield connection
                self._kept = connection if self.is_sqlite else None
            finally:
                if self._kept is not connection:
                    connection.close()

    def _own_turn(self, first: bool = False) -> contextlib.AbstractAsyncContextManager[None]:
        return contextlib.nullcontext() if self._turn is None else self._turn.take(first)

    async def find(self, do: Callable[[sa.Connection], T]) -> T:
        """Return the result of ``do`` on a connection for reading, run in a thread."""

        def read() -> T:
            with _READS.time(), _as_unreachable(), self._reader.connect() as connection:
                return do(connection)

        return await asyncio.get_running_loop().run_in_executor(self._reading, read)

    async def rows(self, query: sa.Select[Any], given: Given = None) -> Sequence[Any]:
        """Return the rows that ``query`` finds with the ``given`` parameters."""
        return await self.find(lambda connection: connection.execute(query, given).all())

    async def rows_of(self, query: sa.Select[Any], ids: Collection[Any]) -> Sequence[Any]:
        """Return the rows that ``query`` finds for its parameter ``ids``, a list of any length."""
        listed = list(ids)
        parts = [listed[first : first + IDS_AT_ONCE] for first in range(0, len(listed), IDS_AT_ONCE)]
        return await self.find(lambda using: [row for part in parts for row in using.execute(query, {"ids": part})])

    async def first(self, query: sa.Select[Any], given: Given = None) -> sa.Row[Any] | None:
        """Return the first row that ``query`` finds, or None."""
        return await self.find(lambda connection: connection.execute(query, given).first())

    async def scalar(self, query: sa.Select[Any], given: Given = None) -> Any:
        """Return the first value that ``query`` finds, or None."""
        return await self.find(lambda connection: connection.scalar(query, given))

    async def scalars(self, query: sa.Select[Any], given: Given = None) -> list[Any]:
        """Return the first value of each row that ``query`` finds."""
        return await self.find(lambda connection: list(connection.scalars(query, given)))

    async def change(self, *changes: sa.UpdateBase, order: str | None = None) -> int:
        """Make ``changes`` in one transaction, with an ``order`` as in :meth:`write_together`. Return how many rows the
        last of them changed."""

        def write(connection: sa.Connection) -> int:
            return [connection.execute(one).rowcount for one in changes][-1]

        return await (self.write_alone(write) if order is None else self.write_together(order, write))

    async def write_together(self, order: str, do: Callable[[sa.Connection], T]) -> T:
        """Return the result of ``do`` on a connection, run in a thread. Its writes are on disk; if it raises, none is.

        All works that wait at the same time share one transaction; between two transactions a writer pauses for
        :data:`PACE_SECONDS` to :data:`SLOWEST_PACE_SECONDS`. Works of the same ``order`` are written in their order.
        ``do`` must wait for nothing but the database. It is called again if another work of its transaction fails.
        """
        lane = self._lanes[crc32(order.encode()) % len(self._lanes)]
        work = _Work(do, order, asyncio.get_running_loop().create_future(), self._bill())
        lane.waiting.append(work)
        if lane.writing is None or lane.writing.done():  # its context is empty: it works for many
            lane.writing = asyncio.get_running_loop().create_task(self._write_lane(lane), context=Context())
        with _WRITES.time():
            result: T = await work.done
        return result

    async def _write_lane(self, lane: _Lane) -> None:
        waiting, loop = lane.waiting, asyncio.get_running_loop()
        while waiting:
            pause = lane.next - loop.time()
            if pause > 0 and len(waiting) < MAX_WORKS:
                await asyncio.sleep(pause)
            began, seconds = loop.time(), 0.0
            # In one order everywhere, so that no two processes ever wait for each other's rows.
            batch = sorted(waiting[:MAX_WORKS], key=lambda work: work.order)
            del waiting[:MAX_WORKS]
            try:
                async with self._own_turn(first=True):  # one step, where others take several on a loop that is busy
                    results, seconds = await loop.run_in_executor(self._threads, self._write_timed, batch)
            except BaseException as error:
                # Without this frame: a request that lets go of the error clears its frames, which would end the task.
                is_over = not isinstance(error, Exception)
                results = [Unreachable("the server stops") if is_over else error.with_traceback(None)] * len(batch)
                if is_over:
                    waiting.clear()
            lane.note(len(batch), began, loop.time() - began)
            for work, result in zip(batch, results, strict=True):
                work.charge(seconds / len(batch))
                if work.done.done():
                    continue
                if isinstance(result, Exception):
                    work.done.set_exception(result)
                else:
                    work.done.set_result(result)

    def _write_timed(self, batch: list[_Work]) -> tuple[list[Any], float]:
        began = time.thread_time()
        return self._write_all(batch), time.thread_time() - began

    def _write_all(self, batch: list[_Work]) -> list[Any]:
        """Run ``batch`` in one transaction. Return what each work returns or raises. If one raises, all run again, in
        savepoints, which cost more than most works: then it loses only its own writes."""
        try:
            with self._transaction() as connection:
                return [work.do(connection) for work in batch]
        except DatabaseError:
            raise
        except Exception as error:
            if len(batch) == 1:
                return [error]
        results: list[Any] = []
        with self._transaction() as connection:
            for work in batch:
                try:
                    with connection.begin_nested():
                        results.append(work.do(connection))
                except (OperationalError, InterfaceError):
                    raise
                except Exception as error:
                    results.append(error)
        return results

    async def close(self) -> None:
        """Finish the writes in progress, then close all connections."""
        writing = [lane.writing for lane in self._lanes if lane.writing is not None and not lane.writing.done()]
        if writing:
            await asyncio.wait(writing, timeout=5)
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._reading.shutdown(wait=False, cancel_futures=True)
        if self._kept is not None:
            self._kept.close()
        self._writer.dispose()
        self._reader.dispose()


class Now:
    """The time in milliseconds. It is counted on from one reading of the clock, so that no game suffers if the clock
    is set. With :meth:`follow` it is the database's time, the same on all machines. ``own`` replaces it in tests."""

    def __init__(self, own: Callable[[], int] | None = None) -> None:
        self.own = own
        self._ahead = time.time() - time.monotonic()
        self._samples: deque[tuple[float, float]] = deque(maxlen=30)

    def __call__(self) -> int:
        return self.own() if self.own is not None else round(1000 * (self._ahead + time.monotonic()))

    def not_before(self, milliseconds: float) -> bool:
        """Move the clock to ``milliseconds`` if that is later than now. Return whether it is."""
        late = milliseconds / 1000 - self._ahead - time.monotonic()
        if self.own is not None or late <= 0:
            return False
        self._ahead += late
        return True

    def jump(self, ahead: float) -> float:
        """Return how many seconds later this clock would be if it were ``ahead`` of the monotonic one."""
        return ahead - self._ahead

    def forget(self) -> None:
        """Forget what :meth:`follow` noted: this clock stood still while the machine slept."""
        self._samples.clear()

    def follow(self, ahead: float, took: float) -> None:
        """Follow a clock that is ``ahead`` seconds later than the monotonic one. To read it ``took`` so many seconds;
        the quickest of the latest readings counts."""
        self._samples.append((took, ahead))
        self._ahead = min(self._samples)[1]
