"""``tercet simulate``: many seeds, what came of them, and the shortest story of one that fails."""

import functools
import multiprocessing
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from multiprocessing.connection import wait
from typing import Any

from tests.simulation.plan import Plan
from tests.simulation.scene import Report, simulate

TRIES = 60  # plans that are played to make one shorter
CHUNK = 8  # seeds that one process plays
WARM = (3, 13, 19)  # seeds in which most of what is compiled at its first use is used


@dataclass
class Total:
    """What came of many seeds."""

    seeds: int = 0
    virtual_seconds: float = 0.0
    seconds: float = 0.0
    processor_seconds: float = 0.0
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
            f"{self.seeds:,} seeds in {self.seconds:.0f} s ({rate:.1f} a second, "
            f"{self.processor_seconds / max(1, self.seeds):.2f} s of a processor each), "
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


def run(seed: int, tidies: bool = True) -> Report:
    """The report of one seed, without its story."""
    found = simulate(Plan.of(seed), tidies)
    found.story.clear()
    return found


def simulate_seeds(seeds: Sequence[int], workers: int = 1) -> Total:
    """What comes of ``seeds``, played by so many processes at a time."""
    total, began, used = Total(), time.monotonic(), _processor()
    if hasattr(os, "fork"):
        if len(seeds) > CHUNK:
            _warm()
        for report in _apart(seeds, workers):
            total.add(report)
    else:
        for seed in seeds:
            total.add(run(seed))
    total.failed.sort()
    total.seconds, total.processor_seconds = time.monotonic() - began, _processor() - used
    return total


@functools.cache
def _warm() -> None:
    for seed in WARM:
        run(seed)


def _processor() -> float:
    """The seconds of a processor that this process and those that it has ended have used."""
    return sum(os.times()[:4])


def _apart(seeds: Sequence[int], workers: int) -> Iterator[Report]:
    """The reports of ``seeds``. They are played in forks of this process, which have imported and prepared everything,
    play a few worlds each, and end without taking them apart."""
    fork = multiprocessing.get_context("fork")
    chunks = iter([seeds[first : first + CHUNK] for first in range(0, len(seeds), CHUNK)])
    running: dict[Any, Any] = {}
    while True:
        for chunk in islice(chunks, workers - len(running)):
            ours, theirs = fork.Pipe(False)
            child = running[ours] = fork.Process(target=_play_chunk, args=(chunk, theirs))
            child.start()
            theirs.close()
        if not running:
            return
        answered: Any = wait(list(running))
        for ours in answered:
            yield from ours.recv()
            running.pop(ours).join()


def _play_chunk(seeds: Sequence[int], answer: Any) -> None:
    answer.send([run(seed, tidies=False) for seed in seeds])


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
