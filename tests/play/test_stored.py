"""Tables as the first versions stored them: they open, and come to what they came to then."""

import json
from pathlib import Path
from typing import Any

import pytest

from tercet.play.session import LogEvent, Session, TableSettings

STORED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "stored" / "tables.json").read_text("utf-8"))
KINDS = (
    "sit stand action takeback resign flag claim offer agreed declined over abort adjourn continue rematch link resumed"
)


@pytest.mark.parametrize("table", STORED, ids=lambda table: table["name"])
def test_a_stored_table_comes_to_what_it_came_to(table: dict[str, Any]) -> None:
    settings = TableSettings.read(table["settings"])
    assert settings.data() == {"explore": True, **table["settings"]}, "it is still written as it was"
    session = Session.replay(settings, [LogEvent(number, kind, data) for number, kind, data in table["log"]])
    result, clock = session.result, session.clock
    assert table["then"] == {
        "position": str(session.position),
        "played": [played.text for played in session.played],
        "resigned": [list(pair) for pair in session.resigned],
        "timed_out": sorted(session.timed_out),
        "absent": sorted(session.absent),
        "taken_over": sorted(session.taken_over),
        "retracted": list(session.retracted),
        "adjourned": session.adjourned,
        "aborted": session.aborted,
        "rematch": session.rematch,
        "left": None if clock is None else list(clock.left),
        "result": None if result is None else [list(result.outcome.scores), result.outcome.reason, result.says],
    }


def test_the_stored_tables_have_events_of_every_kind() -> None:
    assert {kind for table in STORED for _, kind, _ in table["log"]} == set(KINDS.split())
