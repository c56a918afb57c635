"""What a tournament is made of: its form, who plays in it, what was paired and how that ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tercet.errors import TercetError

__all__ = [
    "FORMS",
    "FORM_TITLES",
    "Entrant",
    "Form",
    "Pairing",
    "Result",
    "TournamentError",
    "TournamentEvent",
    "share",
]

FORMS: Mapping[str, str] = {
    "round-robin": "Everybody plays everybody.",
    "swiss": "So many rounds, each against somebody who has done as well so far and whom one has not met.",
    "arena": "Whoever is free is paired again, until the time is up.",
    "sparklies": "Everybody's best margin of victory counts; then the best four play off.",
}
FORM_TITLES: Mapping[str, str] = {
    "round-robin": "Round robin",
    "swiss": "Swiss",
    "arena": "Arena",
    "sparklies": "Best margin",
}
MOST_ENTRANTS: Mapping[tuple[str, int], int] = {
    ("round-robin", 2): 32, ("round-robin", 3): 24, ("swiss", 2): 128, ("swiss", 3): 99,
    ("arena", 2): 256, ("arena", 3): 256, ("sparklies", 2): 32, ("sparklies", 3): 24,
}  # fmt: skip
MOST_ROUNDS = 40


class TournamentError(TercetError):
    """Something that the tournament refuses. ``code`` is for programs, ``where`` names what is wrong, ``why`` says it.

    Codes: ``bad-option``, ``over``, ``not-possible``, ``not-found``.
    """

    def __init__(self, code: str, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.code = code
        self.where = where
        self.why = why


@dataclass(frozen=True)
class Form:
    """What is settled when a tournament is announced.

    ``kind`` is one of :data:`FORMS`, ``seats`` how many sit at a table (2 or 3). ``rounds`` are those of a Swiss (None:
    as many as its entrants need), or of the Sparklies form if it is not to be all against all before the play-off;
    ``cycles`` how often a round robin is played, seats changed; ``seconds`` how long an arena lasts; ``hours`` after
    which a new round begins though games go on (None: it waits for them). ``seed`` settles what chance there is.
    """

    kind: str
    seats: int = 2
    rounds: int | None = None
    cycles: int = 1
    seconds: int | None = None
    hours: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in FORMS:
            raise TournamentError("bad-option", "form", f"is one of {', '.join(FORMS)}")
        if self.seats not in (2, 3):
            raise TournamentError("bad-option", "game", "is for two or three players in a tournament")
        if self.rounds is not None:
            if self.kind not in ("swiss", "sparklies"):
                raise TournamentError("bad-option", "rounds", f"are settled by the entrants in the form {self.kind}")
            if not 1 <= self.rounds <= MOST_ROUNDS:
                raise TournamentError("bad-option", "rounds", f"are 1 to {MOST_ROUNDS}")
        if not 1 <= self.cycles <= (4 if self.kind == "round-robin" else 1):
            raise TournamentError("bad-option", "cycles", "are 1 to 4, of a round robin")
        if (self.kind == "arena") != (self.seconds is not None):
            raise TournamentError("bad-option", "minutes", "belong to an arena, and an arena needs them")
        if self.kind == "arena" and self.hours is not None:
            raise TournamentError("bad-option", "hours", "belong to forms with rounds")

    @property
    def all_play_all(self) -> bool:
        """Whether the rounds (before a play-off) follow from who takes part, so that nobody can come late."""
        return self.kind == "round-robin" or (self.kind == "sparklies" and self.rounds is None)

    @property
    def most_entrants(self) -> int:
        """How many may take part."""
        kind = "swiss" if self.kind == "sparklies" and not self.all_play_all else self.kind
        return MOST_ENTRANTS[kind, self.seats]

    def data(self) -> dict[str, Any]:
        """As JSON-able data; ``Form(**data)`` takes it back."""
        return {
            "kind": self.kind, "seats": self.seats, "rounds": self.rounds, "cycles": self.cycles,
            "seconds": self.seconds, "hours": self.hours, "seed": self.seed,
        }  # fmt: skip


@dataclass(frozen=True)
class Entrant:
    """Somebody who takes part. ``number`` is his starting number, from 1; ``active`` whether he is to be paired."""

    id: str
    number: int
    active: bool = True


@dataclass(frozen=True)
class Result:
    """How a game ended: each seat's share of the point; ``margins`` by how much each seat was ahead of the next best
    (negative: behind the best), where the game is played for that; ``forfeits`` the seats that lost without playing;
    ``at`` when it was known (milliseconds)."""

    scores: tuple[float, ...]
    margins: tuple[float, ...] | None = None
    forfeits: tuple[int, ...] = ()
    at: int = 0

    def data(self) -> dict[str, Any]:
        """As JSON-able data; :meth:`read` takes it back."""
        return {
            "scores": list(self.scores),
            "margins": None if self.margins is None else list(self.margins),
            "forfeits": list(self.forfeits),
            "at": self.at,
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Result:
        """The result that :meth:`data` wrote."""
        margins = data.get("margins")
        return cls(
            tuple(data["scores"]),
            None if margins is None else tuple(margins),
            tuple(data.get("forfeits", ())),
            data.get("at", 0),
        )


@dataclass(frozen=True)
class Pairing:
    """The ``number``-th pairing of the tournament, from 1: ``people`` in the order of their seats, or one alone who has
    a bye. ``result`` is None while they play."""

    number: int
    round: int
    people: tuple[str, ...]
    result: Result | None = None

    @property
    def is_bye(self) -> bool:
        """Whether somebody sits out."""
        return len(self.people) == 1

    @property
    def was_played(self) -> bool:
        """Whether it was a game, begun by all of them and finished."""
        return self.result is not None and not self.is_bye and not self.result.forfeits


@dataclass(frozen=True)
class TournamentEvent:
    """Something that happened in a tournament. ``data`` is JSON-able; by kind:

    ``joined`` person; ``left`` person; ``begun`` at, order (who has which starting number), rounds, ends; ``paired``
    round, number, people, at; ``result`` number and what :class:`Result` has; ``over`` (nothing).
    """

    kind: str
    data: Mapping[str, Any]


def share(score: float) -> Fraction:
    """A share of the point as the fraction that it is meant to be."""
    return Fraction(score).limit_denominator(60)
