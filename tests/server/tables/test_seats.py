"""Who sits where: open seats, links, persons, private games; all the ways to act for somebody else must fail."""

import time
from collections.abc import Callable
from typing import Any

import pytest

import tercet
from tercet.cli.people import people as moderate
from tercet.games import game_definition
from tercet.server.errors import Unreachable
from tercet.server.people import identity
from tercet.server.tables import registry
from tercet.server.tables import state as table_state
from tests.server.conftest import PASSWORD, Hands, Serve, Visitor, code, state_of
from tests.server.people.browser import rows
from tests.support.division import online_but
from tests.support.waiting import until

BLITZ = {"kind": "fischer", "minutes": 3, "increment": 2}
LONG = {"kind": "fischer", "minutes": 60, "increment": 0}


def token_of(link: str) -> str:
    return link.split("#seat=")[1]


def event_of(wire: Any, kind: str) -> dict[str, Any]:
    """The last event of this kind, or else the next one."""
    known = [heard for heard in wire.heard if heard.get("kind") == kind]
    found: dict[str, Any] = known[-1] if known else wire.until("event")
    while found["kind"] != kind:
        found = wire.until("event")
    return found


# Open seats -----------------------------------------------------------------------------------------------------------


def test_an_open_seat_is_taken_and_the_game_begins(server: Any) -> None:
    ann, bob, cyd = (server.visitor() for _ in range(3))
    table = ann.open("me", "open", clock=BLITZ)
    assert table["seats"][1] == {"seat": 1, "token": None, "link": None}
    wire = ann.wire(table["id"], table["seats"][0]["token"])
    state = wire.hear()["state"]
    assert (state["begun"], state["waiting"], state["mover"], state["creator"]) == (False, [1], None, True)
    assert [seat["kind"] for seat in state["seats"]] == ["person", "open"]
    assert wire.act(0, "Rd4")["code"] == "not-begun"
    answer = bob.sit(table["id"], 1, name="Bob")
    assert answer.status_code == 201
    token = answer.json()["token"]
    assert len(token) >= 32
    told = event_of(wire, "sit")
    assert (told["seat"], told["state"]["begun"], told["state"]["mover"]) == (1, True, 0)
    assert told["state"]["seats"][1]["name"] == "Bob"
    assert (code(cyd.sit(table["id"], 1)), code(cyd.sit(table["id"], 0))) == ("taken", "taken")
    assert code(cyd.sit(table["id"], 5)) == "bad-message"
    assert bob.sit(table["id"], 1).json() == {"id": table["id"], "seat": 1, "token": None}  # asked twice
    theirs = server.wire(table["id"], token)
    assert theirs.hear()["state"]["yourSeats"] == [1]
    assert wire.act(0, "Rd4")["type"] == "ack"
    assert theirs.act(1, "Yd5")["type"] == "ack"
    assert "Bob" in server.http.get(f"/api/tables/{table['id']}/record").text


def test_a_taken_seat_can_be_left_until_the_game_begins(server: Any) -> None:
    ann, bob, cyd = (server.visitor() for _ in range(3))
    table = ann.open("me", "open", "open", game="triplicity", options={})["id"]
    token = bob.sit(table, 1).json()["token"]
    assert code(cyd.http.delete(f"/api/tables/{table}/seats/1")) == "not-your-seat"
    assert code(ann.http.delete(f"/api/tables/{table}/seats/0")) == "not-allowed"
    wire = server.wire(table, token)
    assert wire.hear()["state"]["yourSeats"] == [1]
    assert bob.http.delete(f"/api/tables/{table}/seats/1").status_code == 200
    assert wire.until("snapshot")["state"]["yourSeats"] == []
    assert state_of(server, table)["waiting"] == [1, 2]
    assert server.wire(table, token).hear()["code"] == "not-your-seat"
    assert cyd.sit(table, 1).status_code == 201
    assert bob.sit(table, 2).status_code == 201
    assert code(bob.http.delete(f"/api/tables/{table}/seats/2")) == "not-allowed"


