"""Analysis by call and by lines of JSON."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet.engines import EngineError, Limits
from tercet.engines.analysis import Analysis, analyse
from tests.support.texts import any_text

START = "sanqi/4 4/5/6/7/6/5/4 F -"


def ask(*requests: Any) -> dict[Any, list[dict[str, Any]]]:
    """Answers by id."""
    found: dict[Any, list[dict[str, Any]]] = {}

    def write(text: str) -> None:
        answer = json.loads(text)
        found.setdefault(answer["id"], []).append(answer)

    lines = [request if isinstance(request, str) else json.dumps(request) for request in requests]
    Analysis(lines, write, workers=2).run()
    return found


def test_analyse() -> None:
    position = tercet.parse(START)
    info = analyse(position, Limits(nodes=200), 3, seed=1)
    assert len(info.lines) == 3
    assert info.lines[0].pv[0] in position.legal_actions
    with pytest.raises(EngineError):
        analyse(tercet.parse("sanqi/4 RR2/R1R2/1RR3/7/6/5/4 S -"))


def test_many_in_flight_are_answered_by_id() -> None:
    requests = [
        {"id": number, "position": START, "moves": ["Rd4"], "nodes": 40, "multipv": 2, "seed": 1, "level": 6}
        for number in range(12)
    ]
    answers = ask(*requests)
    assert sorted(answers) == list(range(12))
    for (answer,) in answers.values():
        assert answer["done"]
        assert answer["mover"] == 1
        assert answer["best"] == answer["lines"][0]["pv"][0]
        assert len(answer["lines"]) == 2
    assert len({answer[0]["best"] for answer in answers.values()}) == 1  # same seed, same answer


def test_a_finished_game_has_an_outcome() -> None:
    (answer,) = ask({"id": "x", "position": "sanqi/4 RR2/R1R2/1RR3/7/6/5/4 S -"})["x"]
    assert answer["outcome"]["winners"] == [0]


def test_endless_requests_can_be_stopped_and_end_with_the_lines() -> None:
    answers = ask({"id": 1, "game": "sanqi", "options": {"side": 4}, "infinite": True}, {"id": 2, "stop": 1})
    assert answers[2] == [{"id": 2, "done": True}]
    assert answers[1][-1]["done"]
    assert ask({"id": 1, "position": START, "infinite": True})[1][-1]["best"]


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
    answers = ask(request_)
    ((answer,),) = answers.values()
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
    answers = ask(request_)
    ((answer,),) = answers.values()
    assert "internal" not in answer.get("error", "")


def test_a_proved_win_has_as_many_lines_as_were_asked_for() -> None:
    position = "sanqi/4 RR2/R1R2/1R4/7/6/5/4 F -"
    (answer,) = ask({"id": 1, "position": position, "nodes": 100, "multipv": 3, "level": 8})[1]
    assert answer["lines"][0]["note"] == "win in 1"
    assert len({line["pv"][0] for line in answer["lines"]}) == 3
