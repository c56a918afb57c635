"""The server's API without a server: tables at one screen and against engines, kept in the page's storage."""

from __future__ import annotations

import asyncio
import functools
import json
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

import tercet
from tercet.answers.puzzles import NEAR_PUZZLES, all_puzzles, beginner_rating, new_rating
from tercet.answers.translation import LANGUAGES, Translator
from tercet.browser.backend import NEEDS_SERVER, Backend
from tercet.browser.site import LEFT_OUT
from tercet.browser.tables import DAMAGED, MemoryStorage
from tercet.browser.tables import NEEDS_SERVER as NOT_ALONE
from tercet.engines import Limits, level
from tercet.engines.base import PlannedEngine
from tercet.games import game_definition
from tercet.play.ratings import rate_two
from tests.support.present import present

HERE = Path(tercet.__file__).parent
QUICK = {name: dict(game_definition(name).quick_start.options) for name in tercet.games()}
TWO = [{"kind": "me"}, {"kind": "here"}]
AGAINST = [{"kind": "me"}, {"kind": "engine", "level": 1}]
PER_GAME = pytest.mark.parametrize("name", tercet.games())


def quick(name: str, other: dict[str, Any], **wish: Any) -> dict[str, Any]:
    """What one asks for to play a quick game against as many others."""
    seats = [{"kind": "me"}, *[other] * (len(tercet.game(name, **QUICK[name]).players) - 1)]
    return {"game": name, "options": QUICK[name], "seats": seats, "seed": 3, **wish}


class Visitor:
    """A page: it asks the backend, and follows tables."""

    backends: ClassVar[list[Backend]] = []  # kept: Python could collect one, and its tasks, before its loop ends

    def __init__(self, storage: MemoryStorage | None = None, **more: Any) -> None:
        self.backend = Backend(storage, **more)
        self.backends.append(self.backend)

    async def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        status, text = await self.backend.request(method, path, None if body is None else json.dumps(body))
        return status, json.loads(text)

    async def refused(self, status: int, code: str, method: str, path: str, body: object = None) -> str:
        """Be refused in this way, and return why."""
        found, answer = await self.ask(method, path, body)
        assert (found, answer["error"]["code"]) == (status, code), (path, body)
        return str(answer["error"]["why"])

    async def opened(self, **wanted: Any) -> str:
        status, found = await self.ask("POST", "/api/tables", wanted)
        assert status == 201, found
        return str(found["id"])

    async def follow(self, table: str) -> Follower:
        """A socket that has had its first snapshot."""
        follower = Follower(self.backend, f"/api/tables/{table}/live")
        await follower.wait(lambda message: message["type"] == "snapshot")
        return follower


class Follower:
    """A client's socket, and what it has been sent."""

    def __init__(self, backend: Backend, path: str) -> None:
        self.backend = backend
        self.heard: list[dict[str, Any]] = []
        self.number = backend.connect(path, lambda text: self.heard.append(json.loads(text)))

    def say(self, **message: Any) -> None:
        self.backend.receive(self.number, json.dumps(message))

    async def wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        for _ in range(10_000):
            for message in self.heard:
                if wanted(message):
                    return message
            await asyncio.sleep(0.005)
        raise AssertionError(self.heard)

    @property
    def state(self) -> dict[str, Any]:
        return dict([message["state"] for message in self.heard if "state" in message][-1])

    async def answered(self, ident: str) -> dict[str, Any]:
        return await self.wait(lambda message: message.get("id") == ident and message["type"] in ("ack", "error"))

    async def play(self, number: int = 0) -> None:
        ply = self.state["ply"]
        ident = f"m{ply}.{len(self.heard)}"
        self.say(type="act", id=ident, ply=ply, action=self.state["view"]["paths"][number][0])
        assert (await self.answered(ident))["type"] == "ack"

    async def until_engines(self) -> None:
        """Play until it is another's turn."""
        while self.state["mover"] == 0:
            await self.play()


