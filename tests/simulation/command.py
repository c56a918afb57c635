"""``tercet simulate``: many seeds, what came of them, and the shortest story of one that fails."""

from __future__ import annotations

import multiprocessing
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace

from tests.simulation.plan import Plan
from tests.simulation.scene import Report, simulate

__all__ = ["Total", "run", "shrink", "simulate_seeds", "story"]

TRIES = 60  # plans that are played to make one shorter


@dataclass
class Total:
    """What came of many seeds."""

    seeds: int = 0
    virtual_seconds: float = 0.0
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[int, str]] = field(default_factory=list)  # seeds, with the first violation of each

    def add(self, report: Report) -> None:
        """Count one."""
        self.seeds += 1
        self.virtual_seconds += report.virtual_seconds
        self.counts += report.counts
        self.faults += report.faults
        if report.violations:
            self.failed.append((report.plan.seed, report.violations[0]))

    def __str__(self) -> str:
        def told(counts: Counter[str]) -> str:
            return ", ".join(f"{count:,} {name}" for name, count in counts.most_common())

        rate = self.seeds / self.seconds if self.seconds else 0.0
        return (
            f"{self.seeds:,} seeds in {self.seconds:.0f} s ({rate:.1f} a second), "
            f"{self.virtual_seconds / 3600:.1f} virtual hours\n"
            f"{self.faults.total():,} faults: {told(self.faults)}\n"
            f"messages and lines: {told(self.counts)}\n"
            f"{len(self.failed)} seeds failed"
        )


def _kind(report: Report) -> str:
    """What sort of violation it is, without names and numbers."""
    return re.sub(r"\d[\d.]*|\[.*", "", report.violations[0]) if report.violations else ""


def _shorter(plan: Plan) -> Iterator[Plan]:
    """Plans with a little less in them, those that leave out most first."""
    for one in plan.tables if len(plan.tables) > 1 else ():
        yield replace(plan, tables=tuple(table for table in plan.tables if table is not one))
    for fault in reversed(plan.faults):
        yield plan.without(fault)
    if plan.processes > 1:
        fewer = plan.processes - 1
        yield replace(plan, processes=fewer, faults=tuple(one for one in plan.faults if one.process < fewer))
    for at, table in enumerate(plan.tables):
        for shorter in (
            replace(table, breaks=0.0),
            replace(table, watchers=0),
            replace(table, engine=None),
            replace(table, sleeper=None),
            replace(table, opened=False),
            replace(table, long=max(2, table.long // 2)),
        ):
            if shorter != table:
                yield replace(plan, tables=(*plan.tables[:at], shorter, *plan.tables[at + 1 :]))


def shrink(plan: Plan, tries: int = TRIES) -> Report:
    """The report of a plan that fails as this one does, with as little in it as so many ``tries`` find."""
    best = simulate(plan)
    kind, shorter = _kind(best), _shorter(best.plan)
    for _ in range(tries):
        candidate = next(shorter, None)
        if candidate is None:
            break
        found = simulate(candidate)
        if _kind(found) == kind:
            best, shorter = found, _shorter(candidate)
    return best


def story(report: Report, most: int = 120) -> str:
    """What happened, as far as it leads to the first violation."""
    told = report.lines
    lines, first = [], next((at for at, (_, what) in enumerate(told) if what.startswith("***")), None)
    told = told if first is None else told[: first + 1]
    told = [(at, what) for at, what in told if not re.search(r'"type": ?"(ping|pong|here)', what)]
    if len(told) > most:
        lines.append(f"  ... {len(told) - most} lines before")
        told = told[-most:]
    lines += [f"  {at:8.3f} s  {what}" for at, what in told]
    lines += [f"  {'':10}  *** {what}" for what in report.violations if all(what not in line for line in lines)]
    return "\n".join([str(report.plan), *lines])


def run(seed: int) -> Report:
    """The report of one seed, without its story."""
    found = simulate(Plan.of(seed))
    found.story.clear()
    return found


def simulate_seeds(seeds: Sequence[int], workers: int = 1) -> Total:
    """What comes of ``seeds``, played by so many processes."""
    total, began = Total(), time.monotonic()
    if workers <= 1:
        for seed in seeds:
            total.add(run(seed))
    else:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
            for report in pool.map(run, seeds, chunksize=8):
                total.add(report)
    total.seconds = time.monotonic() - began
    return total


def main(first: int, seeds: int, workers: int, shows: bool = False) -> None:
    """Play so many seeds from ``first`` on and print what came of them; exit with 1 where one fails. With ``shows``
    print the story of each."""
    if shows:
        for seed in range(first, first + seeds):
            print(story(simulate(Plan.of(seed)), 1_000_000))
        return
    total = simulate_seeds(range(first, first + seeds), workers)
    print(total)
    for seed, why in total.failed:
        print(f"seed {seed}: {why}")
    if total.failed:
        print("\nThe shortest story of the first of them that was found:")
        print(story(shrink(Plan.of(total.failed[0][0]))))
        sys.exit(1)
