"""A server and the backend in the browser give the same answers, and refuse what makes no sense in the same words."""

import datetime
import json
import types
import typing
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Union
from urllib.parse import quote, urlencode

import pytest

import tercet
from tercet.answers.addresses import ADDRESSES, Address
from tercet.answers.errors import AnswerError, status_of
from tercet.answers.fields import fields_of, kind_of
from tercet.browser.backend import Backend
from tercet.games import game_definition
from tests.server.conftest import Serve, Serving
from tests.server.games.requests import Asked, fixed, recorded
from tests.support.waiting import until_async

SHARED = [asked for asked, one in ADDRESSES.items() if one.function.__module__.startswith("tercet.answers")]
LONG = {**dict.fromkeys("abc", 7), **{str(number): 7 for number in range(60)}}
WRONG: tuple[Any, ...] = (None, True, 7, -1, 1.5, 1e300, 10**12, "", "x", "\ud800")
WRONG += ("y" * 200_001, [], [7], [["x"]], [0] * 20_001)
WRONG_OBJECTS: tuple[Any, ...] = ({}, {"x": 7}, {"x" * 50: "x"}, {"Bad header": "x"}, LONG)
WRONG_TEXTS = ("", "x", "abc", "-1", "1.5", "1e9", "true", "nan", "2026-13-01", "1" * 30, "y" * 500, "X Y")
WRONG_BODIES = (None, "", "{", "[]", "null", "7", '"x"', "[" * 5000)

Request = tuple[dict[str, str], str, str | None]  # the parts of the path, the query and the body


def allows(hint: Any, value: Any) -> bool:
    try:
        kind_of(hint).take(value, ())
    except AnswerError:
        return False
    return True


def sample(hint: Any) -> Any:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        inner = sample(parts[0])
        more = [inner * 3] if isinstance(inner, list) else []
        return next(value for value in (inner, *more, 0.5, "a" * 22, *range(60)) if allows(hint, value))
    if origin in (Union, types.UnionType):
        return sample(next(one for one in parts if one is not types.NoneType))
    if origin is Literal:
        return parts[0]
    if origin in (list, Sequence):
        return [sample(parts[0])]
    if origin is tuple:
        return [sample(one) for one in parts]
    if origin in (dict, Mapping):
        return {sample(parts[0]): sample(parts[1])}
    if hint is datetime.date:
        return "2026-01-31"
    if hint in (str, int, float, bool):
        return {str: "a", int: 1, float: 0.5, bool: False}[hint]
    return {name: sample(kind) for name, (kind, required) in fields_of(hint).items() if required}


def variants(value: Any, wrong: Sequence[Any] = (*WRONG, *WRONG_OBJECTS)) -> Iterator[Any]:
    """Yield wrong things in the place of a value, and in the places of what it has in it."""
    yield from wrong
    if isinstance(value, list):
        yield from ([*value, inner] for inner in variants(value[0], WRONG[:10]))
    if isinstance(value, dict):
        for name, one in value.items():
            yield {key: other for key, other in value.items() if key != name}
            yield from ({**value, name: inner} for inner in variants(one, WRONG[:10]))
        yield {**value, "more": 1}


def requests(one: Address) -> Iterator[Request]:
    """Yield requests that differ from a sensible one in one thing."""
    good = {key: sample(field.hint) for key, field in one.fields.items() if field.required or field.where == "path"}
    parts = {key: str(good[key]) for key, field in one.fields.items() if field.where == "path"}
    query = {key: good[key] for key, field in one.fields.items() if field.where == "query" and key in good}
    body = {key: good[key] for key, field in one.fields.items() if field.where == "body" and key in good}
    text = json.dumps(body) if one.has_body else None
    for key, field in one.fields.items():
        if field.where == "path":
            yield from (({**parts, key: wrong}, urlencode(query), text) for wrong in WRONG_TEXTS if wrong)
        elif field.where == "query":
            yield parts, urlencode({name: said for name, said in query.items() if name != key}), None
            yield from ((parts, urlencode({**query, key: wrong}), None) for wrong in WRONG_TEXTS)
            yield parts, urlencode([*query.items(), *[(key, "x")] * 30]), None
        else:
            yield parts, "", json.dumps({name: said for name, said in body.items() if name != key})
            wrong_ones = variants(sample(field.hint))
            yield from ((parts, "", json.dumps({**body, key: wrong})) for wrong in wrong_ones)
    if one.has_body:
        yield parts, "", json.dumps({**body, "more": 1})
        yield from ((parts, "", wrong) for wrong in WRONG_BODIES)


