"""Errors as clients see them: a code and a place for programs, and a whole sentence; never a stack trace."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import math
import traceback
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.websockets import WebSocket

from tercet.answers.addresses import Wrong
from tercet.answers.errors import AnswerError, answer_error, as_text, status_of
from tercet.errors import IllegalAction, OptionError, ParseError, TercetError
from tercet.play.session import SessionError
from tercet.play.tournaments import TournamentError
from tercet.server.metrics import ERRORS

LOG = logging.getLogger("tercet.server")
TRANSLATOR = "tercet.translator"  # in a scope, where the client reads another language than English
RETRY_SECONDS = 5  # where no better number is known

HTTP_WORDS = {404: "This address does not exist.", 405: "This address does not take this method."}

# What any endpoint may answer, for the description of them all.
ERROR_RESPONSES = {
    400: "The request makes no sense, or the rules forbid it",
    401: "Sign in first",
    403: "You are not allowed to do this",
    404: "It does not exist, or you may not see it",
    405: "The address does not take this method",
    409: "Not possible in the present state",
    413: "The request is too large",
    429: "Too many requests",
    431: "The address or the headers are too long",
    503: "Not available here or now",
}


class Json(Response):
    """A JSON answer in the language of the request: ``content`` is of the type ``kind`` (None: it has no texts)."""

    media_type = "application/json"

    def __init__(self, content: Any, status_code: int = 200, kind: Any = None) -> None:
        self.content = content
        self.kind = kind
        super().__init__(content, status_code)

    def render(self, content: Any) -> bytes:
        return as_text(content).encode("ascii")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        translator = scope.get(TRANSLATOR)
        if translator is not None:  # in a thread: a lesson is long
            self.body = await asyncio.to_thread(lambda: self.render(translator.value(self.content, self.kind)))
            self.headers["content-length"] = str(len(self.body))
            self.headers["content-language"] = translator.language
        await super().__call__(scope, receive, send)


class ApiError(AnswerError):
    """An error of the server's own. ``retry`` is the number of seconds to wait, ``used`` the client's recent use of
    scarce resources."""

    def __init__(
        self, code: str, where: str, why: str, *, retry: float | None = None, used: dict[str, float] | None = None
    ) -> None:
        super().__init__(code, where, why)
        self.retry = math.ceil(retry) if retry is not None else RETRY_SECONDS if code == "too-many" else None
        self.used = used
        self._counted = False

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(ApiError, retry=self.retry, used=self.used), (self.code, self.where, self.why)

    def count(self) -> ApiError:
        """Count the error in the metrics, once, as a client receives it."""
        if not self._counted:
            self._counted = True
            ERRORS.labels(self.code).inc()
        return self

    @property
    def data(self) -> dict[str, Any]:
        """Return the error as the protocol writes it."""
        more = {"retry": self.retry, "used": self.used}
        return super().data | {name: value for name, value in more.items() if value is not None}

    def response(self) -> Json:
        """Return the error as an HTTP answer."""
        answer = Json({"error": self.count().data}, status_of(self.code), Wrong)
        if self.retry is not None:
            answer.headers["retry-after"] = str(self.retry)
        return answer


class DatabaseError(TercetError):
    """The database cannot be used: its address, its driver, or the server behind it."""


class Unreachable(DatabaseError):  # noqa: N818  (it reports a state)
    """The database does not answer now. A write in progress may have happened or not: look."""


@contextlib.contextmanager
def going_on(what: str) -> Iterator[None]:
    """Go on after the block whatever fails in it, since it comes again soon, and log that the server could not do
    ``what``. That the database does not answer is logged by the heartbeat; a server that stops leaves it to others."""
    try:
        yield
    except Unreachable:
        pass
    except SessionError as refused:
        if refused.code != "unavailable":
            LOG.exception("could not %s", what)
    except Exception:
        LOG.exception("could not %s", what)


async def repeat(what: str, do: Callable[[], Awaitable[object]], pause_seconds: float) -> None:
    """Call ``do`` again and again, with pauses, until cancelled. Go on whatever fails, as in :func:`going_on`."""
    while True:
        with going_on(what):
            await do()
        await asyncio.sleep(pause_seconds)


class SocketRefusedError(Exception):
    """A socket was refused: the client has the reason, and the socket is closed."""


def as_api_error(error: Exception) -> ApiError:
    """Return the answer for a typed error of the library, and count it."""
    if isinstance(error, ApiError):
        return error.count()
    found = error if isinstance(error, TournamentError) else answer_error(error)
    if found is not None:
        return ApiError(found.code, found.where, found.why).count()
    where, why = "database", "The database cannot be reached. Try again in a moment."
    if not isinstance(error, Unreachable):
        LOG.error("unexpected", exc_info=error)
        where, why = "server", "Something went wrong on the server. The operator can see it in the log."
    return ApiError("unavailable", where, why).count()


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

    async def http(_request: Request, error: Exception) -> Json:
        assert isinstance(error, HTTPException)
        _let_go(error)
        status = error.status_code
        code = {404: "not-found", 413: "too-large", 429: "too-many"}.get(status, "bad-message")
        made = ApiError(code, "request", HTTP_WORDS.get(status, str(error.detail)[:200])).response()
        made.status_code = status
        return made

    async def unexpected(_request: Request, error: Exception) -> Json:
        return Json({"error": as_api_error(error).data}, 500, Wrong)

    async def refused(_socket: WebSocket, _error: Exception) -> None:
        """Do nothing: the client has been answered."""

    for kind in (AnswerError, SessionError, OptionError, ParseError, IllegalAction, TournamentError, Unreachable):
        app.add_exception_handler(kind, typed)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(SocketRefusedError, refused)
    app.add_exception_handler(Exception, unexpected)
