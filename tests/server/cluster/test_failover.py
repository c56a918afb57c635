"""A replica takes PostgreSQL's place; `benchmarks/failover.py` is the long form."""

import pytest

from tests.support import services
from tests.support.failover_trial import fail_over

pytestmark = pytest.mark.online


@pytest.mark.parametrize("synchronous", [False, True], ids=["asynchronous", "synchronous"])
def test_a_failover_loses_only_what_an_asynchronous_replica_lacks(synchronous: bool) -> None:
    """A synchronous one has all that was acknowledged: without it, nothing is acknowledged."""
    if services.missing():
        pytest.skip(services.missing())
    found = fail_over(10, synchronous)
    assert found.acknowledged == 10
    assert (found.later, found.lost, found.waiting) == ((0, 0, 1) if synchronous else (10, 10, 0))
