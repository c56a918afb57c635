"""Vacations: a person's clocks in correspondence games stand still, for some days a year."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tercet.server.api import tables
from tercet.server.tables import vacations
from tests.server.conftest import Serve, Serving, Visitor, code, state_of
from tests.server.people.browser import rows
from tests.server.people.test_notices import game, play
from tests.support.waiting import until

DAY = 86_400_000
DEADLINE = "select deadline from tables where id = :table"


def take(person: Visitor, days: int) -> Any:
    return person.http.post("/api/me/vacation", json={"days": days})


def test_the_clock_of_a_person_on_vacation_stands_still(server: Serving) -> None:
    dot, pip = server.visitor("dot"), server.visitor("pip")
    table = game(dot, pip)
    play(dot, table, 0, "Rd4")
    before = rows(server, DEADLINE, table=table)[0][0]
    answer = take(pip, 5).json()
    assert (answer["left"], answer["allowance"]) == (25, 30)
    until(lambda: state_of(server, table)["clock"]["away"] == [0, answer["until"]])
    assert rows(server, DEADLINE, table=table)[0][0] == pytest.approx(before + 5 * DAY, abs=60_000)
    assert state_of(server, table)["clock"]["left"][1] > 2 * DAY  # as when it began
    play(pip, table, 1, "Yd5")  # one may play all the same
    ended = take(pip, 0).json()
    assert (ended["until"], ended["left"]) == (None, 29)  # a day that has begun is used
    until(lambda: state_of(server, table)["clock"]["away"][1] < answer["until"])
    assert pip.http.get("/api/me/vacation").json() == ended


def test_games_that_begin_meanwhile_are_part_of_it(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vacations, "LOOK_SECONDS", 0.1)
    server = serve()
    dot, pip = server.visitor("dot"), server.visitor("pip")
    ends = take(pip, 3).json()["until"]
    table = game(dot, pip)
    play(dot, table, 0, "Rd4")
    until(lambda: state_of(server, table)["clock"]["away"] == [0, ends])
    assert [row[0] for row in rows(server, "select kind from events where kind = 'vacation'")] == ["vacation"]


def test_the_days_of_a_year_have_an_end(server: Serving) -> None:
    pip = server.visitor("pip")
    assert take(pip, 31).status_code == 400
    assert take(pip, 30).json()["left"] == 0
    refused = take(pip, 1)
    assert code(refused) == "not-possible"
    assert refused.json()["error"]["why"] == "You are on vacation already. End it first."
    assert take(pip, 0).json()["left"] == 29
    assert take(pip, 29).json()["left"] == 0
    assert take(pip, 0).json()["left"] == 28
    assert take(pip, 30).json()["error"]["why"] == "You have 28 days of vacation left this year."


def test_other_clocks_run_on(server: Serving) -> None:
    dot, pip = server.visitor("dot"), server.visitor("pip")
    table = dot.open("me", "open", clock={"kind": "fischer", "minutes": 5, "increment": 3})["id"]
    assert pip.sit(table, 1).status_code == 201
    play(dot, table, 0, "Rd4")
    assert take(pip, 5).status_code == 200
    assert state_of(server, table)["clock"]["away"] == []


def test_a_vacation_goes_with_its_player_to_the_seat_that_is_drawn(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of the seat that they had before stood still, too, and so their opponent's."""
    monkeypatch.setattr(vacations, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(tables, "draw_lots", lambda _: (1, 0))
    server = serve()
    dot, pip = server.visitor("dot"), server.visitor("pip")
    table = pip.open("me", "open", rated=True, clock={"kind": "correspondence", "days": 3})["id"]
    ends = take(pip, 3).json()["until"]
    looks = "select count(*) from events where kind = 'vacation'"
    time.sleep(0.3)  # a few looks at a table that waits
    assert dot.sit(table, 1).status_code == 201
    until(lambda: rows(server, looks)[0][0] > 0)
    assert state_of(server, table)["clock"]["away"] == [0, ends]


def test_a_guest_has_no_vacation(server: Serving) -> None:
    assert code(take(server.visitor(), 1)) == "not-signed-in"