@PER_GAME
async def test_people_play_at_one_screen_and_find_their_game_again(name: str) -> None:
    storage = MemoryStorage()
    visitor = Visitor(storage)
    table = await visitor.opened(**quick(name, {"kind": "here"}))
    follower = await visitor.follow(table)
    for ply in range(4):
        assert follower.state["ply"] == ply
        await follower.play()
    follower.say(type="act", id="late", ply=1, action="x")
    assert (await follower.answered("late"))["code"] == "stale-ply"
    shown = follower.state["view"]

    again = Visitor(storage)
    _, listed = await again.ask("GET", "/api/me/tables")
    assert [(one["id"], one["game"]) for one in listed["tables"]] == [(table, name)]
    _, played = await again.ask("GET", "/api/me/games?result=playing&limit=1")
    assert [(one["id"], one["result"], one["seat"]) for one in played["games"]] == [(table, "playing", 0)]
    assert (await again.ask("GET", "/api/me/games?result=won"))[1] == {"games": [], "more": None}
    status, found = await again.ask("GET", f"/api/tables/{table}")
    assert (status, found["state"]["ply"], len(found["state"]["moves"])) == (200, 4, 4)
    assert found["state"]["view"]["position"] == shown["position"]
    status, text = await again.backend.request("GET", f"/api/tables/{table}/record")
    assert status == 200
    assert [str(node.position) for node in tercet.read(text)[0].main()][-1] == shown["position"]


def lend(backend: Backend) -> list[str]:
    """Let a second backend's engines think for this one; what passes between them, in the order of its arrival."""
    passed: list[str] = []
    takers: dict[str, Callable[[str], None]] = {}

    def carry(taker: str, text: str) -> None:
        passed.append(text)
        asyncio.get_running_loop().call_soon(takers[taker], text)

    takers["helper"] = Backend.help(functools.partial(carry, "asker"))
    takers["asker"] = present(backend.lend(functools.partial(carry, "helper")))
    return passed


async def actions_against(visitor: Visitor, table: str, plies: int) -> list[str]:
    """What is played at a table where a person takes the first of all actions; so many plies at least."""
    follower = await visitor.follow(table)
    while (ply := follower.state["ply"]) < plies or follower.state["mover"] != 0:
        if follower.state["mover"] == 0:
            await follower.play()
        while follower.state["ply"] == ply:
            await asyncio.sleep(0.005)
    visitor.backend.close(follower.number)
    await asyncio.sleep(0)
    assert any(message["type"] == "thinking" and message["seat"] == 1 for message in follower.heard)
    return [message["action"] for message in follower.heard if message.get("kind") == "action"]


@PER_GAME
async def test_a_second_worker_plays_the_same_moves(name: str) -> None:
    storage = MemoryStorage()
    table = await Visitor(storage).opened(**quick(name, {"kind": "engine", "level": 3}))
    copy = MemoryStorage()
    copy.texts.update(storage.texts)
    alone = await actions_against(Visitor(storage), table, 8)
    helped = Visitor(copy)
    passed = lend(helped.backend)
    assert await actions_against(helped, table, 8) == alone
    assert sum("action" in json.loads(text) for text in passed) >= 2


async def test_a_hint_and_an_analysis_come_from_the_second_worker() -> None:
    visitor = Visitor()
    passed = lend(visitor.backend)
    table = await visitor.opened(game="sanqi", seats=AGAINST)
    status, found = await visitor.ask("POST", f"/api/tables/{table}/hint", {"strength": "move"})
    assert status == 200, found
    assert [json.loads(text)["method"] for text in passed if "arguments" in text] == ["suggest"]

    analysis = Follower(visitor.backend, "/api/analysis")
    position = str(tercet.game("sanqi").start())
    analysis.say(type="go", id="a", position=position)
    await analysis.wait(lambda message: message["type"] == "info")
    analysis.say(type="go", id="b", position=position, movetime=100)
    done = await analysis.wait(lambda message: message["type"] == "done")
    assert (done["id"], bool(done["best"])) == ("b", True)
    assert json.dumps({"number": 2, "method": None}, separators=(",", ":")) in passed


async def test_without_its_second_worker_a_worker_thinks_itself() -> None:
    visitor = Visitor()
    sent: list[str] = []
    visitor.backend.lend(sent.append)  # never answers
    table = await visitor.opened(game="sanqi", seats=AGAINST)
    follower = await visitor.follow(table)
    await follower.until_engines()
    while not sent:
        await asyncio.sleep(0.005)
    ply = follower.state["ply"]
    assert (await visitor.ask("GET", "/api/games"))[0] == 200, "while an engine thinks"
    follower.say(type="takeback", id="t")
    assert (await follower.answered("t"))["type"] == "ack"
    assert follower.state["ply"] < ply
    assert "method" in sent[-1], "the engine need not think of what was taken back"
    assert json.loads(sent[-1])["method"] is None
    await follower.until_engines()
    await asyncio.sleep(0.05)
    visitor.backend.lend(None)
    await follower.wait(lambda message: message.get("kind") == "action" and message["seat"] == 1)


