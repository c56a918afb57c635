"""What a browser does with its cookies, for tests of people."""

from typing import Any

import httpx
import sqlalchemy as sa

from tercet.server.store.database import address
from tests.server.conftest import CLIENT, Serving, Wire

PASSWORD = "correct horse battery"
SMALL = {"side": 4}


class Browser(httpx.Client):
    """A browser with cookies of its own."""

    def __init__(self, server: Serving, **how: Any) -> None:
        super().__init__(base_url=f"http://127.0.0.1:{server.port}", **CLIENT, **how)

    @property
    def cookie(self) -> str:
        """What it knows."""
        return self.cookies["tercet"]

    def me(self) -> Any:
        """Who it is."""
        return self.get("/api/me").json()["person"]

    def sign_up(self, handle: str, **more: Any) -> httpx.Response:
        """A new account."""
        return self.post("/api/accounts", json={"handle": handle, "password": PASSWORD, **more})

    def sign_in(self, handle: str, password: str = PASSWORD) -> httpx.Response:
        """Sign in."""
        return self.post("/api/session", json={"handle": handle, "password": password})


def rows(server: Serving, query: str, **values: Any) -> list[Any]:
    """What the database holds."""
    engine = sa.create_engine(where(server))
    with engine.begin() as connection:
        found = connection.execute(sa.text(query), values)
        told = [tuple(row) for row in found] if found.returns_rows else []
    engine.dispose()
    return told


def where(server: Serving) -> sa.URL:
    """The address of its database, for whoever may wait."""
    url = address(server.options.get("database") or server.folder / "tercet.sqlite")
    return url.set(drivername="sqlite") if url.drivername.startswith("sqlite") else url


def code(answer: httpx.Response) -> tuple[int, str, str]:
    error = answer.json()["error"]
    assert set(error) == {"code", "where", "why"} | ({"retry"} if error["code"] == "too-many" else set())
    return answer.status_code, error["code"], error["where"]


def follow(server: Serving, table: str, **headers: str) -> Wire:
    """Follow a table as whoever the headers say."""
    wire = Wire(f"ws://127.0.0.1:{server.port}/api/tables/{table}/live", headers)
    server.wires.append(wire)
    return wire
