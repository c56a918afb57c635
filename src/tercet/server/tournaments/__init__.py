"""Tournaments on the server: stored in the database, run by a director in each process, sent to their followers."""

from tercet.server.tournaments.director import Director
from tercet.server.tournaments.routes import director_of, router

__all__ = ["Director", "director_of", "router"]
