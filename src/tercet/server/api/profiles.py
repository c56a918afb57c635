"""Finding people, and what they play and have played: profiles, their games, leaderboards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Unpack

import sqlalchemy as sa
from fastapi import Request

import tercet
from tercet.answers import home
from tercet.answers.addresses import address, answers
from tercet.answers.fields import Limit
from tercet.answers.home import MAX_SEATS_SHOWN
from tercet.answers.starts import known_game
from tercet.answers.tables import listed_table
from tercet.answers.wire import my_games
from tercet.engines import LEVELS, opponent_names
from tercet.play.ratings import SPEEDS, game_of_pool, interval, pool_of, read_rating, seat_names
from tercet.play.session import SessionError
from tercet.server import wire
from tercet.server.api.access import entered
from tercet.server.api.social import find_person, relation
from tercet.server.limits.spenders import Bounded
from tercet.server.people.identity import people_of, person_of
from tercet.server.people.names import is_handle
from tercet.server.people.rating_updates import level_ratings, rating_data, seat_effects
from tercet.server.services import services_of
from tercet.server.store.schema import HISTORY, PEOPLE, RATINGS, SEATS, TABLES

MAX_LINES = 100  # lines of a leaderboard
USUAL_GAMES = 30  # of a page
MAX_RATINGS_READ = 2000  # ratings that a leaderboard is made of
MAX_OPPONENTS_SHOWN = 20  # that a profile names
TALLY = ("played", "won", "drawn", "lost")

# Of a seat (MINE) and its table, as the database computes them. Shares of the point are read from the result.
MINE, OTHER = SEATS.alias("mine"), SEATS.alias("other")
SHARES = [TABLES.c.result[("scores", seat)].as_float() for seat in range(MAX_SEATS_SHOWN)]
PLAYERS = sum((sa.case((share.is_(None), 0), else_=1) for share in SHARES), sa.literal(0))
SHARE = sa.case(*((MINE.c.seat == seat, share) for seat, share in enumerate(SHARES)), else_=None)
OUTCOME = sa.case(
    (~TABLES.c.over, "playing"),
    (SHARE.is_(None), "off"),
    (SHARE > 0.999, "won"),
    (SHARE < 0.001, "lost"),
    else_="drawn",
)
RATED = TABLES.c.rated & (~TABLES.c.counted | sa.exists().where(HISTORY.c.table_id == TABLES.c.id))
FINISHED = TABLES.c.over & SHARES[0].is_not(None)
OPEN_TO_ALL = sa.func.coalesce(TABLES.c.setup["watch"].as_string(), "link") != "private"
WHEN = sa.func.coalesce(TABLES.c.ended, TABLES.c.opened)
MAX_PEOPLE_FOUND = 20


@address("GET /api/people/{handle}", wire.ProfileResponse)
async def profile(handle: str, request: Request) -> Any:
    """Return a person's ratings, results by game, speed and seat, and most frequent opponents, without private
    games."""
    people = people_of(request)
    row = await find_person(people, handle)
    viewer = await person_of(request)
    following, followed = (False, False) if viewer is None else await relation(people, viewer.id, row.id)
    return {
        "following": following,
        "friend": following and followed,
        "handle": row.handle,
        "name": row.name,
        "kind": row.kind,
        "since": round(1000 * row.created),
        "ratings": await people.database.find(lambda connection: _ratings(connection, row.id)),
        "games": await people.database.find(lambda connection: _results(connection, row.id)),
        "opponents": await people.database.find(lambda connection: _opponents(connection, row.id)),
    }


def _ratings(connection: sa.Connection, person_id: str) -> list[dict[str, Any]]:
    found = sa.select(RATINGS).where(RATINGS.c.person_id == person_id).order_by(RATINGS.c.games.desc(), RATINGS.c.game)
    found_by_pool = []
    for row in connection.execute(found).mappings():
        game, players = game_of_pool(row["game"])
        shown = rating_data(read_rating(row["values"]), row["at"])
        found_by_pool.append({"game": game, "players": players, "speed": row["speed"], **shown, "games": row["games"]})
    return found_by_pool


def _results(connection: sa.Connection, person_id: str) -> list[dict[str, Any]]:
    theirs = (
        sa.select(TABLES.c.game, PLAYERS.label("players"), TABLES.c.speed, MINE.c.seat, OUTCOME.label("outcome"))
        .join(MINE, MINE.c.table_id == TABLES.c.id)
        .where((MINE.c.person_id == person_id) & FINISHED & OPEN_TO_ALL)
        .subquery()
    )
    found = sa.select(theirs, sa.func.count().label("times")).group_by(*theirs.c)
    found_by_pool: dict[tuple[Any, ...], dict[str, int]] = {}
    for row in connection.execute(found):
        tally = found_by_pool.setdefault((row.game, row.players, row.speed, row.seat), dict.fromkeys(TALLY, 0))
        tally["played"] += row.times
        tally[row.outcome] += row.times
    return [
        {"game": game, "players": players, "speed": speed, "seat": seat, **tally}
        for (game, players, speed, seat), tally in sorted(found_by_pool.items())
    ]


def _opponents(connection: sa.Connection, person_id: str) -> list[dict[str, Any]]:
    times, outcome = sa.func.count(), OUTCOME
    results = [sa.func.sum(sa.case((outcome == how, 1), else_=0)).label(how) for how in TALLY[1:]]
    found = (
        sa.select(PEOPLE.c.handle, PEOPLE.c.name, PEOPLE.c.kind, times.label("played"), *results)
        .select_from(TABLES)
        .join(MINE, MINE.c.table_id == TABLES.c.id)
        .join(OTHER, (OTHER.c.table_id == TABLES.c.id) & (OTHER.c.person_id != person_id))
        .join(PEOPLE, PEOPLE.c.id == OTHER.c.person_id)
        .where((MINE.c.person_id == person_id) & FINISHED & OPEN_TO_ALL & PEOPLE.c.handle.is_not(None))
        .group_by(PEOPLE.c.handle, PEOPLE.c.name, PEOPLE.c.kind)
        .order_by(times.desc(), PEOPLE.c.handle)
        .limit(MAX_OPPONENTS_SHOWN)
    )
    return [row._asdict() for row in connection.execute(found)]


def _wanted(person_id: str, wanted: home.GamesFilter) -> sa.Select[Any]:
    """Return the query for games of this person."""
    theirs = (MINE.c.table_id == TABLES.c.id) & (MINE.c.person_id == person_id)
    columns = WHEN.label("when"), MINE.c.seat.label("mine"), OUTCOME.label("outcome"), RATED.label("counts")
    found = sa.select(TABLES, *columns).join(MINE, theirs)
    for column, wish in (
        (TABLES.c.game, wanted.get("game")),
        (TABLES.c.speed, wanted.get("speed")),
        (MINE.c.seat, wanted.get("seat")),
        (OUTCOME, wanted.get("result")),
        (RATED, wanted.get("rated")),
    ):
        if wish is not None:
            found = found.where(column == wish)
    if (opponent := wanted.get("opponent")) is not None:
        other = PEOPLE.c.handle == (opponent.lower() if is_handle(opponent) else "")
        found = found.where(
            sa.exists()
            .where(OTHER.c.table_id == TABLES.c.id)
            .where((OTHER.c.person_id == PEOPLE.c.id) & (OTHER.c.person_id != person_id) & other)
        )
    if (before := wanted.get("before")) is not None:
        (until, _, table_id), when = before.partition("_"), WHEN
        found = found.where((when < float(until)) | (when == float(until)) & (TABLES.c.id < table_id))
    return found.order_by(WHEN.desc(), TABLES.c.id.desc()).limit(wanted.get("limit", USUAL_GAMES) + 1)


def _games(connection: sa.Connection, found: sa.Select[Any], limit: int) -> dict[str, Any]:
    rows = connection.execute(found).mappings().all()
    more = f"{rows[limit - 1]['when']:.9f}_{rows[limit - 1]['id']}" if len(rows) > limit else None
    rows = rows[:limit]
    sitting = (
        sa.select(SEATS.c.table_id, SEATS.c.seat, PEOPLE.c.name, PEOPLE.c.handle, PEOPLE.c.kind)
        .join(PEOPLE, PEOPLE.c.id == SEATS.c.person_id)
        .where(SEATS.c.table_id.in_([row["id"] for row in rows]))
    )
    known = {(row.table_id, row.seat): row for row in connection.execute(sitting)}

    def seats_data(table_id: str, setup: list[dict[str, Any]]) -> list[dict[str, Any]]:
        opponents = iter(opponent_names([sits["level"] for sits in setup if sits["kind"] == "engine"]))
        seats: list[dict[str, Any]] = []
        for seat, sits in enumerate(setup):
            name = next(opponents) if sits["kind"] == "engine" else sits.get("name") or None
            data = {"name": name, "handle": None, "kind": sits["kind"], "level": sits.get("level") or None}
            person = known.get((table_id, seat))
            if person is not None:
                data = {"name": person.name, "handle": person.handle, "kind": person.kind, "level": None}
            seats.append(data)
        return seats

    games = [
        {
            "id": row["id"],
            "game": row["game"],
            "speed": row["speed"],
            "opened": round(1000 * row["opened"]),
            "ended": None if row["ended"] is None else round(1000 * row["ended"]),
            "seats": seats_data(row["id"], row["setup"]["seats"]),
            "seat": row["mine"],
            "result": row["outcome"],
            "says": (row["result"] or {}).get("says", ""),
            "rated": row["counts"],
        }
        for row in rows
    ]
    return {"games": games, "more": more}


@address("GET /api/people/{handle}/games", my_games.GamesResponse)
async def games_of(request: Request, handle: str, **wanted: Unpack[home.GamesFilter]) -> Any:
    """Return a person's public games (your own: all), the latest first."""
    people = people_of(request)
    row = await find_person(people, handle)
    person = await person_of(request)
    found = _wanted(row.id, wanted)
    if person is None or person.id != row.id:
        found = found.where(TABLES.c.public)
    limit = wanted.get("limit", USUAL_GAMES)
    return await people.database.find(lambda connection: _games(connection, found, limit))


