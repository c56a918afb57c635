"""Ratings that follow from finished games, profiles, searches, leaderboards."""

import asyncio
import itertools
import time
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

import pytest
import sqlalchemy as sa

from tercet.answers.tables import TableInfo
from tercet.play.ratings import Glicko, PlayerStrength, Rating, damped, pool_of, rate_game
from tercet.play.session import LogEvent, Seat, TableSettings
from tercet.server.limits.budgets import ServerLimits
from tercet.server.people.identity import People
from tercet.server.people.moderation import delete_person
from tercet.server.people.rating_updates import CASUAL, RatingUpdates, level_ratings, note_hint, seat_effects
from tercet.server.store.database import Database, address, migrate
from tercet.server.store.logs import SeatAccess, TableSummary
from tercet.server.store.schema import HISTORY, KEY_VALUES, PEOPLE, RATINGS, TABLES
from tercet.server.store.tables import Store
from tests.server.conftest import Serving, play, state_of
from tests.server.people.browser import PASSWORD, Browser, code, rows, where
from tests.support.waiting import until

NUMBERS = itertools.count()
ID = "SELECT id FROM people WHERE handle = :handle"


class Club:
    def __init__(self, url: str) -> None:
        self.database = Database(address(url))
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
        """A game that is over, or aborted; engines of these ``levels`` have the first seats; ``more`` events follow."""
        table_id = f"t{next(NUMBERS)}x{time.time_ns()}"
        engines = tuple(Seat("engine", level=level) for level in levels)
        seats = (*engines, *(Seat("person"),) * (len(people) - len(engines)))
        setup = TableSettings(game, {"side": 4} if options is None else options, seats, watch=watch, position=start)
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
        asked = (RATINGS.c.person_id == person) & (RATINGS.c.game == game) & (RATINGS.c.speed == speed)
        row = await self.database.first(sa.select(RATINGS).where(asked))
        return None if row is None else row._mapping


@pytest.fixture
def club(database: str) -> Iterator[Club]:
    migrate(address(database))
    made = Club(database)
    yield made
    asyncio.run(made.database.close())


async def levels_of(club: Club, pool: str = "sanqi") -> dict[int, Any]:
    return dict(await club.database.find(lambda connection: level_ratings(connection, pool)))


async def test_a_game_is_counted_once(club: Club, database: str) -> None:
    await club.join("ann", "bob")
    for winner in (0, 0, 1):
        await club.played(("ann", "bob"), [float(winner == seat) for seat in range(2)])
    other = Database(address(database))  # two processes at once
    both = [RatingUpdates(one) for one in (club.database, other, club.database)]
    assert sum(await asyncio.gather(*(one.once() for one in both))) == 3
    await other.close()
    assert await RatingUpdates(club.database).once() == 0
    expected: list[Rating] = [Glicko(), Glicko()]
    for times, score in enumerate((1, 1, 0)):
        expected, _ = rate_game(expected, (score, 1 - score), (0, 0), {(0, 1): times})
    for person, rating in zip(("ann", "bob"), expected, strict=True):
        kept = await club.rating(person)
        assert kept["games"] == 3
        assert kept["values"]["rating"] == pytest.approx(rating.rating, abs=0.01)
    history = await club.database.rows(sa.select(HISTORY).order_by(HISTORY.c.at, HISTORY.c.seat))
    assert (len(history), history[0].before) == (6, Glicko().data())
    assert history[0].after == history[2].before


async def test_who_resigns_at_once_has_lost_no_rated_game(club: Club) -> None:
    """Nor do games count that were aborted, or are not between two accounts."""
    await club.join("ann", "bob")
    short = [await club.played(("ann", "bob"), (0, 1), turns=turns) for turns in (0, 1)]
    assert await RatingUpdates(club.database).once() == 2
    kept = [await club.store.load(table) for table in short]
    assert [one and one.info.rated for one in kept] == [True, True], "read again they are games too short to be rated"
    await club.played(("ann", "bob"), None)  # aborted
    await club.played(("ann", "bob"), (1, 0), rated=False)
    for other in (None, "ann"):
        await club.played(("ann", other), (1, 0))
    await RatingUpdates(club.database).once()
    assert await club.rating("ann") is await club.rating("bob") is None
    assert await club.database.scalar(sa.select(sa.func.count()).where(~TABLES.c.counted)) == 0
    await club.played(("ann", "bob"), (0, 1), turns=2)
    await RatingUpdates(club.database).once()
    assert (await club.rating("bob"))["games"] == 1


