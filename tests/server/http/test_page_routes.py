"""One list of addresses serves the server and the page: what the page shows is answered with 200, all else with 404,
and with the page in either case."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.server.web.pages import PAGES


def addresses() -> list[str]:
    named = {"game": "sparklies", "id": "0123456789abcdef", "skin": "kingdom", "handle": "ada"}
    return [address.format(**named) for address in PAGES]


def test_every_page_is_answered_and_what_is_none_is_not_found(serve: Callable[..., Any]) -> None:
    http = serve().http
    for address in addresses():
        answer = http.get(address)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8"), address
    whole = http.get("/").text
    for address in (
        "/nowhere",
        "/t",
        "/moments",
        "/account/x",
        "/rules/nosuch",
        "/rules/nosuch/kingdom",
        "/lab/nosuch",
        "/learn/nosuch",
        "/learn/nosuch/first",
        "/puzzles/nosuch",
        "/players/nosuch",
    ):
        answer = http.get(address)
        assert answer.status_code == 404, address
        assert answer.text == whole, address


@pytest.mark.parametrize("address", ["/api/nowhere", "/assets/nowhere.js"])
def test_what_is_no_page_is_told_as_data(serve: Callable[..., Any], address: str) -> None:
    answer = serve().http.get(address)
    assert answer.status_code == 404
    assert not answer.headers["content-type"].startswith("text/html")


def test_the_source_of_what_runs_is_given_out(serve: Callable[..., Any]) -> None:
    http = serve().http
    answer = http.get("/api/source")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        name = f"tercet-{tercet.__version__}/src/tercet/__init__.py"
        assert archive.read(name).decode() == Path(tercet.__file__).read_text("utf-8")
        assert all(entry.endswith((".py", "LICENSE")) for entry in archive.namelist())
    assert http.get("/health").json()["version"] == tercet.__version__
    links = {game["name"]: [link["address"] for link in game["links"]] for game in http.get("/api/games").json()}
    assert all(links[name] for name in ("sanqi", "triplicity", "sparklies"))
    assert all(address.startswith("https://") for addresses in links.values() for address in addresses)
