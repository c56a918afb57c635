"""The record of a table's game, as it is made of what is stored."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

from tercet.record import date_text, read
from tercet.server.tables.recording import record_of
from tercet.session import PlayAction, Seat, Session, TableSettings


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
