"""The political meter, for the decisions of a game that an engine has looked at."""

from __future__ import annotations

from typing import Any


def test_each_decision_and_each_player_is_measured(server: Any) -> None:
    """The first player can no longer win and could shift 30 % of the point. The second gives the third 10 %."""
    spared = {"mover": 0, "scores": {"a": [0, 0.8, 0.2], "b": [0, 0.5, 0.5]}, "played": "b"}
    given = {"mover": 1, "scores": {"a": [0.1, 0.6, 0.3], "b": [0.1, 0.5, 0.4]}, "played": "b"}
    found = server.http.post("/api/politics", json={"decisions": [spared, given]}).json()
    first, second = found["decisions"]
    assert first == {"mover": 0, "leader": 1, "cost": 0, "hit": 0.15, "hopeless": True, "power": 0.3}
    assert (second["mover"], second["cost"], second["hopeless"], second["power"]) == (1, 0.1, False, 0)
    assert [player["decisions"] for player in found["players"]] == [1, 1, 0]
    assert [player["power"] for player in found["players"]] == [0.3, None, None]
    assert [player["cost"] for player in found["players"]] == [0, 0.1, None]


def test_the_action_played_has_scores(server: Any) -> None:
    ask = {"decisions": [{"mover": 0, "scores": {"a": [0, 0.8, 0.2]}, "played": "b"}]}
    answer = server.http.post("/api/politics", json=ask)
    assert answer.status_code == 400
    assert answer.json()["error"]["why"] == "The scores must name the action that was played."
    ask["decisions"][0]["scores"] = {"b": [0, 0.8]}
    assert server.http.post("/api/politics", json=ask).status_code == 400
