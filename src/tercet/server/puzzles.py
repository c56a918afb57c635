"""Puzzles and tries at them in the database: what comes next is plain SQL."""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

import tercet
from tercet.answers import puzzles as shipped
from tercet.play.ratings import Glicko, damped, rate_two, trust
from tercet.server.store.database import Database
from tercet.server.store.schema import PEOPLE, PUZZLE_RATINGS, PUZZLE_TAGS, PUZZLE_TRIES, PUZZLES

PUZZLE_LOCK = 7_265_745  # of PostgreSQL, held while a try is counted: no person and no puzzle has two counted at once


async def add_missing(database: Database) -> None:
    """Add to the database all puzzles and tags that it lacks."""
    puzzles = shipped.all_puzzles()
    tags = {(ident, tag) for ident, puzzle in puzzles.items() for tag in puzzle["tags"]}

    def missing(connection: sa.Connection) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
        known = set(connection.scalars(sa.select(PUZZLES.c.id)))
        tagged = {tuple(row) for row in connection.execute(sa.select(PUZZLE_TAGS.c.puzzle_id, PUZZLE_TAGS.c.tag))}
        return (
            [_row(puzzle) for ident, puzzle in puzzles.items() if ident not in known],
            [{"puzzle_id": ident, "tag": tag} for ident, tag in sorted(tags - tagged)],
        )

    def write(connection: sa.Connection) -> None:  # looks again: another process may have been here
        for table, rows in zip((PUZZLES, PUZZLE_TAGS), missing(connection), strict=True):
            if rows:
                connection.execute(table.insert(), rows)

    if any(await database.find(missing)):
        await database.write_together("puzzles", write)


def _row(puzzle: dict[str, Any]) -> dict[str, Any]:
    """Return a puzzle as the database keeps it, before anybody has tried it."""
    values = shipped.new_rating(puzzle).data()
    game, rating = puzzle["game"], values["rating"]
    return {"id": puzzle["id"], "game": game, "rating": rating, "values": values, "tries": 0, "at": time.time()}


def following(
    connection: sa.Connection, person: str, game: str, tags: Sequence[str], low: int, high: int, repeat: bool
) -> tuple[str, bool] | None:
    """Return the puzzle to try next, and whether it was failed before and is due: one that is due (with ``repeat``),
    else one with all ``tags`` between these ratings that was not tried. Its rating is near the lower end of what the
    person's may be, so that the first ones are easy. None if there is none."""
    tried = sa.select(PUZZLE_TRIES).where(PUZZLE_TRIES.c.person_id == person).subquery()
    fits = (PUZZLES.c.game == game) & PUZZLES.c.rating.between(low, high)
    for tag in tags:
        fits &= PUZZLES.c.id.in_(sa.select(PUZZLE_TAGS.c.puzzle_id).where(PUZZLE_TAGS.c.tag == tag))
    query = sa.select(PUZZLES.c.id).outerjoin(tried, tried.c.puzzle_id == PUZZLES.c.id).where(fits)
    if repeat:
        due = query.where(tried.c.due <= time.time()).order_by(tried.c.due).limit(1)
        puzzle_id = connection.scalar(due)
        if puzzle_id is not None:
            return str(puzzle_id), True
    glicko = _glicko(connection, person, game)
    distance = sa.func.abs(PUZZLES.c.rating - (glicko.rating - glicko.deviation))
    near = query.where(tried.c.puzzle_id.is_(None)).order_by(distance).limit(shipped.NEAR_PUZZLES)
    puzzle_id = connection.scalars(near).all()
    return (str(random.choice(puzzle_id)), False) if puzzle_id else None


def themes(connection: sa.Connection) -> list[dict[str, Any]]:
    """Return the games that have puzzles, with their tags."""
    counted = sa.select(
        PUZZLES.c.game, sa.func.count().label("count"), sa.func.min(PUZZLES.c.rating), sa.func.max(PUZZLES.c.rating)
    ).group_by(PUZZLES.c.game)
    tagged = (
        sa.select(PUZZLES.c.game, PUZZLE_TAGS.c.tag, sa.func.count())
        .join(PUZZLE_TAGS, PUZZLE_TAGS.c.puzzle_id == PUZZLES.c.id)
        .group_by(PUZZLES.c.game, PUZZLE_TAGS.c.tag)
        .order_by(sa.func.count().desc(), PUZZLE_TAGS.c.tag)
    )
    tags: dict[str, list[tuple[str, int]]] = {}
    for game, tag, count in connection.execute(tagged):
        tags.setdefault(game, []).append((tag, count))
    rows = {row[0]: row for row in connection.execute(counted)}
    there = (rows[game] for game in tercet.games() if game in rows)
    return [shipped.themes_data(game, count, low, high, tags.get(game, [])) for game, count, low, high in there]


def standing(connection: sa.Connection, person: str, game: str) -> dict[str, Any]:
    """Return a person's rating in the puzzles of a game, and their streak."""
    glicko = _glicko(connection, person, game)
    mine = (PUZZLE_RATINGS.c.person_id == person) & (PUZZLE_RATINGS.c.game == game)
    tries = connection.scalar(sa.select(PUZZLE_RATINGS.c.tries).where(mine))
    ended = (
        sa.select(PUZZLE_TRIES.c.right)
        .join(PUZZLES, PUZZLES.c.id == PUZZLE_TRIES.c.puzzle_id)
        .where((PUZZLE_TRIES.c.person_id == person) & (PUZZLES.c.game == game))
        .order_by(PUZZLE_TRIES.c.at.desc())
        .limit(shipped.MAX_HISTORY_LINES)
    )
    return shipped.standing_data(glicko, tries or 0, connection.scalars(ended))


