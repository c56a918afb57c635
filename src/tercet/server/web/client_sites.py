"""Sites without a server whose pages are clients of this one (``--client-sites``). A browser lets them read answers and
sends none of its cookies from them: what a cookie would hold is in a header, or in a subprotocol of a socket."""

from __future__ import annotations

import re
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Send

SESSION = "tercet-session"  # the header
PROTOCOL = "tercet"  # of sockets; with a dot and the session it is the second one that a client offers
CLIENT_SITE = "tercet.site"  # in a request's scope: the origin of such a page
ACCOUNTS = re.compile(r"DELETE /api/me$|\w+ /api/(tokens|sessions|recovery|me/(password|recovery|bot|export))\b")


def manages_account(scope: Any) -> bool:
    """Return whether a request of such a page belongs on the server's own page, which keeps secrets better."""
    return CLIENT_SITE in scope and ACCOUNTS.match(f"{scope['method']} {scope['path']}") is not None


class ClientSites:
    """Wraps an application. Pages of ``sites``, which are web origins, may be clients of it."""

    def __init__(self, app: ASGIApp, sites: frozenset[str]) -> None:
        self.app, self.sites = app, sites

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        origin = Headers(scope=scope).get("origin", "") if scope["type"] in ("http", "websocket") else ""
        if origin not in self.sites:
            await self.app(scope, receive, send)
            return
        scope[CLIENT_SITE] = origin
        asked, offered = MutableHeaders(scope=scope), scope.get("subprotocols", [])
        session = next((one.partition(".")[2] for one in offered if "." in one), asked.get(SESSION, ""))
        asked["cookie"] = f"tercet={session}; __Host-tercet={session}"  # instead of the browser's own

        async def answer(message: Message) -> None:
            if message["type"] == "websocket.accept" and PROTOCOL in offered:
                message["subprotocol"] = PROTOCOL
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["access-control-allow-origin"] = origin
                headers["access-control-expose-headers"] = SESSION
                headers.add_vary_header("origin")
                if "set-cookie" in headers:
                    headers[SESSION] = headers["set-cookie"].partition("=")[2].partition(";")[0].strip('"')
                    del headers["set-cookie"]
                if message["status"] == 405 and "access-control-request-method" in asked:  # a browser asks first
                    message["status"] = 200
                    headers["access-control-allow-headers"] = f"content-type, {SESSION}"
                    headers["access-control-allow-methods"] = "GET, POST, PUT, PATCH, DELETE"
                    headers["access-control-max-age"] = "600"
            await send(message)

        await self.app(scope, receive, answer)
