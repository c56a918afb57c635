"""Middleware in plain ASGI: the client behind a proxy, sizes, rates, requests from other sites, cookies, the
headers that keep a browser safe, and the language of a request."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import ipaddress
import os
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Send

from tercet.answers.errors import as_text
from tercet.answers.translation import LANGUAGES, Translator, accepted, game_catalogue
from tercet.errors import OptionError
from tercet.games import names as game_names
from tercet.server.errors import TRANSLATOR, ApiError
from tercet.server.limits import budgets, spenders
from tercet.server.limits.share import FairShare
from tercet.server.limits.spenders import Metered
from tercet.server.people.identity import SESSION_ENDED, SET_COOKIES

SESSION = "tercet-session"  # the header
PROTOCOL = "tercet"  # of sockets; with a dot and the session it is the second one that a client offers
CLIENT_SITE = "tercet.site"  # in a request's scope: the origin of such a page
OWN = "tokens|sessions|recovery|me/(password|recovery|bot|export|notices)"
ACCOUNTS = re.compile(rf"DELETE /api/me$|\w+ /api/({OWN})\b")


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


SIGNED_OUT = 4401  # the code that closes a socket whose session is over
TOO_MANY = 4429  # the code that closes a socket of a client with too many

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self'; media-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
# Of what other sites may show in a frame: it has no script, and nothing in it acts.
EMBED_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors *"
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
REFUSAL_SECONDS = 0.5  # until a request above the rate is refused: to refuse costs as much as to serve
REFUSED_BODY_BYTES = 1 << 16  # read even from a refused request: unread bytes may cut the answer off


def named_origins(text: str, setting: str = "TERCET_ORIGINS") -> frozenset[str]:
    """Return the web origins in the ``text`` of a ``setting``, commas or spaces between them; OptionError."""
    origins = frozenset(text.replace(",", " ").lower().split())
    for origin in origins:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or origin != f"{parts.scheme}://{parts.netloc}":
            why = f"{setting} must have origins such as https://play.example, not {origin[:60]!r}."
            raise OptionError(setting, why)
    return origins


def is_foreign(scope: Any, origins: Iterable[str]) -> bool:
    """Return whether a browser says that a page of another site sent this request, one neither of the requested host
    nor of ``origins``. Requests from programs other than browsers are never foreign."""
    headers = Headers(scope=scope)
    origin = headers.get("origin", "").lower()
    if origin in origins:
        return False
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    if not origin:
        return False
    scheme, _, host = origin.partition("://")
    if scope["scheme"] in ("https", "wss") and scheme != "https":
        return True
    return host != headers.get("host", "").lower()


def _said_length(headers: Headers) -> float:
    """Return the announced length of a request in bytes, or infinity if it makes no sense or is chunked."""
    said = headers.get("content-length", "0")
    makes_sense = said.isascii() and said.isdigit() and len(said) <= 12 and "transfer-encoding" not in headers
    return int(said) if makes_sense else float("inf")


def _host(scope: Any) -> str | None:
    return scope["client"][0] if scope.get("client") else None


def _has_nul(scope: Any) -> bool:
    """Return whether the address has a NUL, which no database accepts in text."""
    return "\0" in scope["path"] or b"%00" in scope["query_string"]


class Proxies:
    """The proxies whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are believed: addresses and networks, separated
    by commas or spaces (``TERCET_TRUSTED_PROXIES``). OptionError names what is neither."""

    def __init__(self, text: str = "") -> None:
        self.networks = []
        for word in text.replace(",", " ").split():
            try:
                self.networks.append(ipaddress.ip_network(word, strict=False))
            except ValueError:
                why = f"TERCET_TRUSTED_PROXIES must have addresses and networks, not {word[:60]!r}."
                raise OptionError("TERCET_TRUSTED_PROXIES", why) from None

    def trusts(self, host: str) -> bool:
        """Return whether ``host`` is a trusted proxy."""
        address = spenders.address_in(host)
        return address is not None and any(address in network for network in self.networks)

    def reveal(self, scope: Any) -> None:
        """Put the client and the scheme that trusted proxies tell of in the place of their own."""
        client = scope.get("client")
        if not self.networks or client is None or not self.trusts(client[0]):
            return
        headers = Headers(scope=scope)
        hosts = [host.strip() for host in ",".join(headers.getlist("x-forwarded-for")).split(",") if host.strip()]
        while hosts:  # the last one that no trusted proxy wrote of another trusted proxy
            host = hosts.pop()
            scope["client"] = (host, 0)
            if not self.trusts(host):
                break
        said = "".join(headers.getlist("x-forwarded-proto")[-1:]).strip()
        if said in ("http", "https"):
            secure = said == "https"
            scope["scheme"] = {"http": ("http", "https"), "websocket": ("ws", "wss")}[scope["type"]][secure]


class SecurityMiddleware:
    """Wraps an application. ``origins`` are other web origins whose pages may do things here; where they or
    ``proxies`` are not given the environment says them (``TERCET_ORIGINS``, ``TERCET_TRUSTED_PROXIES``)."""

    def __init__(
        self,
        app: ASGIApp,
        limits: budgets.ServerLimits,
        origins: frozenset[str] = frozenset(),
        proxies: Proxies | None = None,
        fair_share: FairShare | None = None,
    ) -> None:
        self.app = app
        self.fair_share = fair_share or FairShare(limits)
        self.limits = limits
        self.origins = origins
        self.proxies = Proxies(os.environ.get("TERCET_TRUSTED_PROXIES", "")) if proxies is None else proxies

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        self.proxies.reveal(scope)
        network, loop = spenders.network_group(_host(scope)), self.fair_share.loop_time
        scope[spenders.SPENDER] = spenders.spender(spenders.Spender(network, loop=loop))
        await self.fair_share.turns.take(spenders.turn_group(network))
        serve = self._serve_socket if scope["type"] == "websocket" else self._serve_request
        await Metered(serve(scope, receive, send))

    async def _serve_request(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer a request."""
        read = sent = 0
        too_long = f"The body of a request must have at most {self.limits.body} bytes."
        cookies: list[str] = []
        scope[SET_COOKIES] = cookies

        async def guarded_send(message: Message) -> None:
            nonlocal sent
            sent += len(message.get("body", b""))
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if headers["content-security-policy"] == EMBED_POLICY:
                    del headers["x-frame-options"]
                if scope["scheme"] == "https":
                    headers["strict-transport-security"] = "max-age=31536000"
                for cookie in cookies if message["status"] < 400 else ():  # a refused client gets no guest
                    headers.append("set-cookie", cookie)
            await send(message)

        async def guarded_receive() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.limits.body:
                raise HTTPException(413, too_long)
            return message

        fault = self._refusal(scope, too_long)
        if fault is not None:
            if fault.code == "too-many":  # a client that asks on at once is refused no more often than that
                await asyncio.sleep(REFUSAL_SECONDS)
            answer = fault.response()
            too_large = fault.code == "too-large" and _said_length(Headers(scope=scope)) > REFUSED_BODY_BYTES
            if too_large or fault.where == "content-length":
                answer.headers["connection"] = "close"  # its end is never read, or unknown
            else:  # what is left unread would cut the answer off
                with contextlib.suppress(HTTPException):
                    while (await (receive if fault.code == "too-large" else guarded_receive)()).get("more_body"):
                        pass
            await answer(scope, receive, guarded_send)
            return
        end = {"type": "http.response.body", "body": b"", "more_body": False}
        try:
            with contextlib.suppress(ClientDisconnect):  # it left before it had sent all of its request
                await self._serve_until_banned(scope, guarded_receive, guarded_send, end)
        finally:
            self.fair_share.budgets.spend(scope[spenders.SPENDER], size=read + sent)

    async def _serve_socket(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve a socket until it ends, or until its person signs out."""
        if _has_nul(scope) or self.fair_share.bans.refuses(_host(scope)):
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
            return
        refused = self.fair_share.visits.refusal(scope[spenders.SPENDER])
        if refused is None:
            await self._serve_until_banned(scope, receive, send, {"type": "websocket.close", "code": 1008})
            return
        # Say why in the form of the sockets: a browser learns nothing of a socket that was never open.
        if await self.fair_share.visits.hold(scope[spenders.SPENDER]):
            with contextlib.suppress(Exception):  # the client may have left meanwhile
                await send({"type": "websocket.accept"})
                await send({"type": "websocket.send", "text": as_text(refused.count().message())})
        with contextlib.suppress(Exception):
            await send({"type": "websocket.close", "code": TOO_MANY, "reason": "too many"})

    async def _serve_until_banned(self, scope: Any, receive: Receive, send: Send, farewell: Message) -> None:
        """Let the application serve a connection; end it with ``farewell`` when its network is banned, and a socket
        also when its session ends."""
        serving = asyncio.current_task()
        assert serving is not None
        last: Message | None = None

        def hang_up(message: Message) -> None:
            nonlocal last
            if last is None:
                last = message
                serving.cancel()

        if scope["type"] == "websocket":
            signed_out = {"type": "websocket.close", "code": SIGNED_OUT, "reason": "signed out"}
            scope[SESSION_ENDED] = functools.partial(hang_up, signed_out)
        with self.fair_share.bans.connected(_host(scope), functools.partial(hang_up, farewell)):
            try:
                await self.app(scope, receive, send)
            except asyncio.CancelledError:
                if last is None:
                    raise
                serving.uncancel()
                with contextlib.suppress(Exception):  # it may have ended already
                    await send(last)

    def _refusal(self, scope: Any, too_long: str) -> ApiError | None:
        """Why this request is not even looked at, if so."""
        host = _host(scope)
        if self.fair_share.bans.refuses(host):
            return ApiError("not-allowed", "network", "The operator of this server has banned your network.")
        is_api = scope["path"].startswith("/api/")
        address, requests = spenders.address_group(host), self.fair_share.requests if is_api else self.fair_share.files
        if not requests.take(address):
            wait = requests.wait(address)
            return ApiError("too-many", "address", "You have sent too many requests. Wait a moment.", retry=wait)
        try:
            self.fair_share.budgets.check(scope[spenders.SPENDER], "bytes")
        except ApiError as refused:
            return refused
        if _has_nul(scope):
            return ApiError("bad-message", "address", "The address must not have a NUL character.")
        headers = Headers(scope=scope)
        chunked, length = "transfer-encoding" in headers, _said_length(headers)
        if length > self.limits.body and not chunked:
            return ApiError("too-large", "body", too_long)
        if chunked and "content-length" in headers:  # a proxy might see another end of it than we do
            return ApiError("bad-message", "content-length", "The header Content-Length must be given once.")
        if manages_account(scope):
            return ApiError("not-allowed", "origin", "Manage your account on the server's own page.")
        if scope["method"] in SAFE:
            return None
        if is_foreign(scope, self.origins):
            return ApiError("foreign-origin", "origin", "Pages of other sites cannot use this server.")
        kind = headers.get("content-type", "").split(";")[0].strip().lower()
        if kind != "application/json" and (kind or length):  # what a form of another site could send
            return ApiError("bad-message", "content-type", "The header Content-Type must be application/json.")
        return None


class TranslationMiddleware:
    """Wraps an application. Where the language of a request (of ``Accept-Language``; of ``lang`` in the address of a
    socket) is not English, its scope has a translator from then on."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._ready: set[str] = set()  # the languages whose catalogues are read

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        language = _language(scope)
        if language in LANGUAGES:
            if language not in self._ready:
                await asyncio.to_thread(lambda: [game_catalogue(game, language) for game in game_names()])
                self._ready.add(language)
            game = next((part for part in scope["path"].split("/") if part in game_names()), None)
            scope[TRANSLATOR] = Translator(language, game)
        await self.app(scope, receive, send)


def _language(scope: Any) -> str:
    if scope["type"] == "websocket":
        asked: list[str] = parse_qs(scope["query_string"].decode("latin-1")).get("lang", ["en"])
        return asked[0]
    if scope["type"] != "http" or not scope["path"].startswith("/api/"):
        return "en"
    return accepted(Headers(scope=scope).get("accept-language", ""))
