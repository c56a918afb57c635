"""Puzzles in the database: what a later version ships, in puzzles and in tags, comes to those that are there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import sqlalchemy as sa

from tercet.server.puzzles.storage import all_puzzles, settle
from tercet.server.store import Database, address, migrate
from tercet.server.store.schema import PUZZLE_TAGS, PUZZLES


def test_what_is_missing_is_added(tmp_path: Path) -> None:
    async def work() -> None:
        migrate(address(tmp_path / "a"))
        kept = Database(address(tmp_path / "a"))
        await settle(kept)
        ident, puzzle = next(iter(all_puzzles().items()))
        other = list(all_puzzles())[-1]

        def take(connection: sa.Connection) -> None:
            connection.execute(PUZZLES.update().where(PUZZLES.c.id == ident).values(tries=7))
            connection.execute(PUZZLE_TAGS.delete().where(PUZZLE_TAGS.c.tag == puzzle["tags"][0]))
            connection.execute(PUZZLE_TAGS.delete().where(PUZZLE_TAGS.c.puzzle_id == other))
            connection.execute(PUZZLES.delete().where(PUZZLES.c.id == other))

        await kept.write_together("x", take)
        await settle(kept)
        async with kept.read() as connection:
            tried = {row.id: row.tries for row in await connection.execute(sa.select(PUZZLES))}
            tagged = {(row.puzzle_id, row.tag) for row in await connection.execute(sa.select(PUZZLE_TAGS))}
        assert tried.keys() == all_puzzles().keys()
        assert tried[ident] == 7
        assert tagged == {(one, tag) for one, found in all_puzzles().items() for tag in found["tags"]}
        await kept.close()

    asyncio.run(work())
