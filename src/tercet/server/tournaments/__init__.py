"""Tournaments on the server: stored in the database, run by a director in each process, sent to their followers."""
