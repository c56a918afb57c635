"""Rated games: the one gate that decides which tables may be rated, and the lot that draws their seats."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import sqlalchemy as sa

from tercet.core.game import Game
from tercet.games import game_definition
from tercet.play.ratings import why_unrated
from tercet.play.session import LogEvent, TableSettings
from tercet.server.store.schema import SEATS


def why_unrated_table(settings: TableSettings) -> str | None:
    """Return the sentence that says why a table with these settings cannot be rated; None where it can."""
    definition = game_definition(settings.game)
    if settings.clock is None:
        return "A rated game needs a clock, or days for each turn."
    if settings.position is not None or settings.opening:
        return "A rated game begins at the start of the game."
    if len(settings.seats) < 2 or any(seat.kind == "engine" for seat in settings.seats):
        return "A rated game is between people with accounts."
    if settings.takebacks == "own" and definition.takebacks != "own":
        return f"In a rated game of {definition.title}, takebacks are off or need the consent of the others."
    return why_unrated(Game(definition, dict(settings.options), "interpreted"))


def draw_lots(seats: int) -> tuple[int, ...]:
    """Return a random order: for each seat, the one to which its player moves."""
    order = list(range(seats))
    secrets.SystemRandom().shuffle(order)
    return tuple(order)


def move_seats(connection: sa.Connection, table_id: str, events: Sequence[LogEvent]) -> None:
    """Store that the players have moved to the seats that were drawn, where ``events`` say so."""
    for event in events:
        if event.kind != "lots":
            continue
        theirs = SEATS.c.table_id == table_id
        rows = {row.seat: row for row in connection.execute(sa.select(SEATS).where(theirs))}
        connection.execute(sa.delete(SEATS).where(theirs))
        moved = [
            {"table_id": table_id, "seat": to, "token_hash": rows[seat].token_hash, "person_id": rows[seat].person_id}
            for seat, to in enumerate(event.data["seats"])
            if seat in rows
        ]
        if moved:
            connection.execute(SEATS.insert(), moved)
