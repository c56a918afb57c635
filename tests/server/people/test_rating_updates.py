"""Ratings that follow from finished games, profiles, searches, leaderboards."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from tercet.answers.tables import TableInfo
from tercet.play.ratings import Glicko, PlayerStrength, Rating, damped, pool_of, rate_game
from tercet.play.session import LogEvent, Seat, TableSettings
from tercet.server.people.moderation import delete_person
from tercet.server.people.rating_updates import CASUAL, RatingUpdates, level_ratings, note_hint, seat_effects
from tercet.server.store.database import Database, address, migrate
from tercet.server.store.schema import HISTORY, KEY_VALUES, PEOPLE, RATINGS, TABLES
from tercet.server.store.tables import SeatAccess, Store, TableSummary
from tests.server.conftest import Serving
from tests.server.people.browser import PASSWORD, Browser, code, follow, where
from tests.support.waiting import until

NUMBERS = itertools.count()
SIDE = {"side": 4}


class Club:
    """People who have played, on disk."""

    def __init__(self, url: str | sa.URL) -> None:
        self.database = Database(address(url) if isinstance(url, str) else url)
        self.store = Store(self.database)

    async def join(self, *handles: str) -> None:
        """New accounts; their ids are their handles."""
        for handle in handles:
            row = {"id": handle, "kind": "account", "handle": handle, "name": handle.title(), "created": 1.0}
            await self.database.change(PEOPLE.insert().values(**row))

    async def played(
        self,
        people: Sequence[str | None],
        scores: Sequence[float] | None,
        *,
        game: str = "sanqi",
        options: dict[str, Any] | None = None,
        speed: str = "rapid",
        rated: bool = True,
        watch: str = "public",
        claim: int | None = None,
        turns: int = 2,
        levels: Sequence[int] = (),
        start: str | None = None,
        more: Sequence[str] = (),
    ) -> str:
        """A game that is over, or aborted, after so many ``turns`` of everybody. Engines of these ``levels`` have
        the first seats; ``more`` are further events."""
        table_id = f"t{next(NUMBERS)}x{time.time_ns()}"
        engines = tuple(Seat("engine", level=level) for level in levels)
        seats = (*engines, *(Seat("person"),) * (len(people) - len(engines)))
        setup = TableSettings(game, SIDE if options is None else options, seats, watch=watch, position=start)
        await self.store.open_table(
            TableInfo(table_id, setup, speed, rated=rated, public=watch == "public"),
            {seat: SeatAccess(person_id=person) for seat, person in enumerate(people) if seat >= len(levels)},
        )
        said: list[tuple[str, dict[str, Any]]] = [
            ("action", {"ply": ply, "seat": ply % len(people), "action": "?"}) for ply in range(turns * len(people))
        ]
        if claim is not None:
            said.append(("claim", {"seat": claim, "by": 0, "what": "engine", "level": 4}))
        said += [(kind, {"ply": len(said), "seat": 0, "what": "win"}) for kind in more]
        said.append(("resign", {"seat": 0}))
        events = [LogEvent(number, kind, data) for number, (kind, data) in enumerate(said, 1)]
        result = None if scores is None else {"scores": list(scores), "reason": "line", "says": "It is over."}
        await self.store.append(table_id, events, None, TableSummary(over=True, result=result))
        return table_id

    async def rating(self, person: str, game: str = "sanqi", speed: str = "rapid") -> Any:
        """What is kept of somebody's rating."""
        asked = (RATINGS.c.person_id == person) & (RATINGS.c.game == game) & (RATINGS.c.speed == speed)
        row = await self.database.first(sa.select(RATINGS).where(asked))
        return None if row is None else row._mapping


@asynccontextmanager
async def club(url: str | sa.URL) -> AsyncIterator[Club]:
    """A club that lets go in the end."""
    found = Club(url)
    try:
        yield found
    finally:
        await found.database.close()


def with_club(url: str, work: Callable[[Club], Awaitable[None]]) -> None:
    """Do ``work`` on a new database."""

    async def run() -> None:
        async with club(url) as found:
            await work(found)

    migrate(address(url))
    asyncio.run(run())


