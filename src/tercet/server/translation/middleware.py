"""The server's answers and sockets in the language that is asked for (plain ASGI): by ``Accept-Language``, on sockets
by ``lang`` in the address. English is passed on as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from tercet.games import names as game_names
from tercet.server.translation.messages import LANGUAGES, Translator, accepted

__all__ = ["TranslationMiddleware"]

SCHEMA = "/api/openapi.json"  # for programs
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Receive, Send], Awaitable[None]]


class TranslationMiddleware:
    """Wraps an application."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one request."""
        language = _language(scope)
        if language not in LANGUAGES:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, _socket(Translator(language), send))
        else:
            await self.app(scope, receive, _Answer(Translator(language, _game(scope["path"])), send))


def _language(scope: Any) -> str:
    if scope["type"] == "websocket":
        asked: list[str] = parse_qs(scope["query_string"].decode("latin-1")).get("lang", ["en"])
        return asked[0]
    if scope["type"] != "http" or not scope["path"].startswith("/api/") or scope["path"] == SCHEMA:
        return "en"
    said = next((value for name, value in scope["headers"] if name == b"accept-language"), b"")
    return accepted(said.decode("latin-1"))


def _game(path: str) -> str | None:
    """The game that an address is about."""
    return next((part for part in path.split("/") if part in game_names()), None)


def _socket(translator: Translator, send: Send) -> Send:
    async def translated(message: Message) -> None:
        text = message.get("text") if message["type"] == "websocket.send" else None
        await send({**message, "text": translator.message(text)} if text else message)

    return translated


class _Answer:
    """Holds an answer of JSON back until it is whole, and sends it translated; any other goes on as it comes."""

    def __init__(self, translator: Translator, send: Send) -> None:
        self._translator = translator
        self._send = send
        self._start: Message | None = None
        self._body: list[bytes] = []

    async def __call__(self, message: Message) -> None:
        """Send one part."""
        if message["type"] == "http.response.start":
            headers = dict(message.get("headers", ()))
            if headers.get(b"content-type", b"").split(b";")[0] == b"application/json":
                self._start = message
                return
        elif self._start is not None and message["type"] == "http.response.body":
            self._body.append(message.get("body", b""))
            if not message.get("more_body"):
                await self._whole(self._start)
            return
        await self._send(message)

    async def _whole(self, start: Message) -> None:
        body = b"".join(self._body)
        # In a thread: the catalogues are read when somebody asks for their language first, and a lesson is long.
        told = (await asyncio.to_thread(self._translator.message, body.decode())).encode() if body else body
        headers = [pair for pair in start["headers"] if pair[0] != b"content-length"]
        length = dict(start["headers"]).get(b"content-length", b"0") if not body else b"%d" % len(told)
        headers += [(b"content-length", length), (b"content-language", self._translator.language.encode())]
        self._start = None
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": told})
