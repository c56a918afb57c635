"""What clients ask about tournaments, checked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tercet.server.asked import Asked, Options

__all__ = ["TournamentAsk"]

Clock = Annotated[dict[Annotated[str, Field(max_length=20)], str | int | float], Field(max_length=8)]


class TournamentAsk(Asked):
    """A tournament to announce. ``rounds`` are those of a Swiss (or of the Sparklies form, before the play-off, in
    which all play all without them); ``cycles`` of a round robin; ``minutes`` of an arena. ``begins`` is a time in
    milliseconds, without it the creator says when. A round waits for its games, or begins ``hours`` after the one
    before. Who has not made his first turn ``wait`` seconds after it was his has not come."""

    name: str = Field(min_length=1, max_length=80)
    form: Literal["round-robin", "swiss", "arena", "sparklies"]
    game: str = Field(max_length=40)
    options: Options = Field(default_factory=dict)
    clock: Clock
    rounds: int | None = Field(default=None, ge=1, le=40)
    cycles: int = Field(default=1, ge=1, le=4)
    minutes: float | None = Field(default=None, ge=0.2, le=1440)
    hours: int | None = Field(default=None, ge=1, le=2400)
    begins: int | None = Field(default=None, ge=0, lt=1 << 53)
    wait: int | None = Field(default=None, ge=5, le=60 * 86_400)
    rated: bool = False
