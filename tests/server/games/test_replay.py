"""The page gets the same answers from a server and from the backend in the browser."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import tercet
from tercet.browser.backend import Backend
from tercet.games import game_definition
from tests.server.conftest import Serving
from tests.server.games.requests import Asked, fixed, recorded

SOME, MANY = 300, 10_000


def of_server(server: Serving, asked: Asked) -> tuple[int, Any]:
    answer = server.http.request(asked.method, asked.path, json=asked.body)
    is_json = answer.headers["content-type"] == "application/json"
    return answer.status_code, answer.json() if is_json else answer.text


async def of_backend(backend: Backend, asked: Asked) -> tuple[int, Any]:
    body = None if asked.body is None else json.dumps(asked.body)
    status, text = await backend.request(asked.method, asked.path, body)
    return status, json.loads(text) if text.startswith(("{", "[")) else text


def without_print(answer: tuple[int, Any]) -> tuple[int, Any]:
    """Return an answer without whether games can be printed: in a browser they cannot."""
    status, data = answer
    if isinstance(data, dict):
        data = {name: value for name, value in data.items() if name != "printable"}
    return status, data


def replay(server: Serving, requests: Iterable[Asked]) -> Counter[str]:
    """Hold the answers of both against each other. Return how many there were of each status and address."""
    backend, counted = Backend(), Counter[str]()

    async def ask() -> None:
        for asked in requests:
            wanted, found = of_server(server, asked), await of_backend(backend, asked)
            assert without_print(found) == without_print(wanted), asked
            counted[f"{found[0]} {asked.path.split('/')[2]}"] += 1

    asyncio.run(ask())
    return counted


@pytest.mark.online
def test_addresses_without_a_body(serve: Callable[..., Serving]) -> None:
    counted = replay(serve(), fixed())
    assert counted["200 lessons"] > 60
    assert counted["404 rules"] > 1


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(SOME, marks=pytest.mark.online),
        pytest.param(MANY, marks=[pytest.mark.long, pytest.mark.timeout(3600)]),
    ],
)
def test_requests_about_positions(serve: Callable[..., Serving], number: int) -> None:
    counted = replay(serve(), recorded(number, seed=number))
    assert sum(counted.values()) == number
    assert len(counted) > 15


def without_people(message: Any) -> Any:
    """Return a message without ids, and without what only a server knows of its people."""
    if isinstance(message, list):
        return [without_people(one) for one in message]
    if not isinstance(message, dict):
        return message
    left_out = {"id", "links", "creator", "rematch"} | ({"name", "here"} if "badge" in message else set())
    return {name: without_people(value) for name, value in message.items() if name not in left_out}


def table_story(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the wish for a table at one screen and what is said there: moves, refusals, takebacks, a resignation and a
    rematch."""
    options = dict(game_definition(name).quick_start.options)
    position = tercet.game(name, **options).start(7)
    seats = [{"kind": "me"}, *[{"kind": "here"}] * (len(position.game.players) - 1)]
    asked = {"game": name, "options": options, "seed": 7, "seats": seats, "takebacks": "consent"}
    said: list[dict[str, Any]] = []
    for ply in range(4):
        action = str(next(iter(position.legal_actions)))
        said += [{"type": "act", "ply": ply, "action": action}, {"type": "act", "ply": ply, "action": action}]
        position = position.play(action)
    said += [{"type": "takeback", "ply": 3}, {"type": "act", "ply": 99, "action": "x"}, {"type": "fly"}]
    said += [{"type": kind, "seat": 0} for kind in ("snapshot", "draw", "resign", "rematch")]
    return asked, [{"id": f"m{number}", **message} for number, message in enumerate(said)]


def heard_of_server(server: Serving, asked: dict[str, Any], said: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what a server says at a table, without what it says of other people."""
    opened = server.http.post("/api/tables", json=asked).json()
    wire = server.wire(opened["id"], *(seat["token"] for seat in opened["seats"]))
    wire.until("snapshot")
    for message in said:
        wire.say(message)
        wire.until("snapshot") if message["type"] == "snapshot" else wire.until("ack", "error")
    return [one for one in wire.heard if one["type"] not in ("here", "talked")]


@pytest.mark.parametrize("name", tercet.games())
def test_a_table_says_the_same(serve: Callable[..., Serving], name: str) -> None:
    asked, said = table_story(name)
    of_the_server = heard_of_server(serve(), asked, said)

    async def play() -> list[dict[str, Any]]:
        backend, heard = Backend(), list[dict[str, Any]]()
        _, text = await backend.request("POST", "/api/tables", json.dumps(asked))
        path = f"/api/tables/{json.loads(text)['id']}/live"
        number = backend.connect(path, lambda text: heard.append(json.loads(text)))
        for message in said:
            backend.receive(number, json.dumps(message))
        for _ in range(1000):
            await asyncio.sleep(0.01)
            if len(heard) >= len(of_the_server):
                break
        return heard

    found, wanted = without_people(asyncio.run(play())), without_people(of_the_server)
    for mine, theirs in zip(found, wanted, strict=True):
        assert mine == theirs
