"""What is settled of a table, who sits there, and the messages about its session, as data (docs/server.md)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tercet.answers.errors import AnswerError
from tercet.answers.wire import table_messages as wire
from tercet.answers.wire.client_messages import CommandMessage, PingMessage
from tercet.answers.wire.game_data import Move, PositionView
from tercet.core.game import Game, Position
from tercet.core.presentation import action_cells, action_styles, position_view, table_view
from tercet.core.view import to_json
from tercet.engines import opponent_names
from tercet.play.ratings import is_long_enough
from tercet.play.session import LogEvent, PlayedAction, Session, SessionError, TableSettings, commands
from tercet.play.session.session import is_outdated

Data = dict[str, Any]


@dataclass(frozen=True)
class Occupant:
    """A person known to the server, who sits in a seat or takes part in a tournament. ``handle`` is None for guests,
    ``rating`` (as it is shown) for people without one in such games."""

    person_id: str
    name: str
    handle: str | None
    kind: str  # guest, account, bot or staff
    rating: Mapping[str, Any] | None = None


NO_ONE: Mapping[int, Occupant] = {}


@dataclass(frozen=True)
class TableInfo:
    """The fixed data of a table. ``creator`` is the person who opened it, ``after`` the table that it is the rematch
    of, ``tournament`` the one that it is paired in (which the pairing says, not the table)."""

    id: str
    settings: TableSettings
    speed: str = ""
    creator: str | None = None
    public: bool = False
    rated: bool = False
    after: str | None = None
    tournament: str | None = None

    @property
    def waiting(self) -> int:
        """Return how many seats wait for a player at first."""
        return sum(seat.kind in ("open", "bot") for seat in self.settings.seats)

    def is_short(self, session: Session) -> bool:
        """Return whether a rated game ended too early to count."""
        if not self.rated or not session.is_over or session.aborted:
            return False
        return not is_long_enough((played.seat for played in session.played), len(session.seats))


def move_data(game: Game, ply: int, actions: Sequence[PlayedAction], number: int) -> Move:
    """Return the line of the move list for ``actions[number]``."""
    played = actions[number]
    return {
        "ply": ply,
        "seat": played.seat,
        "text": played.text,
        "short": played.short,
        "says": " ".join(played.says),
        "brief": _brief(game, actions, number),
        "begins": played.begins_turn and not played.is_answer,
        "cells": action_cells(played.events),
        "styled": action_styles(game, played.text, played.events),
    }


def _brief(game: Game, actions: Sequence[PlayedAction], number: int) -> str | None:
    """Return what the turn of an action did up to it, in short, or None."""
    words = game.definition.turn_words
    if words is None:
        return None
    first = number
    while first and not actions[first].begins_turn:
        first -= 1
    return words([event for played in actions[first : number + 1] for event in played.events]) or None


def view_of(session: Session, paths: bool, as_data: Callable[[Any], Data] = to_json) -> PositionView:
    """Return the position's view, as over if the players ended the game themselves. The rest is as in
    :func:`tercet.core.presentation.position_view`."""
    wanted = paths and not session.is_over
    view = cast("PositionView", position_view(session.position, wanted, as_data))
    if session.is_over and view["outcome"] is None:
        result = session.result
        if result is not None:
            view["outcome"] = to_json(result.outcome)
        view["scene"] = {**view["scene"], "state": "over", "result": _says(session), "prompt": "", "mover": None}
    return view


def _says(session: Session) -> str:
    """Return how the game ended, as a sentence; empty while it goes on."""
    if session.aborted:
        return "The game was aborted."
    return session.result.says if session.result else ""


SEAT_BADGES: dict[wire.SeatKind, wire.Badge] = {"open": None, "engine": "engine", "bot": "bot"}
PERSON_BADGES: dict[str, wire.Badge] = {"account": None, "bot": "bot", "staff": "moderator"}


def badge_of(kind: str | None) -> wire.Badge:
    """Return the mark that clients show beside the name of a person of this ``kind`` (None: unknown to the server).
    It is no part of the name, so no name can imitate it."""
    return PERSON_BADGES.get(kind or "guest", "guest")


def seats_view(session: Session, occupants: Mapping[int, Occupant]) -> list[wire.SeatView]:
    """Return who sits where, as a spectator sees it. Accounts have the name that they chose, others the one that they
    got at this table; computer opponents have one by their level."""
    shown: list[wire.SeatView] = []
    engines = [n for n, seat in enumerate(session.seats) if seat.kind == "engine" and n not in session.taken_over]
    names = opponent_names([session.seats[number].level for number in engines]) if engines else ()
    opponents = dict(zip(engines, names, strict=True))
    for number, seat in enumerate(session.seats):
        occupant = occupants.get(number) if seat.kind in ("person", "bot") else None
        name, kind = seat.name or opponents.get(number, ""), cast("wire.SeatKind", seat.kind)
        if occupant is not None and (occupant.handle is not None or not name):
            name = occupant.name
        if occupant is not None and occupant.kind == "bot" and kind == "person":
            kind = "bot"
        badge = badge_of(None if occupant is None else occupant.kind) if kind == "person" else SEAT_BADGES[kind]
        rating = None if occupant is None or occupant.rating is None else cast("wire.RatingView", dict(occupant.rating))
        who = {"name": name or None, "handle": None if occupant is None else occupant.handle, "badge": badge}
        sits = {"kind": kind, "level": seat.level or None, **who, "rating": rating, "here": False}
        shown.append(cast("wire.SeatView", sits))
    return shown


def offers_view(session: Session) -> list[wire.OfferView]:
    """Return what is proposed and not answered yet."""
    known = [({"seat": one.seat, "what": one.what, "ply": one.ply}, session.awaited(one)) for one in session.offers]
    return [cast("wire.OfferView", {**offer, "awaited": list(awaited)}) for offer, awaited in known]


def listed_table(info: TableInfo, session: Session, occupants: Mapping[int, Occupant]) -> Data:
    """Return a table as it stands in lists of games in progress."""
    seats = seats_view(session, occupants)
    return {
        "id": info.id,
        "game": session.settings.game,
        "title": session.game.definition.title,
        "speed": info.speed,
        "seats": [{name: seat[name] for name in ("kind", "level", "name", "handle", "badge")} for seat in seats],
        "mover": session.mover,
        "over": session.is_over,
    }


_kept_table_view = functools.lru_cache(maxsize=16)(table_view)  # what it returns is not to be changed


def past_position(table_id: str, session: Session, ply: int) -> Data:
    """Return the game as it stood after ``ply`` actions, with nothing to do. Raise AnswerError if it has fewer."""
    if ply > session.ply:
        raise AnswerError("not-found", "ply", f"The game has {session.ply} actions, not {ply}.")
    view = view_of(session, paths=False) if ply == session.ply else position_view(session.at(ply), paths=False)
    move = move_data(session.game, ply - 1, session.played, ply - 1) if ply else None
    return {"id": table_id, "ply": ply, "view": view, "move": move}


def seen_by(message: Mapping[str, Any], held: frozenset[int], opened: bool, bare: Any = None) -> Data:
    """Return ``message`` as a client with the seats ``held`` sees it; ``opened``: it opened the table. Only the
    player to move gets the view with paths, and all others ``bare`` (None: the view without them)."""
    shown = message["state"]
    seats = shown["seats"]
    if held:
        seats = [{**seat, "here": True} if number in held else seat for number, seat in enumerate(seats)]
    view = shown["view"]
    if shown["mover"] not in held:
        view = {**view, "paths": [], "gestures": []} if bare is None else bare
    seen = {**shown, "view": view, "yourSeats": sorted(held), "seats": seats, "creator": opened}
    return {**message, "state": seen}


MAX_ACTIONS = 2000  # of a game whose tallies are drawn


class Shaper:
    """Shapes the messages about one table. Each is made once, as spectators get it; :func:`seen_by` makes each client's
    version of it. ``occupants`` are the people known to the server, ``away`` the absent players, ``now`` is the time in
    milliseconds, for the clocks. Views have paths where a client may act. Not for several threads at once."""

    def __init__(self, info: TableInfo) -> None:
        self.info = info
        self._played: tuple[PlayedAction, ...] = ()  # whose tallies are known
        self._resigned: tuple[tuple[int, int], ...] = ()
        self._tallies: list[list[float]] = []
        self._position: Position | None = None

    def snapshot(
        self,
        session: Session,
        view: PositionView,
        game: Mapping[str, Any],
        now: int,
        occupants: Mapping[int, Occupant] = NO_ONE,
        away: Sequence[wire.AwayView] = (),
    ) -> wire.Snapshot:
        """Return all that a client needs to show the table. ``game`` is what :meth:`game` returned for the session."""
        shown: wire.SnapshotState = {**self._state(session, view, now, occupants, away), "moves": game["moves"]}
        same = {name: game[name] for name in ("table", "start", "tallies")}
        return cast("wire.Snapshot", {"type": "snapshot", "id": self.info.id, **same, "state": shown})

    def game(self, session: Session) -> Data:
        """Return the part of a snapshot that changes only with the actions played."""
        return {
            "moves": [move_data(session.game, ply, session.played, ply) for ply in range(session.ply)],
            "table": _kept_table_view(session.game),
            "start": str(session.start),
            "tallies": self.tallies(session),
        }

    def event(
        self,
        event: LogEvent,
        after: Session,
        view: PositionView,
        now: int,
        occupants: Mapping[int, Occupant] = NO_ONE,
        away: Sequence[wire.AwayView] = (),
    ) -> wire.TableEvent:
        """Return what happened, and the state ``after`` it."""
        shown = self._state(after, view, now, occupants, away)
        message = {"type": "event", "number": event.number, "kind": event.kind, **event.data}
        if event.kind == "action":
            played = after.played[-1]
            move = move_data(after.game, after.ply - 1, after.played, after.ply - 1)
            acted: wire.ActionState = {**shown, "move": move}
            # The events are dataclasses, which the encoder of messages writes.
            message |= {"events": played.events, "says": list(played.says), "state": acted}
        else:
            message["state"] = shown
        return cast("wire.TableEvent", message)  # the session checked the event's data, which it made or read

    def _state(
        self,
        session: Session,
        view: PositionView,
        now: int,
        occupants: Mapping[int, Occupant],
        away: Sequence[wire.AwayView],
    ) -> wire.TableStateData:
        settings = session.settings
        short = self.info.is_short(session)
        return {
            "number": session.number,
            "ply": session.ply,
            "view": view,
            "mover": session.mover,
            "yourSeats": [],
            "over": session.is_over,
            "result": _says(session),
            "aborted": session.aborted,
            "abortable": session.abortable,
            "begun": not session.waiting,
            "waiting": list(session.waiting),
            "adjourned": session.adjourned and not session.is_over,
            "rematch": session.rematch,
            "after": self.info.after,
            "tournament": self.info.tournament,
            "offers": offers_view(session),
            "playsOn": session.plays_on,
            "resigned": sorted(session.resigned_seats),
            "out": [] if session.is_over else [seat for seat in range(len(session.seats)) if not session.in_game(seat)],
            "seats": seats_view(session, occupants),
            "replaced": sorted(session.taken_over),
            "left": sorted(session.absent),
            "flagged": sorted(session.timed_out),
            "takebacks": settings.takebacks != "off",
            "takebackRule": cast("wire.TakebackRule", settings.takebacks),
            "retractions": None if session.retractions is None else list(session.retractions),
            "confirm": settings.confirm,
            "chat": settings.chat,
            "explore": settings.explore and not self.info.rated,
            "clock": None if session.clock is None else cast("wire.ClockView", session.clock.shown(now)),
            "gone": None if settings.absence is None else cast("wire.AbsenceRule", dict(settings.absence)),
            "public": self.info.public,
            "watch": cast("wire.Watch", settings.watch),
            "rated": self.info.rated and not short,
            "short": short,
            "speed": self.info.speed,
            "creator": False,
            "away": list(away),
            "claims": [cast("list[wire.ClaimKind]", list(session.claims(seat))) for seat in range(len(session.seats))],
            "links": {"watch": f"/t/{self.info.id}"},
        }

    def tallies(self, session: Session) -> list[list[float]] | None:
        """Return the tallies before the first action and after each. None where the game has none, or has gone on for
        more than :data:`MAX_ACTIONS` actions."""
        if session.game.definition.tally is None or session.ply > MAX_ACTIONS:
            return None
        known = len(self._played)
        stands = self._played == session.played[:known] and self._resigned == session.resigned
        if self._position is None or not stands:
            self._played, self._resigned = (), session.resigned
            self._position = self._note(session, session.start, 0)
        for ply, played in enumerate(session.played[len(self._played) :], len(self._played) + 1):
            self._position = self._note(session, self._position.play(played.action_id), ply)
        self._played = session.played
        return list(self._tallies)

    def _note(self, session: Session, position: Position, ply: int) -> Position:
        """Note the tally when ``ply`` actions had led to ``position``. Return the position in which the next action was
        played: a resignation in between makes it another."""
        for at, seat in session.resigned if session.plays_on else ():
            if at == ply:
                position = position.resign(seat)
        del self._tallies[ply:]
        self._tallies.append(list(position.tally or ()))
        return position


def pong(message: PingMessage) -> wire.Pong:
    """Return the answer to a ping, with its id."""
    client_id = message.get("id")
    return {"type": "pong"} if client_id is None else {"type": "pong", "id": client_id}


def command_of(
    message: CommandMessage,
    held: frozenset[int],
    *,
    lag: int | None = None,
    away: Callable[[int], int | None] = lambda _: None,
    table: str = "",
) -> commands.Command:
    """Return the command that a message gives on behalf of the ``held`` seats. ``lag`` is the sender's, ``away`` says
    for how long the player of a seat has been gone (both in milliseconds), ``table`` would be the one of a rematch."""
    if message["type"] == "act":
        action, several = message.get("action"), message.get("actions")
        if (action is None) == (several is None):
            raise AnswerError("bad-message", "action", "Give either action or actions.")
        first, *more = several or [str(action)]
        return commands.PlayAction(held, message["ply"], first, tuple(more), lag)
    if message["type"] == "takeback":
        return commands.Takeback(held, message.get("ply"), message.get("at"))
    if message["type"] == "answer":
        return commands.Answer(held, message["what"], message["yes"], table)
    if message["type"] == "abort":
        return commands.Abort(held)
    if message["type"] == "claim":
        return commands.AbsenceClaim(held, message["seat"], message["what"], away(message["seat"]))
    named = message.get("seat")
    seat = min(held, default=0) if named is None else named
    if message["type"] == "resign":
        return commands.Resign(held, seat)
    if message["type"] == "draw":
        return commands.OfferDraw(held, seat)
    return commands.Propose(held, seat, message["type"], table)


def check_not_outdated(message: CommandMessage, command: commands.Command, log: Sequence[LogEvent]) -> None:
    """Raise SessionError where the ``number`` of a message, the last event that its sender knew, is too old."""
    known = message.get("number")
    if known is not None and is_outdated(command, log[known:]):
        raise SessionError("stale-ply", "number", "The game has gone on since this message was written.")
