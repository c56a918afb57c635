"""The order in which tables wait."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tercet.server.lobby.waiting_order import Waiting, WaitingOrder


def ordered(tables: dict[str, Waiting], game: str | None = None) -> list[str]:
    """The order said plainly: everybody's newest, then everybody's second, each time the newest first."""
    keys = []
    for one in tables.values():
        theirs = sorted((-other.opened, other.id) for other in tables.values() if other.opener == one.opener)
        keys.append((theirs.index((-one.opened, one.id)), -one.opened, one.id, one.game))
    return [key[2] for key in sorted(keys) if game in (None, key[3])]


TABLE = st.tuples(
    st.sampled_from("abcdefgh"), st.sampled_from(["sanqi", "other"]), st.sampled_from("xyz"), st.floats(0, 9)
).map(lambda fields: Waiting(*fields))


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
        assert order.ids() == ordered(tables)
        assert order.ids("sanqi") == ordered(tables, "sanqi")
