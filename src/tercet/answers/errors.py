"""Answers that are errors: a code and a place for programs, and a whole sentence for people."""

from __future__ import annotations

import json
from typing import Any, cast

from tercet.answers.wire.table_messages import ErrorMessage
from tercet.errors import CodedError, IllegalAction, OptionError, ParseError
from tercet.play.session import SessionError

CODES = {
    401: "not-signed-in",
    403: "wrong-password foreign-origin not-allowed not-your-seat",
    404: "unknown-table not-found",
    409: "not-your-turn stale-ply over not-begun adjourned taken not-possible damaged",
    413: "too-large",
    429: "too-many",
    501: "needs-server",
    503: "unavailable",
}
STATUS = {code: status for status, codes in CODES.items() for code in codes.split()}


class AnswerError(CodedError):
    """An answer that is an error: ``code`` and ``where`` are for programs, ``why`` is a sentence."""

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
