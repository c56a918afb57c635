"""Following, messages among friends, finding people, challenges, and what a rated game changed."""

from collections.abc import Callable
from typing import Any

import httpx

from tests.server.conftest import Serving
from tests.server.people.browser import PASSWORD, Browser, code, listen, rows
from tests.support.waiting import until

CLOCK: dict[str, Any] = {"kind": "fischer", "minutes": 15, "increment": 10}
NEWS = {"type": "news"}


def test_friends_follow_each_other_and_write(server: Serving) -> None:
    paula, quentin, rosa = (Browser(server, handle) for handle in ("paula", "quentin", "rosa"))
    (told,) = paula.post("/api/me/follows", json={"handle": "Quentin"}).json()["follows"]
    assert told == {"handle": "quentin", "name": "quentin", "kind": "account", "friend": False, "unread": 0}
    hello = {"text": " hello\u202e there "}
    assert code(paula.post("/api/messages/quentin", json=hello))[:2] == (403, "not-allowed"), "not yet friends"
    quentin.post("/api/me/follows", json={"handle": "paula"})
    assert paula.get("/api/people/quentin").json()["friend"] is True
    assert quentin.get("/api/people/rosa").json()["following"] is False
    written = paula.post("/api/messages/quentin", json=hello)
    assert [(one["mine"], one["text"]) for one in written.json()["messages"]] == [(True, "hello there")]
    assert quentin.get("/api/me/follows").json()["follows"][0]["unread"] == 1
    assert [one["mine"] for one in quentin.get("/api/messages/paula").json()["messages"]] == [False]
    assert quentin.get("/api/me/follows").json()["follows"][0]["unread"] == 0
    assert rosa.get("/api/messages/paula").json()["messages"] == [], "others' letters are nobody's"
    quentin.post("/api/me/blocks", json={"handle": "paula"})
    assert code(paula.post("/api/messages/quentin", json=hello))[:2] == (403, "not-allowed")
    assert code(paula.post("/api/me/follows", json={"handle": "quentin"}))[:2] == (403, "not-allowed")
    assert paula.get("/api/me/follows").json()["follows"] == []
    assert code(paula.post("/api/me/follows", json={"handle": "paula"}))[:2] == (400, "bad-message")
    assert "hello there" in quentin.get("/api/me/export").text
    paula.request("DELETE", "/api/me", json={"password": PASSWORD})
    assert rows(server, "SELECT text FROM messages WHERE text = 'hello there'") == []
    guest = Browser(server)
    assert guest.get("/api/me/follows").json() == {"follows": []}
    for path, body in (("/api/me/follows", {"handle": "rosa"}), ("/api/messages/rosa", {"text": "hello"})):
        assert code(guest.post(path, json=body))[:2] == (401, "not-signed-in")


def test_people_are_found_by_handle_and_name(server: Serving) -> None:
    guest, *_ = Browser(server), Browser(server, "svante", "Sven Nyström"), Browser(server, "nystroem")

    def found(name: str) -> Any:
        return [one["handle"] for one in guest.get("/api/people", params={"name": name}).json()["people"]]

    assert found("SVAN") == ["svante"]
    assert found("@nys") == ["nystroem", "svante"], "whose handle begins so stands first"
    assert found("%%") == []
    assert guest.get("/api/people", params={"name": "x"}).status_code == 400


def test_a_challenge_is_taken_or_declined(server: Serving) -> None:
    tina, ulla, vera = (Browser(server, handle) for handle in ("tina", "ulla", "vera"))

    def challenge(handle: str, **more: Any) -> tuple[str, Any]:
        table = tina.open("me", "open", clock=CLOCK, watch="link", **more)
        return table, tina.post("/api/challenges", json={"handle": handle, "table": table})

    table, made = challenge("ulla", rated=True)
    assert made.status_code == 201
    nothing: dict[str, Any] = {"challenges": [], "sent": []}
    assert vera.get("/api/me/challenges").json() == nothing
    sent = [{"table": table, "to": {"handle": "ulla", "name": "ulla", "kind": "account"}}]
    assert made.json() == tina.get("/api/me/challenges").json() == {"challenges": [], "sent": sent}
    (told,) = ulla.get("/api/me/challenges").json()["challenges"]
    assert (told["table"], told["by"]["handle"], told["seat"], told["rated"]) == (table, "tina", 1, True)
    assert table not in vera.get("/api/lobby").text, "nobody else is asked"
    assert ulla.post(f"/api/tables/{table}/seats/1", json={}).status_code == 201
    assert ulla.get("/api/me/challenges").json() == tina.get("/api/me/challenges").json() == nothing

    table, _ = challenge("ulla")
    assert vera.delete(f"/api/me/challenges/{table}").status_code == 404
    assert ulla.delete(f"/api/me/challenges/{table}").json() == nothing
    assert tina.get(f"/api/tables/{table}").json()["state"]["aborted"] is True

    assert code(challenge("tina")[1])[1] == "bad-message"
    assert code(vera.post("/api/challenges", json={"handle": "ulla", "table": table}))[1] == "not-allowed"
    ulla.post("/api/me/blocks", json={"handle": "tina"})
    assert code(challenge("ulla")[1])[1] == "not-allowed"


def test_a_challenge_and_its_withdrawal_are_pushed_at_once(server: Serving) -> None:
    carl, dora = Browser(server, "carl"), Browser(server, "dora")
    returned = server.app.state.services.registry.pubsub.returned
    before = list(returned)
    wire = listen(server, "/api/me/live", dora)
    assert wire.hear() == NEWS
    (again,) = (one for one in returned if one not in before)
    table = carl.open("me", "open")
    carl.post("/api/challenges", json={"handle": "dora", "table": table})
    assert wire.hear() == NEWS
    assert len(dora.get("/api/me/challenges").json()["challenges"]) == 1
    server.wire(table, cookie=f"tercet={carl.cookie}").done(type="abort")
    assert wire.hear() == NEWS
    assert dora.get("/api/me/challenges").json()["challenges"] == []
    assert listen(server, "/api/me/live").hear()["code"] == "not-signed-in"
    again()  # While Redis was away a challenge came, and its receiver never heard of it.
    assert wire.hear() == NEWS
    wire.close()
    until(lambda: again not in returned, what="the server still tells a socket that is closed")


def test_a_challenge_and_its_refusal_can_be_sent_again(server: Serving) -> None:
    """An answer may get lost, or its process may die before it announces anything: both are announced once more."""
    emma, fritz, _ = (Browser(server, handle) for handle in ("emma", "fritz", "gustav"))
    table = emma.open("me", "open")

    def news(hears: Browser, sends: Callable[[], httpx.Response], status: int) -> None:
        wire = listen(server, "/api/me/live", hears)
        for _ in range(2):
            assert wire.hear() == NEWS
            assert sends().status_code == status
        assert wire.hear() == NEWS

    news(fritz, lambda: emma.post("/api/challenges", json={"handle": "fritz", "table": table}), 201)
    assert code(emma.post("/api/challenges", json={"handle": "gustav", "table": table}))[1] == "taken"
    news(emma, lambda: fritz.delete(f"/api/me/challenges/{table}"), 200)
    assert emma.get("/api/me/challenges").json() == {"challenges": [], "sent": []}
    assert emma.post("/api/challenges", json={"handle": "fritz", "table": table}).status_code == 201, "sent before"


def test_where_there_is_nothing_nothing_is_told(server: Serving) -> None:
    assert Browser(server).get("/api/ratings").json()["boards"] is not None
    assert Browser(server).get("/api/tables/none/ratings").status_code == 404
