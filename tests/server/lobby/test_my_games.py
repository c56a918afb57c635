"""The games that somebody plays now, and whose turn it is in them."""

from typing import Any


def told(who: Any, *tables: str) -> list[Any]:
    """What somebody is told of his games, and of ``tables``."""
    answer = who.http.get("/api/me/tables", params={"table": list(tables)})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["tables"])


def test_whose_turn_it_is(server: Any) -> None:
    anna, ben = server.visitor(), server.visitor()
    assert told(anna) == []
    table = anna.open("me", "open")
    assert [one["mover"] for one in told(anna)] == [None], "nobody's, as long as a seat is open"
    ben.sit(table["id"], 1)
    assert [one["yourSeats"] for one in (*told(anna), *told(ben))] == [[0], [1]]
    assert [one["mover"] for one in (*told(anna), *told(ben))] == [0, 0]
    wire = anna.wire(table["id"])
    ply = wire.hear()["state"]["ply"]
    assert wire.act(ply, "Rd4")["type"] == "ack"
    assert [one["mover"] for one in (*told(anna), *told(ben))] == [1, 1], "it is read anew when something has happened"
    assert told(server.visitor()) == []


def test_only_what_may_be_watched(server: Any) -> None:
    anna, other = server.visitor(), server.visitor()
    watch = {kind: anna.open("me", "friend", watch=kind)["id"] for kind in ("link", "private")}
    assert {one["id"] for one in told(anna)} == set(watch.values())
    assert [(one["id"], one["yourSeats"]) for one in told(other, *watch.values(), "nothing")] == [(watch["link"], [])]


def test_what_is_over_is_not_told(server: Any) -> None:
    anna = server.visitor()
    table = anna.open("me", "here")
    assert [one["id"] for one in told(anna)] == [table["id"]]
    wire = anna.wire(table["id"])
    wire.hear()
    assert wire.ask(type="resign", seat=0)["type"] == "ack"
    assert told(anna, table["id"]) == []
