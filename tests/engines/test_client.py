"""The engine client for asyncio: programs that answer, hang, die or are interrupted; analysis by lines of JSON."""

import asyncio
import json
import shlex
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet.engines import EngineError, Limits, engine
from tercet.engines.analysis import Analysis, analyse
from tercet.engines.client import AsyncEngine, RemoteEngine, popen_ugi
from tests.support.refusals import refuses
from tests.support.texts import any_text

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
        assert (await client.play(BEGINNING, Limits(nodes=30))).action in BEGINNING.legal_actions
        info = await client.analyse(BEGINNING, Limits(nodes=200), multipv=3)
        assert [len(line.pv) > 0 for line in info.lines] == [True] * 3
        await client.configure(Level=1)
        with pytest.raises(EngineError, match="Level must be a whole number"):
            await client.configure(Level=99)
        three = tercet.game("triplicity").start()
        assert (await client.play(three, Limits(nodes=5))).action in three.legal_actions  # another game
    refuses(EngineError, "has stopped", client.engine.think, BEGINNING, Limits(nodes=1))


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
async def test_a_program_that_misbehaves_is_a_typed_error(command: str, why: str) -> None:
    with pytest.raises(EngineError, match=why):
        async with await popen_ugi(command, timeout=3, Level=1) as client:
            await client.play(BEGINNING, Limits(movetime=0.01))


async def test_a_program_that_dies_during_an_analysis_tells_whoever_reads_it() -> None:
    async def talk() -> None:
        dying = program(go="print('info depth 1 nodes 7 score 0.5 0.5 pv Rd4',flush=True); os._exit(3)")
        async with await popen_ugi(dying) as client, client.analysis(BEGINNING) as reports:
            assert (await anext(reports)).nodes == 7
            async for _ in reports:
                pass

    with pytest.raises(EngineError, match="has stopped"):
        await talk()


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
    refuses(EngineError, "does not answer", late.think, BEGINNING, Limits(movetime=0.01))
    refuses(EngineError, "has stopped", late.think, BEGINNING.play("Rd4"), Limits(movetime=0.01))


async def test_options_of_an_engine_in_this_process_are_given_where_it_is_made() -> None:
    with pytest.raises(EngineError, match="where you make it"):
        await AsyncEngine(engine("random", GAME)).configure(Level=3)


START = str(BEGINNING)
WON = "sanqi/4 RR2/R1R2/1RR3/7/6/5/4 S -"


def ask(*requests: Any) -> dict[Any, list[dict[str, Any]]]:
    found: dict[Any, list[dict[str, Any]]] = {}

    def write(text: str) -> None:
        answer = json.loads(text)
        found.setdefault(answer["id"], []).append(answer)

    lines = [request if isinstance(request, str) else json.dumps(request) for request in requests]
    Analysis(lines, write, workers=2).run()
    return found


def test_many_in_flight_are_answered_by_id() -> None:
    request = {"position": START, "moves": ["Rd4"], "nodes": 40, "multipv": 2, "seed": 1, "level": 6}
    answers = ask(*({"id": number} | request for number in range(12)))
    assert sorted(answers) == list(range(12))
    for (answer,) in answers.values():
        assert answer["done"]
        assert (answer["mover"], answer["best"], len(answer["lines"])) == (1, answer["lines"][0]["pv"][0], 2)
    assert len({answer[0]["best"] for answer in answers.values()}) == 1  # same seed, same answer
    info = analyse(BEGINNING, Limits(nodes=200), 3, seed=1)
    assert (len(info.lines), info.lines[0].pv[0] in BEGINNING.legal_actions) == (3, True)
    refuses(EngineError, None, analyse, tercet.parse(WON))


def test_endless_requests_can_be_stopped_and_finished_games_have_an_outcome() -> None:
    answers = ask({"id": 1, "game": "sanqi", "options": {"side": 4}, "infinite": True}, {"id": 2, "stop": 1})
    assert answers[2] == [{"id": 2, "done": True}]
    assert answers[1][-1]["done"]
    assert ask({"id": 1, "position": START, "infinite": True})[1][-1]["best"]
    (answer,) = ask({"id": "x", "position": WON})["x"]
    assert answer["outcome"]["winners"] == [0]
    winning = {"position": "sanqi/4 RR2/R1R2/1R4/7/6/5/4 F -", "nodes": 100, "multipv": 3, "level": 8}
    (answer,) = ask({"id": 1, **winning})[1]
    assert answer["lines"][0]["note"] == "win in 1"
    assert len({line["pv"][0] for line in answer["lines"]}) == 3


BAD = """
x
[]
{}
{"id": null}
{"id": 1}
{"id": 1, "position": 5}
{"id": 1, "position": "sanqi/4"}
{"id": 1, "game": "go"}
{"id": 1, "game": "sanqi", "options": {"side": 99}}
{"id": 1, "game": "sanqi", "x": 1}
{"id": 1, "game": "sanqi", "moves": ["Zz"]}
{"id": 1, "game": "sanqi", "moves": "Rd4"}
{"id": 1, "game": "sanqi", "nodes": -1}
{"id": 1, "game": "sanqi", "movetime": 1.5}
{"id": 1, "game": "sanqi", "infinite": "yes"}
{"id": 1, "position": "sanqi/4 4/5/6/7/6/5/4 F -", "game": "sanqi"}
{"id": 1, "stop": 7}
"""


@pytest.mark.parametrize("request_", [*BAD.split("\n")[1:-1], "[" * 5000])
def test_bad_requests_say_why(request_: str) -> None:
    ((answer,),) = ask(request_).values()
    assert answer["error"]
    assert "internal" not in answer["error"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text(8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text(6), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["id", "game", "options", "moves", "seed", "nodes", "stop", "level"]), JSON))
@settings(max_examples=150, deadline=None)
def test_any_json_gets_one_answer(request_: dict[str, Any]) -> None:
    ((answer,),) = ask(request_).values()
    assert "internal" not in answer.get("error", "")
