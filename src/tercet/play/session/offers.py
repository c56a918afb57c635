"""Commands that need the consent of others: takebacks, draws, breaks and rematches, and the answers to such offers."""

from __future__ import annotations

from typing import Any

from tercet.play.session.checks import Caused, must_be_playing, must_hold_seat
from tercet.play.session.commands import Answer, OfferDraw, Propose, Takeback
from tercet.play.session.errors import SessionError
from tercet.play.session.state import Offer, State

__all__ = ["answer", "offer_draw", "propose", "take_back"]

PROPOSALS = ("adjourn", "continue", "rematch")


# Takebacks ------------------------------------------------------------------------------------------------------------


def take_back(state: State, command: Takeback) -> list[Caused]:
    """Return the events of a takeback. Actions of a turn that is still open are undone at once; otherwise the table's
    settings decide whether the others are asked. SessionError says why there are none, as in all functions here."""
    target = _target(state, command)
    seat = min(command.seats)
    for ply in range(state.ply - 1, target - 1, -1):
        if state.played[ply].seat in command.seats:
            seat = state.played[ply].seat
    undone = Caused("takeback", {"ply": target, "seat": seat})
    if state.within_turn(target, command.seats):
        return [undone]
    if state.settings.takebacks == "off":
        raise SessionError("not-possible", "takeback", "This game has no takebacks.")
    if state.settings.takebacks == "own":
        return [_retraction(state, target, command.seats)]
    offer = Offer(seat, "takeback", target)
    if all(other in command.seats for other in state.awaited(offer)):
        return [undone]
    if state.is_over:
        raise SessionError("over", "table", "The game is over.")
    return _make(state, offer, command.seats, "")


def _target(state: State, command: Takeback) -> int:
    """Return the number of actions that should remain after the takeback."""
    if state.aborted:
        raise SessionError("over", "table", "The game was aborted.")
    if state.waiting or state.adjourned:
        must_be_playing(state)
    if command.at is not None and command.at != state.ply:
        raise SessionError(
            "stale-ply", "ply", f"The game has gone on: {state.ply} actions have been played, not {command.at}."
        )
    if state.agreed_draw or (state.resigned and not state.plays_on):
        raise SessionError("over", "table", "The game was ended by its players.")
    if state.is_over and (state.taken_over or state.rematch is not None):
        raise SessionError("over", "table", "The game is over.")
    target = state.own_last_turn(command.seats) if command.ply is None else command.ply
    if target is None:
        raise SessionError("not-possible", "takeback", "You have not moved yet.")
    if not 0 <= target < state.ply:
        raise SessionError("not-possible", "ply", f"There is no move to take back to ply {target}.")
    if target < max((ply for ply, _ in state.resigned), default=0):
        raise SessionError("not-possible", "ply", "A resignation cannot be taken back.")
    return target


def _retraction(state: State, target: int, seats: frozenset[int]) -> Caused:
    """Return a takeback without consent: to before the player's own last turn, so often in a game."""
    seat = state.played[target].seat
    if seat not in seats or target != state.own_last_turn(frozenset({seat})):
        raise SessionError("not-possible", "ply", "You can only take back your own last turn, before your next one.")
    if state.is_over and any(other not in seats for other in state.awaited(Offer(seat, "takeback"))):
        raise SessionError("over", "table", "The game is over.")
    if not state.in_game(seat) and not state.may_return(seat):
        raise SessionError(
            "not-possible",
            "seat",
            "You may take back the turn that cost you the game only until your captor moves again.",
        )
    if state.clock is not None and not state.clock.retracted(state.clocks[target], seat).left[seat]:
        raise SessionError(
            "not-possible", "takeback", "You have used up the time of that turn, and taking it back gives no time back."
        )
    most = state.game.definition.retractions
    if state.retracted.count(seat) >= most:
        name = state.game.players[seat]
        raise SessionError("not-possible", "takeback", f"{name} has already taken back {most} times in this game.")
    return Caused("takeback", {"ply": target, "seat": seat, "own": True, "spent": True})


# Draws, breaks, rematches ---------------------------------------------------------------------------------------------


