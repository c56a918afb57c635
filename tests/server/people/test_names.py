"""No two accounts have names that read alike, also where they ask for them at the same time."""

import asyncio
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx
import pytest

from tercet.server.people import identity
from tests.server.conftest import Serve, Serving
from tests.server.people.browser import Browser, code, rows

NUMBERS = itertools.count(1)
TAKEN = (409, "taken", "name")
SAME = ["Paula Ibsen", "PAULA Ibsen", "PAULA IBSEN", "Paula lbsen", "Paula  Ibsen", "Pau1a Ibsen"]


def member(server: Serving, name: str | None = None) -> Browser:
    return Browser(server, f"member-{next(NUMBERS)}", name)


AtOnce = Callable[..., list[httpx.Response]]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> AtOnce:
    """Asks all that is given at once: ``checks`` names are found to be free before one of them is written."""
    passed: list[float] = []
    check = identity.free_name

    def ask(*asked: Callable[[], httpx.Response], checks: int) -> list[httpx.Response]:
        async def checked(*what: Any) -> str:
            found = await check(*what)
            if "handle" in what:
                return found
            passed.append(checks)
            async with asyncio.timeout(30):
                while len(passed) < checks:
                    await asyncio.sleep(0.002)
            return found

        passed.clear()
        monkeypatch.setattr(identity, "free_name", checked)
        with ThreadPoolExecutor(len(asked)) as threads:
            answers = list(threads.map(lambda one: one(), asked))
        monkeypatch.setattr(identity, "free_name", check)
        return answers

    return ask


@pytest.mark.online
def test_of_six_who_take_a_name_at_once_one_gets_it(serve: Serve, at_once: AtOnce) -> None:
    """All of them got it. They ask two processes on one database."""
    here = serve()
    members = [member(server) for server in (here, here.another()) * 3]
    before = [one.me()["name"] for one in members]
    asked = [partial(one.post, "/api/me", json={"name": name}) for one, name in zip(members, SAME, strict=True)]
    answers = at_once(*asked, checks=6)
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 5
    for one, name, old, answer in zip(members, SAME, before, answers, strict=True):
        if answer.status_code == 200:
            assert one.me()["name"] == " ".join(name.split())
        else:
            again = one.post("/api/me", json={"name": name})
            assert (code(answer), code(again), one.me()["name"]) == (TAKEN, TAKEN, old)
            assert one.post("/api/me", json={"name": old}).status_code == 200  # their own may stay


def test_of_a_sign_up_and_a_rename_at_once_one_gets_the_name(serve: Serve, at_once: AtOnce) -> None:
    server = serve()
    one, other = member(server), Browser(server)
    renames = partial(one.post, "/api/me", json={"name": "Quentin Marsh"})
    answers = at_once(renames, partial(other.sign_up, "quicksilver", name="quentin marsh"), checks=2)
    assert [answer.status_code for answer in answers] in ([200, 409], [409, 201])
    assert code(next(answer for answer in answers if answer.status_code == 409)) == TAKEN
    assert (other.me() is None) == (answers[1].status_code == 409)


def test_of_two_who_sign_up_with_usernames_that_read_alike_one_gets_in(serve: Serve, at_once: AtOnce) -> None:
    server = serve()
    asked = {"rosalind9": "Rosa", "rosa1ind9": "Linda"}
    signs = [partial(Browser(server).sign_up, handle, name=name) for handle, name in asked.items()]
    done, refused = sorted(at_once(*signs, checks=2), key=lambda answer: answer.status_code)
    assert (done.status_code, code(refused)) == (201, (409, "taken", "handle"))


def test_of_twins_in_a_database_the_older_keeps_the_name_and_the_other_is_told(serve: Serve) -> None:
    server = serve()
    members = [member(server, name=f"Twin {letter}") for letter in "abc"]
    handles = [one.me()["handle"] for one in members]
    for handle, name in zip(handles, ("Ulrike Nord", "ulrike nord", "U" + "x" * 39), strict=True):
        rows(server, "UPDATE people SET name = :name WHERE handle = :handle", name=name, handle=handle)
    late = member(server, name="Late")
    rows(server, "UPDATE people SET name = :n WHERE handle = :h", n="U" + "X" * 39, h=late.me()["handle"])
    rows(server, "DELETE FROM kept WHERE name = 'skeletons'")
    cookies = [one.cookie for one in (*members, late)]
    server.restart()
    *members, late = [Browser(server, cookies={"tercet": cookie}) for cookie in cookies]
    told = [one.get("/api/me").json() for one in members]
    assert [one["person"]["name"] for one in told[:2]] == ["Ulrike Nord", "ulrike nord 2"]
    assert [one.get("was") for one in told] == [None, "ulrike nord", None]
    assert late.get("/api/me").json()["was"] == "U" + "X" * 39
    assert late.me()["name"] == "U" + "X" * 35 + " 2"
    assert code(members[1].post("/api/me", json={"name": "Ulrike Nord"})) == TAKEN
    assert members[1].post("/api/me", json={"name": "Ulrike Sued"}).json().get("was") is None
    assert "was" not in members[1].get("/api/me").json()
    server.restart()  # once
    assert Browser(server, cookies={"tercet": cookies[3]}).me()["name"] == "U" + "X" * 35 + " 2"
