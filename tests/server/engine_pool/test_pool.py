"""Engines in a pool: taking turns, stopping, dying."""

import asyncio
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import tercet
from tercet.engines import level
from tercet.errors import OptionError
from tercet.server.engines import main, pool
from tercet.server.engines.pool import EnginePool, named_engines
from tercet.server.engines.workers import MAX_ATTEMPTS, ProcessWorker, WorkerDied
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import Budgets, Exchange, ServerLimits
from tercet.server.limits.queue import FairQueue, WorkApart
from tercet.server.limits.share import FairShare
from tercet.server.limits.spenders import Spender
from tests.support.limits import OPEN
from tests.support.waiting import until_async

pytestmark = pytest.mark.online  # each test starts processes, which die

UNWATCHED: dict[str, Any] = {"stop": threading.Event(), "report": lambda _info: None}
Answer = asyncio.Future[str]


@asynccontextmanager
async def engines(workers: int = 1) -> AsyncIterator[EnginePool]:
    thinking = EnginePool(FairShare(OPEN), workers)
    try:
        yield thinking
    finally:
        thinking.close()
        await thinking.ended()


def move(crew: EnginePool, position: tercet.Position, strength: int = 1, owner: str = "table 0", **how: Any) -> Answer:
    return asyncio.ensure_future(crew.move(owner, position, strength, **UNWATCHED | how))


def analyse(crew: EnginePool, position: tercet.Position, seconds: float = 600, owner: str = "a", **how: Any) -> Answer:
    return asyncio.ensure_future(crew.analyse(owner, position, seconds=seconds, **UNWATCHED | {"lines": 1} | how))


@pytest.fixture
def position() -> tercet.Position:
    return tercet.game("sanqi").start()


def workers_of(thinking: EnginePool) -> set[int]:
    """The processes that are there for it, by number."""
    hands = [hand for crew in (thinking._moves, thinking._analyses) for hand in (*crew.idle, *crew.working)]
    alive = [hand for hand in hands if isinstance(hand, ProcessWorker) and not hand._gone]
    return {hand.process.pid for hand in alive if hand.process is not None}


def kill(workers: set[int]) -> None:
    for worker in workers:
        os.kill(worker, signal.SIGKILL)


def test_people_take_turns_and_what_waits_can_be_dropped() -> None:
    queue: FairQueue[str] = FairQueue(3)
    for number in range(4):
        queue.put("many", f"many {number}")
    queue.put("one", "one 0")
    assert [queue.take() for _ in range(3)] == [("many", "many 0"), ("one", "one 0"), ("many", "many 1")]
    queue.put("late", "late 0")
    assert [queue.take() for _ in range(2)] == [("late", "late 0"), ("many", "many 2")]
    assert (queue.take(), len(queue)) == (None, 1)  # three of one person's are at work
    queue.done("many")
    queue.put("many", "again", again=True)
    assert queue.take() == ("many", "again")
    queue = FairQueue(1)
    for what in "xy":
        queue.put("a", what)
    assert [queue.drop(who, "x") for who in "aab"] == [True, False, False]
    assert (queue.take(), list(queue)) == (("a", "y"), [])


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("name", tercet.games())
async def test_an_engine_moves_and_reports(name: str, workers: int) -> None:
    position = tercet.game(name).start()
    heard: list[dict[str, Any]] = []
    async with engines(workers) as thinking:
        best = await move(thinking, position, 3, report=heard.append)
    assert position.action(best) in position.legal_actions
    assert heard[-1]["lines"][0]["pv"][0] == best


async def test_a_planned_turn_is_played_though_its_planner_is_dead() -> None:
    position = tercet.game("sparklies").start()
    mover, played = position.mover, 0
    async with engines() as thinking:
        while position.mover == mover and not position.is_over:
            position = position.play(await move(thinking, position, 2))
            played += 1
            if thinking._plans:
                kill(workers_of(thinking))
                await until_async(lambda: all(getattr(hand, "_gone", False) for hand in thinking._moves.idle))
                thinking._moves._make = lambda: pytest.fail("the turn is thought about anew")
    assert played > 1


