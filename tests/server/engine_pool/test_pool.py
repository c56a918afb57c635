"""Engines in a pool: taking turns, stopping, dying."""

import asyncio
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

import tercet
from tercet.engines import Engine, level
from tercet.errors import OptionError
from tercet.server.engines import main, pool
from tercet.server.engines.main import question
from tercet.server.engines.pool import EnginePool, named_engines
from tercet.server.engines.workers import MAX_ATTEMPTS, ProcessWorker, Worker, WorkerDied
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import Budgets, Exchange, ServerLimits
from tercet.server.limits.queue import FairQueue, WorkApart
from tercet.server.limits.share import FairShare
from tercet.server.limits.spenders import Spender
from tests.support.limits import OPEN
from tests.support.waiting import until_async

pytestmark = pytest.mark.online  # each test starts processes, which die

T = TypeVar("T")
NEVER_STOPPED = threading.Event()


def ignore(_info: dict[str, Any] | None) -> None:
    pass


def run(work: Callable[[EnginePool], Awaitable[T]], workers: int = 1, **how: Any) -> T:
    async def whole() -> T:
        thinking = EnginePool(FairShare(replace(OPEN, **how)), workers)
        try:
            return await work(thinking)
        finally:
            thinking.close()
            await thinking.ended()

    return asyncio.run(whole())


def workers_of(thinking: EnginePool) -> set[int]:
    """The processes that are there for it, by number."""
    hands = [hand for crew in (thinking._moves, thinking._analyses) for hand in (*crew.idle, *crew.working)]
    alive = [hand for hand in hands if isinstance(hand, ProcessWorker) and not hand._gone]
    return {hand.process.pid for hand in alive if hand.process is not None}


def test_people_take_turns_and_what_waits_can_be_dropped() -> None:
    queue: FairQueue[str] = FairQueue(3)
    for number in range(4):
        queue.put("many", f"many {number}")
    queue.put("one", "one 0")
    assert [queue.take() for _ in range(3)] == [("many", "many 0"), ("one", "one 0"), ("many", "many 1")]
    queue.put("late", "late 0")
    assert queue.take() == ("late", "late 0")
    assert queue.take() == ("many", "many 2")
    assert queue.take() is None  # three of one person's are at work
    assert len(queue) == 1
    queue.done("many")
    queue.put("many", "again", again=True)
    assert queue.take() == ("many", "again")
    queue = FairQueue(1)
    queue.put("a", "x")
    queue.put("a", "y")
    assert queue.drop("a", "x")
    assert not queue.drop("a", "x")
    assert not queue.drop("b", "x")
    assert queue.take() == ("a", "y")
    assert list(queue) == []


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("name", tercet.games())
def test_an_engine_moves_and_reports(name: str, workers: int) -> None:
    position = tercet.game(name).start()
    heard: list[dict[str, Any] | None] = []

    async def work(thinking: EnginePool) -> str:
        return await thinking.move("table 0", position, 3, NEVER_STOPPED, heard.append)

    best = run(work, workers)
    assert position.action(best) in position.legal_actions
    assert heard[-1] is not None
    assert heard[-1]["lines"][0]["pv"][0] == best


def test_a_planned_turn_is_played_though_its_planner_is_dead() -> None:
    position = tercet.game("sparklies").start()
    mover = position.mover

    async def work(thinking: EnginePool) -> list[str]:
        nonlocal position
        played = []
        while position.mover == mover and not position.is_over:
            best = await thinking.move("table 0", position, 2, NEVER_STOPPED, ignore)
            played.append(best)
            position = position.play(best)
            if thinking._plans:
                for child in workers_of(thinking):
                    os.kill(child, signal.SIGKILL)
                await until_async(
                    lambda: all(isinstance(hand, ProcessWorker) and hand._gone for hand in thinking._moves.idle)
                )
                thinking._moves._make = lambda: pytest.fail("the turn is thought about anew")
        return played

    assert len(run(work)) > 1


