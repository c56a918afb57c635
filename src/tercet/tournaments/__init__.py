"""Tournaments without input or output: pairings, results, standings. People are known by any text."""

from tercet.tournaments.margins import margins
from tercet.tournaments.parts import (
    FORM_TITLES,
    FORMS,
    MOST_ROUNDS,
    Entrant,
    Form,
    Pairing,
    Result,
    TournamentError,
    TournamentEvent,
)
from tercet.tournaments.roundrobin import schedule
from tercet.tournaments.standings import TIEBREAKS, Standing
from tercet.tournaments.tournament import Tournament, forfeited

__all__ = [
    "FORMS",
    "FORM_TITLES",
    "MOST_ROUNDS",
    "TIEBREAKS",
    "Entrant",
    "Form",
    "Pairing",
    "Result",
    "Standing",
    "Tournament",
    "TournamentError",
    "TournamentEvent",
    "forfeited",
    "margins",
    "schedule",
]
