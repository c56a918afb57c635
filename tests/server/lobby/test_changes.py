"""Whoever follows the lobby is told what has changed, not all of it again."""

import json
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
import sqlalchemy as sa

from tercet.answers.tables import TableInfo
from tercet.play.session import Seat, TableSettings
from tercet.server import lobby
from tercet.server.store.logs import SeatAccess
from tercet.server.store.schema import PEOPLE
from tercet.server.store.tables import Store
from tests.server.conftest import Patch, Serve, Serving
from tests.server.lobby.conftest import Board
from tests.server.people.browser import Browser


def test_followers_are_told_what_has_changed(server: Serving) -> None:
    ann, bob = server.visitor(), server.visitor()
    first = ann.open("me", "open")["id"]
    whole, changes, other = (Board(server, query) for query in ("", "?changes=true", "?game=triplicity"))
    for board, listed in ((whole, True), (changes, True), (other, False)):
        assert (first in [one["id"] for one in board.until("lobby")["open"]]) is listed
    second = bob.open("me", "open")["id"]
    assert first in [one["id"] for one in whole.shows_open(second)["open"]]
    told = changes.shows(lambda told: second in told["open"])
    assert [one["id"] for one in told["openChanged"]] == [second]
    assert first in told["open"]
    assert bob.sit(first, 1).status_code == 201
    assert second in changes.shows(lambda told: first not in told["open"])["open"]
    whole.shows(lambda told: first not in {one["id"] for one in told["open"]})
    there = ann.open("me", "open", "open", game="triplicity", options={})["id"]
    assert second not in json.dumps(other.shows_open(there))
    whole.say("x" * 2000)
    whole.until("error")
    assert server.http.get("/api/lobby").status_code == 200


def test_the_server_tells_a_page_at_a_time(serve: Serve) -> None:
    """However many tables wait: of each page so many, in one order, and followers of one hear of that alone."""
    server = serve()
    ids = [server.visitor().open("me", "open")["id"] for _ in range(7)][::-1]
    other = server.visitor().open("me", "open", "open", game="triplicity", options={})["id"]
    pages = [server.http.get(f"/api/lobby?game=sanqi&page={page}&size=3").json() for page in range(4)]
    assert [[one["id"] for one in told["open"]] for told in pages] == [ids[:3], ids[3:6], ids[6:], ids[6:]]
    assert [(told["total"], told["page"]) for told in pages] == [(7, 0), (7, 1), (7, 2), (7, 2)]
    assert server.http.get("/api/lobby").json()["total"] == 8
    for wrong in ("page=-1", "size=0", "size=101", "page=x", f"game={'x' * 41}"):
        assert server.http.get(f"/api/lobby?{wrong}").status_code == 400
    second, last = (Board(server, f"?changes=true&game=sanqi&size=3&page={page}") for page in (1, 9))
    assert [one["id"] for one in second.until("lobby")["open"]] == ids[3:6]
    assert [one["id"] for one in last.until("lobby")["open"]] == ids[6:]
    assert server.visitor().sit(ids[0], 1).status_code == 201
    told = second.until("lobby-changes")
    assert (told["open"], [one["id"] for one in told["openChanged"]]) == (ids[4:7], ids[6:])
    assert (told["total"], told["page"]) == (6, 1)
    told = last.until("lobby-changes")
    assert (told["open"], told["page"]) == (ids[4:7], 1)
    assert other not in json.dumps(second.heard + last.heard)


@pytest.mark.online
def test_throw_away_guests_of_two_networks_leave_a_table_on_the_first_page(proxied: Serving) -> None:
    """Each guest opens one table; two networks of them take the places of two tables, not of a page."""

    def opened(host: str) -> str:
        return Browser(proxied, headers={"x-forwarded-for": host}).open("me", "open", public=True)

    innocent = opened("198.51.100.7")
    hostile = [opened(f"{network}.{guest}") for guest in range(1, 9) for network in ("203.0.113", "192.0.2")]
    shown = [one["id"] for one in proxied.http.get("/api/lobby?size=6").json()["open"]]
    assert shown[:3] == [hostile[-1], hostile[-2], innocent]
    assert [one["id"] for one in Board(proxied, "?size=6").until("lobby")["open"]] == shown


def many(folder: Path, number: int) -> None:
    """Open ``number`` tables, each by somebody else."""
    settings = TableSettings("sanqi", {"side": 4}, (Seat("person"), Seat("open")), watch="public")
    engine = sa.create_engine(f"sqlite:///{folder / 'tercet.sqlite'}", poolclass=sa.NullPool)
    with engine.begin() as connection:
        for one in range(number):
            person = f"p{one}"
            connection.execute(PEOPLE.insert().values(id=person, kind="guest", name=f"Somebody {one}", created=0.0))
            table = TableInfo(f"t{one}", settings, "unlimited", person, public=True)
            Store.opening(table, {0: SeatAccess(None, person)})(connection)


@pytest.mark.online
def test_of_thousands_of_tables_only_those_are_read_that_are_shown(serve: Serve, monkeypatch: Patch) -> None:
    """And where one is opened, it alone is read; a change is told in as many bytes as on an empty evening."""
    shown, listed = AsyncMock(side_effect=lobby.data_of), AsyncMock(side_effect=lobby.waiting)
    server = serve()
    server.stop()
    many(server.folder, 4600)
    monkeypatch.setattr(lobby, "data_of", shown)
    monkeypatch.setattr(lobby, "waiting", listed)
    server.start()
    wire = Board(server, "?changes=true&size=6")
    assert wire.until("lobby")["total"] == 4600
    for _ in range(3):  # everything is read anew now and then, and may be just now
        listed.reset_mock()
        table = server.visitor().open("me", "open")["id"]
        while table not in (heard := wire.until("lobby-changes"))["open"]:
            pass
        if None not in (ids := [asked.args[1] for asked in listed.await_args_list]):
            break
    assert (heard["open"][0], heard["total"] > 4600) == (table, True)
    assert max(len(asked.args[1]) for asked in shown.await_args_list) <= 6
    assert {len(one) for one in ids} == {1}
    assert len(json.dumps(heard)) < 1500
