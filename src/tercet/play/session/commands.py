"""Commands of a client at a table, and the events that each causes, or why it is refused. ``seats`` are always all
seats that the sender holds.

Commands that need the consent of others come first, as offers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tercet.core.game import Transition
from tercet.core.rules import PlainNumbers, replaced
from tercet.errors import IllegalAction, ParseError
from tercet.play.session.state import USUAL_LEVEL, Offer, SessionError, State


@dataclass(frozen=True)
class TakeSeat(PlainNumbers):
    """A player takes the open ``seat``; ``name`` is what others see. With ``lots`` (for each seat, the one to which its
    player moves) the seats are drawn if this one is the last."""

    seat: int
    name: str = ""
    lots: tuple[int, ...] | None = None


@dataclass(frozen=True)
class LeaveSeat(PlainNumbers):
    """The person who took ``seat`` leaves it before the game has begun."""

    seats: frozenset[int]
    seat: int


@dataclass(frozen=True)
class RenewLink(PlainNumbers):
    """``seat`` gets a new link; the old one does not open it any more. Who may ask for that is checked by the caller,
    which stores the links."""

    seat: int


@dataclass(frozen=True)
class PlayAction(PlainNumbers):
    """Play ``action`` (canonical or other notation) when ``ply`` actions have been played. ``more`` are actions of the
    same player that follow at once: all of them are played, or none. ``lag`` is the round trip between the sender and
    the server in milliseconds, None where it is not known."""

    seats: frozenset[int]
    ply: int
    action: str
    more: tuple[str, ...] = ()
    lag: int | None = None


@dataclass(frozen=True)
class Takeback(PlainNumbers):
    """Go back to ``ply``, or, where it is None, to before the sender's last turn. ``at`` is the number of actions that
    the sender has seen; None: it is not compared."""

    seats: frozenset[int]
    ply: int | None = None
    at: int | None = None


@dataclass(frozen=True)
class Answer(PlainNumbers):
    """Yes or no to the open offer of ``what``. ``table`` is the id of the table at which a rematch would be played."""

    seats: frozenset[int]
    what: str
    yes: bool
    table: str = ""


@dataclass(frozen=True)
class Resign(PlainNumbers):
    """``seat`` gives up."""

    seats: frozenset[int]
    seat: int


@dataclass(frozen=True)
class OfferDraw(PlainNumbers):
    """``seat`` proposes a draw."""

    seats: frozenset[int]
    seat: int


@dataclass(frozen=True)
class Propose(PlainNumbers):
    """``seat`` proposes to ``adjourn``, to ``continue`` an adjourned game, or a ``rematch`` at the new ``table``."""

    seats: frozenset[int]
    seat: int
    what: str
    table: str = ""


@dataclass(frozen=True)
class Abort(PlainNumbers):
    """Abort the game before its second turn, without a win or loss."""

    seats: frozenset[int]


@dataclass(frozen=True)
class AbsenceClaim(PlainNumbers):
    """The player of ``seat`` has been absent for ``absent`` milliseconds (None: they are here) and loses (``what``
    is ``win``), or an ``engine`` takes over. In a break ``absent`` is how long the sender's offer to continue has
    been waiting (None: there is none)."""

    seats: frozenset[int]
    seat: int
    what: str
    absent: int | None


SeatCommand = TakeSeat | LeaveSeat | RenewLink
Command = SeatCommand | PlayAction | Takeback | Answer | Resign | OfferDraw | Propose | Abort | AbsenceClaim


class Caused(NamedTuple):
    """An event that a command causes, as kind and data, not numbered yet; for an action with its transition."""

    kind: str
    data: dict[str, Any]
    transition: Transition | None = None


def must_not_be_over(state: State) -> None:
    """Raise SessionError if the game has ended."""
    if state.is_over:
        raise SessionError("over", "table", "The game was aborted." if state.aborted else "The game is over.")


def must_be_playing(state: State, *, adjourned: bool = False) -> None:
    """Raise SessionError if the game has not begun or is over, or if it is adjourned (``adjourned`` allows that)."""
    must_not_be_over(state)
    if state.waiting:
        missing = " and ".join(state.game.players[seat] for seat in state.waiting)
        raise SessionError("not-begun", "table", f"The seat of {missing} is still open. Wait for a player.")
    if state.adjourned and not adjourned:
        raise SessionError("adjourned", "table", "The game is adjourned until all players agree to continue.")


def must_hold_seat(state: State, seats: frozenset[int], seat: int) -> None:
    """Raise SessionError if ``seat`` is not among those that the sender holds, or is out of the game."""
    if seat not in seats:
        raise SessionError("not-your-seat", "seat", "This seat is not yours.")
    if not state.in_game(seat):
        raise SessionError("not-possible", "seat", "This player is out of the game.")


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
    must_not_be_over(state)
    return _make(state, offer, command.seats, "")


def _target(state: State, command: Takeback) -> int:
    """Return the number of actions that should remain after the takeback."""
    if state.aborted:
        raise SessionError("over", "table", "The game was aborted.")
    if state.waiting or state.adjourned:
        must_be_playing(state)
    if command.at is not None and command.at != state.ply:
        why = f"The game has gone on: {state.ply} actions have been played, not {command.at}."
        raise SessionError("stale-ply", "ply", why)
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
        why = "You may take back the turn that cost you the game only until your captor moves again."
        raise SessionError("not-possible", "seat", why)
    if state.clock is not None and not state.clock.retracted(state.clocks[target], seat).left[seat]:
        why = "You have used up the time of that turn, and taking it back gives no time back."
        raise SessionError("not-possible", "takeback", why)
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
            why = f"The game is {'already' if state.adjourned else 'not'} adjourned."
            raise SessionError("not-possible", what, why)
    return _make(state, Offer(command.seat, what), command.seats, command.table)


def _may_have_rematch(state: State) -> None:
    if not state.is_over:
        raise SessionError("not-possible", "rematch", "The game is not over yet.")
    if state.rematch is not None:
        raise SessionError("not-possible", "rematch", f"The rematch is already being played at table {state.rematch}.")
    if state.waiting:
        raise SessionError("not-possible", "rematch", "The game never began.")


def _make(state: State, offer: Offer, seats: frozenset[int], table: str) -> list[Caused]:
    """Return the events of the offer, or of a yes to another's same offer. The proposer's other seats agree at once."""
    same = next((other for other in state.offers if other.what == offer.what), None)
    if (offer.seat, offer.what) in state.declined:
        again = "" if state.is_over else ". Offer again after the next move"
        if same is not None:
            again = ". Answer the open offer instead"
        raise SessionError("not-possible", offer.what, f"Your offer has been declined{again}.")
    if same is not None:
        if offer.what == "takeback" or offer.seat not in state.awaited(same):
            raise SessionError("not-possible", offer.what, "This offer has already been made.")
        return answer(state, Answer(seats, offer.what, True, table))
    data = {"seat": offer.seat, "what": offer.what, **({} if offer.ply is None else {"ply": offer.ply})}
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


MAX_PLIES = 20_000  # single actions at one table
BREAK = 3 * 86_400_000  # milliseconds in which an offer to continue is to be answered


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


# Seats ----------------------------------------------------------------------------------------------------------------


def _must_be_a_seat(state: State, seat: int) -> None:
    if not 0 <= seat < len(state.seats):
        raise SessionError("bad-message", "seat", f"The seat must be from 0 to {len(state.seats) - 1}.")


def _take_seat(state: State, command: TakeSeat) -> list[Caused]:
    must_not_be_over(state)
    _must_be_a_seat(state, command.seat)
    if command.seat not in state.waiting:
        raise SessionError("taken", "seat", "This seat is taken.")
    sits = Caused("sit", {"seat": command.seat, **({"name": command.name} if command.name else {})})
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
        why = f"The game has gone on: {state.ply} actions have been played, not {command.ply}."
        raise SessionError("stale-ply", "ply", why)
    mover = state.position.mover
    if mover not in command.seats:
        raise SessionError("not-your-turn", "seat", f"It is {state.game.players[mover or 0]}'s turn.")
    if state.ply + len(command.more) >= MAX_PLIES:
        raise SessionError("not-possible", "table", f"A game must end within {MAX_PLIES} actions.")
    events: list[Caused] = []
    position = state.position
    for ply, text in enumerate((command.action, *command.more), state.ply):
        if position.mover != mover:
            raise SessionError("illegal-action", text[:80], f"The turn is over before action {ply - state.ply + 1}.")
        try:
            made = position.transition(text)
        except (IllegalAction, ParseError) as error:
            raise SessionError("illegal-action", text[:80], error.why) from None
        events.append(Caused("action", {"ply": ply, "seat": mover, "action": str(made.action)}, made))
        position = made.after
    clock = state.clock if command.lag is not None and state.begins_turn else None  # what follows waits for no line
    if clock is not None and command.lag is not None and clock.running == mover:
        events[0].data["lag"] = max(0, min(command.lag, clock.lag_left(mover)))
    return events


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
    allowed = []
    for what in (state.settings.absence or {"then": ()})["then"]:
        try:
            _claimed(state, seat, what, seat)
        except SessionError:
            continue
        allowed.append(str(what))
    return tuple(allowed)


def _claim_in_break(state: State, command: AbsenceClaim) -> list[Caused]:
    """Award the win to the player who offered to continue if another does not answer for :data:`BREAK` milliseconds."""
    offer = next((one for one in state.offers if one.what == "continue" and one.seat in command.seats), None)
    if command.what != "win" or offer is None or command.absent is None:
        why = "The game is adjourned. Offer to resume it first; then you can claim victory."
        raise SessionError("adjourned", "table", why)
    if command.seat not in state.awaited(offer):
        raise SessionError("not-possible", "seat", "This player has no offer to answer.")
    wait = BREAK - command.absent
    if wait > 0:
        why = f"The answer may still come. Wait {-(-wait // 3_600_000)} more hours."
        raise SessionError("not-possible", "seat", why)
    return absence_loss(state, command.seat, offer.seat, adjourned=True)


def _may_be_claimed(state: State, seat: int) -> None:
    _must_be_a_seat(state, seat)
    if state.seats[seat].kind != "person" or not state.in_game(seat):
        raise SessionError("not-possible", "seat", "This seat has no player who could be absent.")


def absence_loss(state: State, seat: int, by: int | None, *, adjourned: bool = False) -> list[Caused]:
    """Return the events by which ``seat`` has lost by absence; ``by`` is the seat that claims it, None the organiser of
    a tournament. Raise SessionError if that cannot be."""
    must_be_playing(state, adjourned=adjourned)
    _may_be_claimed(state, seat)
    if by is not None and state.abortable:
        raise SessionError("not-possible", "what", "The second turn has not begun. Abort the game instead.")
    return [Caused("claim", {"seat": seat, "by": by, "what": "win"})]


_CHECKS: Mapping[type[Command], Callable[..., list[Caused]]] = {
    LeaveSeat: _leave_seat,
    PlayAction: _play_action,
    Takeback: take_back,
    Answer: answer,
    Resign: _resign,
    OfferDraw: offer_draw,
    Propose: propose,
    Abort: _abort,
    AbsenceClaim: _claim,
}
