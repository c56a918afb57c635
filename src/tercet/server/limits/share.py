"""Everything by which one server process shares what is scarce between people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tercet.answers.addresses import Queue
from tercet.server.limits.apart import WorkApart
from tercet.server.limits.bans import Bans
from tercet.server.limits.budgets import Buckets, Budgets, Exchange, ServerLimits, Visits
from tercet.server.limits.queue import FairThreads, Turns
from tercet.server.limits.spender import KnownSpenders, spender

T = TypeVar("T")
MAX_READS = 8  # connections of a network that are read from in one turn of the event loop


class FairShare:
    """Budgets and bans, rates that all processes count together, and the threads in which people's work is done by
    turns: ``opening`` tables, ``reading`` records and positions, ``drawing``; what takes long is done ``apart``, in a
    process of its own (with ``processes``). ``spenders`` knows who came from where.
    ``turns`` and ``reads`` are the turns in which the requests of a network are begun, and its connections read."""

    def __init__(self, limits: ServerLimits, processes: bool = True) -> None:
        self.limits = limits
        self.spenders = KnownSpenders()
        self.exchange = Exchange()
        self.bans = Bans()
        self.budgets = Budgets(limits, self.exchange)
        self.requests = self.rate("requests", Buckets(limits.requests_per_minute))
        self.files = self.rate("files", Buckets(limits.files_per_minute))
        self.tables = self.rate("tables", Buckets(limits.tables_per_minute))
        self.visits = Visits(self.rate("visits", Buckets(limits.visits_per_minute)))
        self.turns = Turns()
        self.reads = Turns(MAX_READS)
        each = limits.queued_per_person
        bounds = each, None if each is None else 4 * each
        self.threads = {
            queue: FairThreads(queue, number, self.budgets, *bounds)
            for queue, number in (("opening", 2), ("reading", 2), ("drawing", 1))
        }
        self.apart = WorkApart(self.budgets, processes)

    def rate(self, kind: str, buckets: Buckets) -> Buckets:
        """``buckets``, from which the other processes take too."""
        self.exchange.share(kind, buckets)
        return buckets

    async def compute(self, work: Callable[[], T], queue: Queue = "reading") -> T:
        """Run ``work`` in a thread of that ``queue``, in turns with its other clients and charged to the client of the
        current task. Raise ApiError if the client has used up its share, or too much waits."""
        self.budgets.check(spender(), "cpu", "bytes")
        return await self.threads[queue].run(work)

    def think(self, person_id: str, seconds: float) -> None:
        """Count that engines thought for this person."""
        self.budgets.spend(self.spenders.of(person_id), engine=seconds)

    @property
    def waiting(self) -> dict[str, int]:
        """Return how many things wait for threads, by their kind."""
        return {**{queue: threads.waiting for queue, threads in self.threads.items()}, "task": self.apart.waiting}

    def close(self) -> None:
        """Accept no more work."""
        for threads in self.threads.values():
            threads.close()
        self.apart.close()