def test_the_work_of_a_worker_that_dies_is_done_again() -> None:
    position = tercet.game("sanqi").start()

    async def work(thinking: EnginePool) -> tuple[str, set[int], set[int]]:
        await thinking.move("table 0", position, 1, NEVER_STOPPED, ignore)
        before = workers_of(thinking)
        stop = threading.Event()
        heard: list[dict[str, Any] | None] = []
        moving = asyncio.ensure_future(thinking.move("table 0", position, 10, stop, heard.append))
        await until_async(lambda: heard)
        for child in before:
            os.kill(child, signal.SIGKILL)
        return await moving, before, workers_of(thinking)

    best, before, after = run(work)
    assert best
    assert len(before) == len(after) == 1
    assert not before & after


@pytest.mark.server_errors("processes died of the same work")
def test_work_that_kills_workers_is_given_up() -> None:
    tried = 0

    class Doomed(ProcessWorker):
        async def do(self, *_how: Any) -> dict[str, Any]:
            nonlocal tried
            tried += 1
            raise WorkerDied

    async def work(thinking: EnginePool) -> None:
        thinking._moves._make = Doomed
        with pytest.raises(ApiError, match="The engine failed"):
            await thinking.move("table 0", tercet.game("sanqi").start(), 1, NEVER_STOPPED, ignore)

    run(work)
    assert tried == MAX_ATTEMPTS


@pytest.mark.parametrize("workers", [0, 1])
def test_thinking_stops(workers: int) -> None:
    position = tercet.game("sanqi").start()

    async def work(thinking: EnginePool) -> tuple[str, str, float]:
        stop, other = threading.Event(), threading.Event()
        heard: list[dict[str, Any] | None] = []
        going = asyncio.ensure_future(thinking.analyse("a", position, 1, 600, stop, heard.append))
        await until_async(lambda: heard)
        waiting = asyncio.ensure_future(thinking.move("b", position, 1, other, heard.append))
        began = time.monotonic()
        other.set()
        stop.set()
        return await going, await waiting, time.monotonic() - began

    best, waited, seconds = run(work, workers)
    assert position.action(best) in position.legal_actions
    assert waited == ""
    assert seconds < 60  # of 600


def test_what_waits_stops_without_having_begun() -> None:
    position = tercet.game("sanqi").start()

    async def work(thinking: EnginePool) -> str:
        stop, heard = threading.Event(), []  # type: ignore[var-annotated]
        going = asyncio.ensure_future(thinking.move("a", position, 10, stop, heard.append))
        await until_async(lambda: heard)
        later = threading.Event()
        waiting = asyncio.ensure_future(thinking.move("b", position, 10, later, ignore))
        await asyncio.sleep(0)
        assert thinking.waiting["move"] == 1
        later.set()
        found = await waiting
        assert not going.done()
        stop.set()
        await going
        return found

    assert run(work) == ""


def test_what_takes_too_long_is_ended_and_its_worker_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    position = tercet.game("sanqi").start()

    async def work(thinking: EnginePool) -> str:
        await thinking.move("a", position, 1, NEVER_STOPPED, ignore)
        monkeypatch.setattr(pool, "MOVE_SECONDS", 0.2)
        with pytest.raises(ApiError, match="too long"):
            await thinking.move("a", position, 10, NEVER_STOPPED, ignore)
        monkeypatch.setattr(pool, "MOVE_SECONDS", 60.0)
        return await thinking.move("a", position, 1, NEVER_STOPPED, ignore)

    assert run(work)