def test_a_game_is_counted_once(database: str) -> None:
    async def work(found: Club) -> None:
        await found.join("ann", "bob")
        for winner in (0, 0, 1):
            await found.played(("ann", "bob"), [float(winner == seat) for seat in range(2)])
        async with club(database) as other:  # two processes at once
            both = [RatingUpdates(found.database), RatingUpdates(other.database), RatingUpdates(found.database)]
            done = await asyncio.gather(*(one.once() for one in both))
        assert sum(done) == 3
        assert await RatingUpdates(found.database).once() == 0
        expected: list[Rating] = [Glicko(), Glicko()]
        for times, score in enumerate((1, 1, 0)):
            expected, _ = rate_game(expected, (score, 1 - score), (0, 0), {(0, 1): times})
        for person, rating in zip(("ann", "bob"), expected, strict=True):
            kept = await found.rating(person)
            assert kept["games"] == 3
            assert kept["values"]["rating"] == pytest.approx(rating.rating, abs=0.01)
        rows = await found.database.rows(sa.select(HISTORY).order_by(HISTORY.c.at, HISTORY.c.seat))
        history = [row._asdict() for row in rows]
        assert len(history) == 6
        assert history[0]["before"] == Glicko().data()
        assert history[0]["after"] == history[2]["before"]

    with_club(database, work)


def test_what_does_not_count(database: str) -> None:
    async def work(found: Club) -> None:
        await found.join("ann", "bob")
        for people, scores, rated in (
            (("ann", "bob"), None, True),  # aborted
            (("ann", "bob"), (1, 0), False),
            (("ann", None), (1, 0), True),
            (("ann", "ann"), (1, 0), True),
        ):
            await found.played(people, scores, rated=rated)
        await RatingUpdates(found.database).once()
        assert await found.rating("ann") is None
        assert await found.database.scalar(sa.select(sa.func.count()).where(~TABLES.c.counted)) == 0

    with_club(database, work)


def test_who_resigns_at_once_has_lost_no_rated_game(database: str) -> None:
    """Nobody's rating is made of his own accounts' resignations, a tenth of a second each."""

    async def work(found: Club) -> None:
        await found.join("ann", "bob")
        for turns in (0, 1):
            await found.played(("ann", "bob"), (0, 1), turns=turns)
        assert await RatingUpdates(found.database).once() == 2
        assert await found.rating("bob") is None
        assert await found.database.scalar(sa.select(sa.func.count()).where(TABLES.c.rated)) == 0, "lists say so"
        await found.played(("ann", "bob"), (0, 1), turns=2)
        await RatingUpdates(found.database).once()
        assert (await found.rating("bob"))["games"] == 1

    with_club(database, work)


def test_the_same_opponent_again_counts_for_less(database: str) -> None:
    async def work(found: Club) -> None:
        await found.join("ann", "bob", "cyd")
        gains: list[float] = []
        for _ in range(8):
            await found.played(("ann", "bob"), (1, 0))
            await RatingUpdates(found.database).once()
            gains.append((await found.rating("ann"))["rating"] - 1500 - sum(gains))
        often: list[Rating] = [Glicko(), Glicko()]
        never: list[Rating] = [Glicko(), Glicko()]
        for times, gain in enumerate(gains):
            known, full = often[0].rating, never[0].rating
            often, _ = rate_game(often, (1, 0), (0, 0), {(0, 1): times})
            never, _ = rate_game(never, (1, 0), (0, 0), {})
            assert gain == pytest.approx(often[0].rating - known, abs=0.5)
            assert times == 0 or 0 < gain < never[0].rating - full
        before = (await found.rating("ann"))["rating"]
        await found.played(("ann", "cyd"), (1, 0))
        await RatingUpdates(found.database).once()
        assert (await found.rating("ann"))["rating"] - before > 2 * gains[-1]

    with_club(database, work)


@pytest.mark.server_errors("could not count table")
def test_one_game_that_cannot_be_read_does_not_stop_the_others(database: str) -> None:
    async def work(found: Club) -> None:
        await found.join("ann", "bob")
        broken = await found.played(("ann", "bob"), (1, 0))
        await found.database.change(TABLES.update().where(TABLES.c.id == broken).values(result={"scores": "?"}))
        await found.played(("ann", "bob"), (0, 1))
        counting = RatingUpdates(found.database)
        assert await counting.once() == 1
        assert await counting.once() == 0
        assert (await found.rating("bob"))["games"] == 1
        counted = await found.database.scalar(sa.select(TABLES.c.counted).where(TABLES.c.id == broken))
        assert not counted  # all or nothing: it is still to be counted

    with_club(database, work)


