"""A game's data for bots: the constant part, and its state."""

from __future__ import annotations

from typing import Any

from tercet.answers.table_messages import offers_view, seats_view
from tercet.core.view import to_json
from tercet.play.session import Session
from tercet.server.people.identity import Person
from tercet.server.tables.table import Table


def asked_seat(table: Table, bot: Person) -> int | None:
    """Return the seat that ``bot`` is asked to take."""
    waiting = (seat for seat in table.session.waiting if table.session.seats[seat].kind == "bot")
    return next(
        (seat for seat in waiting if seat in table.occupants and table.occupants[seat].person_id == bot.id), None
    )


def game_info(table: Table) -> dict[str, Any]:
    """Return what stays the same throughout a game."""
    session, settings = table.session, table.session.settings
    game = session.game
    return {
        "table": table.id,
        "game": settings.game,
        "options": to_json(game.options),
        "optionText": game.option_text(),
        "players": list(game.players),
        "start": str(session.start),
        "control": None if settings.clock is None else dict(settings.clock),
        "speed": table.info.speed,
        "rated": table.info.rated,
        "takebacks": settings.takebacks,
        "seats": [
            {name: shown[name] for name in ("kind", "level", "name", "handle", "badge", "rating")}
            for shown in seats_view(session, table.occupants)
        ],
    }


def game_state(session: Session, before: Session | None, held: frozenset[int], now: int) -> dict[str, Any]:
    """How it stands: ``moves`` are the actions from the ``since``-th on, all that ``before`` did not have."""
    since = 0
    if before is not None:
        for mine, theirs in zip(session.played, before.played, strict=False):
            if mine is not theirs and mine.text != theirs.text:
                break
            since += 1
    outcome = session.result.outcome if session.result else None
    return {
        "type": "gameState",
        "number": session.number,
        "ply": session.ply,
        "since": since,
        "moves": [one.text for one in session.played[since:]],
        "position": str(session.position),
        "mover": session.mover,
        "yourTurn": session.mover is not None and session.mover in held,
        "clock": None if session.clock is None else session.clock.shown(now),
        "offers": offers_view(session),
        "waiting": list(session.waiting),
        "adjourned": session.adjourned and not session.is_over,
        "over": session.is_over,
        "aborted": session.aborted,
        "outcome": None if outcome is None else to_json(outcome),
        "result": session.result.says if session.result else "",
        "rematch": session.rematch,
    }
