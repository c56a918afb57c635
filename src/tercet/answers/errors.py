"""Answers that are errors: a code and a place for programs, and a whole sentence for people."""

from __future__ import annotations

import json
from typing import Any, cast

from tercet.answers.wire.table_messages import ErrorMessage
from tercet.errors import IllegalAction, OptionError, ParseError
from tercet.play.session import SessionError

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
    "needs-server": 501,
    "unavailable": 503,
}


class AnswerError(Exception):
    """An answer that is an error: ``code`` and ``where`` are for programs, ``why`` is a sentence."""

    def __init__(self, code: str, where: str, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.where = where
        self.why = why

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.where, self.why)

    @property
    def data(self) -> dict[str, Any]:
        """Return the error as the protocol writes it."""
        return {"code": self.code, "where": self.where, "why": self.why}

    def message(self, client_id: str | None = None) -> ErrorMessage:
        """Return the error as a socket's message, the answer to the client's message with this id."""
        more = {} if client_id is None else {"id": client_id}
        return cast("ErrorMessage", {"type": "error", **self.data, **more})


def status_of(code: str) -> int:
    """Return the HTTP status of an error with this code."""
    return STATUS.get(code, 400)


def answer_error(error: Exception) -> AnswerError | None:
    """Return the answer for a typed error of the library; None for any other."""
    if isinstance(error, AnswerError):
        return error
    if isinstance(error, SessionError):
        return AnswerError(error.code, error.where, error.why)
    if isinstance(error, OptionError):
        return AnswerError("bad-option", error.option, error.why)
    if isinstance(error, IllegalAction):
        return AnswerError("illegal-action", error.action[:80], error.why)
    if isinstance(error, ParseError):
        return AnswerError("bad-position", parse_error_place(error), error.why)
    return None


def refusal(error: Exception) -> AnswerError:
    """Return the answer for a typed error of the library. Raise any other again."""
    answer = answer_error(error)
    if answer is None:
        raise error
    return answer


def parse_error_place(error: ParseError) -> str:
    """Return where a text could not be read: the field, after line and column where it has several lines."""
    return error.where if error.line is None else f"line {error.line}, column {error.column or 1}: {error.where}"


def as_text(content: Any) -> str:
    """Return ``content`` as JSON in pure ASCII, so that any text can be encoded."""
    return json.dumps(content, separators=(",", ":"), allow_nan=False)
