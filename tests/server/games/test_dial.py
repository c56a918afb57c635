"""The dial: games of two sets of options from their seeds, and what changes between them."""

import json
from typing import Any

import pytest

from tercet.answers import dial
from tercet.answers.addresses import ADDRESSES
from tercet.answers.errors import AnswerError

FAR = {"side": 4}


def test_lots_depend_on_their_numbers_alone(server: Any) -> None:
    ask = {"game": "sanqi", "options": FAR, "seed": 5, "first": 2, "lots": 3}
    found = server.http.post("/api/dial", json=ask).json()
    assert (found["players"], found["games"], len(found["lots"])) == (["First", "Second"], 16, 3)
    for first, second, draws, actions in found["lots"]:
        assert (first + second, 0 <= draws <= 1) == (1, True)
        assert actions > 5
    alone = dial.played("sanqi", FAR, seed=5, first=4)
    assert alone["lots"] == found["lots"][2:]
    assert dial.played("sanqi", FAR, seed=6, first=4)["lots"] != alone["lots"]


def test_games_of_a_level_are_counted_too() -> None:
    found = dial.played("sparklies", {"board": "3x3"}, level=1)
    assert (found["games"], len(found["lots"]), len(found["lots"][0])) == (4, 1, 4)
    assert dial.played("sparklies", {"board": "3x3"}, level=1) == found


@pytest.mark.parametrize(
    ("field", "value"), [("level", 6), ("level", -1), ("lots", 33), ("lots", 0), ("seed", -1), ("first", -1)]
)
def test_a_request_has_bounds(server: Any, field: str, value: int) -> None:
    assert server.http.post("/api/dial", json={"game": "sanqi", field: value}).status_code == 400
    with pytest.raises(AnswerError, match=f"The field {field} must be at (most|least)"):
        ADDRESSES["POST /api/dial"].read({}, "", json.dumps({"game": "sanqi", field: value}))


def test_engines_play_one_lot_a_request() -> None:
    with pytest.raises(AnswerError, match="lots must be from 1 to 1"):
        dial.played("sanqi", level=1, lots=2)


def test_equal_options_change_nothing_within_two_points(server: Any) -> None:
    half = [[0.5, 0.5, 0, 40], [0.625, 0.375, 0, 41], [0.375, 0.625, 0, 39]]
    ask = {"usual": half * 300, "changed": half * 300, "games": 16}
    found = server.http.post("/api/dial/compare", json=ask).json()
    assert found["games"] == 900 * 16
    for figure in (*found["shares"], found["draws"]):
        assert figure["verdict"] == "equivalent"
        assert -0.02 < figure["low"] <= 0 <= figure["high"] < 0.02
    assert found["actions"] == {"usual": 40, "changed": 40, "low": None, "high": None, "verdict": None}


def test_a_difference_is_higher_for_one_and_lower_for_the_other() -> None:
    usual, changed = [[0.5, 0.5, 0.0, 40.0]] * 500, [[0.75, 0.25, 0.0, 30.0]] * 600
    found = dial.compared(usual, changed, 16)
    first, second = found["shares"]
    assert (found["games"], first["verdict"], second["verdict"]) == (500 * 16, "higher", "lower")
    assert 0 < first["low"] <= 0.25 <= first["high"]
    assert (second["low"], second["high"]) == (-first["high"], -first["low"])
    assert (found["draws"]["verdict"], found["actions"]["changed"]) == ("equivalent", 30)


def test_few_games_say_nothing() -> None:
    found = dial.compared([[0.5, 0.5, 0.0, 40.0]], [[0.75, 0.25, 0.0, 30.0]], 16)
    assert {figure["verdict"] for figure in found["shares"]} == {"inconclusive"}


@pytest.mark.parametrize("changed", [[], [[0.2, 0.3, 0.5, 0.0, 30.0]], [[1.5, 0.5, 0.0, 30.0]]])
def test_lots_that_cannot_be_compared_are_refused(server: Any, changed: list[list[float]]) -> None:
    ask = {"usual": [[0.5, 0.5, 0, 40]], "changed": changed, "games": 16}
    assert server.http.post("/api/dial/compare", json=ask).status_code == 400
