"""Tournaments without input or output: pairings, results, standings. People are known by any text."""

from tercet.play.tournaments.form import (
    BEST_MARGIN,
    FORM_TITLES,
    FORMS,
    MOST_ROUNDS,
    Form,
    TournamentError,
    check_form,
)
from tercet.play.tournaments.results import TIEBREAKS, Entrant, Pairing, Result, Standing, TournamentEvent, forfeited
from tercet.play.tournaments.roundrobin import schedule
from tercet.play.tournaments.tournament import Tournament

__all__ = [
    "BEST_MARGIN",
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
    "check_form",
    "forfeited",
    "schedule",
]
