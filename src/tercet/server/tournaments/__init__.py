"""Tournaments on the server: stored in the database, run by a director in each process, sent to their followers."""

from tercet.server.tournaments.director import Director

__all__ = ["Director"]
