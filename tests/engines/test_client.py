"""The engine client for asyncio: programs that answer, hang, die or are interrupted."""

import asyncio
import shlex
import sys

import pytest

import tercet
from tercet.engines import EngineError, Limits, engine
from tercet.engines.client import AsyncEngine, RemoteEngine, popen_ugi

UGI = f"{sys.executable} -m tercet.engines.ugi"
GAME = tercet.game("sanqi", side=4)
BEGINNING = GAME.start()


def program(**answers: str) -> str:
    """A program that runs the code in ``answers`` by the first word of a line, and has the usual answers besides."""
    usual = {"ugi": "print('ugiok')", "isready": "print('readyok')", "game": "print('game')"}
    code = f"""import os, sys, time
for line in sys.stdin:
    exec({usual | answers}.get(line.split()[0], ''))
    sys.stdout.flush()"""
    return shlex.join([sys.executable, "-c", code])


async def test_a_program_plays_analyses_takes_options_and_quits() -> None:
    async with await popen_ugi(UGI, Seed=1) as client:
        assert client.name.startswith("Tercet")
        thought = await client.play(BEGINNING, Limits(nodes=30))
        assert thought.action in BEGINNING.legal_actions
        info = await client.analyse(BEGINNING, Limits(nodes=200), multipv=3)
        assert [len(line.pv) > 0 for line in info.lines] == [True] * 3
        await client.configure(Level=1)
        with pytest.raises(EngineError, match="Level must be a whole number"):
            await client.configure(Level=99)
        three = tercet.game("triplicity").start()
        assert (await client.play(three, Limits(nodes=5))).action in three.legal_actions  # another game
    with pytest.raises(EngineError, match="has stopped"):
        client.engine.think(BEGINNING, Limits(nodes=1))


@pytest.mark.parametrize("outside", [True, False])
async def test_reports_stream_until_the_block_ends(outside: bool) -> None:
    async with await popen_ugi(UGI) if outside else AsyncEngine(engine("mcts", GAME)) as client:
        async with client.analysis(BEGINNING, multipv=2) as reports:
            async for info in reports:
                if info.nodes > 100 and len(info.lines) == 2:
                    break
        async with client.analysis(BEGINNING, Limits(nodes=50)) as reports:
            assert [info async for info in reports][-1].nodes >= 50


async def test_a_cancelled_search_is_stopped_and_the_engine_goes_on() -> None:
    async with await popen_ugi(UGI) as client:
        await client.play(BEGINNING, Limits(nodes=1))
        thinking = asyncio.create_task(client.play(BEGINNING, Limits(infinite=True)))
        waiting = asyncio.create_task(client.play(BEGINNING, Limits(nodes=1)))
        await asyncio.sleep(0)
        waiting.cancel()  # before its turn
        with pytest.raises(asyncio.CancelledError):
            await waiting
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking
        assert (await client.play(BEGINNING, Limits(nodes=1))).action in BEGINNING.legal_actions


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("/nowhere/at/all", "cannot be started"),
        (program(ugi="sys.exit()"), "has stopped"),
        (program(ugi="time.sleep(60)"), "does not answer"),
        (program(setoption="print('error no such option')"), "no such option"),
        (program(go="os._exit(3)"), "has stopped"),
        (program(go="time.sleep(60)"), "does not answer"),
        (program(position="time.sleep(60)"), "does not answer"),
        (program(go="print('bestmove Zz9')"), "illegal action"),
    ],
)
def test_a_program_that_misbehaves_is_a_typed_error(command: str, why: str) -> None:
    async def talk() -> None:
        async with await popen_ugi(command, timeout=3, Level=1) as client:
            await client.play(BEGINNING, Limits(movetime=0.01))

    with pytest.raises(EngineError, match=why):
        asyncio.run(talk())


def test_a_program_that_dies_during_an_analysis_tells_whoever_reads_it() -> None:
    async def talk() -> None:
        dying = program(go="print('info depth 1 nodes 7 score 0.5 0.5 pv Rd4',flush=True); os._exit(3)")
        async with await popen_ugi(dying) as client, client.analysis(BEGINNING) as reports:
            assert (await anext(reports)).nodes == 7
            async for _ in reports:
                pass

    with pytest.raises(EngineError, match="has stopped"):
        asyncio.run(talk())


async def test_a_program_that_ignores_stop_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.engines.client.ANSWER_SECONDS", 0.2)
    deaf = program(go="print('info nodes 1 pv Rd4',flush=True); time.sleep(60)")
    async with await popen_ugi(deaf, timeout=60) as client:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.play(BEGINNING, Limits(nodes=1)), 0.2)
        with pytest.raises(EngineError, match="has stopped"):
            await client.play(BEGINNING, Limits(nodes=1))


def test_a_program_that_answers_too_late_never_answers_the_next_question() -> None:
    late = RemoteEngine(GAME, program(go="time.sleep(1); print('bestmove Rd4')"))
    late.loading = 0.2
    with pytest.raises(EngineError, match="does not answer"):
        late.think(BEGINNING, Limits(movetime=0.01))
    with pytest.raises(EngineError, match="has stopped"):
        late.think(BEGINNING.play("Rd4"), Limits(movetime=0.01))


async def test_options_of_an_engine_in_this_process_are_given_where_it_is_made() -> None:
    with pytest.raises(EngineError, match="where you make it"):
        await AsyncEngine(engine("random", GAME)).configure(Level=3)