@pytest.fixture
def answer_lost(server: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Has the database not answer that it has written the next event, which it has."""
    store = server.app.state.services.registry.store
    append = store.append

    async def lost(*given: Any, **more: Any) -> bytes:
        monkeypatch.setattr(store, "append", append)
        await append(*given, **more)
        raise Unreachable

    return lambda: monkeypatch.setattr(store, "append", lost)


def test_seats_are_taken_and_links_made_though_the_database_is_silent(
    server: Any, answer_lost: Callable[[], None]
) -> None:
    """The server left the seat twice, and answered that it was not theirs."""
    ann, bob = server.visitor(), server.visitor()
    table = ann.open("me", "open", "open", game="triplicity", options={})["id"]
    answer_lost()
    taken = bob.sit(table, 1)
    assert taken.status_code == 201
    assert server.wire(table, taken.json()["token"]).hear()["state"]["yourSeats"] == [1]
    answer_lost()
    left = bob.http.delete(f"/api/tables/{table}/seats/1")
    assert (left.status_code, left.json()["number"]) == (200, 2)
    assert state_of(server, table)["waiting"] == [1, 2]
    # The new link was lost, and the old one, with which it was requested, no longer opened the seat.
    table = server.visitor().open("me", "friend")
    old = token_of(table["seats"][1]["link"])
    answer_lost()
    answer = server.http.post(f"/api/tables/{table['id']}/seats/1/link", params={"seat": old}, json={})
    assert answer.status_code == 201
    assert server.wire(table["id"], token_of(answer.json()["link"])).hear()["state"]["yourSeats"] == [1]


def test_a_request_to_leave_a_seat_that_comes_again_is_answered_the_same(server: Any) -> None:
    """The answer may be lost on its way. The repeated request was refused: by then the seat was no longer theirs."""
    ann, bob, cyd = (server.visitor() for _ in range(3))
    table = ann.open("me", "open", "open", game="triplicity", options={})["id"]
    seat = f"/api/tables/{table}/seats/1"
    token = bob.sit(table, 1).json()["token"]
    assert bob.http.delete(seat, params={"seat": token}).json()["number"] == 2
    assert bob.http.delete(seat, params={"seat": token}).json()["number"] == 2
    assert code(cyd.http.delete(seat)) == "not-your-seat"
    assert bob.sit(table, 1).status_code == 201
    assert [bob.http.delete(seat).json()["number"] for _ in range(2)] == [4, 4]
    assert cyd.sit(table, 1).status_code == 201
    assert code(bob.http.delete(seat)) == "not-your-seat"
    assert state_of(server, table)["waiting"] == [2]


def test_a_request_for_a_link_whose_answer_was_lost_gets_the_same_link_again(server: Any) -> None:
    """A guest without a cookie had neither the old link nor the new one. A thief of the old link still gets nothing."""
    table = server.visitor().open("me", "friend", watch="private")
    where, old = f"/api/tables/{table['id']}/seats/1/link", token_of(table["seats"][1]["link"])
    ask: dict[str, Any] = {"params": {"seat": old}, "json": {"id": "a-secret-of-the-client-1"}}
    first = server.http.post(where, **ask)
    again = server.http.post(where, **ask)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    new = token_of(first.json()["link"])
    assert server.wire(table["id"], new).hear()["state"]["yourSeats"] == [1]
    for body in ({}, {"id": "a-guess-of-the-thief--01"}):
        assert code(server.http.post(where, params={"seat": old}, json=body)) == "unknown-table"
    assert code(server.http.post(where, json=ask["json"])) == "unknown-table"
    assert code(server.http.post(where, params={"seat": new}, json={"id": "short"})) == "bad-message"
    ask["params"] = {"seat": new}
    other = token_of(server.http.post(where, **ask).json()["link"])  # to ask with the new link is another request
    assert other not in (old, new)


def test_a_guest_whose_answer_was_lost_opens_no_second_table(server: Any) -> None:
    """Only the answer carries the cookie, the seat's token and the friend's link: a guest needs it to use the table."""
    ask = {
        "id": "a-secret-of-the-client-1",
        "game": "sanqi",
        "options": {"side": 4},
        "seats": [{"kind": "me"}, {"kind": "friend"}],
    }
    lost, found, other = (server.visitor() for _ in range(3))
    first, again = lost.http.post("/api/tables", json=ask), found.http.post("/api/tables", json=ask)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert lost.http.cookies.get("tercet") == found.http.cookies.get("tercet")
    table, (mine, theirs) = again.json()["id"], again.json()["seats"]
    assert server.wire(table, mine["token"]).hear()["state"]["yourSeats"] == [0]
    assert server.wire(table, token_of(theirs["link"])).hear()["state"]["yourSeats"] == [1]
    assert found.http.post("/api/tables", json=ask | {"id": "another-secret-of-theirs"}).json()["id"] != table
    assert lost.open("me", "here")["id"] != table
    assert server.visitor("opener").open(*ask["seats"], id=ask["id"])["id"] != table
    assert code(other.http.post("/api/tables", json=ask | {"id": "short"})) == "bad-message"


def test_a_guest_whose_answer_was_lost_gets_the_same_seat_again(server: Any) -> None:
    """The answer has the guest's cookie and the seat's token. A new guest sat nowhere, and the seat was taken."""
    table = server.visitor().open("me", "open", "open", game="triplicity", options={})["id"]
    where, ask = f"/api/tables/{table}/seats/1", {"id": "a-secret-of-the-client-1"}
    lost, found, other = (server.visitor() for _ in range(3))
    first, again = lost.http.post(where, json=ask), found.http.post(where, json=ask)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert lost.http.cookies.get("tercet") == found.http.cookies.get("tercet")
    assert server.wire(table, again.json()["token"]).hear()["state"]["yourSeats"] == [1]
    assert found.wire(table).hear()["state"]["yourSeats"] == [1]
    for body in ({}, {"id": "a-guess-of-another-one-1"}):
        assert code(other.http.post(where, json=body)) == "taken"
    assert code(other.http.post(where, json={"id": "short"})) == "bad-message"
    assert found.http.post("/api/accounts", json={"handle": "lostfound", "password": "anything but that"}).is_success
    assert code(other.http.post(where, json=ask)) == "taken"  # the guest has become an account


def test_who_sits_down_is_told_of_it_before_the_table_as_it_stands_then(server: Any) -> None:
    """A snapshot that comes before the events which it holds has a client play them twice."""
    host, guest = server.visitor(), server.visitor()
    table = host.open("me", "open")
    guest.open("me", "here")  # from now on the browser has a cookie
    wire = guest.wire(table["id"])
    assert wire.hear()["state"]["number"] == 0
    assert guest.sit(table["id"], 1).status_code == 201
    told = [wire.until("event", "snapshot"), wire.until("event", "snapshot")]
    assert [one["type"] for one in told] == ["event", "snapshot"]
    assert [told[0]["number"], told[1]["state"]["number"]] == [1, 1]
    assert [one["state"]["yourSeats"] for one in told] == [[1], [1]]


def test_neither_who_sits_there_nor_whoever_is_blocked_sits_down(server: Any) -> None:
    ann = server.visitor()
    table = ann.open("me", "open")["id"]
    assert code(ann.sit(table, 1)) == "not-allowed"
    assert state_of(server, table)["waiting"] == [1]
    ann, bob = server.visitor("ann"), server.visitor("bob")
    assert ann.http.post("/api/me/blocks", json={"handle": bob.handle}).status_code == 200
    assert code(bob.sit(ann.open("me", "open")["id"], 1)) == "not-allowed"
    assert code(ann.sit(bob.open("me", "open")["id"], 1)) == "not-allowed"


def test_a_seat_for_a_bot_is_kept_for_it(server: Any) -> None:
    ann, bot, cyd = server.visitor("ann"), server.visitor("robot"), server.visitor()
    asked = {"kind": "bot", "handle": bot.handle}
    assert code(ann.try_to_open("me", asked)) == "bad-option"  # it is a person's account still
    assert code(ann.try_to_open("me", {"kind": "engine", "handle": bot.handle})) == "bad-option"
    assert bot.http.post("/api/me/bot", json={}).status_code < 300
    table = ann.open("me", asked)["id"]
    state = state_of(server, table)
    assert (state["waiting"], state["seats"][1]["kind"], state["seats"][1]["handle"]) == ([1], "bot", bot.handle)
    assert code(cyd.sit(table, 1)) == "not-allowed"
    early = bot.wire(table)
    assert early.hear()["state"]["yourSeats"] == []
    assert bot.sit(table, 1).status_code == 201
    assert early.until("snapshot")["state"]["yourSeats"] == [1]
    state = state_of(server, table)
    assert (state["begun"], state["seats"][1]["kind"]) == (True, "bot")


# Persons and links ----------------------------------------------------------------------------------------------------


def test_a_person_holds_his_seat_wherever_he_is_known(server: Any) -> None:
    ann, eve = server.visitor(), server.visitor()
    table = ann.open("me", "friend")["id"]
    here, there = ann.wire(table), ann.wire(table)
    assert here.hear()["state"]["yourSeats"] == there.hear()["state"]["yourSeats"] == [0]
    assert there.act(0, "Rd4")["type"] == "ack"
    assert event_of(here, "action")["action"] == "Rd4"
    assert eve.wire(table).hear()["state"]["yourSeats"] == []
    assert server.wire(table, cookie="tercet=g." + "0" * 24 + "." + "0" * 64).hear()["state"]["yourSeats"] == []


def test_a_friend_who_is_known_keeps_his_seat_without_the_link(server: Any) -> None:
    ann, bob = server.visitor(), server.visitor()
    bob.http.post("/api/me", json={"name": "Bob the friend"})
    table = ann.open("me", "friend")
    token = token_of(table["seats"][1]["link"])
    assert bob.wire(table["id"], token).until("snapshot")["state"]["yourSeats"] == [1]
    assert bob.wire(table["id"]).hear()["state"]["yourSeats"] == [1]
    assert state_of(server, table["id"])["seats"][1]["name"] == "Bob the friend"
    assert code(ann.http.post(f"/api/tables/{table['id']}/seats/1/link", json={})) == "not-your-seat"
    assert ann.wire(table["id"], token).hear()["state"]["yourSeats"] == [0]  # until somebody sat there
    assert bob.http.post(f"/api/tables/{table['id']}/seats/1/link", json={}).status_code == 201
    assert ann.wire(table["id"], token).until("snapshot")["state"]["yourSeats"] == [0]


def test_an_old_link_opens_nothing_once_it_is_replaced(server: Any) -> None:
    ann, eve = server.visitor(), server.visitor()
    table = ann.open("me", "friend")
    old = token_of(table["seats"][1]["link"])
    thief = server.wire(table["id"], old)
    assert thief.hear()["state"]["yourSeats"] == [1]
    where = f"/api/tables/{table['id']}/seats/1/link"
    assert code(eve.http.post(where, json={})) == "not-your-seat"
    answer = ann.http.post(where, json={})
    assert answer.status_code == 201
    new = token_of(answer.json()["link"])
    assert new != old
    assert thief.until("snapshot")["state"]["yourSeats"] == []
    assert ann.wire(table["id"]).act(0, "Rd4")["type"] == "ack"
    assert thief.act(1, "Yd5")["code"] == "not-your-seat"
    again = server.wire(table["id"], old)
    assert (again.hear()["code"], again.act(1, "Yd5")["code"]) == ("not-your-seat", "not-your-seat")
    assert server.wire(table["id"], new).act(1, "Yd5")["type"] == "ack"
    assert code(ann.http.post(f"/api/tables/{table['id']}/seats/4/link", json={})) == "not-allowed"
    assert code(ann.http.post(f"/api/tables/{table['id']}/seats/x/link", json={})) == "bad-message"


@pytest.mark.online
def test_no_process_takes_an_action_by_a_link_replaced_at_another(serve: Serve) -> None:
    server = serve()
    ann = server.visitor()
    table = ann.open("me", "friend")
    old = token_of(table["seats"][1]["link"])
    assert ann.wire(table["id"]).act(0, "Rd4")["type"] == "ack"
    other = server.another()
    try:
        thief = other.wire(table["id"], old)
        assert thief.hear()["state"]["yourSeats"] == [1]
        assert ann.http.post(f"/api/tables/{table['id']}/seats/1/link", json={}).status_code == 201
        assert thief.act(1, "Yd5")["code"] == "not-your-seat"  # though no word of it can have come there
        assert state_of(server, table["id"])["ply"] == 1
    finally:
        other.stop()


def _sign_out_elsewhere(ann: Visitor) -> None:
    assert ann.http.delete("/api/sessions").status_code == 200


def _change_password(ann: Visitor) -> None:
    answer = ann.http.post("/api/me/password", json={"old": PASSWORD, "new": f"new {PASSWORD}"})
    assert answer.status_code == 200, answer.text


def _recover(ann: Visitor) -> None:
    code = ann.http.post("/api/me/recovery/code", json={"password": PASSWORD}).json()["code"]
    ask = {"handle": ann.handle, "code": code, "password": f"new {PASSWORD}"}
    assert ann.http.post("/api/recovery/code", json=ask).status_code == 200


@pytest.mark.parametrize("secure", [_sign_out_elsewhere, _change_password, _recover])
def test_a_copied_seat_token_is_dead_once_its_owner_has_signed_out_everywhere(
    server: Any, secure: Callable[[Visitor], None]
) -> None:
    """A copy of the token that opened an account's seat plays no more, on an open socket or a new one; the owner does,
    and a seat that belongs to nobody known keeps its link."""
    ann = server.visitor("ann")
    table = ann.open("me", "friend")
    copied, link = table["seats"][0]["token"], token_of(table["seats"][1]["link"])
    thief = server.wire(table["id"], copied)
    assert thief.hear()["state"]["yourSeats"] == [0]
    secure(ann)
    assert (thief.until("snapshot")["state"]["yourSeats"], thief.act(0, "Rd4")["code"]) == ([], "not-your-seat")
    assert server.wire(table["id"], copied).act(0, "Rd4")["code"] == "not-your-seat"
    assert ann.wire(table["id"], copied).act(0, "Rd4")["type"] == "ack"
    assert server.wire(table["id"], link).act(1, "Yd5")["type"] == "ack"


def test_the_operator_s_reset_ends_copied_seat_tokens_in_a_running_server(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command writes to the database alone: the server sees it when it looks."""
    for module in (identity, registry):
        monkeypatch.setattr(module, "PATROL_SECONDS", 0.1)
    server = serve()
    ann = server.visitor("ann")
    table = ann.open("me", "here")
    thief = server.wire(table["id"], table["seats"][0]["token"])
    assert thief.hear()["state"]["yourSeats"] == [0]
    moderate("reset", ann.handle, server.folder, server.options.get("database"), everything=False, json=True)
    assert (thief.until("snapshot")["state"]["yourSeats"], thief.act(0, "Rd4")["code"]) == ([], "not-your-seat")


def test_acting_for_another_seat(server: Any) -> None:
    ann, bob, eve = (server.visitor() for _ in range(3))
    table = ann.open("me", "open")["id"]
    bob.sit(table, 1)
    mine, theirs, watcher = ann.wire(table), bob.wire(table), eve.wire(table)
    assert (mine.act(0, "Rd4", id="click")["type"], mine.act(1, "Yd5")["code"]) == ("ack", "not-your-turn")
    for wire, mistake in ((mine, "not-your-seat"), (watcher, "not-your-seat")):
        for kind in ("resign", "draw", "adjourn"):
            assert wire.ask(type=kind, seat=1)["code"] == mistake
    for kind in ("abort", "takeback", "continue", "rematch"):
        assert watcher.ask(type=kind)["code"] == "not-your-seat"
    assert watcher.act(1, "Yd5")["code"] == "not-your-seat"
    assert watcher.ask(type="claim", seat=0, what="win")["code"] == "not-your-seat"
    assert mine.act(1, "Yd5", id="click") == {"type": "ack", "id": "click", "number": 2}  # twice is once
    assert (theirs.act(0, "Yd5")["code"], theirs.act(1, "Yd5", id="click")["number"]) == ("stale-ply", 3)
    assert (mine.ask(type="resign")["type"], mine.act(2, "Bc4")["code"]) == ("ack", "over")
    assert (theirs.act(2, "Bc4")["code"], theirs.ask(type="abort")["code"]) == ("over", "over")
    assert state_of(server, table)["ply"] == 2


# Private games --------------------------------------------------------------------------------------------------------


def test_a_private_game_does_not_exist_for_others(server: Any) -> None:
    ann, bob, eve = (server.visitor() for _ in range(3))
    table = ann.open("me", "friend", watch="private")
    token = token_of(table["seats"][1]["link"])
    for somebody in (eve, server.visitor()):
        for path in ("", "/record", "/record?notes=true", "?seat=" + "x" * 32):
            for_real = somebody.http.get(f"/api/tables/{table['id']}{path}")
            for_none = somebody.http.get(f"/api/tables/{'0' * 16}{path}")
            assert (for_real.status_code, for_real.json()) == (404, for_none.json())
        assert code(somebody.sit(table["id"], 1)) == "unknown-table"
        assert code(somebody.http.delete(f"/api/tables/{table['id']}/seats/1")) == "unknown-table"
        assert code(somebody.http.post(f"/api/tables/{table['id']}/seats/1/link", json={})) == "unknown-table"
        assert code(somebody.try_to_open("me", "here", table=table["id"])) == "unknown-table"
        wire = somebody.wire(table["id"])
        assert (wire.hear()["code"], wire.until_closed()) == ("unknown-table", 4404)
        assert somebody.wire(table["id"], "x" * 32).hear()["code"] == "unknown-table"
    assert ann.http.get(f"/api/tables/{table['id']}").status_code == 200
    assert server.wire(table["id"], token).hear()["state"]["yourSeats"] == [1]
    assert bob.http.get(f"/api/tables/{table['id']}/record?seat={token}").status_code == 200
    assert table["id"] not in server.http.get("/api/lobby").text
    assert code(ann.try_to_open("me", "open", watch="private")) == "bad-option"
    assert code(ann.try_to_open("me", "here", watch="private", public=True)) == "bad-option"


# From here on ---------------------------------------------------------------------------------------------------------


def test_going_on_from_another_table(server: Any) -> None:
    ann, eve = server.visitor(), server.visitor()
    table = ann.open("me", "here")
    wire = ann.wire(table["id"], *(seat["token"] for seat in table["seats"]))
    for ply, action in enumerate(["Rd4", "Yd5", "Bc4"]):
        wire.act(ply, action)
    on = ann.open("me", "here", table=table["id"], ply=2)
    assert [move["text"] for move in state_of(server, on["id"])["moves"]] == ["Rd4", "Yd5"]
    assert code(eve.try_to_open("me", "here", table=table["id"])) == "not-allowed"
    assert code(ann.try_to_open("me", "here", table=table["id"], ply=4)) == "bad-record"
    assert code(ann.try_to_open("me", "here", table="0" * 16)) == "unknown-table"
    assert code(ann.try_to_open("me", "here", table=table["id"], position="sanqi/4 4/5/6/7/6/5/4 F -")) == "bad-message"
    wire.ask(type="resign", seat=0)
    assert state_of(server, eve.open("me", "here", table=table["id"])["id"])["ply"] == 3
    # Going on from a game that somebody has left.
    ann = server.visitor()
    table = ann.open("me", "here", "here", game="triplicity", options={})
    wire = ann.wire(table["id"], *(seat["token"] for seat in table["seats"]))
    state = wire.hear()["state"]
    for _ in range(3):
        wire.act(state["ply"], state["view"]["paths"][0][0])
        state = wire.heard[-2]["state"]
    wire.ask(type="resign", seat=1)
    state = wire.heard[-2]["state"]
    on = state_of(server, ann.open("me", "here", "here", table=table["id"])["id"])
    assert on["view"]["position"] == state["view"]["position"]


# Rated ----------------------------------------------------------------------------------------------------------------


def test_rated_games_are_between_accounts(server: Any) -> None:
    ann, bob, guest = server.visitor("ann"), server.visitor("bob"), server.visitor()
    assert code(guest.try_to_open("me", "open", clock=BLITZ, rated=True)) == "not-signed-in"
    assert code(ann.try_to_open("me", "open", rated=True)) == "bad-option"
    assert code(ann.try_to_open("me", "here", clock=BLITZ, rated=True)) == "bad-option"
    assert code(ann.try_to_open("me", {"kind": "engine", "level": 1}, clock=BLITZ, rated=True)) == "bad-option"
    assert code(ann.try_to_open("me", "me", clock=BLITZ, rated=True)) == "bad-option"
    start = "sanqi/4 4/5/6/7/6/5/4 F -"
    assert code(ann.try_to_open("me", "open", clock=BLITZ, rated=True, position=start)) == "bad-option"
    table = ann.open("me", "friend", clock=BLITZ, rated=True)
    assert table["seats"][1]["link"] == f"/t/{table['id']}"
    state = state_of(server, table["id"])
    assert (state["rated"], state["speed"], state["waiting"], state["watch"]) == (True, "blitz", [1], "link")
    assert code(guest.sit(table["id"], 1)) == "not-signed-in"
    assert bob.sit(table["id"], 1).status_code == 201
    state = state_of(server, table["id"])
    assert {seat["handle"] for seat in state["seats"]} == {ann.handle, bob.handle}
    assert table["id"] not in server.http.get("/api/lobby").text


RATED = {"clock": BLITZ, "rated": True}


def refused(answer: Any) -> str:
    """The sentence with which a table was refused as a rated one."""
    error = answer.json()["error"]
    assert (error["code"], error["where"]) == ("bad-option", "rated"), error
    sentence: str = error["why"]
    return sentence


def test_the_opener_of_a_rated_game_settles_neither_board_nor_start(server: Any) -> None:
    ann = server.visitor("ann")

    def why(game: str = "sparklies", seats: int = 2, **wish: Any) -> str:
        return refused(ann.try_to_open("me", *["open"] * (seats - 1), game=game, **{**RATED, **wish}))

    assert why(seed=1) == "A rated game has no chosen seed: the server draws the start."
    usual = "must keep its usual value."
    assert why(options={"handicap": "black.12", "board": "5x5"}) == f"In a rated game of Sparklies, Handicap {usual}"
    assert why(options={"dead": "c3"}) == f"In a rated game of Sparklies, Dead cells {usual}"
    assert why(options={"board": "2x2"}).startswith(
        "In a rated game of Sparklies, Board must be one of these: 5x5, 6x6"
    )
    assert "Attack must be one of these" in why(options={"attack": "1T"})
    assert why("sanqi", options={"side": 30}) == "In a rated game of SanQi, Side must be from 4 to 15."
    assert "takebacks are off or need the consent" in why("sanqi", takebacks="own")
    assert (
        why("triplicity", 3, options={"quiet_limit": 1})
        == f"In a rated game of Triplicity, Turns without progress {usual}"
    )
    for board in ("5x5", "hex4"):
        ann.open("me", "open", game="sparklies", options={"board": board}, **RATED)
    ann.open("me", "open", "open", game="triplicity", takebacks="own", **RATED)


def test_a_rated_game_without_options_begins_balanced(server: Any) -> None:
    ann, bob = server.visitor("ann"), server.visitor("bob")

    def options(**wish: Any) -> Any:
        opened = ann.open("me", "open", game="sanqi", **wish)
        return server.http.get(f"/api/tables/{opened['id']}").json()["table"]["options"]

    balanced = next(preset for preset in game_definition("sanqi").presets if preset.id == "balanced-8").options
    assert balanced == {"side": 8, "opening": "book"}
    wishes: tuple[dict[str, Any], ...] = ({}, {"options": {}})
    for wish in wishes:
        assert balanced.items() <= options(**RATED, **wish).items()
    assert options(**RATED, options={"opening": "free"})["opening"] == "free", "chosen by hand"
    assert options()["opening"] == "free", "not rated"
    table = ann.open("me", "open", game="sanqi", watch="link", **RATED)["id"]
    assert ann.http.post("/api/challenges", json={"handle": bob.handle, "table": table}).is_success
    assert bob.sit(table, 1).status_code == 201
    assert " S " in state_of(server, table)["view"]["position"], "Second moves from a position of the book"


def test_the_preview_says_why_a_game_is_never_rated_and_the_table_what_may_be_claimed(server: Any) -> None:
    def unrated(**options: Any) -> str | None:
        asked = {"game": "sparklies", "options": options}
        told: str | None = server.http.post("/api/preview", json=asked, headers={"Accept-Language": "en"}).json()[
            "unrated"
        ]
        return told

    assert unrated(board="7x7") is None
    assert unrated(flag=True) == "In a rated game of Sparklies, Flags must keep its usual value."

    def gone(**wish: Any) -> Any:
        return state_of(server, server.open("me", "friend", **wish)["id"])["gone"]

    assert gone(clock=BLITZ) == {"after": 120, "then": ["win", "engine"], "level": 5}
    assert gone() is None
    assert gone(clock={"kind": "correspondence", "days": 2}) is None
    assert gone(clock=BLITZ, gone=None) is None


def test_seats_of_a_rated_game_are_drawn_when_it_begins(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.server.api.tables.draw_lots", lambda seats: (2, 0, 1)[:seats])
    people = [server.visitor(name) for name in ("ann", "bob", "cid")]
    table = people[0].open("me", "open", "open", game="triplicity", **RATED)
    watching = server.wire(table["id"])
    assert people[2].sit(table["id"], 2).json()["seat"] == 2, "drawn only when all have come"
    assert people[1].sit(table["id"], 1).json()["seat"] == 0
    lots = event_of(watching, "lots")
    assert lots["seats"] == [2, 0, 1]
    assert [seat["handle"] for seat in lots["state"]["seats"]] == [people[1].handle, people[2].handle, people[0].handle]
    assert people[1].sit(table["id"], 1).json() == {"id": table["id"], "seat": 0, "token": None}, "asked twice"
    assert people[0].wire(table["id"]).hear()["state"]["yourSeats"] == [2]
    token = table["seats"][0]["token"]
    assert server.wire(table["id"], token).hear()["state"]["yourSeats"] == [2], "the token moves with the player"
    first = people[1].wire(table["id"])
    assert first.act(0, first.hear()["state"]["view"]["paths"][0][0])["type"] == "ack"
    record = tercet.read(server.http.get(f"/api/tables/{table['id']}/record").text)[0]
    names = [record.headers[player] for player in ("White", "Black", "Red")]
    assert names == [lots["state"]["seats"][seat]["name"] for seat in range(3)]


def test_the_rematch_of_a_game_rated_under_older_rules_is_not(server: Any) -> None:
    """The gate stands before every table: also where a table of before is played again."""
    ann, bob = server.visitor("ann"), server.visitor("bob")
    wish = {"game": "sparklies", "options": {"board": "2x2"}, "clock": LONG}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tercet.server.api.opening.why_unrated_table", lambda _settings: None)
        table = ann.open("me", "open", rated=True, **wish)["id"]
        bob.sit(table, 1)
    wires = [who.wire(table) for who in (ann, bob)]
    for wire in wires:
        wire.hear()
    assert state_of(server, table)["rated"]
    assert (wires[0].ask(type="resign")["type"], wires[0].ask(type="rematch")["type"]) == ("ack", "ack")
    assert wires[1].ask(type="answer", what="rematch", yes=True)["type"] == "ack"
    assert not state_of(server, event_of(wires[1], "rematch")["id"])["rated"]


@pytest.mark.parametrize("turns", [1, 4])
def test_a_game_that_is_too_short_is_shown_as_not_rated(server: Any, turns: int) -> None:
    ann, bob = server.visitor("ann"), server.visitor("bob")
    table = ann.open("me", "open", clock=LONG, rated=True)
    wire = server.wire(table["id"], table["seats"][0]["token"], bob.sit(table["id"], 1).json()["token"])
    state = wire.hear()["state"]
    for _ in range(turns):
        assert state["rated"]
        assert wire.act(state["ply"], state["view"]["paths"][0][0])["type"] == "ack"
        state = next(heard["state"] for heard in reversed(wire.heard) if heard["type"] == "event")
    assert wire.ask(type="resign", seat=0)["type"] == "ack"
    state = state_of(server, table["id"])
    assert (state["rated"], state["short"]) == (turns == 4, turns == 1)


def test_a_rated_game_that_is_over_is_not_taken_up_again(server: Any) -> None:
    ann, bob = server.visitor("ann"), server.visitor("bob")
    table = ann.open("me", "open", clock=LONG, rated=True)
    tokens = [table["seats"][0]["token"], bob.sit(table["id"], 1).json()["token"]]
    wire = server.wire(table["id"], *tokens)  # who has both tokens could agree with himself
    state = wire.hear()["state"]
    while not state["over"]:
        assert wire.act(state["ply"], state["view"]["paths"][0][0])["type"] == "ack"
        state = next(heard["state"] for heard in reversed(wire.heard) if heard["type"] == "event")
    assert wire.ask(type="takeback")["code"] == "over"


# Ends and breaks ------------------------------------------------------------------------------------------------------


def test_aborting(server: Any) -> None:
    table = server.open("me", "friend", clock=BLITZ)
    mine, theirs = (server.wire(table["id"], token) for token in table["tokens"])
    assert mine.act(0, "Rd4")["type"] == "ack"
    assert theirs.ask(type="abort")["type"] == "ack"
    state = event_of(mine, "abort")["state"]
    assert (state["over"], state["aborted"], state["result"]) == (True, True, "The game was aborted.")
    assert state["view"]["scene"]["state"] == "over"
    assert state["clock"]["running"] is None
    record = server.http.get(f"/api/tables/{table['id']}/record").text
    assert '[Termination "aborted"]' in record
    assert tercet.read(record)[0].result == "*"
    begun, wire = server.both()
    wire.act(0, "Rd4")
    wire.act(1, "Yd5")
    assert wire.ask(type="abort")["code"] == "not-possible"
    assert not state_of(server, begun)["aborted"]


def test_a_break_over_a_restart(serve: Serve) -> None:
    hands = Hands()
    server = serve(clock=hands)
    table = server.open("me", "friend", clock=BLITZ)
    mine, theirs = (server.wire(table["id"], token) for token in table["tokens"])
    assert mine.act(0, "Rd4")["type"] == "ack"
    hands.now += 30_000
    assert mine.ask(type="adjourn")["type"] == "ack"
    assert mine.ask(type="answer", what="adjourn", yes=True)["code"] == "not-your-turn"
    assert theirs.ask(type="answer", what="adjourn", yes=True)["type"] == "ack"
    state = event_of(mine, "adjourn")["state"]
    assert (state["adjourned"], state["mover"], state["clock"]["running"]) == (True, None, None)
    hands.now += 86_400_000
    server.restart()
    mine, theirs = (server.wire(table["id"], token) for token in table["tokens"])
    assert (theirs.act(1, "Yd5")["code"], theirs.ask(type="takeback")["code"]) == ("adjourned", "adjourned")
    hands.now += 86_400_000
    assert mine.ask(type="continue")["type"] == "ack"
    assert theirs.ask(type="continue")["type"] == "ack"  # the same offered back is a yes
    state = event_of(mine, "continue")["state"]
    assert (state["mover"], state["clock"]["left"]) == (1, [182_000, 150_000])
    assert theirs.act(1, "Yd5")["type"] == "ack"
    record = server.http.get(f"/api/tables/{table['id']}/record").text
    assert "1. Rd4 {adjourned; continued} 1... Yd5" in record
    assert tercet.read(record)[0].moves() == ["Rd4", "Yd5"]


def gone_for(wire: Any, seat: int, what: str) -> dict[str, Any]:
    """Claim until it is noticed that the other has hung up."""

    def answer_if_noticed() -> dict[str, Any] | None:
        answer: dict[str, Any] = wire.ask(type="claim", seat=seat, what=what)
        return None if answer.get("why", "").endswith(" is here.") else answer

    found = until(answer_if_noticed)
    assert found is not None
    return found


def test_who_has_gone_is_claimed_against(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_state, "LINGER_SECONDS", 0.05)
    hands = Hands()
    server = serve(clock=hands)
    table = server.open("me", "friend", clock=LONG, gone={"after": 60, "then": ["win"]})
    mine, theirs = (server.wire(table["id"], token) for token in table["tokens"])
    tab = server.wire(table["id"], table["tokens"][1])
    assert mine.hear()["state"]["gone"] == {"after": 60, "then": ["win"], "level": 5}
    mine.act(0, "Rd4")
    theirs.act(1, "Yd5")
    assert "is here" in mine.ask(type="claim", seat=1, what="win")["why"]
    theirs.close()  # he has another tab open still
    hands.now += 100_000
    time.sleep(0.2)  # what is tested: even after the pause before anybody is said to have gone
    assert "is here" in mine.ask(type="claim", seat=1, what="win")["why"]
    tab.close()
    assert "Wait 60 more seconds" in gone_for(mine, 1, "win")["why"]
    known = [heard for heard in mine.heard if heard["type"] == "here"]  # it may have come before the last answer
    here = known[-1] if known else mine.until("here")
    while here["seats"][1]["since"] is None:
        here = mine.until("here")
    assert here == {
        "type": "here",
        "seats": [{"seat": 0, "since": None, "came": True}, {"seat": 1, "since": hands.now, "came": True}],
        "watchers": 0,
    }
    hands.now += 59_000
    assert "Wait 1 more" in mine.ask(type="claim", seat=1, what="win")["why"]
    back = server.wire(table["id"], table["tokens"][1])
    back.hear()
    back.close()
    gone_for(mine, 1, "win")
    hands.now += 30_000
    assert mine.ask(type="claim", seat=1, what="win")["code"] == "not-possible"  # it counts anew
    assert mine.ask(type="claim", seat=1, what="engine")["code"] == "not-possible"
    hands.now += 30_000
    assert mine.ask(type="claim", seat=1, what="win")["type"] == "ack"
    state = state_of(server, table["id"])
    assert (state["over"], state["result"], state["left"]) == (True, "Second left the game. First wins.", [1])
    record = server.http.get(f"/api/tables/{table['id']}/record").text
    assert '[Termination "absence"]' in record
    assert '[Result "1-0"]' in record


def test_waiting_for_a_friend_is_no_absence(serve: Serve) -> None:
    hands = Hands()
    server = serve(clock=hands)
    ann, bob = server.visitor(), server.visitor("bob")
    table = ann.open("me", "friend", clock=BLITZ, gone={"after": 60, "then": ["win", "engine"]})
    mine = ann.wire(table["id"])
    state = mine.hear()["state"]
    assert state["away"] == [{"seat": 1, "since": hands.now, "came": False}]
    assert state["claims"] == [["engine"], ["engine"]], "before the second turn a game can be aborted, not won"
    hands.now += 300_000
    for what in ("win", "engine"):
        assert "has not joined yet" in mine.ask(type="claim", seat=1, what=what)["why"]
    theirs = bob.wire(table["id"], token_of(table["seats"][1]["link"]))
    told = mine.until("snapshot")["state"]["seats"][1]
    assert told["handle"] == bob.handle, "who he is shows as soon as he comes"
    mine.act(0, "Rd4")
    theirs.close()
    gone_for(mine, 1, "engine")
    hands.now += 60_000
    assert mine.ask(type="claim", seat=1, what="win")["code"] == "not-possible", "the table says so in `claims`"
    assert mine.ask(type="claim", seat=1, what="engine")["type"] == "ack"


def test_an_engine_plays_on_for_who_has_gone(serve: Serve) -> None:
    hands = Hands()
    server = serve(clock=hands)
    ann, bob, cyd = (server.visitor() for _ in range(3))
    wish = {"game": "triplicity", "options": {}, "gone": {"after": 30, "then": ["engine"], "level": 1}}
    table = ann.open({"kind": "me", "name": "Ann"}, "open", "open", **wish)["id"]
    token = bob.sit(table, 1, name="Bob").json()["token"]
    cyd.sit(table, 2, name="Cyd")
    wires = [ann.wire(table), bob.wire(table), cyd.wire(table)]
    first = wires[0].until("snapshot")["state"]["view"]["paths"][0][0]
    assert wires[0].act(0, first)["type"] == "ack"
    wires[1].close()
    gone_for(wires[2], 1, "engine")
    hands.now += 30_000
    assert wires[2].ask(type="claim", seat=1, what="engine")["type"] == "ack"
    event = event_of(wires[0], "claim")
    assert (event["seat"], event["by"], event["what"], event["level"]) == (1, 2, "engine", 1)
    assert (event["state"]["seats"][1]["kind"], event["state"]["replaced"]) == ("engine", [1])
    played = wires[0].until("event")
    assert (played["kind"], played["seat"]) == ("action", 1)  # it plays
    late = bob.wire(table, token)
    assert (late.hear()["state"]["yourSeats"], late.ask(type="resign", seat=1)["code"]) == ([], "not-your-seat")
    record = server.http.get(f"/api/tables/{table}/record").text
    assert '[Black "Bob, then engine, level 1"]' in record
    assert "{Black has left: engine, level 1, plays on}" in record
    assert tercet.read(record)[0].moves()[0] == first


def test_a_rematch_moves_everybody_one_seat_on(server: Any) -> None:
    ann, bob = server.visitor(), server.visitor()
    table = ann.open({"kind": "me", "name": "Ann"}, "open", clock=BLITZ, chat=True)
    mine = table["seats"][0]["token"]
    theirs = bob.sit(table["id"], 1, name="Bob").json()["token"]
    wires = [server.wire(table["id"], mine), server.wire(table["id"], theirs)]
    assert wires[0].ask(type="rematch")["code"] == "not-possible"
    wires[0].act(0, "Rd4")
    assert (wires[1].ask(type="resign")["type"], wires[0].ask(type="rematch")["type"]) == ("ack", "ack")
    assert state_of(server, table["id"])["offers"][0]["awaited"] == [1]
    assert wires[1].ask(type="answer", what="rematch", yes=True)["type"] == "ack"
    new = event_of(wires[0], "rematch")["id"]
    assert state_of(server, table["id"])["rematch"] == new
    assert wires[0].ask(type="rematch")["code"] == "not-possible"
    again = server.wire(new, mine)
    state = again.hear()["state"]
    assert (state["yourSeats"], state["after"], state["chat"]) == ([1], table["id"], True)
    assert [seat["name"] for seat in state["seats"]] == ["Bob", "Ann"]
    assert again.act(0, "Rd4")["code"] == "not-your-turn"
    assert bob.wire(new).act(0, "Rd4")["type"] == "ack"
    assert ann.wire(new).act(1, "Yd5")["type"] == "ack"


# The line -------------------------------------------------------------------------------------------------------------


def test_time_on_the_line_is_given_back(serve: Serve) -> None:
    hands = Hands()
    server = serve(clock=hands)
    table = server.open("me", "here", clock=BLITZ)
    slow = server.wire(table["id"], *table["tokens"])
    asked = slow.until("ping?")
    time.sleep(0.25)  # what is tested: a line this slow
    slow.say({"type": "pong", "n": asked["n"]})
    assert slow.act(0, "Rd4")["type"] == "ack"
    hands.now += 10_000
    assert slow.act(1, "Yd5")["type"] == "ack"
    event = next(heard for heard in reversed(slow.heard) if heard["type"] == "event")
    assert 250 <= event["lag"] <= 500
    assert event["state"]["clock"]["left"][1] == 180_000 - 10_000 + event["lag"] + 2000
    assert event["state"]["clock"]["lag"] == [0, event["lag"]]
    untold = server.open("me", "here", clock=BLITZ)
    wire = server.wire(untold["id"], *untold["tokens"])
    for made_up in (7, True, "1", None):  # answers to what was not asked
        wire.say({"type": "pong", "n": made_up})
    wire.act(0, "Rd4")
    wire.act(1, "Yd5")
    assert "lag" not in next(heard for heard in reversed(wire.heard) if heard["type"] == "event")


def test_whoever_passed_a_link_on_cannot_play_for_who_sat_down(server: Any) -> None:
    """Whoever opened the table knows the friend's token: it opens his seat no more once somebody known sits there."""
    ann, bob = server.visitor(), server.visitor()
    bob.http.post("/api/me", json={"name": "Robert"})
    table = ann.open("me", "friend")
    token = table["seats"][1]["link"].split("#seat=")[1]
    friend = bob.wire(table["id"], token)
    assert friend.until("snapshot")["state"]["yourSeats"] == [1]
    hers = ann.wire(table["id"], table["seats"][0]["token"], token)
    assert (hers.until("snapshot")["state"]["yourSeats"], hers.act(0, "Rd4")["type"]) == ([0], "ack")
    assert hers.act(1, "Yd5")["code"] == "not-your-turn"
    assert server.wire(table["id"], token).until("snapshot")["state"]["yourSeats"] == []
    again = bob.wire(table["id"], token)
    assert again.until("snapshot", "error")["state"]["yourSeats"] == [1]
    assert friend.act(1, "Yd5")["type"] == "ack"
    assert not [heard for heard in again.heard if heard["type"] == "error"]


# Names ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wish", "where"),
    [
        ({"gone": {"after": 5, "then": ["win"]}}, "body.gone.after"),
        ({"gone": {"after": 60, "then": ["money"]}}, "body.gone.then"),
        ({"gone": {"after": 60, "then": []}}, "body.gone.then"),
        ({"gone": 5}, "body.gone"),
        ({"clock": 5}, "body.clock"),
        ({"clock": {"kind": "fischer", "minutes": 3}}, "clock.increment"),
        ({"takebacks": "sometimes"}, "body.takebacks"),
        ({"confirm": 7}, "body.confirm"),
        ({"watch": "nobody"}, "body.watch"),
        ({"rated": "very"}, "body.rated"),
        ({"table": 5}, "body.table"),
    ],
)
def test_wishes_that_make_no_sense(server: Any, wish: dict[str, Any], where: str) -> None:
    body = {"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "me"}, {"kind": "here"}], **wish}
    answer = server.http.post("/api/tables", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["where"].startswith(where)


def test_a_person_has_so_many_tables_waiting(serve: Serve) -> None:
    server = serve()
    ann, bob = server.visitor(), server.visitor()
    tables = [ann.open("me", "open")["id"] for _ in range(12)]
    assert (code(ann.try_to_open("me", "open")), ann.try_to_open("me", "here").status_code) == ("too-many", 201)
    assert bob.sit(tables[0], 1).status_code == 201
    assert ann.try_to_open("me", "open").status_code == 201


CORRESPONDENCE = {"kind": "correspondence", "days": 3}
LEFT = [(moves, clock) for moves in (["Rd4"], ["Rd4", "Yd5", "Bc3", "Rc4"]) for clock in (None, BLITZ, CORRESPONDENCE)]


@pytest.mark.parametrize(
    ("moves", "clock"),
    online_but(lambda case: case in LEFT[::5], LEFT),
    ids=[f"{moves}-{clock}" for moves in ("abort", "loss") for clock in ("no clock", "blitz", "correspondence")],
)
def test_who_deletes_their_account_leaves_their_games(server: Any, clock: Any, moves: list[str]) -> None:
    """Their opponents had to wait out the clock, or for ever, or lost on time to an empty seat."""
    ann, bob = server.visitor("ann"), server.visitor("bob")
    table = ann.open("me", "open", clock=clock)["id"]
    assert bob.sit(table, 1).status_code == 201
    wires = [person.wire(table) for person in (ann, bob)]
    for wire in wires:
        wire.until("snapshot")
    for ply, move in enumerate(moves):
        assert wires[ply % 2].act(ply, move)["type"] == "ack"
    other = server.visitor()
    open_table, private = (ann.open("me", "open", clock=clock, watch=watch)["id"] for watch in ("public", "link"))
    of_three = other.open("me", "open", "open", game="triplicity", options={})["id"]
    assert ann.sit(of_three, 1).status_code == 201
    assert ann.http.request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    event = event_of(wires[1], "abort" if len(moves) == 1 else "claim")
    assert event["seat"] == 0
    assert event["state"]["over"]
    if len(moves) > 1:
        assert event["state"]["view"]["outcome"]["winners"] == [1]
    until(lambda: all(state_of(server, waiting)["aborted"] for waiting in (open_table, private)))
    until(lambda: open_table not in server.http.get("/api/lobby").text)
    state = until(lambda: (now := state_of(server, of_three))["waiting"] == [1, 2] and now)
    assert (state["over"], state["seats"][1]["kind"], state["seats"][1]["name"]) == (False, "open", None)
    answer = bob.sit(of_three, 1)
    assert answer.status_code == 201, answer.text
    assert state_of(server, of_three)["waiting"] == [2]


@pytest.mark.parametrize("at_once", [True, False], ids=["told", "found later"])
def test_challenges_of_and_to_a_deleted_account_are_given_up(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    """Also where an operator's command deleted them, of which no process hears."""
    monkeypatch.setattr(registry, "PATROL_SECONDS", 0.2)
    server = serve()
    ann, bob, cyd = (server.visitor(name) for name in ("ann", "bob", "cyd"))
    tables = {}
    for by, to in ((ann, bob), (bob, cyd), (cyd, ann), (bob, ann)):
        table = by.open("me", "open", clock=BLITZ, watch="link")["id"]
        made = by.http.post("/api/challenges", json={"handle": to.handle, "table": table})
        assert made.status_code == 201, made.text
        tables[by.handle, to.handle] = table
    if at_once:
        assert ann.http.request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    else:
        moderate("delete", ann.handle, server.folder, server.options.get("database"), everything=False, json=True)
    of_ann = [table for between, table in tables.items() if ann.handle in between]
    until(lambda: all(state_of(server, table)["aborted"] for table in of_ann))
    assert not state_of(server, tables[bob.handle, cyd.handle])["over"]
    assert bob.http.get("/api/me/challenges").json()["challenges"] == []
    assert len(bob.http.get("/api/me/challenges").json()["sent"]) == 1


def test_guests_who_sign_out_play_on_by_their_links(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "PATROL_SECONDS", 0.2)
    server = serve()
    ann, bob = server.visitor(), server.visitor()
    by_link = ann.open("me", "open")["id"]
    token = bob.sit(by_link, 1).json()["token"]
    without = ann.open("me", "open")["id"]
    assert bob.sit(without, 1).status_code == 201
    rows(server, "UPDATE seats SET token_hash = NULL WHERE table_id = :table", table=without)  # as if paired
    assert bob.http.delete("/api/session").status_code == 200
    until(lambda: state_of(server, without)["aborted"])
    state = server.wire(by_link, token).hear()["state"]
    assert (state["yourSeats"], state["over"]) == ([1], False)


def test_who_sits_where_a_deleted_person_sat_stays(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that looked before another one let the person leave must not take the next one out."""
    monkeypatch.setattr(registry, "PATROL_SECONDS", 0.05)
    server = serve()
    ann, bob, cyd = (server.visitor() for _ in range(3))
    table = cyd.open("me", "open", "open", game="triplicity", options={})["id"]
    assert ann.sit(table, 1).status_code == 201
    (gone,) = rows(server, "SELECT person_id FROM seats WHERE table_id = :id AND seat = 1", id=table)
    assert ann.http.request("DELETE", "/api/me").status_code == 200
    until(lambda: state_of(server, table)["waiting"] == [1, 2])
    assert bob.sit(table, 1).status_code == 201
    looks = []

    async def stale(_: Any) -> set[tuple[str, int | None, str]]:
        looks.append(1)
        return {(table, 1, gone[0])} if len(looks) % 2 else set()

    monkeypatch.setattr(type(server.app.state.services.registry.store), "left", stale)
    until(lambda: len(looks) > 4)
    assert state_of(server, table)["waiting"] == [2]
