"""The lobby: tables that wait for players, and games that anybody may watch.

What waits is in the database. Which games are being played each process tells the others every few seconds, and so it
does who is here to wait: tables that nobody waits at any more are given up.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from tercet.game import Game
from tercet.games import game_definition
from tercet.ratings import pool_of, read_rating
from tercet.server.people.rating_updates import rating_data
from tercet.server.store import Unreachable
from tercet.server.store.schema import PEOPLE, RATINGS, SEATS, TABLES
from tercet.server.tables.broadcast import encode
from tercet.server.tables.messages import seats_view
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.table import Table
from tercet.session import LogEvent, TableSettings

__all__ = ["Data", "Lobby"]

LOG = logging.getLogger("tercet.server")
CHANNEL = "lobby"
PULSE = 4.0  # seconds between two words of a process on what is played in it
FRESH = 11.0  # seconds that such a word is believed
MOST_OPEN, MOST_LIVE = 100, 30  # tables that are told
MOST_TEXTS = 16
AWAY = 180.0  # seconds without whoever opened it after which a listed table is given up
UNLISTED = 14 * 86_400.0  # and any table that nobody came to
SHARE = 0.2  # of the time, at most, in which what waits is being read
Data = dict[str, Any]


@functools.lru_cache(maxsize=256)
def _words(name: str, options: tuple[tuple[str, Any], ...]) -> tuple[str, str, tuple[str, ...]]:
    """A game's title, its options as text, and its players."""
    game = Game(game_definition(name), dict(options), "interpreted")
    return game.definition.title, game.option_text(), game.players


def _of(settings: TableSettings) -> tuple[str, str, tuple[str, ...]]:
    return _words(settings.game, tuple(sorted(settings.options.items())))


class Lobby:
    """The lobby as one process knows it."""

    def __init__(self, registry: TableRegistry) -> None:
        self.registry = registry
        self.database = registry.store.database
        self.followers: set[asyncio.Event] = set()
        self._people: Counter[str] = Counter()
        self._live: dict[str, tuple[float, list[Data]]] = {}  # by process: when it said so, what is played there
        self._seen: dict[str, float] = {}  # by table that waits: when whoever opened it was last known to be here
        self._open: list[Data] | None = None
        self._changes = 0  # of what waits
        self._read_again = 0.0  # not before then
        self._texts: dict[str | None, str] = {}  # what is told, by game, as long as nothing has changed
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
        self._open = None
        self._texts = {}
        self._changes += 1

    # What is told ---------------------------------------------------------------------------------------------------

    async def shown(self, game: str | None = None) -> Data:
        """What waits and what is played, of one ``game`` or of all."""
        async with self._asking:
            waiting = self._open
            if waiting is None:
                await asyncio.sleep(self._read_again - time.monotonic())
                changes, began = self._changes, time.monotonic()
                waiting = await self._waiting()
                self._read_again = time.monotonic() + (time.monotonic() - began) * (1 / SHARE - 1)
                if changes == self._changes:  # nothing has changed while it was read
                    self._open = waiting
        return {
            "open": [one for one in waiting if game in (None, one["game"])][:MOST_OPEN],
            "live": [one for one in self._playing() if game in (None, one["game"])][:MOST_LIVE],
        }

    async def told(self, game: str | None = None) -> str:
        """The same as followers are told: it is made once for all of them."""
        if game in self._texts:
            return self._texts[game]
        async with self._telling:  # who comes meanwhile waits for what is made, and does not make it too
            text = self._texts.get(game)
            if text is None:
                texts = self._texts
                text = encode({"type": "lobby", **await self.shown(game)})
                if texts is self._texts and len(texts) < MOST_TEXTS:  # nothing has changed meanwhile
                    texts[game] = text
            return text

    async def _waiting(self) -> list[Data]:
        """The tables that wait: of each who opened some the newest, then everybody's second, and so on."""
        asked = TABLES.c.public & (TABLES.c.waiting > 0) & TABLES.c.over.is_(False)
        opener, newest = sa.func.coalesce(TABLES.c.creator, TABLES.c.id), TABLES.c.opened.desc()
        turn = sa.func.row_number().over(partition_by=opener, order_by=newest)
        listed = sa.select(TABLES.c.id, turn.label("turn")).where(asked).subquery()
        found = (
            sa.select(TABLES)
            .join(listed, listed.c.id == TABLES.c.id)
            .order_by(listed.c.turn, newest)
            .limit(3 * MOST_OPEN)
        )
        async with self.database.read() as connection:
            tables = (await connection.execute(found)).all()
            sitting = (
                sa.select(SEATS, PEOPLE.c.name, PEOPLE.c.handle)
                .join(PEOPLE, PEOPLE.c.id == SEATS.c.person_id)
                .where(SEATS.c.table_id.in_([row.id for row in tables]))
            )
            occupants = {(row.table_id, row.seat): row for row in await connection.execute(sitting)}
            theirs = RATINGS.c.person_id.in_({row.person_id for row in occupants.values() if row.handle})
            ratings = {
                (row["person_id"], row["game"], row["speed"]): rating_data(read_rating(row["values"]), row["at"])
                for row in (await connection.execute(sa.select(RATINGS).where(theirs))).mappings()
            }
        return [self._told_open(row, occupants, ratings) for row in tables]

    def _told_open(
        self, row: Any, occupants: Mapping[tuple[str, int], Any], ratings: Mapping[tuple[str, str, str], Data]
    ) -> Data:
        settings = TableSettings.read(row.setup)
        pool = pool_of(settings.game, len(settings.seats))
        title, options, players = _of(settings)
        seats = []
        for number, (player, seat) in enumerate(zip(players, settings.seats, strict=True)):
            occupant = occupants.get((row.id, number))
            kind, name = seat.kind, seat.name
            if occupant is not None:
                kind = "person" if kind == "open" else kind
                name = occupant.name if occupant.handle is not None or not name else name
            seats.append(
                {
                    "player": player,
                    "kind": kind,
                    "level": seat.level or None,
                    "name": name or None,
                    "handle": None if occupant is None else occupant.handle,
                    "rating": None if occupant is None else ratings.get((occupant.person_id, pool, row.speed)),
                }
            )
        return {
            "id": row.id,
            "game": settings.game,
            "title": title,
            "optionText": options,
            "clock": settings.clock,
            "speed": row.speed,
            "rated": row.rated,
            "takebacks": settings.takebacks,
            "chat": settings.chat,
            "explore": settings.explore,
            "fromPosition": settings.position is not None or bool(settings.opening),
            "seats": seats,
            "at": round(1000 * row.opened),
        }

    def _forget_old(self) -> None:
        """Forget what processes said that are gone."""
        fresh = time.monotonic() - FRESH
        old = [run for run, said in self._live.items() if said[0] < fresh]
        for run in old:
            del self._live[run]
        if old:
            self._tell_followers()

    def _tell_followers(self) -> None:
        self._texts = {}
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
            title, options, players = _of(table.settings)
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
