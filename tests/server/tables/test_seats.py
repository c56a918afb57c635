"""Who sits where: open seats, links, persons, private games; all the ways to act for somebody else must fail."""

import time
from typing import Any

import pytest

import tercet
from tercet.cli.people import people as moderate
from tercet.games import game_definition
from tercet.server.errors import Unreachable
from tercet.server.people import identity
from tercet.server.tables import registry
from tercet.server.tables import state as table_state
from tests.server.conftest import PASSWORD, Hands, Serve, Visitor, code, play, state_of
from tests.server.people.browser import rows
from tests.support.division import online_but
from tests.support.waiting import until

THREE: dict[str, Any] = {"game": "triplicity", "options": {}}
START = "sanqi/4 4/5/6/7/6/5/4 F -"
BLITZ = {"kind": "fischer", "minutes": 3, "increment": 2}
LONG = {"kind": "fischer", "minutes": 60, "increment": 0}
RATED = {"clock": BLITZ, "rated": True}


def token_of(link: str) -> str:
    return link.split("#seat=")[1]


def test_an_open_seat_is_taken_and_the_game_begins(server: Any) -> None:
    ann, bob, cyd = (server.visitor() for _ in range(3))
    opened = ann.open("me", "open", clock=BLITZ)
    table = opened["id"]
    assert opened["seats"][1] == {"seat": 1, "token": None, "link": None}
    wire = ann.wire(table, opened["tokens"][0])
    state = wire.hear()["state"]
    assert (state["begun"], state["waiting"], state["mover"], state["creator"]) == (False, [1], None, True)
    assert [seat["kind"] for seat in state["seats"]] == ["person", "open"]
    assert (wire.act(0, "Rd4")["code"], code(ann.sit(table, 1))) == ("not-begun", "not-allowed")
    answer = bob.sit(table, 1, name="Bob")
    token = answer.json()["token"]
    assert (answer.status_code, len(token) >= 32) == (201, True)
    state = wire.last("event", kind="sit", seat=1)["state"]
    assert (state["begun"], state["mover"], state["seats"][1]["name"]) == (True, 0, "Bob")
    assert [code(cyd.sit(table, seat)) for seat in (1, 0, 5)] == ["taken", "taken", "bad-message"]
    assert bob.sit(table, 1).json() == {"id": table, "seat": 1, "token": None}  # asked twice
    theirs = server.wire(table, token)
    assert (theirs.hear()["state"]["yourSeats"], theirs.state["view"]["paths"]) == ([1], [])  # it is not their turn
    play([wire, theirs], "Rd4 Yd5")
    assert "Bob" in server.http.get(f"/api/tables/{table}/record").text


def test_a_taken_seat_can_be_left_until_the_game_begins(server: Any) -> None:
    """A request to leave that comes again, as its answer was lost, is answered the same: it was refused."""
    ann, bob, cyd = (server.visitor() for _ in range(3))
    table = ann.open("me", "open", "open", **THREE)["id"]
    seat = f"/api/tables/{table}/seats/1"
    token = bob.sit(table, 1).json()["token"]
    assert code(cyd.http.delete(seat)) == "not-your-seat"
    assert code(ann.http.delete(f"/api/tables/{table}/seats/0")) == "not-allowed"
    wire = server.wire(table, token)
    assert wire.hear()["state"]["yourSeats"] == [1]
    assert [bob.http.delete(seat, params={"seat": token}).json()["number"] for _ in range(2)] == [2, 2]
    assert wire.until("snapshot")["state"]["yourSeats"] == []
    assert state_of(server, table)["waiting"] == [1, 2]
    assert server.wire(table, token).hear()["code"] == code(cyd.http.delete(seat)) == "not-your-seat"
    assert bob.sit(table, 1).status_code == 201
    assert [bob.http.delete(seat).json()["number"] for _ in range(2)] == [4, 4]
    assert cyd.sit(table, 1).status_code == 201
    assert code(bob.http.delete(seat)) == "not-your-seat"
    assert state_of(server, table)["waiting"] == [2]
    assert bob.sit(table, 2).status_code == 201
    assert code(bob.http.delete(f"/api/tables/{table}/seats/2")) == "not-allowed"


