"""Puzzles in the database: what a later version ships, in puzzles and in tags, comes to those that are there."""

import asyncio
import time

import pytest
import sqlalchemy as sa

from tercet.answers.puzzles import all_puzzles
from tercet.server import puzzles as storage
from tercet.server.puzzles import add_missing, conclude, standing
from tercet.server.store.database import Database, address, migrate
from tercet.server.store.schema import PUZZLE_RATINGS, PUZZLE_TAGS, PUZZLE_TRIES, PUZZLES
from tests.server.puzzles.conftest import join
from tests.support import services


async def test_what_is_missing_is_added(kept: Database) -> None:
    ident, puzzle = next(iter(all_puzzles().items()))
    other = list(all_puzzles())[-1]

    def take(connection: sa.Connection) -> None:
        connection.execute(PUZZLES.update().where(PUZZLES.c.id == ident).values(tries=7))
        connection.execute(PUZZLE_TAGS.delete().where(PUZZLE_TAGS.c.tag == puzzle["tags"][0]))
        connection.execute(PUZZLE_TAGS.delete().where(PUZZLE_TAGS.c.puzzle_id == other))
        connection.execute(PUZZLES.delete().where(PUZZLES.c.id == other))

    await kept.write_together("x", take)
    await add_missing(kept)
    tried = {row.id: row.tries for row in await kept.rows(sa.select(PUZZLES))}
    tagged = {(row.puzzle_id, row.tag) for row in await kept.rows(sa.select(PUZZLE_TAGS))}
    assert tried.keys() == all_puzzles().keys()
    assert tried[ident] == 7
    assert tagged == {(one, tag) for one, found in all_puzzles().items() for tag in found["tags"]}


async def test_guests_leave_the_rating_of_a_puzzle_as_it_is(kept: Database) -> None:
    """Fifty-five throw-away guests moved one from 1825 to 2216. New accounts count for a tenth."""
    ident, puzzle = next(iter(all_puzzles().items()))

    async def fail(kind: str, people: int) -> float:
        names, rating = [f"{kind}{number}" for number in range(people)], sa.select(PUZZLES.c.rating)
        await join(kept, *names, kind=kind)
        before = float(await kept.scalar(rating.where(PUZZLES.c.id == ident)))
        for name in names:
            assert await conclude(kept, name, puzzle, False) is not None
        return float(await kept.scalar(rating.where(PUZZLES.c.id == ident))) - before

    assert await fail("guest", 20) == 0
    assert 0 < await fail("account", 1) < 15
    assert await kept.scalar(sa.select(sa.func.count()).select_from(PUZZLE_RATINGS)) == 21


async def test_a_failed_try_whose_answer_got_lost_counts_once(kept: Database) -> None:
    """It is sent again. Each counted as another failure, and the puzzle came back after seven days instead of three."""
    _, puzzle = next(iter(all_puzzles().items()))

    async def failed() -> tuple[int, float]:
        before = time.time()
        await conclude(kept, "ann", puzzle, False)
        (row,) = await kept.rows(sa.select(PUZZLE_TRIES))
        return row.failures, round((row.due - before) / 86_400)

    await join(kept, "ann")
    assert [await failed() for _ in range(3)] == [(1, 3)] * 3
    await kept.change(PUZZLE_TRIES.update().values(due=1))
    assert [await failed() for _ in range(2)] == [(2, 7)] * 2, "it has come back, and is failed again"


async def test_tries_keep_their_order_if_the_clock_is_set_back(kept: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed puzzle counted as tried after the one solved next, so that the streak was wrong."""
    await join(kept, "someone")
    tries = [puzzle for puzzle in all_puzzles().values() if puzzle["game"] == "sanqi"][:3]
    for puzzle, right, now in zip(tries, (True, False, True), (1000.0, 1002.0, 1000.5), strict=True):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        await conclude(kept, "someone", puzzle, right)
    monkeypatch.undo()
    assert (await kept.find(lambda connection: standing(connection, "someone", "sanqi")))["streak"] == 1
    history = await kept.find(lambda connection: storage.history(connection, "someone"))
    assert [one["id"] for one in history] == [puzzle["id"] for puzzle in reversed(tries)]


@pytest.mark.online
async def test_puzzles_that_are_concluded_at_once_all_count(postgres: services.Postgres) -> None:
    """Each try read the rating before the others had written theirs, and some of eight tries were lost."""
    url = address(postgres.create())
    migrate(url)
    processes = [Database(url), Database(url)]
    await add_missing(processes[0])
    people = [f"p{number}" for number in range(8)]
    await join(processes[0], *people)
    puzzles = [puzzle for puzzle in all_puzzles().values() if puzzle["game"] == "sanqi"][:9]
    tries = [("p0", puzzle) for puzzle in puzzles[:8]] + [(one, puzzles[8]) for one in people]
    await asyncio.gather(*(conclude(processes[at % 2], *one, True) for at, one in enumerate(tries)))
    mine = sa.select(PUZZLE_RATINGS.c.tries).where(PUZZLE_RATINGS.c.person_id == "p0")
    assert await processes[0].scalar(mine) == 9
    assert await processes[0].scalar(sa.select(PUZZLES.c.tries).where(PUZZLES.c.id == puzzles[8]["id"])) == 8
    for one in processes:
        await one.close()
