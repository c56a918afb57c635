"""The political meter, for the decisions of a game that an engine has looked at."""

from typing import Any


def test_the_action_played_has_scores(server: Any) -> None:
    ask = {"decisions": [{"mover": 0, "scores": {"a": [0, 0.8, 0.2]}, "played": "b"}]}
    answer = server.http.post("/api/politics", json=ask)
    assert answer.status_code == 400
    assert answer.json()["error"]["why"] == "The scores must name the action that was played."
    ask["decisions"][0]["scores"] = {"b": [0, 0.8]}
    assert server.http.post("/api/politics", json=ask).status_code == 400
