"""What the operator does about people, while the server runs."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tercet.server.people import identity
from tests.server.conftest import Serve, Serving
from tests.server.people.browser import PASSWORD, SAY, Browser, code, follow, rows
from tests.support.commands import run_command

Office = Callable[..., tuple[int, str]]


@pytest.fixture
def office(server: Serving, capsys: pytest.CaptureFixture[str]) -> Office:
    """Runs ``tercet people``: exit code and what it said."""

    def call(*arguments: str, at: Serving = server) -> tuple[int, str]:
        code, out, err = run_command(capsys, "people", *arguments, "--data-dir", str(at.folder))
        return code, out + err

    return call


def test_reports_and_talk(server: Serving, office: Office) -> None:
    table = Browser(server, "rude-one").open("me", "here")
    (who,) = rows(server, "SELECT id FROM people WHERE handle = 'rude-one'")[0]
    rows(server, SAY, table=table, who=who, name="Rude", text="bad\x1b[2Jwords")
    (line,) = rows(server, "SELECT max(id) FROM talk")[0]
    Browser(server).post("/api/reports", json={"talk": line, "why": "look at this"})
    answer, said = office("reports")
    assert (answer, "about rude-one" in said, "look at this" in said, "\x1b" in said) == (0, True, True, False)

    def told(*more: str) -> list[Any]:
        return list(json.loads(office("reports", "--json", *more)[1]))

    (report,) = [one for one in told() if one["talk"] == line]
    assert (report["about"], report["table"], report["handled"]) == ("rude-one", table, False)
    assert office("hide", str(line))[0] == 0
    assert rows(server, "SELECT hidden FROM talk WHERE id = :line", line=line) == [(True,)]
    assert line not in [one["talk"] for one in told()]
    assert line in [one["talk"] for one in told("--all")]
    Browser(server).post("/api/reports", json={"handle": "rude-one", "why": "again"})
    (again,) = [one["report"] for one in told() if one["why"] == "again"]
    assert office("handled", str(again))[0] == 0
    assert again not in [one["report"] for one in told()]


def test_a_closed_account(serve: Serve, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "PATROL_SECONDS", 0.2)
    server = serve()
    browser = Browser(server, "to-close")
    wire = follow(server, browser.open("me", "here"), cookie=f"tercet={browser.cookie}")
    assert wire.until("snapshot")["state"]["yourSeats"] == [0]
    answer, said = office("close", "To-Close", at=server)
    assert (answer, "1 sessions" in said) == (0, True)
    assert browser.me() is None
    assert wire.until_closed() == 4401  # the server found out by itself
    assert (code(browser.sign_in("to-close"))[0], code(browser.sign_up("to-close"))[0]) == (403, 409)
    assert code(browser.get("/api/people/to-close"))[0] == 404


def test_a_reset_password_is_good_once(server: Serving, office: Office) -> None:
    browser, other = Browser(server, "forgetful"), Browser(server)
    (once,) = re.findall(r"(?:[0-9a-f]{4}-){4}[0-9a-f]{4}", office("reset", "forgetful")[1])
    assert browser.me() is None
    assert (code(browser.sign_in("forgetful"))[0], browser.sign_in("forgetful", once).status_code) == (403, 200)
    assert code(other.sign_in("forgetful", once))[0] == 403
    assert browser.post("/api/me/password", json={"old": once, "new": PASSWORD}).status_code == 200
    assert (other.sign_in("forgetful").status_code, other.sign_in("forgetful").status_code) == (200, 200)


def test_deleting_by_the_operator(server: Serving, office: Office) -> None:
    browser = Browser(server, "unwanted", "Unwanted Name")
    assert office("delete", "unwanted")[0] == 0
    assert browser.me() is None
    assert rows(server, "SELECT * FROM people WHERE name = 'Unwanted Name'") == []


NONSENSE = "fly|hide|hide x|hide 999999|handled 999999|close no-such-one|reset '; DROP TABLE people|reports x"


def test_what_makes_no_sense(office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in NONSENSE.split("|"):
        answer, said = office(*arguments.split(maxsplit=1))
        assert (answer, len(said.splitlines())) == (2, 1), arguments
    said = run_command(capsys, "people", "reports", "--data-dir", str(tmp_path / "none"))[2]
    assert "has no data of a server" in said
    assert not (tmp_path / "none").exists()
