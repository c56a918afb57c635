"""The tables that wait for players, as the database has them: which they are, and the lobby's data of each."""

from __future__ import annotations

import functools
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa

from tercet.answers.tables import badge_of
from tercet.answers.translation.messages import Translator
from tercet.core.game import Game
from tercet.games import game_definition
from tercet.play.ratings import pool_of, read_rating
from tercet.play.session import TableSettings
from tercet.server.people.rating_updates import rating_data
from tercet.server.store.database import Database
from tercet.server.store.schema import PEOPLE, RATINGS, SEATS, TABLES
from tercet.server.tables.state import encode
from tercet.server.wire import LobbyData, LobbyServerMessage

T = TypeVar("T")
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


def by_turns(things: Iterable[T], whose: Callable[[T], str], order: Callable[[T], Any]) -> list[T]:
    """Return the first of each owner's (``whose``) ``things`` in that ``order``, then the second of each, and so on;
    among equals in that order too."""
    before = Counter[str]()
    turns = {}
    for number, thing in enumerate(sorted(things, key=order)):
        turns[before[whose(thing)], number] = thing
        before[whose(thing)] += 1
    return [turns[turn] for turn in sorted(turns)]


def groups(
    seeks: Iterable[Seek], seats: Callable[[str], int], now: float, apart: Collection[frozenset[str]] = ()
) -> list[tuple[Seek, ...]]:
    """Return the groups that can begin to play, each with as many people as its game has ``seats``, the person whose
    turn it was first. Two people fit if each is within the other's range of ratings, which grows with the wait, and
    they are not kept ``apart``; of several that fit, the closest in rating are taken."""
    found = []
    for pool, together in groupby(sorted(seeks, key=lambda one: one.pool), lambda one: one.pool):
        waiting = by_turns(together, lambda one: one.network, lambda one: (one.since, one.id))[:MAX_CONSIDERED]
        while waiting:
            first = waiting.pop(0)
            group = [first]
            for other in sorted(waiting, key=lambda one: _distance(first, one)):
                if len(group) < seats(pool.game) and all(_fit(one, other, now, apart) for one in group):
                    group.append(other)
            if len(group) == seats(pool.game):
                found.append(tuple(group))
                waiting = [one for one in waiting if one not in group]
    return found


def _distance(one: Seek, other: Seek) -> float:
    return 0.0 if one.rating is None or other.rating is None else abs(one.rating - other.rating)


def _fit(one: Seek, other: Seek, now: float, apart: Collection[frozenset[str]]) -> bool:
    waited = now - max(one.since, other.since)
    close = _distance(one, other) <= RATING_RANGE + RANGE_GROWTH * waited
    return close and frozenset((one.person, other.person)) not in apart


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
        return [place[2] for place in self._places.get(game, [])[start : start + size]]

    def _rearrange(self, network: str, tables: Sequence[Waiting]) -> None:
        for game, place in _places(self._networks.pop(network, [])):
            for places in (self._places[game], self._places[None]):
                del places[bisect_left(places, place)]
        if tables:
            # The newest of each person, then the second newest of each, and so on.
            self._networks[network] = by_turns(tables, lambda one: one.opener, lambda one: (-one.opened, one.id))
        for game, place in _places(self._networks.get(network, [])):
            for places in (self._places[game], self._places[None]):
                insort(places, place)


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
    """Return those of these tables (None: of all) that wait and are listed. ``network_of`` says where a person came
    from."""
    found = sa.select(TABLES.c.id, TABLES.c.game, TABLES.c.creator, TABLES.c.opened).where(_WAIT)
    if ids is not None:
        found = found.where(TABLES.c.id.in_(ids))

    def read(connection: sa.Connection) -> list[Waiting]:
        return [
            Waiting(row.id, row.game, opener := row.creator or row.id, row.opened, network_of(opener))
            for row in connection.execute(found)
        ]

    return await database.find(read)


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
        return {row.id: _told(row, occupants, ratings) for row in tables}

    return await database.find(read)


def _told(row: Any, occupants: Mapping[tuple[str, int], Any], ratings: Mapping[tuple[str, str, str], Data]) -> Data:
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
        seats.append(
            {
                "player": player,
                "kind": kind,
                "level": seat.level or None,
                "name": name or None,
                "handle": None if occupant is None else occupant.handle,
                "badge": badge,
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

    def answer(self, language: str) -> str:
        """Return the whole list, as the answer to a request."""
        return self._text("answer", language)

    def text(self, language: str) -> str:
        """Return the whole list, as a message."""
        return self._text("lobby", language)

    def since(self, before: Listing, language: str) -> str:
        """Return the changes since ``before`` as a message: the listed ids in their order, and in full the tables
        that are new or different. Empty if nothing has changed."""
        if before.data == self.data:
            return ""
        if self._before is not before:
            before._before = None  # only clients that lag behind still ask for that
            self._before = before
            self._texts = {asked: text for asked, text in self._texts.items() if asked[0] != "lobby-changes"}
        return self._text("lobby-changes", language)

    def _text(self, what: str, language: str) -> str:
        text = self._texts.get((what, language))
        if text is None:
            kind: Any = LobbyData if what == "answer" else LobbyServerMessage
            data = self.data if what == "answer" else {"type": what, **self._shown(what)}
            said = data if language == "en" else Translator(language).value(data, kind)
            text = self._texts[what, language] = encode(said)
        return text

    def _shown(self, what: str) -> dict[str, Any]:
        """What a message tells: all of it, or the changes."""
        if what == "lobby" or self._before is None:
            return self.data
        now, before = self.data, self._before.data
        changes = {part: now[part] for part in ("total", "page", "online", "seeking")}
        for part in ("open", "live"):
            known = {one["id"]: one for one in before[part]}
            changes[part] = [one["id"] for one in now[part]]
            changes[f"{part}Changed"] = [one for one in now[part] if known.get(one["id"]) != one]
        return changes
