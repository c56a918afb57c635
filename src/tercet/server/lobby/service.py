"""The lobby: tables that wait for players, and public games in progress.

Waiting tables are in the database. Each process sends the others, every few seconds, its games in progress and the
people who are here to wait; a table without its waiting player is given up.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import sqlalchemy as sa

from tercet.answers.tables import seats_view
from tercet.play.session import LogEvent
from tercet.server.errors import repeat
from tercet.server.limits.spender import Bounded, KnownSpenders
from tercet.server.lobby import waiting_tables
from tercet.server.lobby.waiting_tables import Asked, Data, Listing, WaitingOrder, words_of
from tercet.server.store.schema import CHALLENGES, SEEKS, TABLES
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.table import Table

CHANNEL = "lobby"
PULSE_SECONDS = 4.0  # between two words of a process on what is played in it
FRESH_SECONDS = 11.0  # that such a word is believed
MAX_LIVE_GAMES = 30  # in the list
LIVE_OF_EACH_GAME = 10  # that are known, however many others are played
MAX_LISTINGS = 64  # that are kept
MAX_NETWORKS = 50_000  # people whose networks are remembered
AWAY_SECONDS = 180.0  # without its creator, after which a listed table is given up
UNLISTED_SECONDS = 14 * 86_400.0  # and any other table that no player joined
PAUSE_SECONDS = 0.05  # between two tables that are given up


class Lobby:
    """The lobby as one process knows it."""

    def __init__(self, registry: TableRegistry, spenders: KnownSpenders, online: Callable[[], int]) -> None:
        self.registry = registry
        self.spenders = spenders
        self._online = online
        self.database = registry.store.database
        self.followers: set[asyncio.Event] = set()
        self.people: Counter[str] = Counter()  # who is here and waits, though not at their table
        # By process: when it said so, what is played there, and how many people are there.
        self._live: dict[str, tuple[float, list[Data], int]] = {}
        self._seen: dict[str, float] = {}  # by waiting table: when its creator was last seen here
        self._networks: Bounded[str, str] = Bounded(MAX_NETWORKS)  # of people who came to other processes, by their ids
        self._waiting = WaitingOrder()
        self._unread: set[str] | None = None  # tables of which it is not known whether they wait; None: all
        self._open: dict[str, Data] = {}  # the data of waiting tables, as far as clients asked
        self._seeking: list[Data] | None = None  # how many wait to be paired; None: not known
        self._listings: dict[Asked, Listing] = {}  # the lists, as long as nothing has changed
        self._reading = asyncio.Lock()
        self._telling = asyncio.Lock()

    async def begin(self) -> None:
        """Hear of other processes, and look after the tables that wait."""
        await self.registry.pubsub.subscribe(CHANNEL, self._hear)
        self.registry.observers.append(self._observe)
        self.registry.spawn_until_closed(repeat("tell what is played here", self._tell_others, PULSE_SECONDS))
        self.registry.spawn_until_closed(repeat("look after the lobby", self._give_up, AWAY_SECONDS / 9))

    async def changed(self, table_id: str, opener: str | None = None) -> None:
        """Tell all processes that this table, which ``opener`` may have opened just now, waits or no longer does."""
        networks = self._known_networks([opener])
        await self.registry.pubsub.publish(CHANNEL, {"changed": [table_id], "networks": networks})

    def _known_networks(self, people: Iterable[str | None]) -> dict[str, str]:
        """Return the networks of those of ``people`` who came to this process."""
        found = {one: self.spenders.network(one) for one in people if one is not None}
        return {one: network for one, network in found.items() if network is not None}

    def network_of(self, person_id: str) -> str:
        """Return the network that a person came from last; the person's id where no process that is alive knows it."""
        return self.spenders.network(person_id) or self._networks.get(person_id, person_id)

    async def _observe(self, table: Table, events: list[LogEvent]) -> None:
        if any(event.kind in ("sit", "stand", "abort") for event in events):
            await self.changed(table.id)  # before anything is read: the list must be right when the change is answered
            asked = sa.select(CHALLENGES.c.to_id).where(CHALLENGES.c.table_id == table.id)
            challenged = await self.database.scalar(asked)
            if challenged is not None:
                await self._tell(challenged, table.id)

    def _hear(self, data: Data) -> None:
        self._networks.update(data.get("networks", {}))
        if "changed" in data:
            self._forget(data["changed"] if isinstance(data["changed"], list) else None)
        if "seeks" in data:
            self._seeking = None
        if "live" in data:
            before = self._live.get(data["run"], (0.0, [], 0))
            now = self._live[data["run"]] = (time.monotonic(), data["live"], data.get("online", 0))
            if before[1:] == now[1:]:
                return
        for table_id in data.get("waits", ()):
            self._seen[table_id] = time.monotonic()
        if "waits" not in data:
            self._tell_followers()

    def _forget(self, tables: Iterable[str] | None = None) -> None:
        """Read again which of these ``tables`` (None: of all) wait, before the next list."""
        if tables is None:
            self._unread, self._open = None, {}
        else:
            if self._unread is not None:
                self._unread.update(tables)
            for one in tables:
                self._open.pop(one, None)
        self._listings = {}

    async def announce(self, table_id: str, people: Iterable[str] = (), opener: str | None = None) -> None:
        """Tell the lobby that a table was opened (by ``opener``) or changed, and ``people`` (ids) who sit there or are
        asked to."""
        await self.changed(table_id, opener)
        for person_id in people:
            await self._tell(person_id, table_id)

    async def _tell(self, person_id: str, table_id: str) -> None:
        await self.registry.pubsub.publish(f"person:{person_id}", {"table": table_id})

    async def seeks_changed(self, person_id: str | None = None) -> None:
        """Tell all processes that someone, perhaps this person, waits to be paired, or no longer does."""
        await self.registry.pubsub.publish(CHANNEL, {"seeks": True, "networks": self._known_networks([person_id])})

    # Data of tables -------------------------------------------------------------------------------------------------

    async def listing(self, asked: Asked) -> Listing:
        """What was ``asked`` for, made once for all who ask for the same."""
        if asked in self._listings:
            return self._listings[asked]
        async with self._telling:  # who comes meanwhile waits for what is made, and does not make it too
            found = self._listings.get(asked)
            if found is None:
                listings = self._listings
                found = Listing(await self.shown(asked))
                if listings is self._listings and len(listings) < MAX_LISTINGS:  # nothing has changed meanwhile
                    listings[asked] = found
            return found

    async def shown(self, asked: Asked) -> Data:
        """Return a page of the waiting tables, and the games in progress, as data."""
        await self._read()
        total = self._waiting.count(asked.game)
        page = min(asked.page, max(0, total - 1) // asked.size)
        waiting = await self._tables(self._waiting.page(page * asked.size, asked.size, asked.game))
        live = [one for one in self._playing() if asked.game in (None, one["game"])][:MAX_LIVE_GAMES]
        online = _rounded(sum(there for _, _, there in self._live.values()))
        seeking = [one for one in await self._read_seeks() if asked.game in (None, one["game"])]
        return {"open": waiting, "live": live, "total": total, "page": page, "online": online, "seeking": seeking}

    async def _read_seeks(self) -> list[Data]:
        """Return how many people are waiting to be paired for each kind of game."""
        found = self._seeking
        if found is None:
            kinds = (SEEKS.c.game, SEEKS.c.time, SEEKS.c.rated)
            asked = sa.select(*kinds, sa.func.count().label("people")).where(SEEKS.c.table_id.is_(None))
            asked = asked.group_by(*kinds).order_by(*kinds)
            found = self._seeking = [row._asdict() for row in await self.database.rows(asked)]
        return found

    async def _read(self) -> None:
        """Read of which tables it is not known whether they wait."""
        async with self._reading:
            unread, self._unread = self._unread, set()
            if unread is not None and not unread:
                return
            try:
                found = await waiting_tables.waiting(self.database, unread, self.network_of)
            except BaseException:
                self._unread = None  # what has changed meanwhile, too
                raise
            if unread is None:
                self._waiting.replace(found)
                return
            for table_id in unread.difference(one.id for one in found):
                self._waiting.drop(table_id)
            for table in found:
                self._waiting.put(table)

    async def _tables(self, ids: Sequence[str]) -> list[Data]:
        known = self._open
        missing = [one for one in ids if one not in known]
        found = await waiting_tables.data_of(self.database, missing) if missing else {}
        if known is self._open:
            changed = self._unread or ()
            known.update({one: data for one, data in found.items() if one not in changed})
        found = {**known, **found}
        return [found[one] for one in ids if one in found]

    def _forget_old(self) -> None:
        """Forget what processes said that are gone."""
        fresh = time.monotonic() - FRESH_SECONDS
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
        for _, tables, _ in self._live.values():
            for one in tables:
                known = found.get(one["id"])
                if known is None or (known["ply"], known["watchers"]) < (one["ply"], one["watchers"]):
                    found[one["id"]] = one
        return sorted(found.values(), key=lambda one: (-one["watchers"], one["id"]))

    def _played_here(self) -> list[Data]:
        """Return the listed games that go on in this process, those with most watchers first."""
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
        listed = Counter[str]()
        for table in going:
            listed[table.settings.game] += 1
            if listed.total() > MAX_LIVE_GAMES and listed[table.settings.game] > LIVE_OF_EACH_GAME:
                continue
            title, options, players = words_of(table.settings.game, table.settings.options)
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
                            **{name: seat[name] for name in ("kind", "level", "name", "handle", "badge", "rating")},
                        }
                        for player, seat in zip(players, seats, strict=True)
                    ],
                    "watchers": table.presence.watchers,
                    "ply": table.session.ply,
                }
            )
        return found

    # What is looked after -------------------------------------------------------------------------------------------

    async def _tell_others(self) -> None:
        run = str(self.registry.lease.process_id)
        await self.registry.pubsub.publish(CHANNEL, {"run": run, "live": self._played_here(), "online": self._online()})
        self._forget_old()

    async def _give_up(self) -> None:
        """Announce the waiting tables whose creators are here, and give up those without one for too long."""
        columns = (TABLES.c.id, TABLES.c.creator, TABLES.c.opened, TABLES.c.public, TABLES.c.speed)
        asked = sa.select(*columns).where((TABLES.c.waiting > 0) & TABLES.c.over.is_(False))
        rows = await self.database.rows(asked)
        kept = {table.id for table in self.registry.tables if any(one.held or one.opened for one in table.clients)}
        here = [row.id for row in rows if row.creator in self.people or row.id in kept]
        networks = self._known_networks({row.creator for row in rows if row.public})
        await self.registry.pubsub.publish(CHANNEL, {"waits": here, "networks": networks})
        now = time.monotonic()
        self._seen = {row.id: self._seen.get(row.id, now) for row in rows}
        self._forget()  # word may have been lost
        self._seeking = None
        self._tell_followers()
        for row in rows:
            soon = row.public and row.speed != "correspondence"
            away = soon and time.monotonic() - self._seen[row.id] > AWAY_SECONDS
            if away or self.registry.now() / 1000 - row.opened > UNLISTED_SECONDS:
                await self.give_up(row.id, "expired")
                await asyncio.sleep(PAUSE_SECONDS)  # there may be thousands

    async def give_up(self, table_id: str, reason: str) -> None:
        """Close a waiting table, for this reason (``expired`` or ``declined``)."""
        async with self.registry.table(table_id) as table:
            await table.perform(lambda session, now: session.give_up_waiting(reason, now))


def _rounded(people: int) -> int:
    """Return a number of people with two digits that count, so that it does not change all the time."""
    unit = int(10 ** max(0, len(str(people)) - 2))
    return people // unit * unit