async def test_what_needs_other_people_is_refused_and_what_no_browser_has_not_needed() -> None:
    visitor = Visitor()
    for seat in ({"kind": "friend"}, {"kind": "open"}, {"kind": "bot", "handle": "x"}):
        wanted = {"game": "sanqi", "seats": [{"kind": "me"}, seat]}
        await visitor.refused(501, "needs-server", "POST", "/api/tables", wanted)
    for method, path in (("POST", "/api/session"), ("GET", "/api/tournaments"), ("GET", "/api/people/ada")):
        await visitor.refused(501, "needs-server", method, path)
    assert await visitor.ask("GET", "/api/me") == (200, {"person": None})
    # One that the page's worker imports had moved to where no browser has it, and later visits began from nothing.
    worker = (HERE.parents[1] / "web" / "src" / "device" / "deviceWorker.ts").read_text("utf-8")
    imported = re.findall(r'(?:\bfrom|pyimport\(")\s*(tercet[.\w]+)"?\)?(?: import (\w+))?', worker)
    left_out = [f"tercet.{part.removesuffix('.py').replace('/', '.')}" for part in LEFT_OUT]
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM), json.dumps(imported), *left_out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "warm" in done.stdout, "what the worker imports"
    # A module that had moved was shipped to every visitor.
    assert [part for part in LEFT_OUT if not (HERE / part).exists()] == []


PROGRAM = """
    import asyncio, importlib.abc, json, sys

    MISSING = ("numpy", "numba", "llvmlite", "typing_extensions", "platformdirs", "pydantic", "fastapi", "orjson")
    MISSING += ("multiprocessing",)

    class Missing(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in MISSING or any(f"{name}.".startswith(f"{part}.") for part in sys.argv[2:]):
                raise ModuleNotFoundError(name, name=name)

    sys.meta_path.insert(0, Missing())

    from tercet.browser.backend import Backend, warm

    async def ask():
        backend = Backend(execution="interpreted")
        for path in ("/api/games", "/api/lessons", "/api/rules/sanqi"):
            status, text = await backend.request("GET", path)
            assert status == 200 and json.loads(text)
        await warm()

    asyncio.run(ask())
    for module, name in json.loads(sys.argv[1]):
        found = importlib.import_module(module)
        print(getattr(found, name) if name else found)
"""


@pytest.mark.parametrize("language", LANGUAGES)
async def test_answers_speak_the_language(language: str) -> None:
    backend = Backend()
    body = json.dumps({"game": "sanqi", "options": QUICK["sanqi"]})
    found = {}
    for one in ("en", language):
        _, text = await backend.request("POST", "/api/preview", body, one)
        found[one] = json.loads(text)["view"]["scene"]["prompt"]
    assert found["en"].startswith("First")
    assert not found[language].startswith("First")
    for why in (NEEDS_SERVER, NOT_ALONE):
        assert Translator(language).find(why, None) is not None
    heard: list[str] = []
    backend.connect(f"/api/tables/none/live?lang={language}", heard.append)
    await asyncio.sleep(0.05)
    assert json.loads(heard[0])["why"] == Translator(language).say("Game not found.", None) != "Game not found."


@PER_GAME
async def test_training_begins_with_the_easiest_puzzles_and_rises_with_each_success(name: str) -> None:
    """SanQi began with puzzles of 1280, whose easiest one has 825."""
    ratings_of_all = sorted(one["rating"] for one in all_puzzles().values() if one["game"] == name)
    storage, rating = MemoryStorage(), beginner_rating(name)
    tries: dict[str, Any] = {}
    offered: list[float] = []
    for _ in range(11):
        ratings = {name: {**rating.data(), "tries": len(tries), "at": time.time()}} if tries else {}
        storage.texts["puzzles"] = json.dumps({"tries": tries, "ratings": ratings})
        _, puzzle = await Visitor(storage).ask("GET", f"/api/puzzles/next?game={name}&repeat=true")
        offered.append(puzzle["rating"])
        rating, _ = rate_two(rating, new_rating(puzzle), 1.0, (0.0, 0.0))
        tries[puzzle["id"]] = {"right": True, "at": 0.0, "rating": rating.rating, "failures": 0, "due": None}
    assert offered[0] <= ratings_of_all[NEAR_PUZZLES]
    assert offered[-1] > offered[0] + 250


