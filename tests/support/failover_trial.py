"""A PostgreSQL whose replica loses its line to the primary, then takes its place; and the events that it lacks."""

import asyncio
import contextlib
from dataclasses import dataclass

from tercet.answers.tables import TableInfo
from tercet.play.session import LogEvent, Seat, TableSettings
from tercet.server.store.database import Database, address, migrate
from tercet.server.store.tables import Store

from . import services
from .waiting import until

SYNCHRONOUS = ("synchronous_standby_names=*", "synchronous_commit=on")
SETUP = TableSettings("sanqi", {"side": 4}, (Seat("person"), Seat("person")))
STANDSTILL = 3.0  # seconds without an acknowledgement after which the primary dies


@dataclass
class FailoverReport:
    """What came of it: events ``acknowledged`` before the line was cut and ``later``, those of them that the
    replica has ``lost``, and those that were still ``waiting`` for their acknowledgement."""

    acknowledged: int = 0
    later: int = 0
    lost: int = 0
    waiting: int = 0


def _query(server: services.Postgres, text: str, database: str = "postgres") -> str:
    import psycopg

    with psycopg.connect(server.url(database), autocommit=True, connect_timeout=5) as connection:
        cursor = connection.execute(text.encode())
        found = None if cursor.description is None else cursor.fetchone()
        return "" if found is None else str(found[0])


def fail_over(events: int, synchronous: bool) -> FailoverReport:
    """Do it with so many events before the line is cut and at most as many afterwards."""
    with contextlib.ExitStack() as stack:
        primary = services.Postgres(durable=True)
        stack.callback(primary.close)
        url = primary.create()
        replica = services.Postgres(durable=True, copy_of=primary)
        stack.callback(replica.close)
        if synchronous:
            primary.stop()
            primary.settings += SYNCHRONOUS
            primary.start()
        until(lambda: _query(replica, "SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming'") == "1")
        if synchronous:
            until(lambda: _query(primary, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1")
        found = asyncio.run(_write(url, events, replica))
        primary.stop()
        _query(replica, "SELECT pg_promote()")
        until(lambda: _query(replica, "SELECT pg_is_in_recovery()") == "False")
        known = _query(replica, "SELECT count(*) FROM events", url.rpartition("/")[2])
        found.lost = max(0, found.acknowledged + found.later - int(known))
        return found


def _cut_line(replica: services.Postgres) -> None:
    _query(replica, "ALTER SYSTEM SET primary_conninfo = ''")
    _query(replica, "SELECT pg_reload_conf()")
    until(lambda: _query(replica, "SELECT count(*) FROM pg_stat_wal_receiver") == "0")


async def _write(url: str, events: int, replica: services.Postgres) -> FailoverReport:
    migrate(address(url))
    kept, found = Store(Database(address(url))), FailoverReport()
    await kept.open_table(TableInfo("t", SETUP), {})

    async def append(number: int) -> None:
        event = LogEvent(number, "action", {"ply": number - 1, "seat": 0, "action": "Rd4"})
        await kept.append("t", [event], f"0:{number}")

    for number in range(1, events + 1):
        await append(number)
        found.acknowledged += 1
    await asyncio.to_thread(_cut_line, replica)
    for number in range(events + 1, 2 * events + 1):
        done, _ = await asyncio.wait([asyncio.ensure_future(append(number))], timeout=STANDSTILL)
        if not done:
            found.waiting += 1
            break
        found.later += 1
    # The connections are left to die with the primary: some may wait for the replica.
    return found
