"""Translates the server's answers and sockets (plain ASGI): by ``Accept-Language``, on sockets by ``lang`` in the
address. English passes unchanged.

Long messages are translated in a thread, charged to their client; clients with the same message share one translation.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from tercet.games import names as game_names
from tercet.server.limits.spender import spender
from tercet.translation.messages import LANGUAGES, SHORT_CHARACTERS, Translated, Translator, accepted

__all__ = ["LANGUAGE", "TranslationMiddleware"]

LANGUAGE = "tercet.language"  # in a socket's scope, where it is not English
LONG_REMEMBERED = 1_000_000  # characters of long messages whose translations are kept

SCHEMA = "/api/openapi.json"  # for programs
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Receive, Send], Awaitable[None]]
Key = tuple[str, str | None, str]  # language, game, message
Long = tuple[str, str | None]  # the message in the language, and the game that the next one is about


class TranslationMiddleware:
    """Wraps an application."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._long: OrderedDict[Key, asyncio.Future[Long]] = OrderedDict()
        self._kept = 0  # characters of the messages in it

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one request."""
        language = _language(scope)
        if language not in LANGUAGES:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            scope[LANGUAGE] = language
            await self.app(scope, receive, self._socket(Translator(language), scope, send))
        else:
            await self.app(scope, receive, _Answer(Translator(language, _game(scope["path"])), send))

    def _socket(self, translator: Translator, scope: Any, send: Send) -> Send:
        async def translated(message: Message) -> None:
            text = message.get("text") if message["type"] == "websocket.send" else None
            if not text or isinstance(text, Translated):
                await send(message)
            elif len(text) <= SHORT_CHARACTERS:
                await send({**message, "text": translator.message(text)})
            else:
                text, translator.game = await self._translate(translator.language, translator.game, text, scope)
                await send({**message, "text": text})

        return translated

    async def _translate(self, language: str, game: str | None, text: str, scope: Any) -> Long:
        key = language, game, text
        found = self._long.get(key)
        if found is None:
            found = self._long[key] = asyncio.ensure_future(self._translate_apart(*key, scope))
            self._kept += len(text)
            while self._kept > LONG_REMEMBERED and len(self._long) > 1:
                (_, _, oldest), _ = self._long.popitem(last=False)
                self._kept -= len(oldest)
        return await asyncio.shield(found)

    @staticmethod
    async def _translate_apart(language: str, game: str | None, text: str, scope: Any) -> Long:
        def work() -> tuple[Long, float]:
            began, translator = time.thread_time(), Translator(language, game)
            result = translator.message(text)
            return (result, translator.game), time.thread_time() - began

        found, seconds = await asyncio.to_thread(work)
        scope["app"].state.services.fair_share.budgets.spend(spender(), cpu=seconds)
        return found


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
        # In a thread: the catalogues are read at the first request in their language, and a lesson is long.
        result = (await asyncio.to_thread(self._translator.message, body.decode())).encode() if body else body
        headers = [pair for pair in start["headers"] if pair[0] != b"content-length"]
        length = dict(start["headers"]).get(b"content-length", b"0") if not body else b"%d" % len(result)
        headers += [(b"content-length", length), (b"content-language", self._translator.language.encode())]
        self._start = None
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": result})