async def test_the_same_opponent_again_counts_for_less(club: Club) -> None:
    await club.join("ann", "bob", "cyd")
    expected: list[Rating] = [Glicko(), Glicko()]
    known = [1500.0]
    for times in range(8):
        await club.played(("ann", "bob"), (1, 0))
        await RatingUpdates(club.database).once()
        known.append((await club.rating("ann"))["rating"])
        expected, _ = rate_game(expected, (1, 0), (0, 0), {(0, 1): times})
        assert known[-1] == pytest.approx(expected[0].rating, abs=0.5)
    await club.played(("ann", "cyd"), (1, 0))
    await RatingUpdates(club.database).once()
    assert (await club.rating("ann"))["rating"] - known[-1] > 2 * (known[-1] - known[-2])


@pytest.mark.server_errors("could not count table")
async def test_one_game_that_cannot_be_read_does_not_stop_the_others(club: Club) -> None:
    await club.join("ann", "bob")
    broken = await club.played(("ann", "bob"), (1, 0))
    await club.database.change(TABLES.update().where(TABLES.c.id == broken).values(result={"scores": "?"}))
    await club.played(("ann", "bob"), (0, 1))
    counting = RatingUpdates(club.database)
    assert [await counting.once() for _ in range(2)] == [1, 0]
    assert (await club.rating("bob"))["games"] == 1
    counted = await club.database.scalar(sa.select(TABLES.c.counted).where(TABLES.c.id == broken))
    assert not counted  # all or nothing: it is still to be counted


async def test_three_are_rated_with_what_their_seats_are_worth(club: Club) -> None:
    await club.join("ann", "bob", "cyd", "dan")
    await club.played(("ann", "bob", "cyd"), (1, 0, 0), game="triplicity", options={})
    await club.played(("bob", "dan", "ann"), (0.5, 0.5, 0), game="triplicity", options={})
    await club.played(("ann", "bob", "cyd"), (0, 0, 1), game="sparklies", options={"players": 3})
    assert await RatingUpdates(club.database).once() == 3
    kept = await club.rating("ann", "triplicity")
    assert (kept["games"], PlayerStrength.read(kept["values"]).sigma < 350) == (2, True)
    assert (await club.rating("cyd", "sparklies-3"))["rating"] > 1500
    assert await club.rating("cyd", "sparklies") is None
    pool = pool_of("triplicity", 3)
    effects, games = await club.database.find(lambda connection: seat_effects(connection, pool, 3))
    assert (games, effects[0].mean > 0 > effects[2].mean) == (2, True)
    assert all(0 < effect.sigma < 60 for effect in effects)


async def test_levels_learn_from_casual_games(club: Club) -> None:
    """By how well the person is known, and less each time; people's own ratings stay, and each game counts once."""
    await club.join("ann", "bob", "cat")
    for person in ("ann", "bob"):  # known well
        strong = Glicko(1700.0, 60.0)
        key = {"person_id": person, "game": "sanqi", "speed": "rapid", "games": 90, "at": time.time()}
        await club.database.change(RATINGS.insert().values(**key, rating=1700.0, values=strong.data()))

    before = await club.rating("ann")
    expected: Rating = Glicko()
    for times in range(3):
        await club.played((None, "ann"), (0.0, 1.0), levels=[3], rated=False, speed="none")
        await asyncio.gather(*(RatingUpdates(club.database).once() for _ in range(2)))
        after, _ = rate_game([expected, Glicko(1700.0, 60.0)], (0, 1), (0, 0), {(0, 1): times})
        expected = damped(expected, after[0], CASUAL)
    lost = (await levels_of(club))[3]
    near = [pytest.approx(one, abs=0.1) for one in (expected.rating, expected.deviation)]
    assert [lost.games, lost.rating.rating, lost.rating.deviation] == [3, *near]
    assert (await club.rating("ann"), 4 in await levels_of(club)) == (before, False)
    # of who is not known, a result says little
    await club.played((None, "cat"), (1.0, 0.0), levels=[4], rated=False)
    await club.played((None, "bob"), (1.0, 0.0), levels=[5], rated=False)
    await RatingUpdates(club.database).once()
    gained = [(await levels_of(club))[number].rating.rating - 1500 for number in (4, 5)]
    assert 0 < 5 * gained[0] < gained[1]
    assert await club.rating("cat") is None
    # in a game of three, a level that sits twice learns once
    await club.played((None, None, "ann"), (0, 0, 1), game="triplicity", options={}, rated=False, levels=[2, 2])
    await RatingUpdates(club.database).once()
    twice = (await levels_of(club, "triplicity"))[2]
    assert (twice.games, twice.rating.rating < 1500) == (1, True)


