"""Saved analyses: kept with an account, changed together, shared, reported, exported, and closed to players."""

import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import tercet
from tercet.server.errors import ApiError
from tercet.server.store import analyses as store
from tests.server.conftest import Serve, Serving
from tests.server.people.browser import PASSWORD, Browser, code, listen, rows
from tests.support.limits import OPEN

START = str(tercet.game("sanqi", side=4).start())
MOVES = [
    {"after": -1, "text": "Rd4", "comment": "the middle [%csl Gd4]"},
    {"after": 0, "text": "Yd5", "signs": "!?"},
    {"after": -1, "text": "Bc3"},
]
EMPTY: dict[str, Any] = {"start": START, "comment": "", "headers": {}, "moves": []}


def saved(browser: Browser, name: str = "Openings", **more: Any) -> str:
    """Save an analysis; its address."""
    made = browser.post("/api/analyses", json={"name": name, "chapter": "First", "start": START, **more})
    assert made.status_code == 201, made.text
    return f"/api/analyses/{made.json()['id']}"


def edit(browser: Browser, address: str, *changes: Any, number: int = 1) -> Any:
    return browser.post(f"{address}/chapters/{number}", json={"changes": changes})


def moves(browser: Browser, address: str) -> list[tuple[int, str, str]]:
    """The moves of the first chapter, with their comments."""
    found = browser.get(f"{address}/chapters/1").json()["moves"]
    return [(one["after"], one["text"], one.get("comment", "")) for one in found]


def test_changes_add_note_order_and_delete() -> None:
    whole = {**EMPTY, "moves": MOVES, "comment": "start"}
    assert store.with_changes(whole, []) == whole, "it is written as it was read"
    changes: list[Any] = [{"path": ["Rd4", "Yd5"]}, {"path": ["Bc3"], "comment": "or this"}]
    changes += [{"path": [], "comment": "start"}, {"path": ["Bc3"], "what": "main"}]
    changes += [{"path": path, "what": "remove"} for path in (["Rd4", "Yd5"], ["Rd4", "none"], [])]
    content = store.with_changes(EMPTY, changes)
    assert content["moves"] == [{"after": -1, "text": "Bc3", "comment": "or this"}, {"after": -1, "text": "Rd4"}]
    assert content["comment"] == "start"
    content = store.with_changes(whole, [{"path": ["Rd4"], "what": "remove"}])
    content = store.with_changes(content, [{"path": ["Rd4", "Yd5"], "comment": "kept"}])
    assert [one["text"] for one in content["moves"]] == ["Bc3", "Rd4", "Yd5"], "a note brings its node back"
    with pytest.raises(ApiError, match="an earlier move"):
        store.tree_of({**EMPTY, "moves": [{"after": 0, "text": "Rd4"}]})
    deep = [{"after": number - 1, "text": "Rd4"} for number in range(store.MAX_MOVES)]  # no recursion
    assert len(store.with_changes({**EMPTY, "moves": deep}, [])["moves"]) == store.MAX_MOVES


def test_an_analysis_is_saved_renamed_and_deleted(server: Serving) -> None:
    ann = Browser(server, "saver")
    address = saved(ann, moves=MOVES, comment="start", headers={"Event": "Friday"})
    chapter = ann.get(f"{address}/chapters/1").json()
    kept = {"start": START, "comment": "start", "headers": {"Event": "Friday"}, "moves": MOVES}
    assert chapter == {"number": 1, "name": "First", "version": 1, **kept}
    second = ann.post(f"{address}/chapters", json={"name": "Second", "start": START})
    assert second.json() == {"number": 2, "version": 1}
    assert edit(ann, address, {"path": ["Bc3", "Yc4"]}, number=2).json() == {"number": 2, "version": 2}
    assert ann.post(f"{address}/chapters/2", json={"name": " Renamed "}).json()["version"] == 3
    assert ann.post(address, json={"name": "Endings"}).json()["name"] == "Endings"
    found = ann.get(address).json()
    chapters = [(one["number"], one["name"], one["version"]) for one in found["chapters"]]
    assert chapters == [(1, "First", 1), (2, "Renamed", 3)]
    assert (found["isOwner"], found["mayEdit"], found["access"]) == (True, True, "private")
    (listed,) = ann.get("/api/me/analyses").json()["analyses"]
    assert (listed["name"], listed["chapters"], listed["game"]) == ("Endings", 2, "sanqi")
    assert ann.delete(f"{address}/chapters/2").json() == {"noted": True}
    assert code(ann.delete(f"{address}/chapters/1"))[:2] == (409, "not-possible")
    assert ann.post(f"{address}/chapters", json={"name": "Third", "start": START}).json()["number"] == 3
    assert ann.delete(address).json() == {"noted": True}
    assert code(ann.get(address))[:2] == (404, "not-found")
    assert rows(server, "SELECT * FROM analysis_chapters WHERE analysis_id = :id", id=found["id"]) == []


