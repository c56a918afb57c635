"""The site's worker in a real Chromium answers recorded requests of all three games as a server does, bit by bit."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.server.conftest import Serving
from tests.server.games.requests import Asked, fixed, recorded
from tests.server.games.test_malformed import heard_of_server, of_server, table_story, without_people, without_print
from tests.wasm.modules import GAMES
from tests.wasm.site import STARTED, Host, Site

SOME, MANY = 300, 10_000
BATCH = 50
REPLAY = """async (requests) => {
    const found = [];
    for (const [method, path, body] of requests) {
        const answer = await tercetBackend.fetch(path, { method, ...(body !== null && { body }) });
        found.push([answer.status, await answer.text()]);
    }
    return found;
}"""
TALK = """async ([asked, said, count]) => {
    const { id } = await (await tercetBackend.fetch("/api/tables", { method: "POST", body: asked })).json();
    const socket = tercetBackend.open(`/api/tables/${id}/live`);
    return new Promise((done) => {
        const heard = [];
        socket.onmessage = ({ data }) => {
            heard.push(data);
            if (heard.length === 1) for (const text of said) socket.send(text);
            if (heard.length === count) done(heard);
        };
    });
}"""
pytestmark = [pytest.mark.browser, pytest.mark.wasm]


def record(folder: Path, number: int) -> Path:
    """Ask a server. Return a file with a line for each request: method, path, body, and the server's answer.

    Puzzles are tried as in a run, which leaves ratings as they are: these depend on the time between two tries."""
    file, server = folder / "recorded.jsonl", Serving(folder / "server")
    try:
        with file.open("w", encoding="utf-8") as lines:
            for asked in chain(fixed(), recorded(number, seed=number)):
                if asked.path.startswith("/api/puzzles/") and asked.body is not None:
                    asked.body["run"] = True
                body = None if asked.body is None else json.dumps(asked.body)
                lines.write(json.dumps([asked.method, asked.path, body, of_server(server, asked)]) + "\n")
    finally:
        server.stop()
    return file


def bits(status: int, answer: Any) -> str:
    """Return an answer as text that is the same for the same numbers, and for no others."""
    return json.dumps(without_print((status, answer)), sort_keys=True)


def replay(site: Site, file: Path) -> Iterator[tuple[Asked, str, str]]:
    """Yield what was asked, and the answers of the server and of the worker."""
    with file.open(encoding="utf-8") as lines:
        while some := [json.loads(line) for line in islice(lines, BATCH)]:
            answers = site.page.evaluate(REPLAY, [line[:3] for line in some])
            for (method, path, body, wanted), (status, text) in zip(some, answers, strict=True):
                found = json.loads(text) if text.startswith(("{", "[")) else text
                yield Asked(method, path, json.loads(body or "null")), bits(*wanted), bits(status, found)


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(SOME, marks=pytest.mark.timeout(900)),
        pytest.param(MANY, marks=[pytest.mark.long, pytest.mark.timeout(7200)]),
    ],
)
def test_the_worker_answers_as_a_server(host: Host, page: Page, tmp_path: Path, number: int) -> None:
    file, counted, wrong = record(tmp_path, number), Counter[str](), []
    site = Site(page, host)
    page.wait_for_function(STARTED)
    for asked, wanted, found in replay(site, file):
        counted[f"{json.loads(found)[0]} {asked.path.split('/')[2]}"] += 1
        if found != wanted:
            wrong.append((asked, wanted, found))
    print(f"{sum(counted.values())} requests, {len(wrong)} answered otherwise:", dict(counted.most_common()))
    assert wrong == []
    assert sum(counted.values()) > number
    assert len(counted) > 15


@pytest.mark.timeout(900)
def test_tables_say_the_same(host: Host, page: Page, tmp_path: Path) -> None:
    server = Serving(tmp_path / "server")
    site = Site(page, host)
    page.wait_for_function(STARTED)
    for name in GAMES:
        asked, said = table_story(name)
        wanted = heard_of_server(server, asked, said)
        heard = site.page.evaluate(TALK, [json.dumps(asked), list(map(json.dumps, said)), len(wanted)])
        assert without_people([json.loads(text) for text in heard]) == without_people(wanted), name
    server.stop()
