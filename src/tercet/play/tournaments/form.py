"""The form of a tournament: its kind and settings, fixed when it is announced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tercet.core.definition import GameDefinition
from tercet.core.rules import PlainNumbers
from tercet.errors import CodedError

BEST_MARGIN = "best-margin"
FORMS: Mapping[str, str] = {
    "round-robin": "Everyone plays everyone.",
    "swiss": "A fixed number of rounds, each against a new opponent with a similar score.",
    "arena": "Free players are paired again and again until the time is up.",
    BEST_MARGIN: "Your best margin of victory counts; then the best meet in a play-off. Either everyone plays "
    "everyone, or free players are paired for some days.",
}
FORM_TITLES = {"round-robin": "Round robin", "swiss": "Swiss", "arena": "Arena", BEST_MARGIN: "Best margin"}
# How many may take part: two at a table, and more.
MOST_ENTRANTS: Mapping[str, tuple[int, int]] = {"round-robin": (32, 24), "swiss": (128, 99), "arena": (256, 256)}
MOST_ROUNDS = 40


class TournamentError(CodedError):
    """The tournament refuses a command: ``bad-option``, ``over``, ``not-possible`` or ``not-found``."""


def check_form(form: Form, definition: GameDefinition) -> None:
    """Raise TournamentError if the game does not offer tournaments of this form."""
    offered = definition.tournament_forms
    if form.kind not in offered:
        why = f"{definition.title} has tournaments of the form {', '.join(offered)}, not {form.kind}."
        raise TournamentError("bad-option", "form", why)


@dataclass(frozen=True)
class Form(PlainNumbers):
    """The kind and settings of a tournament.

    ``kind`` is one of :data:`FORMS`, ``seats`` how many sit at a table (2 or more). ``rounds`` are those of a Swiss
    (None: as many as its entrants need), or of the form by margins if it is not to be all against all before the
    play-off; ``cycles`` how often a round robin is played, seats changed; ``seconds`` how long an arena lasts, or
    the form by margins is open before the play-off, if free players are to be paired again for so long;
    ``hours`` after which a new round begins though games go on (None: it waits for them). ``seed`` settles what
    chance there is. TournamentError where that makes no sense.
    """

    kind: str
    seats: int = 2
    rounds: int | None = None
    cycles: int = 1
    seconds: int | None = None
    hours: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in FORMS:
            raise TournamentError("bad-option", "form", f"The form must be one of {', '.join(FORMS)}.")
        if self.seats < 2:
            raise TournamentError("bad-option", "game", "A tournament needs a game with two or more players.")
        if self.rounds is not None:
            if self.kind not in ("swiss", BEST_MARGIN):
                why = f"The form {self.kind} sets its rounds by the number of players. Leave them out."
                raise TournamentError("bad-option", "rounds", why)
            if not 1 <= self.rounds <= MOST_ROUNDS:
                raise TournamentError("bad-option", "rounds", f"The rounds must be from 1 to {MOST_ROUNDS}.")
        if not 1 <= self.cycles <= (4 if self.kind == "round-robin" else 1):
            why = "A round robin must have 1 to 4 cycles; other forms have none."
            raise TournamentError("bad-option", "cycles", why)
        if (self.kind == "arena") != (self.seconds is not None) and not self.by_margin:
            raise TournamentError("bad-option", "minutes", "An arena must have minutes; other forms have none.")
        if self.by_margin and self.seconds is not None and self.rounds is not None:
            raise TournamentError("bad-option", "rounds", "An arena has no number of rounds.")
        if self.kind == "arena" and self.hours is not None:
            raise TournamentError("bad-option", "hours", "Only forms with rounds have hours.")

    @property
    def by_margin(self) -> bool:
        """Return whether margins of victory count, and a play-off follows."""
        return self.kind == BEST_MARGIN

    @property
    def is_open(self) -> bool:
        """Return whether there are no rounds (before a play-off): free players are paired until the time is up."""
        return self.seconds is not None

    @property
    def all_play_all(self) -> bool:
        """Return whether the entrants determine the rounds (before a play-off), so that no one can join late."""
        return self.kind == "round-robin" or (self.by_margin and self.rounds is None and not self.is_open)

    @property
    def most_entrants(self) -> int:
        """Return the largest number of entrants."""
        two, more = MOST_ENTRANTS["round-robin" if self.all_play_all else "swiss" if self.by_margin else self.kind]
        return two if self.seats == 2 else more

    def data(self) -> dict[str, Any]:
        """Return JSON-able data, which ``Form(**data)`` takes."""
        return asdict(self)
