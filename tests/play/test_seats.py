"""Who sits where, and games that do not go on as they began: aborted, adjourned, left, played again; slow lines."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.play.session import LAG, Abort, LeaveSeat, RenewLink, Seat, Session, SessionError, TableSettings, TakeSeat
from tercet.play.session.commands import AbsenceClaim, Answer, Command, OfferDraw, PlayAction, Propose, Resign, Takeback
from tercet.play.session.session import LogEvent
from tests.play.sessions import do, left, play, read_back, refusal, refused, seat, some_moves
from tests.play.tables import ALMOST, BLITZ, EGG, JAPANESE, OPEN, PERSON, several_actions, table
from tests.support.present import present
from tests.support.refusals import refuses

GONE = {"after": 60, "then": ["win", "engine"], "level": 3}
HOURS = 3_600_000
BREAK = (Propose(seat(0), 0, "adjourn"), Answer(seat(1), "adjourn", True))


def kinds(session: Session, command: Command) -> list[str]:
    return [event.kind for event, _ in session.apply(command)]


def test_a_seat_is_taken_once_and_nothing_is_played_while_one_is_open() -> None:
    session = table(PERSON, OPEN)
    assert (session.waiting, session.mover) == ((1,), None)
    for command in (PlayAction(seat(0), 0, "Rd4"), Takeback(seat(0)), OfferDraw(seat(0), 0), Resign(seat(0), 0)):
        assert refused(session, command) == "not-begun"
    assert refused(session, Propose(seat(0), 0, "adjourn")) == "not-begun"
    ((event, session),) = session.apply(TakeSeat(1, "Bo"))
    assert (event.kind, dict(event.data)) == ("sit", {"seat": 1, "name": "Bo"})
    assert (session.waiting, session.mover, session.seats[1]) == ((), 0, Seat("person", "Bo"))
    assert (play(session, "Rd4").mover, session.settings.seats[1]) == (1, OPEN)
    session = table(PERSON, OPEN)
    assert (refused(session, TakeSeat(0)), refused(session, TakeSeat(2))) == ("taken", "bad-message")
    assert refused(do(session, TakeSeat(1)), TakeSeat(1)) == "taken"
    assert refused(do(session, Abort(seat(0))), TakeSeat(1)) == "over"
    assert refused(table(PERSON, Seat("engine", level=1)), TakeSeat(1)) == "taken"


def test_whoever_sits_may_leave_until_the_game_begins() -> None:
    session = do(table(PERSON, OPEN, OPEN, game="triplicity"), TakeSeat(1, "Bo"))
    assert refused(session, LeaveSeat(seat(1), 2)) == "not-your-seat"
    assert refused(session, LeaveSeat(seat(0), 0)) == "not-allowed"
    assert do(session, LeaveSeat(seat(1), 1)) == do(session, LeaveSeat(seat(1), 1))
    assert do(session, LeaveSeat(seat(1), 1)).seats == (PERSON, OPEN, OPEN)
    assert refused(do(session, TakeSeat(2)), LeaveSeat(seat(1), 1)) == "not-allowed"
    # A table expires if no one takes its open seat.
    session = table(PERSON, OPEN)
    ((event, expired),) = session.give_up_waiting("expired")
    assert (event.kind, dict(event.data)) == ("abort", {"reason": "expired"})
    assert expired.aborted
    assert expired.give_up_waiting("expired") == []
    assert do(session, TakeSeat(1)).give_up_waiting("expired") == []


def test_a_bot_that_is_asked_has_its_seat_kept_also_for_a_rematch() -> None:
    session = table(PERSON, Seat("bot", "helper"))
    assert session.waiting == (1,)
    session = do(session, TakeSeat(1))
    assert (session.waiting, session.seats[1]) == ((), Seat("person", "helper"))
    session = do(table(PERSON, Seat("bot", "helper"), PERSON, game="triplicity"), TakeSeat(1), Abort(seat(0)))
    asked = do(session, Propose(seat(0), 0, "rematch", "t2"))
    assert asked.awaited(asked.offers[0]) == (2,)
    assert asked.rematch_settings(0).seats == (PERSON, PERSON, Seat("bot", "helper"))


def test_a_new_link_changes_nothing_in_the_game() -> None:
    session = play(table(clock=BLITZ), "Rd4", now=0)
    ((event, after),) = session.apply(RenewLink(1), 5000)
    assert (event.kind, event.data["seat"]) == ("link", 1)
    assert (after.mover, left(after)) == (1, (62_000, 55_000))
    for nobody in (2, -1):
        assert refused(session, RenewLink(nobody)) == "not-allowed"
    assert refused(table(PERSON, Seat("engine", level=1)), RenewLink(1)) == "not-allowed"


@pytest.mark.parametrize(("changes", "where"), [
    ({"watch": "friends"}, "watch"), ({"watch": "private", "seats": (PERSON, OPEN)}, "watch"),
    *(({"absence": {"after": wrong, "then": ["win"]}}, "gone.after") for wrong in (5, True)),
    *(({"absence": {"after": 60, "then": wrong}}, "gone.then") for wrong in ([], ["money"])),
    ({"absence": {"after": 60}}, "gone.then"),
    ({"absence": {"after": 60, "then": ["engine"], "level": 11}}, "gone.level"),
])  # fmt: skip
def test_who_may_watch_and_go_is_settled(changes: dict[str, Any], where: str) -> None:
    assert table(watch="private").settings.watch == "private"
    caught = refuses(SessionError, None, table, *changes.pop("seats", ()), **changes)
    assert (caught.code, caught.where) == ("bad-option", where)


def test_a_game_is_aborted_before_its_second_turn() -> None:
    for session in (table(), play(table(), "Rd4"), table(opening=("Rd4", "Yd5")), table(PERSON, OPEN)):
        assert session.abortable
        over = do(session, Abort(seat(0)))
        assert (over.is_over, over.aborted, over.result, over.mover) == (True, True, None, None)
        played = PlayAction(seat(0, 1), over.ply, "Rd5")
        for command in (played, Takeback(seat(0, 1)), Resign(seat(0), 0), Abort(seat(1))):
            assert refused(over, command) == "over"
    assert refused(play(table(), "Rd4", "Yd5"), Abort(seat(0))) == "not-possible"
    assert refused(table(), Abort(frozenset())) == "not-your-seat"
    back = do(play(table(takebacks="own"), "Rd4", "Yd5"), Takeback(seat(0)))
    assert refused(back, Abort(seat(0))) == "not-possible"  # its second turn had begun


def test_a_first_turn_of_several_actions_is_one_turn() -> None:
    session = play(several_actions(), "b3=R", "c3=B")
    assert session.abortable
    session = play(session, "b2=B", "b3=B", "c2=B")
    assert session.abortable
    assert not some_moves(session, 1).abortable


def adjourned_game() -> Session:
    """Three turns, then a break that began at hour 0."""
    session = some_moves(table(clock=BLITZ), 3, now=0)
    return do(session, Propose(seat(1), 1, "adjourn"), Answer(seat(0), "adjourn", True), now=0)


def test_a_break_that_is_never_continued_is_a_loss() -> None:
    """Whoever has offered to continue need not wait for ever for an answer."""
    adjourned = adjourned_game()
    assert refused(adjourned, AbsenceClaim(seat(0), 1, "win", None)) == "adjourned"  # he has not offered to go on
    asked = do(adjourned, Propose(seat(0), 0, "continue"), now=HOURS)
    assert asked.offers[0].at == HOURS
    assert refused(asked, AbsenceClaim(seat(0), 1, "win", 71 * HOURS)) == "not-possible"
    assert refused(asked, AbsenceClaim(seat(0), 1, "engine", 73 * HOURS)) == "adjourned"
    assert refused(asked, AbsenceClaim(seat(1), 0, "win", 73 * HOURS)) == "adjourned"
    won = do(asked, AbsenceClaim(seat(0), 1, "win", 73 * HOURS), now=74 * HOURS)
    assert (won.is_over, present(won.result).outcome.scores) == (True, (1.0, 0.0))


def test_adjourned_clocks_stand_still_and_nobody_acts() -> None:
    asked = do(play(table(clock=BLITZ), "Rd4", now=0), Propose(seat(1), 1, "adjourn"), now=10_000)
    assert (asked.mover, asked.awaited(asked.offers[0])) == (1, (0,))
    assert refused(asked, Propose(seat(1), 1, "adjourn")) == "not-possible"
    assert refused(asked, Propose(seat(1), 1, "continue")) == "not-possible"
    adjourned = do(asked, Answer(seat(0), "adjourn", True), now=20_000)
    assert (adjourned.adjourned, adjourned.mover, adjourned.offers) == (True, None, ())
    assert (left(adjourned), adjourned.check_time(24 * HOURS)) == ((62_000, 40_000), [])
    for command in (PlayAction(seat(1), 1, "Yd5"), Takeback(seat(0)), AbsenceClaim(seat(0), 1, "win", HOURS)):
        assert refused(adjourned, command) == "adjourned"
    assert refused(adjourned, Propose(seat(1), 1, "adjourn")) == "not-possible"
    assert do(adjourned, Resign(seat(0), 0)).is_over
    again = do(adjourned, Propose(seat(0), 0, "continue"), now=HOURS)
    no = do(again, Answer(seat(1), "continue", False), now=HOURS)
    again = do(no, Propose(seat(0), 0, "continue"), now=2 * HOURS)  # a no today is no no tomorrow
    going = do(again, Answer(seat(1), "continue", True), now=3 * HOURS)
    assert (going.adjourned, going.mover, left(going)) == (False, 1, (62_000, 40_000))
    assert [event.kind for event, _ in going.check_time(3 * HOURS + 40_000)] == ["flag"]
    assert left(play(going, "Yd5", now=3 * HOURS + 1000)) == (62_000, 41_000)


def test_a_break_of_three_needs_all_who_still_play() -> None:
    session = some_moves(table(game="triplicity"), 3)
    asked = do(session, *BREAK)
    assert (asked.adjourned, asked.awaited(asked.offers[0])) == (False, (2,))
    assert do(asked, Answer(seat(2), "adjourn", True)).adjourned
    assert do(session, Resign(seat(2), 2), *BREAK).adjourned
    # Offering the same is agreeing.
    session = do(table(), Propose(seat(0), 0, "adjourn"), Propose(seat(1), 1, "adjourn"))
    assert session.adjourned
    assert not do(session, Propose(seat(1), 1, "continue"), Propose(seat(0), 0, "continue")).adjourned
    # A break that no player ends expires.
    adjourned = adjourned_game()
    assert adjourned.deadline == adjourned.break_ends == 60 * 24 * HOURS
    assert adjourned.check_time(60 * 24 * HOURS - 1) == []
    (ended,) = adjourned.check_time(60 * 24 * HOURS)
    assert (ended.event.kind, ended.event.data["reason"], ended.after.aborted) == ("abort", "expired", True)
    assert ended.after.deadline is None
    # A game adjourned before its first action starts no clock when it goes on.
    session = do(table(clock=BLITZ), Propose(seat(0, 1), 0, "adjourn"), now=0)
    assert session.adjourned  # all players share one screen, so no one has to agree
    session = do(session, Propose(seat(0, 1), 1, "continue"), now=5000)
    assert present(session.clock).running is None


def test_who_has_gone_loses_if_claimed() -> None:
    session = play(table(absence=GONE), "Rd4", "Yd5")
    for claim, code in (
        (AbsenceClaim(seat(0), 1, "win", None), "not-possible"),
        (AbsenceClaim(seat(0), 1, "win", 59_999), "not-possible"),
        (AbsenceClaim(seat(0), 0, "win", 60_000), "not-possible"),
        (AbsenceClaim(seat(0, 1), 1, "win", 60_000), "not-possible"),
        (AbsenceClaim(seat(), 1, "win", 60_000), "not-your-seat"),
        (AbsenceClaim(seat(0), 7, "win", 60_000), "bad-message"),
        (AbsenceClaim(seat(0), 1, "money", 60_000), "not-possible"),
    ):
        assert refused(session, claim) == code, claim
    only = play(table(absence={"after": 30, "then": ["engine"]}), "Rd4", "Yd5")
    for other in (play(table(), "Rd4", "Yd5"), only, play(table(absence=GONE), "Rd4")):
        assert refused(other, AbsenceClaim(seat(0), 1, "win", HOURS)) == "not-possible"
    ((event, after),) = session.apply(AbsenceClaim(seat(0), 1, "win", 60_000))
    assert (event.kind, dict(event.data)) == ("claim", {"seat": 1, "by": 0, "what": "win"})
    result = present(after.result)
    assert (result.outcome.winners, result.outcome.reason) == ((0,), "absence")
    assert result.says == "Second left the game. First wins."
    assert refused(after, Takeback(seat(0, 1), 0)) == "over"


def test_of_three_whoever_has_gone_has_resigned() -> None:
    session = some_moves(table(game="triplicity", absence=GONE), 4)
    on = do(session, AbsenceClaim(seat(0), 1, "win", 60_000))
    assert not on.is_over
    assert on.resigned_seats == on.absent == {1}
    assert on.position == do(session, Resign(seat(1), 1)).position
    assert refused(on, AbsenceClaim(seat(0), 1, "win", 60_000)) == "not-possible"
    assert refused(on, AbsenceClaim(seat(1), 0, "win", 60_000)) == "not-possible"


def test_of_three_whose_game_needs_all_whoever_gives_up_leaves_the_point_to_the_others() -> None:
    session = some_moves(table(game="sparklies", absence=GONE), 12)
    assert session.claims(1) == ("win", "engine")
    assert do(session, AbsenceClaim(seat(0), 1, "engine", 60_000)).seats[1].kind == "engine"
    ends: dict[str, tuple[Command, str]] = {
        "resignation": (Resign(seat(1), 1), "White resigned. Black and Grey share the point."),
        "absence": (AbsenceClaim(seat(0), 1, "win", 60_000), "White left the game. Black and Grey share the point."),
    }
    for reason, (command, says) in ends.items():
        over = do(session, command)
        result = present(over.result)
        assert (result.outcome.scores, result.outcome.reason, result.says) == ((0.5, 0.0, 0.5), reason, says)
        assert refused(over, Takeback(seat(0, 1, 2), 0)) == "over"
    ((_, over),) = session.forfeit(2)  # decided by the organiser of a tournament
    assert present(over.result).outcome.scores == (0.5, 0.5, 0.0)


def test_an_engine_takes_the_seat_of_whoever_has_gone() -> None:
    session = some_moves(table(game="triplicity", absence=GONE, clock=BLITZ), 4, now=0)
    offered = do(session, OfferDraw(seat(0), 0), Answer(seat(2), "draw", True))
    ((event, on),) = offered.apply(AbsenceClaim(seat(2), 1, "engine", 60_000), 5000)
    assert (event.kind, event.data["by"], event.data["what"], event.data["level"]) == ("claim", 2, "engine", 3)
    assert on.seats == (PERSON, Seat("engine", level=3), PERSON)
    assert (on.taken_over, on.offers, on.is_over) == (seat(1), (), False)
    assert (present(on.clock).running, on.mover) == (1, 1)
    assert kinds(on, OfferDraw(seat(0), 0)) == ["offer", "declined"]  # engines play on
    assert kinds(on, Propose(seat(0), 0, "adjourn")) == ["offer"]
    assert on.awaited(do(on, Propose(seat(0), 0, "adjourn")).offers[0]) == (2,)
    assert refused(on, AbsenceClaim(seat(0), 1, "win", HOURS)) == "not-possible"
    alone = do(on, AbsenceClaim(seat(0), 2, "engine", 60_000))
    assert kinds(alone, Propose(seat(0), 0, "adjourn")) == ["adjourn"]
    assert kinds(alone, Takeback(seat(0))) == ["takeback"]


def test_whoever_runs_an_event_rules_that_a_player_never_came() -> None:
    ((event, over),) = table().forfeit(0)
    assert (event.kind, dict(event.data)) == ("claim", {"seat": 0, "by": None, "what": "win"})
    assert present(over.result).outcome.winners == (1,)
    refuses(SessionError, None, over.forfeit, 1)


def begun(plies: int = 6, **changes: Any) -> Session:
    return some_moves(table(**changes), plies, now=0)


LEAVING: dict[str, tuple[Session, list[str]]] = {
    "the table that they opened": (table(PERSON, OPEN), ["abort"]),
    "a game that has hardly begun": (begun(plies=1), ["abort"]),
    "a game": (begun(), ["claim"]),
    "a game with a clock": (begun(clock=BLITZ), ["claim"]),
    "a game in a break": (do(begun(), *BREAK), ["claim"]),
    "a game of three that goes on": (begun(game="triplicity", plies=1), ["claim"]),
    "a seat before the beginning": (do(table(OPEN, PERSON, OPEN, game="triplicity"), TakeSeat(0)), ["stand"]),
    "a seat that was kept for a bot": (table(Seat("bot"), PERSON), ["abort"]),
    "a seat that an engine took over": (table(Seat("engine", level=1), PERSON), []),
    "a game that is over": (do(begun(), Resign(seat(1), 1)), []),
    "a game that they have lost": (do(begun(game="triplicity"), Resign(seat(0), 0)), []),
}


@pytest.mark.parametrize(("session", "kinds"), LEAVING.values(), ids=LEAVING)
def test_who_is_gone_for_good_leaves(session: Session, kinds: list[str]) -> None:
    steps = session.leave(0, None if session.clock is None else session.clock.at)
    assert [step.event.kind for step in steps] == kinds
    assert kinds in ([], ["stand"]) or steps[-1].after.leave(0) == []


def test_a_rematch_is_offered_when_it_is_over() -> None:
    session = play(table(Seat("person", "Ann"), Seat("person", "Bo"), clock=BLITZ, chat=True), "Rd4", now=0)
    assert refused(session, Propose(seat(0), 0, "rematch", "t2")) == "not-possible"
    over = do(session, Resign(seat(0), 0), now=1)
    assert refused(over, Propose(seat(0), 1, "rematch", "t2")) == "not-your-seat"
    asked = do(over, Propose(seat(0), 0, "rematch", "t2"), now=2)
    assert (asked.awaited(asked.offers[0]), asked.result) == ((1,), over.result)
    assert do(asked, Answer(seat(1), "rematch", False)).offers == ()
    ((agreed, _), (event, done)) = asked.apply(Answer(seat(1), "rematch", True, "t3"), 3)
    assert (agreed.kind, event.kind, event.data["id"]) == ("agreed", "rematch", "t3")
    assert (done.rematch, done.offers, done.result) == ("t3", (), over.result)
    assert refused(done, Propose(seat(1), 1, "rematch", "t4")) == "not-possible"
    assert refused(done, Answer(seat(1), "rematch", True, "t4")) == "not-possible"
    setup = done.rematch_settings(9)
    assert [sits.name for sits in setup.seats] == ["Bo", "Ann"]
    assert (setup.clock, setup.chat, setup.seed) == (BLITZ, True, 0)
    assert Session.open(setup).ply == 0


def test_a_rematch_of_three_moves_everybody_one_seat_on() -> None:
    names = (Seat("person", "Ann"), Seat("open"), Seat("engine", level=2))
    session = do(table(*names, game="sparklies", seed=5), TakeSeat(1, "Bo"))
    assert kinds(do(session, Abort(seat(0))), Propose(seat(0, 1), 0, "rematch", "t2")) == ["rematch"]
    setup = session.rematch_settings(77)
    assert setup.seats == (Seat("engine", level=2), Seat("person", "Ann"), Seat("person", "Bo"))
    assert setup.seed == 77
    assert refused(do(table(PERSON, OPEN), Abort(seat(0))), Propose(seat(0), 0, "rematch", "x")) == "not-possible"
    # All are asked for a rematch, also those who were out.
    session = some_moves(table(game="triplicity"), 3)
    asked = do(session, Resign(seat(0), 0), Resign(seat(1), 1), Propose(seat(2), 2, "rematch", "t2"))
    assert asked.awaited(asked.offers[0]) == (0, 1)


def test_lag_is_given_back_once_a_turn_and_within_a_bound() -> None:
    first = play(table(clock=BLITZ), "Rd4", now=0, lag=300)
    assert left(first) == (62_000, 60_000)  # no clock ran
    ((event, second),) = first.apply(PlayAction(seat(1), 1, "Yd5", lag=300), 10_000)
    assert (event.data["lag"], left(second)) == (300, (62_000, 52_300))
    assert present(second.clock).shown(10_000)["lag"] == [0, 300]
    assert left(play(first, "Yd5", now=10_000, lag=9000)) == (62_000, 52_000 + LAG)
    assert left(play(first, "Yd5", now=200, lag=400)) == (62_000, 62_000)  # no more than went by
    assert first.apply(PlayAction(seat(1), 1, "Yd5", lag=-5), 10_000)[0].event.data["lag"] == 0
    assert [event.kind for event, _ in first.check_time(60_000)] == ["flag"]  # the flag falls on the server's clock
    # Lag within a turn is the player's.
    session = play(several_actions(clock=BLITZ), "b3=R", now=0)
    ((event, after),) = session.apply(PlayAction(seat(0), 1, "c3=B", lag=400), 5000)
    assert "lag" not in event.data
    assert left(after) == (55_000, 60_000)


def own_takebacks(clock: dict[str, Any], plies: int = 1) -> Session:
    """Return a table of three with retractions after so many actions at the moment 0."""
    return begun(plies, game="triplicity", takebacks="own", clock=clock)


def test_a_retraction_gives_the_others_their_time_back_and_none_to_who_retracts() -> None:
    session = own_takebacks({"kind": "fischer", "minutes": 5, "increment": 3})
    session = some_moves(session, 1, now=20_000)  # Black thinks for 20 seconds
    session = some_moves(session, 1, now=50_000)  # Red for 30
    assert left(session) == (303_000, 283_000, 273_000)
    back = do(session, Takeback(seat(1)), now=110_000)  # White has thought for 60 by then
    assert left(back) == (303_000, 280_000, 300_000)
    assert (present(back.clock).running, present(back.clock).at) == (1, 110_000)
    again = some_moves(back, 1, now=120_000)
    assert left(again) == (303_000, 273_000, 300_000)
    assert left(do(again, Takeback(seat(1)), now=130_000)) == (303_000, 270_000, 300_000)
    # A retraction restores no more than to the last resignation.
    session = do(own_takebacks(BLITZ), Resign(seat(1), 1), now=10_000)
    session = some_moves(session, 1, now=15_000)  # Red's turn began at 10 s
    assert left(session) == (62_000, 50_000, 57_000)
    assert left(do(session, Takeback(seat(2)), now=20_000)) == (62_000, 50_000, 55_000)
    # A takeback by consent is what a later retraction would go back to.
    session = play(play(table(clock=BLITZ), "Rd4", now=0), "Yd5", now=20_000)
    back = do(session, Takeback(seat(0, 1), 1), now=30_000)
    assert left(back) == (52_000, 42_000)  # what was used stays used
    assert tuple(clock.left for clock in back.clocks) == ((60_000, 60_000), (52_000, 42_000))
    # Older logs mean what they meant. A retraction that was written before the time used stayed used gives it back
    # when the log is read.
    session = some_moves(own_takebacks(BLITZ), 1, now=20_000)
    old = LogEvent(session.number + 1, "takeback", {"ply": 1, "seat": 1, "own": True, "at": 25_000})
    assert left(session.after(old)) == (62_000, 60_000, 60_000)


@pytest.mark.parametrize(
    "clock", [{"kind": "fischer", "minutes": 0.05, "increment": 1}, {"kind": "turn", "seconds": 3}]
)
def test_nobody_thinks_longer_than_the_clock_by_retracting(clock: dict[str, Any]) -> None:
    """The attack: think for 2.7 of 3 seconds, move, take the turn back, and think again, ten times."""
    session = own_takebacks(clock, 3)
    before, now = left(session)[0], 0
    session = some_moves(session, 1, now=(now := now + 2700))
    assert left(do(session, Takeback(seat(0)), now=now))[0] == before - 2700
    session = do(session, Takeback(seat(0)), now=now)
    thought = 2700
    while thought + 900 < before:
        session = some_moves(session, 1, now=(now := now + 900))
        thought += 900
        session = do(session, Takeback(seat(0)), now=now)
        assert left(session)[0] == before - thought
    flagged = session.check_time(now + before - thought)
    assert [(event.kind, event.data["seat"]) for event, _ in flagged] == [("flag", 0)]


def test_a_turn_whose_time_is_used_up_is_not_taken_back_nor_where_it_would_cost_the_game_at_once() -> None:
    """The time that runs for the player's next turn counts too: with the turn taken back it would be up."""
    used_up = "You have used up the time of that turn, and taking it back gives no time back."
    session = own_takebacks({"kind": "fischer", "minutes": 0.05, "increment": 20})
    spent = replace(present(session.clock), used=(4000, 0, 0))  # of which three seconds were there
    assert refusal(replace(session, clock=spent), Takeback(seat(0)), 0).why == used_up
    session = some_moves(own_takebacks({"kind": "turn", "seconds": 3}, 3), 3, now=2700)
    assert (session.mover, left(do(session, Takeback(seat(0)), now=2900))[0]) == (0, 100)
    assert refusal(session, Takeback(seat(0)), 3600).why == used_up


