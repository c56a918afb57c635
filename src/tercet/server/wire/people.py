"""Requests about people, checked, and the answers to them: accounts and how they are recovered, friends, ratings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from tercet.core.texts import GameName, PersonName, Text
from tercet.server.wire.requests import RequestBody

MAX_MESSAGE_CHARACTERS = 1000  # to a friend
Secret = Annotated[str, Field(max_length=400)]


class AccountRequest(RequestBody):
    """A new account."""

    handle: str = Field(max_length=60, description="3 to 20 letters, digits, - or _, a letter first")
    password: Secret = Field(description="10 to 200 characters")
    name: str | None = Field(default=None, max_length=200, description="what others see; the handle, if left out")


class NameRequest(RequestBody):
    """What to be called."""

    name: str = Field(min_length=1, max_length=200)


class PasswordRequest(RequestBody):
    """A new password."""

    old: Secret
    new: Secret


class DeleteRequest(RequestBody):
    """The password, to be sure; a guest has none."""

    password: Secret = ""


class TokenRequest(RequestBody):
    """A token for a program, and what it is for."""

    name: str = Field(min_length=1, max_length=80)


class HandleRequest(RequestBody):
    """The player whom to follow or block, or whose password is lost."""

    handle: str = Field(max_length=60)


class SignInRequest(HandleRequest):
    """A username and a password."""

    password: Secret


class ReportRequest(RequestBody):
    """A report to the operator: a table, a chat message (``talk``: its number) or a player, and why."""

    table: str | None = Field(default=None, max_length=32, pattern="^[A-Za-z0-9_-]*$")
    talk: int | None = Field(default=None, ge=1, lt=1 << 31)
    handle: str | None = Field(default=None, max_length=60)
    why: str = Field(min_length=1, max_length=500)


class PersonResponse(BaseModel):
    """The public data of a person."""

    handle: str | None
    name: PersonName
    kind: Literal["guest", "account", "bot", "staff"]


class AccountResponse(BaseModel):
    """The public data of an account or a bot."""

    handle: str
    name: PersonName
    kind: Literal["account", "bot", "staff"]


class MeResponse(BaseModel):
    """The asking person; null if there is none yet."""

    person: PersonResponse | None


class SessionResponse(BaseModel):
    """A browser that is signed in, or a program's token (kind ``bot``); times in milliseconds."""

    id: str
    kind: Literal["browser", "bot"]
    name: str
    created: int
    seen: int
    current: bool


class SessionsResponse(BaseModel):
    """Everything by which one is signed in."""

    sessions: list[SessionResponse]


class TokenResponse(BaseModel):
    """A token; it appears only here."""

    id: str
    name: str
    token: str


class BlocksResponse(BaseModel):
    """Whom one has blocked."""

    blocks: list[PersonResponse]


class NotedResponse(BaseModel):
    """That it has been noted, and no more."""

    noted: Literal[True]


class TallyResponse(BaseModel):
    """How games ended; a shared point is drawn."""

    played: int
    won: int
    drawn: int
    lost: int


class StrengthResponse(BaseModel):
    """A rating with its interval of 95 %, after so many ``games``."""

    rating: int
    low: int
    high: int
    provisional: bool
    games: int


class RatingResponse(StrengthResponse):
    """A rating in games of one kind."""

    game: str
    players: int
    speed: str


class ResultsResponse(TallyResponse):
    """Results in games of one kind from one seat."""

    game: str
    players: int
    speed: str
    seat: int


class OpponentResponse(TallyResponse, AccountResponse):
    """A player's results against another, or in games with them."""


class ProfileResponse(AccountResponse):
    """A person and their results. ``following``: you follow them; ``friend``: you follow each other."""

    following: bool
    friend: bool
    since: int
    ratings: list[RatingResponse]
    games: list[ResultsResponse]
    opponents: list[OpponentResponse]


class LeaderResponse(AccountResponse, StrengthResponse):
    """A line of a leaderboard; ``rank`` is null while a rating is provisional."""

    rank: int | None


class SeatResponse(BaseModel):
    """What a seat is worth against the others, in points of rating, with its interval of 95 %."""

    player: Text
    worth: int
    low: int
    high: int


class LeadersResponse(BaseModel):
    """A leaderboard; ``seats`` where three play, with the number of games that they were learnt from."""

    game: GameName
    players: int
    speed: str
    leaders: list[LeaderResponse]
    seats: list[SeatResponse] | None
    counted: int


class PeopleResponse(BaseModel):
    """People that were found, those whose handle begins so first."""

    people: list[PersonResponse]


class BoardResponse(BaseModel):
    """How many people have ratings in games of one kind."""

    game: str
    players: int
    speed: str
    people: int


class BoardsResponse(BaseModel):
    """Return the leaderboards that have players, the fullest first."""

    boards: list[BoardResponse]


# Friends --------------------------------------------------------------------------------------------------------------


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


# A lost password ------------------------------------------------------------------------------------------------------


class SureRequest(RequestBody):
    """The password, to be sure."""

    password: Secret


class EmailRequest(RequestBody):
    """An e-mail address for letters of recovery (empty: none any more), and the password."""

    email: str = Field(max_length=254)
    password: Secret


class CodeRequest(HandleRequest):
    """The code that was written down, and a new password."""

    code: str = Field(max_length=60)
    password: Secret


class ConfirmRequest(RequestBody):
    """What the link of a letter carries."""

    token: str = Field(max_length=100)


class TokenPasswordRequest(ConfirmRequest):
    """What the link of a letter carries, and a new password."""

    password: Secret


class RecoveryResponse(BaseModel):
    """How one's account can be recovered: whether there is a ``code``; the confirmed ``email``; whether letters can be
    sent here (``mail``)."""

    code: bool
    email: str | None
    mail: bool


class CodeResponse(BaseModel):
    """A recovery code; it appears only here."""

    code: str