@answers(home.my_played_games)
async def own_games(request: Request, **wanted: Unpack[home.GamesFilter]) -> Any:
    person = await person_of(request)
    if person is None:
        return {"games": [], "more": None}
    found, limit = _wanted(person.id, wanted), wanted.get("limit", USUAL_GAMES)
    return await people_of(request).database.find(lambda connection: _games(connection, found, limit))


@address("GET /api/ratings/{game}", wire.LeadersResponse)
async def leaders(
    game: str,
    request: Request,
    speed: home.Speed = "rapid",
    players: Annotated[int, Limit(MAX_SEATS_SHOWN, 2)] | None = None,
) -> Any:
    """Return the best players of a game (the usual number of ``players``, if left out), provisional ratings last; with
    three players also the value of each seat."""
    assert speed in SPEEDS
    known_game(game)
    players = len(tercet.game(game).players) if players is None else players
    pool = pool_of(game, players)
    found = (
        sa.select(RATINGS, RATINGS.c["values"].label("strength"), PEOPLE.c.handle, PEOPLE.c.name, PEOPLE.c.kind)
        .join(PEOPLE, PEOPLE.c.id == RATINGS.c.person_id)
        .where((RATINGS.c.game == pool) & (RATINGS.c.speed == speed) & PEOPLE.c.deleted.is_(None))
        .order_by(RATINGS.c.rating.desc(), PEOPLE.c.handle)
        .limit(MAX_RATINGS_READ)
    )
    database = people_of(request).database
    effects, counted = await database.find(lambda connection: seat_effects(connection, pool, players))
    lines: list[dict[str, Any]] = []
    for row in await database.rows(found):
        who = {"handle": row.handle, "name": row.name, "kind": row.kind}
        lines.append({**who, **rating_data(read_rating(row.strength), row.at), "games": row.games})
    lines.sort(key=lambda line: bool(line["provisional"]))
    for rank, line in enumerate(lines, 1):
        line["rank"] = None if line["provisional"] else rank
    seats = None
    if players > 2:
        seats = []
        for name, effect in zip(seat_names(game, players), effects, strict=True):
            low, high = map(round, interval(effect.mean, effect.sigma))
            seats.append({"player": name, "worth": round(effect.mean), "low": low, "high": high})
    shown = {"game": game, "players": players, "speed": speed, "leaders": lines[:MAX_LINES]}
    return {**shown, "seats": seats, "counted": counted}


