"""The trainer: which motif comes next, what counts for its memory, and the same answers with and without a server."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tercet.answers import trainer
from tercet.answers.errors import AnswerError
from tercet.answers.puzzles import DAY_SECONDS, all_puzzles
from tercet.browser.backend import Backend
from tercet.browser.tables import MemoryStorage
from tercet.games import game_definition
from tercet.server import puzzles as storage
from tercet.server.store.database import Database, address, migrate
from tests.server.conftest import Serving
from tests.server.people.browser import PASSWORD, Browser, rows
from tests.server.puzzles.conftest import join, newcomer
from tests.server.puzzles.test_puzzles import PUZZLES, SANQI, solved, wrong_action
from tests.support import services

NOW = 20_000 * DAY_SECONDS + 1000
KNOWN = game_definition("sanqi").puzzles
MOTIFS = [f"sanqi/{motif.key}" for motif in (KNOWN.motifs if KNOWN is not None else ())]
DEFENCES = [one for one in SANQI if "defence" in one["tags"]]
STOP = next(one for one in DEFENCES if "wrong" in one)


def failed(client: httpx.Client, puzzle: str, **more: Any) -> Any:
    return client.post(f"/api/puzzles/{puzzle}/solution", json=more).json()


def state(client: httpx.Client) -> dict[str, Any]:
    """What the trainer says of the motif "Stop a win"."""
    listed = client.get("/api/puzzles/trainer?game=sanqi").json()["motifs"]
    return next(one for one in listed if one["id"] == "sanqi/stop")


def test_new_motifs_come_one_after_another_and_then_the_one_that_was_tried_longest_ago(client: httpx.Client) -> None:
    assert {one["state"] for one in client.get("/api/puzzles/trainer").json()["motifs"]} == {"new"}
    given = []
    for _ in range(len(MOTIFS) + 1):
        puzzle = client.get("/api/puzzles/trainer/next?game=sanqi").json()
        assert not puzzle["settled"]
        given.append(puzzle)
        failed(client, puzzle["id"], motif=puzzle["motif"])
    assert [puzzle["motif"] for puzzle in given] == [*MOTIFS, MOTIFS[0]]
    assert len({puzzle["id"] for puzzle in given}) == len(given)
    told = client.get("/api/puzzles/trainer?game=sanqi").json()
    assert {one["state"] for one in told["motifs"]} == {"learning"}
    assert (told["holds"], told["curve"]) == (0, []), "tries of one day are not in the curve"


def test_the_first_try_at_a_puzzle_counts_once_and_names_the_motif(server: Serving) -> None:
    with newcomer(server) as client:
        address, motif = f"/api/puzzles/{STOP['id']}/try", "sanqi/stop"
        in_run = client.post(address, json={"actions": [wrong_action(STOP)], "run": True, "motif": motif}).json()
        assert (in_run["motif"], state(client)["reviews"]) == (None, 0)
        for _ in range(2):  # the answer got lost, and the try is sent again
            answer = client.post(address, json={"actions": [wrong_action(STOP)], "motif": motif}).json()
            assert (answer["state"], answer["motif"]["reviews"]) == ("wrong", 1)
        assert answer["motif"] == state(client)
        assert (answer["motif"]["state"], answer["motif"]["title"]) == ("learning", "Stop a win")
        assert answer["motif"]["due"] > 1000 * time.time()
        right = client.post(address, json={"actions": [next(iter(STOP["right"]))], "motif": motif}).json()
        assert (right["state"], right["motif"]["reviews"]) == ("right", 1)
    with newcomer(server) as client:
        assert solved(client, STOP)["motif"] is None
        failed(client, STOP["id"], motif=motif)
        assert state(client)["reviews"] == 0, "it was tried without the trainer"
        for wrong in ("sanqi/none", "sanqi/circle", "sparklies/fill", ""):
            refused = client.post(address, json={"actions": [wrong_action(STOP)], "motif": wrong})
            assert (refused.status_code, refused.json()["error"]["where"]) == (404, "motif")


def test_a_server_and_a_site_give_the_same_answers(server: Serving, client: httpx.Client) -> None:
    """Weeks of tries at one motif, with a miss; then it is due, and comes first."""
    tries = [(20, True), (18, True), (18, True), (10, False), (8, True)]
    listed = DEFENCES[: len(tries)]
    kept = MemoryStorage()

    async def ask(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        status, text = await Backend(kept).request(method, path, None if body is None else json.dumps(body))
        assert status == 200, text
        return json.loads(text)

    for puzzle, (days, right) in zip(listed, tries, strict=True):
        motif = {"motif": "sanqi/stop"}
        actions = [next(iter(puzzle["right"]))] if right else [wrong_action(puzzle)]
        path = f"/api/puzzles/{puzzle['id']}/try"
        answer = client.post(path, json={"actions": actions, **motif}).json()
        assert answer == asyncio.run(ask("POST", path, {"actions": actions, **motif}))
        if answer["state"] == "going":  # its other moves are not tried here
            answer = failed(client, puzzle["id"], **motif)
        assert (answer["state"] == "right") == right, puzzle["id"]
        results = json.loads(kept.texts["puzzles"])
        results["tries"][puzzle["id"]]["at"] = time.time() - days * DAY_SECONDS
        kept.texts["puzzles"] = json.dumps(results)
        change = "UPDATE puzzle_tries SET at = :at WHERE puzzle_id = :ident"
        rows(server, change, at=time.time() - days * DAY_SECONDS, ident=puzzle["id"])
    told = client.get("/api/puzzles/trainer?game=sanqi").json()
    assert told == asyncio.run(ask("GET", "/api/puzzles/trainer?game=sanqi"))
    assert client.get("/api/puzzles/trainer").json() == asyncio.run(ask("GET", "/api/puzzles/trainer"))
    assert (state(client)["state"], state(client)["reviews"]) == ("due", 5)
    assert [(one["least"], one["tries"], one["share"]) for one in told["curve"]] == [(2, 2, 1.0), (8, 1, 0.0)]
    assert all(one["low"] <= one["share"] <= one["high"] and 0 < one["expected"] < 1 for one in told["curve"])
    path = "/api/puzzles/trainer/next?game=sanqi"
    for puzzle in (client.get(path).json(), asyncio.run(ask("GET", path))):
        assert (puzzle["motif"], puzzle["settled"]) == ("sanqi/stop", False)
        assert puzzle["id"] not in {one["id"] for one in listed}


def tried(game: str, **how: Any) -> dict[str, dict[str, Any]]:
    mine = (ident for ident, puzzle in all_puzzles().items() if puzzle["game"] == game)
    return {ident: {"right": True, "at": NOW, "motif": None, **how} for ident in mine}


def test_the_next_puzzle_is_near_the_rating_that_is_wanted() -> None:
    for wanted in (900.0, 1400.0):
        ident, motif = trainer.following("sanqi", {}, {"sanqi": wanted}, NOW)
        assert motif == MOTIFS[0]
        distances = sorted(abs(one["rating"] - wanted) for one in SANQI if "circle" in one["tags"])
        assert abs(PUZZLES[ident]["rating"] - wanted) <= distances[trainer.NEAR_PUZZLES - 1]


def test_a_motif_without_new_puzzles_is_passed_over_and_says_so() -> None:
    tries = tried("sparklies")
    kept = next(ident for ident in tries if "fill" in PUZZLES[ident]["tags"])
    del tries[kept]
    assert trainer.following("sparklies", tries, {"sparklies": 1000.0}, NOW) == (kept, "sparklies/fill")
    fresh = {one["id"]: one["fresh"] for one in trainer.trainer_data("sparklies", tries, NOW)["motifs"]}
    assert (fresh["sparklies/chain"], fresh["sparklies/fill"]) == (0, 1)
    with pytest.raises(AnswerError, match="You have tried all positions of these motifs"):
        trainer.following("sparklies", tried("sparklies"), {"sparklies": 1000.0}, NOW)


def test_tries_of_another_version_and_of_older_ones_do_no_harm() -> None:
    old: dict[str, Any] = {"right": True, "at": NOW}
    tries = {"gone": {**old, "motif": "sanqi/no-longer"}, "old": old}
    assert {one["state"] for one in trainer.trainer_data("", tries, NOW)["motifs"]} == {"new"}
    tries = {"gone": {**old, "motif": "sanqi/stop"}}
    stop = trainer.motif_data("sanqi/stop", tries, NOW)
    assert (stop["reviews"], stop["state"]) == (1, "learning"), "the memory outlasts the puzzle"


def test_the_memory_is_part_of_the_export_and_goes_with_the_account(server: Serving) -> None:
    client = Browser(server, "trainee")
    failed(client, STOP["id"], motif="sanqi/stop")
    (exported,) = client.get("/api/me/export").json()["puzzles"]
    assert (exported["puzzle_id"], exported["motif"]) == (STOP["id"], "sanqi/stop")
    mine = "SELECT count(*) FROM puzzle_tries WHERE person_id = :ident"
    (ident,) = rows(server, "SELECT id FROM people WHERE handle = 'trainee'")[0]
    assert rows(server, mine, ident=ident) == [(1,)]
    assert client.request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    assert rows(server, mine, ident=ident) == [(0,)]


async def _concluded_at_once(one: Database, other: Database) -> None:
    await storage.add_missing(one)
    await join(one, "ann")
    await asyncio.gather(*(storage.conclude(each, "ann", STOP, True, "sanqi/stop") for each in [one, other] * 3))
    tries = await one.find(lambda connection: storage.tries(connection, "ann"))
    assert [(ident, row["motif"]) for ident, row in tries.items()] == [(STOP["id"], "sanqi/stop")]
    assert trainer.motif_data("sanqi/stop", tries, time.time())["reviews"] == 1
    ratings = await one.find(lambda connection: storage.wanted_ratings(connection, "ann"))
    assert ratings["sanqi"] > ratings["sparklies"] - 500
    await other.close()


async def test_first_tries_in_two_tabs_count_once(kept: Database, tmp_path: Path) -> None:
    await _concluded_at_once(kept, Database(address(tmp_path / "some.sqlite")))


@pytest.mark.online
async def test_first_tries_in_two_processes_count_once(postgres: services.Postgres) -> None:
    url = address(postgres.create())
    migrate(url)
    one = Database(url)
    await _concluded_at_once(one, Database(url))
    await one.close()
