"""What clients are told of a session, as data (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

from tercet.play import LogEvent, Played, Session
from tercet.view import plain, position_view, table_view

__all__ = ["event_message", "move_data", "snapshot", "state", "view_of"]

Data = dict[str, Any]


def move_data(ply: int, played: Played) -> Data:
    """One line of the move list."""
    return {
        "ply": ply,
        "seat": played.seat,
        "text": played.text,
        "short": played.short,
        "says": " ".join(played.says),
        "begins": played.begins_turn,
    }


def view_of(session: Session, paths: bool) -> Data:
    """The position's view, told as over where the players ended the game themselves."""
    view = position_view(session.position, paths=paths and not session.is_over)
    result = session.result
    if result is not None and view["outcome"] is None:
        view["outcome"] = plain(result.outcome)
        view["scene"] = {**view["scene"], "state": "over", "result": result.says, "prompt": "", "mover": None}
    return view


def state(table_id: str, session: Session, view: Data, held: frozenset[int], now: int) -> Data:
    """The part of the messages that a client's screen follows from. ``view`` is with paths; whoever may not move now
    gets it without. ``now`` is the time in milliseconds, for the clocks."""
    result = session.result
    mover = session.mover
    return {
        "number": session.number,
        "ply": session.ply,
        "view": view if mover in held else {**view, "paths": [], "gestures": []},
        "mover": mover,
        "yourSeats": sorted(held),
        "over": result is not None,
        "result": result.says if result else "",
        "offers": [
            {"seat": offer.seat, "what": offer.what, "ply": offer.ply, "awaited": list(session.awaited(offer))}
            for offer in session.offers
        ],
        "resigned": sorted(session.gone),
        "seats": [
            {"kind": seat.kind, "level": seat.level or None, "name": seat.name or None, "here": number in held}
            for number, seat in enumerate(session.setup.seats)
        ],
        "flagged": sorted(session.flagged),
        "takebacks": session.setup.takebacks != "off",
        "takebackRule": session.setup.takebacks,
        "retractions": None if session.retractions is None else list(session.retractions),
        "confirm": session.setup.confirm,
        "chat": session.setup.chat,
        "clock": None if session.clock is None else session.clock.shown(now),
        "links": {"watch": f"/t/{table_id}"},
    }


def snapshot(table_id: str, session: Session, view: Data, held: frozenset[int], now: int) -> Data:
    """Everything that a client needs to show the table."""
    told = state(table_id, session, view, held, now)
    told["moves"] = [move_data(ply, played) for ply, played in enumerate(session.played)]
    return {"type": "snapshot", "id": table_id, "table": table_view(session.game), "state": told}


def event_message(table_id: str, event: LogEvent, after: Session, view: Data, held: frozenset[int], now: int) -> Data:
    """What happened, and the state that it led to."""
    told = state(table_id, after, view, held, now)
    message: Data = {"type": "event", "number": event.number, "kind": event.kind, **event.data}
    if event.kind == "action":
        played = after.played[-1]
        told["move"] = move_data(after.ply - 1, played)
        message["events"] = plain(played.events)
        message["says"] = list(played.says)
    message["state"] = told
    return message