async def test_results_of_puzzles_are_kept_and_count_again_once_they_are_due_as_on_a_server() -> None:
    """A second failure before that put the puzzle off by a week."""
    storage = MemoryStorage()
    visitor = Visitor(storage)
    _, puzzle = await visitor.ask("GET", "/api/puzzles/next?game=sanqi&repeat=true")

    async def failed() -> tuple[Any, int, int]:
        before = time.time()
        _, answer = await visitor.ask("POST", f"/api/puzzles/{puzzle['id']}/solution", {})
        known = json.loads(storage.texts["puzzles"])["tries"][puzzle["id"]]
        return answer, known["failures"], round((known["due"] - before) / 86_400)

    answer, *first = await failed()
    assert (answer["state"], answer["standing"]["tried"], answer["change"] < 0) == ("wrong", 1, True)
    visitor = Visitor(storage)
    _, listed = await visitor.ask("GET", "/api/puzzles/history")
    assert [(one["id"], one["right"], one["due"] is None) for one in listed["tried"]] == [(puzzle["id"], False, False)]
    _, found = await visitor.ask("GET", f"/api/puzzles/{puzzle['id']}")
    assert found["settled"]
    assert (first, (await failed())[1:]) == ([1, 3], (1, 3))
    results = json.loads(storage.texts["puzzles"])
    results["tries"][puzzle["id"]]["due"] = 1.0
    storage.texts["puzzles"] = json.dumps(results)
    visitor = Visitor(storage)
    _, due = await visitor.ask("GET", "/api/puzzles/next?game=sanqi&repeat=true")
    assert (due["id"], due["again"]) == (puzzle["id"], True)
    _, other = await visitor.ask("GET", "/api/puzzles/next?game=sanqi&repeat=false")
    assert other["id"] != puzzle["id"]
    assert [(await failed())[1:] for _ in range(2)] == [(2, 7), (2, 7)]


@PER_GAME
@pytest.mark.parametrize("strength", [1, 6])
async def test_an_engine_of_a_servers_table_plays_as_the_servers_engine_with_its_seed(name: str, strength: int) -> None:
    visitor, position = Visitor(), tercet.game(name, **QUICK[name]).start(seed=1)
    engine = level(position.game, strength, 7)
    mover = position.mover
    while position.mover == mover:
        if not isinstance(engine, PlannedEngine):
            engine = level(position.game, strength, 7)
        expected = engine.think(position, Limits()).action
        asked = {"table": "t", "seat": 0, "position": str(position), "level": strength, "seed": 7}
        assert await visitor.ask("POST", "/api/think", asked) == (200, {"action": str(expected)})
        position = position.play(expected)