KINDS = "act act act act act act sit stand takeback answer resign draw propose abort claim expire down"
held = st.frozensets(st.integers(0, 2))
asked = st.tuples(st.sampled_from(KINDS.split()), held, st.integers(0, 500), st.integers(-2000, 40_000))


def command_of(session: Session, kind: str, holds: frozenset[int], number: int) -> Command:
    legal = session.position.legal_actions
    whats = ("draw", "takeback", "adjourn", "continue", "rematch")
    everybody, text = seat(0, 1, 2), str(legal[number % len(legal)]) if len(legal) else ""
    ply = number % (session.ply + 1) if number % 3 else None
    made: dict[str, Command] = {
        "sit": TakeSeat(number % 4, "Cy" if number % 2 else ""),
        "stand": LeaveSeat(holds, number % 3),
        "act": PlayAction(everybody if number % 5 else holds, session.ply, text, lag=number),
        "takeback": Takeback(everybody if number % 2 else holds, ply),
        "answer": Answer(everybody, whats[number % 5], number % 7 != 0, "t2"),
        "resign": Resign(holds, number % 3),
        "draw": OfferDraw(holds, number % 3),
        "propose": Propose(holds, number % 3, whats[2 + number % 3], "t2"),
        "abort": Abort(holds),
        "claim": AbsenceClaim(holds, number % 3, ("win", "engine")[number % 2], 200 * number),
    }
    return made[kind]


