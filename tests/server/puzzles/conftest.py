"""A person whom the server does not know yet, and a database with all puzzles."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from tercet.server.puzzles import add_missing
from tercet.server.store.database import Database
from tercet.server.store.schema import PEOPLE
from tests.server.conftest import CHECKED, CLIENT, Serving


def newcomer(server: Serving) -> httpx.Client:
    """The browser of a person whom the server does not know yet."""
    return httpx.Client(base_url=str(server.http.base_url), event_hooks=CHECKED, **CLIENT)


@pytest.fixture
def client(server: Serving) -> Iterator[httpx.Client]:
    with newcomer(server) as made:
        yield made


@pytest.fixture
def kept(sqlite: Database) -> Database:
    """A new database with all puzzles."""
    asyncio.run(add_missing(sqlite))
    return sqlite


async def join(kept: Database, *names: str, kind: str = "account") -> None:
    """New people, whose ids are their names."""
    people = [{"id": name, "kind": kind, "name": name, "created": 0} for name in names]
    await kept.write_together("x", lambda connection: connection.execute(PEOPLE.insert(), people))
