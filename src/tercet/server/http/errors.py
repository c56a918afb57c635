"""Errors as clients see them: a code, a place and a reason, never a stack trace."""

from __future__ import annotations

import json
import logging
import math
import traceback
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.websockets import WebSocket

from tercet.errors import IllegalAction, OptionError, ParseError
from tercet.server.operations.metrics import ERRORS
from tercet.server.store import Unreachable
from tercet.session import SessionError

__all__ = ["ERROR_RESPONSES", "ApiError", "Json", "SocketRefusedError", "as_api_error", "as_text", "install"]

LOG = logging.getLogger("tercet.server")
AGAIN = 5  # seconds after which to try again, where nobody knows better
STATUS = {
    "unknown-table": 404,
    "not-found": 404,
    "not-signed-in": 401,
    "wrong-password": 403,
    "foreign-origin": 403,
    "not-allowed": 403,
    "not-your-seat": 403,
    "not-your-turn": 409,
    "stale-ply": 409,
    "over": 409,
    "not-begun": 409,
    "adjourned": 409,
    "taken": 409,
    "not-possible": 409,
    "damaged": 409,
    "too-large": 413,
    "too-many": 429,
    "unavailable": 503,
}


# What any endpoint may answer, for the description of them all.
ERROR_RESPONSES = {
    400: "It makes no sense, or the rules forbid it",
    401: "Sign in first",
    403: "Not yours to do",
    404: "There is no such thing, or none that you may know of",
    405: "Not in this way",
    409: "Not now: things have gone on",
    413: "Too large",
    429: "Too many",
    503: "Not possible here or now",
}


def as_text(content: Any) -> str:
    """``content`` as JSON in pure ASCII: no text that somebody sent can fail to be encoded."""
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


class Json(Response):
    """An answer that is such JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The body."""
        return as_text(content).encode("ascii")


class ApiError(Exception):
    """An answer that is an error. ``retry`` says in how many seconds it may be tried again, ``used`` what whoever asks
    has used lately of what is scarce."""

    def __init__(
        self, code: str, where: str, why: str, *, retry: float | None = None, used: dict[str, float] | None = None
    ) -> None:
        super().__init__(f"{where}: {why}")
        self.code = code
        self.where = where
        self.why = why
        self.retry = math.ceil(retry) if retry is not None else AGAIN if code == "too-many" else None
        self.used = used
        self._counted = False

    def count(self) -> ApiError:
        """Note, once, that a client is told of it."""
        if not self._counted:
            self._counted = True
            ERRORS.labels(self.code).inc()
        return self

    @property
    def data(self) -> dict[str, Any]:
        """As the protocol writes it."""
        more = {"retry": self.retry, "used": self.used}
        told = {name: value for name, value in more.items() if value is not None}
        return {"code": self.code, "where": self.where, "why": self.why, **told}

    def response(self) -> Json:
        """As an HTTP answer."""
        answer = Json({"error": self.count().data}, STATUS.get(self.code, 400))
        if self.retry is not None:
            answer.headers["retry-after"] = str(self.retry)
        return answer


class SocketRefusedError(Exception):
    """A socket was refused: its client has been told why and it is closed, so that nothing is left to do."""


def as_api_error(error: Exception, where: str = "") -> ApiError:
    """The fault that a typed error of the library is to a client, who is told of it."""
    return _as_api_error(error, where).count()


def _as_api_error(error: Exception, where: str) -> ApiError:
    if isinstance(error, ApiError):
        return error
    if isinstance(error, SessionError):
        return ApiError(error.code, error.where, error.why)
    if isinstance(error, OptionError):
        return ApiError("bad-option", error.option, error.why)
    if isinstance(error, IllegalAction):
        return ApiError("illegal-action", where or error.action[:80], error.why)
    if isinstance(error, ParseError):
        place = error.where if error.line is None else f"line {error.line}, column {error.column or 1}: {error.where}"
        return ApiError(where or "bad-position", place, error.why)
    if isinstance(error, Unreachable):
        return ApiError("unavailable", "database", "the games cannot be reached just now; try again")
    LOG.error("unexpected", exc_info=error)
    return ApiError("unavailable", "server", "something went wrong here; it has been noted")


def _let_go(error: BaseException) -> None:
    """Forget what was at hand where ``error`` was raised. An error and the frame that it was made in refer to each
    other: the garbage collector would find them, but it comes seldom, and until then a request's body would stay."""
    found: BaseException | None = error
    while found is not None:
        traceback.clear_frames(found.__traceback__)
        found = found.__cause__ or found.__context__


def install(app: FastAPI) -> None:
    """Answer every error in the one form."""

    async def typed(_request: Request, error: Exception) -> Json:
        _let_go(error)
        return as_api_error(error).response()

    async def invalid(_request: Request, error: Exception) -> Json:
        assert isinstance(error, RequestValidationError)
        _let_go(error)
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return ApiError("bad-message", where[:200], str(first["msg"])[:300]).response()

    async def http(_request: Request, error: Exception) -> Json:
        assert isinstance(error, HTTPException)
        _let_go(error)
        code = {404: "not-found", 405: "bad-message", 413: "too-large", 429: "too-many"}.get(
            error.status_code, "bad-message"
        )
        made = ApiError(code, "request", str(error.detail)[:200]).response()
        made.status_code = error.status_code
        return made

    async def unexpected(_request: Request, error: Exception) -> Json:
        LOG.error("unexpected", exc_info=error)
        fault = ApiError("unavailable", "server", "something went wrong here; it has been noted").count()
        return Json({"error": fault.data}, 500)

    async def refused(_socket: WebSocket, _error: Exception) -> None:
        """Nothing is left to do."""

    for kind in (ApiError, SessionError, OptionError, ParseError, IllegalAction, Unreachable):
        app.add_exception_handler(kind, typed)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(SocketRefusedError, refused)
    app.add_exception_handler(Exception, unexpected)
