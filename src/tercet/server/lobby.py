"""The lobby: tables that wait for players, and public games in progress.

Waiting tables are in the database. Each process sends the others, every few seconds, its games in progress and the
people who are here to wait; a table without its waiting player is given up.
"""

from __future__ import annotations

import asyncio
import functools
import time
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa

from tercet.answers.tables import badge_of, seats_view
from tercet.answers.translation import Translator
from tercet.core.game import Game
from tercet.games import game_definition
from tercet.play.ratings import pool_of, read_rating
from tercet.play.session import LogEvent, TableSettings
from tercet.server.errors import repeat
from tercet.server.limits.spenders import Bounded, KnownSpenders, turn_group
from tercet.server.people.rating_updates import rating_data
from tercet.server.store.database import Database
from tercet.server.store.schema import CHALLENGES, PEOPLE, RATINGS, SEATS, SEEKS, TABLES
from tercet.server.tables.clients import encode, in_language
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.state import Change
from tercet.server.tables.table import Table
from tercet.server.wire import LobbyData, LobbyServerMessage

T = TypeVar("T")


def by_turns(things: Iterable[T], whose: Callable[[T], str], order: Callable[[T], Any]) -> list[T]:
    """Return the first of each owner's (``whose``) ``things`` in that ``order``, then the second of each, and so on;
    among equals in that order too."""
    before = Counter[str]()
    turns = {}
    for number, thing in enumerate(sorted(things, key=order)):
        turns[before[whose(thing)], number] = thing
        before[whose(thing)] += 1
    return [turns[turn] for turn in sorted(turns)]


def fairly(
    things: Iterable[T], network: Callable[[T], str], person: Callable[[T], str], order: Callable[[T], Any]
) -> list[T]:
    """Return ``things`` in the fair order of lists: one of each network, then the second of each, and so on, and within
    a network one of each person; among equals in that ``order``."""
    turns = enumerate(by_turns(things, person, order))
    return [thing for _, thing in by_turns(turns, lambda one: network(one[1]), lambda one: one[0])]


class Waiting(NamedTuple):
    """A table that waits: its ``game``, its ``opener`` (a person's id), when it was opened (seconds) and the
    ``network`` that the opener came from (the opener's id where that is not known)."""

    id: str
    game: str
    opener: str
    opened: float
    network: str


_Place = tuple[int, float, str]  # the table's rank within its network, when it was opened (negative), its id


class WaitingOrder:
    """The waiting tables in their fair order. One table of each network comes first, then the second of each, and so
    on; within a network the people take turns in the same way. Among equals the newest comes first.

    A change costs as much as its network has tables, and a page as much as it is long, however many tables wait.
    """

    def __init__(self) -> None:
        self._tables: dict[str, Waiting] = {}
        self._networks: dict[str, list[Waiting]] = {}  # in their order within the network
        self._places: defaultdict[str | None, list[_Place]] = defaultdict(list)  # by game; None: of all games

    def put(self, table: Waiting) -> None:
        """Add a table, or bring it up to date."""
        if self._tables.get(table.id) == table:
            return
        self.drop(table.id)
        self._tables[table.id] = table
        self._rearrange(table.network, [*self._networks.get(table.network, []), table])

    def drop(self, table_id: str) -> None:
        """Remove a table, if it is there."""
        table = self._tables.pop(table_id, None)
        if table is not None:
            self._rearrange(table.network, [one for one in self._networks[table.network] if one is not table])

    def replace(self, tables: Iterable[Waiting]) -> None:
        """Keep these tables and no others."""
        now = {table.id: table for table in tables}
        for table_id in [one for one in self._tables if one not in now]:
            self.drop(table_id)
        for table in now.values():
            self.put(table)

    def count(self, game: str | None = None) -> int:
        """Return how many tables of ``game`` (None: of all games) wait."""
        return len(self._places.get(game, ()))

    def page(self, start: int, size: int, game: str | None = None) -> list[str]:
        """Return the ids of ``size`` tables of ``game`` (None: of all games) from place ``start`` on."""
        return [ranked[2] for ranked in self._places.get(game, [])[start : start + size]]

    def _rearrange(self, network: str, tables: Sequence[Waiting]) -> None:
        for game, rank in _places(self._networks.pop(network, [])):
            for places in (self._places[game], self._places[None]):
                del places[bisect_left(places, rank)]
        # The newest of each person, then the second newest of each, and so on.
        ordered = by_turns(tables, lambda one: one.opener, lambda one: (-one.opened, one.id))
        self._networks |= {network: ordered} if ordered else {}
        for game, rank in _places(ordered):
            for places in (self._places[game], self._places[None]):
                insort(places, rank)


def _places(tables: Sequence[Waiting]) -> list[tuple[str, _Place]]:
    return [(table.game, (rank, -table.opened, table.id)) for rank, table in enumerate(tables)]


