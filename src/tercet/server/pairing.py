"""Quick pairing: a person names a game and a time, and plays the next suitable person who asks for the same.

Seeks are in the database, so that people are paired across processes. The process whose client waits looks after a
seek, and pairs it with others when its turn comes; one transaction opens the table and marks the seeks of its players,
so that no one is paired twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations, groupby
from typing import Any, NamedTuple

import sqlalchemy as sa

from tercet.answers.tables import TableInfo
from tercet.core.game import Game
from tercet.games import game_definition
from tercet.play.ratings import pool_of, speed_of
from tercet.play.session import USUAL_ABSENCE, Seat, TableSettings
from tercet.server.errors import ApiError, Unreachable, going_on
from tercet.server.limits.budgets import is_full
from tercet.server.limits.spenders import with_site
from tercet.server.lobby import Lobby, by_turns
from tercet.server.people.identity import Person
from tercet.server.store.logs import SeatAccess
from tercet.server.store.pubsub import happens, news_of
from tercet.server.store.schema import BLOCKS, PEOPLE, RATINGS, SEATS, SEEKS, TABLES

CLOCKS: Mapping[str, Mapping[str, Any]] = {
    "5+3": {"kind": "fischer", "minutes": 5, "increment": 3},
    "15+10": {"kind": "fischer", "minutes": 15, "increment": 10},
}
PAIR_SECONDS = 1.0  # between two pairings, unless someone comes
MIN_PAIR_SECONDS = 0.2  # between them at least
CHECK_SECONDS = 2.0  # between two looks at a seek that no message announced
APART_SECONDS = 120.0  # in which two people are not paired again whose last game was aborted

RATING_RANGE = 150.0  # rating points that two people may differ by who have just come
RANGE_GROWTH = 15.0  # rating points that a person's range grows by in each second of waiting
MAX_CONSIDERED = 200  # seeks of a pool that are compared with each other


class Pool(NamedTuple):
    """What people who are paired agree on: the game, its time, and whether it is rated."""

    game: str
    time: str
    rated: bool


class Seek(NamedTuple):
    """A person who has waited ``since`` (seconds). ``rating`` is None without one: such a person suits everyone."""

    id: str
    person: str
    pool: Pool
    rating: float | None
    since: float
    network: str


def groups(
    seeks: Iterable[Seek], seats: Callable[[str], int], now: float, apart: Collection[frozenset[str]] = ()
) -> list[tuple[Seek, ...]]:
    """Return the groups that can begin to play, each with as many people as its game has ``seats``, the person whose
    turn it was first. Two people fit if each is within the other's range of ratings, which grows with the wait, and
    they are not kept ``apart``; of several that fit, the closest in rating are taken."""
    complete = []
    for pool, together in groupby(sorted(seeks, key=lambda one: one.pool), lambda one: one.pool):
        waiting = by_turns(together, lambda one: one.network, lambda one: (one.since, one.id))[:MAX_CONSIDERED]
        while waiting:
            first = waiting.pop(0)
            group = [first]
            for other in sorted(waiting, key=lambda one: _distance(first, one)):
                if len(group) < seats(pool.game) and all(_fit(one, other, now, apart) for one in group):
                    group.append(other)
            if len(group) == seats(pool.game):
                complete.append(tuple(group))
                waiting = [one for one in waiting if one not in group]
    return complete


def _distance(one: Seek, other: Seek) -> float:
    return 0.0 if one.rating is None or other.rating is None else abs(one.rating - other.rating)


def _fit(one: Seek, other: Seek, now: float, apart: Collection[frozenset[str]]) -> bool:
    waited = now - max(one.since, other.since)
    close = _distance(one, other) <= RATING_RANGE + RANGE_GROWTH * waited
    return close and frozenset((one.person, other.person)) not in apart


class QuickPairing:
    """Quick pairing as one process serves it. ``limit`` is how many people of a network may wait at once."""

    def __init__(self, lobby: Lobby, limit: int | None) -> None:
        self.lobby = lobby
        self.registry = lobby.registry
        self.database = lobby.database
        self.limit = limit
        self._here: set[str] = set()  # the ids of the seeks whose clients wait here
        self._came = asyncio.Event()

    def begin(self) -> None:
        """Start pairing people."""
        self.registry.spawn_until_closed(self._run())

    async def check_network(self, person: Person) -> None:
        """Raise ApiError if too many others of the person's network wait."""
        query = sa.select(SEEKS.c.person_id).where(SEEKS.c.table_id.is_(None) & (SEEKS.c.person_id != person.id))
        waiting = await self.database.scalars(query)
        there = Counter(group for one in waiting for group in with_site(self.lobby.network_of(one)))
        if self.limit is not None and is_full(there, self.lobby.network_of(person.id), self.limit):
            raise ApiError(
                "too-many", "network", f"{self.limit} people from your network are already waiting for a game."
            )

    async def wait(self, person: Person, pool: Pool) -> AsyncGenerator[dict[str, Any] | None, None]:
        """Wait for a game, and yield what becomes of it: ``waiting`` at first, then ``paired`` with the ``table``, or
        ``replaced`` where the same person asks elsewhere; None in between. The wish lasts until this is closed."""
        seek_id, since = secrets.token_hex(8), self.registry.now() / 1000
        channel, pubsub = f"person:{person.id}", self.registry.pubsub
        async with news_of(pubsub, channel) as news:
            self._here.add(seek_id)
            try:
                await self._write(person, seek_id, pool, since)
                await pubsub.publish(channel, {"seek": seek_id})
                await self.lobby.seeks_changed(person.id)
                yield {"type": "waiting", "game": pool.game, "time": pool.time, "rated": pool.rated}
                while True:
                    news.clear()
                    with contextlib.suppress(Unreachable):
                        row = await self.database.first(sa.select(SEEKS).where(SEEKS.c.person_id == person.id))
                        if row is not None and row.id != seek_id:
                            yield {"type": "replaced"}
                            return
                        if row is not None and row.table_id is not None:
                            yield {"type": "paired", "table": row.table_id}
                            return
                        lost = row is None or row.owner != self.registry.lease.process_id  # we counted as dead
                        if lost and not await self._write(person, seek_id, pool, since):
                            return
                    yield None
                    await happens(news, CHECK_SECONDS)
            finally:
                self._here.discard(seek_id)
                with contextlib.suppress(Unreachable):
                    await self.database.change(sa.delete(SEEKS).where(SEEKS.c.id == seek_id), order=f"seek {person.id}")
                    await self.lobby.seeks_changed()

    async def _write(self, person: Person, seek_id: str, pool: Pool, since: float) -> bool:
        """Write a person's wish, in the place of an earlier one. Return False, and do not, if the person is deleted."""
        mine = (RATINGS.c.person_id == person.id) & (RATINGS.c.game == pool_of(pool.game, _seats(pool.game)))
        mine &= RATINGS.c.speed == speed_of(CLOCKS[pool.time], pool.game)
        rating = sa.select(RATINGS.c.rating).where(mine)
        row = {"person_id": person.id, "id": seek_id, **pool._asdict(), "since": since}
        row["owner"] = self.registry.lease.process_id

        def write(connection: sa.Connection) -> bool:
            if connection.scalar(sa.select(PEOPLE.c.deleted).where(PEOPLE.c.id == person.id)) is not None:
                return False
            if connection.scalar(sa.select(SEEKS.c.table_id).where(SEEKS.c.id == seek_id)) is not None:
                return True  # paired since it was read
            connection.execute(sa.delete(SEEKS).where(SEEKS.c.person_id == person.id))
            connection.execute(SEEKS.insert().values(**row, rating=connection.scalar(rating)))
            return True

        written = await self.database.write_together(f"seek {person.id}", write)
        self._came.set()
        return written

    # Pairing ----------------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            with going_on("pair people"):
                if self._here:
                    await self._pair()
            await asyncio.sleep(MIN_PAIR_SECONDS)
            await happens(self._came, PAIR_SECONDS if self._here else None)
            self._came.clear()

    async def _pair(self) -> None:
        """Open a table for each group whose first person waits here."""
        query = sa.select(SEEKS, PEOPLE.c.name).join(PEOPLE, PEOPLE.c.id == SEEKS.c.person_id)
        rows = await self.database.rows(query.where(SEEKS.c.table_id.is_(None) & PEOPLE.c.deleted.is_(None)))
        dead = {owner for owner in {row.owner for row in rows} if await self.registry.lease.is_dead(owner)}
        if dead:
            await self.database.change(sa.delete(SEEKS).where(SEEKS.c.owner.in_(dead)), order="seeks")
            await self.lobby.seeks_changed()
        seeks = []
        for row in rows:
            if row.owner not in dead:
                pool, network = Pool(row.game, row.time, row.rated), self.lobby.turn_of(row.person_id)
                seeks.append(Seek(row.id, row.person_id, pool, row.rating, row.since, network))
        if len(seeks) < 2:
            return
        now, people = self.registry.now() / 1000, [seek.person for seek in seeks]
        apart = await self.database.find(lambda connection: _kept_apart(connection, people, now))
        names = {row.person_id: row.name for row in rows}
        for group in groups(seeks, _seats, now, apart):
            if group[0].id in self._here:
                await self._open(group, names)

    async def _open(self, group: Sequence[Seek], names: Mapping[str, str]) -> None:
        """Open a table for these people, with seats drawn by lot, unless one of them has gone."""
        pool, players = group[0].pool, secrets.SystemRandom().sample([seek.person for seek in group], len(group))
        settings = TableSettings(
            pool.game,
            _options(pool.game),
            tuple(Seat("person", names[person]) for person in players),
            seed=secrets.randbits(53),
            takebacks=game_definition(pool.game).takebacks,
            clock=CLOCKS[pool.time],
            chat=True,
            absence=USUAL_ABSENCE,
            watch="public",
        )
        speed = speed_of(settings.clock, pool.game)
        info = TableInfo(secrets.token_hex(8), settings, speed, public=True, rated=pool.rated)
        accesses = {seat: SeatAccess(person_id=person) for seat, person in enumerate(players)}
        opening = self.registry.store.opening(info, accesses)
        theirs = SEEKS.c.id.in_([seek.id for seek in group])

        def write(connection: sa.Connection) -> bool:
            still = sa.select(SEEKS.c.id).where(theirs & SEEKS.c.table_id.is_(None)).order_by(SEEKS.c.id)
            if len(connection.execute(still.with_for_update()).all()) < len(group):
                return False
            opening(connection)
            connection.execute(SEEKS.update().where(theirs).values(table_id=info.id))
            return True

        if await self.database.write_together("seeks", write):
            await self.lobby.announce(info.id, players)
            await self.lobby.seeks_changed()


def _options(game: str) -> Mapping[str, Any]:
    return game_definition(game).rated_options


def _seats(game: str) -> int:
    return len(Game(game_definition(game), dict(_options(game)), "interpreted").players)


def _kept_apart(connection: sa.Connection, people: Sequence[str], now: float) -> set[frozenset[str]]:
    """Return the pairs of ``people`` that are not to be paired: one has blocked the other, or a game between them was
    aborted just now."""
    blocks = sa.select(BLOCKS).where(BLOCKS.c.person_id.in_(people) & BLOCKS.c.other_id.in_(people))
    apart = {frozenset((row.person_id, row.other_id)) for row in connection.execute(blocks)}
    aborted = TABLES.c.over & TABLES.c.result.is_(None) & (TABLES.c.opened > now - APART_SECONDS)
    sat = sa.select(SEATS.c.table_id, SEATS.c.person_id).join(TABLES, TABLES.c.id == SEATS.c.table_id)
    met: dict[str, list[str]] = {}
    for row in connection.execute(sat.where(SEATS.c.person_id.in_(people) & aborted)):
        met.setdefault(row.table_id, []).append(row.person_id)
    return apart.union(frozenset(pair) for players in met.values() for pair in combinations(players, 2))