@PER_GAME
async def test_own_games_are_counted_by_what_was_played_in_a_position(name: str) -> None:
    storage = MemoryStorage()
    visitor = Visitor(storage)
    tables = []
    for choices in ([0, 0], [0, 1], [1]):
        tables.append(await visitor.opened(**quick(name, {"kind": "here"}, takebacks="consent")))
        follower = await visitor.follow(tables[-1])
        for number in choices:
            await follower.play(number)
        follower.say(type="resign", id="end", seat=0)
        await follower.answered("end")
    start = tercet.game(name, **QUICK[name]).start(3)
    first, second = list(start.legal_actions)[:2]
    _, listed = await visitor.ask("GET", "/api/me/played")
    assert listed["loaded"] == 0
    (begun,) = listed["starts"]
    assert (begun["game"], begun["position"], begun["games"]) == (name, str(start), 3)

    async def there(position: tercet.Position) -> Any:
        status, found = await visitor.ask("POST", "/api/me/played", {"position": str(position)})
        assert status == 200, found
        return found

    found = await there(start)
    assert [(one["text"], one["games"]) for one in found["moves"]] == [(str(first), 2), (str(second), 1)]
    assert (found["games"], [one["table"] for one in found["latest"]]) == (3, tables[::-1])
    assert {one["ply"] for one in found["latest"]} == {0}
    if len(start.game.players) == 2:  # the first player has resigned all of them
        assert (found["decided"], found["scores"]) == (3, [0.0, 1.0])
    found = await there(start.play(first))
    assert (found["games"], len(found["moves"])) == (2, 2)
    assert {one["ply"] for one in found["latest"]} == {1}
    assert (await there(start.play(list(start.legal_actions)[2])))["games"] == 0

    # The record of a table adds nothing.
    _, text = await visitor.backend.request("GET", f"/api/tables/{tables[0]}/record")
    assert await visitor.ask("POST", "/api/me/records", {"text": text}) == (200, {"games": 0, "unread": 0})
    assert await visitor.ask("GET", "/api/me/played") == (200, listed)

    # A file adds to them, once, and a new visit finds it.
    played = tercet.Record.from_actions(start.game, start, [first], {"Date": "2026.11.27", "Seed": "3"})
    shorter = tercet.Record.from_actions(start.game, start, [second], {"Seed": "3"})
    text = f"{played.write()}\n{shorter.write()}"
    for added in (2, 0):
        assert await visitor.ask("POST", "/api/me/records", {"text": text}) == (200, {"games": added, "unread": 0})
    visitor = Visitor(storage)
    assert (await visitor.ask("GET", "/api/me/played"))[1]["loaded"] == 2
    found = await there(start)
    assert [(one["text"], one["games"]) for one in found["moves"]] == [(str(first), 3), (str(second), 2)]
    (one,) = [one for one in found["latest"] if one["date"] == "2026.11.27" and one["loaded"]]
    assert (one["table"], one["result"]) == (None, "*")
    status, again = await visitor.backend.request("GET", f"/api/me/records/{one['loaded']}")
    assert (status, tercet.read(again)[0].moves()) == (200, [str(first)])


async def test_turns_that_were_taken_back_are_not_counted_as_played() -> None:
    visitor = Visitor()
    start = tercet.game("triplicity").start()
    first, second = list(start.legal_actions)[:2]
    moves: list[Any] = [first, f"retract={start.game.players[0]}", second]
    record = tercet.Record.from_actions(start.game, start, moves, {"Result": "1-0-0"})
    assert (await visitor.ask("POST", "/api/me/records", {"text": record.write()}))[0] == 200
    _, found = await visitor.ask("POST", "/api/me/played", {"position": str(start)})
    assert [(one["text"], one["games"]) for one in found["moves"]] == [(str(second), 1)]
    assert (found["decided"], found["scores"]) == (1, [1.0, 0.0, 0.0])


async def test_a_file_without_games_is_refused_and_a_record_that_cannot_be_read_hides_no_other() -> None:
    """The explorer answered 500."""
    storage = MemoryStorage()
    visitor = Visitor(storage)
    for nothing in ("", "nothing", '[Game "sanqi"]\n\n*'):
        await visitor.refused(400, "bad-record", "POST", "/api/me/records", {"text": nothing})
    assert (await visitor.ask("GET", "/api/me/played"))[1] == {"starts": [], "loaded": 0}
    await visitor.refused(404, "not-found", "GET", "/api/me/records/none")
    start = tercet.game("sanqi").start()
    first = next(iter(start.legal_actions))
    text = tercet.Record.from_actions(start.game, start, [first]).write()
    await visitor.ask("POST", "/api/me/records", {"text": text})
    damaged = {
        "empty": "",
        "cut": text[:9],
        "game": text.replace("sanqi", "of-another-version"),
        "moves": text.replace(str(first), "Zz99"),
        "twice": text.partition("\n\n")[0] + "\n*\n" + text,
    }
    storage.texts.update({f"record/{name}": found for name, found in damaged.items()})
    visitor = Visitor(storage)
    status, listed = await visitor.ask("GET", "/api/me/played")
    assert (status, listed["loaded"], [one["position"] for one in listed["starts"]]) == (200, 6, [str(start)])
    status, found = await visitor.ask("POST", "/api/me/played", {"position": str(start)})
    assert (status, [(one["text"], one["games"]) for one in found["moves"]]) == (200, [(str(first), 1)])
    assert {name: storage.texts[f"record/{name}"] for name in damaged} == damaged