Data = dict[str, Any]
_WAIT = TABLES.c.public & (TABLES.c.waiting > 0) & TABLES.c.over.is_(False)


@functools.lru_cache(maxsize=256)
def _words(name: str, options: tuple[tuple[str, Any], ...]) -> tuple[str, str, tuple[str, ...]]:
    game = Game(game_definition(name), dict(options), "interpreted")
    return game.definition.title, game.option_text(), game.players


def words_of(game: str, options: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    """Return a game's title, its options as text, and its players."""
    return _words(game, tuple(sorted(options.items())))


async def waiting(
    database: Database, ids: Collection[str] | None = None, network_of: Callable[[str], str] = str
) -> list[Waiting]:
    """Return which of these tables (None: of all) wait and are listed. ``network_of`` says whence a person came."""
    query = sa.select(TABLES.c.id, TABLES.c.game, TABLES.c.creator, TABLES.c.opened).where(_WAIT)
    if ids is not None:
        query = query.where(TABLES.c.id.in_(ids))
    return [
        Waiting(row.id, row.game, opener := row.creator or row.id, row.opened, network_of(opener))
        for row in await database.rows(query)
    ]


async def data_of(database: Database, ids: Sequence[str]) -> dict[str, Data]:
    """Return the lobby's data, by id, of those of these tables that still wait."""

    def read(connection: sa.Connection) -> dict[str, Data]:
        tables = connection.execute(sa.select(TABLES).where(TABLES.c.id.in_(ids) & _WAIT)).all()
        sitting = (
            sa.select(SEATS, PEOPLE.c.name, PEOPLE.c.handle, PEOPLE.c.kind)
            .join(PEOPLE, PEOPLE.c.id == SEATS.c.person_id)
            .where(SEATS.c.table_id.in_([row.id for row in tables]))
        )
        occupants = {(row.table_id, row.seat): row for row in connection.execute(sitting)}
        theirs = RATINGS.c.person_id.in_({row.person_id for row in occupants.values() if row.handle})
        ratings = {
            (row["person_id"], row["game"], row["speed"]): rating_data(read_rating(row["values"]), row["at"])
            for row in connection.execute(sa.select(RATINGS).where(theirs)).mappings()
        }
        return {row.id: _waiting_table(row, occupants, ratings) for row in tables}

    return await database.find(read)


def _waiting_table(
    row: Any, occupants: Mapping[tuple[str, int], Any], ratings: Mapping[tuple[str, str, str], Data]
) -> Data:
    settings = TableSettings.read(row.setup)
    pool = pool_of(settings.game, len(settings.seats))
    title, options, players = words_of(settings.game, settings.options)
    seats = []
    for number, (player, seat) in enumerate(zip(players, settings.seats, strict=True)):
        occupant = occupants.get((row.id, number))
        kind, name, badge = seat.kind, seat.name, "engine" if seat.kind == "engine" else None
        if kind == "bot" or occupant is not None or kind == "person":
            badge = badge_of("bot" if kind == "bot" else None if occupant is None else occupant.kind)
        if occupant is not None:
            kind = "person" if kind == "open" else kind
            name = occupant.name if occupant.handle is not None or not name else name
        shown: Data = {"player": player, "kind": kind, "level": seat.level or None, "name": name or None}
        shown |= {"handle": None if occupant is None else occupant.handle, "badge": badge}
        shown["rating"] = None if occupant is None else ratings.get((occupant.person_id, pool, row.speed))
        seats.append(shown)
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
        "explore": settings.explore and not row.rated,
        "fromPosition": settings.position is not None or bool(settings.opening),
        "seats": seats,
        "at": round(1000 * row.opened),
    }


MAX_PAGE_TABLES = 100  # tables of a page


class Asked(NamedTuple):
    """A client's wish: one ``game`` or all, and which page of ``size`` waiting tables."""

    game: str | None = None
    page: int = 0
    size: int = MAX_PAGE_TABLES


