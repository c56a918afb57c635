"""The lobby: tables that wait for players, and games that anybody may watch.

What waits is in the database. Which games are being played each process tells the others every few seconds, and so it
does who is here to wait: tables that nobody waits at any more are given up.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Sequence

import sqlalchemy as sa

from tercet.server.lobby import waiting_tables
from tercet.server.lobby.listing import Asked, Listing
from tercet.server.lobby.waiting_tables import Data, words_of
from tercet.server.store import Unreachable
from tercet.server.store.schema import TABLES
from tercet.server.tables.messages import seats_view
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.table import Table
from tercet.session import LogEvent

__all__ = ["Lobby"]

LOG = logging.getLogger("tercet.server")
CHANNEL = "lobby"
PULSE = 4.0  # seconds between two words of a process on what is played in it
FRESH = 11.0  # seconds that such a word is believed
MOST_LIVE = 30  # games that are told of
MOST_LISTINGS = 64  # that are kept
AWAY = 180.0  # seconds without whoever opened it after which a listed table is given up
UNLISTED = 14 * 86_400.0  # and any table that nobody came to
SHARE = 0.2  # of the time, at most, in which what waits is being read


class Lobby:
    """The lobby as one process knows it."""

    def __init__(self, registry: TableRegistry) -> None:
        self.registry = registry
        self.database = registry.store.database
        self.followers: set[asyncio.Event] = set()
        self._people: Counter[str] = Counter()
        self._live: dict[str, tuple[float, list[Data]]] = {}  # by process: when it said so, what is played there
        self._seen: dict[str, float] = {}  # by table that waits: when whoever opened it was last known to be here
        self._order: list[tuple[str, str]] | None = None  # ids and games of the tables that wait
        self._open: dict[str, Data] = {}  # what is told of them, as far as somebody asked
        self._changes = 0  # of what waits
        self._read_again = 0.0  # not before then
        self._listings: dict[Asked, Listing] = {}  # what is told, as long as nothing has changed
        self._asking = asyncio.Lock()
        self._telling = asyncio.Lock()

    async def begin(self) -> None:
        """Hear of other processes, and look after the tables that wait."""
        await self.registry.pubsub.subscribe(CHANNEL, self._hear)
        self.registry.observers.append(self._observe)
        self.registry.spawn_until_closed(self._look_after())

    def arrive(self, person_id: str) -> None:
        """Somebody is here and waits, though not at his table."""
        self._people[person_id] += 1

    def leave(self, person_id: str) -> None:
        """He is here no more."""
        self._people[person_id] -= 1
        if self._people[person_id] <= 0:
            del self._people[person_id]

    async def changed(self) -> None:
        """What waits has changed."""
        await self.registry.pubsub.publish(CHANNEL, {"changed": True})

    async def _observe(self, _table: Table, events: list[LogEvent]) -> None:
        if any(event.kind in ("sit", "stand", "abort", "rematch") for event in events):
            await self.changed()

    def _hear(self, data: Data) -> None:
        if "changed" in data:
            self._forget_open()
        if "live" in data:
            before = self._live.get(data["run"], (0.0, []))[1]
            self._live[data["run"]] = (time.monotonic(), data["live"])
            if before == data["live"]:
                return
        for table_id in data.get("waits", ()):
            self._seen[table_id] = time.monotonic()
        if "waits" not in data:
            self._tell_followers()

    def _forget_open(self) -> None:
        """Read what waits anew before it is told again."""
        self._order, self._open = None, {}
        self._listings = {}
        self._changes += 1

    # What is told ---------------------------------------------------------------------------------------------------

    async def listing(self, asked: Asked) -> Listing:
        """What was ``asked`` for, made once for all who ask for the same."""
        if asked in self._listings:
            return self._listings[asked]
        async with self._telling:  # who comes meanwhile waits for what is made, and does not make it too
            found = self._listings.get(asked)
            if found is None:
                listings = self._listings
                found = Listing(await self.shown(asked))
                if listings is self._listings and len(listings) < MOST_LISTINGS:  # nothing has changed meanwhile
                    listings[asked] = found
            return found

    async def shown(self, asked: Asked) -> Data:
        """The same as data: a page of what waits, and what is played."""
        ids = [table for table, game in await self._waiting() if asked.game in (None, game)]
        page = min(asked.page, max(0, len(ids) - 1) // asked.size)
        waiting = await self._tables(ids[page * asked.size : (page + 1) * asked.size])
        live = [one for one in self._playing() if asked.game in (None, one["game"])][:MOST_LIVE]
        return {"open": waiting, "live": live, "total": len(ids), "page": page}

    async def _waiting(self) -> list[tuple[str, str]]:
        """Ids and games of the tables that wait, in their order."""
        async with self._asking:
            if self._order is not None:
                return self._order
            await asyncio.sleep(self._read_again - time.monotonic())
            changes, began = self._changes, time.monotonic()
            found = await waiting_tables.order(self.database)
            self._pause_after(began)
            if changes == self._changes:  # nothing has changed while it was read
                self._order = found
            return found

    async def _tables(self, ids: Sequence[str]) -> list[Data]:
        """What is told of these tables."""
        known = self._open
        missing = [one for one in ids if one not in known]
        if missing:
            began = time.monotonic()
            known.update(await waiting_tables.told(self.database, missing))
            self._pause_after(began)
        return [known[one] for one in ids if one in known]

    def _pause_after(self, began: float) -> None:
        """Read again only when so much time has passed that :data:`SHARE` of it was spent with reading."""
        now = time.monotonic()
        self._read_again = max(now, self._read_again) + (now - began) * (1 / SHARE - 1)

    def _forget_old(self) -> None:
        """Forget what processes said that are gone."""
        fresh = time.monotonic() - FRESH
        old = [run for run, said in self._live.items() if said[0] < fresh]
        for run in old:
            del self._live[run]
        if old:
            self._tell_followers()

    def _tell_followers(self) -> None:
        self._listings = {}
        for follower in self.followers:
            follower.set()

    def _playing(self) -> list[Data]:
        found: dict[str, Data] = {}
        for _, tables in self._live.values():
            for one in tables:
                known = found.get(one["id"])
                if known is None or (known["ply"], known["watchers"]) < (one["ply"], one["watchers"]):
                    found[one["id"]] = one
        return sorted(found.values(), key=lambda one: (-one["watchers"], one["id"]))

    def _played_here(self) -> list[Data]:
        """The listed games that go on in this process, those with most watchers first."""
        going = [
            table
            for table in self.registry.tables
            if table.settings.watch == "public"
            and table.clients
            and table.presence.present
            and not (table.session.waiting or table.session.is_over)
        ]
        going.sort(key=lambda table: (-table.presence.watchers, table.id))
        found = []
        for table in going[:MOST_LIVE]:
            title, options, players = words_of(table.settings)
            seats = seats_view(table.session, table.occupants)
            found.append(
                {
                    "id": table.id,
                    "game": table.settings.game,
                    "title": title,
                    "optionText": options,
                    "speed": table.info.speed,
                    "rated": table.info.rated,
                    "seats": [
                        {
                            "player": player,
                            **{name: seat[name] for name in ("kind", "level", "name", "handle", "rating")},
                        }
                        for player, seat in zip(players, seats, strict=True)
                    ],
                    "watchers": table.presence.watchers,
                    "ply": table.session.ply,
                }
            )
        return found

    # What is looked after -------------------------------------------------------------------------------------------

    async def _look_after(self) -> None:
        said = 0.0
        while True:
            try:
                run = str(self.registry.lease.process_id)
                await self.registry.pubsub.publish(CHANNEL, {"run": run, "live": self._played_here()})
                self._forget_old()
                if time.monotonic() - said > AWAY / 9:
                    said = time.monotonic()
                    await self._give_up()
            except Unreachable:
                pass  # the beat says so
            except Exception:  # the next time may succeed
                LOG.exception("could not look after the lobby")
            await asyncio.sleep(PULSE)

    async def _give_up(self) -> None:
        """Say which waiting tables somebody is here for, and give up those that nobody has been for too long."""
        asked = (TABLES.c.waiting > 0) & TABLES.c.over.is_(False)
        found = sa.select(TABLES.c.id, TABLES.c.creator, TABLES.c.opened, TABLES.c.public, TABLES.c.speed).where(asked)
        async with self.database.read() as connection:
            rows = (await connection.execute(found)).all()
        known = {table.id: table for table in self.registry.tables}
        here = [row.id for row in rows if row.creator in self._people or (row.id in known and _is_kept(known[row.id]))]
        await self.registry.pubsub.publish(CHANNEL, {"waits": here})
        now = time.monotonic()
        self._seen = {row.id: self._seen.get(row.id, now) for row in rows}
        for row in rows:
            soon = row.public and row.speed != "correspondence"
            if (soon and now - self._seen[row.id] > AWAY) or self.registry.now() / 1000 - row.opened > UNLISTED:
                await self.give_up(row.id, "expired")
        self._forget_open()  # word may have been lost
        self._tell_followers()

    async def give_up(self, table_id: str, reason: str) -> None:
        """Let nobody wait at a table any more, for this reason (``expired`` or ``declined``)."""
        async with self.registry.table(table_id) as table:
            await table.decide(lambda session: session.give_up_waiting(reason, self.registry.now()))


def _is_kept(table: Table) -> bool:
    """Whether somebody is at the table who sits there or opened it."""
    return any(client.held or client.opened for client in table.clients)
