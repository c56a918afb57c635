"""``tercet simulate``: many seeds, what came of them, and the shortest story of one that fails."""

import functools
import multiprocessing
import os
import re
import sys
import time
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from multiprocessing.connection import wait
from typing import Any

from tercet.errors import TercetError
from tests.simulation.plan import Plan
from tests.simulation.scene import Report, simulate

TRIES = 60  # plans that are played to make one shorter
CHUNK = 16  # seeds that one process plays
BRANCHES = 8  # at each moment of a run that failed
MOMENTS = 8  # seconds, spread evenly, of which it is told how many branches fail
HALVINGS = 6  # of the time between two of them
AROUND = 6  # events that are told before and after the failure became certain
WARM = (7, 13, 15, 21, 33, 56)  # seeds in which most of what is made at its first use is used


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
        less: dict[str, Any] = {"breaks": 0.0, "watchers": 0, "engine": None, "sleeper": None, "opened": False}
        less["long"] = max(2, table.long // 2)
        for name, value in less.items():
            if (shorter := replace(table, **{name: value})) != table:
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
            warm()
        for report in apart([functools.partial(run, seed, tidies=False) for seed in seeds], workers):
            total.add(report)
    else:
        for seed in seeds:
            total.add(run(seed))
    total.failed.sort()
    total.seconds, total.processor_seconds = time.monotonic() - began, _processor() - used
    return total


@functools.cache
def warm() -> None:
    for seed in WARM:
        run(seed)


def _processor() -> float:
    """The seconds of a processor that this process and those that it has ended have used."""
    return sum(os.times()[:4])


def apart(runs: Sequence[Callable[[], Any]], workers: int) -> Iterator[Any]:
    """What ``runs`` return, in any order. They are played in forks of this process, which have imported and prepared
    everything, play a few worlds each, and end without taking them apart."""
    fork = multiprocessing.get_context("fork")
    chunks = iter([runs[first : first + CHUNK] for first in range(0, len(runs), CHUNK)])
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


def _play_chunk(runs: Sequence[Callable[[], Any]], answer: Any) -> None:
    answer.send([play() for play in runs])


@dataclass(frozen=True)
class Cause:
    """When a run's failure became certain: of :data:`BRANCHES` worlds that are as the ``report``'s until a second and
    then have other delays and choices, ``fails`` says how many fail as it does. All do from ``until`` on, some other
    end is still possible at ``since`` (both are None where even the last moment leaves one)."""

    report: Report
    fails: dict[float, int]
    since: float | None
    until: float | None

    def __str__(self) -> str:
        lines = [str(self.report.plan)]
        lines += [f"  from {at:7.3f} s on {fails} of {BRANCHES} fail" for at, fails in sorted(self.fails.items())]
        if self.since is None or self.until is None:
            return "\n".join([*lines, "It was never certain before it happened."])
        if self.until == 0:
            return "\n".join([*lines, "It was certain from the beginning: the plan alone decides it."])
        events = [(at, what) for at, what in self.report.lines if not what.startswith("***")]
        times = [at for at, _ in events]
        near = events[max(0, bisect_left(times, self.since) - AROUND) : bisect_right(times, self.until) + AROUND]
        lines.append(f"It became certain between {self.since:.3f} and {self.until:.3f} s:")
        lines += [f"  {at:8.3f} s  {what}" for at, what in near]
        return "\n".join([*lines, *(f"  {'':10}  *** {what}" for what in self.report.violations[:1])])


def cause(plan: Plan, workers: int = 1, moments: int = MOMENTS, halvings: int = HALVINGS) -> Cause:
    """Find out when the failure of ``plan`` became certain: at some ``moments`` spread evenly, then by ``halvings`` of
    the time in which it did. ValueError if it does not fail."""
    report = simulate(plan)
    if not report.violations:
        raise ValueError(f"Seed {plan.seed} does not fail.")
    kind = _kind(report)
    end = next(at for at, what in report.lines if what.startswith("***"))
    shown = [end * part / moments for part in range(moments + 1)]
    fails = _failing(plan, kind, shown, workers)
    possible = [number for number, at in enumerate(shown) if fails[at] < BRANCHES]
    if not possible:
        return Cause(report, fails, 0.0, 0.0)
    if possible[-1] == moments:
        return Cause(report, fails, None, None)
    since, until = shown[possible[-1]], shown[possible[-1] + 1]
    for _ in range(halvings):
        middle = (since + until) / 2
        fails |= _failing(plan, kind, [middle], workers)
        since, until = (since, middle) if fails[middle] == BRANCHES else (middle, until)
    return Cause(report, fails, since, until)


def _failing(plan: Plan, kind: str, moments: Sequence[float], workers: int) -> dict[float, int]:
    """How many branches at each of ``moments`` fail as ``kind`` says."""
    runs = [functools.partial(_branch, plan, at, number) for at in moments for number in range(BRANCHES)]
    reports = apart(runs, workers) if hasattr(os, "fork") else (play() for play in runs)
    failed = Counter(one.branch[0] for one in reports if one.branch is not None and _kind(one) == kind)
    return {at: failed[at] for at in moments}


def _branch(plan: Plan, at: float, number: int) -> Report:
    """The report of a branch, without its story."""
    found = simulate(plan, False, (at, number))
    found.story.clear()
    return found


def main(first: int, seeds: int, workers: int, shows: bool = False, of: int | None = None) -> None:
    """Play so many seeds from ``first`` on and print what came of them; exit with 1 where one fails. With ``shows``
    print the story of each, with the seed ``of`` a failure when that became certain."""
    if of is not None:
        try:
            print(cause(Plan.of(of), workers))
        except ValueError as error:
            raise TercetError(str(error)) from None
        return
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
