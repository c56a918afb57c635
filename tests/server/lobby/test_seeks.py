"""Who is paired with whom: the order of those who wait, and the range of ratings."""

from tercet.server.lobby import by_turns
from tercet.server.pairing import RANGE_GROWTH, RATING_RANGE, Pool, Seek, groups

QUICK = Pool("sanqi", "5+3", False)


def seek(name: str, since: float = 0.0, rating: float | None = None, pool: Pool = QUICK, network: str = "") -> Seek:
    return Seek(name, name, pool, rating, since, network or name)


def names(found: list[tuple[Seek, ...]]) -> list[str]:
    return ["".join(one.person for one in group) for group in found]


def two(_game: str) -> int:
    return 2


def test_who_waited_longest_is_paired_first() -> None:
    waiting = [seek("c", 3.0), seek("a", 1.0), seek("b", 2.0)]
    assert names(groups(waiting, two, 10.0)) == ["ab"]


def test_only_people_who_want_the_same_are_paired() -> None:
    others = [Pool("sanqi", "15+10", False), Pool("sanqi", "5+3", True), Pool("sparklies", "5+3", False)]
    waiting = [seek("a"), *(seek(name, pool=pool) for name, pool in zip("bcd", others, strict=True))]
    assert groups(waiting, two, 100.0) == []


def test_a_game_of_three_needs_three_who_all_fit() -> None:
    waiting = [seek("a", rating=1500), seek("b", rating=1600), seek("c", rating=1700)]
    assert groups(waiting[:2], lambda _game: 3, 0.0) == []
    assert groups(waiting, lambda _game: 3, 0.0) == []
    assert names(groups(waiting, lambda _game: 3, 60.0)) == ["abc"]


def test_the_range_of_ratings_grows_with_the_wait_of_both() -> None:
    waiting = [seek("a", rating=1500), seek("b", rating=1501 + RATING_RANGE)]
    assert groups(waiting, two, 0.0) == []
    assert names(groups(waiting, two, 1.1 / RANGE_GROWTH)) == ["ab"]
    late = [seek("a", rating=1500), seek("b", 50.0, rating=1501 + RATING_RANGE)]
    assert groups(late, two, 50.0) == []


def test_the_closest_rating_is_taken_and_no_rating_suits_everyone() -> None:
    waiting = [seek("a", rating=1500), seek("b", 1.0, rating=1600), seek("c", 2.0, rating=1510)]
    assert names(groups(waiting, two, 2.0)) == ["ac"]
    assert names(groups([waiting[0], seek("guest", 9.0)], two, 9.0)) == ["aguest"]


def test_people_who_are_kept_apart_are_paired_with_others() -> None:
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