def test_three_are_rated_with_what_their_seats_are_worth(database: str) -> None:
    async def work(found: Club) -> None:
        await found.join("ann", "bob", "cyd", "dan")
        await found.played(("ann", "bob", "cyd"), (1, 0, 0), game="triplicity", options={})
        await found.played(("bob", "dan", "ann"), (0.5, 0.5, 0), game="triplicity", options={})
        await found.played(("ann", "bob", "cyd"), (0, 0, 1), game="sparklies", options={"players": 3})
        assert await RatingUpdates(found.database).once() == 3
        kept = await found.rating("ann", "triplicity")
        assert kept["games"] == 2
        assert PlayerStrength.read(kept["values"]).sigma < 350
        assert (await found.rating("cyd", "sparklies-3"))["rating"] > 1500
        assert await found.rating("cyd", "sparklies") is None
        pool = pool_of("triplicity", 3)
        effects, games = await found.database.find(lambda connection: seat_effects(connection, pool, 3))
        assert games == 2
        assert effects[0].mean > 0 > effects[2].mean
        assert all(0 < effect.sigma < 60 for effect in effects)

    with_club(database, work)


def test_levels_learn_from_casual_games(database: str) -> None:
    """By how well the person is known, and less each time; people's own ratings stay, and each game counts once."""

    async def work(found: Club) -> None:
        await found.join("ann", "bob", "cat")
        for person in ("ann", "bob"):  # known well
            strong = Glicko(1700.0, 60.0)
            key = {"person_id": person, "game": "sanqi", "speed": "rapid", "games": 90, "at": time.time()}
            await found.database.change(RATINGS.insert().values(**key, rating=1700.0, values=strong.data()))

        async def level(number: int, pool: str = "sanqi") -> Any:
            known = await found.database.find(lambda connection: level_ratings(connection, pool))
            return known.get(number)

        before = await found.rating("ann")
        expected: Rating = Glicko()
        for times in range(3):
            await found.played((None, "ann"), (0.0, 1.0), levels=[3], rated=False, speed="none")
            both = RatingUpdates(found.database), RatingUpdates(found.database)
            await asyncio.gather(*(one.once() for one in both))
            after, _ = rate_game([expected, Glicko(1700.0, 60.0)], (0, 1), (0, 0), {(0, 1): times})
            expected = damped(expected, after[0], CASUAL)
        lost = await level(3)
        assert lost.games == 3
        assert lost.rating.rating == pytest.approx(expected.rating, abs=0.1)
        assert lost.rating.deviation == pytest.approx(expected.deviation, abs=0.1)
        assert (await found.rating("ann"), await level(4)) == (before, None)
        # of who is not known, a result says little
        await found.played((None, "cat"), (1.0, 0.0), levels=[4], rated=False)
        await found.played((None, "bob"), (1.0, 0.0), levels=[5], rated=False)
        await RatingUpdates(found.database).once()
        gained = [(await level(number)).rating.rating - 1500 for number in (4, 5)]
        assert 0 < 5 * gained[0] < gained[1]
        assert await found.rating("cat") is None
        # in a game of three, a level that sits twice learns once
        options: dict[str, Any] = {}
        three: dict[str, Any] = {"game": "triplicity", "options": options, "rated": False, "levels": [2, 2]}
        await found.played((None, None, "ann"), (0.0, 0.0, 1.0), **three)
        await RatingUpdates(found.database).once()
        twice = await level(2, "triplicity")
        assert (twice.games, twice.rating.rating < 1500) == (1, True)

    with_club(database, work)