SETUPS = [
    TableSettings("sanqi", {"side": 4}, (PERSON, OPEN), clock=BLITZ, absence=GONE, takebacks="own"),
    TableSettings("triplicity", {}, (PERSON, OPEN, Seat("bot", "helper")), clock=BLITZ, absence=GONE, takebacks="own"),
    TableSettings("triplicity", {}, (PERSON,) * 3, absence=GONE),
    TableSettings("sparklies", {"board": "hex3", "players": 3}, (PERSON, PERSON, Seat("engine", level=1)), clock=BLITZ),
    TableSettings("sanqi", {"side": 4}, (PERSON, Seat("engine", level=3)), position=ALMOST),
    TableSettings("sanqi", {"side": 4}, (PERSON,) * 2, opening=("Rd4", "Yd5"), takebacks="off"),
]
FOUR_BY_FOUR = {"options": {"board": "4x4"}, "game": "sparklies"}
SETUPS += [
    table(*people, clock=clock, **of_game).settings
    for people, of_game in (((), {}), ((), {"game": "triplicity"}), ((PERSON,) * 2, FOUR_BY_FOUR))
    for clock in (None, BLITZ, JAPANESE, EGG)
]


@settings(max_examples=330, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SETUPS), st.lists(asked, max_size=40))
def test_the_log_replayed_is_the_session(
    setup: TableSettings, steps: list[tuple[str, frozenset[int], int, int]]
) -> None:
    session = Session.open(setup)
    most = max(session.clock.left) if session.clock is not None else 0
    log: list[LogEvent] = []
    now = 1_000_000
    for kind, holds, number, later in steps:
        now += later
        holds = frozenset(one for one in holds if one < len(setup.seats))
        events = session.check_time(now)
        try:
            if kind == "expire":
                events = events or (session.give_up_waiting("expired", now) if number % 10 == 0 else [])
            elif kind == "down":
                events = events or session.resume(now, number * 10)
            else:
                events = events or session.apply(command_of(session, kind, holds, number), now)
        except SessionError:
            continue
        for event, following in events:
            before = session
            assert session.after(event) == following
            session = following
            if session.clock is not None:
                assert session.clock.running == (session.mover if session.clock_started else None)
                assert len(session.clocks) == session.ply + 1
                assert session.clock.at >= present(before.clock).at
                assert all(0 <= value <= most + 2000 * len(log) + 2000 for value in session.clock.left)
            assert not (before.waiting and event.kind in ("action", "takeback", "adjourn", "over", "resign"))
            assert not (before.adjourned and event.kind in ("action", "takeback", "claim", "flag"))
            assert not (before.aborted and event.kind not in ("offer", "agreed", "declined", "rematch"))
        log += [event for event, _ in events]
    again = Session.replay(TableSettings.read(json.loads(json.dumps(setup.data()))), read_back(log))
    assert again == Session.replay(setup, log) == session
    assert again.result == session.result
    assert session.clock is None or all(a.data["at"] <= b.data["at"] for a, b in pairwise(log))
    position = session.start
    for one in session.played if setup.game == "sanqi" else ():
        assert one.seat == position.mover
        position = position.play(one.text)
    assert setup.game != "sanqi" or position == session.position