class Listing:
    """The list as long as nothing changes: ``data`` is a ``LobbyData`` of the protocol. Texts are written once for
    all clients with the same wish and language."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self._before: Listing | None = None  # since which the changes were written
        self._texts: dict[tuple[str, str], str] = {}

    def since(self, before: Listing, language: str) -> str:
        """Return the changes since ``before`` as a message: the listed ids in their order, and in full the tables
        that are new or different. Empty if nothing has changed."""
        if before.data == self.data:
            return ""
        if self._before is not before:
            before._before = None  # only clients that lag behind still ask for that
            self._before = before
            self._texts = {asked: text for asked, text in self._texts.items() if asked[0] != "lobby-changes"}
        return self.text(language, "lobby-changes")

    def text(self, language: str, what: str = "lobby") -> str:
        """Return the whole list, as a message, or as the ``answer`` to a request; or its ``lobby-changes``."""
        if (what, language) not in self._texts:
            kind: Any = LobbyData if what == "answer" else LobbyServerMessage
            shown = self._changes() if what == "lobby-changes" else self.data
            data = shown if what == "answer" else {"type": what, **shown}
            translator = None if language == "en" else Translator(language)
            self._texts[what, language] = encode(in_language(data, translator, kind))
        return self._texts[what, language]

    def _changes(self) -> dict[str, Any]:
        assert self._before is not None
        now, before = self.data, self._before.data
        changes = {part: now[part] for part in ("total", "page", "online", "seeking")}
        for part in ("open", "live"):
            known = {one["id"]: one for one in before[part]}
            changes[part] = [one["id"] for one in now[part]]
            changes[f"{part}Changed"] = [one for one in now[part] if known.get(one["id"]) != one]
        return changes


CHANNEL = "lobby"
PULSE_SECONDS = 4.0  # between two words of a process on what is played in it
FRESH_SECONDS = 11.0  # that such a word is believed
MAX_LIVE_GAMES = 30  # in the list
LIVE_OF_EACH_GAME = 10  # that are known, however many others are played
MAX_LISTINGS = 64
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
        # By process: when it said so, what is played there, how many people are there, and whose turns the games take.
        self._live: dict[str, tuple[float, list[Data], int, dict[str, str]]] = {}
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
        networks = {one: self.spenders.network(one) for one in people if one is not None}
        return {one: network for one, network in networks.items() if network is not None}

    def network_of(self, person_id: str) -> str:
        """Return the network that a person came from last; the person's id where no process that is alive knows it."""
        return self.spenders.network(person_id) or self._networks.get(person_id, person_id)

    def turn_of(self, person_id: str) -> str:
        """Return what takes turns in lists where a person has come from."""
        return turn_group(self.network_of(person_id))

    async def _observe(self, table: Table, events: list[LogEvent]) -> None:
        if any(event.kind in ("sit", "stand", "abort") for event in events):
            await self.changed(table.id)  # before anything is read: the list must be right when the change is answered
            query = sa.select(CHALLENGES.c.to_id).where(CHALLENGES.c.table_id == table.id)
            challenged = await self.database.scalar(query)
            if challenged is not None:
                await self._tell(challenged, table.id)

    def _hear(self, data: Data) -> None:
        self._networks.update(data.get("networks", {}))
        if "changed" in data:
            self._forget(data["changed"] if isinstance(data["changed"], list) else None)
        if "seeks" in data:
            self._seeking = None
        if "live" in data:
            before = self._live.get(data["run"], (0.0, [], 0, {}))
            said = time.monotonic(), data["live"], data.get("online", 0), data.get("turns", {})
            now = self._live[data["run"]] = said
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
        for person_id in (there := list(people)):
            await self._tell(person_id, table_id)
        self.registry.opened(table_id, there)

    async def _tell(self, person_id: str, table_id: str) -> None:
        await self.registry.pubsub.publish(f"person:{person_id}", {"table": table_id})

    async def seeks_changed(self, person_id: str | None = None) -> None:
        """Tell all processes that someone, perhaps this person, waits to be paired, or no longer does."""
        await self.registry.pubsub.publish(CHANNEL, {"seeks": True, "networks": self._known_networks([person_id])})

    # Data of tables -------------------------------------------------------------------------------------------------

    async def listing(self, wish: Asked) -> Listing:
        """Return the list that a client wishes for, made once for all with the same wish."""
        if wish in self._listings:
            return self._listings[wish]
        async with self._telling:  # who comes meanwhile waits for what is made, and does not make it too
            listing = self._listings.get(wish)
            if listing is None:
                listings = self._listings
                listing = Listing(await self.shown(wish))
                if listings is self._listings and len(listings) < MAX_LISTINGS:  # nothing has changed meanwhile
                    listings[wish] = listing
            return listing

    async def shown(self, wish: Asked) -> Data:
        """Return a page of the waiting tables, and the games in progress, as data."""
        await self._read()
        total = self._waiting.count(wish.game)
        page = min(wish.page, max(0, total - 1) // wish.size)
        waiting = await self._tables(self._waiting.page(page * wish.size, wish.size, wish.game))
        live = self._playing(wish.game)[:MAX_LIVE_GAMES]
        online = _rounded(sum(there for _, _, there, _ in self._live.values()))
        seeking = [one for one in await self._read_seeks() if wish.game in (None, one["game"])]
        return {"open": waiting, "live": live, "total": total, "page": page, "online": online, "seeking": seeking}

    async def _read_seeks(self) -> list[Data]:
        """Return how many people are waiting to be paired for each kind of game."""
        if self._seeking is None:
            kinds = (SEEKS.c.game, SEEKS.c.time, SEEKS.c.rated)
            query = sa.select(*kinds, sa.func.count().label("people")).where(SEEKS.c.table_id.is_(None))
            rows = await self.database.rows(query.group_by(*kinds).order_by(*kinds))
            self._seeking = [row._asdict() for row in rows]
        return self._seeking

    async def _read(self) -> None:
        """Read of which tables it is not known whether they wait."""
        async with self._reading:
            unread, self._unread = self._unread, set()
            if unread is not None and not unread:
                return
            try:
                tables = await waiting(self.database, unread, self.turn_of)
            except BaseException:
                self._unread = None  # what has changed meanwhile, too
                raise
            if unread is None:
                self._waiting.replace(tables)
                return
            for table_id in unread.difference(one.id for one in tables):
                self._waiting.drop(table_id)
            for table in tables:
                self._waiting.put(table)

    async def _tables(self, ids: Sequence[str]) -> list[Data]:
        known = self._open
        missing = [one for one in ids if one not in known]
        tables = await data_of(self.database, missing) if missing else {}
        if known is self._open:
            changed = self._unread or ()
            known.update({one: data for one, data in tables.items() if one not in changed})
        tables = {**known, **tables}
        return [tables[one] for one in ids if one in tables]

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

    def _playing(self, game: str | None) -> list[Data]:
        """Return the games (``game`` or all) that go on in all processes: one of each network that opened some, then
        the second of each; among equals those with most watchers first."""
        games: dict[str, Data] = {}
        turns: dict[str, str] = {}
        for _, tables, _, whose in self._live.values():
            turns |= whose
            for one in tables:
                known = games.get(one["id"])
                if known is None or (known["ply"], known["watchers"]) < (one["ply"], one["watchers"]):
                    games[one["id"]] = one
        shown = (one for one in games.values() if game in (None, one["game"]))
        return by_turns(
            shown, lambda one: str(turns.get(one["id"], one["id"])), lambda one: (-one["watchers"], one["id"])
        )

    def _turn_of_table(self, table: Table) -> str:
        """Return whose turn a game takes in lists: that of the person who opened it, or of the first who plays."""
        players = [table.occupants[seat].person_id for seat in sorted(table.occupants)]
        return self.turn_of(next((one for one in (table.info.creator, *players) if one), table.id))

    def _played_here(self) -> list[tuple[Data, str]]:
        """Return the listed games that go on in this process, in the order of the list, and whose turns they take."""
        public = (one for one in self.registry.tables if one.settings.watch == "public" and one.clients)
        begun = (one for one in public if not (one.session.waiting or one.session.is_over))
        present = (table for table in begun if table.presence.present)
        going = by_turns(present, self._turn_of_table, lambda table: (-table.presence.watchers, table.id))
        games, listed = [], Counter[str]()
        for table in going:
            listed[table.settings.game] += 1
            if listed.total() > MAX_LIVE_GAMES and listed[table.settings.game] > LIVE_OF_EACH_GAME:
                continue
            title, options, players = words_of(table.settings.game, table.settings.options)
            seats = []
            for player, seat in zip(players, seats_view(table.session, table.occupants), strict=True):
                seats.append({"player": player, **{name: value for name, value in seat.items() if name != "here"}})
            game: Data = {"id": table.id, "game": table.settings.game, "title": title, "optionText": options}
            game |= {"speed": table.info.speed, "rated": table.info.rated, "seats": seats}
            game |= {"watchers": table.presence.watchers, "ply": table.session.ply}
            games.append((game, self._turn_of_table(table)))
        return games

    # What is looked after -------------------------------------------------------------------------------------------

    async def _tell_others(self) -> None:
        run = str(self.registry.lease.process_id)
        here = self._played_here()
        turns = {game["id"]: turn for game, turn in here}
        word = {"run": run, "live": [game for game, _ in here], "online": self._online(), "turns": turns}
        await self.registry.pubsub.publish(CHANNEL, word)
        self._forget_old()

    async def _give_up(self) -> None:
        """Announce the waiting tables whose creators are here, and give up those without one for too long."""
        columns = (TABLES.c.id, TABLES.c.creator, TABLES.c.opened, TABLES.c.public, TABLES.c.speed)
        query = sa.select(*columns).where((TABLES.c.waiting > 0) & TABLES.c.over.is_(False))
        rows = await self.database.rows(query)
        waited_at = {table.id for table in self.registry.tables if any(one.held or one.opened for one in table.clients)}
        here = [row.id for row in rows if row.creator in self.people or row.id in waited_at]
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
            await table.submit(Change.once(lambda session, now: session.give_up_waiting(reason, now)))


def _rounded(people: int) -> int:
    """Return a number of people with two digits that count, so that it does not change all the time."""
    unit = int(10 ** max(0, len(str(people)) - 2))
    return people // unit * unit
