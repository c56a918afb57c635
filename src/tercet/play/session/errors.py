"""The error with which a table refuses a command."""

from __future__ import annotations

from tercet.errors import TercetError

__all__ = ["SessionError"]


class SessionError(TercetError):
    """A command that the table refuses. ``code`` is for programs, ``where`` names what is wrong, ``why`` is a sentence.

    Codes: ``over``, ``not-begun``, ``adjourned``, ``taken``, ``not-allowed``, ``not-your-seat``, ``not-your-turn``,
    ``stale-ply``, ``illegal-action``, ``bad-message``, ``bad-option``, ``bad-position``, ``not-possible``, ``damaged``.
    """

    def __init__(self, code: str, where: str, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.where = where
        self.why = why