@address("GET /api/levels/{game}", list[wire.LevelResponse])
async def levels(game: str, request: Request) -> Any:
    """Return what the levels of the engines are worth in a game for the usual number of players, as people's ratings.
    They are learnt from casual games of people with accounts."""
    pool = pool_of(known_game(game), len(tercet.game(game).players))
    known = await people_of(request).database.find(lambda connection: level_ratings(connection, pool))
    lines: list[dict[str, Any]] = []
    for number in (level.number for level in LEVELS):
        one = known.get(number)
        rating = None if one is None else rating_data(one.rating, one.at)
        lines.append({"level": number, "rating": rating, "games": 0 if one is None else one.games})
    return lines


@address("GET /api/people", wire.PeopleResponse)
async def search(request: Request, name: Annotated[str, Limit(40, 2)]) -> Any:
    """Accounts and bots whose handle begins so, or whose name has these letters in it."""
    asked = name.strip().lower().removeprefix("@")
    if len(asked) < 2:
        return {"people": []}
    begins = PEOPLE.c.handle.startswith(asked, autoescape=True)
    named = sa.func.lower(PEOPLE.c.name).contains(asked, autoescape=True)
    found = (
        sa.select(PEOPLE.c.handle, PEOPLE.c.name, PEOPLE.c.kind)
        .where(PEOPLE.c.handle.is_not(None) & PEOPLE.c.deleted.is_(None) & (begins | named))
        .order_by(sa.case((begins, 0), else_=1), PEOPLE.c.handle)
        .limit(MAX_PEOPLE_FOUND)
    )
    return {"people": [row._asdict() for row in await people_of(request).database.rows(found)]}


