"""Who may see a table, and who sits there: what every endpoint of a table begins with."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from tercet.play.session import SessionError
from tercet.server.people.identity import Person, person_of
from tercet.server.services import services_of
from tercet.server.tables.clients import Client
from tercet.server.tables.table import Table

MAX_TOKENS = 8  # seats of one address
TABLE_ID = re.compile("[0-9A-Za-z]{1,32}", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """A client at a table, with its person if the server knows one; ``all_known``: each token opened a seat."""

    table: Table
    client: Client
    person: Person | None
    all_known: bool


def tokens_of(connection: HTTPConnection) -> Sequence[str]:
    """Return the seats' tokens that come with the address."""
    return connection.query_params.getlist("seat")[:MAX_TOKENS]


@contextlib.asynccontextmanager
async def entered(connection: HTTPConnection, table_id: str, *more: str) -> AsyncIterator[Entry]:
    """Yield the table with this id, as the client may see it, who has ``more`` tokens than the address names. Raise
    SessionError if it does not exist, or is private and the client neither sits there nor opened it."""
    if not TABLE_ID.fullmatch(table_id):
        raise SessionError("unknown-table", "table", "Game not found.")
    person = await person_of(connection)
    tokens = (*tokens_of(connection), *more)
    async with services_of(connection).registry.table(table_id) as table:
        person_id = None if person is None else person.id
        held, all_known = table.seats_of(tokens, person_id)
        opened = person_id is not None and table.info.creator == person_id
        asked = any(occupant.person_id == person_id for occupant in table.occupants.values())
        if table.settings.watch == "private" and not (held or opened or asked):
            raise SessionError("unknown-table", "table", "Game not found.")
        yield Entry(table, Client(held, tokens, person_id, opened), person, all_known)
