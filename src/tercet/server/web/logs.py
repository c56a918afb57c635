"""The server's log: lines of text or of JSON on stderr, each with the request that it belongs to.

Neither addresses of people nor what they say are written, nor anything that opens a seat or an account: routes are
named without what fills them, and what looks like a secret is blotted out.
"""

from __future__ import annotations

import datetime
import json
import logging
import re
import secrets
import sys
import time
from contextvars import ContextVar
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Send

from tercet.errors import OptionError
from tercet.server.metrics import REQUESTS, SOCKETS

LOG = logging.getLogger("tercet.requests")
FORMS = ("text", "json")
QUIET = frozenset({"/health", "/ready", "/metrics"})  # asked every few seconds by machines
REQUEST: ContextVar[str | None] = ContextVar("request", default=None)
GOOD_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
SECRETS = (
    (re.compile(r"(seat=)[^&\s\"'#]+"), r"\1***"),
    (re.compile(r"tercet_[A-Za-z0-9_-]{20,}"), "tercet_***"),
    (re.compile(r"\b([sg])\.[A-Za-z0-9_.-]{24,}"), r"\1.***"),
    (re.compile(r"(\w://[^:/@\s]*):[^@/\s]+@"), r"\1:***@"),
    (re.compile(r"(?i)(bearer|password[\"']?\s*[:=])\s*\S+"), r"\1 ***"),
)
USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def _clean(text: str) -> str:
    for pattern, instead in SECRETS:
        text = pattern.sub(instead, text)
    return text


class TextFormatter(logging.Formatter):
    """A line for people; a stack trace below it where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        when = datetime.datetime.fromtimestamp(record.created).astimezone().isoformat(" ", "milliseconds")
        request = REQUEST.get()
        mark = f" [{request}]" if request else ""
        text = f"{when} {record.levelname.lower()} {record.name}{mark}: {record.getMessage()}"
        trace = "\n" + self.formatException(record.exc_info) if record.exc_info else ""
        return _clean(text + trace)


class JsonFormatter(logging.Formatter):
    """One object a line: ``at``, ``level``, ``logger``, ``message``, ``request`` (where it belongs to one), ``error``
    (a stack trace), and whatever was given as ``extra``."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        data: dict[str, Any] = {
            "at": datetime.datetime.fromtimestamp(record.created, datetime.UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _clean(record.getMessage()),
        }
        request = REQUEST.get()
        if request:
            data["request"] = request
        extra = {name: value for name, value in vars(record).items() if name not in USUAL}
        data |= {name: _clean(value) if isinstance(value, str) else value for name, value in extra.items()}
        if record.exc_info:
            data["error"] = _clean(self.formatException(record.exc_info))
        return json.dumps(data, separators=(",", ":"), default=str)


def configure(form: str | None) -> None:
    """Write the log to stderr in that form; with None only what goes wrong, as text. Raise OptionError for another."""
    if form is not None and form not in FORMS:
        raise OptionError("log", f"The log must be one of {', '.join(FORMS)}.")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("asyncio").addFilter(AcceptFailures())
    logging.getLogger("tercet").setLevel(logging.WARNING if form is None else logging.INFO)


class AcceptFailures(logging.Filter):
    """Lets one of the many lines a minute pass that are written while no connection can be accepted."""

    def __init__(self) -> None:
        super().__init__()
        self._next = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether this line is written."""
        if not record.getMessage().startswith("socket.accept()"):
            return True
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + 60
        return True


class Requests:
    """Wraps an application: gives each request an id, tells of it when it is answered, and measures it.

    The id is the proxy's (``X-Request-Id``) if it is a sane one, and goes back in the answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request = given if GOOD_ID.fullmatch(given) else secrets.token_hex(8)
        REQUEST.set(request)
        is_socket = scope["type"] == "websocket"
        began = time.perf_counter()
        status = 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = request
            elif message["type"] == "websocket.close":
                status = message.get("code", 1000)
            elif message["type"] == "websocket.accept":
                SOCKETS.labels(_route(scope)).inc()
            await send(message)

        try:
            await self.app(scope, receive, noting)
        finally:
            seconds = time.perf_counter() - began
            route = _route(scope)
            method = "SOCKET" if is_socket else scope["method"] if scope["method"] in METHODS else "OTHER"
            if not is_socket:
                REQUESTS.labels(method, route, str(status)).observe(seconds)
            if route not in QUIET:
                extra = {"method": method, "route": route, "status": status, "ms": round(1000 * seconds, 1)}
                LOG.info("%s %s %s in %.1f ms", method, route, status, 1000 * seconds, extra=extra)


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _route(scope: Any) -> str:
    """Return the route that answered, without what fills it; ``page`` for everything that is no endpoint."""
    return str(getattr(scope.get("route"), "path", None) or "page")
