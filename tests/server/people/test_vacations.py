"""Vacations: a person's clocks in correspondence games stand still, for some days a year."""

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


def test_the_days_of_a_year_have_an_end(server: Serving) -> None:
    pip = server.visitor("pip")
    assert (take(pip, 31).status_code, take(pip, 30).json()["left"]) == (400, 0)
    refused = take(pip, 1)
    assert code(refused) == "not-possible"
    assert refused.json()["error"]["why"] == "You are on vacation already. End it first."
    assert [take(pip, days).json()["left"] for days in (0, 29, 0)] == [29, 0, 28]
    assert take(pip, 30).json()["error"]["why"] == "You have 28 days of vacation left this year."
    assert code(take(server.visitor(), 1)) == "not-signed-in"


def test_a_vacation_goes_with_its_player_to_the_drawn_seat(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
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
    late = game(dot, pip)  # games that begin meanwhile are part of it, too
    play(dot, late, 0, "Rd4")
    until(lambda: state_of(server, late)["clock"]["away"] == [0, ends])
    assert rows(server, looks) == [(2,)]
