"""Puzzles for people: which belong to a day, the next one, tries, ratings, history, and the set to download."""

import csv
import datetime
import json
import random
import statistics
from collections.abc import Sequence
from typing import Any

import httpx
import pytest

import tercet
from tercet.answers.puzzles import MAX_LOSS, NEAR_PUZZLES, all_puzzles, days_of_month, puzzles_of_days, run
from tercet.core.presentation import position_view
from tercet.learning.puzzles import check, read, shipped
from tercet.server import puzzles as storage
from tests.server.conftest import Serving
from tests.server.people.browser import rows
from tests.server.puzzles.conftest import newcomer

PUZZLES = {puzzle["id"]: puzzle for name in tercet.games() for path in shipped(name) for puzzle in read(path)}
GAMES = [name for name in tercet.games() if shipped(name)]
SANQI = [puzzle for puzzle in PUZZLES.values() if puzzle["game"] == "sanqi"]
ATTACK = next(puzzle for puzzle in SANQI if puzzle["turns"] == 2 and puzzle["mover"] in puzzle["attackers"])


def tried(client: httpx.Client, puzzle: dict[str, Any], action: str, moves: Sequence[str] = ()) -> Any:
    found = client.post(f"/api/puzzles/{puzzle['id']}/try", json={"moves": [*moves], "actions": [action]})
    assert found.status_code == 200, found.text
    return found.json()


def solved(client: httpx.Client, puzzle: dict[str, Any]) -> Any:
    """Solve with what the proof says."""
    moves: list[str] = []
    action = next(iter(puzzle["right"]))
    tree = puzzle["right"][action]
    while True:
        found = tried(client, puzzle, action, moves)
        if found["state"] != "going":
            return found
        texts = [frame["text"] for frame in found["frames"]]
        moves += texts
        for text in texts[1:]:
            tree = next((rest for key, rest in tree.items() if text in key.split()), tree.get("*"))
        action, tree = tree[0], tree[1] if len(tree) > 1 else None


def wrong_actions(puzzle: dict[str, Any]) -> list[str]:
    return [str(one) for one in tercet.parse(puzzle["position"]).legal_actions if str(one) not in puzzle["right"]]


def wrong_action(puzzle: dict[str, Any]) -> str:
    return wrong_actions(puzzle)[0]


@pytest.mark.parametrize("game", GAMES)
def test_days_and_runs_have_no_puzzles_that_were_made_for_a_motif(game: str) -> None:
    days = [datetime.date(2026, 11, 1) + datetime.timedelta(days=number) for number in range(60)]
    usual = {ident: puzzle for ident, puzzle in PUZZLES.items() if "motif" not in puzzle["source"]}
    assert puzzles_of_days(PUZZLES.values(), game, days) == puzzles_of_days(usual.values(), game, days)
    assert set(run(PUZZLES.values(), game, random.Random(3))) <= set(usual)


def test_right_and_wrong_change_the_ratings_once(server: Serving) -> None:
    with newcomer(server) as client:
        good = solved(client, ATTACK)
        assert (good["state"], good["change"] > 0) == ("right", True)
        assert (good["tags"], good["standing"]["streak"]) == (ATTACK["tags"], 1)
        assert server.http.get(f"/api/puzzles/{ATTACK['id']}").json()["tries"] >= 1
        again = solved(client, ATTACK)
        assert (again["change"], again["standing"]) == (None, good["standing"])
        other = next(puzzle for puzzle in SANQI if "wrong" in puzzle and puzzle["id"] != ATTACK["id"])
        bad = tried(client, other, wrong_action(other))
        assert (bad["state"], bad["change"] < 0) == ("wrong", True)
        assert (bad["standing"]["streak"], bad["standing"]["tried"]) == (0, 2)
        listed = client.get("/api/puzzles/history").json()["tried"]
        assert [(one["id"], one["right"]) for one in listed] == [(other["id"], False), (ATTACK["id"], True)]
        assert listed[0]["due"] > listed[0]["at"] + 86_400_000
        assert listed[1]["due"] is None
    with newcomer(server) as stranger:
        assert stranger.get("/api/puzzles/history").json() == {"tried": []}


def test_a_wrong_try_is_refuted_on_the_board_and_the_solution_counts_as_a_miss(server: Serving) -> None:
    with newcomer(server) as client:
        found = tried(client, ATTACK, wrong_action(ATTACK))
    assert found["state"] == "wrong"
    assert [frame["seat"] for frame in found["frames"]] == [ATTACK["mover"]]
    assert found["refutation"][0]["seat"] != ATTACK["mover"]
    with newcomer(server) as client:
        found = client.post(f"/api/puzzles/{ATTACK['id']}/solution", json={}).json()
        assert [frame["seat"] for frame in found["frames"]] == [ATTACK["mover"], 1 - ATTACK["mover"], ATTACK["mover"]]
        assert found["frames"][0]["text"] in ATTACK["right"]
        assert found["frames"][-1]["view"]["outcome"]["winners"] == [ATTACK["mover"]]
        assert found["change"] < 0
        assert client.post(f"/api/puzzles/{ATTACK['id']}/solution", json={}).json()["change"] is None
        assert solved(client, ATTACK)["change"] is None
        assert client.post("/api/puzzles/nothing/solution", json={}).status_code == 404


