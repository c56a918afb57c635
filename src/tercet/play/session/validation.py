"""Validation of commands: the events that a command causes at a table, or a SessionError that says why it is refused.

Commands that need the consent of others are in :mod:`tercet.play.session.offers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tercet.errors import IllegalAction, ParseError
from tercet.play.session import offers
from tercet.play.session.checks import Caused, must_be_playing, must_hold_seat, must_not_be_over
from tercet.play.session.commands import (
    Abort,
    AbsenceClaim,
    Answer,
    Command,
    LeaveSeat,
    OfferDraw,
    PlayAction,
    Propose,
    RenewLink,
    Resign,
    Takeback,
    TakeSeat,
)
from tercet.play.session.errors import SessionError
from tercet.play.session.events import LogEvent
from tercet.play.session.settings import USUAL_LEVEL
from tercet.play.session.state import State
from tercet.play.session.values import replaced

__all__ = ["MAX_PLIES", "absence_loss", "claims", "events_of", "is_outdated"]

MAX_PLIES = 20_000  # single actions at one table
BREAK = 3 * 86_400_000  # milliseconds in which an offer to continue is to be answered
MOVES_ON = frozenset({"action", "takeback", "resign", "flag", "claim", "sit", "lots", "continue"})


def events_of(state: State, command: Command, now: int | None = None) -> list[Caused]:
    """Return the events that ``command`` causes ``now`` (milliseconds), in order; SessionError says why there are
    none."""
    if isinstance(command, TakeSeat):
        return _take_seat(state, command)
    if isinstance(command, RenewLink):
        return _renew_link(state, command)
    if not command.seats:
        raise SessionError("not-your-seat", "seat", "You are only watching this game.")
    if isinstance(command, Takeback) and state.clock is not None and now is not None:
        state = replaced(state, clock=state.clock.advanced(now))  # the time that its sender is using stays used too
    return _CHECKS[type(command)](state, command)


def is_outdated(command: Command, since: Iterable[LogEvent]) -> bool:
    """Return whether the game has gone on ``since`` the sender looked: one of the events could have made possible what
    was not, so that a command that was refused stays refused wherever a copy of it comes. Only time can still allow a
    :class:`Claim`."""
    if isinstance(command, Answer):
        return any(event.kind == "offer" and event.data["what"] == command.what for event in since)
    kinds = MOVES_ON if isinstance(command, PlayAction) else MOVES_ON | {"adjourn", "declined"}
    return any(event.kind in kinds for event in since)


# Seats ----------------------------------------------------------------------------------------------------------------


def _take_seat(state: State, command: TakeSeat) -> list[Caused]:
    must_not_be_over(state)
    if not 0 <= command.seat < len(state.seats):
        raise SessionError("bad-message", "seat", f"The seat must be from 0 to {len(state.seats) - 1}.")
    if command.seat not in state.waiting:
        raise SessionError("taken", "seat", "This seat is taken.")
    data: dict[str, Any] = {"seat": command.seat}
    if command.name:
        data["name"] = command.name
    sits = Caused("sit", data)
    if command.lots is None or len(state.waiting) > 1:
        return [sits]
    return [sits, Caused("lots", {"seats": list(command.lots)})]


def _renew_link(state: State, command: RenewLink) -> list[Caused]:
    if not 0 <= command.seat < len(state.seats) or state.seats[command.seat].kind != "person":
        raise SessionError("not-allowed", "seat", "Only a seat that is kept for a friend has a link.")
    return [Caused("link", {"seat": command.seat})]


def _leave_seat(state: State, command: LeaveSeat) -> list[Caused]:
    if state.is_over:
        raise SessionError("over", "table", "The game is over.")
    if command.seat not in command.seats:
        raise SessionError("not-your-seat", "seat", "This seat is not yours.")
    if not state.waiting:
        raise SessionError("not-allowed", "seat", "The game has begun. Abort it or resign.")
    if state.settings.seats[command.seat].kind not in ("open", "bot"):
        raise SessionError("not-allowed", "seat", "You opened this game, so you can only abort it.")
    return [Caused("stand", {"seat": command.seat})]


# The game -------------------------------------------------------------------------------------------------------------


def _play_action(state: State, command: PlayAction) -> list[Caused]:
    must_be_playing(state)
    if command.ply != state.ply:
        raise SessionError(
            "stale-ply", "ply", f"The game has gone on: {state.ply} actions have been played, not {command.ply}."
        )
    mover = state.position.mover
    if mover not in command.seats:
        raise SessionError("not-your-turn", "seat", f"It is {state.game.players[mover or 0]}'s turn.")
    if state.ply + len(command.more) >= MAX_PLIES:
        raise SessionError("not-possible", "table", f"A game must end within {MAX_PLIES} actions.")
    found: list[Caused] = []
    position = state.position
    for ply, text in enumerate((command.action, *command.more), state.ply):
        if position.mover != mover:
            raise SessionError("illegal-action", text[:80], f"The turn is over before action {ply - state.ply + 1}.")
        try:
            made = position.transition(text)
        except (IllegalAction, ParseError) as error:
            raise SessionError("illegal-action", text[:80], error.why) from None
        found.append(Caused("action", {"ply": ply, "seat": mover, "action": str(made.action)}, made))
        position = made.after
    clock = state.clock
    timed = clock is not None and clock.running == mover
    if clock is not None and timed and command.lag is not None and state.begins_turn:  # what follows waits for no line
        found[0].data["lag"] = max(0, min(command.lag, clock.lag_left(mover)))
    return found


def _resign(state: State, command: Resign) -> list[Caused]:
    must_be_playing(state, adjourned=True)
    must_hold_seat(state, command.seats, command.seat)
    return [Caused("resign", {"seat": command.seat})]


def _abort(state: State, command: Abort) -> list[Caused]:
    must_not_be_over(state)
    if not state.abortable:
        raise SessionError("not-possible", "abort", "The second turn has begun. Resign or offer a draw instead.")
    return [Caused("abort", {"seat": min(command.seats)})]


# Absence --------------------------------------------------------------------------------------------------------------


def _claim(state: State, command: AbsenceClaim) -> list[Caused]:
    must_be_playing(state, adjourned=True)
    holds = [seat for seat in sorted(command.seats) if state.in_game(seat)]
    if not holds:
        raise SessionError("not-possible", "seat", "You are out of the game.")
    _may_be_claimed(state, command.seat)
    if command.seat in command.seats:
        raise SessionError("not-possible", "seat", "This seat is yours.")
    if state.adjourned:
        return _claim_in_break(state, command)
    rule: Mapping[str, Any] = state.settings.absence or {"then": ()}
    if command.what not in rule["then"]:
        raise SessionError("not-possible", "what", "This game was opened without that option.")
    name = state.game.players[command.seat]
    if command.absent is None:
        raise SessionError("not-possible", "seat", f"{name} is here.")
    wait = 1000 * rule["after"] - command.absent
    if wait > 0:
        raise SessionError("not-possible", "seat", f"{name} may come back. Wait {-(-wait // 1000)} more seconds.")
    return _claimed(state, command.seat, command.what, holds[0])


def _claimed(state: State, seat: int, what: str, by: int) -> list[Caused]:
    if what == "win":
        return absence_loss(state, seat, by)
    must_be_playing(state)
    _may_be_claimed(state, seat)
    level = (state.settings.absence or {}).get("level", USUAL_LEVEL)
    return [Caused("claim", {"seat": seat, "by": by, "what": "engine", "level": level})]


def claims(state: State, seat: int) -> tuple[str, ...]:
    """Return the claims allowed once the player of ``seat`` has been absent long enough: ``win``, ``engine``."""
    found = []
    for what in (state.settings.absence or {"then": ()})["then"]:
        try:
            _claimed(state, seat, what, seat)
        except SessionError:
            continue
        found.append(str(what))
    return tuple(found)


def _claim_in_break(state: State, command: AbsenceClaim) -> list[Caused]:
    """Award the win to the player who offered to continue if another does not answer for :data:`BREAK` milliseconds."""
    offer = next((one for one in state.offers if one.what == "continue" and one.seat in command.seats), None)
    if command.what != "win" or offer is None or command.absent is None:
        raise SessionError(
            "adjourned", "table", "The game is adjourned. Offer to continue first; then you may claim the win."
        )
    if command.seat not in state.awaited(offer):
        raise SessionError("not-possible", "seat", "This player has no offer to answer.")
    wait = BREAK - command.absent
    if wait > 0:
        raise SessionError(
            "not-possible", "seat", f"The answer may still come. Wait {-(-wait // 3_600_000)} more hours."
        )
    return absence_loss(state, command.seat, offer.seat, adjourned=True)


def _may_be_claimed(state: State, seat: int) -> None:
    if not 0 <= seat < len(state.seats):
        raise SessionError("bad-message", "seat", f"The seat must be from 0 to {len(state.seats) - 1}.")
    if state.seats[seat].kind != "person" or not state.in_game(seat):
        raise SessionError("not-possible", "seat", "This seat has no player who could be absent.")


def absence_loss(state: State, seat: int, by: int | None, *, adjourned: bool = False) -> list[Caused]:
    """Return the events by which ``seat`` has lost by absence; ``by`` is the seat that claims it, None the organiser of
    a tournament. SessionError where that cannot be."""
    must_be_playing(state, adjourned=adjourned)
    _may_be_claimed(state, seat)
    if by is not None and state.abortable:
        raise SessionError("not-possible", "what", "The second turn has not begun. Abort the game instead.")
    return [Caused("claim", {"seat": seat, "by": by, "what": "win"})]


_CHECKS: Mapping[type[Command], Callable[..., list[Caused]]] = {
    LeaveSeat: _leave_seat,
    PlayAction: _play_action,
    Takeback: offers.take_back,
    Answer: offers.answer,
    Resign: _resign,
    OfferDraw: offers.offer_draw,
    Propose: offers.propose,
    Abort: _abort,
    AbsenceClaim: _claim,
}
