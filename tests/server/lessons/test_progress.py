"""Progress in lessons is kept with the account: merged from several browsers, exported, and deleted with it."""

from typing import Any

from tercet.server.api.lessons import merged
from tests.server.conftest import Serving
from tests.server.people.browser import PASSWORD, Browser, code, rows


def at(when: int, steps: int, done: bool = False, lesson: str = "placing") -> dict[str, Any]:
    return {"game": "sanqi", "lesson": lesson, "steps": steps, "done": done, "at": when}


def test_the_later_one_says_where_one_is_and_done_stays_done() -> None:
    assert merged(at(2, 3), at(1, 0, done=True)) == at(2, 3, done=True)  # type: ignore[arg-type]
    assert merged(at(1, 3), at(2, 1)) == at(2, 1)  # type: ignore[arg-type]


def test_progress_of_several_browsers_is_one(server: Serving) -> None:
    first, second = Browser(server), Browser(server)
    assert code(first.get("/api/me/lessons")) == (401, "not-signed-in", "session")
    first.sign_up("learner")
    second.sign_in("learner")
    told = first.post("/api/me/lessons", json={"lessons": [at(1000, 2), at(1000, 1, lesson="winning")]}).json()
    assert told["lessons"] == [at(1000, 2), at(1000, 1, lesson="winning")]
    told = second.post("/api/me/lessons", json={"lessons": [at(500, 0, done=True), at(2000, 99, lesson="no such")]})
    assert told.json()["lessons"] == [at(1000, 2, done=True), at(1000, 1, lesson="winning")]
    (found,) = second.post("/api/me/lessons", json={"lessons": [at(1 << 50, 1000)]}).json()["lessons"][:1]
    assert found["done"]
    assert found["steps"] < 100  # as many as the lesson has
    assert found["at"] < 1 << 50  # nothing comes from the future
    assert first.get("/api/me/lessons").json()["lessons"][0] == found
    first_game = first.post("/api/me/lessons", json={"lessons": [at(10, 2, done=True, lesson="first-game")]}).json()
    assert at(10, 2, done=True, lesson="first-game") in first_game["lessons"], "it is played once on all devices"


def test_it_is_exported_and_deleted_with_the_account(server: Serving) -> None:
    browser = Browser(server)
    browser.sign_up("leaving")
    browser.post("/api/me/lessons", json={"lessons": [at(1000, 2)]})
    (kept,) = browser.get("/api/me/export").json()["lessons"]
    assert kept == {"game": "sanqi", "lesson": "placing", "steps": 2, "done": False, "at": 1.0}
    who = rows(server, "SELECT id FROM people WHERE handle = 'leaving'")[0][0]
    assert rows(server, "SELECT count(*) FROM lesson_progress WHERE person_id = :who", who=who) == [(1,)]
    assert browser.request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    assert rows(server, "SELECT count(*) FROM lesson_progress WHERE person_id = :who", who=who) == [(0,)]