@pytest.mark.parametrize("game", GAMES)
def test_some_of_each_game_are_solved_by_their_proofs_and_by_their_solutions(client: httpx.Client, game: str) -> None:
    listed = [puzzle for puzzle in PUZZLES.values() if puzzle["game"] == game]
    for puzzle in listed[:: len(listed) // 4]:
        assert solved(client, puzzle)["state"] == "right", puzzle["id"]
        frames = client.post(f"/api/puzzles/{puzzle['id']}/solution", json={"run": True}).json()["frames"]
        moves: list[str] = []
        state = "going"
        for frame in frames:
            if frame["seat"] == puzzle["mover"] and len(moves) == frames.index(frame):
                state = tried(client, puzzle, frame["text"], moves)["state"]
                assert state in ("going", "right"), puzzle["id"]
            moves.append(frame["text"])
        assert state == "right", puzzle["id"]


def test_the_next_one_has_all_that_was_asked_for(client: httpx.Client) -> None:
    for _ in range(3):
        found = client.get("/api/puzzles/next?game=sanqi&tag=attack&tag=pivot&low=1200&high=1500").json()
        puzzle = PUZZLES[found["id"]]
        assert {"attack", "pivot"} <= set(puzzle["tags"])
        assert 1200 <= found["rating"] <= 1500
        tried(client, puzzle, wrong_action(puzzle))
    assert len({one["id"] for one in client.get("/api/puzzles/history").json()["tried"]}) == 3
    assert client.get("/api/puzzles/next?game=sanqi&tag=no-such-theme").status_code == 404


def test_a_failed_puzzle_comes_back_after_days(server: Serving, client: httpx.Client) -> None:
    tried(client, ATTACK, wrong_action(ATTACK))
    assert client.get("/api/puzzles/next?game=sanqi").json()["id"] != ATTACK["id"]
    rows(server, "UPDATE puzzle_tries SET due = 1 WHERE puzzle_id = :ident", ident=ATTACK["id"])
    found = client.get("/api/puzzles/next?game=sanqi").json()
    assert (found["id"], found["again"], found["settled"]) == (ATTACK["id"], True, True)
    assert client.get("/api/puzzles/next?game=sanqi&repeat=false").json()["id"] != ATTACK["id"]
    assert solved(client, ATTACK)["change"] is None
    assert client.get("/api/puzzles/next?game=sanqi").json()["again"] is False


@pytest.mark.parametrize("game", GAMES)
def test_the_first_puzzles_are_the_easiest_and_a_first_miss_costs_little(server: Serving, game: str) -> None:
    """A first miss cost 301 to 379 points, and a first success gave 71. SanQi began with puzzles of 1280."""
    ratings = sorted(puzzle["rating"] for puzzle in PUZZLES.values() if puzzle["game"] == game)
    with newcomer(server) as client, newcomer(server) as other:
        offered = client.get(f"/api/puzzles/next?game={game}").json()
        assert offered["rating"] <= ratings[NEAR_PUZZLES]
        puzzle = PUZZLES[offered["id"]]
        bad = tried(client, puzzle, wrong_action(puzzle))
        assert -160 < bad["change"] == -MAX_LOSS < -30, "117 without the bound"
        assert 30 < solved(other, puzzle)["change"] < 160
        assert bad["standing"]["rating"] == ratings[0] + 200 + bad["change"]
        assert bad["standing"]["provisional"]


def test_everybody_has_the_same_daily_puzzle_and_a_calendar(server: Serving) -> None:
    with newcomer(server) as one, newcomer(server) as other:
        assert one.get("/api/puzzles/daily").json()["id"] == other.get("/api/puzzles/daily").json()["id"]
        found = one.get("/api/puzzles/daily?game=sanqi").json()
        assert found["game"] == "sanqi"
        assert one.get(f"/api/puzzles/daily?game=sanqi&day={found['day']}").json()["id"] == found["id"]
        assert one.get("/api/puzzles/daily?game=none").status_code == 404
        tomorrow = datetime.date.fromisoformat(found["day"]) + datetime.timedelta(days=1)
        later = one.get(f"/api/puzzles/daily?game=sanqi&day={tomorrow}")
        assert (later.status_code, later.json()["error"]["why"]) == (404, "This day has no puzzle.")
        assert one.get("/api/puzzles/daily?game=sanqi&day=someday").status_code == 400
        client, puzzle = other, found
        before = client.get("/api/puzzles/days").json()
        assert [one["game"] for one in before["games"]] == GAMES
        (mine,) = (one for one in before["games"] if one["game"] == "sanqi")
        assert mine["days"][-1] == {"day": before["today"], "right": None}
        solved(client, PUZZLES[puzzle["id"]])
        (mine,) = (one for one in client.get("/api/puzzles/days").json()["games"] if one["game"] == "sanqi")
        assert mine["days"][-1] == {"day": puzzle["day"], "right": True}
        beyond = datetime.date.fromisoformat(puzzle["day"]) + datetime.timedelta(days=40)
        assert all(not one["days"] for one in client.get(f"/api/puzzles/days?month={beyond}").json()["games"])


def test_a_run_rises_and_changes_no_rating(client: httpx.Client) -> None:
    found = client.get("/api/puzzles/run?game=sparklies").json()["puzzles"]
    ratings = [PUZZLES[ident]["rating"] for ident in found]
    assert len(set(found)) == 40
    assert ratings == sorted(ratings)
    assert found != client.get("/api/puzzles/run?game=sparklies").json()["puzzles"]
    puzzle = next(PUZZLES[ident] for ident in found if wrong_actions(PUZZLES[ident]))
    ask = {"actions": [wrong_action(puzzle)], "run": True}
    answer = client.post(f"/api/puzzles/{puzzle['id']}/try", json=ask).json()
    assert (answer["state"], answer["change"], answer["standing"]) == ("wrong", None, None)
    assert client.get("/api/puzzles/history").json() == {"tried": []}
    assert client.get("/api/puzzles/run?game=none").status_code == 404


def test_the_set_can_be_downloaded(server: Serving) -> None:
    lines = server.http.get("/api/puzzles/export.jsonl?game=sanqi").text.splitlines()
    assert len(lines) >= 400
    assert check(json.loads(lines[0])) > 0
    table = csv.DictReader(server.http.get("/api/puzzles/export.csv").text.splitlines())
    assert {row["id"] for row in table} == set(PUZZLES)
    told = server.http.get("/api/puzzles").json()["games"]
    assert {one["game"]: one["count"] for one in told}["sanqi"] == len(lines)


def test_nonsense_is_refused_and_the_database_is_compared_with_the_set_once(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each request read all puzzles and tags from it."""
    assert server.http.get("/api/puzzles").status_code == 200
    monkeypatch.setattr(storage, "add_missing", None)
    assert server.http.get("/api/puzzles").status_code == 200
    assert server.http.post("/api/puzzles/nothing/try", json={"actions": ["Rd4"]}).status_code == 404
    nonsense: list[dict[str, list[str]]] = [{"actions": []}, {"actions": ["Rz99"]}]
    for body in (*nonsense, {"moves": ["nonsense"], "actions": ["Rd4"]}):
        found = server.http.post(f"/api/puzzles/{ATTACK['id']}/try", json=body)
        assert found.status_code == 400, (body, found.text)


MONDAY = datetime.date(2026, 11, 23)


@pytest.mark.parametrize("game", GAMES)
def test_daily_puzzles_are_easy_small_and_harder_every_day_of_the_week(game: str) -> None:
    """One had 127 cells and 45 pieces."""
    puzzles = all_puzzles()
    days = [MONDAY + datetime.timedelta(days=number) for number in range(28)]
    chosen = [puzzles[ident] for ident in puzzles_of_days(puzzles.values(), game, days)]
    assert len({puzzle["id"] for puzzle in chosen}) == 28
    ratings = [puzzle["rating"] for puzzle in chosen]
    assert max(ratings) <= statistics.median(one["rating"] for one in puzzles.values() if one["game"] == game)
    for week in range(0, 28, 7):
        assert ratings[week : week + 7] == sorted(ratings[week : week + 7])
    assert all(len(tercet.parse(puzzle["position"]).game.board) < 127 for puzzle in chosen)


def test_a_daily_puzzle_of_sparklies_has_a_pair_to_work_with() -> None:
    """A newcomer was asked to own four cells on a board without a cell of their own."""
    puzzles = all_puzzles()
    days = [MONDAY + datetime.timedelta(days=number) for number in range(120)]
    for ident in puzzles_of_days(puzzles.values(), "sparklies", days):
        position = tercet.parse(puzzles[ident]["position"])
        mine = [piece for piece in position_view(position)["scene"]["pieces"] if piece["owner"] == position.mover]
        assert len(mine) >= 2, puzzles[ident]["position"]
        assert position.game.options["ruleset"] == "subtle", "as in a first game"


def test_few_puzzles_are_enough_for_the_days_of_a_month() -> None:
    few = [{**puzzle, "game": "sanqi"} for puzzle in list(all_puzzles().values())[:2]]
    days = [MONDAY + datetime.timedelta(days=number) for number in range(7)]
    assert (len(puzzles_of_days(few, "sanqi", days)), len(run(few, "sanqi", random.Random(1)))) == (7, 2)
    assert puzzles_of_days([], "sanqi", days) == run([], "sanqi", random.Random(1)) == []
    today = datetime.date(2026, 3, 2)
    assert [day.day for day in days_of_month(today, today)] == [1, 2]
    assert len(days_of_month(datetime.date(2026, 2, 14), today)) == 28
    assert days_of_month(datetime.date(2026, 4, 1), today) == []
    assert days_of_month(datetime.date(2020, 4, 1), today) == []