def test_levels_learn_only_from_whole_games_without_help(database: str) -> None:
    async def work(found: Club) -> None:
        await found.join("ann", "bob")
        await found.database.change(PEOPLE.insert().values(id="guest", kind="guest", name="Guest", created=1.0))
        plain: dict[str, Any] = {"levels": [3], "rated": False}
        await found.played((None, "guest"), (0.0, 1.0), **plain)
        await found.played((None, "ann"), None, **plain)
        await found.played((None, "ann"), (0.0, 1.0), turns=1, **plain)
        await found.played((None, "ann"), (0.0, 1.0), more=["takeback"], **plain)
        await found.played((None, "ann"), (0.0, 1.0), claim=1, **plain)
        await found.played((None, "ann"), (0.0, 1.0), start="sanqi/4 4/5/6/3R3/6/5/4 S d4", **plain)
        await found.played((None, "ann"), (0.0, 1.0), options={"side": 4, "line": 7}, **plain)
        await found.played(("ann", "bob"), (0.0, 1.0), rated=False)
        await found.played((None, "ann", "bob"), (0.0, 0.0, 1.0), game="triplicity", options={}, **plain)
        hinted = await found.played((None, "ann"), (0.0, 1.0), **plain)
        await found.database.write_alone(lambda connection: note_hint(connection, hinted))
        await RatingUpdates(found.database).once()
        assert await found.database.find(lambda connection: level_ratings(connection, "sanqi")) == {}
        assert await found.database.find(lambda connection: level_ratings(connection, "triplicity")) == {}
        assert await found.database.scalars(sa.select(TABLES.c.id).where(~TABLES.c.counted)) == []
        kept = sa.select(KEY_VALUES.c.name).where(KEY_VALUES.c.name.startswith("hint "))
        assert await found.database.scalars(kept) == []

    with_club(database, work)


def test_levels_show_what_they_are_worth(server: Serving) -> None:
    lines = server.http.get("/api/levels/sanqi").json()
    assert [line["level"] for line in lines] == list(range(1, 11))
    assert all(
        line["rating"] is None or {"rating", "low", "high", "provisional"} == set(line["rating"]) for line in lines
    )
    assert server.http.get("/api/levels/nothing").status_code == 404


def test_who_left_his_seat_to_an_engine_has_lost(database: str) -> None:
    async def work(found: Club) -> None:
        await found.join("ann", "bob", "cyd", "dan", "eve")
        await found.played(("ann", "bob"), (0, 1), claim=1)  # the engine won bob's game
        await found.played(("cyd", "dan", "eve"), (0, 1, 0), game="triplicity", options={}, claim=1)
        await RatingUpdates(found.database).once()
        assert (await found.rating("bob"))["rating"] < 1500 < (await found.rating("ann"))["rating"]
        assert (await found.rating("dan", "triplicity"))["rating"] < 1500
        assert (await found.rating("cyd", "triplicity"))["rating"] > 1500

    with_club(database, work)


def test_who_is_deleted_meanwhile(database: str) -> None:
    async def work(found: Club) -> None:
        from tercet.server.limits.budgets import ServerLimits
        from tercet.server.people.identity import People

        await found.join("ann", "bob")
        await found.played(("ann", "bob"), (1, 0))
        people = await People.open(found.database, ServerLimits())
        await delete_person(people, "bob")
        people.close()
        assert await RatingUpdates(found.database).once() == 1
        assert (await found.rating("ann"))["rating"] > 1500

    with_club(database, work)