def test_seats_and_links_are_given_though_the_database_is_silent(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server left the seat twice, and answered that it was not theirs."""
    store = server.app.state.services.registry.store
    append = store.append

    async def write_and_fail(*given: Any, **more: Any) -> bytes:
        monkeypatch.setattr(store, "append", append)
        await append(*given, **more)
        raise Unreachable

    def lose_an_answer() -> None:
        monkeypatch.setattr(store, "append", write_and_fail)

    ann, bob = server.visitor(), server.visitor()
    table = ann.open("me", "open", "open", **THREE)["id"]
    lose_an_answer()
    assert server.wire(table, bob.sit(table, 1).json()["token"]).hear()["state"]["yourSeats"] == [1]
    lose_an_answer()
    assert bob.http.delete(f"/api/tables/{table}/seats/1").json()["number"] == 2
    assert state_of(server, table)["waiting"] == [1, 2]
    # The new link was lost, and the old one, with which it was requested, no longer opened the seat.
    table = server.visitor().open("me", "friend")
    query = {"seat": table["tokens"][1]}
    lose_an_answer()
    answer = server.http.post(f"/api/tables/{table['id']}/seats/1/link", params=query, json={})
    assert server.wire(table["id"], token_of(answer.json()["link"])).hear()["state"]["yourSeats"] == [1]


def test_a_request_for_a_link_whose_answer_was_lost_gets_the_same_link_again(server: Any) -> None:
    """A guest without a cookie had neither the old link nor the new one. A thief of the old link still gets nothing."""
    table = server.visitor().open("me", "friend", watch="private")
    old, mine = table["tokens"][1], {"id": "a-secret-of-the-client-1"}

    def ask(body: Any, **query: str) -> Any:
        return server.http.post(f"/api/tables/{table['id']}/seats/1/link", params=query, json=body)

    first, again = (ask(mine, seat=old).json()["link"] for _ in range(2))
    assert first == again
    new = token_of(first)
    assert server.wire(table["id"], new).hear()["state"]["yourSeats"] == [1]
    for body in ({}, {"id": "a-guess-of-the-thief--01"}):
        assert code(ask(body, seat=old)) == "unknown-table"
    assert code(ask(mine)) == "unknown-table"
    assert code(ask({"id": "short"}, seat=new)) == "bad-message"
    other = token_of(ask(mine, seat=new).json()["link"])  # to ask with the new link is another request
    assert other not in (old, new)


def asked_twice(path: str, ask: dict[str, Any], *guests: Visitor) -> Any:
    """Ask as two guests the same, since the answer was lost: they get one answer and are one guest from now on."""
    first, again = (guest.http.post(path, json=ask) for guest in guests)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert guests[0].http.cookies.get("tercet") == guests[1].http.cookies.get("tercet")
    return again.json()


def test_a_guest_whose_answer_was_lost_opens_no_second_table(server: Any) -> None:
    """Only the answer carries the cookie, the seat's token and the friend's link: a guest needs it to use the table."""
    seats = [{"kind": "me"}, {"kind": "friend"}]
    ask = {"id": "a-secret-of-the-client-1", "game": "sanqi", "options": {"side": 4}, "seats": seats}
    lost, found, other = (server.visitor() for _ in range(3))
    opened = asked_twice("/api/tables", ask, lost, found)
    table, (mine, theirs) = opened["id"], opened["seats"]
    assert server.wire(table, mine["token"]).hear()["state"]["yourSeats"] == [0]
    assert server.wire(table, token_of(theirs["link"])).hear()["state"]["yourSeats"] == [1]
    assert found.http.post("/api/tables", json=ask | {"id": "another-secret-of-theirs"}).json()["id"] != table
    assert lost.open("me", "here")["id"] != table
    assert server.visitor("opener").open(*seats, id=ask["id"])["id"] != table
    assert code(other.http.post("/api/tables", json=ask | {"id": "short"})) == "bad-message"


def test_a_guest_whose_answer_was_lost_gets_the_same_seat_again(server: Any) -> None:
    """The answer has the guest's cookie and the seat's token. A new guest sat nowhere, and the seat was taken."""
    table = server.visitor().open("me", "open", "open", **THREE)["id"]
    where, ask = f"/api/tables/{table}/seats/1", {"id": "a-secret-of-the-client-1"}
    lost, found, other = (server.visitor() for _ in range(3))
    assert server.wire(table, asked_twice(where, ask, lost, found)["token"]).hear()["state"]["yourSeats"] == [1]
    assert found.wire(table).hear()["state"]["yourSeats"] == [1]
    for body in ({}, {"id": "a-guess-of-another-one-1"}):
        assert code(other.http.post(where, json=body)) == "taken"
    assert code(other.http.post(where, json={"id": "short"})) == "bad-message"
    assert found.http.post("/api/accounts", json={"handle": "lostfound", "password": "anything but that"}).is_success
    assert code(other.http.post(where, json=ask)) == "taken"  # the guest has become an account


def test_whoever_is_blocked_does_not_sit_down(server: Any) -> None:
    ann, bob = server.visitor("ann"), server.visitor("bob")
    ann.http.post("/api/me/blocks", json={"handle": bob.handle})
    for host, other in ((ann, bob), (bob, ann)):
        assert code(other.sit(host.open("me", "open")["id"], 1)) == "not-allowed"


def test_a_seat_for_a_bot_is_kept_for_it(server: Any) -> None:
    ann, bot, cyd = server.visitor("ann"), server.visitor("robot"), server.visitor()
    asked = {"kind": "bot", "handle": bot.handle}
    for seat in (asked, {**asked, "kind": "engine"}):
        assert code(ann.try_to_open("me", seat)) == "bad-option"  # it is a person's account still
    assert bot.http.post("/api/me/bot", json={}).is_success
    table = ann.open("me", asked)["id"]
    state = state_of(server, table)
    assert (state["waiting"], state["seats"][1]["kind"], state["seats"][1]["handle"]) == ([1], "bot", bot.handle)
    assert code(cyd.sit(table, 1)) == "not-allowed"
    early = bot.wire(table)
    assert early.hear()["state"]["yourSeats"] == []
    assert bot.sit(table, 1).status_code == 201
    # A snapshot that came before the event which it holds would have a client play that twice.
    event, snapshot = (early.until("event", "snapshot") for _ in range(2))
    assert (event["type"], event["number"], event["state"]["yourSeats"]) == ("event", 1, [1])
    state = snapshot["state"]
    assert (state["number"], state["yourSeats"], state["begun"], state["seats"][1]["kind"]) == (1, [1], True, "bot")


def test_a_person_holds_his_seat_wherever_he_is_known(server: Any) -> None:
    ann = server.visitor()
    table = ann.open("me", "friend")["id"]
    here, there = ann.wire(table), ann.wire(table)
    assert here.hear()["state"]["yourSeats"] == there.hear()["state"]["yourSeats"] == [0]
    assert there.act(0, "Rd4")["type"] == "ack"
    assert here.last("event", kind="action")["action"] == "Rd4"
    assert server.visitor().wire(table).hear()["state"]["yourSeats"] == []
    known = ann.http.cookies["tercet"].split(".")[1]
    forged = [f"g.{known}.{'0' * 64}", f"g.{known}.", f"g.{known}", f"s.{known}", known, f"g.{'0' * 24}.{'0' * 64}"]
    for cookie in forged:
        assert server.wire(table, cookie=f"tercet={cookie}").hear()["state"]["yourSeats"] == [], cookie


def test_an_old_link_opens_nothing_once_it_is_replaced(server: Any) -> None:
    ann, eve = server.visitor(), server.visitor()
    opened = ann.open("me", "friend")
    table, old = opened["id"], opened["tokens"][1]

    def ask(person: Visitor, seat: object = 1) -> Any:
        return person.http.post(f"/api/tables/{table}/seats/{seat}/link", json={})

    thief = server.wire(table, old)
    assert thief.hear()["state"]["yourSeats"] == [1]
    assert code(ask(eve)) == "not-your-seat"
    new = token_of(ask(ann).json()["link"])
    assert thief.until("snapshot")["state"]["yourSeats"] == []
    play([ann.wire(table)], "Rd4")
    assert thief.act(1, "Yd5")["code"] == "not-your-seat"
    again = server.wire(table, old)
    assert (again.hear()["code"], again.act(1, "Yd5")["code"]) == ("not-your-seat", "not-your-seat")
    play([server.wire(table, new)], "Yd5", 1)
    assert [code(ask(ann, seat)) for seat in (4, "x")] == ["not-allowed", "bad-message"]


@pytest.mark.online
def test_no_process_takes_an_action_by_a_link_replaced_at_another(serve: Serve) -> None:
    server = serve()
    ann = server.visitor()
    table = ann.open("me", "friend")
    play([ann.wire(table["id"])], "Rd4")
    thief = server.another().wire(table["id"], table["tokens"][1])
    assert thief.hear()["state"]["yourSeats"] == [1]
    assert ann.http.post(f"/api/tables/{table['id']}/seats/1/link", json={}).status_code == 201
    assert thief.act(1, "Yd5")["code"] == "not-your-seat"  # though no word of it can have come there
    assert state_of(server, table["id"])["ply"] == 1


@pytest.mark.parametrize("how", ["signing out", "another password", "recovery", "the operator's reset"])
def test_copied_tokens_die_when_their_owner_signs_out(serve: Serve, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """The owner plays on, a seat without a known person keeps its link; the operator writes to the database alone."""
    for module in (identity, registry):
        monkeypatch.setattr(module, "PATROL_SECONDS", 0.1 if how == "the operator's reset" else 600.0)
    server = serve()
    ann = server.visitor("ann")
    table = ann.open("me", "friend")
    copied, link = table["tokens"][0], table["tokens"][1]
    thief = server.wire(table["id"], copied)
    assert thief.hear()["state"]["yourSeats"] == [0]
    if how == "signing out":
        assert ann.http.delete("/api/sessions").is_success
    elif how == "another password":
        ask = {"old": PASSWORD, "new": f"new {PASSWORD}"}
        assert ann.http.post("/api/me/password", json=ask).is_success
    elif how == "recovery":
        made = ann.http.post("/api/me/recovery/code", json={"password": PASSWORD}).json()
        ask = {"handle": ann.handle, "code": made["code"], "password": f"new {PASSWORD}"}
        assert ann.http.post("/api/recovery/code", json=ask).is_success
    else:
        moderate("reset", ann.handle, server.folder, server.options.get("database"), everything=False, json=True)
    assert (thief.until("snapshot")["state"]["yourSeats"], thief.act(0, "Rd4")["code"]) == ([], "not-your-seat")
    assert server.wire(table["id"], copied).act(0, "Rd4")["code"] == "not-your-seat"
    if how != "the operator's reset":  # who has to sign in first
        play([ann.wire(table["id"], copied), server.wire(table["id"], link)], "Rd4 Yd5")


def test_what_must_not_be_possible(server: Any) -> None:
    opened = server.open("me", "friend")
    table, tokens = opened["id"], opened["tokens"]
    mine, theirs, watcher, forger = (server.wire(table, *seat) for seat in (tokens[:1], tokens[1:], (), ("x" * 32,)))
    stranger = server.wire(server.open("me", "friend")["id"], tokens[0])  # of another table
    assert forger.hear()["code"] == stranger.hear()["code"] == "not-your-seat"
    assert (theirs.act(0, "Rd4")["code"], mine.act(0, "Rz9")["code"]) == ("not-your-turn", "illegal-action")
    for wire in (watcher, forger, stranger):
        assert wire.act(0, "Rd4")["code"] == "not-your-seat"
        for kind in ("abort", "takeback", "continue", "rematch"):
            assert wire.ask(type=kind)["code"] == "not-your-seat", kind
        assert wire.ask(type="claim", seat=0, what="win")["code"] == "not-your-seat"
    for wire, seat in ((mine, 1), *((wire, seat) for wire in (watcher, forger, stranger) for seat in (0, 1))):
        for kind in ("resign", "draw", "adjourn"):
            assert wire.ask(type=kind, seat=seat)["code"] == "not-your-seat", kind
    assert state_of(server, table)["number"] == 0
    assert not any(token in server.http.get(f"/api/tables/{table}").text for token in tokens)
    assert (mine.act(0, "Rd4", id="click")["number"], mine.act(1, "Yd5")["code"]) == (1, "not-your-turn")
    assert mine.act(1, "Yd5", id="click") == {"type": "ack", "id": "click", "number": 1}  # twice is once
    assert (theirs.act(0, "Yd5")["code"], theirs.act(1, "Yd5", id="click")["number"]) == ("stale-ply", 2)
    mine.done(type="resign")
    over = (mine.act(2, "Bc4"), theirs.act(2, "Bc4"), theirs.ask(type="abort"))
    assert [one["code"] for one in over] == ["over"] * 3
    assert state_of(server, table)["ply"] == 2


def test_a_private_game_does_not_exist_for_others(server: Any) -> None:
    ann, bob, eve = (server.visitor() for _ in range(3))
    opened = ann.open("me", "friend", watch="private")
    table, token = opened["id"], opened["tokens"][1]
    asked = [("GET", path) for path in ("", "/record", "/record?notes=true", "?seat=" + "x" * 32)]
    asked += [(method, f"/seats/{seat}") for method in ("POST", "DELETE") for seat in (0, 1)]
    both = (f"/api/tables/{table}", f"/api/tables/{'0' * 16}")
    for somebody in (eve, server.visitor()):
        for method, path in (*asked, ("POST", "/seats/1/link")):
            body: dict[str, Any] | None = {} if method == "POST" else None
            real, none = (somebody.http.request(method, address + path, json=body) for address in both)
            assert (real.status_code, code(real), real.json()) == (404, "unknown-table", none.json()), path
        reports = [{"table": one, "why": "x"} for one in (table, "0" * 16)]
        real, none = (somebody.http.post("/api/reports", json=report).json() for report in reports)
        assert real == none
        assert code(somebody.try_to_open("me", "here", table=table)) == "unknown-table"
        wires = [somebody.wire(one) for one in (table, "0" * 16)]
        assert [wire.until_closed() for wire in wires] == [4404, 4404]
        assert wires[0].heard == wires[1].heard
        assert [one["code"] for one in wires[0].heard] == ["unknown-table"]
        assert somebody.wire(table, "x" * 32).hear()["code"] == "unknown-table"
    for one in (table, ann.open("here", "here", watch="private")["id"]):  # also where they only opened it
        assert ann.http.get(f"/api/tables/{one}").is_success
    assert server.wire(table, token).hear()["state"]["yourSeats"] == [1]
    assert bob.http.get(f"/api/tables/{table}/record?seat={token}").status_code == 200
    assert table not in server.http.get("/api/lobby").text
    for seat, more in (("open", {}), ("here", {"public": True})):
        assert code(ann.try_to_open("me", seat, watch="private", **more)) == "bad-option"


def test_going_on_from_another_table(server: Any) -> None:
    ann, eve = server.visitor(), server.visitor()
    opened = ann.open("me", "here")
    table, wire = opened["id"], ann.wire(opened["id"], *opened["tokens"])
    play([wire], "Rd4 Yd5 Bc4")
    on = ann.open("me", "here", table=table, ply=2)
    assert [move["text"] for move in state_of(server, on["id"])["moves"]] == ["Rd4", "Yd5"]
    assert code(eve.try_to_open("me", "here", table=table)) == "not-allowed"
    assert code(ann.try_to_open("me", "here", table=table, ply=4)) == "bad-record"
    assert code(ann.try_to_open("me", "here", table="0" * 16)) == "unknown-table"
    assert code(ann.try_to_open("me", "here", table=table, position=START)) == "bad-message"
    wire.ask(type="resign", seat=0)
    assert state_of(server, eve.open("me", "here", table=table)["id"])["ply"] == 3
    # Going on from a game that somebody has left.
    ann = server.visitor()
    opened = ann.open("me", "here", "here", **THREE)
    wire = ann.wire(opened["id"], *opened["tokens"])
    wire.hear()
    for _ in range(3):
        wire.act(wire.state["ply"], wire.state["view"]["paths"][0][0])
    wire.ask(type="resign", seat=1)
    on = state_of(server, ann.open("me", "here", "here", table=opened["id"])["id"])
    assert on["view"]["position"] == wire.state["view"]["position"]


def test_rated_games_are_between_accounts(server: Any) -> None:
    ann, bob, guest = server.visitor("ann"), server.visitor("bob"), server.visitor()
    assert code(guest.try_to_open("me", "open", **RATED)) == "not-signed-in"
    asked = [ann.try_to_open("me", seat, **RATED) for seat in ("here", "me", "engine")]
    asked += [ann.try_to_open("me", "open", **wish) for wish in ({"rated": True}, {"position": START, **RATED})]
    assert [code(answer) for answer in asked] == ["bad-option"] * 5
    opened = ann.open("me", "friend", **RATED)
    table = opened["id"]
    assert opened["seats"][1]["link"] == f"/t/{table}"
    state = state_of(server, table)
    assert (state["rated"], state["speed"], state["waiting"], state["watch"]) == (True, "blitz", [1], "link")
    assert code(guest.sit(table, 1)) == "not-signed-in"
    assert bob.sit(table, 1).status_code == 201
    assert {seat["handle"] for seat in state_of(server, table)["seats"]} == {ann.handle, bob.handle}
    assert table not in server.http.get("/api/lobby").text


def test_the_opener_of_a_rated_game_settles_neither_board_nor_start(server: Any) -> None:
    ann = server.visitor("ann")

    def why(game: str = "Sparklies", seats: int = 2, **wish: Any) -> str:
        asked = {"game": game.lower(), **RATED, **wish}
        error = ann.try_to_open("me", *["open"] * (seats - 1), **asked).json()["error"]
        assert (error["code"], error["where"]) == ("bad-option", "rated"), error
        return str(error["why"]).removeprefix(f"In a rated game of {game}, ")

    assert why(seed=1) == "A rated game has no chosen seed: the server draws the start."
    assert why(options={"handicap": "black.12", "board": "5x5"}) == "Handicap must keep its usual value."
    assert why(options={"dead": "c3"}) == "Dead cells must keep its usual value."
    assert why(options={"board": "2x2"}).startswith("Board must be one of these: 5x5, 6x6")
    assert "Attack must be one of these" in why(options={"attack": "1T"})
    assert why("SanQi", options={"side": 30}) == "Side must be from 4 to 15."
    assert "takebacks are off or need the consent" in why("SanQi", takebacks="own")
    assert why("Triplicity", 3, options={"quiet_limit": 1}) == "Turns without progress must keep its usual value."
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
    assert balanced.items() <= options(**RATED).items()
    assert balanced.items() <= options(**RATED, options={}).items()
    assert options(**RATED, options={"opening": "free"})["opening"] == "free", "chosen by hand"
    assert options()["opening"] == "free", "not rated"
    table = ann.open("me", "open", game="sanqi", watch="link", **RATED)["id"]
    assert ann.http.post("/api/challenges", json={"handle": bob.handle, "table": table}).is_success
    assert bob.sit(table, 1).status_code == 201
    assert " S " in state_of(server, table)["view"]["position"], "Second moves from a position of the book"


def test_the_preview_says_why_a_game_is_never_rated_and_the_table_what_may_be_claimed(server: Any) -> None:
    why = "In a rated game of Sparklies, Flags must keep its usual value."
    for options, unrated in (({"board": "7x7"}, None), ({"flag": True}, why)):
        answer = server.http.post("/api/preview", json={"game": "sparklies", "options": options})
        assert answer.json()["unrated"] == unrated
    days = {"kind": "correspondence", "days": 2}
    gone = [
        state_of(server, server.open("me", "friend", **wish)["id"])["gone"]
        for wish in ({"clock": BLITZ}, {}, {"clock": days}, {"clock": BLITZ, "gone": None})
    ]
    assert gone == [{"after": 120, "then": ["win", "engine"], "level": 5}, None, None, None]


def test_seats_of_a_rated_game_are_drawn_when_it_begins(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.server.api.tables.draw_lots", lambda seats: (2, 0, 1)[:seats])
    people = [server.visitor(name) for name in ("ann", "bob", "cid")]
    table = people[0].open("me", "open", "open", game="triplicity", **RATED)
    watching = server.wire(table["id"])
    assert people[2].sit(table["id"], 2).json()["seat"] == 2, "drawn only when all have come"
    assert people[1].sit(table["id"], 1).json()["seat"] == 0
    lots = watching.last("event", kind="lots")
    assert lots["seats"] == [2, 0, 1]
    assert [seat["handle"] for seat in lots["state"]["seats"]] == [people[1].handle, people[2].handle, people[0].handle]
    assert people[1].sit(table["id"], 1).json() == {"id": table["id"], "seat": 0, "token": None}, "asked twice"
    assert people[0].wire(table["id"]).hear()["state"]["yourSeats"] == [2]
    token = table["tokens"][0]
    assert server.wire(table["id"], token).hear()["state"]["yourSeats"] == [2], "the token moves with the player"
    first = people[1].wire(table["id"])
    assert first.act(0, first.hear()["state"]["view"]["paths"][0][0])["type"] == "ack"
    record = tercet.read(server.http.get(f"/api/tables/{table['id']}/record").text)[0]
    names = [record.headers[player] for player in ("White", "Black", "Red")]
    assert names == [lots["state"]["seats"][seat]["name"] for seat in range(3)]


def test_who_was_moved_to_another_seat_acts_for_no_other(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database fails twice just when the server would read who has been moved where."""
    store = server.app.state.services.registry.store
    failures = iter(2 * [Unreachable])

    async def fail(table_id: str) -> Any:
        for failure in failures:
            raise failure
        return await type(store).read_seats(store, table_id)

    monkeypatch.setattr("tercet.server.api.tables.draw_lots", lambda _seats: (1, 0))
    ann, bob = server.visitor("ann"), server.visitor("bob")
    table = ann.open("me", "open", **RATED)["id"]
    (wire := ann.wire(table)).hear()
    monkeypatch.setattr(store, "read_seats", fail)
    assert bob.sit(table, 1).status_code == 503
    assert wire.ask(type="resign", seat=0)["code"] == "not-your-seat"
    assert bob.sit(table, 1).json()["seat"] == 0


@pytest.mark.parametrize(
    ("board", "turns", "rated"),
    [
        pytest.param("5x5", 4, True, id="which counted"),
        pytest.param("5x5", 3, False, id="too short to count"),
        pytest.param("3x3", 4, False, id="of older rules"),
    ],
)
def test_a_rematch_is_rated_if_the_game_was_and_may_be(server: Any, board: str, turns: int, rated: bool) -> None:
    """Whether the game has been counted, and the table read again since, decides nothing. The gate stands before every
    table: also where a table of before is played again."""
    wish = {"game": "sparklies", "options": {"board": board}, "clock": LONG}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tercet.server.api.opening.why_unrated_table", lambda _settings: None)
        table, people = server.meeting("ann", "bob", rated=True, **wish)
    wires = [who.wire(table) for who in people]
    assert all(wire.hear()["state"]["rated"] for wire in wires)
    wires.sort(key=lambda wire: wire.state["yourSeats"])  # which are drawn
    for ply in range(2 * turns):  # of two actions each
        mover = wires[ply // 2 % 2]
        play([mover], mover.now()["view"]["paths"][0][0], ply)
    wires[0].done(type="resign")
    wires[0].done(type="rematch")
    wires[1].done(type="answer", what="rematch", yes=True)
    assert state_of(server, wires[1].last("event", kind="rematch")["id"])["rated"] == rated


@pytest.mark.parametrize("turns", [1, 4, 1000])
def test_a_game_that_is_too_short_is_shown_as_not_rated(server: Any, turns: int) -> None:
    """One that is over is not taken up again."""
    ann, bob = server.visitor("ann"), server.visitor("bob")
    table = ann.open("me", "open", clock=LONG, rated=True)
    # Who has both tokens could agree with himself.
    wire = server.wire(table["id"], table["tokens"][0], bob.sit(table["id"], 1).json()["token"])
    wire.hear()
    while wire.state["ply"] < turns and not wire.state["over"]:
        assert wire.state["rated"]
        play([wire], wire.state["view"]["paths"][0][0], wire.state["ply"])
    if wire.state["over"]:
        assert wire.ask(type="takeback")["code"] == "over"
    else:
        wire.done(type="resign", seat=0)
    state = state_of(server, table["id"])
    assert (state["rated"], state["short"], state["ply"] < turns) == (turns > 1, turns == 1, turns == 1000)


def test_aborting(server: Any) -> None:
    table, (mine, theirs) = server.friends(clock=BLITZ)
    play([mine], "Rd4")
    theirs.done(type="abort")
    state = mine.last("event", kind="abort")["state"]
    assert (state["over"], state["aborted"], state["result"]) == (True, True, "The game was aborted.")
    assert (state["view"]["scene"]["state"], state["clock"]["running"]) == ("over", None)
    record = tercet.read(server.http.get(f"/api/tables/{table['id']}/record").text)[0]
    assert (record.headers["Termination"], record.result) == ("aborted", "*")


def test_a_break_over_a_restart(serve: Serve) -> None:
    server = serve(clock=(hands := Hands()))
    table, (mine, theirs) = server.friends(clock=BLITZ)
    play([mine], "Rd4")
    hands.now += 30_000
    mine.done(type="adjourn")
    theirs.done(type="answer", what="adjourn", yes=True)
    state = mine.last("event", kind="adjourn")["state"]
    assert (state["adjourned"], state["mover"], state["clock"]["running"]) == (True, None, None)
    hands.now += 86_400_000
    server.restart()
    mine, theirs = (server.wire(table["id"], token) for token in table["tokens"])
    assert (theirs.act(1, "Yd5")["code"], theirs.ask(type="takeback")["code"]) == ("adjourned", "adjourned")
    hands.now += 86_400_000
    mine.done(type="continue")
    theirs.done(type="continue")  # the same offered back is a yes
    state = mine.last("event", kind="continue")["state"]
    assert (state["mover"], state["clock"]["left"]) == (1, [182_000, 150_000])
    play([theirs], "Yd5", 1)
    assert "{adjourned; continued} 1... Yd5" in server.http.get(f"/api/tables/{table['id']}/record").text


def gone_for(wire: Any, what: str) -> Any:
    """Claim against the second seat until it is noticed that they have hung up."""
    while (heard := wire.ask(type="claim", seat=1, what=what)).get("why", "").endswith(" is here."):
        time.sleep(0.02)
    return heard


def test_who_has_gone_is_claimed_against(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_state, "LINGER_SECONDS", 0.05)
    server = serve(clock=(hands := Hands()))
    table, (mine, theirs) = server.friends(clock=LONG, gone={"after": 60, "then": ["win"]})
    tab = server.wire(table["id"], table["tokens"][1])

    def claim(what: str = "win") -> dict[str, Any]:
        return mine.ask(type="claim", seat=1, what=what)

    play([mine, theirs], "Rd4 Yd5")
    assert "is here" in claim()["why"]
    theirs.close()  # he has another tab open still
    hands.now += 100_000
    time.sleep(0.2)  # what is tested: even after the pause before anybody is said to have gone
    assert "is here" in claim()["why"]
    tab.close()
    assert "Wait 60 more seconds" in gone_for(mine, "win")["why"]
    here = mine.last("here")  # it may have come before the last answer
    while here["seats"][1]["since"] is None:
        here = mine.until("here")
    seats = [{"seat": 0, "since": None, "came": True}, {"seat": 1, "since": hands.now, "came": True}]
    assert here == {"type": "here", "seats": seats, "watchers": 0}
    hands.now += 59_000
    assert "Wait 1 more" in claim()["why"]
    back = server.wire(table["id"], table["tokens"][1])
    back.hear()
    back.close()
    gone_for(mine, "win")
    hands.now += 30_000
    assert claim()["code"] == claim("engine")["code"] == "not-possible"  # it counts anew
    hands.now += 30_000
    assert claim()["type"] == "ack"
    state = state_of(server, table["id"])
    assert (state["over"], state["result"], state["left"]) == (True, "Second left the game. First wins.", [1])
    headers = tercet.read(server.http.get(f"/api/tables/{table['id']}/record").text)[0].headers
    assert (headers["Termination"], headers["Result"]) == ("absence", "1-0")


def test_waiting_for_a_friend_is_no_absence(serve: Serve) -> None:
    server = serve(clock=(hands := Hands()))
    ann, bob = server.visitor(), server.visitor("bob")
    table = ann.open("me", "friend", clock=BLITZ, gone={"after": 60, "then": ["win", "engine"]})
    mine = ann.wire(table["id"])
    state = mine.hear()["state"]
    assert state["away"] == [{"seat": 1, "since": hands.now, "came": False}]
    assert state["claims"] == [["engine"], ["engine"]], "before the second turn a game can be aborted, not won"
    hands.now += 300_000
    for what in ("win", "engine"):
        assert "has not joined yet" in mine.ask(type="claim", seat=1, what=what)["why"]
    theirs = bob.wire(table["id"], table["tokens"][1])
    told = mine.until("snapshot")["state"]["seats"][1]
    assert told["handle"] == bob.handle, "who he is shows as soon as he comes"
    mine.act(0, "Rd4")
    theirs.close()
    gone_for(mine, "engine")
    hands.now += 60_000
    assert mine.ask(type="claim", seat=1, what="win")["code"] == "not-possible", "the table says so in `claims`"
    assert mine.ask(type="claim", seat=1, what="engine")["type"] == "ack"


def test_an_engine_plays_on_for_who_has_gone(serve: Serve) -> None:
    server = serve(clock=(hands := Hands()))
    ann, bob, cyd = (server.visitor() for _ in range(3))
    gone = {"after": 30, "then": ["engine"], "level": 1}
    table = ann.open({"kind": "me", "name": "Ann"}, "open", "open", gone=gone, **THREE)["id"]
    token = bob.sit(table, 1, name="Bob").json()["token"]
    cyd.sit(table, 2, name="Cyd")
    wires = [ann.wire(table), bob.wire(table), cyd.wire(table)]
    first = wires[0].until("snapshot")["state"]["view"]["paths"][0][0]
    assert wires[0].act(0, first)["type"] == "ack"
    wires[1].close()
    gone_for(wires[2], "engine")
    hands.now += 30_000
    assert wires[2].ask(type="claim", seat=1, what="engine")["type"] == "ack"
    state = wires[0].last("event", kind="claim", seat=1, by=2, what="engine", level=1)["state"]
    assert (state["seats"][1]["kind"], state["replaced"]) == ("engine", [1])
    assert wires[0].until("event", kind="action")["seat"] == 1  # it plays
    late = bob.wire(table, token)
    assert (late.hear()["state"]["yourSeats"], late.ask(type="resign", seat=1)["code"]) == ([], "not-your-seat")
    record = server.http.get(f"/api/tables/{table}/record").text
    assert '[Black "Bob, then engine, level 1"]' in record
    assert "{Black has left: engine, level 1, plays on}" in record
    assert tercet.read(record)[0].moves()[0] == first


def test_a_rematch_moves_everybody_one_seat_on(server: Any) -> None:
    ann, bob = server.visitor(), server.visitor()
    opened = ann.open({"kind": "me", "name": "Ann"}, "open", clock=BLITZ, chat=True)
    table, mine = opened["id"], opened["tokens"][0]
    wires = [server.wire(table, token) for token in (mine, bob.sit(table, 1, name="Bob").json()["token"])]
    assert wires[0].ask(type="rematch")["code"] == "not-possible"
    wires[0].act(0, "Rd4")
    wires[1].done(type="resign")
    wires[0].done(type="rematch")
    assert state_of(server, table)["offers"][0]["awaited"] == [1]
    wires[1].done(type="answer", what="rematch", yes=True)
    new = wires[0].last("event", kind="rematch")["id"]
    assert state_of(server, table)["rematch"] == new
    assert wires[0].ask(type="rematch")["code"] == "not-possible"
    again = server.wire(new, mine)
    state = again.hear()["state"]
    assert (state["yourSeats"], state["after"], state["chat"]) == ([1], table, True)
    assert [seat["name"] for seat in state["seats"]] == ["Bob", "Ann"]
    assert again.act(0, "Rd4")["code"] == "not-your-turn"
    play([bob.wire(new), ann.wire(new)], "Rd4 Yd5")


def test_time_on_the_line_is_given_back(serve: Serve) -> None:
    server = serve(clock=(hands := Hands()))
    _, slow = server.both(clock=BLITZ)
    asked = slow.until("ping?")
    time.sleep(0.25)  # what is tested: a line this slow
    slow.say({"type": "pong", "n": asked["n"]})
    play([slow], "Rd4")
    hands.now += 10_000
    play([slow], "Yd5", 1)
    lag, clock = slow.last("event")["lag"], slow.state["clock"]
    assert 250 <= lag <= 500
    assert (clock["left"][1], clock["lag"]) == (180_000 - 10_000 + lag + 2000, [0, lag])
    _, wire = server.both(clock=BLITZ)
    for made_up in (7, True, "1", None):  # answers to what was not asked
        wire.say({"type": "pong", "n": made_up})
    play([wire], "Rd4 Yd5")
    assert "lag" not in wire.last("event")


def test_whoever_passed_a_link_on_cannot_play_for_who_sat_down(server: Any) -> None:
    """A host knows the friend's token, which opens the seat no more once a known person sits there."""
    ann, bob = server.visitor(), server.visitor()
    bob.http.post("/api/me", json={"name": "Bob the friend"})
    opened = ann.open("me", "friend")
    table, token = opened["id"], opened["tokens"][1]
    friend = bob.wire(table, token)
    assert friend.until("snapshot")["state"]["yourSeats"] == [1]
    assert bob.wire(table).hear()["state"]["yourSeats"] == [1]
    assert state_of(server, table)["seats"][1]["name"] == "Bob the friend"
    assert code(ann.http.post(f"/api/tables/{table}/seats/1/link", json={})) == "not-your-seat"
    hers = ann.wire(table, opened["tokens"][0], token)
    assert hers.until("snapshot")["state"]["yourSeats"] == [0]  # until somebody sat there
    play([hers], "Rd4")
    assert hers.act(1, "Yd5")["code"] == "not-your-turn"
    assert server.wire(table, token).until("snapshot")["state"]["yourSeats"] == []
    assert bob.wire(table, token).hear()["state"]["yourSeats"] == [1]
    play([friend], "Yd5", 1)
    assert bob.http.post(f"/api/tables/{table}/seats/1/link", json={}).status_code == 201
    assert ann.wire(table, token).until("snapshot")["state"]["yourSeats"] == [0]


WRONG: tuple[tuple[str, Any], ...] = (
    ("body.gone.after", {"gone": {"after": 5, "then": ["win"]}}),
    *(("body.gone.then", {"gone": {"after": 60, "then": then}}) for then in (["money"], [])),
    ("clock.increment", {"clock": {"kind": "fischer", "minutes": 3}}),
    *((f"body.{field}", {field: 5}) for field in ("gone", "clock", "table")),
    *((f"body.{field}", {field: "very"}) for field in ("takebacks", "confirm", "watch", "rated")),
)


def test_wishes_that_make_no_sense(server: Any) -> None:
    for where, wish in WRONG:
        answer = server.try_to_open("me", "here", **wish)
        assert (answer.status_code, answer.json()["error"]["where"][: len(where)]) == (400, where)


def test_a_person_has_so_many_tables_waiting(serve: Serve) -> None:
    server = serve()
    ann, bob = server.visitor(), server.visitor()
    tables = [ann.open("me", "open")["id"] for _ in range(12)]
    assert (code(ann.try_to_open("me", "open")), ann.try_to_open("me", "here").status_code) == ("too-many", 201)
    assert bob.sit(tables[0], 1).status_code == 201
    assert ann.try_to_open("me", "open").status_code == 201


CLOCKS = (None, BLITZ, {"kind": "correspondence", "days": 3})
LEFT = [(moves, clock) for moves in ("Rd4", "Rd4 Yd5 Bc3 Rc4") for clock in CLOCKS]


@pytest.mark.parametrize(("moves", "clock"), online_but(lambda case: case in LEFT[::5], LEFT))
def test_who_deletes_their_account_leaves_their_games(server: Any, clock: Any, moves: str) -> None:
    """Their opponents had to wait out the clock, or for ever, or lost on time to an empty seat."""
    table, (ann, bob) = server.meeting("ann", "bob", clock=clock)
    wires = [person.wire(table) for person in (ann, bob)]
    play(wires, moves)
    other = server.visitor()
    open_table, private = (ann.open("me", "open", clock=clock, watch=watch)["id"] for watch in ("public", "link"))
    of_three = other.open("me", "open", "open", **THREE)["id"]
    assert ann.sit(of_three, 1).status_code == 201
    assert ann.http.request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    state = wires[1].last("event", kind="abort" if moves == "Rd4" else "claim", seat=0)["state"]
    assert state["over"]
    assert moves == "Rd4" or state["view"]["outcome"]["winners"] == [1]
    until(lambda: all(state_of(server, waiting)["aborted"] for waiting in (open_table, private)))
    until(lambda: open_table not in server.http.get("/api/lobby").text)
    state = until(lambda: (now := state_of(server, of_three))["waiting"] == [1, 2] and now)
    assert (state["over"], state["seats"][1]["kind"], state["seats"][1]["name"]) == (False, "open", None)
    assert bob.sit(of_three, 1).status_code == 201
    assert state_of(server, of_three)["waiting"] == [2]


@pytest.mark.parametrize("at_once", [True, False], ids=["told", "found later"])
def test_a_deleted_account_has_no_challenges(serve: Serve, monkeypatch: pytest.MonkeyPatch, at_once: bool) -> None:
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
        assert ann.http.request("DELETE", "/api/me", json={"password": PASSWORD}).is_success
    else:
        moderate("delete", ann.handle, server.folder, server.options.get("database"), everything=False, json=True)
    of_ann = [table for between, table in tables.items() if ann.handle in between]
    until(lambda: all(state_of(server, table)["aborted"] for table in of_ann))
    assert not state_of(server, tables[bob.handle, cyd.handle])["over"]
    told = bob.http.get("/api/me/challenges").json()
    assert (told["challenges"], len(told["sent"])) == ([], 1)


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
    table = cyd.open("me", "open", "open", **THREE)["id"]
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
