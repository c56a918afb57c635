"""Check that a name does not imitate the site, an engine or another account."""

from __future__ import annotations

import contextlib

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from tercet.answers.names import clean
from tercet.server.errors import ApiError
from tercet.server.people import names
from tercet.server.people.identity import People, Person
from tercet.server.store.database import Database
from tercet.server.store.schema import KEY_VALUES, NAME_SKELETONS, PEOPLE

MAX_SKELETON_CHARACTERS = 120


async def free_name(people: People, text: str, person: Person | None, where: str = "name") -> str:
    """Return ``text`` as a name for ``person`` (None: a new person). Raise ApiError, naming the field ``where``, if
    nothing is left of it, if it reads like the site or an engine, or like the name or handle of another account.

    The name that a person has already may stay, whatever the rules were when it was chosen.
    """
    name = clean(text)
    found = names.skeletons(name)
    if not found:
        raise ApiError("bad-message", where, "A name must have at least one letter or digit.")
    if person is not None and name == person.name:
        return name
    if names.is_reserved(name):
        raise ApiError("taken", where, "This name is reserved. Choose another.")
    if names.mixes_scripts(name):
        raise ApiError("bad-message", where, "A word of a name must not mix alphabets.")
    alike = NAME_SKELETONS.c.skeleton.in_([one[:MAX_SKELETON_CHARACTERS] for one in found])
    of_another = NAME_SKELETONS.c.person_id != ("" if person is None else person.id)
    other = sa.select(NAME_SKELETONS.c.person_id).where(alike & of_another).limit(1)
    if await people.database.scalar(other) is not None:
        raise ApiError("taken", where, "This looks like another player's name. Choose another.")
    return name


def keep_skeletons(connection: sa.Connection, person_id: str, name: str, handle: str | None) -> None:
    """Keep what an account's name and handle look like, in place of what was kept before. Guests have no claim."""
    connection.execute(sa.delete(NAME_SKELETONS).where(NAME_SKELETONS.c.person_id == person_id))
    if handle is not None:
        connection.execute(NAME_SKELETONS.insert(), _rows(person_id, name, handle))


def _rows(person_id: str, name: str, handle: str) -> list[dict[str, str]]:
    found = {one[:MAX_SKELETON_CHARACTERS] for one in names.skeletons(name) | names.skeletons(handle)}
    return [{"skeleton": one, "person_id": person_id} for one in sorted(found)]


async def refresh_skeletons(database: Database) -> None:
    """Compute the stored skeletons of all names again, if other tables of confusable letters or an older program
    made them."""
    kept = sa.select(KEY_VALUES.c.value).where(KEY_VALUES.c.name == "skeletons")
    if await database.scalar(kept) == names.SKELETON_VERSION:
        return
    accounts = sa.select(PEOPLE.c.id, PEOPLE.c.name, PEOPLE.c.handle).where(PEOPLE.c.handle.is_not(None))

    def write(connection: sa.Connection) -> None:
        connection.execute(sa.delete(NAME_SKELETONS))
        for row in connection.execute(accounts.order_by(PEOPLE.c.id)).all():
            connection.execute(NAME_SKELETONS.insert(), _rows(row.id, row.name, row.handle))
        connection.execute(sa.delete(KEY_VALUES).where(KEY_VALUES.c.name == "skeletons"))
        connection.execute(KEY_VALUES.insert().values(name="skeletons", value=names.SKELETON_VERSION))

    with contextlib.suppress(IntegrityError):  # another process was faster
        await database.write_alone(write)
