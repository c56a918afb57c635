"""Quick pairing, as clients of one or more servers see it."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tercet.server import pairing
from tests.server.conftest import Lines, Serve, Serving, Visitor
from tests.server.people.browser import rows
from tests.support.limits import OPEN
from tests.support.waiting import until


class Waiting(Lines):
    """A person who waits to be paired."""

    def __init__(self, person: Visitor, game: str = "sanqi", time: str = "5+3", rated: bool = False) -> None:
        body = {"game": game, "time": time, "rated": rated}
        super().__init__(person.http, "/api/pairing", "POST", **body)
        assert self.hear() == {"type": "waiting", **body}

    def table(self) -> str:
        message = self.hear()
        assert message["type"] == "paired", message
        return str(message["table"])


def seeking(server: Serving, game: str = "sanqi") -> list[tuple[str, bool, int]]:
    """Who waits, as the lobby says."""
    told = server.http.get(f"/api/lobby?game={game}").json()["seeking"]
    return [(one["time"], one["rated"], one["people"]) for one in told]


Wait = Callable[..., Waiting]


@pytest.fixture
def server(serve: Serve) -> Serving:
    return serve()


@pytest.fixture
def wait() -> Iterator[Wait]:
    """Has people wait; they leave when the test ends."""
    with contextlib.ExitStack() as opened:
        yield lambda *given, **how: opened.enter_context(contextlib.closing(Waiting(*given, **how)))


def test_two_guests_are_paired_and_sit_there_without_a_token(server: Serving, wait: Wait) -> None:
    ann, bob = server.visitor(), server.visitor()
    first = wait(ann)
    assert seeking(server) == [("5+3", False, 1)]
    second = wait(bob)
    table = first.table()
    assert second.table() == table
    assert [one.wire(table).hear()["state"]["yourSeats"] for one in (ann, bob)] in ([[0], [1]], [[1], [0]])
    state = server.http.get(f"/api/tables/{table}").json()["state"]
    assert (state["rated"], state["clock"]["control"]["kind"], state["waiting"]) == (False, "fischer", [])
    until(lambda: rows(server, "SELECT count(*) FROM seeks") == [(0,)])
    assert seeking(server) == []


def test_people_are_paired_who_want_the_same_three_for_a_game_of_three(server: Serving, wait: Wait) -> None:
    three = [wait(server.visitor(), game="triplicity") for _ in range(3)]
    assert len({one.table() for one in three}) == 1
    for how in ({}, {"time": "15+10"}, {"game": "sparklies"}):
        wait(server.visitor(), **how)
    carl, dora = server.visitor("carl"), server.visitor("dora")
    first = wait(carl, rated=True)
    assert seeking(server) == [("15+10", False, 1), ("5+3", False, 1), ("5+3", True, 1)]
    second = wait(dora, rated=True)
    table = first.table()
    assert second.table() == table
    assert server.http.get(f"/api/tables/{table}").json()["state"]["rated"] is True
    assert seeking(server) == [("15+10", False, 1), ("5+3", False, 1)]


def test_a_person_waits_once_and_a_deleted_guest_no_more(server: Serving, wait: Wait) -> None:
    ann = server.visitor()
    first = wait(ann)
    second = wait(ann, time="15+10")
    assert first.hear() == {"type": "replaced"}
    assert seeking(server) == [("15+10", False, 1)]
    second.close()
    until(lambda: seeking(server) == [])
    assert rows(server, "SELECT count(*) FROM seeks") == [(0,)]
    third = wait(ann)
    assert ann.http.request("DELETE", "/api/me").status_code == 200
    with pytest.raises(StopIteration):
        third.hear()
    assert rows(server, "SELECT count(*) FROM seeks") == [(0,)]


def test_who_is_not_paired(server: Serving) -> None:
    guest, bot = server.visitor(), server.visitor("robot")
    assert bot.http.post("/api/me/bot").status_code == 200
    for person, body, refused in (
        (guest, {"game": "chess", "time": "5+3"}, (404, "game")),
        (guest, {"game": "sanqi", "time": "1+0"}, (400, "body.time")),
        (guest, {"game": "sanqi", "time": "5+3", "rated": True}, (401, "rated")),
    ):
        answer = person.http.post("/api/pairing", json=body)
        assert (answer.status_code, answer.json()["error"]["where"]) == refused
    assert rows(server, "SELECT count(*) FROM seeks") == [(0,)]


def test_people_who_blocked_each_other_or_just_aborted_a_game_are_kept_apart(server: Serving, wait: Wait) -> None:
    ann, bob, carl, dora = (server.visitor(name) for name in ("ann", "bob", "carl", "dora"))
    assert ann.http.post("/api/me/blocks", json={"handle": bob.handle}).status_code == 200
    first, second = wait(ann), wait(bob)
    third = wait(carl)
    table = first.table()
    assert third.table() == table
    assert carl.wire(table).ask(type="abort")["type"] == "ack"
    again = wait(carl)
    assert second.table() == again.table()
    first, third = wait(ann), wait(carl)
    assert wait(dora).table() == first.table()
    assert seeking(server) == [("5+3", False, 1)]
    third.close()


def test_a_network_has_so_many_who_wait(serve: Serve, wait: Wait) -> None:
    server = serve(limits=replace(OPEN, waiting_per_network=2))
    for game in ("sanqi", "sparklies"):
        wait(server.visitor(), game=game)
    refused = server.visitor().http.post("/api/pairing", json={"game": "triplicity", "time": "5+3"})
    assert refused.json()["error"]["why"] == "2 people from your network are already waiting for a game."


@pytest.mark.online
def test_people_of_two_processes_are_paired_and_of_dead_ones_forgotten(server: Serving, wait: Wait) -> None:
    other = server.another()
    first, second = wait(server.visitor()), wait(other.visitor())
    assert first.table() == second.table()
    until(lambda: rows(server, "SELECT count(*) FROM seeks") == [(0,)])
    lost = wait(server.visitor())
    rows(server, "UPDATE seeks SET owner = 999")  # a process that is gone
    until(lambda: rows(server, "SELECT owner FROM seeks") not in ([], [(999,)]), what="the wish was not renewed")
    lost.close()
    until(lambda: rows(server, "SELECT count(*) FROM seeks") == [(0,)])
    person = rows(server, "SELECT id FROM people")[0][0]
    of_the_gone = "INSERT INTO seeks (person_id, id, game, time, rated, since, owner) "
    rows(server, of_the_gone + "VALUES (:person, 'x', 'sanqi', '5+3', false, 0, 999)", person=person)
    wait(other.visitor())
    until(lambda: rows(server, "SELECT count(*) FROM seeks") == [(1,)])
    other.stop()


def test_the_lobby_counts_who_is_there(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.server.lobby.PULSE_SECONDS", 0.1)
    server = serve()
    ann, bob = server.visitor(), server.visitor()
    for person in (ann, bob, ann):
        person.wire(person.open("me", "here")["id"]).hear()
    until(lambda: server.http.get("/api/lobby").json()["online"] == 2)
    assert pairing.CLOCKS.keys() == {"5+3", "15+10"}
