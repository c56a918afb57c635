"""What makes no sense is refused alike by a server and in the browser: with one status, code, sentence and place."""

import asyncio
import datetime
import json
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Union
from urllib.parse import quote, urlencode

import pytest

from tercet.answers.addresses import ADDRESSES, Address
from tercet.answers.errors import AnswerError, status_of
from tercet.answers.fields import fields_of, kind_of
from tercet.browser.backend import Backend
from tests.server.conftest import Serving

SHARED = [asked for asked, one in ADDRESSES.items() if one.function.__module__.startswith("tercet.answers")]
LONG = {**dict.fromkeys("abc", 7), **{str(number): 7 for number in range(60)}}
WRONG: tuple[Any, ...] = (
    None,
    True,
    7,
    -1,
    1.5,
    1e300,
    10**12,
    "",
    "x",
    "\ud800",
    "y" * 200_001,
    [],
    [7],
    [["x"]],
    [0] * 20_001,
)
WRONG_OBJECTS: tuple[Any, ...] = ({}, {"x": 7}, {"x" * 50: "x"}, {"Bad header": "x"}, LONG)
WRONG_TEXTS = ("", "x", "abc", "-1", "1.5", "1e9", "true", "nan", "2026-13-01", "1" * 30, "y" * 500, "X Y")
WRONG_BODIES = (None, "", "{", "[]", "null", "7", '"x"', "[" * 5000)

Request = tuple[dict[str, str], str, str | None]  # the parts of the path, the query and the body


def allows(hint: Any, value: Any) -> bool:
    """Return whether a value keeps to the type of a field."""
    try:
        kind_of(hint).take(value, ())
    except AnswerError:
        return False
    return True


def sample(hint: Any) -> Any:
    """Return a value that the type of a field allows."""
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


def refusal(one: Address, request: Request) -> tuple[int, dict[str, str]] | None:
    """Return the status and the error of a request that makes no sense."""
    try:
        one.read(*request)
    except AnswerError as error:
        return status_of(error.code), error.data
    return None


@pytest.mark.parametrize("asked", SHARED)
def test_both_refuse_it_alike(server: Serving, asked: str) -> None:
    one, backend = ADDRESSES[asked], Backend()
    refused: list[tuple[int, dict[str, str]]] = []  # each sentence about each place once
    for request in requests(one):
        expected = refusal(one, request)
        if expected is None or expected in refused:
            continue
        parts, query, body = request
        path = one.path.format(**{key: quote(part) for key, part in parts.items()}) + (f"?{query}" if query else "")
        headers = {} if body is None else {"content-type": "application/json"}
        answer = server.http.request(one.method, path, content=body, headers=headers)
        status, text = asyncio.run(backend.request(one.method, path, body))
        assert (answer.status_code, answer.json()["error"]) == (status, json.loads(text)["error"]) == expected, request
        refused.append(expected)
    assert refused or all(field.hint is str and field.where == "path" for field in one.fields.values())


def test_what_was_an_error_of_the_browser_alone_is_refused() -> None:
    for path, where in (("/api/me/games?limit=abc", "query.limit"), ("/api/puzzles/next?game=a&low=x", "query.low")):
        status, text = asyncio.run(Backend().request("GET", path))
        error = {"code": "bad-message", "where": where, "why": f"The field {where[6:]} must be a whole number."}
        assert (status, json.loads(text)["error"]) == (400, error)