async def test_the_work_of_a_worker_that_dies_is_done_again(position: tercet.Position) -> None:
    heard: list[dict[str, Any]] = []
    async with engines() as thinking:
        await move(thinking, position)
        before = workers_of(thinking)
        moving = move(thinking, position, 10, stop=threading.Event(), report=heard.append)
        await until_async(lambda: heard)
        kill(before)
        assert await moving
        assert [len(one) for one in (before, workers_of(thinking) - before)] == [1, 1]


@pytest.mark.server_errors("processes died of the same work")
async def test_work_that_kills_workers_is_given_up(position: tercet.Position) -> None:
    async with engines() as thinking:
        failed = pytest.raises(ApiError, match="The engine failed")
        with mock.patch.object(ProcessWorker, "do", side_effect=WorkerDied) as tried, failed:
            await move(thinking, position)
    assert tried.call_count == MAX_ATTEMPTS


@pytest.mark.parametrize("workers", [0, 1])
async def test_thinking_stops(workers: int, position: tercet.Position) -> None:
    stop, other = threading.Event(), threading.Event()
    heard: list[dict[str, Any]] = []
    async with engines(workers) as thinking:
        going = analyse(thinking, position, stop=stop, report=heard.append)
        await until_async(lambda: heard)
        waiting = move(thinking, position, stop=other, report=heard.append)
        began = time.monotonic()
        other.set()
        stop.set()
        assert position.action(await going) in position.legal_actions
        assert await waiting == ""
        assert time.monotonic() - began < 60  # of 600


async def test_what_waits_stops_without_having_begun(position: tercet.Position) -> None:
    stop, later = threading.Event(), threading.Event()
    heard: list[dict[str, Any]] = []
    async with engines() as thinking:
        going = move(thinking, position, 10, "a", stop=stop, report=heard.append)
        await until_async(lambda: heard)
        waiting = move(thinking, position, 10, "b", stop=later)
        await asyncio.sleep(0)
        assert thinking.waiting["move"] == 1
        later.set()
        assert await waiting == ""
        assert not going.done()
        stop.set()
        await going


async def test_what_takes_too_long_is_ended(position: tercet.Position, monkeypatch: pytest.MonkeyPatch) -> None:
    async with engines() as thinking:
        await move(thinking, position)
        monkeypatch.setattr(pool, "MOVE_SECONDS", 0.2)
        with pytest.raises(ApiError, match="too long"):
            await move(thinking, position, 10)
        monkeypatch.setattr(pool, "MOVE_SECONDS", 60.0)
        assert await move(thinking, position)