def test_profile_search_and_leaderboard(server: Serving) -> None:
    names = [f"club-{who}-{next(NUMBERS)}" for who in ("ann", "bob", "cyd")]
    browsers = [Browser(server) for _ in names]
    for browser, name in zip(browsers, names, strict=True):
        assert browser.sign_up(name).status_code == 201
    engine = sa.create_engine(where(server))
    with engine.connect() as connection:
        ids = [connection.scalar(sa.select(PEOPLE.c.id).where(PEOPLE.c.handle == name)) for name in names]
    engine.dispose()
    ann, bob, cyd = ids

    async def work() -> list[str]:
        url = server.options.get("database") or str(server.folder / "tercet.sqlite")
        async with club(url) as found:
            tables = [
                await found.played((ann, bob), (1, 0), speed="classical"),
                await found.played((bob, ann), (1, 0), speed="classical"),
                await found.played((ann, bob), (0.5, 0.5), speed="classical"),
                await found.played((ann, cyd), (0, 1), rated=False, watch="link"),
                await found.played((ann, cyd), (0, 1), rated=False, watch="private"),
                await found.played((ann, cyd), None, rated=False),
                await found.played((cyd, bob, ann), (0, 0, 1), game="triplicity", options={}, speed="classical"),
            ]
            # A game among newcomers counts a tenth: only after several of them is a seat worth a whole point.
            for _ in range(3):
                trio = [f"newcomer-{next(NUMBERS)}" for _ in range(3)]
                await found.join(*trio)
                await found.played(trio, (0, 0, 1), game="triplicity", options={}, speed="classical")
            await RatingUpdates(found.database).once()
            return tables

    tables = asyncio.run(work())
    told = browsers[1].get(f"/api/people/{names[0].upper()}").json()
    assert (told["handle"], told["kind"]) == (names[0], "account")
    assert {(one["game"], one["players"], one["speed"], one["games"]) for one in told["ratings"]} == {
        ("sanqi", 2, "classical", 3),
        ("triplicity", 3, "classical", 1),
    }
    assert {
        (one["game"], one["speed"], one["seat"], one["played"], one["won"], one["drawn"], one["lost"])
        for one in told["games"]
    } == {
        ("sanqi", "classical", 0, 2, 1, 1, 0),
        ("sanqi", "classical", 1, 1, 0, 0, 1),
        ("sanqi", "rapid", 0, 1, 0, 0, 1),
        ("triplicity", "classical", 2, 1, 1, 0, 0),
    }
    assert [(one["handle"], one["played"], one["won"], one["drawn"], one["lost"]) for one in told["opponents"]] == [
        (names[1], 4, 2, 1, 1),
        (names[2], 2, 1, 0, 1),
    ]

    def found(browser: Browser, path: str, **query: Any) -> list[str]:
        answer = browser.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return [game["id"] for game in answer.json()["games"]]

    everybodys, own = f"/api/people/{names[0]}/games", "/api/me/games"
    newest = tables[::-1]
    assert (found(browsers[0], own), found(browsers[0], everybodys)) == (newest, newest)
    # Others see public games only: nobody learns the address of another one.
    assert found(browsers[1], everybodys) == [newest[0], newest[1], *newest[4:]]
    assert found(Browser(server), everybodys) == [newest[0], newest[1], *newest[4:]]
    assert found(browsers[0], own, game="triplicity") == [tables[6]]
    assert found(browsers[0], own, speed="classical", game="sanqi", seat=0) == [tables[2], tables[0]]
    assert found(browsers[0], own, result="won") == [tables[6], tables[0]]
    assert found(browsers[0], own, result="drawn") == [tables[2]]
    assert (found(browsers[0], own, result="off"), found(browsers[0], own, result="playing")) == ([tables[5]], [])
    assert found(browsers[0], own, opponent=names[2], rated=False) == [tables[5], tables[4], tables[3]]
    assert found(browsers[0], own, opponent="nobody-here") == []
    first = browsers[0].get(own, params={"limit": 3}).json()
    second = browsers[0].get(own, params={"limit": 3, "before": first["more"]}).json()
    third = browsers[0].get(own, params={"limit": 3, "before": second["more"]}).json()
    assert [game["id"] for page in (first, second, third) for game in page["games"]] == newest
    assert third["more"] is None
    shown = first["games"][0]
    assert (shown["seat"], shown["result"], shown["says"], shown["rated"]) == (2, "won", "It is over.", True)
    assert [seat["handle"] for seat in shown["seats"]] == [names[2], names[1], names[0]]
    assert found(Browser(server), own) == []

    board = Browser(server).get("/api/ratings/sanqi", params={"speed": "classical"}).json()
    lines = {line["handle"]: line for line in board["leaders"]}
    assert lines[names[0]]["rank"] is None  # provisional
    assert lines[names[0]]["low"] < lines[names[0]]["rating"] < lines[names[0]]["high"]
    assert board["seats"] is None
    three = Browser(server).get("/api/ratings/triplicity", params={"speed": "classical"}).json()
    assert [seat["player"] for seat in three["seats"]] == ["White", "Black", "Red"]
    assert three["seats"][2]["worth"] > 0
    assert three["counted"] >= 4
    assert Browser(server).get("/api/ratings/sparklies", params={"players": 3}).json()["leaders"] == []
    assert code(Browser(server).get("/api/ratings/chess"))[:2] == (404, "not-found")
    assert code(Browser(server).get("/api/people/nobody-here"))[:2] == (404, "not-found")

    assert browsers[1].request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    assert code(browsers[0].get(f"/api/people/{names[1]}"))[:2] == (404, "not-found")
    gone = Browser(server).get("/api/ratings/sanqi", params={"speed": "classical"}).json()["leaders"]
    assert names[1] not in {line["handle"] for line in gone}
    shown = browsers[0].get(own, params={"limit": 1}).json()["games"][0]
    assert shown["seats"][1] == {"name": "deleted player", "handle": None, "kind": "account", "level": None}


