"""Tournaments on disk, with several processes and with some that die: nothing is paired or counted twice."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import pytest
import sqlalchemy as sa

from tercet.answers.tables import TableInfo
from tercet.play.session import Seat, TableSettings
from tercet.play.tournaments import Form, Result
from tercet.server.store.database import Database, address, migrate
from tercet.server.store.logs import SeatAccess
from tercet.server.store.schema import PAIRINGS, PEOPLE, RUNS, TABLES, TOURNAMENTS
from tercet.server.store.tables import Store
from tercet.server.store.tournaments import Announcement, StoredTournament, TournamentStore
from tests.server.conftest import Serve
from tests.support.present import present
from tests.support.tournament_players import SANQI, Player, TercetProcess, encounters, finish, gather, started
from tests.support.waiting import until

CLOCK = {"kind": "fischer", "minutes": 5, "increment": 5}
PLAN = Announcement("sanqi", {"side": 4}, CLOCK, False, 60)


@contextlib.asynccontextmanager
async def cup(where: str) -> AsyncIterator[TournamentStore]:
    """A database in which there is a tournament ``cup`` of five."""
    migrate(address(where))
    database = Database(address(where))
    people = [{"id": f"p{n}", "kind": "guest", "name": f"Player {n}", "created": 0.0} for n in range(5)]
    await database.change(PEOPLE.insert().values(people))
    keeper = TournamentStore(database)
    await keeper.announce("cup", "Cup", Form("round-robin"), PLAN, "p0", None, 1.0)
    for number in range(5):
        kept = await load(keeper)
        assert await change(keeper, kept, kept.tournament.join(f"p{number}"))
    try:
        yield keeper
    finally:
        await database.close()


async def load(keeper: TournamentStore) -> StoredTournament:
    return present(await keeper.load("cup"))


async def change(keeper: TournamentStore, kept: StoredTournament, events: Any) -> bool:
    after = kept.tournament
    for event in events:
        after = after.after(event)
    return await keeper.write(kept, after, 2.0)


async def test_what_is_written_is_read(database: str) -> None:
    async with cup(database) as keeper:
        kept = await load(keeper)
        names = [kept.names[entrant.id].name for entrant in kept.tournament.entrants]
        assert names == [f"Player {number}" for number in range(5)]
        assert (kept.plan, kept.name, kept.creator_name) == (PLAN, "Cup", "Player 0")
        tournament = kept.tournament
        log: list[Any] = []
        for step in range(12):
            before = tournament
            if step == 0:
                found = tournament.begin(1_000, ["p3"])
            elif any(each.number == step and not each.result for each in tournament.pairings):
                found = tournament.report(step, Result((0.5, 0.5), (3.0, -3.0), at=step))
            else:
                found = tournament.leave("p1") if step == 9 else tournament.advance(2_000 + step)
            log += found
            for event in found:
                tournament = tournament.after(event)
            assert await change(keeper, await load(keeper), found)
            assert (await load(keeper)).tournament == tournament, f"step {step} from {before}"
        assert {event.kind for event in log} == {"begun", "paired", "result", "left"}


@pytest.mark.online
async def test_of_two_who_write_at_once_one_has_to_think_again(database: str) -> None:
    async with cup(database) as keeper:
        kept = await load(keeper)
        assert await change(keeper, kept, kept.tournament.begin(0))
        kept = await load(keeper)
        stores, advance = [TournamentStore(keeper.database) for _ in range(6)], kept.tournament.advance
        found = await asyncio.gather(*(change(one, kept, advance(number)) for number, one in enumerate(stores)))
        assert sorted(found) == [False] * 5 + [True]
        assert await keeper.database.scalar(sa.select(sa.func.count()).select_from(PAIRINGS)) == 3
        kept = await load(keeper)
        setup = TableSettings("sanqi", {"side": 4}, (Seat("person"), Seat("person")), clock=CLOCK)

        def open_as(name: str) -> Awaitable[bool]:
            access = {seat: SeatAccess(person_id=f"p{seat}") for seat in range(2)}
            return keeper.open_table("cup", 1, name, Store.opening(TableInfo(name, setup), access))

        found = await asyncio.gather(*(open_as(f"t{number}") for number in range(5)))
        assert sorted(found) == [False] * 4 + [True]
        tables = await keeper.database.scalars(sa.select(TABLES.c.id))
        assert list((await load(keeper)).tables.values()) == tables, "no table is left over"
        assert await keeper.finished("cup") == []


async def test_one_run_sees_to_it(database: str) -> None:
    async with cup(database) as keeper:
        await keeper.database.change(RUNS.insert().values([{"id": n, "began": 0.0, "seen": 0.0} for n in (1, 2, 3)]))
        await keeper.announce("later", "Later", Form("round-robin"), PLAN, "p0", 9e9, 1.0)
        assert [await keeper.due(1 + 86_400 * days) for days in (0, 13, 15)] == [[], [], [("cup", None)]]  # it expires
        kept = await load(keeper)
        await change(keeper, kept, kept.tournament.begin(0))
        assert await keeper.due(2.0) == [("cup", None)]
        owned = await asyncio.gather(*(keeper.own("cup", run, None) for run in (1, 2, 3)))
        assert sorted(owned) == [False, False, True]
        owner = present((await load(keeper)).owner)
        heir = owner % 3 + 1
        assert not await keeper.own("cup", heir, heir)
        assert await keeper.own("cup", heir, owner)
        await keeper.disown(heir)
        assert (await load(keeper)).owner is None


@pytest.mark.online
async def test_a_process_that_died_between_pairing_and_tables_is_replaced(serve: Serve) -> None:
    serving = serve()
    players = gather(serving, 4)
    tournament = players[0].announce(form="round-robin", **SANQI)
    for player in players:
        player.do(tournament, "join")
    serving.stop()
    database = Database(address(serving.options.get("database") or str(serving.folder / "tercet.sqlite")))
    keeper = TournamentStore(database)
    gone = RUNS.insert().values(began=time.time() - 60, seen=time.time() - 30).returning(RUNS.c.id)
    run = await database.write_alone(lambda connection: connection.execute(gone).scalar_one())
    for step in ("begin", "advance"):
        kept = present(await keeper.load(tournament))
        after = kept.tournament
        for event in after.begin(1_000) if step == "begin" else after.advance(1_000):
            after = after.after(event)
        assert await keeper.write(kept, after, 1.0)
    await database.change(TOURNAMENTS.update().values(owner=run))
    await database.close()
    serving.start()
    told = finish(players, tournament)
    assert (set(encounters(told).values()), len(told["pairings"])) == ({1}, 6)
    assert not any(pairing["result"]["forfeits"] for pairing in told["pairings"])


async def test_who_is_gone_is_read_as_having_left(database: str) -> None:
    """Whichever process deletes them, and though nothing is written at the tournament."""

    async with cup(database) as keeper:

        def gone(*people: str) -> Awaitable[int]:
            return keeper.database.change(PEOPLE.update().where(PEOPLE.c.id.in_(people)).values(deleted=1.0))

        async def entrants() -> list[tuple[str, int, bool]]:
            return [(one.id, one.number, one.active) for one in (await load(keeper)).tournament.entrants]

        before = await load(keeper)
        await gone("p0", "p2")
        assert await entrants() == [("p1", 1, True), ("p3", 2, True), ("p4", 3, True)]
        assert [count for _, count in await keeper.listed("waiting", 9)] == [3]
        assert not await change(keeper, before, before.tournament.begin(0)), "of before they were gone"
        kept = await load(keeper)
        assert kept.creator_gone
        await asyncio.gather(*(keeper.take_over("cup", person, "p0") for person in ("p3", "p4")))
        kept = await load(keeper)
        assert (kept.creator in ("p3", "p4"), kept.creator_gone) == (True, False)
        assert await change(keeper, kept, kept.tournament.begin(0, ["p4"]))
        await change(keeper, kept := await load(keeper), kept.tournament.advance(0))
        assert await entrants() == [("p4", 1, True), ("p1", 2, True), ("p3", 3, True)]
        await gone("p1")
        assert await entrants() == [("p4", 1, True), ("p1", 2, False), ("p3", 3, True)]
        kept = await load(keeper)
        pairing = next(one for one in kept.tournament.pairings if one.result is None)
        assert await change(keeper, kept, kept.tournament.call_off("organiser"))
        assert (await load(keeper)).tournament.called_off == "organiser"
        assert not await keeper.open_table("cup", pairing.number, "t", lambda _: None), "no game is opened any more"
        await gone("p3")
        assert await entrants() == [("p4", 1, True), ("p1", 2, False), ("p3", 3, True)], "who goes later has played"
        assert await keeper.announced_by(kept.creator or "") == 0


@pytest.mark.online
def test_two_servers_one_of_which_goes(serve: Serve) -> None:
    """Players at either; the one that ran the tournament stops, its players go to the other, which is restarted."""
    first = serve()
    second = first.another()
    players = [Player(serving, f"Player {number}") for number, serving in enumerate([first, second] * 2)]
    tournament, _ = started(players, form="round-robin", **SANQI)
    threads = [player.begin(tournament) for player in players]
    until(lambda: players[1].told(tournament)["round"] >= 2, 120)
    first.stop()
    for player in players:
        player.serving = second
    until(lambda: (now := players[1].told(tournament))["round"] >= 3 or now["state"] == "over", 120)
    second.restart()  # in mid-round
    told = finish(players, tournament, threads=threads)
    assert len({pairing["table"] for pairing in told["pairings"]}) == len(told["pairings"]) == 6
    assert set(encounters(told).values()) == {1}
    assert not any(pairing["result"]["forfeits"] for pairing in told["pairings"])


@pytest.mark.long
def test_kill_it_as_often_as_you_like() -> None:
    """SIGKILL at any moment: every round is paired once, every game is played once and counts once."""
    with contextlib.closing(TercetProcess()) as server:
        players = gather(server, 4)
        tournament, _ = started(players, form="round-robin", cycles=2, **SANQI)
        threads = [player.begin(tournament) for player in players]
        for number in range(6):
            time.sleep(1.5 + 0.3 * number)  # what is tested: any moment
            server.kill()
        told = finish(players, tournament, threads=threads)
        assert set(encounters(told).values()) == {2}
        assert len({pairing["table"] for pairing in told["pairings"]}) == 12
        assert sum(line["points"] for line in told["standings"]) == 12
        assert not any(pairing["result"]["forfeits"] for pairing in told["pairings"])
