"""What one server process shares between people, and how: budgets, rates and queues together, how many tables of a
network may wait for players, and the networks that the operator has banned."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

import sqlalchemy as sa

from tercet.answers.addresses import Queue
from tercet.errors import OptionError
from tercet.server.errors import ApiError, repeat
from tercet.server.limits import budgets, spenders
from tercet.server.limits.queue import FairThreads, WorkApart
from tercet.server.store.database import Database
from tercet.server.store.pubsub import PubSub
from tercet.server.store.schema import KEY_VALUES, TABLES

PREFIX = "ban "
CHECK_SECONDS = 5.0  # between two looks
MAX_REASON_CHARACTERS = 100
_BANS = sa.select(KEY_VALUES).where(KEY_VALUES.c.name.startswith(PREFIX)).order_by(KEY_VALUES.c.name)
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        raise OptionError("ban", f"A ban must name an address or a network, not {text[:40]!r}.") from None


async def banned(database: Database) -> list[dict[str, Any]]:
    """Return the bans in force: ``{network, until, why}``, with ``until`` in seconds, or None for ever."""
    rows = await database.rows(_BANS)
    bans = [{"network": row.name.removeprefix(PREFIX), **json.loads(row.value)} for row in rows]
    return [one for one in bans if one["until"] is None or one["until"] > time.time()]


async def ban(database: Database, network: str, hours: float | None = None, why: str = "") -> str:
    """Ban ``network`` (an address or a network) for so many ``hours`` (None: for ever). Return a sentence that says so.
    Raise OptionError if it is neither."""
    name = PREFIX + str(_network(network))
    until = None if hours is None else round(time.time() + 3600 * hours)
    value = json.dumps({"until": until, "why": why[:MAX_REASON_CHARACTERS]}, ensure_ascii=False)
    earlier = sa.delete(KEY_VALUES).where(KEY_VALUES.c.name == name)
    await database.change(earlier, KEY_VALUES.insert().values(name=name, value=value))
    return f"{name.removeprefix(PREFIX)} is banned" + ("." if hours is None else f" for {hours:g} hours.")


async def unban(database: Database, network: str) -> str:
    """Let ``network`` in again. Return a sentence that says so. Raise OptionError if it is not banned."""
    name = PREFIX + str(_network(network))
    if await database.change(sa.delete(KEY_VALUES).where(KEY_VALUES.c.name == name)) != 1:
        raise OptionError("unban", f"The network {name.removeprefix(PREFIX)} is not banned.")
    return f"{name.removeprefix(PREFIX)} may come again."


class Bans:
    """The networks that the operator has banned (``tercet people ban``), as the database lists them."""

    def __init__(self) -> None:
        self._networks: list[Network] = []
        self._connected: dict[object, tuple[str, Callable[[], object]]] = {}

    @contextlib.contextmanager
    def connected(self, host: str | None, hang_up: Callable[[], object]) -> Iterator[None]:
        """While this lasts, call ``hang_up`` if the network of ``host`` is banned."""
        key = object()
        self._connected[key] = host or "", hang_up
        try:
            yield
        finally:
            self._connected.pop(key, None)

    def refuses(self, host: str | None) -> bool:
        """Return whether this host is banned."""
        address = spenders.address_in(host) if self._networks else None
        return address is not None and any(address in network for network in self._networks)

    async def refresh(self, database: Database) -> None:
        """Read the bans, and hang up on clients whom they concern."""
        self._networks = [_network(one["network"]) for one in await banned(database)]
        for key, (host, hang_up) in list(self._connected.items()):
            if self.refuses(host):
                del self._connected[key]
                hang_up()

    async def run(self, database: Database) -> None:
        """Read the bans regularly, until cancelled."""
        await repeat("look for bans", lambda: self.refresh(database), CHECK_SECONDS)


CHANNEL = "waiting"
MAX_NETWORKS = 10_000  # that are remembered


class WaitingTables:
    """Keeps networks from filling the lobby: at most ``most`` tables of each may wait at once (None: any number).
    Processes tell each other by ``pubsub`` which tables they open; those of a process that has ended do not count."""

    def __init__(self, database: Database, most: int | None, pubsub: PubSub) -> None:
        self.database = database
        self.most = most
        self.pubsub = pubsub
        # Of each network those that waited when counted.
        self._tables: spenders.Bounded[str, list[str]] = spenders.Bounded(MAX_NETWORKS)
        self._opening: Counter[str] = Counter()  # how many of each are being opened

    async def begin(self) -> None:
        """Subscribe to the tables that other processes open."""
        await self.pubsub.subscribe(CHANNEL, self._hear)

    def _hear(self, data: dict[str, Any]) -> None:
        if self.most is not None:
            for group in spenders.with_site(data["network"]):
                tables = self._of(group)
                tables.append(data["table"])
                del tables[: -4 * self.most * spenders.worth(group)]  # old ones, which no client of this process opened

    def _of(self, network: str) -> list[str]:
        tables = self._tables[network] = self._tables.get(network, [])
        return tables

    async def opened(self, network: str, table_id: str) -> None:
        """Tell all processes that a table of ``network`` waits."""
        await self.pubsub.publish(CHANNEL, {"network": network, "table": table_id})

    @contextlib.asynccontextmanager
    async def reserve(self, network: str) -> AsyncIterator[None]:
        """Count one more table of ``network`` while it is being opened; then the caller calls :meth:`opened`. Raise
        ApiError if too many wait already."""
        each = math.inf if self.most is None else self.most
        for group in spenders.with_site(network):
            tables, most = self._of(group), each * spenders.worth(group)
            if len(tables) + self._opening[group] >= most:
                await self._recount(tables)
                if len(tables) + self._opening[group] >= most:
                    why = f"{most} games from your network are already waiting for players."
                    raise ApiError("too-many", "network", why)
        with budgets.counted(self._opening, network):
            yield

    async def _recount(self, tables: list[str]) -> None:
        before = list(tables)
        still = TABLES.c.id.in_(before) & (TABLES.c.waiting > 0) & TABLES.c.over.is_(False)
        waiting = await self.database.scalars(sa.select(TABLES.c.id).where(still))
        tables[:] = [one for one in tables if one in waiting or one not in before]


T = TypeVar("T")
MAX_READS = 8  # connections of a network that are read from in one turn of the event loop


class FairShare:
    """What one process limits its clients with: budgets, bans, rates that all processes count together, and the
    ``threads`` in which people's work is done by turns: ``opening`` tables, ``reading`` records and positions,
    ``drawing``. Long work is done ``apart``: in a process of its own, with ``processes``; ``playing`` games for their
    figures and printing, which take longest, in another. ``spenders`` knows who came
    from where. Networks begin requests by ``turns``; their connections are read by the turns of ``reads``."""

    def __init__(self, limits: budgets.ServerLimits, processes: bool = True) -> None:
        self.limits = limits
        self.spenders = spenders.KnownSpenders()
        self.exchange = budgets.Exchange()
        self.bans = Bans()
        self.budgets = budgets.Budgets(limits, self.exchange)
        self.requests = self.rate("requests", budgets.Buckets(limits.requests_per_minute))
        self.files = self.rate("files", budgets.Buckets(limits.files_per_minute))
        self.tables = self.rate("tables", budgets.Buckets(limits.tables_per_minute))
        self.visits = budgets.Visits(self.rate("visits", budgets.Buckets(limits.visits_per_minute)))
        self.loop_time = spenders.LoopTime(self.budgets.charge)
        self.turns = spenders.Turns(1, self.loop_time)
        self.reads = spenders.Turns(MAX_READS, self.loop_time)
        each = limits.queued_per_person
        bounds = each, None if each is None else 4 * each
        self.threads = {
            queue: FairThreads(queue, number, self.budgets, *bounds)
            for queue, number in (("opening", 2), ("reading", 2), ("drawing", 1))
        }
        self.apart = WorkApart(self.budgets, processes)
        self.playing = WorkApart(self.budgets, processes)

    def rate(self, kind: str, buckets: budgets.Buckets) -> budgets.Buckets:
        """Return ``buckets``, from which the other processes take too."""
        self.exchange.share(kind, buckets)
        return buckets

    async def compute(self, work: Callable[[], T], queue: Queue = "reading") -> T:
        """Return the result of ``work``, done in a thread of that ``queue`` by turns, and charged to the client of the
        current task. Raise ApiError if the client's budget is used up, or too much waits."""
        self.budgets.check(spenders.spender(), "cpu", "bytes")
        return await self.threads[queue].run(work)

    def think(self, person_id: str, seconds: float) -> None:
        """Charge this person for seconds in which engines thought."""
        self.budgets.spend(self.spenders.of(person_id), engine=seconds)

    @property
    def waiting(self) -> dict[str, int]:
        """Return how much waits, by queue; as ``task`` what waits to be done apart."""
        tasks = self.apart.waiting + self.playing.waiting
        return {**{queue: threads.waiting for queue, threads in self.threads.items()}, "task": tasks}

    def close(self) -> None:
        """Accept no more work."""
        for threads in self.threads.values():
            threads.close()
        self.apart.close()
        self.playing.close()
