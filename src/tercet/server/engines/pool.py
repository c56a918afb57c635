"""Engines for tables and for analyses: what is asked of the workers, and what is remembered for the next move."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tercet.core.game import Position
from tercet.core.view import to_json
from tercet.engines import FULL, Info
from tercet.errors import OptionError
from tercet.server.engines.main import Message, fingerprint, question
from tercet.server.engines.workers import GRACE_SECONDS, EngineQueue, Job, ProcessWorker, Report, ThreadWorker, Worker
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import counted
from tercet.server.limits.share import FairShare
from tercet.server.limits.spenders import Bounded

MOVE_SECONDS = 120.0  # for a move, whatever its level: what takes longer is ended
EXPLORE_SECONDS = 10.0
HINT_SECONDS = 1.0  # of thought
MAX_WAITING = 8  # explorations of a person and engine moves at their tables, before the next is refused
ANALYSIS_NICENESS = 6  # how nice analyses are: a little more than moves; much more, and a busy machine starves them
ANALYSIS_TURN_SECONDS = 10.0  # after which an analysis ends if others wait for one
MAX_PLANS = 2000  # turns planned and not yet played to their end
MAX_SUGGESTIONS = 500  # positions


NOTHING_YET: Message = to_json(Info())


def progress(info: dict[str, Any]) -> tuple[dict[str, Any], dict[str, int] | None]:
    """Return how far thinking has come, for a client, and how far preparing (None: it is done)."""
    preparing = info.get("preparing")
    return info if preparing is None else NOTHING_YET, preparing


def named_engines(text: str | None) -> int | None:
    """Return how many engines ``TERCET_ENGINES`` asks for; None where it does not say. OptionError."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text) <= 256):
        raise OptionError("TERCET_ENGINES", "TERCET_ENGINES must be a number of processes from 0 to 256.")
    return int(text)


@dataclass(eq=False)
class _Running:
    """An analysis of a ``share``, which ``stop`` ends."""

    share: str
    stop: threading.Event
    began: float = field(default_factory=time.monotonic)