async def test_levels_learn_only_from_whole_games_without_help(club: Club) -> None:
    await club.join("ann", "bob")
    await club.database.change(PEOPLE.insert().values(id="guest", kind="guest", name="Guest", created=1.0))
    plain: dict[str, Any] = {"levels": [3], "rated": False}
    await club.played((None, "guest"), (0.0, 1.0), **plain)
    await club.played((None, "ann"), None, **plain)
    start, unusual = "sanqi/4 4/5/6/3R3/6/5/4 S d4", {"side": 4, "line": 7}
    odd: list[dict[str, Any]] = [{"turns": 1}, {"more": ["takeback"]}, {"claim": 1}, {"start": start}]
    for how in (*odd, {"options": unusual}):
        await club.played((None, "ann"), (0.0, 1.0), **how, **plain)
    await club.played(("ann", "bob"), (0.0, 1.0), rated=False)
    await club.played((None, "ann", "bob"), (0.0, 0.0, 1.0), game="triplicity", options={}, **plain)
    hinted = await club.played((None, "ann"), (0.0, 1.0), **plain)
    await club.database.write_alone(lambda connection: note_hint(connection, hinted))
    await RatingUpdates(club.database).once()
    assert await levels_of(club) == await levels_of(club, "triplicity") == {}
    assert await club.database.scalars(sa.select(TABLES.c.id).where(~TABLES.c.counted)) == []
    kept = sa.select(KEY_VALUES.c.name).where(KEY_VALUES.c.name.startswith("hint "))
    assert await club.database.scalars(kept) == []


def test_levels_show_what_they_are_worth(server: Serving) -> None:
    lines = server.http.get("/api/levels/sanqi").json()
    assert [line["level"] for line in lines] == list(range(1, 11))
    keys = {"rating", "low", "high", "provisional"}
    assert all(line["rating"] is None or set(line["rating"]) == keys for line in lines)
    assert server.http.get("/api/levels/nothing").status_code == 404


async def test_who_left_his_seat_to_an_engine_has_lost(club: Club) -> None:
    await club.join("ann", "bob", "cyd", "dan", "eve")
    await club.played(("ann", "bob"), (0, 1), claim=1)  # the engine won bob's game
    await club.played(("cyd", "dan", "eve"), (0, 1, 0), game="triplicity", options={}, claim=1)
    await RatingUpdates(club.database).once()
    assert (await club.rating("bob"))["rating"] < 1500 < (await club.rating("ann"))["rating"]
    assert (await club.rating("dan", "triplicity"))["rating"] < 1500
    assert (await club.rating("cyd", "triplicity"))["rating"] > 1500
    await club.played(("cyd", "dan"), (1, 0))
    people = await People.open(club.database, ServerLimits())
    await delete_person(people, "dan")  # before the game is counted
    people.close()
    assert await RatingUpdates(club.database).once() == 1
    assert (await club.rating("cyd"))["rating"] > 1500