def test_changes_of_many_people_are_all_kept(server: Serving) -> None:
    ann, bob = Browser(server, "both-ann"), Browser(server, "both-bob")
    address = saved(ann)
    ann.post(address, json={"editors": ["both-bob"]})
    cells = [f"{column}{row}" for column in "bcde" for row in (3, 4)]

    def play(browser: Browser, pick: str) -> None:
        for cell in cells:
            assert edit(browser, address, {"path": [f"{pick}{cell}"], "comment": pick}).status_code == 200

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(play, (ann, bob), "RY"))
    assert sorted(moves(ann, address)) == sorted((-1, f"{pick}{cell}", pick) for pick in "RY" for cell in cells)
    assert ann.get(f"{address}/chapters/1").json()["version"] == 1 + 2 * len(cells)
    edit(ann, address, {"path": ["Rb3"], "comment": "first"})
    edit(bob, address, {"path": ["Rb3"], "comment": "last"})
    assert (-1, "Rb3", "last") in moves(ann, address)


def test_the_owner_chooses_who_sees_and_who_edits(server: Serving) -> None:
    ann, bob, eve, guest = (*(Browser(server, f"share-{one}") for one in ("ann", "bob", "eve")), Browser(server))
    address = saved(ann, "Shared")
    asked = edit(bob, address, {"path": ["Rd4"]}), bob.get(address), guest.get(address)
    for answer in (*asked, *(other.get(f"{address}/chapters/1") for other in (bob, guest))):
        assert code(answer)[:2] == (404, "not-found")
    assert listen(server, f"{address}/live").hear()["code"] == "not-found"
    ann.post(address, json={"editors": ["share-bob"]})
    assert edit(bob, address, {"path": ["Rd4"]}).status_code == 200
    assert [one["name"] for one in bob.get("/api/me/analyses").json()["analyses"]] == ["Shared"]
    assert code(bob.post(address, json={"access": "public"}))[:2] == (403, "not-allowed")
    assert code(bob.delete(address))[:2] == (403, "not-allowed")
    assert code(eve.get(address))[:2] == (404, "not-found")
    ann.post(address, json={"access": "link"})
    watcher = listen(server, f"{address}/live")
    assert watcher.hear() == {"type": "news"}
    assert edit(bob, address, {"path": ["Yd5"]}).status_code == 200
    assert watcher.hear() == {"type": "news"}
    assert moves(guest, address) == [(-1, "Rd4", ""), (-1, "Yd5", "")]
    watcher.say({"type": "ping"})
    assert watcher.hear() == {"type": "pong"}
    assert eve.get(address).json()["mayEdit"] is False
    assert code(edit(eve, address, {"path": ["Bd4"]}))[:2] == (403, "not-allowed")
    body = {"name": "a", "chapter": "b", "start": START}
    saves = edit(guest, address, {"path": ["Bd4"]}), guest.post("/api/analyses", json=body)
    assert {code(one)[:2] for one in (*saves, guest.get("/api/me/analyses"))} == {(401, "not-signed-in")}
    assert guest.get("/api/analyses").json()["analyses"] == []
    ann.post(address, json={"access": "public", "editors": []})
    assert [one["owner"]["handle"] for one in guest.get("/api/analyses").json()["analyses"]] == ["share-ann"]
    assert code(edit(bob, address, {"path": ["Bd4"]}))[:2] == (403, "not-allowed")
    ann.post("/api/me/blocks", json={"handle": "share-eve"})
    assert code(ann.post(address, json={"editors": ["share-eve"]}))[:2] == (403, "not-allowed")


