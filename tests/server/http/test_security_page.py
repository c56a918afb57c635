"""docs/security.md: its claims have tests, its numbers are the code's, and what no other test tries is tried here."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import httpx
import pytest

from tercet.answers import starts
from tercet.server.api import accounts
from tercet.server.limits.budgets import ServerLimits
from tercet.server.people import identity
from tercet.server.web import connections
from tests.server.conftest import Serve, Serving
from tests.server.people.browser import Browser, rows
from tests.support.present import lacking

ROOT = Path(__file__).parents[3]
TOLD = (ROOT / "docs" / "security.md").read_text("utf-8")
TESTS = TOLD.partition("## The tests of each claim")[2]
HELD = dict(re.findall(r"^\| (.+?) \| (`[\w/:., `]+`) \|$", TESTS, re.MULTILINE))
TABLE = {"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "me"}, {"kind": "here"}]}


def test_each_claim_names_tests_that_there_are() -> None:
    done = TOLD.partition("## What is done")[2].partition("## Secrets and settings")[0]
    parts = [one.rstrip(".") for one in re.findall(r"^\*\*([\w' ]+?\.?)\*\*", done, re.MULTILINE)]
    assert len(parts) > 9
    for part in parts:
        assert any(claim.startswith(f"{part}: ") for claim in HELD), part
    for claim, tests in HELD.items():
        for file, names in re.findall(r"`([\w/]+\.py)((?:::\w+)*)`", tests):
            text = (ROOT / "tests" / file).read_text("utf-8")
            for name in names.split("::")[1:]:
                assert f"def {name}(" in text, (claim, name)


def test_the_limits_are_those_of_the_code() -> None:
    table = TOLD.partition("| name | usual | of |")[2].partition("\n\n")[0]
    told: dict[str, float] = {}
    for names, values in re.findall(r"^\| (`[\w`, ]+`) \| ([\d ,]+) \|", table, re.MULTILINE):
        numbers = [float(value.replace(" ", "")) for value in values.split(",")]
        told |= dict(zip(re.findall(r"\w+", names), numbers, strict=True))
    usual = {one.name: float(getattr(ServerLimits(), one.name)) for one in fields(ServerLimits)}
    assert told == usual | {"waiting_per_network": 60.0}
    # The numbers that stand in sentences.
    assert identity.PATROL_SECONDS == connections.FIRST_REQUEST_SECONDS == 20
    assert connections.RESERVED_DESCRIPTORS == 200
    assert lacking(TOLD, "within 20 seconds", "keeps 200 of them") == []


def test_an_account_has_so_many_sessions_and_tokens(serve: Serve, monkeypatch: Any) -> None:
    assert (accounts.MAX_SESSIONS, accounts.MAX_TOKENS) == (50, 20)
    monkeypatch.setattr(accounts, "MAX_SESSIONS", 2)
    monkeypatch.setattr(accounts, "MAX_TOKENS", 2)
    server = serve()
    browsers = [Browser(server, "manifold"), Browser(server), Browser(server)]
    for browser in browsers[1:]:
        assert browser.sign_in("manifold").status_code == 200
    assert [browser.me() is not None for browser in browsers] == [False, True, True]
    tokens = [browsers[1].post("/api/tokens", json={"name": f"t{number}"}).status_code for number in range(3)]
    assert tokens == [201, 201, 429]


def test_a_table_begins_with_a_record_of_a_bounded_length(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(text: str) -> httpx.Response:
        return server.http.post("/api/tables", json={"seats": TABLE["seats"], "record": text})

    assert starts.MAX_MOVES == 5000
    monkeypatch.setattr("tercet.answers.starts.MAX_MOVES", 3)
    record = '[Game "sanqi"]\n[Options "side=4"]\n\n1. Rd4 Yd5 2. Bc4{more} *'
    assert opened(record.format(more="")).status_code == 201
    assert "3" in opened(record.format(more=" Ye4")).json()["error"]["why"]
    assert opened("x" * 200_000).json()["error"]["code"] == "bad-record"
    assert opened("x" * 200_001).json()["error"]["where"].endswith("record")


def test_addresses_of_games_are_not_guessed(server: Serving) -> None:
    ids = {Browser(server).post("/api/tables", json=TABLE).json()["id"] for _ in range(3)}
    assert len(ids) == 3
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in ids)
    assert len({one[:4] for one in ids}) > 1


def test_no_address_of_anybody_is_written(proxied: Serving) -> None:
    headers = {"x-forwarded-for": "203.0.113.77", "user-agent": "Mozilla Firefox/128.0 Linux"}
    Browser(proxied, "somewhere", headers=headers).post("/api/tables", json=TABLE)
    proxied.stop()
    assert b"203.0.113" not in proxied.kept()
    proxied.start()
    assert not any("203.0.113" in str(row) for row in rows(proxied, "SELECT * FROM sessions"))
