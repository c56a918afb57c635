"""The language of a request: that of ``Accept-Language``, on sockets of ``lang`` in the address (plain ASGI). Where it
is not English, the scope has a translator from then on, and whatever answers translates before it encodes."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import ASGIApp

from tercet.answers.translation.catalogue import LANGUAGES, accepted, game_catalogue
from tercet.answers.translation.messages import Translator
from tercet.games import names as game_names
from tercet.server.errors import TRANSLATOR


class TranslationMiddleware:
    """Wraps an application."""

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
