"""Requests about a lost password, checked, and the answers to them."""

from __future__ import annotations

from pydantic import BaseModel, Field

from tercet.server.wire.people import Secret
from tercet.server.wire.requests import RequestBody

__all__ = [
    "CodeRequest",
    "CodeResponse",
    "ConfirmRequest",
    "EmailRequest",
    "RecoveryResponse",
    "SureRequest",
    "TokenPasswordRequest",
]


class SureRequest(RequestBody):
    """The password, to be sure."""

    password: Secret


class EmailRequest(RequestBody):
    """An e-mail address for letters of recovery (empty: none any more), and the password."""

    email: str = Field(max_length=254)
    password: Secret


class CodeRequest(RequestBody):
    """The code that was written down, and a new password."""

    handle: str = Field(max_length=60)
    code: str = Field(max_length=60)
    password: Secret


class TokenPasswordRequest(RequestBody):
    """What the link of a letter carries, and a new password."""

    token: str = Field(max_length=100)
    password: Secret


class ConfirmRequest(RequestBody):
    """What the link of a letter carries."""

    token: str = Field(max_length=100)


class RecoveryResponse(BaseModel):
    """How one's account can be recovered: whether there is a ``code``; the confirmed ``email``; whether letters can be
    sent here (``mail``)."""

    code: bool
    email: str | None
    mail: bool


class CodeResponse(BaseModel):
    """A recovery code; it appears only here."""

    code: str
