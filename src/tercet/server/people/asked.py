"""What clients ask about people, checked, and what they are told, described."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "AccountAsk",
    "BlockAsk",
    "BlocksTold",
    "DeleteAsk",
    "GamesTold",
    "LeadersTold",
    "MeTold",
    "NameAsk",
    "PasswordAsk",
    "PersonTold",
    "ProfileTold",
    "ReportAsk",
    "ReportTold",
    "SessionTold",
    "SessionsTold",
    "SignInAsk",
    "TokenAsk",
    "TokenTold",
]

Secret = Annotated[str, Field(max_length=400)]


class Asked(BaseModel):
    """A request's body; fields it does not know are refused."""

    model_config = ConfigDict(extra="forbid")


class AccountAsk(Asked):
    """A new account."""

    handle: str = Field(max_length=60, description="3 to 20 letters, digits, - or _, a letter first")
    password: Secret = Field(description="10 to 200 characters")
    name: str | None = Field(default=None, max_length=200, description="what others see; the handle, if left out")


class SignInAsk(Asked):
    """Who somebody says he is."""

    handle: str = Field(max_length=60)
    password: Secret


class NameAsk(Asked):
    """What to be called."""

    name: str = Field(min_length=1, max_length=200)


class PasswordAsk(Asked):
    """A new password."""

    old: Secret
    new: Secret


class DeleteAsk(Asked):
    """The password, to be sure; a guest has none."""

    password: Secret = ""


class TokenAsk(Asked):
    """A token for a program, and what it is for."""

    name: str = Field(min_length=1, max_length=80)


class BlockAsk(Asked):
    """Whom one does not want to meet or read."""

    handle: str = Field(max_length=60)


class ReportAsk(Asked):
    """What the operator should look at: a table, something said (``talk``: its number), somebody, and why."""

    table: str | None = Field(default=None, max_length=32, pattern="^[A-Za-z0-9_-]*$")
    talk: int | None = Field(default=None, ge=1, lt=1 << 31)
    handle: str | None = Field(default=None, max_length=60)
    why: str = Field(min_length=1, max_length=500)


class PersonTold(BaseModel):
    """Somebody, as everybody may know him."""

    handle: str | None
    name: str
    kind: Literal["guest", "account", "bot"]


class MeTold(BaseModel):
    """Who one is here; null: nobody yet."""

    person: PersonTold | None


class SessionTold(BaseModel):
    """A browser that is signed in, or a program's token (kind ``bot``); times in milliseconds."""

    id: str
    kind: Literal["browser", "bot"]
    name: str
    created: int
    seen: int
    current: bool


class SessionsTold(BaseModel):
    """Everything by which one is signed in."""

    sessions: list[SessionTold]


class TokenTold(BaseModel):
    """A token; it is told this once."""

    id: str
    name: str
    token: str


class BlocksTold(BaseModel):
    """Whom one has blocked."""

    blocks: list[PersonTold]


class ReportTold(BaseModel):
    """That a report has been noted."""

    noted: Literal[True]


class TallyTold(BaseModel):
    """How games ended; a shared point is drawn."""

    played: int
    won: int
    drawn: int
    lost: int


class RatingTold(BaseModel):
    """A rating with its interval of 95 %."""

    game: str
    players: int
    speed: str
    rating: int
    low: int
    high: int
    provisional: bool
    games: int


class ResultsTold(TallyTold):
    """Results in games of one kind from one seat."""

    game: str
    players: int
    speed: str
    seat: int


class OpponentTold(TallyTold):
    """Results of the one asked about against somebody, or in games with him."""

    handle: str
    name: str
    kind: str


class ProfileTold(BaseModel):
    """Somebody, and what he has played."""

    handle: str
    name: str
    kind: Literal["account", "bot"]
    since: int
    ratings: list[RatingTold]
    games: list[ResultsTold]
    opponents: list[OpponentTold]


class GameSeatTold(BaseModel):
    """Who sat there; ``name`` is null where nobody said."""

    name: str | None
    handle: str | None
    kind: str
    level: int | None


class GameTold(BaseModel):
    """A game of somebody's: ``seat`` is his, ``result`` how it went for him."""

    id: str
    game: str
    speed: str
    opened: int
    ended: int | None
    seats: list[GameSeatTold]
    seat: int
    result: Literal["won", "drawn", "lost", "playing", "off"]
    says: str
    rated: bool


class GamesTold(BaseModel):
    """Games, the latest first; ``more``: what ``before`` is to be for the next page, null on the last."""

    games: list[GameTold]
    more: str | None


class LeaderTold(BaseModel):
    """A line of a leaderboard; ``rank`` is null while a rating is provisional."""

    rank: int | None
    handle: str
    name: str
    kind: str
    rating: int
    low: int
    high: int
    provisional: bool
    games: int


class SeatTold(BaseModel):
    """What a seat is worth against the others, in points of rating, with its interval of 95 %."""

    player: str
    worth: int
    low: int
    high: int


class LeadersTold(BaseModel):
    """A leaderboard; ``seats`` where three play, with the number of games that they were learnt from."""

    game: str
    players: int
    speed: str
    leaders: list[LeaderTold]
    seats: list[SeatTold] | None
    counted: int
