"""A process that was suspended was away; one that was kept busy was not, and gives no time back."""

import asyncio
import time

import pytest

from tercet.server.store.lease import Absences
from tests.server.cluster.test_several_processes import EGG, registry_of
from tests.server.conftest import Serve


class Machine:
    """A machine whose time and processor a test moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.used = 5.0
        self.absences = Absences(lambda: self.now, lambda: self.used)

    def pass_by(self, seconds: float, share: float, *, sampled: bool = True) -> None:
        """So much time goes by in which the process computes for that ``share``; a thread takes its samples,
        or one as soon as it can run again."""
        for _ in range(round(2 * seconds) if sampled else 1):
            step = 0.5 if sampled else seconds
            self.now += step
            self.used += share * step
            self.absences.sample()

    def away(self) -> float:
        """For how many seconds the process was away so far."""
        return sum(end - start for start, end in self.absences.between(0.0, self.now))


STALLS = {  # the share of a processor that is used, whether samples are taken, and the seconds that count as absence
    "SIGSTOP, or a virtual machine that is paused": (0.0, False, 47.0),
    "the event loop waits for a dead disk": (0.01, True, 47.0),
    "an attacker keeps the event loop busy": (1.0, True, 0.0),
    "the same on a machine with eight such processes on two cores": (0.25, True, 0.0),
    "a long computation or collection of garbage that lets no thread run": (0.98, False, 0.0),
}


@pytest.mark.parametrize(("share", "sampled", "away"), STALLS.values(), ids=list(STALLS))
def test_only_who_computes_nothing_is_away(share: float, sampled: bool, away: float) -> None:
    machine = Machine()
    machine.pass_by(47.0, share, sampled=sampled)
    assert machine.away() == pytest.approx(away)


def test_what_was_away_is_given_back_and_no_more() -> None:
    """A suspension in the middle of an attack counts for itself alone."""
    machine = Machine()
    machine.pass_by(10.0, 1.0)
    machine.pass_by(4.0, 0.0, sampled=False)
    machine.pass_by(10.0, 1.0)
    assert machine.absences.between(0.0, machine.now) == [(110.0, 114.0)]
    assert machine.absences.between(111.0, 112.0) == [(111.0, 112.0)]


def test_a_moment_without_a_processor_or_with_nothing_to_do_is_no_absence() -> None:
    machine = Machine()
    for _ in range(10):
        machine.pass_by(1.0, 0.5)
        machine.pass_by(0.5, 0.0)
    assert machine.away() == 0
    machine = Machine()
    for _ in range(100):
        machine.pass_by(0.5, 0.0)
        machine.absences.measure()
    assert machine.away() == 0


@pytest.mark.online
def test_who_keeps_the_server_busy_gains_no_time(serve: Serve) -> None:
    """The attack on a rated clock: the loop is kept busy for longer than the turn, as floods of pings did."""
    server = serve()
    _, (mine, theirs) = server.friends(clock=EGG)
    assert mine.act(0, "Rd4")["type"] == "ack"
    known = registry_of(server)
    run = known.lease.process_id

    async def hold() -> None:
        until = time.monotonic() + 4.5
        while time.monotonic() < until:
            pass

    asyncio.run_coroutine_threadsafe(hold(), known._endless[0].get_loop()).result(60)
    flag = theirs.last("event", kind="flag")
    assert known.lease.process_id != run, "others may have found it dead, so it went on as another run"
    assert sum([heard["lost"] for heard in theirs.heard if heard.get("kind") == "resumed"]) < 500
    assert flag["state"]["over"]
