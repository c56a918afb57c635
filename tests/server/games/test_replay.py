"""The page gets the same answers from a server and from the backend in the browser."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tercet.browser.backend import Backend
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


def test_addresses_without_a_body(serve: Callable[..., Serving]) -> None:
    counted = replay(serve(), fixed())
    assert counted["200 lessons"] > 60
    assert counted["404 rules"] > 1


@pytest.mark.parametrize("number", [SOME, pytest.param(MANY, marks=[pytest.mark.long, pytest.mark.timeout(3600)])])
def test_requests_about_positions(serve: Callable[..., Serving], number: int) -> None:
    counted = replay(serve(), recorded(number, seed=number))
    assert sum(counted.values()) == number
    assert len(counted) > 15