@pytest.mark.parametrize("asked", SHARED)
async def test_both_refuse_it_alike(server: Serving, asked: str) -> None:
    one, backend = ADDRESSES[asked], Backend()
    refused: list[tuple[int, dict[str, str]]] = []  # each sentence about each place once
    for request in requests(one):
        try:
            one.read(*request)
            continue
        except AnswerError as error:
            expected = status_of(error.code), error.data
        if expected in refused:
            continue
        parts, query, body = request
        path = one.path.format(**{key: quote(part) for key, part in parts.items()}) + (f"?{query}" if query else "")
        headers = {} if body is None else {"content-type": "application/json"}
        answer = server.http.request(one.method, path, content=body, headers=headers)
        status, text = await backend.request(one.method, path, body)
        assert (answer.status_code, answer.json()["error"]) == (status, json.loads(text)["error"]) == expected, request
        refused.append(expected)
    assert refused or all(field.hint is str and field.where == "path" for field in one.fields.values())


async def test_what_was_an_error_of_the_browser_alone_is_refused() -> None:
    for path, where in (("/api/me/games?limit=abc", "query.limit"), ("/api/puzzles/next?game=a&low=x", "query.low")):
        status, text = await Backend().request("GET", path)
        error = {"code": "bad-message", "where": where, "why": f"The field {where[6:]} must be a whole number."}
        assert (status, json.loads(text)["error"]) == (400, error)


def of_server(server: Serving, asked: Asked) -> tuple[int, Any]:
    answer = server.http.request(asked.method, asked.path, json=asked.body)
    is_json = answer.headers["content-type"] == "application/json"
    return answer.status_code, answer.json() if is_json else answer.text


def without_print(answer: tuple[int, Any]) -> tuple[int, Any]:
    """Return an answer without whether games can be printed: in a browser they cannot."""
    status, data = answer
    return status, {**data, "printable": None} if isinstance(data, dict) else data


async def replay(server: Serving, requests: Iterable[Asked]) -> Counter[str]:
    """Hold the answers of both against each other. Return how many there were of each status and address."""
    backend, counted = Backend(), Counter[str]()
    for asked in requests:
        body = None if asked.body is None else json.dumps(asked.body)
        status, text = await backend.request(asked.method, asked.path, body)
        found = json.loads(text) if text.startswith(("{", "[")) else text
        assert without_print((status, found)) == without_print(of_server(server, asked)), asked
        counted[f"{status} {asked.path.split('/')[2]}"] += 1
    return counted


@pytest.mark.online
async def test_addresses_without_a_body(serve: Serve) -> None:
    counted = await replay(serve(), fixed())
    assert (counted["200 lessons"] > 60, counted["404 rules"] > 1) == (True, True)


SOME = pytest.param(300, marks=pytest.mark.online)
MANY = pytest.param(10_000, marks=[pytest.mark.long, pytest.mark.timeout(3600)])


@pytest.mark.parametrize("number", [SOME, MANY])
async def test_requests_about_positions(serve: Serve, number: int) -> None:
    counted = await replay(serve(), recorded(number, seed=number))
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
    """Return the wish for a table at one screen, and what is said there to the rematch."""
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
async def test_a_table_says_the_same(serve: Serve, name: str) -> None:
    asked, said = table_story(name)
    of_the_server = heard_of_server(serve(), asked, said)
    backend, heard = Backend(), list[dict[str, Any]]()
    _, text = await backend.request("POST", "/api/tables", json.dumps(asked))
    path = f"/api/tables/{json.loads(text)['id']}/live"
    number = backend.connect(path, lambda text: heard.append(json.loads(text)))
    for message in said:
        backend.receive(number, json.dumps(message))
    await until_async(lambda: len(heard) >= len(of_the_server), 10)
    for mine, theirs in zip(heard, of_the_server, strict=True):
        assert without_people(mine) == without_people(theirs)
