"""What a command causes at a table, or why it causes nothing: the gates that it has to pass, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tercet.errors import IllegalAction, ParseError
from tercet.session.clock import LAG
from tercet.session.parts import (
    Abort,
    Act,
    Answer,
    Claim,
    Command,
    Offer,
    OfferDraw,
    Propose,
    Relink,
    Resign,
    SessionError,
    Sit,
    Stand,
    Takeback,
)

if TYPE_CHECKING:
    from tercet.session.session import Session

__all__ = ["MAX_PLIES", "caused", "forfeited"]

MAX_PLIES = 20_000  # single actions at one table
PROPOSALS = ("adjourn", "continue", "rematch")

Found = list[tuple[str, dict[str, Any]]]


def caused(session: Session, command: Command) -> Found:
    """The events, as kind and data, that ``command`` causes, in order; SessionError says why there are none."""
    if isinstance(command, Sit):
        return _sit(session, command)
    if isinstance(command, Relink):
        return _relink(session, command)
    if not command.seats:
        raise SessionError("not-your-seat", "seat", "you are watching this game")
    return _GATES[type(command)](session, command)


def _going(session: Session, *, adjourned: bool = False) -> None:
    """Whether the game has begun and is not over; nor adjourned, unless that is no matter."""
    if session.is_over:
        raise SessionError("over", "table", "the game was aborted" if session.aborted else "the game is over")
    if session.waiting:
        missing = " and ".join(session.game.players[seat] for seat in session.waiting)
        raise SessionError("not-begun", "table", f"nobody has taken the seat of {missing} yet")
    if session.adjourned and not adjourned:
        raise SessionError("adjourned", "table", "the game is adjourned until all agree to continue")


def _must_hold(session: Session, seats: frozenset[int], seat: int) -> None:
    if seat not in seats:
        raise SessionError("not-your-seat", "seat", "that seat is not yours")
    if not session.in_game(seat):
        raise SessionError("not-possible", "seat", "that seat is out of the game")


def _sit(session: Session, command: Sit) -> Found:
    if session.is_over:
        raise SessionError("over", "table", "the game was aborted" if session.aborted else "the game is over")
    if not 0 <= command.seat < len(session.seats):
        raise SessionError("bad-message", "seat", f"the seats are 0 to {len(session.seats) - 1}")
    if command.seat not in session.waiting:
        raise SessionError("taken", "seat", "that seat is taken")
    data: dict[str, Any] = {"seat": command.seat}
    if command.name:
        data["name"] = command.name
    return [("sit", data)]


def _relink(session: Session, command: Relink) -> Found:
    if not 0 <= command.seat < len(session.seats) or session.seats[command.seat].kind != "person":
        raise SessionError("not-allowed", "seat", "nobody sits there who could have a link")
    return [("link", {"seat": command.seat})]


def _stand(session: Session, command: Stand) -> Found:
    if session.is_over:
        raise SessionError("over", "table", "the game is over")
    if command.seat not in command.seats:
        raise SessionError("not-your-seat", "seat", "that seat is not yours")
    if not session.waiting:
        raise SessionError("not-allowed", "seat", "the game has begun: abort it or resign")
    if session.setup.seats[command.seat].kind not in ("open", "bot"):
        raise SessionError("not-allowed", "seat", "whoever opened the table can only abort it")
    return [("stand", {"seat": command.seat})]


def _act(session: Session, command: Act) -> Found:
    _going(session)
    if command.ply != session.ply:
        raise SessionError("stale-ply", "ply", f"{session.ply} actions have been played, not {command.ply}")
    mover = session.position.mover
    if mover not in command.seats:
        raise SessionError("not-your-turn", "seat", f"it is {session.game.players[mover or 0]}'s decision")
    if session.ply + len(command.more) >= MAX_PLIES:
        raise SessionError("not-possible", "table", f"a table ends after {MAX_PLIES} actions")
    found: Found = []
    position = session.position
    for ply, text in enumerate((command.action, *command.more), session.ply):
        if position.mover != mover:
            raise SessionError("illegal-action", text[:80], f"the turn is over before action {ply - session.ply + 1}")
        try:
            action = position.action(text)
        except (IllegalAction, ParseError) as error:
            raise SessionError("illegal-action", text[:80], error.why) from None
        found.append(("action", {"ply": ply, "seat": mover, "action": str(action)}))
        position = position.play(action)
    timed = session.clock is not None and session.clock.running == mover
    if command.lag is not None and timed and session.begins_turn:  # what follows in the turn waits for no line
        found[0][1]["lag"] = max(0, min(command.lag, LAG))
    return found


def _takeback(session: Session, command: Takeback) -> Found:
    if session.aborted:
        raise SessionError("over", "table", "the game was aborted")
    if session.waiting or session.adjourned:
        _going(session)
    if command.at is not None and command.at != session.ply:
        raise SessionError("stale-ply", "ply", f"{session.ply} actions have been played, not {command.at}")
    if session.agreed_draw or (session.resigned and not session.plays_on):
        raise SessionError("over", "table", "the game was ended by its players")
    if session.is_over and (session.replaced or session.rematch is not None):
        raise SessionError("over", "table", "the game is over")
    target = session.own_last_turn(command.seats) if command.ply is None else command.ply
    if target is None:
        raise SessionError("not-possible", "takeback", "you have not moved yet")
    floor = max((ply for ply, _ in session.resigned), default=0)
    if not 0 <= target < session.ply:
        raise SessionError("not-possible", "ply", f"there is nothing to take back to ply {target}")
    if target < floor:
        raise SessionError("not-possible", "ply", "a resignation is not taken back")
    seat = min(command.seats)
    for ply in range(session.ply - 1, target - 1, -1):
        if session.played[ply].seat in command.seats:
            seat = session.played[ply].seat
    found = ("takeback", {"ply": target, "seat": seat})
    if session.within_turn(target, command.seats):
        return [found]
    if session.setup.takebacks == "off":
        raise SessionError("not-possible", "takeback", "this table was opened without takebacks")
    if session.setup.takebacks == "own":
        return [_retraction(session, target, command.seats)]
    offer = Offer(seat, "takeback", target)
    if all(other in command.seats for other in session.awaited(offer)):
        return [found]
    if session.is_over:
        raise SessionError("over", "table", "the game is over")
    return _propose(session, offer, command.seats, "")


def _retraction(session: Session, target: int, seats: frozenset[int]) -> tuple[str, dict[str, Any]]:
    """Going back to ``target`` as a player may without being allowed to: before his last turn, so often in a game."""
    seat = session.played[target].seat
    if seat not in seats or target != session.own_last_turn(frozenset({seat})):
        raise SessionError("not-possible", "ply", "you may take back your own last turn, before your next one")
    if session.is_over and any(other not in seats for other in session.awaited(Offer(seat, "takeback"))):
        raise SessionError("over", "table", "the game is over")
    if not session.is_over:
        _must_hold(session, seats, seat)
    most = session.game.definition.retractions
    if session.retracted.count(seat) >= most:
        name = session.game.players[seat]
        raise SessionError("not-possible", "takeback", f"{name} has taken back {most} times in this game")
    return "takeback", {"ply": target, "seat": seat, "own": True}


def _offer_draw(session: Session, command: OfferDraw) -> Found:
    _going(session, adjourned=True)
    _must_hold(session, command.seats, command.seat)
    for seat, sits in enumerate(session.seats):
        if sits.kind == "engine" and session.in_game(seat) and (command.seat, "draw") not in session.declined:
            return [("offer", {"seat": command.seat, "what": "draw"}), ("declined", {"seat": seat, "what": "draw"})]
    return _propose(session, Offer(command.seat, "draw"), command.seats, "")


def _offer(session: Session, command: Propose) -> Found:
    what = command.what
    if what not in PROPOSALS:
        raise SessionError("bad-message", "what", f"is one of {', '.join(PROPOSALS)}")
    if what == "rematch":
        if command.seat not in command.seats:
            raise SessionError("not-your-seat", "seat", "that seat is not yours")
        _may_have_rematch(session)
    else:
        _going(session, adjourned=True)
        _must_hold(session, command.seats, command.seat)
        if session.adjourned != (what == "continue"):
            raise SessionError(
                "not-possible", what, "the game is " + ("" if session.adjourned else "not ") + "adjourned"
            )
    return _propose(session, Offer(command.seat, what), command.seats, command.table)


def _may_have_rematch(session: Session) -> None:
    if not session.is_over:
        raise SessionError("not-possible", "rematch", "the game is not over")
    if session.rematch is not None:
        raise SessionError("not-possible", "rematch", f"it is being played at table {session.rematch}")
    if session.waiting:
        raise SessionError("not-possible", "rematch", "the game never began")


def _propose(session: Session, offer: Offer, seats: frozenset[int], table: str) -> Found:
    """The offer, or a yes to the same one of somebody else. Seats that the proposer holds as well agree at once."""
    standing = next((other for other in session.offers if other.what == offer.what), None)
    if standing is not None:
        if offer.what == "takeback" or offer.seat not in session.awaited(standing):
            raise SessionError("not-possible", offer.what, f"a {_NOUNS[offer.what]} is already on offer")
        return _answer(session, Answer(seats, offer.what, True, table))
    if (offer.seat, offer.what) in session.declined:
        again = "" if session.is_over else "; offer again after the next move"
        raise SessionError("not-possible", offer.what, f"it has been declined{again}")
    data: dict[str, Any] = {"seat": offer.seat, "what": offer.what}
    if offer.ply is not None:
        data["ply"] = offer.ply
    own = [seat for seat in session.awaited(offer) if seat in seats]
    if len(own) == len(session.awaited(offer)):
        return [_granted(offer, table)]
    found: Found = [("offer", data)]
    if own:
        found.append(("agreed", {"seats": own, "what": offer.what}))
    return found


_NOUNS = {
    "draw": "draw",
    "takeback": "takeback",
    "adjourn": "break",
    "continue": "continuation",
    "rematch": "rematch",
}


def _granted(offer: Offer, table: str) -> tuple[str, dict[str, Any]]:
    if offer.what == "draw":
        return "over", {"reason": "agreement"}
    if offer.what == "takeback":
        return "takeback", {"ply": offer.ply, "seat": offer.seat}
    return offer.what, {"id": table} if offer.what == "rematch" else {}


def _answer(session: Session, command: Answer) -> Found:
    if command.what == "rematch":
        _may_have_rematch(session)
    else:
        _going(session, adjourned=True)
    offer = next((offer for offer in session.offers if offer.what == command.what), None)
    if offer is None:
        raise SessionError("not-possible", "what", f"no {command.what[:20]} is on offer")
    awaited = session.awaited(offer)
    seats = [seat for seat in awaited if seat in command.seats]
    if not seats:
        if not command.yes and offer.seat in command.seats:  # withdrawn
            return [("declined", {"seat": offer.seat, "what": offer.what})]
        raise SessionError("not-your-turn", "what", "your answer is not asked for")
    if not command.yes:
        return [("declined", {"seat": seats[0], "what": offer.what})]
    found: Found = [("agreed", {"seats": seats, "what": offer.what})]
    if len(seats) == len(awaited):
        found.append(_granted(offer, command.table))
    return found


def _resign(session: Session, command: Resign) -> Found:
    _going(session, adjourned=True)
    _must_hold(session, command.seats, command.seat)
    if len(session.game.players) > 2 and not session.plays_on:
        raise SessionError("not-possible", "resign", "this game knows no resignation")
    return [("resign", {"seat": command.seat})]


def _abort(session: Session, command: Abort) -> Found:
    if session.is_over:
        raise SessionError("over", "table", "the game was aborted" if session.aborted else "the game is over")
    if not session.abortable:
        raise SessionError("not-possible", "abort", "the second turn has begun: resign, or offer a draw")
    return [("abort", {"seat": min(command.seats)})]


def _claim(session: Session, command: Claim) -> Found:
    _going(session)
    holds = [seat for seat in sorted(command.seats) if session.in_game(seat)]
    if not holds:
        raise SessionError("not-possible", "seat", "you are out of the game")
    _may_be_claimed(session, command.seat)
    if command.seat in command.seats:
        raise SessionError("not-possible", "seat", "that seat is yours")
    gone: Mapping[str, Any] = session.setup.gone or {"then": ()}
    if command.what not in gone["then"]:
        raise SessionError("not-possible", "what", "this table was opened without that")
    wait = 1000 * gone["after"] - (command.away or 0)
    if command.away is None:
        raise SessionError("not-possible", "seat", f"{session.game.players[command.seat]} is here")
    if wait > 0:
        name = session.game.players[command.seat]
        raise SessionError("not-possible", "seat", f"{name} may come back: wait {-(-wait // 1000)} more seconds")
    if command.what == "win":
        return forfeited(session, command.seat, holds[0])
    level = gone.get("level", 4)
    return [("claim", {"seat": command.seat, "by": holds[0], "what": "engine", "level": level})]


def _may_be_claimed(session: Session, seat: int) -> None:
    if not 0 <= seat < len(session.seats):
        raise SessionError("bad-message", "seat", f"the seats are 0 to {len(session.seats) - 1}")
    if session.seats[seat].kind != "person" or not session.in_game(seat):
        raise SessionError("not-possible", "seat", "nobody plays there who could be gone")


def forfeited(session: Session, seat: int, by: int | None) -> Found:
    """The events by which ``seat`` has lost by absence; ``by`` is who claims it, None whoever runs the event."""
    _going(session)
    _may_be_claimed(session, seat)
    if len(session.game.players) > 2 and not session.plays_on:
        raise SessionError("not-possible", "what", "this game goes on with all seats: let an engine take that one")
    if by is not None and session.abortable:
        raise SessionError("not-possible", "what", "the second turn has not begun: abort the game")
    return [("claim", {"seat": seat, "by": by, "what": "win"})]


_GATES: Mapping[type, Callable[..., Found]] = {
    Stand: _stand,
    Act: _act,
    Takeback: _takeback,
    Answer: _answer,
    Resign: _resign,
    OfferDraw: _offer_draw,
    Propose: _offer,
    Abort: _abort,
    Claim: _claim,
}