def test_what_an_engine_takes_to_be_made_counts_for_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine that may be seconds, and it is not the fault of who asked."""
    made = level

    def slowly(game: tercet.Game, strength: int) -> Engine:
        time.sleep(1.0)
        return made(game, strength)

    monkeypatch.setattr(main, "level", slowly)
    monkeypatch.setattr(pool, "GRACE_SECONDS", 0.3)
    position = tercet.game("sanqi", side=4).start()
    assert run(lambda thinking: thinking.analyse("a", position, 1, 0.1, NEVER_STOPPED, ignore), 0)


def test_what_a_process_takes_to_begin_counts_for_no_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy server refused a long record, because importing what reads records
    took too long. The passing of time is what is tested: the module takes longer than the work may."""
    (tmp_path / "slow_module.py").write_text("import time\ntime.sleep(3.0)\n\ndef same(text): return text\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    same = importlib.import_module("slow_module").same

    async def work() -> str:
        apart = WorkApart(Budgets(ServerLimits(), Exchange()), seconds=2.0)
        try:
            return await apart.run(same, {"text": "read"}, Spender(None, "anna"))
        finally:
            apart.close()

    assert asyncio.run(work()) == '"read"'


def test_explorations_answer_and_refuse() -> None:
    async def work(thinking: EnginePool) -> None:
        position = tercet.game("sparklies").start()
        found = await thinking.explore(str(position), "danger", None, "me")
        assert found["text"].startswith("At risk")
        for exploration, cell, where in (("nonsense", None, "id"), ("danger", "a1", "cell")):
            with pytest.raises(ApiError) as caught:
                await thinking.explore(str(position), exploration, cell, "me")
            assert (caught.value.code, caught.value.where) == ("bad-message", where)
        with pytest.raises(ApiError) as caught:
            await thinking.explore("sanqi/99 nonsense", "danger", None, "me")
        assert caught.value.code in ("bad-position", "bad-option")

    run(work)


def test_analyses_are_limited_for_each_and_for_all() -> None:
    position = tercet.game("sanqi").start()

    async def work(thinking: EnginePool) -> None:
        stops = [threading.Event() for _ in range(5)]
        going = [
            asyncio.ensure_future(thinking.analyse(f"{person} {n}", position, 1, 600, stop, ignore, person))
            for (person, n), stop in zip((("a", 1), ("a", 2), ("b", 1)), stops, strict=False)
        ]
        await asyncio.sleep(0)
        with pytest.raises(ApiError, match="You can run at most 2 analyses at once"):
            await thinking.analyse("a 3", position, 1, 1, NEVER_STOPPED, ignore, "a")
        going.append(asyncio.ensure_future(thinking.analyse("c", position, 1, 600, stops[3], ignore, "c")))
        await asyncio.sleep(0)
        going.append(asyncio.ensure_future(thinking.analyse("d", position, 1, 600, stops[4], ignore, "d")))
        await asyncio.sleep(0)  # in the place of one of a's
        assert [stop.is_set() for stop in stops] == [False, True, False, False, False]
        with pytest.raises(ApiError, match="The server is busy with other analyses"):
            await thinking.analyse("e", position, 1, 1, NEVER_STOPPED, ignore, "e")
        for stop in stops:
            stop.set()
        await asyncio.gather(*going)
        assert await thinking.analyse("a 3", position, 1, 0.01, NEVER_STOPPED, ignore, "a")

    run(work, 0, analyses=4, analyses_each=2)


def test_an_analysis_of_the_largest_board_shows_lines_and_can_be_stopped() -> None:
    """It took 22 seconds to prepare, showed nothing, and went on after it was stopped."""
    position = tercet.game("sanqi", side=30).start()

    async def work(thinking: EnginePool) -> None:
        told: list[dict[str, Any]] = []
        assert await thinking.analyse("a", position, 3, 1, NEVER_STOPPED, told.append)
        assert [len(one["lines"]) for one in told if "preparing" not in one][-1] == 3
        stop = threading.Event()
        going = asyncio.ensure_future(thinking.analyse("a", position, 3, 600, stop, told.append))
        told.clear()
        while not told:
            await asyncio.sleep(0.01)
        stop.set()
        assert await going

    run(work, 1)


def test_analyses_leave_processors_to_moves() -> None:
    """Whoever analyses ends when his time is up; whoever plays waits for his engine."""
    position = tercet.game("sanqi").start()

    async def work(thinking: EnginePool) -> tuple[int, int]:
        await thinking.move("table 0", position, 1, NEVER_STOPPED, ignore)
        (mover,) = workers_of(thinking)
        await thinking.analyse("a", position, 1, 0.01, NEVER_STOPPED, ignore)
        (analyst,) = workers_of(thinking) - {mover}
        return os.getpriority(os.PRIO_PROCESS, mover), os.getpriority(os.PRIO_PROCESS, analyst)

    mover, analyst = run(work, 1)
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    assert mover == min(19, ours + 5)
    assert analyst == min(19, ours + 6)


def test_a_tree_is_asked_again_where_it_grew() -> None:
    game = tercet.game("sanqi")

    async def work(thinking: EnginePool) -> list[Worker]:
        both = [thinking.move(f"{n} 0", game.start(), 10, NEVER_STOPPED, ignore, f"p{n}") for n in (1, 2)]
        await asyncio.gather(*both)
        first, second = (next(h for h in thinking._moves.idle if f"{n} 0" in h.owners) for n in (1, 2))
        assert first is not second
        for n, hand in ((2, second), (1, first)):
            moving = asyncio.ensure_future(thinking.move(f"{n} 0", game.start(), 10, NEVER_STOPPED, ignore))
            await asyncio.sleep(0)
            assert list(thinking._moves.working) == [hand]
            await moving
        thinking.forget("1 0")
        assert "1 0" not in first.owners
        return [first, second]

    run(work, 2)


def test_where_several_ask_one_more_is_ready_before_it_is_needed() -> None:
    game = tercet.game("sanqi", side=4)

    async def work(thinking: EnginePool) -> tuple[int, ...]:
        async def ask(person: str, strength: int) -> str:
            return await thinking.move(person, game.start(), strength, NEVER_STOPPED, ignore, person)

        counts = []
        for people in (("anna", "anna"), ("anna", "ben")):
            await ask(people[0], 1)
            asking = asyncio.ensure_future(ask(people[1], 10))
            await asyncio.sleep(0)
            counts.append(thinking._moves._starting is not None)
            await asking
        await until_async(lambda: len(thinking._moves.idle) == 2)
        return tuple(counts)

    assert run(work, 2) == (False, True)


def test_the_question_carries_the_whole_position() -> None:
    from tercet.server.engines.main import _position

    for name in tercet.games():
        position = tercet.game(name).start()
        for _ in range(5):
            position = position.play(position.legal_actions[0])
        assert _position(question(position, 1, None, 1)).key() == position.key()


def test_the_number_of_engines_is_checked_and_nothing_is_left_when_it_is_closed() -> None:
    assert named_engines(None) is named_engines("") is None
    assert named_engines("0") == 0
    for wrong in ("-1", "many", "1000", "１"):
        with pytest.raises(OptionError):
            named_engines(wrong)

    async def work(thinking: EnginePool) -> set[int]:
        await thinking.move("a", tercet.game("sanqi").start(), 1, NEVER_STOPPED, ignore)
        return workers_of(thinking)

    (worker,) = run(work)
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def test_stopping_while_the_worker_starts() -> None:
    async def work(thinking: EnginePool) -> str:
        stop = threading.Event()
        going = asyncio.ensure_future(
            thinking.analyse("a", tercet.game("sanqi").start(), 1, 600, stop, lambda _info: pytest.fail("it thinks"))
        )
        await until_async(lambda: workers_of(thinking))
        stop.set()
        return await going

    assert run(work) == ""


def test_a_worker_loads_nothing_of_the_web() -> None:
    """It would take a second of a processor, and 40 MB, of every engine's process (found by profiling a first move)."""
    heavy = ("fastapi", "sqlalchemy", "pydantic", "httpx")
    told = "import sys, tercet.server.engines.main; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout.split()
    assert not set(heavy) & set(loaded)
