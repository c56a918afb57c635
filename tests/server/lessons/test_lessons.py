"""The endpoints of the lessons, and progress that is kept with the account."""

from typing import Any

import pytest

import tercet
from tercet.server.api.lessons import merged
from tests.server.conftest import Serving
from tests.server.people.browser import PASSWORD, Browser, code, rows


@pytest.mark.thorough  # compiles what proves long wins
def test_every_solution_is_accepted(server: Serving) -> None:
    listed = server.http.get("/api/lessons").json()
    assert [one["game"] for one in listed] == [name for name in tercet.games() if name in {x["game"] for x in listed}]
    for game in listed:
        for head in game["lessons"]:
            address = f"/api/lessons/{game['game']}/{head['id']}"
            lesson = server.http.get(address).json()
            assert len(lesson["steps"]) == head["steps"]
            number = head["steps"] - 1
            step = lesson["steps"][number]
            moves: list[str] = []
            for frame in server.http.get(f"{address}/{number}/solution").json()["frames"]:
                if frame["seat"] == step["player"]:
                    tried = {"moves": moves, "actions": [frame["text"]]}
                    found = server.http.post(f"{address}/{number}/try", json=tried).json()
                    moves += [one["text"] for one in found["frames"]]
            assert found["state"] == "reached", (address, number)


def test_a_wrong_try_is_answered(server: Serving) -> None:
    address = "/api/lessons/sanqi/winning"
    number = len(server.http.get(address).json()["steps"]) - 1
    found = server.http.post(f"{address}/{number}/try", json={"actions": ["Yg3"]}).json()
    assert found["state"] == "missed"
    assert [frame["seat"] for frame in found["refutation"]["frames"]] == [1]
    assert found["refutation"]["frames"][0]["view"]["outcome"]["winners"] == [1]


def refusal(server: Serving, path: str, body: dict[str, Any]) -> Any:
    return server.http.post(path, json=body).json()["error"]["code"]


def test_nonsense_gets_an_error(server: Serving) -> None:
    for step in ("nothing/placing/0", "sanqi/nothing/0", "sanqi/placing/99", "sanqi/placing/-1"):
        assert refusal(server, f"/api/lessons/{step}/try", {"actions": ["Rd4"]}) == "not-found", step
    path, unplayed = "/api/lessons/sanqi/placing/0/try", {"moves": ["Rd4"], "actions": ["Re4"]}
    assert refusal(server, path, {"actions": []}) == "bad-message"
    assert refusal(server, path, {"actions": ["Rz9"]}) == refusal(server, path, unplayed) == "illegal-action"
    path, begun = "/api/first-game", {"position": "sanqi/5 5/6/7/8/9/8/7/6/5 F -"}
    assert refusal(server, path, {"position": "nothing"}) == "bad-position"
    assert refusal(server, path, {**begun, "moves": ["Rz9"]}) == "illegal-action"
    assert refusal(server, path, {**begun, "seen": ["x"] * 101}) == refusal(server, path, {}) == "bad-message"


@pytest.mark.parametrize("game", tercet.games())
def test_advice(server: Serving, game: str) -> None:
    position = tercet.game(game).start()
    for player in range(len(position.game.players)):
        found = server.http.post("/api/advice", json={"position": str(position), "player": player}).json()
        assert found["aim"]
        assert bool(found["hint"]) == (player == position.mover)
    answer = server.http.post("/api/advice", json={"position": str(position), "player": 7})
    assert answer.json()["error"]["where"] == "player"


def test_a_first_game_shows_what_matters_and_what_one_would_regret(server: Serving) -> None:
    start = "sanqi/5 5/6/7/8/9/8/7/6/5 F -"
    first = server.http.post("/api/first-game", json={"position": start}).json()
    assert (first["idea"]["id"], first["grave"]) == ("start", {})
    moves = {"position": start, "moves": ["Be5", "Ya5"], "seen": ["start"]}
    second = server.http.post("/api/first-game", json=moves, headers={"accept-language": "de"}).json()
    assert (second["idea"]["title"], len(second["idea"]["marks"][0]["cells"])) == ("Du gewinnst mit einem Kreis", 6)
    assert second["all"] > 5
    fifth = server.http.post("/api/first-game", json={"position": "sanqi/5 5/6/7/8/3BBB3/3B4/7/6/5 F -"}).json()
    assert fifth["idea"]["id"] == "fifth"
    assert fifth["grave"]["Bf4"] == "Careful: Second could then complete the triangle on f3 and win."
    others = server.http.post("/api/first-game", json={**moves, "moves": ["Be5"]}).json()
    assert (others["idea"], others["grave"]) == (None, {}), "it is the other player's turn"


def at(when: int, steps: int, done: bool = False, lesson: str = "placing") -> dict[str, Any]:
    return {"game": "sanqi", "lesson": lesson, "steps": steps, "done": done, "at": when}


def test_progress_of_several_browsers_is_one(server: Serving) -> None:
    """The later one says where one is, and done stays done."""
    assert merged(at(2, 3), at(1, 0, done=True)) == at(2, 3, done=True)  # type: ignore[arg-type]
    assert merged(at(1, 3), at(2, 1)) == at(2, 1)  # type: ignore[arg-type]
    assert code(Browser(server).get("/api/me/lessons")) == (401, "not-signed-in", "session")
    first, second = Browser(server, "learner"), Browser(server)
    second.sign_in("learner")
    told = first.post("/api/me/lessons", json={"lessons": [at(1000, 2), at(1000, 1, lesson="winning")]}).json()
    assert told["lessons"] == [at(1000, 2), at(1000, 1, lesson="winning")]
    told = second.post("/api/me/lessons", json={"lessons": [at(500, 0, done=True), at(2000, 99, lesson="no such")]})
    assert told.json()["lessons"] == [at(1000, 2, done=True), at(1000, 1, lesson="winning")]
    (found,) = second.post("/api/me/lessons", json={"lessons": [at(1 << 50, 1000)]}).json()["lessons"][:1]
    # As many steps as the lesson has; nothing comes from the future.
    assert (found["done"], found["steps"] < 100, found["at"] < 1 << 50) == (True, True, True)
    assert first.get("/api/me/lessons").json()["lessons"][0] == found
    first_game = first.post("/api/me/lessons", json={"lessons": [at(10, 2, done=True, lesson="first-game")]}).json()
    assert at(10, 2, done=True, lesson="first-game") in first_game["lessons"], "it is played once on all devices"


def test_it_is_exported_and_deleted_with_the_account(server: Serving) -> None:
    browser = Browser(server, "departing")
    browser.post("/api/me/lessons", json={"lessons": [at(1000, 2)]})
    (kept,) = browser.get("/api/me/export").json()["lessons"]
    assert kept == {"game": "sanqi", "lesson": "placing", "steps": 2, "done": False, "at": 1.0}
    who = rows(server, "SELECT id FROM people WHERE handle = 'departing'")[0][0]
    mine = "SELECT count(*) FROM lesson_progress WHERE person_id = :who"
    assert rows(server, mine, who=who) == [(1,)]
    assert browser.request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    assert rows(server, mine, who=who) == [(0,)]
