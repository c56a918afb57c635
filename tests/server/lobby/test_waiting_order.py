"""The order in which tables wait."""

from hypothesis import given
from hypothesis import strategies as st

from tercet.server.lobby import Waiting, WaitingOrder

PAGE = 6  # tables on the page's first page


def ordered(tables: dict[str, Waiting], game: str | None = None) -> list[str]:
    """State the order plainly: one table of each network, then the second of each, the newest first each time; a
    network's tables are one of each of its people, then the second of each, the newest first each time."""

    def turn(one: Waiting) -> tuple[int, float, str]:
        theirs = sorted((-other.opened, other.id) for other in tables.values() if fellow(one, other))
        return theirs.index((-one.opened, one.id)), -one.opened, one.id

    def fellow(one: Waiting, other: Waiting) -> bool:
        return (one.network, one.opener) == (other.network, other.opener)

    keys = []
    for one in tables.values():
        network = sorted(turn(other) for other in tables.values() if other.network == one.network)
        keys.append((network.index(turn(one)), -one.opened, one.id, one.game))
    return [key[2] for key in sorted(keys) if game in (None, key[3])]


def listed(order: WaitingOrder, game: str | None = None) -> list[str]:
    pages = [order.page(start, 3, game) for start in range(0, order.count(game), 3)]
    return [table for page in pages for table in page]


FIELDS = st.tuples(*map(st.sampled_from, ("abcdefgh", ["sanqi", "other"], "xyz", range(10), "mn")))
TABLE = FIELDS.map(lambda fields: Waiting(*fields))


@given(st.lists(st.one_of(TABLE, st.sampled_from("abcdefgh"), st.lists(TABLE, max_size=6)), max_size=20))
def test_it_is_kept_whatever_comes_and_goes(steps: list[Waiting | str | list[Waiting]]) -> None:
    order, tables = WaitingOrder(), dict[str, Waiting]()
    for step in steps:
        if isinstance(step, Waiting):
            order.put(step)
            tables[step.id] = step
        elif isinstance(step, str):
            order.drop(step)
            tables.pop(step, None)
        else:
            order.replace(step)
            tables = {one.id: one for one in step}
        assert listed(order) == ordered(tables)
        assert listed(order, "sanqi") == ordered(tables, "sanqi")


def test_two_networks_of_guests_push_no_table_off_the_first_page() -> None:
    order = WaitingOrder()
    order.put(Waiting("innocent", "sanqi", "ann", 0.0, "198.51.100.0/24"))
    for network in ("203.0.113.0/24", "192.0.2.0/24"):
        for guest in range(60):
            order.put(Waiting(f"{network} {guest}", "sanqi", f"{network} {guest}", 1.0 + guest, network))
    assert "innocent" in order.page(0, PAGE)
    assert "innocent" in order.page(0, PAGE, "sanqi")
    assert order.count() == 121


def test_one_person_of_a_network_does_not_push_back_the_others() -> None:
    order = WaitingOrder()
    order.put(Waiting("modest", "sanqi", "ann", 0.0, "net"))
    for number in range(12):
        order.put(Waiting(f"greedy {number}", "sanqi", "bob", 1.0 + number, "net"))
    assert order.page(0, 3) == ["greedy 11", "modest", "greedy 10"]