async def test_games_of_version_0_2_have_ids_that_no_server_gives_and_one_that_cannot_be_read_hides_no_other() -> None:
    storage = MemoryStorage()
    kept = await Visitor(storage).opened(game="sanqi", seats=TWO)
    text, old = storage.texts[f"table/{kept}"], kept.removeprefix("own")
    unreadable = {"cut": text[:-9], "empty": "{}", "old": "[1]"}
    storage.texts = {f"table/{name}": found for name, found in {**unreadable, old: text}.items()}
    visitor = Visitor(storage)
    _, found = await visitor.ask("GET", "/api/me/tables")
    assert [table["id"] for table in found["tables"]] == [kept]
    for name in unreadable:
        assert await visitor.refused(409, "damaged", "GET", f"/api/tables/{name}") == DAMAGED
        assert storage.texts[f"table/{name}"] == unreadable[name]
    for ident in (kept, old):
        await (await visitor.follow(ident)).play()
    visitor = Visitor(storage)
    _, found = await visitor.ask("GET", "/api/me/tables")
    assert [table["id"] for table in found["tables"]] == [kept]
    _, found = await visitor.ask("GET", f"/api/tables/{old}")
    assert found["state"]["ply"] == 2


async def test_results_of_puzzles_that_a_version_lacks_are_kept() -> None:
    storage, tried = MemoryStorage(), {"at": 1.0, "rating": 1500.0, "failures": 0, "due": None}
    known = next(ident for ident, puzzle in all_puzzles().items() if puzzle["game"] == "sanqi")
    tries = {"of-another-version": {**tried, "right": False}, known: {**tried, "right": True}}
    storage.texts["puzzles"] = json.dumps({"tries": tries, "ratings": {}})
    visitor = Visitor(storage)
    _, themes = await visitor.ask("GET", "/api/puzzles")
    assert next(game for game in themes["games"] if game["game"] == "sanqi")["standing"]["streak"] == 1
    _, history = await visitor.ask("GET", "/api/puzzles/history")
    assert [one["id"] for one in history["tried"]] == [known]
    await visitor.ask("POST", f"/api/puzzles/{known}/solution")
    assert "of-another-version" in json.loads(storage.texts["puzzles"])["tries"]


async def test_puzzles_made_for_motifs_are_loaded_when_the_trainer_or_an_unknown_puzzle_needs_them() -> None:
    """If that fails, only the trainer says so, and the next visit of it tries again."""
    storage, loads, lost = MemoryStorage(), list[bool](), True

    async def load() -> None:
        loads.append(lost)
        if lost:
            raise OSError

    visitor = Visitor(storage, load_motifs=load)
    for path in ("", "/daily", "/days", "/run?game=sanqi", "/next?game=sanqi", "/history"):
        assert (await visitor.ask("GET", f"/api/puzzles{path}"))[0] == 200
    assert loads == []
    for path in ("trainer?game=sanqi", "trainer/next?game=sanqi", "sanqi-of-a-motif"):
        why = await visitor.refused(503, "unavailable", "GET", f"/api/puzzles/{path}")
        assert why.startswith("The puzzles of the trainer could not be loaded.")
    tried = {"of-a-motif": {"right": True, "at": 1.0, "rating": 1500.0, "failures": 0, "due": None, "motif": None}}
    storage.texts["puzzles"] = json.dumps({"tries": tried, "ratings": {}})
    visitor, lost = Visitor(storage, load_motifs=load), False
    for path in ("history", "trainer/next?game=sanqi"):
        assert (await visitor.ask("GET", f"/api/puzzles/{path}"))[0] == 200
    assert loads == [True, True, True, False]


@PER_GAME
async def test_positions_are_set_up_without_a_server(name: str) -> None:
    """The board editor asks the same, and gets the same answers."""
    visitor = Visitor()
    status, begun = await visitor.ask("POST", "/api/edit", {"game": name, "options": QUICK[name]})
    assert (status, begun["error"]) == (200, None)
    given = {"game": name, "options": begun["editor"]["table"]["options"], "whole": False, "cells": begun["cells"]}
    status, again = await visitor.ask("POST", "/api/edit", {**given, "fields": begun["fields"]})
    assert (status, again["position"], again["editor"]) == (200, begun["position"], None)
    wrong = {**begun["fields"], "player": "nobody"}
    _, refused = await visitor.ask("POST", "/api/edit", {**given, "fields": wrong})
    assert (refused["view"], refused["error"]["where"]) == (None, "player")