def test_a_shared_analysis_is_reported_and_made_private(server: Serving) -> None:
    ann, bob = Browser(server, "rude-ann"), Browser(server, "told-bob")
    address = saved(ann, "Rude")
    ident = address.rsplit("/", 1)[-1]
    report = {"why": "insults", "analysis": ident}
    assert bob.post("/api/reports", json=report).status_code == 201
    assert rows(server, "SELECT analysis_id FROM reports WHERE why = 'insults'") == [(None,)], "it is private"
    ann.post(address, json={"access": "public"})
    assert bob.post("/api/reports", json=report).json() == {"noted": True}
    about = "SELECT p.handle FROM reports r JOIN people p ON p.id = r.about WHERE analysis_id = :ident"
    assert rows(server, about, ident=ident) == [("rude-ann",)]


def test_analyses_are_exported_and_deleted_with_the_account(server: Serving) -> None:
    ann, bob = Browser(server, "leaving"), Browser(server, "staying")
    address, other = saved(ann, "Mine", moves=MOVES), saved(bob, "Theirs")
    bob.post(other, json={"editors": ["leaving"]})
    (exported,) = ann.get("/api/me/export").json()["analyses"]
    assert (exported["name"], exported["chapters"]) == ("Mine", [{"name": "First", **EMPTY, "moves": MOVES}])
    ann.request("DELETE", "/api/me", json={"password": PASSWORD})
    assert code(bob.get(address))[:2] == (404, "not-found")
    assert bob.get(other).json()["editors"] == []
    ident = address.rsplit("/", 1)[-1]
    for table, column in (("analyses", "id"), ("analysis_chapters", "analysis_id")):
        assert rows(server, f"SELECT * FROM {table} WHERE {column} = :id", id=ident) == []


def test_ones_analyses_of_a_running_rated_game_are_closed_to_oneself(serve: Serve) -> None:
    """Also where the table is not in memory, as most games by correspondence are not."""
    server = serve()
    ann, bob = Browser(server, "playing"), Browser(server, "looking")
    table = ann.open("me", "open", rated=True, clock={"kind": "correspondence", "days": 3})
    address, elsewhere = saved(ann, moves=MOVES), str(tercet.parse(START).play("Bd4"))
    other = saved(ann, start=elsewhere, moves=[])
    ann.post(address, json={"access": "link"})
    server.restart()
    ann.base_url = bob.base_url = server.http.base_url
    assert code(ann.get(f"{address}/chapters/1"))[:2] == (409, "not-possible")
    asked = ann.get(f"{other}/chapters/1"), bob.get(f"{address}/chapters/1"), edit(ann, other, {"path": ["Yd5"]})
    assert [answer.status_code for answer in asked] == [200] * 3
    rows(server, "UPDATE tables SET over = :over WHERE id = :id", over=True, id=table)
    assert ann.get(f"{address}/chapters/1").status_code == 200