def test_profile_search_and_leaderboard(server: Serving) -> None:
    names = [f"club-{who}-{next(NUMBERS)}" for who in ("ann", "bob", "cyd")]
    browsers = [Browser(server, name) for name in names]
    ann, bob, cyd = (rows(server, ID, handle=name)[0][0] for name in names)
    triple: dict[str, Any] = {"game": "triplicity", "options": {}, "speed": "classical"}

    async def work() -> list[str]:
        found = Club(server.options.get("database") or str(server.folder / "tercet.sqlite"))
        games: list[tuple[Any, Any]] = [((ann, bob), (1, 0)), ((bob, ann), (1, 0)), ((ann, bob), (0.5, 0.5))]
        tables = [await found.played(*game, speed="classical") for game in games]
        for watch, scores in (("link", (0, 1)), ("private", (0, 1)), ("public", None)):
            tables.append(await found.played((ann, cyd), scores, rated=watch == "link", turns=1, watch=watch))
        tables.append(await found.played((cyd, bob, ann), (0, 0, 1), **triple))
        # A game among newcomers counts a tenth: only after several of them is a seat worth a whole point.
        for _ in range(3):
            await found.join(*(trio := [f"newcomer-{next(NUMBERS)}" for _ in range(3)]))
            await found.played(trio, (0, 0, 1), **triple)
        await RatingUpdates(found.database).once()
        await found.database.close()
        return tables

    tables = asyncio.run(work())
    told = browsers[1].get(f"/api/people/{names[0].upper()}").json()
    assert (told["handle"], told["kind"]) == (names[0], "account")
    ratings = {(one["game"], one["players"], one["speed"], one["games"]) for one in told["ratings"]}
    assert ratings == {("sanqi", 2, "classical", 3), ("triplicity", 3, "classical", 1)}
    of_games = itemgetter("game", "speed", "seat", "played", "won", "drawn", "lost")
    assert set(map(of_games, told["games"])) == {
        ("sanqi", "classical", 0, 2, 1, 1, 0),
        ("sanqi", "classical", 1, 1, 0, 0, 1),
        ("sanqi", "rapid", 0, 1, 0, 0, 1),
        ("triplicity", "classical", 2, 1, 1, 0, 0),
    }
    of_opponents = itemgetter("handle", "played", "won", "drawn", "lost")
    assert list(map(of_opponents, told["opponents"])) == [(names[1], 4, 2, 1, 1), (names[2], 2, 1, 0, 1)]

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
    assert found(browsers[0], own, opponent="unknown-one") == []
    pages = [browsers[0].get(own, params={"limit": 3}).json()]
    while pages[-1]["more"] is not None:
        pages.append(browsers[0].get(own, params={"limit": 3, "before": pages[-1]["more"]}).json())
    assert [[game["id"] for game in page["games"]] for page in pages] == [newest[:3], newest[3:6], newest[6:]]
    shown = pages[0]["games"][0]
    assert (shown["seat"], shown["result"], shown["says"], shown["rated"]) == (2, "won", "It is over.", True)
    assert [seat["handle"] for seat in shown["seats"]] == [names[2], names[1], names[0]]
    assert found(Browser(server), own) == []

    board = Browser(server).get("/api/ratings/sanqi", params={"speed": "classical"}).json()
    (line,) = (line for line in board["leaders"] if line["handle"] == names[0])
    assert (line["rank"], board["seats"]) == (None, None)  # provisional
    assert line["low"] < line["rating"] < line["high"]
    three = Browser(server).get("/api/ratings/triplicity", params={"speed": "classical"}).json()
    assert [seat["player"] for seat in three["seats"]] == ["White", "Black", "Red"]
    assert (three["seats"][2]["worth"] > 0, three["counted"] >= 4) == (True, True)
    assert Browser(server).get("/api/ratings/sparklies", params={"players": 3}).json()["leaders"] == []
    for path in ("ratings/chess", "people/unknown-one"):
        assert code(Browser(server).get(f"/api/{path}"))[:2] == (404, "not-found")

    assert browsers[1].request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    assert code(browsers[0].get(f"/api/people/{names[1]}"))[:2] == (404, "not-found")
    gone = Browser(server).get("/api/ratings/sanqi", params={"speed": "classical"}).json()["leaders"]
    assert names[1] not in {line["handle"] for line in gone}
    shown = browsers[0].get(own, params={"limit": 1}).json()["games"][0]
    assert shown["seats"][1] == {"name": "deleted player", "handle": None, "kind": "account", "level": None}


def test_a_leaderboard_ranks_who_is_well_known(server: Serving) -> None:
    handles = [f"leader-{next(NUMBERS)}" for _ in range(3)]
    engine = sa.create_engine(where(server), poolclass=sa.NullPool)
    for handle, rating, deviation in zip(handles, (1700, 1800, 1900), (60, 50, 200), strict=True):
        Browser(server, handle)
        (person,) = rows(server, ID, handle=handle)[0]
        kept = Glicko(rating, deviation).data()
        row = {"person_id": person, "game": "sanqi", "speed": "blitz", "rating": rating, "values": kept, "games": 9}
        with engine.begin() as connection:
            connection.execute(RATINGS.insert().values(**row, at=time.time()))
    told = Browser(server).get("/api/ratings/sanqi?speed=blitz").json()["leaders"]
    ranked = [(line["handle"], line["rank"], line["rating"]) for line in told]
    assert ranked == [(handles[1], 1, 1800), (handles[0], 2, 1700), (handles[2], None, 1900)]
    assert (told[0]["low"], told[0]["high"]) == (1702, 1898)


def test_a_rated_game_on_a_real_server(server: Serving) -> None:
    clock, three = {"kind": "fischer", "minutes": 5, "increment": 3}, {"game": "triplicity", "options": {}}
    table, visitors = server.meeting("real", "real", "real", clock=clock, rated=True, public=True, **three)
    state = state_of(server, table)
    people = [next(one for one in visitors if one.handle == seat["handle"]) for seat in state["seats"]]
    wires = [person.wire(table) for person in people]
    for ply in range(6):
        while (state := wires[ply % 3].until("snapshot", "event")["state"])["ply"] < ply:
            pass
        play([wires[ply % 3]], state["view"]["paths"][0][0], ply)
    for seat in (1, 2):
        wires[seat].done(type="resign", seat=seat)
    told = until(lambda: people[0].http.get(f"/api/people/{people[0].handle}").json()["ratings"])
    told += [people[0].http.get(f"/api/people/{person.handle}").json()["ratings"][0] for person in people[1:]]
    shown = {(one["game"], one["speed"], one["games"], one["provisional"]) for one in told}
    assert shown == {("triplicity", "blitz", 1, True)}
    assert [one["rating"] > 1500 for one in told] == [True, False, False]
    assert people[1].http.get("/api/me/games").json()["games"][0]["result"] == "lost"
    assert (state["rated"], state["speed"]) == (True, "blitz")