def test_a_leaderboard_ranks_who_is_well_known(server: Serving) -> None:
    browsers = [Browser(server) for _ in range(3)]
    handles = [f"leader-{next(NUMBERS)}" for _ in browsers]
    for browser, handle in zip(browsers, handles, strict=True):
        browser.sign_up(handle)
    engine = sa.create_engine(where(server))
    with engine.begin() as connection:
        for handle, rating, deviation in zip(handles, (1700, 1800, 1900), (60, 50, 200), strict=True):
            person = connection.scalar(sa.select(PEOPLE.c.id).where(PEOPLE.c.handle == handle))
            kept = Glicko(rating, deviation).data()
            row = {"person_id": person, "game": "sanqi", "speed": "blitz", "rating": rating, "values": kept, "games": 9}
            connection.execute(RATINGS.insert().values(**row, at=time.time()))
    engine.dispose()
    told = browsers[0].get("/api/ratings/sanqi?speed=blitz").json()["leaders"]
    assert [(line["handle"], line["rank"], line["rating"]) for line in told] == [
        (handles[1], 1, 1800),
        (handles[0], 2, 1700),
        (handles[2], None, 1900),
    ]
    assert (told[0]["low"], told[0]["high"]) == (1702, 1898)


@pytest.mark.parametrize("game", ["sanqi", "triplicity"])
def test_a_rated_game_on_a_real_server(server: Serving, game: str) -> None:
    people = [Browser(server) for _ in range(2 if game == "sanqi" else 3)]
    handles = [f"real-{next(NUMBERS)}" for _ in people]
    for person, handle in zip(people, handles, strict=True):
        person.sign_up(handle)
    ask = {
        "game": game,
        "options": SIDE if game == "sanqi" else {},
        "seats": [{"kind": "me"}, *({"kind": "open"} for _ in people[1:])],
        "clock": {"kind": "fischer", "minutes": 5, "increment": 3},
        "rated": True,
        "public": True,
    }
    answer = people[0].post("/api/tables", json=ask)
    assert answer.status_code == 201, answer.text
    table = answer.json()["id"]
    for seat, person in enumerate(people[1:], 1):
        assert person.post(f"/api/tables/{table}/seats/{seat}", json={}).status_code == 201
    sits = people[0].get(f"/api/tables/{table}").json()["state"]["seats"]
    drawn = [handles.index(seat["handle"]) for seat in sits]
    people, handles = [people[who] for who in drawn], [handles[who] for who in drawn]
    wires = [follow(server, table, cookie=f"tercet={person.cookie}") for person in people]
    for seat in range(2 * len(people)):
        state = wires[seat % len(people)].until("snapshot")["state"]
        while state["mover"] != seat % len(people) or state["ply"] < seat:
            wires[seat % len(people)].say({"type": "snapshot"})
            state = wires[seat % len(people)].until("snapshot")["state"]
        assert wires[seat % len(people)].act(seat, state["view"]["paths"][0][0])["type"] == "ack"
        wires[seat % len(people)].say({"type": "snapshot"})
    for seat in range(1, len(people)):
        assert wires[seat].ask(type="resign", seat=seat)["type"] == "ack"
    (won,) = until(lambda: people[0].get(f"/api/people/{handles[0]}").json()["ratings"])
    assert (won["game"], won["speed"], won["games"], won["provisional"]) == (game, "blitz", 1, True)
    assert won["rating"] > 1500
    for handle in handles[1:]:
        (lost,) = people[0].get(f"/api/people/{handle}").json()["ratings"]
        assert lost["rating"] < 1500
    assert people[1].get("/api/me/games").json()["games"][0]["result"] == "lost"
    shown = people[0].get(f"/api/tables/{table}").json()["state"]
    assert shown["rated"]
    assert shown["speed"] == "blitz"