@address("GET /api/ratings", wire.BoardsResponse)
async def boards(request: Request) -> Any:
    """List the leaderboards that have players."""
    count = sa.func.count().label("people")
    found = (
        sa.select(RATINGS.c.game, RATINGS.c.speed, count)
        .join(PEOPLE, PEOPLE.c.id == RATINGS.c.person_id)
        .where(PEOPLE.c.deleted.is_(None))
        .group_by(RATINGS.c.game, RATINGS.c.speed)
        .order_by(count.desc(), RATINGS.c.game, RATINGS.c.speed)
    )
    boards = []
    for pool, speed, people in await people_of(request).database.rows(found):
        game, players = game_of_pool(pool)
        if game in tercet.games():
            boards.append({"game": game, "players": players, "speed": speed, "people": people})
    return {"boards": boards}


MAX_GAMES = 40  # of a person in an answer, the latest
MAX_REMEMBERED_TABLES = 4000

# What was read of a table when its log had so many events; it stays true until it has more.
_read: Bounded[str, tuple[int, dict[str, Any]]] = Bounded(MAX_REMEMBERED_TABLES)


@answers(home.my_tables)
async def tables(request: Request, table: Sequence[str] = ()) -> Any:
    person = await person_of(request)
    wanted: sa.ColumnElement[bool] = TABLES.c.id.in_(table)
    if person is not None:
        mine = sa.select(SEATS.c.table_id).where(SEATS.c.person_id == person.id)
        wanted |= TABLES.c.id.in_(mine) | (TABLES.c.creator == person.id) & (TABLES.c.waiting > 0)
    found = sa.select(TABLES.c.id, TABLES.c.number).where(wanted & ~TABLES.c.over).order_by(TABLES.c.opened.desc())
    rows = await services_of(request).registry.store.database.rows(found.limit(MAX_GAMES))
    found_games = []
    for row in rows:
        known = _read.get(row.id)
        if known is None or known[0] != row.number:
            known = await _look(request, row.id)
        if known is not None and (known[1]["watch"] != "private" or (person and person.id in known[1]["people"])):
            public = {name: value for name, value in known[1].items() if name not in ("people", "watch")}
            seats = known[1]["people"].get(None if person is None else person.id, [])
            found_games.append({**public, "yourSeats": seats})
    return {"tables": found_games}


async def _look(request: Request, table_id: str) -> tuple[int, dict[str, Any]] | None:
    try:
        async with entered(request, table_id) as entry:
            table, session = entry.table, entry.table.session
            people: dict[str, list[int]] = {}
            for seat, occupant in table.occupants.items():
                people.setdefault(occupant.person_id, []).append(seat)
            found = listed_table(table.info, session, table.occupants)
            read = session.number, {**found, "people": people, "watch": session.settings.watch}
            _read[table_id] = read
            return read
    except SessionError:
        return None