def offer_draw(state: State, command: OfferDraw) -> list[Caused]:
    """Return the events of an offer of a draw, or of the yes to one; engines decline."""
    must_be_playing(state, adjourned=True)
    must_hold_seat(state, command.seats, command.seat)
    for seat, sits in enumerate(state.seats):
        if sits.kind == "engine" and state.in_game(seat) and (command.seat, "draw") not in state.declined:
            offered, declined = {"seat": command.seat, "what": "draw"}, {"seat": seat, "what": "draw"}
            return [Caused("offer", offered), Caused("declined", declined)]
    return _make(state, Offer(command.seat, "draw"), command.seats, "")


def propose(state: State, command: Propose) -> list[Caused]:
    """Return the events of an offer of a break, of its end, or of a rematch, or of the yes to one."""
    what = command.what
    if what not in PROPOSALS:
        raise SessionError("bad-message", "what", f"The offer must be one of {', '.join(PROPOSALS)}.")
    if what == "rematch":
        if command.seat not in command.seats:
            raise SessionError("not-your-seat", "seat", "This seat is not yours.")
        _may_have_rematch(state)
    else:
        must_be_playing(state, adjourned=True)
        must_hold_seat(state, command.seats, command.seat)
        if state.adjourned != (what == "continue"):
            raise SessionError(
                "not-possible", what, "The game is " + ("already" if state.adjourned else "not") + " adjourned."
            )
    return _make(state, Offer(command.seat, what), command.seats, command.table)


def _may_have_rematch(state: State) -> None:
    if not state.is_over:
        raise SessionError("not-possible", "rematch", "The game is not over yet.")
    if state.rematch is not None:
        raise SessionError("not-possible", "rematch", f"The rematch is already being played at table {state.rematch}.")
    if state.waiting:
        raise SessionError("not-possible", "rematch", "The game never began.")


def _make(state: State, offer: Offer, seats: frozenset[int], table: str) -> list[Caused]:
    """Return the events of the offer, or of a yes to the same offer of another player. Seats that the proposer also
    holds agree at once."""
    same = next((other for other in state.offers if other.what == offer.what), None)
    if same is not None:
        if offer.what == "takeback" or offer.seat not in state.awaited(same):
            raise SessionError("not-possible", offer.what, "This offer has already been made.")
        return answer(state, Answer(seats, offer.what, True, table))
    if (offer.seat, offer.what) in state.declined:
        again = "" if state.is_over else ". Offer again after the next move"
        raise SessionError("not-possible", offer.what, f"Your offer has been declined{again}.")
    data: dict[str, Any] = {"seat": offer.seat, "what": offer.what}
    if offer.ply is not None:
        data["ply"] = offer.ply
    awaited = state.awaited(offer)
    own = [seat for seat in awaited if seat in seats]
    if len(own) == len(awaited):
        return [_granted(offer, table)]
    agreed = [Caused("agreed", {"seats": own, "what": offer.what})] if own else []
    return [Caused("offer", data), *agreed]


def _granted(offer: Offer, table: str) -> Caused:
    """Return the event that follows when all have agreed to an offer."""
    if offer.what == "draw":
        return Caused("over", {"reason": "agreement"})
    if offer.what == "takeback":
        return Caused("takeback", {"ply": offer.ply, "seat": offer.seat})
    return Caused(offer.what, {"id": table} if offer.what == "rematch" else {})


def answer(state: State, command: Answer) -> list[Caused]:
    """Return the events of a yes or no to an open offer. A no of the seat that made it withdraws it."""
    if command.what == "rematch":
        _may_have_rematch(state)
    else:
        must_be_playing(state, adjourned=True)
    offer = next((offer for offer in state.offers if offer.what == command.what), None)
    if offer is None:
        raise SessionError("not-possible", "what", "There is no such offer to answer.")
    awaited = state.awaited(offer)
    seats = [seat for seat in awaited if seat in command.seats]
    if not seats and (command.yes or offer.seat not in command.seats):
        raise SessionError("not-your-turn", "what", "You cannot answer this offer.")
    if not command.yes:
        return [Caused("declined", {"seat": seats[0] if seats else offer.seat, "what": offer.what})]
    agreed = Caused("agreed", {"seats": seats, "what": offer.what})
    return [agreed, _granted(offer, command.table)] if len(seats) == len(awaited) else [agreed]
