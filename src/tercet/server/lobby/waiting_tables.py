"""The tables that wait for players, as the database has them: which they are, and the lobby's data of each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from tercet.answers.table_messages import badge_of
from tercet.core.game import Game
from tercet.games import game_definition
from tercet.play.ratings import pool_of, read_rating
from tercet.play.session import TableSettings
from tercet.server.lobby.waiting_order import Waiting
from tercet.server.people.rating_updates import rating_data
from tercet.server.store.database import Database
from tercet.server.store.schema import PEOPLE, RATINGS, SEATS, TABLES

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
