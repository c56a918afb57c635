"""Whoever comes to a table and goes again without end is told to wait; a class that comes at once is let in."""

import dataclasses
import itertools

import pytest

from tercet.server.limits import budgets
from tercet.server.limits.budgets import Buckets, ServerLimits, Visits
from tercet.server.limits.spenders import Spender
from tests.server.conftest import Serve
from tests.support.limits import OPEN


def test_who_comes_and_goes_without_end_is_told_to_wait(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "HOLD_SECONDS", 0.01)
    server = serve(limits=dataclasses.replace(OPEN, visits_per_minute=6))
    table, wire = server.both()
    for come in itertools.count():
        refused = server.wire(table)
        if (told := refused.hear())["type"] != "snapshot":
            break
        refused.close()
        assert come < 59
    assert come >= 5
    assert (told["type"], told["code"], told["where"]) == ("error", "too-many", "network")
    assert 5 <= told["retry"] <= 10
    assert (refused.until_closed(), refused.heard) == (4429, [told])
    monkeypatch.setattr(budgets, "MAX_HELD", 0)
    with pytest.raises(Exception, match="403"):  # not told why
        server.wire(table)
    wire.say({"type": "ping"})  # who is there stays
    assert wire.until("pong")


def test_a_class_comes_in_at_once() -> None:
    """Sixty behind one address, each with the lobby and a table, who all load their page anew."""
    counted = Visits(Buckets(ServerLimits().visits_per_minute))
    group = Spender("203.0.113.0/24")
    assert all(counted.refusal(group) is None for _ in range(60 * 4))
    assert counted.refusal(group) is not None
    assert counted.refusal(Spender("198.51.100.0/24")) is None
