"""Tournaments in the database: a row for the tournament, one for each entrant, one for each pairing."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from tercet.answers.tables import Occupant
from tercet.play.tournaments import Entrant, Form, Pairing, Result, Tournament
from tercet.server.store.database import Database
from tercet.server.store.schema import ENTRANTS, PAIRINGS, PEOPLE, RATINGS, TABLES, TOURNAMENTS

UNBEGUN_SECONDS = 14 * 86_400.0  # after which a tournament without a start time that has not begun is called off
MAX_CONSIDERED = 1000  # tournaments of which the listed ones are chosen
_DUE = sa.select(TOURNAMENTS.c.id, TOURNAMENTS.c.owner).where(
    (TOURNAMENTS.c.state == "running")
    | (TOURNAMENTS.c.state == "waiting")
    & (
        (TOURNAMENTS.c.begins <= sa.bindparam("now"))
        | TOURNAMENTS.c.begins.is_(None) & (TOURNAMENTS.c.created <= sa.bindparam("old"))
    )
)


@dataclass(frozen=True)
class Announcement:
    """An announced tournament, besides its form: the ``game`` with its ``options`` and ``clock``; whether it is
    ``rated``; after how many seconds without a first turn a player counts as absent (``wait``); the prize in a line
    (``prize``, empty for none)."""

    game: str
    options: Mapping[str, Any]
    clock: Mapping[str, Any]
    rated: bool
    wait: int
    prize: str = ""


@dataclass(frozen=True)
class StoredTournament:
    """A tournament as it is on disk. ``tables`` are those of the pairings, by number; ``names`` of its entrants, and
    those of them who are ``gone``: their accounts are deleted or closed, or the guests have signed out. Such people
    have left the tournament; ``creator_gone`` says so of its organiser."""

    id: str
    name: str
    form: Form
    plan: Announcement
    creator: str | None
    creator_name: str | None
    created: float
    begins: float | None
    owner: int | None
    tables: Mapping[int, str]
    names: Mapping[str, Occupant]
    tournament: Tournament
    gone: frozenset[str] = frozenset()
    creator_gone: bool = False

    @property
    def expires(self) -> float | None:
        """Return when it is called off if its organiser has not begun it (seconds); None if it begins by itself."""
        return self.created + UNBEGUN_SECONDS if self.begins is None and self.tournament.state == "waiting" else None


WITH_CREATOR = sa.select(
    TOURNAMENTS, PEOPLE.c.name.label("creator_name"), PEOPLE.c.deleted.label("creator_deleted")
).outerjoin(PEOPLE, PEOPLE.c.id == TOURNAMENTS.c.creator)


_PERSON = PEOPLE.alias()
_ACTIVE = sa.cast(ENTRANTS.c.active, sa.Integer) * (1 + ENTRANTS.c.seed)
_OF_ENTRANTS = (sa.func.sum(ENTRANTS.c.joined), sa.func.sum(_ACTIVE), sa.func.count(_PERSON.c.deleted))
_OF_PAIRINGS = (sa.func.count(), sa.func.count(PAIRINGS.c.table_id), sa.func.count(PAIRINGS.c.result))
_STAMP = (
    sa.select(
        *(TOURNAMENTS.c.state, TOURNAMENTS.c.round, TOURNAMENTS.c.setup, TOURNAMENTS.c.creator, TOURNAMENTS.c.owner),
        PEOPLE.c.deleted,
        *(
            sa.select(one)
            .join_from(ENTRANTS, _PERSON, _PERSON.c.id == ENTRANTS.c.person_id)
            .where(ENTRANTS.c.tournament_id == TOURNAMENTS.c.id)
            .scalar_subquery()
            for one in _OF_ENTRANTS
        ),
        *(sa.select(one).where(PAIRINGS.c.tournament_id == TOURNAMENTS.c.id).scalar_subquery() for one in _OF_PAIRINGS),
    )
    .outerjoin(PEOPLE, PEOPLE.c.id == TOURNAMENTS.c.creator)
    .where(TOURNAMENTS.c.id == sa.bindparam("id"))
)


_ONE = WITH_CREATOR.where(TOURNAMENTS.c.id == sa.bindparam("id"))
_LOCKED = _ONE.with_for_update(of=TOURNAMENTS)
_ITS_ENTRANTS = (
    sa.select(ENTRANTS, PEOPLE.c.name, PEOPLE.c.handle, PEOPLE.c.kind, PEOPLE.c.deleted)
    .join(PEOPLE, PEOPLE.c.id == ENTRANTS.c.person_id)
    .where(ENTRANTS.c.tournament_id == sa.bindparam("id"))
    .order_by(ENTRANTS.c.seed)
)
_ITS_PAIRINGS = sa.select(PAIRINGS).where(PAIRINGS.c.tournament_id == sa.bindparam("id")).order_by(PAIRINGS.c.number)


def _read(connection: sa.Connection, tournament_id: str, lock: bool) -> StoredTournament | None:
    given = {"id": tournament_id}
    row = connection.execute(_LOCKED if lock else _ONE, given).first()
    if row is None:
        return None
    entrants = connection.execute(_ITS_ENTRANTS, given).all()
    return _kept(row, entrants, connection.execute(_ITS_PAIRINGS, given).all())


def _kept(row: Any, entrants: Sequence[Any] = (), pairings: Sequence[Any] = ()) -> StoredTournament:
    form, now = Form(**row.setup["form"]), row.setup.get("now", {})
    gone = frozenset(one.person_id for one in entrants if one.deleted is not None)
    if row.state == "waiting":
        there = [one for one in entrants if one.person_id not in gone]
        entered = [Entrant(one.person_id, number, one.active) for number, one in enumerate(there, 1)]
    else:  # at the end, who has left is written down
        left = frozenset() if row.state == "over" else gone
        entered = [Entrant(one.person_id, one.seed, one.active and one.person_id not in left) for one in entrants]
    paired = tuple(
        Pairing(one.number, one.round, tuple(one.people), None if one.result is None else Result.read(one.result))
        for one in pairings
    )
    tournament = Tournament(form, row.state, tuple(entered), paired, row.round, **now)
    tables = {one.number: one.table_id for one in pairings if one.table_id}
    names = {one.person_id: Occupant(one.person_id, one.name, one.handle, one.kind) for one in entrants}
    about = (row.id, row.name, form, Announcement(**row.setup["plan"]), row.creator, row.creator_name)
    creator_gone = row.creator is None or row.creator_deleted is not None
    when = (row.created, row.begins, row.owner)
    return StoredTournament(*about, *when, tables, names, tournament, gone, creator_gone)


def _write(connection: sa.Connection, kept: StoredTournament, after: Tournament, at: float) -> bool:
    """Write ``after`` in place of ``kept``. Return False if the tournament is no longer as it was ``kept``."""
    there = _read(connection, kept.id, lock=True)
    if there is None or there.tournament != kept.tournament:
        return False
    before = kept.tournament
    setup = connection.execute(sa.select(TOURNAMENTS.c.setup).where(TOURNAMENTS.c.id == kept.id)).scalar_one()
    now = {"rounds": after.rounds, "since": after.since, "ends": after.ends, "called_off": after.called_off}
    ends = None if after.ends is None else after.ends / 1000
    row = {"state": after.state, "round": after.round, "ends": ends, "setup": {**setup, "now": now}}
    connection.execute(TOURNAMENTS.update().where(TOURNAMENTS.c.id == kept.id).values(**row))
    _write_entrants(connection, kept.id, before, after, at)
    known = {pairing.number: pairing for pairing in before.pairings}
    for pairing in after.pairings:
        one, result = PAIRINGS.c.number == pairing.number, None if pairing.result is None else pairing.result.data()
        if pairing.number not in known:
            row = {"number": pairing.number, "round": pairing.round, "people": list(pairing.people), "result": result}
            connection.execute(PAIRINGS.insert().values(tournament_id=kept.id, **row))
        elif pairing != known[pairing.number]:
            change = PAIRINGS.update().where((PAIRINGS.c.tournament_id == kept.id) & one)
            connection.execute(change.values(result=result))
    return True


def _write_entrants(connection: sa.Connection, kept_id: str, before: Tournament, after: Tournament, at: float) -> None:
    known = {entrant.id: entrant for entrant in before.entrants}
    left = {entrant.id: entrant for entrant in after.entrants}
    ours = ENTRANTS.c.tournament_id == kept_id
    if before.state == "waiting":  # with those who are gone
        connection.execute(ENTRANTS.delete().where(ours & ENTRANTS.c.person_id.not_in(list(left))))
    for person, entrant in left.items():
        values = {"seed": entrant.number, "active": entrant.active}
        if person not in known:
            connection.execute(ENTRANTS.insert().values(tournament_id=kept_id, person_id=person, joined=at, **values))
        elif entrant != known[person] or after.state != before.state:  # who is gone leaves gaps
            connection.execute(ENTRANTS.update().where(ours & (ENTRANTS.c.person_id == person)).values(**values))


class TournamentStore:
    """Tournaments in a database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def announce(
        self, ident: str, name: str, form: Form, plan: Announcement, creator: str, begins: float | None, now: float
    ) -> None:
        """Keep a new tournament."""
        setup = {"form": form.data(), "plan": {**vars(plan)}}
        row = {"id": ident, "name": name, "form": form.kind, "setup": setup, "creator": creator, "state": "waiting"}
        await self.database.change(TOURNAMENTS.insert().values(**row, created=now, begins=begins))

    async def load(self, tournament_id: str) -> StoredTournament | None:
        """Return the tournament as it is on disk; None where there is none."""
        return await self.database.find(lambda connection: _read(connection, tournament_id, lock=False))

    async def stamp(self, tournament_id: str) -> Any:
        """Return what changes whenever something of the tournament does but the names of people."""
        row = await self.database.first(_STAMP, {"id": tournament_id})
        return None if row is None else tuple(row)

    async def write(self, kept: StoredTournament, after: Tournament, now: float) -> bool:
        """Store ``after`` in place of ``kept``; return False if another process wrote since."""
        work = functools.partial(_write, kept=kept, after=after, at=now)
        return await self.database.write_together(f"tournament {kept.id}", work)

    async def open_table(
        self, tournament_id: str, number: int, table_id: str, opening: Callable[[sa.Connection], None]
    ) -> bool:
        """Do ``opening``, which writes the table, and note that the pairing is played there; False, and neither, where
        it has a table or a result already, or the tournament is over."""
        one = (PAIRINGS.c.tournament_id == tournament_id) & (PAIRINGS.c.number == number)
        still = one & PAIRINGS.c.table_id.is_(None) & PAIRINGS.c.result.is_(None)
        state = sa.select(TOURNAMENTS.c.state).where(TOURNAMENTS.c.id == tournament_id)

        def write(connection: sa.Connection) -> bool:
            if connection.scalar(state.with_for_update()) != "running":
                return False
            there = connection.execute(sa.select(PAIRINGS.c.number).where(still).with_for_update()).first()
            if there is None:
                return False
            opening(connection)
            connection.execute(PAIRINGS.update().where(one).values(table_id=table_id))
            return True

        return await self.database.write_together(f"tournament {tournament_id}", write)

    async def finished(self, tournament_id: str) -> list[tuple[int, str, Mapping[str, Any] | None]]:
        """Pairings without a result whose games are over: number, table, and how they ended (None: aborted)."""
        query = (
            sa.select(PAIRINGS.c.number, PAIRINGS.c.table_id, TABLES.c.result)
            .join(TABLES, TABLES.c.id == PAIRINGS.c.table_id)
            .where((PAIRINGS.c.tournament_id == tournament_id) & PAIRINGS.c.result.is_(None) & TABLES.c.over)
            .order_by(PAIRINGS.c.number)
        )
        return [(row.number, row.table_id, row.result) for row in await self.database.rows(query)]

    async def opened(self, tables: list[str]) -> dict[str, float]:
        """Return when each of these tables was opened (seconds)."""
        query = sa.select(TABLES.c.id, TABLES.c.opened).where(TABLES.c.id.in_(tables))
        return {row.id: row.opened for row in await self.database.rows(query)}

    async def by_strength(self, kept: StoredTournament, speed: str) -> list[str]:
        """Return the entrants who have a rating, the strongest first."""
        people = [entrant.id for entrant in kept.tournament.entrants]
        query = (
            sa.select(RATINGS.c.person_id)
            .where((RATINGS.c.game == kept.plan.game) & (RATINGS.c.speed == speed) & RATINGS.c.person_id.in_(people))
            .order_by(RATINGS.c.rating.desc(), RATINGS.c.person_id)
        )
        return await self.database.scalars(query)

    async def due(self, now: float) -> list[tuple[str, int | None]]:
        """Return the tournaments that need a director at the time ``now`` (seconds), and the id of the process that has
        each: those that run, or are to begin by then or have expired."""
        due = await self.database.rows(_DUE, {"now": now, "old": now - UNBEGUN_SECONDS})
        return [(row.id, row.owner) for row in due]

    async def own(self, tournament_id: str, process_id: int, instead_of: int | None) -> bool:
        """Let ``process_id`` direct the tournament in place of ``instead_of`` (a dead one, or None)."""
        before = TOURNAMENTS.c.owner.is_(None) if instead_of is None else TOURNAMENTS.c.owner == instead_of
        change = TOURNAMENTS.update().where((TOURNAMENTS.c.id == tournament_id) & before).values(owner=process_id)
        return await self.database.change(change, order=f"tournament {tournament_id}") == 1

    async def disown(self, process_id: int) -> None:
        """Release the tournaments of ``process_id``."""
        await self.database.change(TOURNAMENTS.update().where(TOURNAMENTS.c.owner == process_id).values(owner=None))

    async def take_over(self, tournament_id: str, person_id: str, instead_of: str | None) -> None:
        """Let ``person_id`` organise the tournament, if ``instead_of`` still does."""
        still = (TOURNAMENTS.c.id == tournament_id) & TOURNAMENTS.c.creator.is_not_distinct_from(instead_of)
        change = TOURNAMENTS.update().where(still).values(creator=person_id)
        await self.database.change(change, order=f"tournament {tournament_id}")

    async def announced_by(self, person_id: str) -> int:
        """Return how many tournaments of that person are not over."""
        theirs = (TOURNAMENTS.c.creator == person_id) & (TOURNAMENTS.c.state != "over")
        return int(await self.database.scalar(sa.select(sa.func.count()).where(theirs)))

    async def listed(
        self, state: str | None, most: int, fair: Callable[[Sequence[Any]], Sequence[Any]] = lambda rows: rows
    ) -> list[tuple[StoredTournament, int]]:
        """Tournaments, each with how many take part: those that run, then those that wait, then
        those that are over and had begun, the newest first. If there are more than ``most``, they are the first ones
        of the order in which ``fair`` puts their rows (``id``, ``creator``)."""
        order = sa.case((TOURNAMENTS.c.state == "running", 0), (TOURNAMENTS.c.state == "waiting", 1), else_=2)
        listed = (TOURNAMENTS.c.state != "over") | (TOURNAMENTS.c.round > 0)
        if state is not None:
            listed &= TOURNAMENTS.c.state == state
        latest = (order, TOURNAMENTS.c.created.desc())
        heads = sa.select(TOURNAMENTS.c.id, TOURNAMENTS.c.creator, order.label("group")).where(listed)
        rows = await self.database.rows(heads.order_by(*latest).limit(MAX_CONSIDERED))
        chosen = [row.id for row in sorted(fair(rows), key=lambda row: row.group)[:most]]
        person = PEOPLE.alias()
        count = sa.select(sa.func.count()).join_from(ENTRANTS, person, person.c.id == ENTRANTS.c.person_id)
        there = (TOURNAMENTS.c.state != "waiting") | person.c.deleted.is_(None)
        count = count.where((ENTRANTS.c.tournament_id == TOURNAMENTS.c.id) & there)
        query = WITH_CREATOR.add_columns(count.scalar_subquery().label("entrants"))
        query = query.where(TOURNAMENTS.c.id.in_(chosen)).order_by(*latest)
        return [(_kept(row), row.entrants) for row in await self.database.rows(query)]
