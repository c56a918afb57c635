"""What a browser does with its cookies, for tests of people."""

from typing import Any

import httpx
import sqlalchemy as sa

from tercet.server.store.database import address
from tests.server.conftest import CLIENT, Opening, Serving, Wire

PASSWORD = "correct horse battery"
SMALL = {"side": 4}
SAY = (
    "INSERT INTO talk (table_id, room, person_id, name, text, at, hidden)"
    " VALUES (:table, 'players', :who, :name, :text, 0, false)"
)


class Browser(Opening, httpx.Client):
    """A browser with cookies of its own; with a ``handle``, that of a person who has just signed up."""

    def __init__(self, server: Serving, handle: str = "", name: str | None = None, **how: Any) -> None:
        super().__init__(base_url=f"http://127.0.0.1:{server.port}", **CLIENT, **how)
        if handle:
            answer = self.sign_up(handle, **({} if name is None else {"name": name}))
            assert answer.status_code == 201, answer.text

    @property
    def http(self) -> httpx.Client:  # type: ignore[override]
        return self

    def open(self, *kinds: str | dict[str, Any], **wish: Any) -> str:  # type: ignore[override]
        """Open a table, and return its id."""
        return str(super().open(*kinds, **wish)["id"])

    @property
    def cookie(self) -> str:
        return self.cookies["tercet"]

    def me(self) -> Any:
        return self.get("/api/me").json()["person"]

    def sign_up(self, handle: str, **more: Any) -> httpx.Response:
        return self.post("/api/accounts", json={"handle": handle, "password": PASSWORD, **more})

    def sign_in(self, handle: str, password: str = PASSWORD) -> httpx.Response:
        return self.post("/api/session", json={"handle": handle, "password": password})


def rows(server: Serving, query: str, **values: Any) -> list[Any]:
    engine = sa.create_engine(where(server), poolclass=sa.NullPool)
    with engine.begin() as connection:
        found = connection.execute(sa.text(query), values)
        return [tuple(row) for row in found] if found.returns_rows else []


def where(server: Serving) -> sa.URL:
    """The address of its database, for whoever may wait."""
    url = address(server.options.get("database") or server.folder / "tercet.sqlite")
    return url.set(drivername="sqlite") if url.drivername.startswith("sqlite") else url


def code(answer: httpx.Response) -> tuple[int, str, str]:
    error = answer.json()["error"]
    assert set(error) == {"code", "where", "why"} | ({"retry"} if error["code"] == "too-many" else set())
    return answer.status_code, error["code"], error["where"]


def listen(server: Serving, path: str, who: httpx.Client | None = None) -> Wire:
    """A socket of the site, as the person whose browser it is."""
    cookie = "; ".join(f"{name}={value}" for name, value in who.cookies.items()) if who else ""
    return server.socket(path, {"cookie": cookie} if cookie else {})


def follow(server: Serving, table: str, **headers: str) -> Wire:
    return server.socket(f"/api/tables/{table}/live", headers)