def test_analyses_chapters_moves_and_characters_are_bounded(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = Browser(server, "bounded")
    address = saved(ann)
    monkeypatch.setattr(store, "MAX_ANALYSES", 1)
    monkeypatch.setattr(store, "MAX_CHAPTERS", 2)
    monkeypatch.setattr(store, "MAX_MOVES", 3)
    body = {"name": "b", "start": START}
    assert code(ann.post("/api/analyses", json={**body, "chapter": "c"}))[:2] == (429, "too-many")
    assert ann.post(f"{address}/chapters", json=body).status_code == 201
    assert code(ann.post(f"{address}/chapters", json=body))[:2] == (429, "too-many")
    assert edit(ann, address, {"path": ["Rd4", "Yd5", "Bd3"]}).status_code == 200
    assert code(edit(ann, address, {"path": ["Bd4"]}))[:2] == (413, "too-large")
    monkeypatch.setattr(store, "MAX_CHARACTERS", 2 * len(START) + 4000)
    assert code(edit(ann, address, {"path": ["Rd4"], "comment": "a" * 4000}))[:2] == (413, "too-large")
    for change in ({"comment": "a" * 1000}, {"what": "remove"}, {"comment": "a" * 3000}):
        assert edit(ann, address, {"path": ["Rd4"], **change}).status_code == 200


def test_a_megabyte_is_the_most(server: Serving) -> None:
    ann = Browser(server, "megabyte")
    address = saved(ann)
    large = [{"after": -1, "text": f"R{number}", "comment": "a" * 4000} for number in range(90)]
    answers = [ann.post(f"{address}/chapters", json={"name": "b", "start": START, "moves": large}) for _ in range(3)]
    assert [one.status_code for one in answers] == [201, 201, 413]
    assert "1000000" in answers[-1].json()["error"]["why"].replace(",", "")
    ident = address.rsplit("/", 1)[-1]
    total = rows(server, "SELECT data FROM analysis_chapters WHERE analysis_id = :id", id=ident)
    assert rows(server, "SELECT size FROM analyses WHERE id = :id", id=ident) == [(sum(len(one) for (one,) in total),)]
    assert json.loads(total[0][0])["start"] == START


def test_an_edit_is_charged_what_it_writes_again(serve: Serve) -> None:
    """A few characters in a chapter of 360 kB cost as many rows as those in an empty one."""
    server = serve(limits=dataclasses.replace(OPEN, rows_per_minute=20))  # and five minutes' worth at once
    ann, bob = Browser(server, "large"), Browser(server, "small")
    large = [{"after": -1, "text": f"R{number}", "comment": "a" * 4000} for number in range(90)]
    answers = [edit(ann, address, {"path": ["Rd4"], "comment": "x"}) for address in [saved(ann, moves=large)] * 6]
    assert {one.status_code for one in answers[:2]} == {200}
    assert answers[-1].json()["error"]["code"] == "too-many"
    assert int(answers[-1].headers["retry-after"]) > 0
    address = saved(bob)
    assert {edit(bob, address, {"path": ["Rd4"], "comment": str(one)}).status_code for one in range(20)} == {200}


def test_of_chapters_that_are_added_at_once_sixty_four_are_there(server: Serving) -> None:
    ann = Browser(server, "chapters")
    address = saved(ann)

    def add(number: int) -> int:
        return ann.post(f"{address}/chapters", json={"name": f"c{number}", "start": START}).status_code

    with ThreadPoolExecutor(store.MAX_CHAPTERS + 4) as threads:
        answers = list(threads.map(add, range(store.MAX_CHAPTERS + 4)))
    assert sorted(answers) == [201] * (store.MAX_CHAPTERS - 1) + [429] * 5
    assert [one["number"] for one in ann.get(address).json()["chapters"]] == [*range(1, store.MAX_CHAPTERS + 1)]


def test_what_makes_no_sense_is_refused(server: Serving) -> None:
    ann = Browser(server, "nonsense")
    address = saved(ann)
    paths = {"/api/analyses": "moves", f"{address}/chapters/1": "changes", f"{address}/chapters": "headers"}
    for deep in ("[" * 60_000 + "1" + "]" * 60_000, '{"a":' * 60_000 + "1" + "}" * 60_000):
        for path, field in paths.items():
            body = f'{{"name": "a", "chapter": "b", "start": "{START}", "{field}": {deep}}}'
            answer = ann.post(path, content=body, headers={"content-type": "application/json"})
            assert code(answer)[:2] in ((400, "bad-message"), (413, "too-large")), path
    assert code(edit(ann, address, {"path": ["Rd4"], "what": "more"}))[:2] == (400, "bad-message")
    for name, start in ((" \u202e", START), ("a", "nothing")):
        assert ann.post("/api/analyses", json={"name": name, "chapter": "c", "start": start}).status_code == 400
    for answer in (ann.get(f"{address}/chapters/7"), edit(ann, address, {"path": ["Rd4"]}, number=7)):
        assert code(answer)[:2] == (404, "not-found")
    assert code(ann.get("/api/analyses/none"))[:2] == (400, "bad-message")
