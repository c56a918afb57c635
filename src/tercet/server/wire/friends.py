"""Requests about the people one follows and writes to, checked, and the answers to them."""

from __future__ import annotations

from pydantic import BaseModel, Field

from tercet.server.wire.people import PersonResponse
from tercet.server.wire.requests import RequestBody

__all__ = ["MAX_MESSAGE_CHARACTERS", "FollowsResponse", "MessageRequest", "MessagesResponse"]

MAX_MESSAGE_CHARACTERS = 1000


class MessageRequest(RequestBody):
    """Something to write to a friend."""

    text: str = Field(min_length=1, max_length=MAX_MESSAGE_CHARACTERS)


class FollowedResponse(PersonResponse):
    """A player whom you follow; ``friend``: they follow you too. ``unread`` counts their new messages."""

    friend: bool
    unread: int


class FollowsResponse(BaseModel):
    """Whom one follows."""

    follows: list[FollowedResponse]


class MessageResponse(BaseModel):
    """Something written at a time (milliseconds); ``mine``: by oneself."""

    id: int
    mine: bool
    text: str
    at: int


class MessagesResponse(BaseModel):
    """What two have written each other, the latest first; ``more``: what ``before`` is to be for what came earlier."""

    messages: list[MessageResponse]
    more: int | None
    friend: bool
