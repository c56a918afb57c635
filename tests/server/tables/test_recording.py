"""The record of a table's game, as it is made of what is stored."""

import datetime
import re
from pathlib import Path

import tercet
from tercet.answers.records import record_of
from tercet.play.session import PlayAction, Seat, Session, TableSettings
from tercet.record import date_text, read
from tests.server.conftest import Serving


def test_its_date_is_written_as_documented() -> None:
    session = Session.open(TableSettings("sanqi", {"side": 4}, (Seat("person", "Ann"), Seat("person", "Bo"))))
    ((event, after),) = session.apply(PlayAction(frozenset({0}), 0, "Rd4"))
    opened = datetime.datetime(2026, 11, 21, 23, 59, 59, tzinfo=datetime.UTC)
    record = record_of(after, opened.timestamp(), [event], {})
    page = (Path(__file__).parents[3] / "docs" / "records.md").read_text("utf-8")
    documented = re.search(r"dates as `([0-9.]+)`", page)
    assert documented is not None
    assert record.headers["Date"] == documented[1] == date_text(opened) == date_text(opened.timestamp())
    assert read(record.write())[0].headers["Date"] == documented[1]


def test_the_other_forms_of_a_game_are_told_and_written(server: Serving) -> None:
    table = server.open("me", "here", game="sparklies", options={"board": "4x4", "ruleset": "speed"})
    address = f"/api/tables/{table['id']}"
    wire = server.wire(table["id"], *table["tokens"])
    wire.hear()
    position = tercet.parse(server.http.get(address).json()["state"]["view"]["position"])
    told = {one["id"] for one in server.http.get(address).json()["table"]["forms"]}
    assert told == {"save", "long", "numbered"}
    for ply in range(9):
        action = position.legal_actions[0]
        assert wire.act(ply, str(action))["type"] == "ack"
        position = position.play(action)
        if not position.turn_is_open:
            break
        early = server.http.get(f"{address}/record?form=save").json()["error"]
        assert (early["code"], early["why"]) == ("not-possible", "Save strings exist only at the start of a turn.")
    written = {form: server.http.get(f"{address}/record?form={form}").text for form in told}
    assert tercet.parse(written["save"].strip()) == position
    assert written["numbered"].startswith("1 (B)  ")
    assert written["numbered"].endswith(written["long"])
    refused = server.http.get(f"{address}/record?form=none").json()["error"]
    assert (refused["code"], refused["where"]) == ("bad-option", "form")
