"""Ratings from finished games: each rated game is counted once, in one transaction, even if a process dies
meanwhile."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from tercet.core.game import Game
from tercet.engines import LEVELS
from tercet.games import game_definition
from tercet.play import ratings
from tercet.play.session import TableSettings
from tercet.server.errors import Unreachable, going_on
from tercet.server.store.database import Database
from tercet.server.store.pubsub import happens
from tercet.server.store.schema import EVENTS, HISTORY, KEY_VALUES, PEOPLE, RATINGS, SEATS, TABLES

LOG = logging.getLogger("tercet.server")
RATING_LOCK = 7_265_744  # of PostgreSQL, held while a game is rated: no player has two games rated at once
CHECK_SECONDS = 10.0  # between two looks for finished games, without a message
GAMES_AT_ONCE = 200  # that are rated in one round
DAY_SECONDS = 86_400
CASUAL = 0.5  # how much a casual game tells of a level, next to a rated one: people try things out in it
MAX_GAMES_READ = 200  # of a person in the period, to count how often they met a level


def new_rating(players: int) -> ratings.Rating:
    """Return the rating of a new player."""
    return ratings.Glicko() if players == 2 else ratings.PlayerStrength()


def rating_data(rating: ratings.Rating, at: float) -> dict[str, Any]:
    """Return a rating that has stood since ``at`` (seconds) as it is shown."""
    return ratings.shown(rating, max(0.0, time.time() - at) / DAY_SECONDS)


def _begins_at_the_start(settings: TableSettings) -> bool:
    return settings.position is None and not settings.opening


def why_unrated_table(settings: TableSettings) -> str | None:
    """Return the sentence that says why a table with these settings cannot be rated; None where it can."""
    definition = game_definition(settings.game)
    if settings.clock is None:
        return "A rated game needs a clock, or days for each turn."
    if not _begins_at_the_start(settings):
        return "A rated game cannot begin from a chosen position."
    if len(settings.seats) < 2 or any(seat.kind == "engine" for seat in settings.seats):
        return "A rated game needs an account in every seat."
    if settings.takebacks == "own" and definition.takebacks != "own":
        return f"In a rated game of {definition.title}, takebacks are off or need the consent of the others."
    return ratings.why_unrated(Game(definition, dict(settings.options), "interpreted"))


def seat_effects(connection: sa.Connection, pool: str, players: int) -> tuple[list[ratings.Effect], int]:
    """Return the value of each seat, and from how many games it is known."""
    kept = connection.scalar(sa.select(KEY_VALUES.c.value).where(KEY_VALUES.c.name == f"seats {pool}"))
    if kept is None:
        return [ratings.Effect()] * players, 0
    stored = json.loads(kept)
    return [ratings.Effect(*one) for one in stored["seats"]], int(stored["games"])


class LevelRating(NamedTuple):
    """What a level of the engines is worth, from how many games that is known, and when the last of them ended."""

    rating: ratings.Rating
    games: int
    at: float


def level_ratings(connection: sa.Connection, pool: str) -> dict[int, LevelRating]:
    """Return the levels of the engines that people have played in this pool."""
    names = {_level_name(pool, level.number): level.number for level in LEVELS}
    known = {}
    for row in connection.execute(sa.select(KEY_VALUES).where(KEY_VALUES.c.name.in_(names))):
        stored = json.loads(row.value)
        known[names[row.name]] = LevelRating(ratings.read_rating(stored["values"]), stored["games"], stored["at"])
    return known


def _level_name(pool: str, level: int) -> str:
    return f"level {level} {pool}"


def _hint_name(table_id: str) -> str:
    return f"hint {table_id}"


def note_hint(connection: sa.Connection, table_id: str) -> None:
    """Remember that a player got a hint at this table, so that no level learns from the game."""
    _keep(connection, _hint_name(table_id), "")


def _keep(connection: sa.Connection, name: str, value: str) -> None:
    if not (connection.execute(KEY_VALUES.update().where(KEY_VALUES.c.name == name).values(value=value))).rowcount:
        connection.execute(KEY_VALUES.insert().values(name=name, value=value))


def _acted(connection: sa.Connection, table_id: str) -> list[int]:
    """Return the seats that made the actions that stand, in order."""
    kinds = (EVENTS.c.table_id == table_id) & EVENTS.c.kind.in_(("action", "takeback"))
    query = sa.select(EVENTS.c.kind, EVENTS.c.data).where(kinds).order_by(EVENTS.c.number)
    seats: list[int] = []
    for row in connection.execute(query):
        del seats[row.data["ply"] :]
        if row.kind == "action":
            seats.append(row.data["seat"])
    return seats


def _times_met(connection: sa.Connection, people: Sequence[str], ended: float) -> dict[tuple[int, int], int]:
    """Return how often each two of ``people``, by seat, met in rated games of the period before the end of a game."""
    one, other = HISTORY.alias(), HISTORY.alias()
    both = (one.c.table_id == other.c.table_id) & (one.c.person_id < other.c.person_id)
    those = one.c.person_id.in_(people) & other.c.person_id.in_(people)
    lately = one.c.at.between(ended - ratings.PERIOD * DAY_SECONDS, ended)
    query = sa.select(one.c.person_id, other.c.person_id, sa.func.count()).where(both & those & lately)
    times: dict[tuple[int, int], int] = {}
    for first, second, count in connection.execute(query.group_by(one.c.person_id, other.c.person_id)):
        low, high = sorted((people.index(first), people.index(second)))
        times[low, high] = int(count)
    return times


_WAITING = TABLES.c.over & ~TABLES.c.counted
_ANY_WAITING = sa.select(TABLES.c.id).where(_WAITING).limit(1)


class RatingUpdates:
    """Rates finished games. Any number of processes may do so."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._nudged = asyncio.Event()
        self._unreadable: set[str] = set()

    def nudge(self) -> None:
        """Look for finished games soon: a rated one has ended."""
        self._nudged.set()

    async def run(self) -> None:
        """Rate finished games until cancelled."""
        while True:
            self._nudged.clear()
            with going_on("count games"):
                await self.once()
            await happens(self._nudged, CHECK_SECONDS)

    async def once(self) -> int:
        """Rate all finished games, in the order in which they ended. Return how many."""
        done = 0
        if await self.database.scalar(_ANY_WAITING) is None:
            return 0
        accounts = sa.exists().where((SEATS.c.table_id == TABLES.c.id) & (SEATS.c.person_id == PEOPLE.c.id))
        accounts = accounts.where(PEOPLE.c.handle.is_not(None) & (PEOPLE.c.kind != "bot"))
        casual = sa.select(TABLES.c.id).where(_WAITING & ~TABLES.c.rated & accounts).limit(GAMES_AT_ONCE)
        while tables := await self.database.scalars(casual.where(TABLES.c.id.not_in(self._unreadable))):
            for table_id in tables:
                await self._count_or_log(table_id)
        unrated = sa.select(TABLES.c.id).where(_WAITING & ~TABLES.c.rated).limit(1)
        if await self.database.scalar(unrated):  # there is nothing to count of them
            await self.database.change(TABLES.update().where(_WAITING & ~TABLES.c.rated).values(counted=True))
        while True:
            query = sa.select(TABLES.c.id).where(_WAITING & TABLES.c.rated & TABLES.c.id.not_in(self._unreadable))
            query = query.order_by(TABLES.c.ended, TABLES.c.id).limit(GAMES_AT_ONCE)
            tables = await self.database.scalars(query)
            for table_id in tables:
                done += await self._count_or_log(table_id)
            if len(tables) < GAMES_AT_ONCE:
                return done

    async def _count_or_log(self, table_id: str) -> bool:
        """Count a game; False where it was counted already, or cannot be."""
        try:
            return await self.count(table_id)
        except Unreachable:
            raise
        except Exception:
            self._unreadable.add(table_id)
            LOG.exception("could not count table %s", table_id)
            return False

    async def count(self, table_id: str) -> bool:
        """Rate one game unless it is rated already. Return whether it was rated now."""
        return await self.database.write_alone(lambda connection: self._count(connection, table_id))

    def _count(self, connection: sa.Connection, table_id: str) -> bool:
        if not self.database.is_sqlite:
            connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({RATING_LOCK})"))
        mine = (TABLES.c.id == table_id) & TABLES.c.over & ~TABLES.c.counted
        if connection.execute(TABLES.update().where(mine).values(counted=True)).rowcount != 1:
            return False
        table = connection.execute(sa.select(TABLES).where(TABLES.c.id == table_id)).one()
        if not table.rated:
            self._teach_levels(connection, table)
            return True
        people = self._people(connection, table)
        if people and ratings.is_long_enough(_acted(connection, table_id), len(people)):
            self._rate(connection, table, people)
        return True

    def _people(self, connection: sa.Connection, table: sa.Row[Any]) -> list[str]:
        """Return the players by seat; empty if the game does not count."""
        if table.result is None or not table.rated:  # aborted
            return []
        query = sa.select(SEATS.c.seat, SEATS.c.person_id).where(SEATS.c.table_id == table.id)
        known = {row.seat: row.person_id for row in connection.execute(query)}
        people = [known.get(seat) for seat in range(len(table.setup["seats"]))]
        known_people = [person for person in people if person is not None]
        return known_people if len(known_people) == len(people) == len(set(known_people)) > 1 else []

    def _scores(self, connection: sa.Connection, table: sa.Row[Any]) -> list[float]:
        """Return the scores by seat; a player who left the seat to an engine comes last, however it played."""
        scores = [float(score) for score in table.result["scores"]]
        claims = (EVENTS.c.table_id == table.id) & (EVENTS.c.kind == "claim")
        for data in connection.scalars(sa.select(EVENTS.c.data).where(claims)):
            if data.get("what") == "engine":
                scores[data["seat"]] = -1.0
        return scores

    def _rate(self, connection: sa.Connection, table: sa.Row[Any], people: list[str]) -> None:
        scores = self._scores(connection, table)
        pool = ratings.pool_of(table.game, len(people))
        theirs = (RATINGS.c.game == pool) & (RATINGS.c.speed == table.speed) & RATINGS.c.person_id.in_(people)
        rows = {row["person_id"]: row for row in connection.execute(sa.select(RATINGS).where(theirs)).mappings()}
        known = {person: ratings.read_rating(row["values"]) for person, row in rows.items()}
        before = [known.get(person) or new_rating(len(people)) for person in people]
        days = [(table.ended - rows[person]["at"]) / DAY_SECONDS if person in rows else 0.0 for person in people]
        effects, games = seat_effects(connection, pool, len(people)) if len(people) > 2 else ([], 0)
        met = _times_met(connection, people, table.ended)
        after, effects = ratings.rate_game(before, scores, days, met, effects)
        if effects:
            seats = [[round(one.mean, 3), round(one.sigma, 4)] for one in effects]
            _keep(connection, f"seats {pool}", json.dumps({"games": games + 1, "seats": seats}))
        for seat, person in enumerate(people):
            played, last = (rows[person]["games"], rows[person]["at"]) if person in rows else (0, table.ended)
            now = {"rating": after[seat].rating, "values": after[seat].data()}
            now |= {"games": played + 1, "at": max(table.ended, last)}
            if person in rows:
                connection.execute(RATINGS.update().where(theirs & (RATINGS.c.person_id == person)).values(**now))
            else:
                key = {"person_id": person, "game": pool, "speed": table.speed}
                connection.execute(RATINGS.insert().values(**key, **now))
            change = {"before": before[seat].data(), "after": after[seat].data(), "at": table.ended}
            connection.execute(HISTORY.insert().values(table_id=table.id, seat=seat, person_id=person, **change))

    def _teach_levels(self, connection: sa.Connection, table: sa.Row[Any]) -> None:
        """Let the levels of a casual game against engines learn from it. The person's rating says how much the result
        tells, and stays as it is."""
        helped = KEY_VALUES.delete().where(KEY_VALUES.c.name == _hint_name(table.id))
        if connection.execute(helped).rowcount or table.result is None:
            return
        settings = TableSettings.read(table.setup)
        levels = {seat: sits.level for seat, sits in enumerate(settings.seats) if sits.kind == "engine"}
        sitting = connection.execute(sa.select(SEATS.c.seat, SEATS.c.person_id).where(SEATS.c.table_id == table.id))
        people = [(row.seat, row.person_id) for row in sitting if row.seat not in levels and row.person_id is not None]
        if len(people) != 1 or len(levels) != len(settings.seats) - 1 or not levels or not _is_plain(settings):
            return
        ((mine, person),) = people
        kinds = EVENTS.c.kind.in_(("takeback", "claim"))
        helped_out = sa.select(EVENTS.c.number).where((EVENTS.c.table_id == table.id) & kinds).limit(1)
        seats = len(settings.seats)
        if connection.scalar(helped_out) or not ratings.is_long_enough(_acted(connection, table.id), seats):
            return
        pool = ratings.pool_of(table.game, seats)
        known = level_ratings(connection, pool)
        unknown = LevelRating(new_rating(seats), 0, table.ended)
        taught = {level: known.get(level, unknown) for level in sorted(set(levels.values()))}
        strength, days = self._best_known(connection, person, pool, seats, table.ended)
        before = [strength if seat == mine else taught[levels[seat]].rating for seat in range(seats)]
        idle = [days if seat == mine else _days(taught[levels[seat]].at, table.ended) for seat in range(seats)]
        times = self._times_met_levels(connection, person, table)
        pairs = itertools.combinations(range(seats), 2)
        met = {(low, high): times[levels[high if low == mine else low]] for low, high in pairs}
        scores = [float(score) for score in table.result["scores"]]
        effects = seat_effects(connection, pool, seats)[0] if seats > 2 else []
        after, _ = ratings.rate_game(before, scores, idle, met, effects)
        for level, (rating, games, at) in taught.items():
            theirs = [seat for seat, one in levels.items() if one == level]
            now = rating
            for seat in theirs:
                now = ratings.damped(now, after[seat], CASUAL / len(theirs))
            values = {name: round(value, 4) for name, value in now.data().items()}
            value = {"values": values, "games": games + 1, "at": round(max(at, table.ended))}
            _keep(connection, _level_name(pool, level), json.dumps(value))

    def _best_known(
        self, connection: sa.Connection, person: str, pool: str, players: int, ended: float
    ) -> tuple[ratings.Rating, float]:
        """Return the person's rating of the speed at which they are known best, and how many days it has stood."""
        theirs = sa.select(RATINGS.c["values"].label("strength"), RATINGS.c.at)
        theirs = theirs.where((RATINGS.c.person_id == person) & (RATINGS.c.game == pool))
        found = [(ratings.read_rating(row.strength), _days(row.at, ended)) for row in connection.execute(theirs)]
        return min(found, key=lambda one: one[0].deviation, default=(new_rating(players), 0.0))

    def _times_met_levels(self, connection: sa.Connection, person: str, table: sa.Row[Any]) -> Counter[int]:
        """Return how often the person finished games against each level in the period before the end of this one."""
        lately = TABLES.c.ended.between(table.ended - ratings.PERIOD * DAY_SECONDS, table.ended)
        games = (
            sa.select(TABLES.c.setup)
            .join(SEATS, SEATS.c.table_id == TABLES.c.id)
            .where((SEATS.c.person_id == person) & (TABLES.c.game == table.game) & TABLES.c.over & lately)
            .where(TABLES.c.id != table.id)
            .limit(MAX_GAMES_READ)
        )
        return Counter(
            level
            for setup in connection.scalars(games)
            for level in {seat["level"] for seat in setup["seats"] if seat["kind"] == "engine"}
        )


def _days(since: float, until: float) -> float:
    return max(0.0, until - since) / DAY_SECONDS


def _is_plain(settings: TableSettings) -> bool:
    """Return whether a game with these settings began from the start, with options that rated games may have."""
    if not _begins_at_the_start(settings):
        return False
    return ratings.why_unrated(Game(game_definition(settings.game), dict(settings.options), "interpreted")) is None
