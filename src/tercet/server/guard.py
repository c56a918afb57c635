"""What stands before the application: sizes, rates, and the headers that keep a browser safe (plain ASGI)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.exceptions import HTTPException

from tercet.server.bounds import Bounds, Buckets, address_group
from tercet.server.faults import Fault

__all__ = ["Guard"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


class Guard:
    """Wraps an application."""

    def __init__(self, app: App, bounds: Bounds) -> None:
        self.app = app
        self.bounds = bounds
        self.requests = Buckets(bounds.requests_per_minute)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        read = 0
        too_long = f"is longer than {self.bounds.body} bytes"

        async def guarded_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
                if not any(name == b"cache-control" for name, _ in message["headers"]):
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        async def guarded_receive() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.bounds.body:
                raise HTTPException(413, too_long)
            return message

        client = scope.get("client")
        api = scope["path"].startswith("/api/")
        if api and not self.requests.take(address_group(client[0] if client else None)):
            await Fault("too-many", "address", "too many requests; wait a little").response()(
                scope, receive, guarded_send
            )
            return
        said = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not said.isdigit() or len(said) > 12 or int(said) > self.bounds.body:
            await Fault("too-large", "body", too_long).response()(scope, receive, guarded_send)
            return
        await self.app(scope, guarded_receive, guarded_send)
