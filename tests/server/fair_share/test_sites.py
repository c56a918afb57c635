"""A site of IPv6 (48 bits) has 256 networks. Each may use what a network may, all together sixteen times as much."""

from collections import Counter
from contextlib import AsyncExitStack
from typing import Any, cast

import pytest

from tercet.server.errors import ApiError
from tercet.server.limits.budgets import Buckets, Budgets, Exchange, ServerLimits, counted, is_full
from tercet.server.limits.share import FairShare, WaitingTables
from tercet.server.limits.spenders import SITE_FACTOR, Spender, Turns, address_group, network_group, turn_group
from tercet.server.lobby import Waiting, WaitingOrder
from tercet.server.store.database import Database
from tercet.server.store.pubsub import PubSub
from tercet.server.web.connections import Connections
from tercet.server.web.middleware import Proxies

HOSTS = [f"2001:db8:1:{number:02x}00::1" for number in range(256)]  # of 256 networks
SITE = [network_group(host) for host in HOSTS]
ELSEWHERE = [network_group(host) for host in ("2001:db8:2::1", "203.0.113.1")]


def test_the_site_has_256_networks_and_16_turns() -> None:
    assert len(set(SITE)) == 256
    assert len({turn_group(network) for network in SITE}) == SITE_FACTOR
    assert turn_group("203.0.113.0/24") == "203.0.113.0/24"
    assert turn_group("unknown") == "unknown"


def test_budgets_of_a_site() -> None:
    """It had 256 times a network's."""
    budgets = Budgets(ServerLimits(), Exchange())
    budget = 5 * 4 * 10  # seconds of a network: five minutes' worth, four times a person's
    for number, network in enumerate(SITE[:SITE_FACTOR]):
        budgets.check(Spender(network, f"p{number}"), "cpu")
        budgets.spend(Spender(network), cpu=budget + 1)
    with pytest.raises(ApiError) as refused:
        budgets.check(Spender(SITE[SITE_FACTOR], "another"), "cpu")
    assert "Your network has used up its share of computing time." in refused.value.why
    for network in ELSEWHERE:
        budgets.check(Spender(network), "cpu")
    assert "2001:db8:1::/48" in {one["who"] for one in budgets.pressure(100)}


@pytest.mark.parametrize("group", [address_group, network_group])
def test_rates_of_a_site(group: Any) -> None:
    """Requests, sockets, tables, guests, sign-ups: all are counted so."""
    buckets = Buckets(3)
    taken = sum(buckets.take(group(host)) for _ in range(4) for host in HOSTS)
    assert taken == 3 * SITE_FACTOR
    assert buckets.wait(group(HOSTS[-1])) > 0
    assert all(buckets.take(network) for network in ELSEWHERE)
    buckets.owe(group("2001:db8:3:100::1"), 2 * 3 * SITE_FACTOR)  # as another process says
    assert not buckets.take(group("2001:db8:3:200::1"))


def test_connections_and_sockets_of_a_site() -> None:
    connections = Connections(100_000, Proxies(), FairShare(ServerLimits(connections_per_address=2)))
    assert sum(connections.enter(host) for _ in range(3) for host in HOSTS) == 2 * SITE_FACTOR
    assert [connections.enter(host) for host in ("2001:db8:2::1", "203.0.113.1")] == [True, True]
    connections.leave(HOSTS[0])
    assert connections.enter(HOSTS[200])
    sockets = Counter[str]()
    with counted(sockets, SITE[0]):
        assert is_full(sockets, SITE[0], 1)
        assert not is_full(sockets, SITE[1], 1)
        assert is_full(sockets, SITE[1], 1 / SITE_FACTOR)
    assert not sockets


async def test_tables_of_a_site_that_wait() -> None:
    class AllWait:
        async def scalars(self, query: Any) -> list[str]:
            return list(query.compile().params["id_1"])

    waiting, opened = WaitingTables(cast("Database", AllWait()), 2, PubSub()), 0
    await waiting.begin()
    async with AsyncExitStack() as stack:
        for _ in range(3):
            for number, network in enumerate(SITE):
                try:
                    await stack.enter_async_context(waiting.reserve(network))
                except ApiError:
                    continue
                opened += 1
                if number % 2:
                    await waiting.opened(network, f"t{opened}")
    assert opened <= 2 * SITE_FACTOR
    for network in ELSEWHERE:
        async with waiting.reserve(network):
            pass


async def test_networks_of_a_site_take_sixteen_places_of_the_lobby_and_sixteen_turns() -> None:
    order = WaitingOrder()
    order.put(Waiting("innocent", "sanqi", "ann", 0.0, turn_group(ELSEWHERE[0])))
    for number, network in enumerate(SITE):
        order.put(Waiting(f"t{number}", "sanqi", f"p{number}", 1.0 + number, turn_group(network)))
    assert order.page(0, 17).index("innocent") <= SITE_FACTOR
    turns = Turns()  # of the event loop
    assert sum(turns.enter(turn_group(network)) for network in SITE) == SITE_FACTOR
    assert turns.enter(turn_group(ELSEWHERE[0]))