def _glicko(connection: sa.Connection, person: str, game: str) -> Glicko:
    mine = (PUZZLE_RATINGS.c.person_id == person) & (PUZZLE_RATINGS.c.game == game)
    values = connection.scalar(sa.select(PUZZLE_RATINGS.c["values"]).where(mine))
    return shipped.beginner_rating(game) if values is None else Glicko.read(values)


def first_tries(connection: sa.Connection, person: str, idents: Collection[str]) -> dict[str, bool]:
    """Return whether each of these puzzles was right at the first try, of those that the person has tried."""
    mine = (PUZZLE_TRIES.c.person_id == person) & PUZZLE_TRIES.c.puzzle_id.in_(idents)
    rows = connection.execute(sa.select(PUZZLE_TRIES.c.puzzle_id, PUZZLE_TRIES.c.right).where(mine))
    return {row.puzzle_id: row.right for row in rows}


def tries(connection: sa.Connection, person: str) -> dict[str, Any]:
    """Return a person's first tries by puzzle, the oldest first."""
    mine = sa.select(PUZZLE_TRIES).where(PUZZLE_TRIES.c.person_id == person).order_by(PUZZLE_TRIES.c.at)
    return {row["puzzle_id"]: row for row in connection.execute(mine).mappings()}


def wanted_ratings(connection: sa.Connection, person: str) -> dict[str, float]:
    """Return by game the rating of the puzzles that a person is given: the lower end of what their own may be."""
    ratings = {game: _glicko(connection, person, game) for game in tercet.games()}
    return {game: glicko.rating - glicko.deviation for game, glicko in ratings.items()}


def history(connection: sa.Connection, person: str) -> list[dict[str, Any]]:
    """Return the puzzles that a person has tried, the latest first."""
    query = (
        sa.select(PUZZLE_TRIES, PUZZLES.c.game)
        .join(PUZZLES, PUZZLES.c.id == PUZZLE_TRIES.c.puzzle_id)
        .where(PUZZLE_TRIES.c.person_id == person)
        .order_by(PUZZLE_TRIES.c.at.desc())
        .limit(shipped.MAX_HISTORY_LINES)
    )
    rows = connection.execute(query).mappings()
    return [shipped.tried_data(row["puzzle_id"], row["game"], dict(row)) for row in rows]


async def conclude(
    database: Database, person: str, puzzle: dict[str, Any], right: bool, motif: str | None = None
) -> int | None:
    """Store that a person has solved a puzzle, or failed at it, which the trainer gave for ``motif``. The first time
    their rating changes (returned is by how much, else None), and the puzzle's by what is known of the person: a
    guest's try leaves it as it is, and that of a new account nearly so. A failed puzzle is due again after days, and
    can be failed again from then on; a solved one is due no more."""

    def write(connection: sa.Connection) -> int | None:
        if not database.is_sqlite:  # other processes wait, too
            connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({PUZZLE_LOCK})"))
        now = time.time()
        mine = (PUZZLE_TRIES.c.person_id == person) & (PUZZLE_TRIES.c.puzzle_id == puzzle["id"])
        known = connection.execute(sa.select(PUZZLE_TRIES).where(mine)).mappings().first()
        if known is not None:
            counted = shipped.tried_again(known["failures"], known["due"], right, now)
            if counted is not None:
                failures, due = counted
                connection.execute(PUZZLE_TRIES.update().where(mine).values(failures=failures, due=due))
            return None
        whose = (PUZZLE_RATINGS.c.person_id == person) & (PUZZLE_RATINGS.c.game == puzzle["game"])
        row = connection.execute(sa.select(PUZZLE_RATINGS).where(whose)).mappings().first()
        which = PUZZLES.c.id == puzzle["id"]
        other = connection.execute(sa.select(PUZZLES).where(which)).mappings().one()
        before = shipped.beginner_rating(puzzle["game"]) if row is None else Glicko.read(row["values"])
        at = now if row is None else max(now, row["at"] + 0.001)  # after the try before, though the clock was set back
        days = (0.0 if row is None else (at - row["at"]) / shipped.DAY_SECONDS, 0.0)
        puzzle_before = Glicko.read(other["values"])
        free, puzzle_after = rate_two(before, puzzle_before, float(right), days)
        after = shipped.after_try(before, free)
        kind = connection.scalar(sa.select(PEOPLE.c.kind).where(PEOPLE.c.id == person))
        theirs = damped(puzzle_before, puzzle_after, 0.0 if kind == "guest" else trust(before) ** 2)
        mine_now = {"values": after.data(), "tries": 1 if row is None else row["tries"] + 1, "at": at}
        if row is None:
            connection.execute(PUZZLE_RATINGS.insert().values(person_id=person, game=puzzle["game"], **mine_now))
        else:
            connection.execute(PUZZLE_RATINGS.update().where(whose).values(**mine_now))
        changed = {"rating": theirs.rating, "values": theirs.data(), "tries": other["tries"] + 1}
        connection.execute(PUZZLES.update().where(which).values(**changed))
        due = shipped.due_again(right, 1, now)
        tried = {"right": right, "at": at, "rating": after.rating, "failures": int(not right), "due": due}
        which_try = {"person_id": person, "puzzle_id": puzzle["id"], "motif": motif}
        connection.execute(PUZZLE_TRIES.insert().values(**which_try, **tried))
        return round(after.rating) - round(before.rating)

    return await database.write_together("puzzles", write)
