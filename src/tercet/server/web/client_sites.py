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
ACCOUNTS = re.compile(r"/api/(tokens|sessions|recovery|me/(password|recovery|bot|export))\b")
METHODS = "GET, POST, PUT, PATCH, DELETE"


def manages_account(scope: Any) -> bool:
    """Return whether a request of such a page belongs on the server's own page, which keeps secrets better."""
    deletes_account = (scope["method"], scope["path"]) == ("DELETE", "/api/me")
    return CLIENT_SITE in scope and (deletes_account or ACCOUNTS.match(scope["path"]) is not None)


class ClientSites:
    """Wraps an application. Pages of ``sites``, which are web origins, may be clients of it."""

    def __init__(self, app: ASGIApp, sites: frozenset[str]) -> None:
        self.app = app
        self.sites = sites

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        origin = Headers(scope=scope).get("origin", "") if scope["type"] in ("http", "websocket") else ""
        if origin not in self.sites:
            await self.app(scope, receive, send)
            return
        scope[CLIENT_SITE] = origin
        asked = MutableHeaders(scope=scope)
        secrets = [one.removeprefix(f"{PROTOCOL}.") for one in scope.get("subprotocols", ()) if one != PROTOCOL]
        session = next(iter(secrets), asked.get(SESSION, ""))
        asked["cookie"] = f"tercet={session}; __Host-tercet={session}"  # instead of the browser's own

        async def answer(message: Message) -> None:
            if message["type"] == "websocket.accept" and PROTOCOL in scope["subprotocols"]:
                message["subprotocol"] = PROTOCOL
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["access-control-allow-origin"] = origin
                headers["access-control-expose-headers"] = SESSION
                headers.add_vary_header("origin")
                if "set-cookie" in headers:
                    headers[SESSION] = headers["set-cookie"].partition("=")[2].partition(";")[0].strip('"')
                    del headers["set-cookie"]
                if scope["method"] == "OPTIONS" and "access-control-request-method" in asked:
                    message["status"] = 200 if message["status"] == 405 else message["status"]
                    headers["access-control-allow-headers"] = f"content-type, {SESSION}"
                    headers["access-control-allow-methods"] = METHODS
                    headers["access-control-max-age"] = "600"
            await send(message)

        await self.app(scope, receive, answer)