class EnginePool:
    """Engines for tables, and ``analyses`` beside them, so that analyses never delay an engine's move.

    ``workers`` processes (None: half of the processors, at least two) play and explore; as many others as there may be
    ``analyses`` analyse. They start when needed and stop after a while without work. With 0 workers, threads of this
    process do it all, which saves memory but stops less reliably. Shares of ``fair_share`` take turns, those first that
    have used the fewest seconds lately, and no one has all of several workers.
    """

    def __init__(self, fair_share: FairShare, workers: int | None = None) -> None:
        if workers is None:
            workers = max(2, (os.cpu_count() or 2) // 2)
        make: Callable[[], Worker] = ProcessWorker if workers else ThreadWorker
        patient = functools.partial(ProcessWorker, ANALYSIS_NICENESS) if workers else ThreadWorker
        size = workers or max(2, os.cpu_count() or 2)
        limits, used = fair_share.limits, fair_share.budgets.used
        self._moves = EngineQueue("move", size, make, max(1, size - 1), used, ahead=workers > 0)
        self._analyses = EngineQueue("analysis", limits.analyses, patient, limits.analyses_each, used)
        self._fair_share = fair_share
        self._spenders = fair_share.spenders
        self._analysing: Counter[str] = Counter()
        self._analyses_running: set[_Running] = set()
        self._plans: Bounded[str, dict[str, tuple[str, dict[str, Any]]]] = Bounded(MAX_PLANS)
        self._suggested: Bounded[Position, list[str]] = Bounded(MAX_SUGGESTIONS)
        self._ended: list[Worker] = []

    def close(self) -> None:
        """Accept no more work, and cancel the work in progress."""
        self._ended = self._moves.close() + self._analyses.close()

    async def ended(self) -> None:
        """Wait, after :meth:`close`, until no process is left."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5):
                for worker in self._ended:
                    await worker.ended()

    @property
    def waiting(self) -> dict[str, int]:
        """Return how many tasks of each kind are waiting."""
        return {"move": len(self._moves.queue), "analysis": len(self._analyses.queue)}

    @property
    def working(self) -> dict[str, int]:
        """Return how many workers are busy, by the kind of their task."""
        return {"move": len(self._moves.working), "analysis": len(self._analyses.working)}

    def forget(self, owner: str) -> None:
        """Drop the owner's engines and plans."""
        self._plans.pop(owner, None)
        self._moves.forget(owner)
        self._analyses.forget(owner)

    async def move(
        self,
        owner: str,
        position: Position,
        strength: int,
        stop: threading.Event,
        report: Report,
        person: str | None = None,
    ) -> str:
        """Return the action of an engine of level ``strength``; "" if it was stopped before it began. What
        ``owner``'s engine learnt is kept for its next move, and the turn it planned is played; ``report`` gets the
        progress. The turn taken is ``person``'s (None: the owner's). Raise ApiError if it fails."""
        asker = person or owner.split(" ")[0]
        person = self._spenders.of(asker).share
        ahead = self._plans.get(owner, {}).pop(fingerprint(position), None)
        if ahead is not None:
            report(ahead[1])
            return ahead[0]
        asked = question(position, strength, None, 1)
        answer = await self._ask(self._moves, asker, Job(person, owner, asked, stop, report, MOVE_SECONDS))
        self._plans.pop(owner, None)
        if answer is None:
            return ""
        if answer["ahead"]:
            self._plans[owner] = answer["ahead"]
        return str(answer["best"])

    async def analyse(
        self,
        owner: str,
        position: Position,
        lines: int,
        seconds: float,
        stop: threading.Event,
        report: Report,
        person: str | None = None,
    ) -> str:
        """Think about ``position`` at full strength for at most so many seconds, and report the best ``lines``. Return
        the best action; "" if it was stopped before it began. Raise ApiError if too many analyses run, of all people or
        of ``person`` (None: the owner), or if it fails."""
        asker = person or owner
        person = self._spenders.of(asker).share
        if self._analysing[person] >= self._analyses.queue.most:
            why = f"You can run at most {self._analyses.queue.most} analyses at once. Stop one first."
            raise ApiError("too-many", "analysis", why)
        if len(self._going()) >= self._analyses.size:
            self._make_room(person)
        with counted(self._analysing, person), self._running(person, stop):
            asked = question(position, FULL, seconds, lines, lengthened=True)
            job = Job(person, owner, asked, stop, report, 1.5 * seconds + GRACE_SECONDS)
            answer = await self._ask(self._analyses, asker, job)
        return "" if answer is None else str(answer["best"])

    @contextlib.contextmanager
    def _running(self, share: str, stop: threading.Event) -> Iterator[None]:
        """Let an analysis of ``share`` be one of those that may have to make room."""
        running = _Running(share, stop)
        self._analyses_running.add(running)
        try:
            yield
        finally:
            self._analyses_running.discard(running)

    def _going(self) -> list[_Running]:
        """Return the analyses that were not stopped, those that began first first."""
        going = (one for one in self._analyses_running if not one.stop.is_set())
        return sorted(going, key=lambda one: one.began)

    def _make_room(self, share: str) -> None:
        """Stop an analysis so that ``share`` can have one: the latest of those who have more, else the oldest if it had
        its turn. Raise ApiError if there is none."""
        going = self._going()
        having = Counter(one.share for one in going)
        long_ago = time.monotonic() - ANALYSIS_TURN_SECONDS
        more = [one for one in going if having[one.share] > having[share] + 1]
        old = [one for one in going if having[one.share] > having[share] and one.began <= long_ago]
        if not more and not old:
            raise ApiError("too-many", "analysis", "The server is busy with other analyses. Try again in a moment.")
        (more[-1] if more else old[0]).stop.set()

    async def suggest(self, position: Position, person: str) -> list[str]:
        """Return the actions of an engine at full strength for the rest of the turn, after a moment's thought, for a
        person: if the position was asked about lately, or is on the way of that turn, the same, so that all hints are
        about the same turn. Raise ApiError if too many of their questions wait already, or it fails."""
        known = self._suggested.recent(position)
        if known is None:
            owner = f"adviser {person}"
            answer = await self._question(question(position, FULL, HINT_SECONDS, 1), owner, person, MOVE_SECONDS)
            self._moves.forget(owner)
            known = [str(answer["best"]), *(str(action) for action, _ in answer["ahead"].values())]
            for number, action in enumerate(known):
                self._suggested[position] = known[number:]
                position = position.play(action)
        return known

    async def explore(self, position: str, exploration: str, cell: str | None, person: str) -> Message:
        """Return what an exploration finds out about the position of that position string. Raise ApiError if the
        question makes no sense, or takes too long to answer."""
        asked = {"do": "explore", "position": position, "id": exploration, "cell": cell}
        return await self._question(asked, f"explorer {person}", person, EXPLORE_SECONDS)

    async def _question(self, question: Message, owner: str, person: str, seconds: float) -> Message:
        """Return the answer to a person's question outside their games, which stops once no client waits for it."""
        share = self._spenders.of(person).share
        if self._moves.queue.waiting(share) >= MAX_WAITING:
            why = "Too many of your questions are already waiting. Wait for an answer first."
            raise ApiError("too-many", "exploration", why, retry=2)
        job = Job(share, owner, question, threading.Event(), lambda _info: None, seconds)
        try:
            answer = await self._ask(self._moves, person, job)
        finally:
            job.stop.set()
        if answer is None:
            raise ApiError("unavailable", "server", "The server is shutting down. Try again in a moment.")
        return answer

    async def _ask(self, pool: EngineQueue, person: str, job: Job) -> Message | None:
        """Return the answer to ``job``, charged to ``person``; None if it was stopped before it began."""
        job.question["owner"] = job.owner
        job.charge = functools.partial(self._fair_share.think, person)
        return await pool.ask(job)
