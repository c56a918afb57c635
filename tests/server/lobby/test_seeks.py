"""Who is paired with whom, and the games that somebody plays now."""

from typing import Any

from tercet.server.lobby import by_turns
from tercet.server.pairing import RANGE_GROWTH, RATING_RANGE, Pool, Seek, groups

two = {"sanqi": 2, "sparklies": 2}.__getitem__
three = {"sanqi": 3}.__getitem__
QUICK = Pool("sanqi", "5+3", False)


def seek(name: str, since: float = 0.0, rating: float | None = None, pool: Pool = QUICK, network: str = "") -> Seek:
    return Seek(name, name, pool, rating, since, network or name)


def names(found: list[tuple[Seek, ...]]) -> list[str]:
    return ["".join(one.person for one in group) for group in found]


def test_who_waited_longest_and_wants_the_same_is_paired_first() -> None:
    assert names(groups([seek("c", 3.0), seek("a", 1.0), seek("b", 2.0)], two, 10.0)) == ["ab"]
    others = [Pool("sanqi", "15+10", False), Pool("sanqi", "5+3", True), Pool("sparklies", "5+3", False)]
    waiting = [seek("a"), *(seek(name, pool=pool) for name, pool in zip("bcd", others, strict=True))]
    assert groups(waiting, two, 100.0) == []
    waiting = [seek("a", rating=1500), seek("b", rating=1600), seek("c", rating=1700)]
    assert groups(waiting[:2], three, 0.0) == []
    assert groups(waiting, three, 0.0) == []
    assert names(groups(waiting, three, 60.0)) == ["abc"]
    assert groups(waiting, three, 60.0, {frozenset("bc")}) == [], "each must fit all others"


def test_the_range_of_ratings_grows_and_the_closest_rating_is_taken() -> None:
    waiting = [seek("a", rating=1500), seek("b", rating=1501 + RATING_RANGE)]
    assert (groups(waiting, two, 0.0), names(groups(waiting, two, 1.1 / RANGE_GROWTH))) == ([], ["ab"])
    assert groups([seek("a", rating=1500), seek("b", 50.0, rating=1501 + RATING_RANGE)], two, 50.0) == []
    waiting = [seek("a", rating=1500), seek("b", 1.0, rating=1600), seek("c", 2.0, rating=1510)]
    assert names(groups(waiting, two, 2.0)) == ["ac"]
    assert names(groups([waiting[0], seek("guest", 9.0)], two, 9.0)) == ["aguest"]
    waiting = [seek("a"), seek("b", 1.0), seek("c", 2.0)]
    assert names(groups(waiting, two, 5.0, {frozenset("ab")})) == ["ac"]
    assert groups(waiting[:2], two, 5.0, {frozenset("ab")}) == []


def test_a_network_of_throw_away_guests_takes_one_turn_at_a_time() -> None:
    crowd = [seek(f"x{number:03}", network="bad") for number in range(300)]
    late = [seek("y", 1.0), seek("z", 2.0)]
    turns = by_turns([*crowd, *late], lambda one: one.network, lambda one: (one.since, one.id))
    assert [one.person for one in turns[:4]] == ["x000", "y", "z", "x001"]
    barred = {frozenset((one.person, other.person)) for one in crowd for other in [*crowd, *late]}
    assert names(groups([*crowd, *late], two, 5.0, barred)) == ["yz"], "the crowd plays no one"


def told(who: Any, *tables: str) -> list[Any]:
    """What somebody is told of his games, and of ``tables``."""
    answer = who.http.get("/api/me/tables", params={"table": list(tables)})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["tables"])


def test_whose_turn_it_is_in_games_that_may_be_watched(server: Any) -> None:
    anna, ben = server.visitor(), server.visitor()
    assert told(anna) == []
    table = anna.open("me", "open")
    assert [one["mover"] for one in told(anna)] == [None], "nobody's, as long as a seat is open"
    ben.sit(table["id"], 1)
    assert [one["yourSeats"] for one in (*told(anna), *told(ben))] == [[0], [1]]
    assert [one["mover"] for one in (*told(anna), *told(ben))] == [0, 0]
    wire = anna.wire(table["id"])
    assert wire.act(wire.hear()["state"]["ply"], "Rd4")["type"] == "ack"
    assert [one["mover"] for one in (*told(anna), *told(ben))] == [1, 1], "it is read anew when something has happened"
    assert told(server.visitor()) == []
    anna, other = server.visitor(), server.visitor()
    watch = {kind: anna.open("me", "friend", watch=kind)["id"] for kind in ("link", "private")}
    assert {one["id"] for one in told(anna)} == set(watch.values())
    assert [(one["id"], one["yourSeats"]) for one in told(other, *watch.values(), "nothing")] == [(watch["link"], [])]
    anna = server.visitor()
    table = anna.open("me", "here")
    assert [one["id"] for one in told(anna)] == [table["id"]]
    wire = anna.wire(table["id"])
    wire.hear()
    assert wire.ask(type="resign", seat=0)["type"] == "ack"
    assert told(anna, table["id"]) == []
