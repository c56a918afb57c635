"""Requests as an ASGI server describes them to an application."""

from typing import Any


def scope_of(path: str, peer: str, headers: Any = (), method: str = "GET") -> dict[str, Any]:
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "scheme": "http"}
    return {**scope, "headers": list(headers), "client": (peer, 1)}
