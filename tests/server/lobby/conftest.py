"""A socket on the lobby."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.server.conftest import Serving, Visitor, Wire


class Board(Wire):
    """A client that follows the lobby, as a ``person`` if one is given."""

    def __init__(self, server: Serving, query: str = "", person: Visitor | None = None) -> None:
        cookies = {} if person is None else dict(person.http.cookies.items())
        cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
        super().__init__(f"ws://127.0.0.1:{server.port}/api/lobby/live{query}", {"cookie": cookie} if cookie else {})
        server.wires.append(self)

    def shows(self, condition: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """The next message of which ``condition`` is true."""
        while not condition(told := self.hear()):
            pass
        return told

    def shows_open(self, table: str) -> dict[str, Any]:
        """The next message in which that table waits."""
        return self.shows(lambda told: table in {one["id"] for one in told["open"]})