async def test_what_an_engine_takes_to_be_made_counts_for_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine that may be seconds, and it is not the fault of who asked."""

    def slowly(*how: Any) -> Any:
        time.sleep(1.0)
        return level(*how)

    monkeypatch.setattr(main, "level", slowly)
    monkeypatch.setattr(pool, "GRACE_SECONDS", 0.3)
    async with engines(0) as thinking:
        assert await analyse(thinking, tercet.game("sanqi", side=4).start(), 0.1)


async def test_what_a_process_takes_to_begin_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy server refused a long record, because importing what reads records took too long."""
    (tmp_path / "slow_module.py").write_text("import time\ntime.sleep(3.0)\n\ndef same(text): return text\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    same = importlib.import_module("slow_module").same

    with closing(WorkApart(Budgets(ServerLimits(), Exchange()), seconds=2.0)) as apart:
        assert await apart.run(same, {"text": "read"}, Spender(None, "anna")) == '"read"'


async def test_explorations_answer_and_refuse() -> None:
    sparklies = str(tercet.game("sparklies").start())
    async with engines() as thinking:
        assert (await thinking.explore(sparklies, "danger", None, "me"))["text"].startswith("At risk")
        with pytest.raises(ApiError) as caught:
            await thinking.explore(sparklies, "danger", "a1", "me")
    assert (caught.value.code, caught.value.where) == ("bad-message", "cell")


async def test_an_analysis_of_the_largest_board_shows_lines_and_can_be_stopped() -> None:
    """It took 22 seconds to prepare, showed nothing, and went on after it was stopped."""
    position = tercet.game("sanqi", side=30).start()
    told: list[dict[str, Any]] = []
    stop = threading.Event()
    async with engines() as thinking:
        assert await analyse(thinking, position, 1, report=told.append, lines=3)
        assert [len(one["lines"]) for one in told if "preparing" not in one][-1] == 3
        going = analyse(thinking, position, stop=stop, report=told.append, lines=3)
        told.clear()
        await until_async(lambda: told)
        stop.set()
        assert await going


async def test_analyses_leave_processors_to_moves(position: tercet.Position) -> None:
    """Whoever analyses ends when his time is up; whoever plays waits for his engine."""
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    async with engines() as thinking:
        await move(thinking, position)
        (mover,) = workers_of(thinking)
        await analyse(thinking, position, 0.01)
        (analyst,) = workers_of(thinking) - {mover}
        assert os.getpriority(os.PRIO_PROCESS, mover) == min(19, ours + 5)
        assert os.getpriority(os.PRIO_PROCESS, analyst) == min(19, ours + 6)


async def test_a_tree_is_asked_again_where_it_grew(position: tercet.Position) -> None:
    async with engines(2) as thinking:
        await asyncio.gather(*(move(thinking, position, 10, owner=f"{n} 0", person=f"p{n}") for n in (1, 2)))
        first, second = (next(h for h in thinking._moves.idle if f"{n} 0" in h.owners) for n in (1, 2))
        assert first is not second
        for n, hand in ((2, second), (1, first)):
            moving = move(thinking, position, 10, owner=f"{n} 0")
            await asyncio.sleep(0)
            assert list(thinking._moves.working) == [hand]
            await moving
        thinking.forget("1 0")
        assert "1 0" not in first.owners


async def test_where_several_ask_one_more_is_ready_before_it_is_needed() -> None:
    position = tercet.game("sanqi", side=4).start()
    async with engines(2) as thinking:
        for people, starts in ((("anna", "anna"), False), (("anna", "ben"), True)):
            await move(thinking, position, owner=people[0], person=people[0])
            asking = move(thinking, position, 10, owner=people[1], person=people[1])
            await asyncio.sleep(0)
            assert (thinking._moves._starting is not None) == starts
            await asking
        await until_async(lambda: len(thinking._moves.idle) == 2)


def test_the_question_carries_the_whole_position() -> None:
    for name in tercet.games():
        position = tercet.game(name).start()
        for _ in range(5):
            position = position.play(position.legal_actions[0])
        assert main._position(main.question(position, 1, None, 1)).key() == position.key()


async def test_the_number_of_engines_is_checked_and_nothing_is_left_of_them(position: tercet.Position) -> None:
    assert named_engines(None) is named_engines("") is None
    assert named_engines("0") == 0
    for wrong in ("-1", "many", "1000", "１"):
        with pytest.raises(OptionError):
            named_engines(wrong)
    async with engines() as thinking:
        await move(thinking, position)
        (worker,) = workers_of(thinking)
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


async def test_stopping_while_the_worker_starts(position: tercet.Position) -> None:
    stop = threading.Event()
    async with engines() as thinking:
        going = analyse(thinking, position, stop=stop, report=lambda _info: pytest.fail("it thinks"))
        await until_async(lambda: workers_of(thinking))
        stop.set()
        assert await going == ""


def test_a_worker_loads_nothing_of_the_web() -> None:
    """It would take a second of a processor, and 40 MB, of every engine's process (found by profiling a first move)."""
    told = "import sys, tercet.server.engines.main; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout.split()
    assert not {"fastapi", "sqlalchemy", "pydantic", "httpx"} & {*loaded}
